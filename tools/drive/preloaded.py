"""Servers are forked from a process with this module, which imports what the app imports in the background."""

from streamlit.web import cli  # noqa: F401

import tools.drive.server  # noqa: F401
from mha_api import ready

ready.begin(("torch", "pandas"), ("mha_core", "mha_view", "mha_ui"))
ready.wait()
