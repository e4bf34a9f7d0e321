"""What Streamlit runs for every page: it finds the requested page, and waits for the libraries.

What is imported here is imported before the server answers, so none of it may import those libraries. There is no
other folder ``pages`` in this one or beside this script: Streamlit would make its own navigation of it.
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
