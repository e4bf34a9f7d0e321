"""Draws the live part of a lesson that is declared: its controls, and what is shown of their example."""

from __future__ import annotations

from functools import singledispatch
from typing import Final

import streamlit as st

from mha_core import validate
from mha_core.errors import N_
from mha_core.messages import LANGUAGE
from mha_ui import state
from mha_ui.component import component
from mha_ui.lessons.controls import draw_control
from mha_ui.lessons.lesson import explore, heading, table
from mha_ui.notes import status_line
from mha_ui.pictures import draw, theme
from mha_view.language import words_in
from mha_view.lessons.lesson import (
    Listing,
    Live,
    Part,
    Picture,
    Scene,
    Seen,
    Sentence,
)

_WORDS: Final = {
    "hint": N_("Hover over a number to see how it is computed."),
    "hint_touch": N_("Tap a number to see how it is computed."),
    "place": "[{row}, {col}]",
    "given": N_("{number}, a given number"),
}


def play(work: state.Work, topic: str, live: Live) -> None:
    """Draw the live part of the lesson about this topic."""
    words = work.words
    heading(words(live.heading))
    with st.container(key="lesson-controls"):
        values = {one.name: draw_control(one, f"lessons.{topic}.{one.name}", words) for one in live.controls}
    example = validate(live.example(values, words))
    seen = Seen(values, example, words, theme(), work.backend)
    for part in live.parts(seen):
        _show(part, work)
    if st.button(words(N_("Explore this example")), key=f"lessons.explore.{topic}"):
        explore(state.open_example, example)


@singledispatch
def _show(part: Part, _work: state.Work) -> None:
    raise TypeError(part)


@_show.register
def _(part: Picture, _work: state.Work) -> None:
    draw(part.name, part.figure)


@_show.register
def _(part: Sentence, _work: state.Work) -> None:
    status_line(part.text)


@_show.register
def _(part: Listing, _work: state.Work) -> None:
    table(part.heads, part.rows, part.caption, part.chosen)


@_show.register
def _(part: Scene, work: state.Work) -> None:
    mount = component("lessons", "lessons", "scene.js", css="scene.css")
    mount(key="lessons.scene", data=scene_data(part, work.language))


def scene_data(scene: Scene, language: str) -> dict[str, object]:
    """What the browser is sent of a scene: its tables, and the words around them."""
    words = words_in(language)
    return {
        "lang": LANGUAGE[language].tag,
        "words": {name: words(text) for name, text in _WORDS.items()},
        "layout": scene.layout,
        "groups": scene.groups,
    }
