"""The net under every part of a page: what nobody expected costs that part alone, and neither the page nor the work."""

from __future__ import annotations

import logging
from collections.abc import Callable
from html import escape
from typing import Final, TypeAlias

import streamlit as st

from mha_core.errors import N_
from mha_ui import state
from mha_ui.shell import FAILED

Draw: TypeAlias = Callable[[state.Work], None]

LOG: Final = logging.getLogger(__name__)
_BACK: Final = N_("Back to the last state that worked")
_FIRST: Final = N_("Start from “{title}”")


def panel(name: str, draw: Draw, instead: Draw | None = None, *, back: bool = True) -> None:
    """Draw one part of a page. Where that fails, a sentence stands there, the traceback in the log.

    ``back``: with a button to the last state of the work that this part could draw, by way of undo, so that redo
    returns; to the example that opens first where there is none. ``instead`` draws, from that last state, what must not
    be missing meanwhile: the tables, or what keeps the address. Streamlit's own ways to stop a run or to start another
    are no such exceptions and pass through.
    """
    try:
        draw(state.current())
    except Exception:
        LOG.exception("%s could not be drawn", name)
        work = state.current()
        st.html(f'<p class="mha-message" role="alert">{escape(work.words(FAILED))}</p>')
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
    except Exception:  # it cannot be drawn any more: the sentence stands alone
        LOG.exception("%s could not be drawn as it was before", name)
