"""The board: matrices of one trace or of two side by side, to be looked at, with what differs marked.

It shows the web kit's tables: every number explains itself, in both traces at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from math import isfinite
from typing import Any, Final, NamedTuple

import streamlit as st

from mha_core import Example
from mha_core.compare.diff import Difference
from mha_core.errors import N_
from mha_core.example.share_link import packed
from mha_core.vocabulary import STAGES, Stage
from mha_ui import state
from mha_ui.component import component
from mha_view import page_words
from mha_view.language import words_in
from mha_view.tables import stages

_KEY: Final = "experiments.board"

_UI: Final = {
    "board": N_("Side by side"),
    "by": N_("differs by {by}"),
    "same": N_("the same"),
    "no_counterpart": N_("there is no such number here"),
    "only_differences": N_("Only what differs"),
    "all_heads": N_("Head shown"),
    "not_here": N_("without {list}"),
    "nothing_differs": N_("No number differs."),
    "look_alone": N_("Point at a number to see where it comes from."),
    "look_alone_touch": N_("Tap a number to see where it comes from."),
    "look": N_("Point at a number: both sides say where theirs comes from."),
    "look_touch": N_("Tap a number: both sides say where theirs comes from."),
}


class Place(NamedTuple):
    """Where a slider may stand: its number, what it is called, what is told of it, and what it does to the example."""

    value: float
    text: str
    remark: str
    edit: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Slider:
    """What moves the last side: its numbers follow by the live channel while it is moved, and the page afterwards.

    ``example``: what that side shows; ``chosen``: the number of the place that it stands at; ``let_go`` is told of the
    one where it is left.
    """

    label: str
    places: Sequence[Place]
    chosen: float
    example: Example
    let_go: Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Pane:
    """One side: its title, and the bench's data of its trace (``bench.model.numbers``), nothing of it to be edited.

    ``wrong``: steps that were not computed as declared, with what was computed instead, in symbols.
    """

    title: str
    model: Mapping[str, Any]
    wrong: Mapping[str, str] = field(default_factory=dict)


def board(
    panes: Sequence[Pane],
    differences: Sequence[Difference] = (),
    *,
    places: Mapping[str, Sequence[int]] | None = None,
    declared: tuple[Stage, ...] = STAGES,
    only: bool = True,
    slider: Slider | None = None,
) -> None:
    """Mount the board. ``differences`` are the last pane's from the first's; ``places`` tells, by axis, where the
    first has the counterpart of each row or column; ``only``: at first show nothing but what differs.
    """
    work = state.current()
    data = {
        "lang": work.language,
        "words": _words(work.language),
        "panes": [
            {"title": pane.title, "model": _read_only(pane.model, work.language), "wrong": pane.wrong}
            for pane in panes
        ],
        "stages": stages(declared, work.language),
        "differences": [_sent(difference) for difference in differences],
        "places": places or {},
        "only": only,
        "slider": slider and _sent_slider(slider),
    }
    _component()(key=_KEY, data=data, on_chosen_change=partial(_let_go, slider) if slider else None)


def _let_go(slider: Slider) -> None:
    """The slider was let go: at one of its places, or else somebody else has said so."""
    chosen = (state.widget_value(_KEY) or {}).get("chosen")
    for place in slider.places:
        if place.value == chosen:
            slider.let_go(place.value)


def _sent_slider(slider: Slider) -> dict[str, Any]:
    return {
        "label": slider.label,
        "places": [place._asdict() for place in slider.places],
        "chosen": [place.value for place in slider.places].index(slider.chosen),
        "from": {"s": packed(slider.example)},
    }


def _read_only(model: Mapping[str, Any], language: str) -> dict[str, Any]:
    words = {**page_words.words_of("explore", language), **model["own_words"]}
    matrices = {name: matrix | {"edit": False} for name, matrix in model["matrices"].items()}
    return {**model, "words": words, "matrices": matrices}


def _sent(difference: Difference) -> dict[str, Any]:
    return {
        "name": difference.name,
        "head": difference.head,
        "kind": difference.kind,
        "by": [[_json(number) for number in row] for row in difference.change.by],
    }


def _json(number: float | None) -> float | str | None:
    if number is None or isfinite(number):
        return number
    return "inf" if number > 0 else "-inf"


@lru_cache(maxsize=4)
def _words(language: str) -> dict[str, str]:
    words = words_in(language)
    return {name: words(text) for name, text in _UI.items()}


@st.cache_resource(show_spinner=False)
def _component():  # type: ignore[no-untyped-def]  # Streamlit's mounting command
    return component("experiments", "experiments", "board.js", css="board.css")
