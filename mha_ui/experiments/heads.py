"""Experiment: mute heads, and see what each adds to the output."""

from __future__ import annotations

from typing import Final

import streamlit as st

from mha_core.compare.diff import Difference, change_of
from mha_core.compare.variant import Variant
from mha_core.compute.graph import formula, last_step, symbol, term_steps
from mha_core.compute.head_terms import head_terms, losses
from mha_core.compute.trace import Trace
from mha_core.errors import N_
from mha_core.example.model import has_values
from mha_core.vocabulary import AXES, NAMES, Stage
from mha_ui import state
from mha_ui.experiments.board import Pane, board
from mha_ui.experiments.experiment import Both, Experiment, both, described, left_out, place, signed
from mha_ui.lessons.lesson import table
from mha_ui.notes import status_line
from mha_view.figures.labels import number
from mha_view.figures.layout import head_name
from mha_view.payloads import TablesModel
from mha_view.tables import numbers, step_data

NAME: Final = "heads"
_MUTED: Final = "experiments.heads.muted"

TERMS: Final[tuple[Stage, ...]] = (
    (N_("Head outputs"), N_("The output of a muted head is 0."), ("head_outputs",)),
    (N_("Its rows of W_O"), N_("In Concat·W_O, each head is multiplied by these rows only."), ("w_o_block",)),
    (N_("What the head adds"), N_("One term of the output."), ("head_terms",)),
    (N_("Output"), N_("The sum of the terms."), ("b_o", "output")),
)
SIDE_BY_SIDE: Final[tuple[Stage, ...]] = (
    (N_("Head outputs"), N_("The output of a muted head is 0."), ("head_outputs",)),
    (N_("Concatenation"), N_("Without W_O, the heads stay side by side."), ("concat",)),
)


def _live(work: state.Work) -> None:
    words, count = work.words, len(work.example.heads)
    if not has_values(work.example):
        status_line(
            words(
                N_(
                    "This example stops at the attention weights, so there is no output that a head could add to."
                )
            )
        )
        return
    stored = work.looking.sides.get(NAME, state.Sides()).right.muted
    muted = tuple(head for head in stored if head < count)
    if muted != stored:
        left_out(work)
        state.change(state.choose_sides, NAME, state.Sides(right=Variant(muted=muted)))
    state.set_widget(_MUTED, list(muted))
    st.pills(
        words(N_("Mute")),
        range(count),
        selection_mode="multi",
        format_func=lambda head: head_name(words, head),
        key=_MUTED,
        on_change=_chosen,
    )
    sides = state.Sides(right=Variant(muted=muted))
    compared = both(work, sides)
    has_terms = work.example.w_o is not None
    last = last_step(work.example)
    changed = next((difference for difference in compared.differences if difference.name == last), None)
    if not muted:
        status_line(words(N_("All heads are on. Mute one to see what the output loses.")))
    elif changed is None:
        status_line(words(N_("The output does not change: the muted heads added nothing.")))
    else:
        status_line(
            words(
                N_("{muted}: {count} of {total} output numbers change. The largest change is {by} ({place}).")
            ).format(
                muted=described(sides.right, words),
                count=changed.change.changed,
                total=changed.change.compared,
                by=signed(changed.most),
                place=place(work, compared.right.example, changed.at),
            )
        )
    data = (
        terms(work, compared.right)
        if has_terms
        else numbers(compared.right, work.language, work.looking.decimals)
    )
    shown = ("head_outputs", "concat", "output")
    differences = [difference for difference in compared.differences if difference.name in shown]
    if has_terms:
        differences += _changed_terms(compared)
    board(
        [Pane(described(sides.right, words), data)],
        differences,
        declared=TERMS if has_terms else SIDE_BY_SIDE,
        only=False,
    )
    if count > 1:
        _each_alone(work)


def _changed_terms(compared: Both) -> list[Difference]:
    """What each head no longer adds."""
    pairs = zip(head_terms(compared.right).head_terms, head_terms(compared.left).head_terms, strict=True)
    changes = [Difference("head_terms", head, "changed", change_of(*pair)) for head, pair in enumerate(pairs)]
    return [difference for difference in changes if difference.change.changed]


def terms(work: state.Work, computed: Trace) -> TablesModel:
    """The tables of a trace, with the output declared as the sum of what each head adds."""
    data = numbers(computed, work.language, work.looking.decimals)
    example, words = computed.example, work.words
    term, total = term_steps(example)
    for name, values in head_terms(computed)._asdict().items():
        data["matrices"][name] = {
            "symbol": symbol(name, example).replace("head_i", "head_{h}").replace("W_Oi", "W_O{h}"),
            "word": words(NAMES[name]),
            "formula": "",
            "hue": "",
            "scale": "signed",
            "axes": AXES[name],
            "perHead": True,
            "edit": False,
            "values": values,
        }
    data["matrices"]["output"]["formula"] = formula(total, example)
    del data["steps"]["concat"]  # here the output is not computed from it
    data["steps"] |= {step.name: step_data(step) for step in (term, total)}
    return data


def _each_alone(work: state.Work) -> None:
    """What the output loses without each head, the most first; without W_O there is nothing to compare."""
    words = work.words
    if work.example.w_o is None:
        status_line(
            words(
                N_(
                    "Without W_O, each head has its own columns in the concatenation, and muting a head "
                    "zeroes only those columns. Add a W_O to see how much each head matters."
                )
            ),
            ours=True,
        )
        return
    by_loss = sorted(enumerate(losses(work.trace)), key=lambda item: -(item[1].muted or 0))
    rows = [[head_name(words, head), *map(_share, loss)] for head, loss in by_loss]
    heads = [
        words(N_("one head only")),
        words(N_("muted")),
        words(N_("replaced by its mean over the queries")),
    ]
    table(heads, rows, words(N_("How much of the output changes: ‖O − O′‖ ÷ ‖O‖")))
    status_line(
        words(
            N_(
                "The first column includes what a head adds equally to every query, which a bias "
                "could add too. The second counts only what differs between queries."
            )
        )
    )


def _share(loss: float | None) -> str:
    return "–" if loss is None else f"{number(100 * loss)}%"


def _chosen() -> None:
    muted = tuple(sorted(state.widget_value(_MUTED)))
    state.change(state.choose_sides, NAME, state.Sides(right=Variant(muted=muted)))


HEADS: Final = Experiment(
    title=N_("Mute heads"),
    question=N_("What does each head add to the output, and what is lost without it?"),
    live=_live,
)
