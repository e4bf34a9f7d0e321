"""The matrix bench: one component that edits and shows every matrix of the computation.

The browser gets the numbers and the declared operations (``model.py``) and sends edits back; it computes nothing.
Its modules and stylesheet stand in ``web/explore``; they are served by themselves, so that an edit's answer carries
numbers only and no code.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import streamlit as st

from mha_ui import state
from mha_ui.bench.model import payload
from mha_ui.component import component

_KEY: Final = "bench.matrices"


def receive_edits() -> state.Work:
    """The work with what the browser has edited since the last answer. Call it before anything reads the example."""
    state.receive_from(_KEY)
    work = state.current()
    if work.names != work.browser.named:
        st.rerun()  # another example: the frame around the bench names it
    return work


def bench(work: state.Work, data: Mapping[str, Any] | None = None) -> None:
    """Mount the bench for this work; ``data``: what it shows where that is not simply all of it."""
    state.tables_show(work)
    _component()(key=_KEY, data=data or payload(work), on_edits_change=partial(state.receive_from, _KEY))


def edited_bench(_: state.Work) -> None:
    """The bench, with what the browser has edited."""
    bench(receive_edits())


@st.cache_resource(show_spinner=False)
def _component():  # type: ignore[no-untyped-def]  # Streamlit's mounting command
    return component("explore", "explore", "explore.js", css="explore.css", has_words=True)
