"""Error handling for each part of a page: an unexpected error costs that part alone, not the page or the work."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final, TypeAlias

import streamlit as st

from mha_core.errors import N_
from mha_ui import state
from mha_ui.shell import FAILED, alert

Draw: TypeAlias = Callable[[state.Work], None]

LOG: Final = logging.getLogger(__name__)
_BACK: Final = N_("Go back to the last working state")
_FIRST: Final = N_("Use the example “{title}”")


def panel(name: str, draw: Draw, instead: Draw | None = None, *, back: bool = True) -> None:
    """Draw one part of a page. Where that fails, show a sentence there, and write the traceback to the log.

    ``back``: offer a button to the last state of the work that this part could draw, or to the example that opens first
    where there is none. It goes by undo, so that redo returns. ``instead`` draws, from that last state, what must not
    be missing meanwhile: the tables, or what writes the address. The exceptions by which Streamlit stops a run or
    starts another pass through.
    """
    try:
        draw(state.current())
    except Exception:
        LOG.exception("%s could not be drawn", name)
        work = state.current()
        alert(work.words(FAILED))
        if back:
            _button(work, name)
        if instead and name in work.worked:
            _draw_instead(work, name, instead)
    else:
        state.change(state.worked, name)


def _button(work: state.Work, name: str) -> None:
    label = work.words(_BACK if name in work.worked else _FIRST)
    if st.button(label.format(title=state.opening_title(work.language)), key=f"panel.back.{name}"):
        state.change(state.go_back, name)
        st.rerun()  # the whole page: all its parts show that state


def _draw_instead(work: state.Work, name: str, instead: Draw) -> None:
    try:
        instead(state.as_it_worked(work, name))
    except Exception:  # the sentence alone has to do
        LOG.exception("%s could not be drawn as it was before", name)
