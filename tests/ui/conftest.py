"""What all tests of pages share: what Streamlit does at every run, and takes longer than the page, is left out."""

from __future__ import annotations

from functools import cache

from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner import script_runner

# It looks through the machine's packages for components: once will do, for no test installs one.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
# Where a test has imported Keras it clears what no page has left there, and collects all garbage of the process.
script_runner._clean_problem_modules = lambda: None
