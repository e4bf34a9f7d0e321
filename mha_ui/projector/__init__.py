"""A page before an audience, as the walkthrough has its projector: large type, and a screen of its parts at a time.

The browser packs what the page shows into screens (``web/projector/screens.js``); the page itself stays as it is.
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
"""What the page itself looks like before an audience."""

_WORDS: Final = {
    "projector": N_("Projector"),
    "project": N_("Show this page to an audience (P)"),
    "previous": N_("Back (←)"),
    "next": N_("On (→)"),
    "leave": N_("Leave (Escape)"),
    "screen_of": N_("{screen} of {screens}"),
    "help": N_("Keyboard"),
    "keys": N_(
        "→ ←, Page Down, Page Up: on, back\n"
        "digits, Home, End: jump\n"
        "F: full screen\n"
        "?: these keys\n"
        "Escape: leave"
    ),
    "scroll": N_("Larger than the window: scroll to see the rest"),
}


def hall(work: state.Work, title: str, place: str) -> None:
    """Mount the button that leads before the audience. ``title``: what stands there above; ``place``: what is shown."""
    data = {
        "lang": work.language,
        "words": {name: work.words(text) for name, text in _WORDS.items()},
        "title": title,
        "place": place,
        "view": work.walk.view,
    }
    with st.container(key="hall", width="content"):
        _component()(key=_KEY, data=data, on_view_change=_turned)


def _turned() -> None:
    state.change(state.show_as, (state.widget_value(_KEY) or {}).get("view"))


@st.cache_resource(show_spinner=False)
def _component():  # type: ignore[no-untyped-def]  # Streamlit's mounting command
    return component("projector", "projector", "projector.js", css="projector.css")
