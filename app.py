"""The bench, home page: edit every input of multi-head attention, and see everything at once."""

import pandas  # noqa: F401  # imported before the first visitor, whose page would meet a half-imported module
import plotly.graph_objects  # noqa: F401

import streamlit as st

from mha_ui import frame
from mha_ui.bench import bench, receive_edits
from mha_ui.pictures import pictures

frame.configure()
frame.frame()


def _workbench() -> None:
    receive_edits()
    with st.container(key="workbench"):
        bench()
        pictures()


frame.fragment(_workbench)
