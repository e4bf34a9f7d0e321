"""Check: fill in or paste one's own numbers, and learn which are wrong and why."""

import streamlit as st

from mha_ui import frame
from mha_ui.bench import receive_edits
from mha_ui.check import check_bench, tools

frame.configure()
frame.frame()


@st.fragment
def _numbers() -> None:
    receive_edits()
    check_bench()


tools()
_numbers()
