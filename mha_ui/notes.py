"""An example's note, and sentences as HTML."""

from __future__ import annotations

import re
from html import escape

import streamlit as st

from mha_core import Example
from mha_core.example.model import text_in
from mha_view.about import is_ours


def rich(text: str) -> str:
    """A sentence of ours as HTML, with subscripts in symbols such as W_Q and d_k."""
    return re.sub(r"(?<=[A-Za-z√])_([A-Za-z]\w*)", r"<sub>\1</sub>", escape(text))


def note(example: Example, language: str, *, folded: bool = False) -> None:
    """The example's note, where it has one. ``folded``: only its first line, until it is opened."""
    text = text_in(example.note, language)
    if not text:
        return
    shown = rich(text) if is_ours(example) else escape(text)
    if folded:
        st.html(f'<details class="mha-note folded" dir="auto"><summary>{shown}</summary></details>')
    else:
        st.html(f'<p class="mha-note" dir="auto">{shown}</p>')


def status_line(text: str, *, ours: bool = False) -> None:
    """A line below a picture that says what it shows now; ``text`` is plain. ``ours``: no visitor's text is in it."""
    st.html(f'<p class="mha-said" role="status">{rich(text) if ours else escape(text)}</p>')
