"""Experiment: what published explanations got wrong, and known mistakes made in the current example."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Final, NamedTuple

import streamlit as st

from mha_core import MhaError, Trace
from mha_core.check.catalogue import formula_of, message_of
from mha_core.compare.diff import compare
from mha_core.compare.pairs import PAIRS, Pair, as_claims, traces
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
    sentence_with,
)
from mha_ui.notes import rich, status_line
from mha_view.language import sentence
from mha_view.tables import numbers

NAME: Final = "mistakes"
_MISTAKE: Final = "experiments.mistakes.mistake"


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
        f'<p class="mha-said" lang="{work.language}">{rich(replayed.sentence)} '
        f'<span class="mha-source" dir="auto">{escape(_on(work, replayed.right))}</span></p>'
    )
    status_line(differences_in_words(work, compared))
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
        right, wrong = traces(built_in, work.backend, language=work.language)
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
    """The sentence that chooses the mistake, and what can be done with it."""
    rest = [] if replayed is None else [partial(_buttons, work, replayed)]
    text = work.words(N_("Compare the correct numbers with this mistake: {mistake}"))
    sentence_with(text, {"mistake": partial(_mistake_menu, work, known, replayed)}, *rest)


def _mistake_menu(work: state.Work, known: list[tuple[str, str]], replayed: Replayed | None) -> None:
    """The published mistakes, and those that can be made in the current example."""
    built_in, options = _chosen_pair(work), _options(work, known)
    own = None if replayed is None else f"{replayed.step}.{replayed.mistake}"
    state.set_widget(_MISTAKE, built_in.id if built_in else own)
    st.selectbox(
        work.words(N_("Mistake")),
        list(options),
        format_func=options.__getitem__,
        key=_MISTAKE,
        on_change=_choose,
        label_visibility="collapsed",
        width=360,
    )


def _options(work: state.Work, known: list[tuple[str, str]]) -> dict[str, str]:
    """Each mistake as the link names it, with its text in the menu."""
    published = {pair.id: text_in(pair.title, work.language) for pair in PAIRS}
    in_this = work.words(N_("In this example: {mistake}"))
    return published | {
        f"{step}.{mistake}": in_this.format(mistake=_label(work, step, mistake)) for step, mistake in known
    }


def _label(work: state.Work, step: str, mistake: str) -> str:
    letter = symbol(step, work.example).replace("head_i", "head").replace("_", "")
    return f"{letter}: {_message(work, step, mistake)}"


def _choose() -> None:
    chosen = state.widget_value(_MISTAKE)
    if chosen:
        state.change(state.choose_sides, NAME, state.Sides(right=Variant(mistake=chosen)))


def _buttons(work: state.Work, replayed: Replayed) -> None:
    if st.button(work.words(N_("What would the check say?")), key="experiments.mistakes.check"):
        work = state.change(open_on_the_bench, as_claims(replayed.wrong, replayed.step))
        st.switch_page(shell.CHECK, query_params=state.address(work))
    if replayed.right is not work.trace and st.button(
        work.words(N_("Open in Explore")), key="experiments.mistakes.open"
    ):
        work = state.change(open_on_the_bench, replayed.right.example)
        st.switch_page(shell.BENCH, query_params=state.address(work))


MISTAKES: Final = Experiment(
    title=N_("Mistakes"),
    question=N_("Mistakes in published explanations, and how to spot them."),
    live=_live,
)
