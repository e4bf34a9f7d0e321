"""The matrix bench: one component that edits and shows every matrix of the computation.

The browser gets the numbers and the declared operations (``model.py``) and sends edits back. Until an answer comes it
shows what it works out from the edit itself. An answer has what is new (``answers.py``).
Its modules and stylesheet are in ``web/explore``. They are served by themselves, so that an edit's answer contains
numbers only and no code.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import streamlit as st

from mha_ui import state
from mha_ui.bench.answers import Answers
from mha_ui.bench.model import ExploreModel, payload
from mha_ui.component import component

_KEY: Final = "bench.matrices"
_ANSWERS: Final = "bench.answers"


def receive_edits() -> state.Work:
    """The work with what the browser has edited since the last answer. Call it before anything reads the example."""
    state.receive_from(_KEY)
    work = state.current()
    if work.names != work.browser.named:
        st.rerun()  # another example, which the frame around the bench names
    return work


def bench(work: state.Work, data: ExploreModel | None = None) -> None:
    """Mount the bench for this work. ``data``: what it shows, by default ``payload(work)``."""
    state.tables_show(work)
    state.change(state.note_said)
    mount = component("explore", "explore", "explore.js", css="explore.css", has_words=True)
    answer = state.of_session(_ANSWERS, Answers).next(data or payload(work), work.browser.known)
    mount(key=_KEY, data=answer, on_edits_change=partial(state.receive_from, _KEY))


def edited_bench(_: state.Work) -> None:
    """The bench after the browser's edits."""
    bench(receive_edits())
