"""The board: matrices of one trace, or of two side by side, read-only, with differences marked.

It shows the tables of ``web/kit``: each number shows where it comes from, in both traces at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from math import isfinite
from typing import Final, NamedTuple

from mha_core.compare.diff import Difference
from mha_core.errors import N_
from mha_core.vocabulary import STAGES, Stage
from mha_ui import state
from mha_ui.component import component
from mha_view import page_words
from mha_view.language import words_in
from mha_view.payloads import TablesModel
from mha_view.tables import stages

_KEY: Final = "experiments.board"

_UI: Final = {
    "board": N_("Side by side"),
    "stop": N_("."),
    "titled": N_("{name}: {text}"),
    "by": N_("differs by {by}"),
    "same": N_("the same"),
    "no_counterpart": N_("there is no such number here"),
    "only_differences": N_("Only what differs"),
    "all_heads": N_("Head shown"),
    "not_here": N_("without {list}"),
    "nothing_differs": N_("No number differs."),
    "look_alone": N_("Hover over a number to see where it comes from."),
    "look_alone_touch": N_("Tap a number to see where it comes from."),
    "look": N_("Hover over a number to see how each side computes it."),
    "look_touch": N_("Tap a number to see how each side computes it."),
}


class Place(NamedTuple):
    """A position of a slider: its number and label, a remark on it, and the edit that it makes of the example."""

    value: float
    text: str
    remark: str
    edit: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Slider:
    """Changes the last side: its numbers follow while the slider moves, the page when it rests.

    ``chosen``: the number of the current place; ``let_go`` is called with the number
    of the place where the slider is released.
    """

    label: str
    places: Sequence[Place]
    chosen: float
    let_go: Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Pane:
    """One side: its title, and the tables of its trace (``mha_view.tables.numbers``), none of them editable.

    ``wrong``: steps that were not computed as declared, with what was computed instead, in symbols.
    """

    title: str
    model: TablesModel
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
    """Mount the board. ``differences`` are those of the last pane from the first; ``places``: by axis, the index of
    each row or column's counterpart in the first; ``only``: at first show only what differs.
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
        "differences": [_difference_data(difference) for difference in differences],
        "places": places or {},
        "only": only,
        "slider": slider and _slider_data(slider),
    }
    mount = component("experiments", "experiments", "board.js", css="board.css")
    mount(key=_KEY, data=data, on_chosen_change=partial(_let_go, slider) if slider else None)


def _let_go(slider: Slider) -> None:
    """The slider was released. A number that is none of its places does not come from it."""
    chosen = (state.widget_value(_KEY) or {}).get("chosen")
    for place in slider.places:
        if place.value == chosen:
            slider.let_go(place.value)


def _slider_data(slider: Slider) -> Mapping[str, object]:
    return {
        "label": slider.label,
        "places": [place._asdict() for place in slider.places],
        "chosen": [place.value for place in slider.places].index(slider.chosen),
    }


def _read_only(model: TablesModel, language: str) -> Mapping[str, object]:
    words = {**page_words.words_of("explore", language), **model["own_words"]}
    matrices = {
        name: {**matrix, "edit": False, "given": matrix["edit"] is True}
        for name, matrix in model["matrices"].items()
    }
    return {**model, "words": words, "matrices": matrices}


def _difference_data(difference: Difference) -> Mapping[str, object]:
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
