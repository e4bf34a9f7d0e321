"""An example's note, and sentences as HTML."""

from __future__ import annotations

import re
from html import escape

import streamlit as st

from mha_core import Example
from mha_core.errors import N_
from mha_core.example.model import text_in
from mha_view.about import is_ours
from mha_view.language import words_in


def rich(text: str) -> str:
    """A sentence of ours as HTML, with subscripts in symbols such as W_Q and d_k."""
    return re.sub(r"(?<=[A-Za-z√])_([A-Za-z]\w*)", r"<sub>\1</sub>", escape(text))


def note(example: Example, language: str) -> None:
    """The example's note, where it has one."""
    if text := _note(example, language):
        st.html(f'<p class="mha-note" dir="auto">{text}</p>')


def folded_note(example: Example, language: str) -> str:
    """The example's note as HTML, or nothing: only what it is, until it is opened."""
    text, name = _note(example, language), words_in(language)(N_("About this example"))
    return text and f'<details class="mha-note folded" dir="auto"><summary>{name}</summary>{text}</details>'


def first_sentence(text: str) -> str:
    """How a text begins: up to its first full stop, colon or semicolon."""
    return re.split(r"[.:;] |[。：；]", text, maxsplit=1)[0].removesuffix(".")


def _note(example: Example, language: str) -> str:
    text = text_in(example.note, language)
    return rich(text) if is_ours(example) else escape(text)


def status_line(text: str, *, ours: bool = False) -> None:
    """A line below a picture that says what it shows now; ``text`` is plain. ``ours``: no visitor's text is in it."""
    st.html(f'<p class="mha-said" role="status">{rich(text) if ours else escape(text)}</p>')
