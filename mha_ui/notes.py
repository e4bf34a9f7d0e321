"""An example's note, and sentences of ours as HTML."""

from __future__ import annotations

import re
from html import escape

import streamlit as st

from mha_core import Example, library
from mha_core.example.model import text_in


def rich(text: str) -> str:
    """A sentence of ours as HTML, what follows _ in a symbol as a subscript: W_Q, d_k."""
    return re.sub(r"(?<=[A-Za-z√])_([A-Za-z]\w*)", r"<sub>\1</sub>", escape(text))


def is_ours(example: Example) -> bool:
    """Whether the note is a built-in example's, whose W_Q is a symbol; a visitor's text is shown as it stands."""
    return example.note is not None and any(example.note == built.note for built in library().values())


def note(example: Example, language: str, *, folded: bool = False) -> None:
    """The example's note, where it has one. ``folded``: its first line, which opens to all of it."""
    text = text_in(example.note, language)
    if not text:
        return
    shown = rich(text) if is_ours(example) else escape(text)
    if folded:
        st.html(f'<details class="mha-note folded" dir="auto"><summary>{shown}</summary></details>')
    else:
        st.html(f'<p class="mha-note" dir="auto">{shown}</p>')
