"""How the numbers of one trace differ from those of another, cell by cell.

    changes(now, before)["x", None].by[0][1]    X[1,2] now − X[1,2] before

Cells are compared by position: a token, a head or a column that the other trace lacks has no counterpart. If the
tokens are in another ``order``, each is compared with the row (and the column) of the same token.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import torch

from mha_core.compute.derive import Cell
from mha_core.compute.trace import Rows, Trace, input_matrix
from mha_core.example.model import (
    NEG_INF,
    adds_numbers,
    has_own_masks,
    keys_are_queries,
    kv_head_of,
    masks_of,
)
from mha_core.vocabulary import AXES, LAYER_INPUTS, MASKS, STEPS, WHOLE_LAYER_STEPS

_WHOLE_LAYER = frozenset((*LAYER_INPUTS, *WHOLE_LAYER_STEPS))
Differences: TypeAlias = "list[list[float | None]]"
Key: TypeAlias = "tuple[str, int | None]"

ROUNDING = 1e-12
"""A computed number that moves by less than this share of itself and of the largest number in its matrix has only been
rounded differently. Of the two matrices, the one with the smaller largest number counts."""


class Change(NamedTuple):
    """One matrix compared with its counterpart, rows × columns each.

    ``was``: the number before; ``by``: now − before, ±∞ where only one of the two is −∞, 0 where nothing changed. Both
    are None where the other matrix has no such cell.
    """

    was: Differences
    by: Differences

    @property
    def changed(self) -> int:
        """How many cells differ."""
        return sum(len(row) - row.count(0) - row.count(None) for row in self.by)

    @property
    def compared(self) -> int:
        """How many cells have a counterpart."""
        return sum(len(row) - row.count(None) for row in self.by)

    @property
    def largest(self) -> tuple[int, int] | None:
        """Row and column of the largest change; None where nothing changed."""
        sizes = {(i, j): abs(by) for i, row in enumerate(self.by) for j, by in enumerate(row) if by}
        return max(sizes, key=sizes.__getitem__) if sizes else None


class Difference(NamedTuple):
    """A matrix in which two traces differ.

    ``kind``: "changed" numbers; "new" if only the second trace has the matrix, "gone" if only the first has it;
    "reshaped" if only some cells have a counterpart. ``change``: empty for "new" and "gone".
    """

    name: str
    head: int | None
    kind: Literal["changed", "new", "gone", "reshaped"]
    change: Change

    @property
    def at(self) -> Cell | None:
        """The cell that differs most."""
        place = self.change.largest
        return Cell(self.name, self.head, *place) if place else None

    @property
    def most(self) -> float:
        """The largest difference, with its sign; 0 if no numbers differ."""
        place = self.change.largest
        return (self.change.by[place[0]][place[1]] or 0.0) if place else 0.0

    @property
    def computed(self) -> bool:
        """Whether this is a step and not an input."""
        return self.name in STEPS


def compare(first: Trace, second: Trace, order: Sequence[int] = ()) -> tuple[Difference, ...]:
    """Every matrix in which two traces differ, in the order of the computation.

    ``order``: token i of the second is token order[i] of the first; empty if the order is the same.
    """
    comparable_masks, places = _same_kind_of_mask(first, second), orders(second, order)
    heads = (None, *range(max(len(first.example.heads), len(second.example.heads))))
    differences = (
        _difference((name, head), _used(second, name, head), _used(first, name, head), places)
        if comparable_masks or name not in MASKS
        else Difference(name, head, "reshaped", Change([], []))
        for name in AXES
        for head in (heads if comparable_masks or name not in MASKS else _masked_heads(first, name))
    )
    return tuple(difference for difference in differences if difference)


def _difference(
    key: Key,
    now: tuple[Rows | None, bool],
    before: tuple[Rows | None, bool],
    token_orders: Mapping[str, list[int]],
) -> Difference | None:
    (name, head), (rows, computed), (earlier, _) = key, now, before
    if rows is None or earlier is None:
        kind: Literal["gone", "new"] = "gone" if rows is None else "new"
        return None if rows is earlier else Difference(name, head, kind, Change([], []))
    change = change_of(rows, _reordered(earlier, name, token_orders), ROUNDING if computed else 0.0)
    if change.compared < sum(map(len, rows)):
        return Difference(name, head, "reshaped", change)
    return Difference(name, head, "changed", change) if change.changed else None


def _used(computed: Trace, name: str, head: int | None) -> tuple[Rows | None, bool]:
    """The matrix that this head uses: shared keys and values are those of its group's first head."""
    if (name in _WHOLE_LAYER) != (head is None):
        return None, False
    if head is None:
        return _rows(computed, name, None)
    here = head < len(computed.example.heads)
    return _rows(computed, name, kv_head_of(computed.example, name, head)) if here else (None, False)


