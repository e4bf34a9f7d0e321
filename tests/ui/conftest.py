"""What all tests of pages share: two steps of Streamlit's are left out that take longer than a page."""

from __future__ import annotations

from functools import cache

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner import script_runner

# Streamlit searches the machine's packages for components. Once is enough, since no test installs one.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
# Where a test has imported Keras, Streamlit clears its sessions and collects all garbage of the process.
script_runner._clean_problem_modules = lambda: None


@pytest.fixture(autouse=True)
def fresh_server() -> None:
    """Components are registered once a server. Each ``AppTest`` is a new server, which must not find the last one's."""
    st.cache_resource.clear()
