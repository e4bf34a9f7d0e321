"""Two traces side by side: which numbers differ, by how much, and where it starts.

``compare`` looks at every matrix of both, inputs and steps, in the order of the computation. Where the tokens of the
second stand in another order, each is compared with the row (and the column) of the same token in the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

import torch
from torch import Tensor

from mha_core.derive import Cell
from mha_core.errors import CellError
from mha_core.example import AXES, keys_are_queries, owner
from mha_core.graph import PER_HEAD_INPUTS
from mha_core.trace import Rows, Trace
from mha_core.validate import PER_HEAD_STEPS, STEPS

Kind: TypeAlias = Literal["changed", "new", "gone", "reshaped"]
NOISE: Final = 1e-12
"""Differences up to this share of a matrix's largest number come from the order of floating-point sums."""
PER_HEAD: Final = frozenset((*PER_HEAD_INPUTS, *PER_HEAD_STEPS))


class Difference(NamedTuple):
    """How a matrix of the second trace differs from that of the first.

    ``kind``: its numbers have "changed"; only the second ("new") or the first ("gone") has it; or it is "reshaped".
    For "changed" alone: ``by``, rows × columns, each number minus its counterpart, 0 where they are equal; ``at``,
    where this is largest; how many of the ``total`` numbers are ``unequal``. ±∞: one of the two is −∞.
    """

    name: str
    head: int | None
    kind: Kind
    by: Rows
    at: Cell | None
    unequal: int
    total: int

    @property
    def most(self) -> float:
        """The largest difference, with its sign; 0 where numbers cannot be subtracted."""
        return self.by[self.at.row][self.at.col] if self.at else 0.0

    @property
    def computed(self) -> bool:
        """Whether this is a step, not an input."""
        return self.name in STEPS


def compare(first: Trace, second: Trace, order: Sequence[int] = ()) -> tuple[Difference, ...]:
    """Every matrix in which two traces differ, in the order of the computation.

    ``order``: token i of the second is token order[i] of the first; empty where they stand alike.
    """
    moved = orders(second, order)
    found = (
        _difference(name, head, _rows(first, name, head), _rows(second, name, head), moved)
        for name, head in _places(first, second)
    )
    return tuple(difference for difference in found if difference)


def _places(first: Trace, second: Trace) -> Iterator[tuple[str, int | None]]:
    heads = range(max(len(first.example.heads), len(second.example.heads)))
    for name in AXES:
        for head in heads if name in PER_HEAD else (None,):
            yield name, head


def _rows(trace: Trace, name: str, head: int | None) -> Rows | None:
    """A matrix as this head uses it: shared keys and values are those of its group's first head."""
    try:
        holder = head if head is None else owner(trace.example, name, head)
        return trace.matrix(name, holder)
    except CellError:
        return None


def _difference(
    name: str, head: int | None, rows: Rows | None, others: Rows | None, places: Mapping[str, list[int]]
) -> Difference | None:
    if rows is None or others is None:
        kind: Kind = "new" if rows is None else "gone"
        return None if rows is others else Difference(name, head, kind, [], None, 0, 0)
    a, b = (torch.tensor(numbers, dtype=torch.float64) for numbers in (rows, others))
    if a.shape != b.shape:
        return Difference(name, head, "reshaped", [], None, 0, b.numel())
    if places:
        a = _reordered(a, name, places)
    by = torch.where(a == b, 0.0, b - a)  # −∞ on both sides is no difference
    finite = torch.cat((a[a.isfinite()], b[b.isfinite()])).abs()
    noise = NOISE * max(1.0, float(finite.max()) if len(finite) else 0.0)
    by = by.masked_fill(by.abs() <= noise, 0.0)
    unequal = int(by.count_nonzero())
    if not unequal:
        return None
    row, col = divmod(int(by.abs().argmax()), by.shape[1])
    return Difference(name, head, "changed", by.tolist(), Cell(name, head, row, col), unequal, by.numel())


def orders(trace: Trace, order: Sequence[int]) -> dict[str, list[int]]:
    """By axis of tokens: for each place in ``trace`` the place of its counterpart in the first; {} for no order.

    In self-attention the keys are the same tokens as the queries.
    """
    if not order:
        return {}
    example = trace.example
    n_k = example.dims.n_k
    keys = list(order) if keys_are_queries(example) else list(range(n_k))
    return {"n_q": list(order), "n_k": keys, "n_q·n_k": [i * n_k + j for i in order for j in keys]}


def _reordered(matrix: Tensor, name: str, places: Mapping[str, list[int]]) -> Tensor:
    rows, cols = AXES[name]
    if rows in places:
        matrix = matrix[places[rows]]
    return matrix[:, places[cols]] if cols in places else matrix
