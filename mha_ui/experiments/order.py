"""Experiment: the same tokens in another order, with and without positions."""

from __future__ import annotations

from random import Random
from typing import Final

import streamlit as st

from mha_core import MhaError, trace
from mha_core.compare.diff import compare, orders
from mha_core.compare.variant import Variant, varied
from mha_core.compute.graph import last_step
from mha_core.errors import N_
from mha_core.example.model import band_of, has_values, position_choice
from mha_ui import state
from mha_ui.experiments.board import board
from mha_ui.experiments.experiment import (
    AS_GIVEN,
    POSITIONS,
    Both,
    Experiment,
    both,
    described,
    left_out,
    pane,
)
from mha_ui.lessons.lesson import table
from mha_ui.notes import status_line
from mha_view.figures.labels import labels, number
from mha_view.language import sentence

NAME: Final = "order"
_ORDER: Final = "experiments.order.order"
_POSITIONS: Final = "experiments.order.positions"


def _live(work: state.Work) -> None:
    words, count = work.words, len(work.example.tokens)
    if count == 1:
        status_line(
            words(N_("A single token has only one order. Add a token in Explore, or choose another example."))
        )
        return
    stored = work.looking.sides.get(NAME, state.Sides()).right
    fits = sorted(stored.order) == list(range(count))
    if stored.order and not fits:
        left_out(work)
        state.change(state.choose_sides, NAME, state.Sides(right=Variant(positions=stored.positions)))
    order = stored.order if fits else (1, 0, *range(2, count))
    with st.container(key="experiment-choices"):
        _order(work, order)
        state.set_widget(_POSITIONS, stored.positions or AS_GIVEN)
        st.selectbox(
            words(N_("Positions, on both sides")),
            [AS_GIVEN, *POSITIONS],
            format_func=lambda kind: words(POSITIONS[kind] if kind else N_("unchanged")),
            key=_POSITIONS,
            on_change=_positions_chosen,
        )
    _orders(work, order)
    sides = state.Sides(Variant(positions=stored.positions), Variant(positions=stored.positions, order=order))
    compared = both(work, sides, order)
    if compared.right.example == compared.left.example:
        order = tuple(range(count))  # nothing has moved, or this order could not be made
    status_line(_conclusion(work, compared, order))
    titles = [described(sides.left, words), words(N_("{variant}, tokens reordered"))]
    titles[1] = titles[1].format(variant=titles[0]) if order != tuple(range(count)) else titles[0]
    panes = [pane(work, *one) for one in zip((compared.left, compared.right), titles, strict=True)]
    board(panes, compared.differences, places=orders(compared.right, order), only=False)
    _by_positions(work, order)


def _order(work: state.Work, order: tuple[int, ...]) -> None:
    """The order, token by token."""
    words, names = work.words, labels(work.example.tokens).names
    state.set_widget(_ORDER, list(first_of(order)))
    st.multiselect(
        words(N_("Tokens to put first, in this order")),
        range(len(names)),
        format_func=lambda index: names[index],
        key=_ORDER,
        on_change=_order_chosen,
    )


def first_of(order: tuple[int, ...]) -> tuple[int, ...]:
    """The fewest tokens that have to be named first, so that the others follow in their previous order."""
    for count in range(len(order) + 1):
        if list(order[count:]) == sorted(order[count:]):
            return order[:count]
    return order


def _orders(work: state.Work, order: tuple[int, ...]) -> None:
    """A few orders to start from."""
    count = len(order)
    with st.container(horizontal=True, key="experiment-orders"):
        for label, choice in (
            (N_("Swap the first two"), (1, 0, *range(2, count))),
            (N_("Reverse"), tuple(reversed(range(count)))),
            (N_("Shuffle"), _shuffled(order)),
            (N_("Original order"), tuple(range(count))),
        ):
            st.button(
                work.words(label), key=f"experiments.order.{label}", on_click=_set_order, args=(choice,)
            )


def _shuffled(order: tuple[int, ...]) -> tuple[int, ...]:
    """Another order, which depends on this one alone."""
    shuffled, random = list(order), Random(str(order))
    while tuple(shuffled) == order:
        random.shuffle(shuffled)
    return tuple(shuffled)


def _order_chosen() -> None:
    work = state.current()
    chosen = tuple(state.widget_value(_ORDER))
    _set_order((*chosen, *(index for index in range(len(work.example.tokens)) if index not in chosen)))


def _set_order(order: tuple[int, ...]) -> None:
    work = state.current()
    right = work.looking.sides.get(NAME, state.Sides()).right
    sides = state.Sides(right=Variant(positions=right.positions, order=order))
    state.change(state.choose_sides, NAME, sides)


def _positions_chosen() -> None:
    work = state.current()
    right = work.looking.sides.get(NAME, state.Sides()).right
    chosen = state.widget_value(_POSITIONS) or None
    sides = state.Sides(right=Variant(positions=chosen, order=right.order))
    state.change(state.choose_sides, NAME, sides)


def _conclusion(work: state.Work, compared: Both, order: tuple[int, ...]) -> str:
    words, example = work.words, compared.left.example
    if order == tuple(sorted(order)):
        return words(N_("The tokens are in their original order. Choose another order."))
    if any(difference.computed for difference in compared.differences):
        return words(
            N_(
                "The same tokens in a different order give different numbers: something here depends on position."
            )
        )
    if example.positions is not None or band_of(example.mask) is not None:
        return words(
            N_("This order happens to change no number, but another order may: positions matter here.")
        )
    return words(MOVED)


MOVED: Final = N_(
    "Each token has the same numbers as before, just in a different row. Attention by "
    "itself does not know the order of the tokens."
)


_OF_OUTPUTS: Final = (
    N_("the same outputs"),
    N_("different outputs"),
    N_("largest change in any token's output"),
)
_OF_WEIGHTS: Final = (N_("the same weights"), N_("different weights"), N_("largest change in any weight"))


def _by_positions(work: state.Work, order: tuple[int, ...]) -> None:
    """How much the new order changes any token's output (its weights, where there is no V), by kind of positions."""
    words, rows = work.words, []
    same, other, largest = _OF_OUTPUTS if has_values(work.example) else _OF_WEIGHTS
    chosen = work.looking.sides.get(NAME, state.Sides()).right.positions
    kinds = list(POSITIONS)
    for kind in kinds:
        try:
            before = varied(work.example, Variant(positions=kind))
            after = varied(before, Variant(order=order))
        except MhaError as error:
            rows.append([words(POSITIONS[kind]), words(N_("not available")), sentence(error, work.language)])
            continue
        differences = compare(trace(before, work.backend), trace(after, work.backend), order)
        last = last_step(work.example)
        most = max((abs(change.most) for change in differences if change.name == last), default=0.0)
        rows.append([words(POSITIONS[kind]), number(most), words(other if most else same)])
    heads = [words(N_("with")), words(largest), ""]
    caption = words(N_("The new order, with and without positions"))
    table(heads, rows, caption, chosen=kinds.index(chosen or position_choice(work.example)))


ORDER: Final = Experiment(
    title=N_("Token order"),
    question=N_("Does attention notice when the tokens are reordered?"),
    live=_live,
)
