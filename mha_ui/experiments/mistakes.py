"""Experiment: what published explanations got wrong, and known mistakes made in the current example."""

from __future__ import annotations

from html import escape
from typing import Final, NamedTuple

import streamlit as st

from mha_core import MhaError, Trace
from mha_core.check.catalogue import formula_of, message_of
from mha_core.compare.diff import compare
from mha_core.compare.pairs import PAIRS, Pair, as_claims, pair, traces
from mha_core.compare.replay import possible, replay
from mha_core.compare.variant import Variant
from mha_core.compute.graph import divisor_text, symbol
from mha_core.errors import N_
from mha_core.example.model import text_in
from mha_core.messages import catalogue
from mha_ui import shell, state
from mha_ui.experiments.board import Pane, board
from mha_ui.experiments.experiment import (
    Both,
    Experiment,
    differences_in_words,
    left_out,
    open_on_the_bench,
    pane,
)
from mha_ui.notes import rich, status_line
from mha_view.language import sentence
from mha_view.tables import numbers

NAME: Final = "mistakes"
_PAIR: Final = "experiments.mistakes.pair"
_OWN: Final = "experiments.mistakes.own"
_NONE: Final = ""


class Replayed(NamedTuple):
    """A mistake and its effect: the right trace and the wrong one, the step, and its title and description."""

    right: Trace
    wrong: Trace
    step: str
    mistake: str
    title: str
    sentence: str


def _live(work: state.Work) -> None:
    words = work.words
    known = possible(work.trace)
    replayed = _replayed(work, known)
    _choices(work, known, replayed)
    if replayed is None:
        status_line(words(N_("No known mistake changes any number of this example.")))
        return
    compared = Both(replayed.right, replayed.wrong, compare(replayed.right, replayed.wrong))
    st.html(
        f'<p class="mha-lesson-sentence" lang="{work.language}">{rich(replayed.sentence)}</p>'
        f'<p class="mha-note" dir="auto">{escape(_on(work, replayed.right))}</p>'
    )
    status_line(differences_in_words(work, compared))
    _buttons(work, replayed)
    data, say = (
        numbers(replayed.wrong, work.language, work.looking.decimals),
        catalogue(work.language).gettext,
    )
    formula = formula_of(replayed.mistake, replayed.step, replayed.right.example, say)
    data["matrices"][replayed.step]["formula"] = formula
    wrong = Pane(replayed.title, data, {replayed.step: formula})
    board([pane(work, replayed.right, words(N_("Correct"))), wrong], compared.differences)


def _chosen_pair(work: state.Work) -> Pair | None:
    """The built-in pair that was chosen, the first where nothing was."""
    chosen = work.looking.sides.get(NAME, state.Sides()).right.mistake
    if chosen is None:
        return PAIRS[0]
    return next((pair for pair in PAIRS if pair.id == chosen), None)


def _replayed(work: state.Work, known: list[tuple[str, str]]) -> Replayed | None:
    built_in = _chosen_pair(work)
    if built_in is not None:
        right, wrong = traces(built_in, work.backend)
        titles = (text_in(text, work.language) for text in (built_in.title, built_in.sentence))
        return Replayed(right, wrong, built_in.step, built_in.mistake, *titles)
    step, _, mistake = (work.looking.sides[NAME].right.mistake or "").partition(".")
    if (step, mistake) not in known:
        if not known:
            return None
        left_out(work)
        step, mistake = known[0]
    try:
        wrong = replay(work.trace, mistake, step)
    except MhaError as error:
        status_line(sentence(error, work.language))
        return None
    title = work.words(N_("With the mistake"))
    return Replayed(work.trace, wrong, step, mistake, title, _message(work, step, mistake))


def _message(work: state.Work, step: str, mistake: str) -> str:
    """What a mistake is, in a sentence about this example."""
    example = work.example
    return catalogue(work.language).gettext(message_of(mistake, step)).format(divisor=divisor_text(example))


def _on(work: state.Work, right: Trace) -> str:
    title = text_in(right.example.title, work.language)
    return work.words(N_("Shown on the example “{title}”")).format(title=title)


def _choices(work: state.Work, known: list[tuple[str, str]], replayed: Replayed | None) -> None:
    words = work.words
    built_in = _chosen_pair(work)
    ids = [pair.id for pair in PAIRS]
    state.set_widget(_PAIR, built_in.id if built_in else None)
    st.segmented_control(
        words(N_("Found in published explanations")),
        ids,
        format_func=lambda name: text_in(pair(name).title, work.language),
        key=_PAIR,
        on_change=_choose,
        args=(_PAIR,),
    )
    options = [_NONE, *(f"{step}.{mistake}" for step, mistake in known)]
    state.set_widget(_OWN, _NONE if built_in or replayed is None else f"{replayed.step}.{replayed.mistake}")
    st.selectbox(
        words(N_("Or make a known mistake in the current example")),
        options,
        format_func=lambda option: words(N_("choose a mistake")) if option == _NONE else _label(work, option),
        key=_OWN,
        on_change=_choose,
        args=(_OWN,),
        disabled=not known,
        width=480,
    )


def _label(work: state.Work, option: str) -> str:
    step, _, mistake = option.partition(".")
    letter = symbol(step, work.example).replace("head_i", "head").replace("_", "")
    return f"{letter}: {_message(work, step, mistake)}"


def _choose(key: str) -> None:
    chosen = state.widget_value(key)
    if chosen:
        state.change(state.choose_sides, NAME, state.Sides(right=Variant(mistake=chosen)))


def _buttons(work: state.Work, replayed: Replayed) -> None:
    with st.container(horizontal=True):
        if st.button(work.words(N_("What would the check say?")), key="experiments.mistakes.check"):
            work = state.change(open_on_the_bench, as_claims(replayed.wrong, replayed.step))
            st.switch_page(shell.CHECK, query_params=state.address(work))
        if replayed.right is not work.trace and st.button(
            work.words(N_("Open the example in Explore")), key="experiments.mistakes.open"
        ):
            work = state.change(open_on_the_bench, replayed.right.example)
            st.switch_page(shell.BENCH, query_params=state.address(work))


MISTAKES: Final = Experiment(
    title=N_("Mistakes"),
    question=N_("Mistakes in published explanations, and how to spot them."),
    live=_live,
)
