"""The bench, the home page: edit every input of multi-head attention, and see every number at once."""

import streamlit as st

from mha_ui import frame, shell
from mha_ui.bench import bench, edited_bench
from mha_ui.panel import panel
from mha_ui.pictures import pictures

frame.configure(shell.BENCH)
frame.frame(shell.BENCH, note=False)


@st.fragment
def _pictures() -> None:
    panel("pictures", pictures)


@st.fragment
def _work() -> None:
    """An edit runs this alone, and its numbers are sent first. A choice of pictures runs only the pictures."""
    panel("bench", edited_bench, instead=bench)
    _pictures()


with st.container(key="workbench"):
    _work()
