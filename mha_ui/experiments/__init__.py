"""The experiments: the current example beside a variant of itself.

``experiment`` says what an experiment is made of, and ``board`` shows one trace or two side by side. Each other module
is one experiment. This file draws the page.
"""

from __future__ import annotations

from html import escape
from typing import Final

import streamlit as st

from mha_core.errors import N_
from mha_ui import frame, shell, state
from mha_ui.address import keep_address
from mha_ui.experiments.experiment import Experiment
from mha_ui.experiments.heads import HEADS
from mha_ui.experiments.lenses import BASELINE, GRADIENTS
from mha_ui.experiments.mistakes import MISTAKES
from mha_ui.experiments.order import ORDER
from mha_ui.experiments.sides import SIDES
from mha_ui.experiments.temperature import TEMPERATURE
from mha_ui.panel import panel
from mha_ui.projector import STYLE, projector
from mha_view import bundle

EXPERIMENTS: Final[dict[str, Experiment]] = {
    "sides": SIDES,
    "heads": HEADS,
    "order": ORDER,
    "temperature": TEMPERATURE,
    "gradients": GRADIENTS,
    "baseline": BASELINE,
    "mistakes": MISTAKES,
}
"""Name, as in the address, → experiment, in the order of the menu."""

_CHOICE: Final = "experiments.choice"
_STYLE: Final = bundle.style("lessons/lessons.css") + bundle.style("experiments/page.css")


def experiments_page() -> None:
    """The whole page: frame, menu of experiments, and the one that was chosen."""
    st.html(f"<style>{_STYLE}{STYLE}</style>")
    work = state.current()
    if work.looking.experiment not in EXPERIMENTS:
        work = state.change(state.choose_experiment, next(iter(EXPERIMENTS)))
    frame.frame(shell.EXPERIMENTS, note=not EXPERIMENTS[work.looking.experiment].on_the_bench)
    panel("experiments", _experiments, instead=keep_address)


def _experiments(work: state.Work) -> None:
    words, name = work.words, work.looking.experiment
    projector(work, words(EXPERIMENTS[name].title), f"experiment {name}")
    state.set_widget(_CHOICE, name)
    st.segmented_control(
        words(N_("Compare")),
        list(EXPERIMENTS),
        format_func=lambda name: words(EXPERIMENTS[name].title),
        key=_CHOICE,
        on_change=_chosen,
        label_visibility="collapsed",
    )
    experiment = EXPERIMENTS[name]
    if work.message and not experiment.on_the_bench:
        shell.alert(work.message.text)
    st.html(f'<p class="mha-question" lang="{work.language}">{escape(words(experiment.question))}</p>')
    with st.container(key="experiment"):
        experiment.live(work)
    if not experiment.on_the_bench:
        keep_address(state.current())  # which may lack a part of what the link asked for


def _chosen() -> None:
    name = state.widget_value(_CHOICE)
    if name:  # a click on the chosen experiment clears the choice
        state.change(state.choose_experiment, name)
