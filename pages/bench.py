"""The bench, home page: edit every input of multi-head attention, and see everything at once."""

import streamlit as st

from mha_ui import frame, shell
from mha_ui.bench import after_bench, bench, edited_bench
from mha_ui.panel import panel
from mha_ui.pictures import pictures

frame.configure(shell.BENCH)
frame.frame(note=False)


@st.fragment
def _numbers() -> None:
    panel("bench", edited_bench, instead=bench)


@st.fragment
def _pictures() -> None:
    after_bench()
    panel("pictures", pictures)


with st.container(key="workbench"):
    _numbers()
    _pictures()
