"""The choice of light or dark, which Streamlit keeps: its own menu has it in English alone, behind a second button."""

from __future__ import annotations

from typing import Final

import streamlit as st

from mha_core.errors import N_
from mha_ui import state
from mha_ui.component import component

_WORDS: Final = {
    "theme": N_("Colours of the page"),
    "System": N_("Like the system"),
    "Light": N_("Light"),
    "Dark": N_("Dark"),
}
"""The last three by what Streamlit calls them."""


def theme_choice(work: state.Work) -> None:
    """Buttons that press what Streamlit's own menu, which is hidden, offers."""
    words = {name: work.words(text) for name, text in _WORDS.items()}
    _component()(key="frame.theme", data={"words": words}, width="stretch")


@st.cache_resource(show_spinner=False)
def _component():  # type: ignore[no-untyped-def]  # Streamlit's mounting command
    return component("theme", "theme", "theme.js", css="theme.css")
