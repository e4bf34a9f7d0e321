"""Rotary positions: libraries differ in which two columns of Q and K are rotated together.

    interleaved   columns 2m and 2m + 1       half   columns m and m + d_k/2       m = 0 … d_k/2 − 1

Pair m turns by the same angle in both, and a score is a sum over all columns. So both are the same layer with the
columns of W_Q and W_K in a different order. Weights that were learned with one pairing and are used with the other,
without reordering, give other scores.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from mha_core.compute.trace import Rows, Trace, trace
from mha_core.example.model import PAIRS, Example, Head, Matrix, Pairs, Positions, Row
from mha_core.vocabulary import AXES


class Pairing(NamedTuple):
    """One pairing of d_k columns: the two columns of every pair, from 0, and a row of Q rotated this way.

    ``order``: the order in which this pairing needs the columns of W_Q, b_Q, W_K and b_K of the other one.
    """

    pairs: Pairs
    partners: tuple[tuple[int, int], ...]
    order: tuple[int, ...]
    rotated: Row


class Pairings(NamedTuple):
    """Both pairings of one layer, ``example``: ``row`` of Q, of one ``head`` and ``query``, rotated by ``angles``.

    ``error``: the largest error of a weight where the layer is used with the other pairing without reordering, at
    ``head``, ``query`` and ``key``; ``rounding``: the same after reordering, which is only rounding.
    """

    example: Example
    head: int
    query: int
    key: int
    row: Row
    angles: Row
    pairings: tuple[Pairing, ...]
    error: float
    rounding: float


STAND_IN = Example(
    title="",
    tokens=("1", "2", "3"),
    heads=(
        Head(
            q=((1.0, 2.0, 3.0, 4.0), (4.0, 3.0, 2.0, 1.0), (1.0, 2.0, 0.0, 1.0)),
            k=((1.0, 0.0, 1.0, 0.0), (0.0, 1.0, 0.0, 1.0), (1.0, 1.0, 0.0, 0.0)),
        ),
    ),
    positions=Positions("rotary"),
)
"""A layer of four columns, so of two pairs, shown for examples that rotate nothing or only one pair."""


def has_pairings(example: Example) -> bool:
    """Whether the two pairings differ in this example: a head is rotated, in two pairs of columns or more."""
    rotary = example.positions is not None and example.positions.kind == "rotary"
    return rotary and example.dims.d_freq > 1 and any(head.weights is None for head in example.heads)


def pairings(example: Example) -> Pairings:
    """Both pairings, of this example or, where they do not differ in it, of ``STAND_IN``."""
    shown = replace(example, claimed=None) if has_pairings(example) else STAND_IN
    right = trace(shown)
    pairs = shown.positions.pairs if shown.positions else PAIRS[0]
    other = next(pairing for pairing in PAIRS if pairing != pairs)
    error, (head, query, key) = _largest_difference(right, trace(_paired_as(shown, other)))
    rounding, _ = _largest_difference(right, trace(reordered(shown, other)))
    angles = right.matrix("angles")[query]
    return Pairings(
        shown,
        head,
        query,
        key,
        tuple(right.matrix("q" if shown.norm is None else "q_normed", head)[query]),
        tuple(angles),
        tuple(_pairing(_paired_as(shown, pairing), pairing, head, query) for pairing in PAIRS),
        error,
        rounding,
    )


def reordered(example: Example, pairs: Pairs) -> Example:
    """The same layer with its columns paired this way: reordered, so that scores stay the same."""
    if example.positions is None or example.positions.pairs == pairs:
        return example
    order = order_of(pairs, example.dims.d_k)
    orders = {"d_k": order}
    if example.scoring == "bilinear":  # W_a is d_k × d_k
        orders["d_a"] = order

    def fit(name: str, given: Any) -> Any:
        rows, cols = AXES[name]
        if given is None or not orders.keys() & {rows, cols}:
            return given
        matrix: Matrix = (given,) if rows == "1" else given
        down, across = orders.get(rows, range(len(matrix))), orders.get(cols, range(len(matrix[0])))
        moved = tuple(tuple(matrix[i][j] for j in across) for i in down)
        return moved[0] if rows == "1" else moved

    heads = tuple(
        replace(head, **{name: fit(name, getattr(head, name)) for name in Head.__dataclass_fields__})
        for head in example.heads
    )
    return replace(_paired_as(example, pairs), heads=heads, claimed=None)


def order_of(pairs: Pairs, d_k: int) -> tuple[int, ...]:
    """The index that each column, counted from 0, has in the other pairing."""
    half = d_k // 2
    if pairs == "half":
        return (*range(0, d_k, 2), *range(1, d_k, 2))
    return tuple(column for m in range(half) for column in (m, m + half))


def partners_of(pairs: Pairs, d_k: int) -> tuple[tuple[int, int], ...]:
    """The two columns of every pair, counted from 0."""
    half = d_k // 2
    return tuple((m, m + half) if pairs == "half" else (2 * m, 2 * m + 1) for m in range(half))


def _paired_as(example: Example, pairs: Pairs) -> Example:
    """The same numbers with their columns paired this way."""
    assert example.positions is not None  # noqa: S101  # the callers have checked
    return replace(example, positions=replace(example.positions, pairs=pairs))


def _pairing(example: Example, pairs: Pairs, head: int, query: int) -> Pairing:
    d_k = example.dims.d_k
    rotated = tuple(trace(example).matrix("q_rotated", head)[query])
    return Pairing(pairs, partners_of(pairs, d_k), order_of(pairs, d_k), rotated)


def _largest_difference(one: Trace, other: Trace) -> tuple[float, tuple[int, int, int]]:
    """The largest difference of any weight, and its head, query and key."""
    heads = range(len(one.example.heads))
    differences: list[tuple[float, tuple[int, int, int]]] = []
    for head in heads:
        if one.example.heads[head].weights is None:
            rows: tuple[Rows, Rows] = one.matrix("weights", head), other.matrix("weights", head)
            differences += [
                (abs(a - b), (head, i, j))
                for i, both in enumerate(zip(*rows, strict=True))
                for j, (a, b) in enumerate(zip(*both, strict=True))
            ]
    return max(differences, key=lambda difference: difference[0])