def _same_kind_of_mask(first: Trace, second: Trace) -> bool:
    """Whether the masks can be subtracted: not if one allows pairs and the other adds numbers."""
    one, other = first.example, second.example
    return () in (masks_of(one), masks_of(other)) or adds_numbers(one) == adds_numbers(other)


def _masked_heads(computed: Trace, name: str) -> Sequence[int | None]:
    """The heads whose masks are named as different: None for the layer's."""
    if (name == "head_mask") != has_own_masks(computed.example):
        return ()
    return (None,) if name == "mask" else range(len(computed.example.heads))


def changes(now: Trace, before: Trace) -> dict[Key, Change]:
    """The change of every matrix by name and head (None for the layer's), in the order of the computation."""
    comparable_masks = _same_kind_of_mask(now, before)
    changed = {}
    for name, head, rows, computed in _matrices(now):
        earlier = _rows(before, name, head)[0] if name not in MASKS or comparable_masks else None
        changed[name, head] = change_of(rows, earlier or [], ROUNDING if computed else 0.0)
    return changed


def orders(trace: Trace, order: Sequence[int]) -> dict[str, list[int]]:
    """By axis of tokens: for each index in ``trace`` the index of its counterpart in the other; {} for no order.

    In self-attention the keys are the same tokens as the queries.
    """
    if not order:
        return {}
    n_k = trace.example.dims.n_k
    keys = list(order) if keys_are_queries(trace.example) else list(range(n_k))
    return {"n_q": list(order), "n_k": keys, "n_q·n_k": [i * n_k + j for i in order for j in keys]}


def _reordered(rows: Rows, name: str, token_orders: Mapping[str, list[int]]) -> Rows:
    """The matrix with its token rows and columns in the other order; unchanged if it has other tokens."""
    down, across = (token_orders.get(axis) for axis in AXES[name])
    if down and len(down) == len(rows):
        rows = [rows[i] for i in down]
    if across and len(across) == len(rows[0]):
        rows = [[row[j] for j in across] for row in rows]
    return rows


def _matrices(computed: Trace) -> Iterator[tuple[str, int | None, Rows, bool]]:
    for name in AXES:
        heads = (None,) if name in _WHOLE_LAYER else range(len(computed.example.heads))
        for head in heads:
            rows, is_step = _rows(computed, name, head)
            if rows:
                yield name, head, rows, is_step


def _rows(computed: Trace, name: str, head: int | None) -> tuple[Rows | None, bool]:
    """A matrix's numbers, None if the trace does not have it, and whether they were computed."""
    given = input_matrix(computed.example, name, head)
    if given is not None:
        return given, False
    values = computed.values.get(name)
    if values is None or head is None:
        return values, True
    return (values[head] if head < len(values) else None), True


def change_of(rows: Rows, earlier: Rows, rounding: float = ROUNDING) -> Change:
    """One matrix compared with its counterpart; differences up to ``rounding`` count as 0."""
    if rows == earlier:
        return Change([[*row] for row in rows], [[0.0] * len(row) for row in rows])
    if [len(row) for row in rows] != [len(row) for row in earlier]:
        return _partly(rows, earlier, rounding)
    now, was = (torch.tensor(numbers, dtype=torch.float64) for numbers in (rows, earlier))
    by = torch.where(now == was, 0.0, now - was)  # −∞ on both sides is no change
    sizes = torch.stack((now, was)).abs().nan_to_num(posinf=0.0)
    slack = rounding * (sizes.amax(0) + sizes.flatten(1).amax(1).min())
    return Change([[*row] for row in earlier], by.masked_fill(by.abs() <= slack, 0.0).tolist())


def _partly(rows: Rows, earlier: Rows, rounding: float) -> Change:
    """The change between matrices of different shapes: the cells that both have."""
    largest = [
        max((abs(v) for row in part for v in row if v != NEG_INF), default=0.0) for part in (rows, earlier)
    ]
    was: Differences = []
    by: Differences = []
    for i, row in enumerate(rows):
        old: Sequence[float | None] = earlier[i] if i < len(earlier) else ()
        counterparts = [*old[: len(row)], *[None] * (len(row) - len(old))]
        was.append(counterparts)
        pairs = zip(row, counterparts, strict=True)
        by.append([None if b is None else _subtracted(a, b, rounding * min(largest)) for a, b in pairs])
    return Change(was, by)


def _subtracted(now: float, before: float, slack: float) -> float:
    return 0.0 if now == before or abs(now - before) <= slack else now - before
