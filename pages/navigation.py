"""What Streamlit runs for every page: it finds the page asked for, and lets it wait for the libraries.

What is imported here is there before the server answers, and imports none of them. The folder has no other ``pages``
in it or beside this script, which Streamlit would make a navigation of its own from.
"""

import streamlit as st

from mha_api import ready
from mha_ui import shell

page = shell.navigation()
if not ready.is_ready():
    shell.waiting(page)
    ready.wait()
    st.rerun()
page.run()
