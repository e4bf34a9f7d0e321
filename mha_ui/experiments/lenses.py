"""Experiments on the bench itself: which cells have a gradient, and what an edit changes in every step."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final

import streamlit as st

from mha_core.compute.gradients import AtTemperature
from mha_core.compute.gradients import saturation as temperatures
from mha_core.errors import N_
from mha_ui import state
from mha_ui.bench import bench, receive_edits
from mha_ui.bench.model import payload
from mha_ui.experiments.experiment import Experiment
from mha_ui.notes import status_line
from mha_ui.panel import panel
from mha_ui.pictures import draw, theme
from mha_view.figures.layout import head_name
from mha_view.figures.saturation import can_saturate, saturation_figure, saturation_sentences

_HEAD: Final = "experiments.saturation.head"
PAINTED = N_(
    "Click any computed number. The color of every other cell shows how fast that number changes as the "
    "cell increases."
)
PINNED = N_(
    "The current example is pinned as the baseline. Change numbers below: every cell "
    "that differs is marked and shows its old value."
)


@st.fragment
def _painted_by_gradient() -> None:
    panel("experiments.gradient", _edited_gradients, instead=_gradients_on_the_bench)
    _saturation()


def _edited_gradients(_: state.Work) -> None:
    _gradients_on_the_bench(receive_edits())


def _gradients_on_the_bench(work: state.Work) -> None:
    bench(work, payload(work, lens="gradient"))


@st.fragment
def _saturation() -> None:
    panel("experiments.saturation", saturation)


def saturation(work: state.Work, chosen: float | None = None) -> None:
    """How a temperature removes the gradients of W_Q and W_K, in words and as a picture, for a small example.

    ``chosen``: a temperature to mark.
    """
    words = work.words
    if not can_saturate(work.trace):
        status_line(words(N_("The saturation plot needs a softmax over scores and a small example.")))
        return
    points = temperatures(work.trace)
    heads = range(len(work.example.heads))
    head = None
    if len(heads) > 1:
        before = state.widget_value(_HEAD)
        state.set_widget(_HEAD, before if before in heads else most_saturated(points))
        head = st.segmented_control(
            words(N_("Saturation of")), heads, format_func=lambda index: head_name(words, index), key=_HEAD
        )
    for sentence in saturation_sentences(work.trace, points, words=words, head=head):
        status_line(sentence, ours=True)
    figure = saturation_figure(work.trace, points, theme=theme(), words=words, head=head, chosen=chosen)
    draw("saturation", figure)


def most_saturated(points: Sequence[AtTemperature]) -> int:
    """The head whose W_Q (or Q) loses most of its influence on the output when the temperature falls."""
    return min(range(len(points[0].largest)), key=lambda head: left_when_cold(points, head))


def left_when_cold(points: Sequence[AtTemperature], head: int) -> float:
    """‖∂O/∂W_Q‖ at the lowest temperature ÷ the same at temperature 1.

    W_Q's place is taken by Q where a head has no W_Q; ∞ where neither moves the output.
    """
    at = {point.temperature: point.sensitivity for point in points}
    cold, now = at[min(at)], at[1.0]
    pairs = ((cold.w_q[head], now.w_q[head]), (cold.q[head], now.q[head]))
    return next((a / b for a, b in pairs if a is not None and b), inf)


def _gradients(work: state.Work) -> None:
    words = work.words
    status_line(words(PAINTED))
    _painted_by_gradient()


@st.fragment
def _painted_by_change() -> None:
    panel("experiments.change", _edited_changes, instead=_changes_on_the_bench)


def _edited_changes(_: state.Work) -> None:
    work = receive_edits()
    if work.looking.pinned_baseline is None:
        work = state.change(state.pin_baseline)
    _changes_on_the_bench(work)


def _changes_on_the_bench(work: state.Work) -> None:
    bench(work, payload(work, lens="change"))


def _baseline(work: state.Work) -> None:
    status_line(work.words(PINNED))
    _painted_by_change()


GRADIENTS: Experiment = Experiment(
    title=N_("Gradients"),
    question=N_("Which numbers affect an output, and which hardly matter?"),
    live=_gradients,
    on_the_bench=True,
)
BASELINE: Experiment = Experiment(
    title=N_("Baseline"),
    question=N_("What does an edit change at each step, and how far do the changes spread?"),
    live=_baseline,
    on_the_bench=True,
)
