"""A page shown to an audience, as the walkthrough's projector does: large type, a screen of its parts at a time.

The browser arranges the page's parts into screens (``web/projector/screens.js``); the page itself does not change.
"""

from __future__ import annotations

from typing import Final

import streamlit as st

from mha_core.errors import N_
from mha_ui import state
from mha_ui.component import component
from mha_view import bundle

_KEY: Final = "hall.view"
STYLE: Final = bundle.style("projector/page.css")
"""What the page itself looks like when shown to an audience."""

_WORDS: Final = {
    "projector": N_("Projector"),
    "project": N_("Show this page to an audience (P)"),
    "previous": N_("Back (←)"),
    "next": N_("Next (→)"),
    "leave": N_("Exit (Escape)"),
    "screen_of": N_("{screen} of {screens}"),
    "help": N_("Keyboard shortcuts"),
    "keys": N_(
        "→ ←, Page Down, Page Up: next, back\n"
        "1–9, Home, End: jump\n"
        "F: full screen\n"
        "?: these shortcuts\n"
        "Escape: exit"
    ),
    "scroll": N_("Larger than the window. Scroll to see the rest."),
}


def projector(work: state.Work, title: str, place: str) -> None:
    """Mount the button that shows the page to an audience. ``title``: the heading there; ``place``: what is shown."""
    data = {
        "lang": work.language,
        "words": {name: work.words(text) for name, text in _WORDS.items()},
        "title": title,
        "place": place,
        "view": work.walk.view,
    }
    with st.container(key="hall", width="content"):
        mount = component("projector", "projector", "projector.js", css="projector.css")
        mount(key=_KEY, data=data, on_view_change=_view_changed)


def _view_changed() -> None:
    state.change(state.show_as, (state.widget_value(_KEY) or {}).get("view"))
