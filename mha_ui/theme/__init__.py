"""The choice of light or dark, which Streamlit stores. Its own menu has it in English only, behind a second button."""

from __future__ import annotations

from typing import Final

from mha_core.errors import N_
from mha_ui import state
from mha_ui.component import component, send_value

_WORDS: Final = {
    "theme": N_("Page colors"),
    "System": N_("System"),
    "Light": N_("Light"),
    "Dark": N_("Dark"),
}
"""The last three have Streamlit's names."""


def theme_choice(work: state.Work) -> None:
    """Buttons that press those of Streamlit's own menu, which is hidden."""
    words = {name: work.words(text) for name, text in _WORDS.items()}
    mount = component("theme", "theme", "theme.js", css="theme.css")
    # When another one is chosen, the page runs again and draws its figures in the new colours.
    mount(key="frame.theme", data={"words": words}, width="stretch", on_chosen_change=send_value)
