"""Experiment: two variants of the example, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import streamlit as st

from mha_core.compare.variant import AS_IT_IS, Variant, varied
from mha_core.errors import N_
from mha_core.vocabulary import SCORING_CHOICES
from mha_ui import shell, state
from mha_ui.experiments.board import board
from mha_ui.experiments.experiment import (
    AS_GIVEN,
    MASKS,
    POSITIONS,
    Experiment,
    both,
    described,
    differences_in_words,
    left_out,
    open_on_the_bench,
    pane,
)
from mha_ui.notes import status_line

NAME: Final = "sides"
DEFAULT: Final = state.Sides(right=Variant(scoring="dot"))
_SIDES: Final = {"left": N_("Left"), "right": N_("Right")}


def _live(work: state.Work) -> None:
    words = work.words
    chosen = work.looking.sides.get(NAME, DEFAULT)
    fitting = state.Sides(*(_fitting(work, variant) for variant in chosen))
    if fitting != chosen:
        left_out(work)
        work, chosen = state.change(state.choose_sides, NAME, fitting), fitting
    with st.container(key="experiment-sides"):
        for side, variant in zip(_SIDES, chosen, strict=True):
            with st.container(key=f"experiment-{side}", border=True):
                _controls(work, side, variant)
    compared = both(work, chosen)
    status_line(differences_in_words(work, compared))
    titles = [described(variant, words) for variant in chosen]
    panes = [pane(work, *one) for one in zip((compared.left, compared.right), titles, strict=True)]
    board(panes, compared.differences)


def _fitting(work: state.Work, variant: Variant) -> Variant:
    """The part of a variant that the menus can show: the rest belongs to other experiments or other examples."""
    count = variant.kv_heads
    groups = count if count and len(work.example.heads) % count == 0 else None
    return Variant(scoring=variant.scoring, positions=variant.positions, mask=variant.mask, kv_heads=groups)


def _controls(work: state.Work, side: str, variant: Variant) -> None:
    words, heads = work.words, len(work.example.heads)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(f"<h3>{words(_SIDES[side])}</h3>", width="content")
        opened = st.button(
            words(N_("Open in Explore")),
            key=f"experiments.open.{side}",
            type="tertiary",
            disabled=variant == AS_IT_IS,
        )
    if opened:
        work = state.change(
            state.attempt, lambda work: open_on_the_bench(work, varied(work.example, variant))
        )
        st.switch_page(shell.BENCH, query_params=state.address(work))
    with st.container(key=f"experiment-choices-{side}"):
        _select(
            work,
            side,
            "scoring",
            words(N_("Scoring")),
            {name: words(choice.label) for name, choice in SCORING_CHOICES.items()},
        )
        _select(
            work, side, "positions", words(N_("Positions")), {key: words(POSITIONS[key]) for key in POSITIONS}
        )
        _select(work, side, "mask", words(N_("Mask")), {key: words(MASKS[key]) for key in MASKS})
        if heads > 1:
            counts: dict[str | int, str] = {n: str(n) for n in range(1, heads + 1) if heads % n == 0}
            _select(work, side, "kv_heads", words(N_("K, V heads")), counts)


def _select(work: state.Work, side: str, name: str, label: str, choices: Mapping[str | int, str]) -> None:
    """A menu for one part of a side's variant, with the choice to leave it as the example has it."""
    chosen = getattr(getattr(work.looking.sides.get(NAME, DEFAULT), side), name)
    key = f"experiments.{NAME}.{side}.{name}"
    state.set_widget(key, chosen if chosen in choices else AS_GIVEN)
    options = {AS_GIVEN: work.words(N_("unchanged")), **choices}
    st.selectbox(
        label,
        list(options),
        format_func=options.__getitem__,
        key=key,
        on_change=_chosen,
        args=(side, name, key),
    )


def _chosen(side: str, name: str, key: str) -> None:
    work, value = state.current(), state.widget_value(key)
    sides = work.looking.sides.get(NAME, DEFAULT)
    changed = replace(getattr(sides, side), **{name: None if value == AS_GIVEN else value})
    state.change(state.choose_sides, NAME, sides._replace(**{side: changed}))


SIDES: Final = Experiment(
    title=N_("Two variants"),
    question=N_("Change one setting: what else changes, and where do the differences begin?"),
    live=_live,
)
