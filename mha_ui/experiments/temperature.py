"""Experiment: the temperature of the softmax."""

from __future__ import annotations

from statistics import fmean
from typing import Final

from mha_core.compare.variant import Variant, varied
from mha_core.compute.metrics import keys_in_view
from mha_core.compute.trace import Trace
from mha_core.edit.edit import SetScale, as_data
from mha_core.errors import N_, ExampleError
from mha_core.vocabulary import SCORE_STEPS, STAGES, Stage
from mha_ui import state
from mha_ui.experiments.board import Place, Slider, board
from mha_ui.experiments.experiment import Experiment, both, described, pane
from mha_ui.experiments.lenses import saturation
from mha_ui.lessons.lesson import table
from mha_view.figures.labels import number, weight
from mha_view.figures.layout import head_name

NAME: Final = "temperature"
AFTER_SCORES: Final[tuple[Stage, ...]] = (
    (N_("Scaled scores"), N_("The input of softmax."), SCORE_STEPS[1:]),
    *(stage for stage in STAGES if {"weights", "head_outputs", "concat", "output"} & {*stage[2]}),
)
"""Everything that a temperature can change."""
TEMPERATURES: Final = tuple(2.0**power for power in range(-5, 6))


def _live(work: state.Work) -> None:
    words = work.words
    stored = work.looking.sides.get(NAME, state.Sides(right=Variant(temperature=0.25))).right
    current = stored.temperature or 1.0
    sides = state.Sides(right=Variant(temperature=current))
    compared = both(work, sides)
    panes = [
        pane(work, compared.left, described(sides.left, words)),
        pane(work, compared.right, described(sides.right, words)),
    ]
    another = compared if current != 1 else both(work, state.Sides(right=Variant(temperature=2.0)))
    moves = any(difference.name == "weights" for difference in another.differences)
    places = [place for value in sorted({*TEMPERATURES, current}) if (place := _place(work, value, moves))]
    slider = Slider(
        label=words(N_("Temperature T: scores are divided by T times the divisor")),
        places=places,
        chosen=current if current in [place.value for place in places] else 1.0,
        let_go=_chosen,
    )
    board(panes, compared.differences, declared=AFTER_SCORES, only=False, slider=slider)
    _table(work, compared.left, compared.right)
    saturation(work, chosen=current)


def _place(work: state.Work, value: float, moves: bool) -> Place | None:
    """The slider's place for this temperature; None where its divisor would be larger than allowed.

    ``moves``: whether any temperature changes a weight.
    """
    variant = Variant(temperature=value)
    try:
        scale = varied(work.example, variant).scale
    except ExampleError:
        return None
    edit = SetScale(value=scale)
    return Place(value, described(variant, work.words), work.words(_remark(value, moves)), as_data(edit))


def _chosen(value: float) -> None:
    state.change(state.choose_sides, NAME, state.Sides(right=Variant(temperature=value)))


def _remark(chosen: float, moves: bool) -> str:
    if chosen == 1:
        return N_("T = 1 leaves the example unchanged. Move the temperature either way.")
    if not moves:
        return N_("No weight changes: there is no softmax here, or it has only one score to choose from.")
    if chosen < 1:
        return N_("Colder: scores spread apart, and softmax gives more and more weight to the largest one.")
    return N_("Hotter: scores move together, and softmax gives all keys nearly the same weight.")


def _table(work: state.Work, left: Trace, right: Trace) -> None:
    """What the temperature does to the weights, head by head."""
    words = work.words
    rows = []
    for head in range(len(work.example.heads)):
        before, after = (_spread(computed, head) for computed in (left, right))
        pairs = [f"{a} → {b}" for a, b in zip(before, after, strict=True)]
        rows.append([head_name(words, head), *pairs])
    heads = ["", words(N_("largest weight")), words(N_("effective number of keys"))]
    caption = words(N_("What the temperature does to the weights, averaged over the queries: T = 1 → now"))
    table(heads, rows, caption)


def _spread(computed: Trace, head: int) -> tuple[str, str]:
    """The largest weight, and the number of keys over which even weights would spread alike, as means over queries."""
    pairs = zip(computed.values["weights"][head], computed.fully_masked[head], strict=True)
    rows = [row for row, dead in pairs if not dead]
    if not rows or min(map(min, rows)) < 0:
        return "–", "–"
    return weight(fmean(map(max, rows))), number(fmean(map(keys_in_view, rows)))


TEMPERATURE: Final = Experiment(
    title=N_("Temperature"),
    question=N_("How does the divisor affect the weights, and can the layer still learn?"),
    live=_live,
)
