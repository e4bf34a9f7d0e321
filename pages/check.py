"""Check: fill in or paste your own numbers, and learn which are wrong and why."""

import streamlit as st

from mha_ui import frame, shell
from mha_ui.check import check_bench, edited_check, tools
from mha_ui.panel import panel

frame.configure(shell.CHECK)
frame.frame(shell.CHECK, answers=False)


@st.fragment
def _numbers() -> None:
    panel("check", edited_check, instead=check_bench)


panel("check.tools", tools)
_numbers()
