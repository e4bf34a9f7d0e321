"""An axis of an example made longer, shorter or put into another order, in every matrix that has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from mha_core.edit.targets import retargeted
from mha_core.errors import N_, ExampleError
from mha_core.example.model import (
    MAX_SIZE,
    AddMask,
    AllowMask,
    Example,
    Positions,
    Row,
)
from mha_core.vocabulary import AXES, HEAD_GAINS, HEAD_MATRICES, HEAD_ROWS

OldIndices: TypeAlias = Sequence[int | None]
"""For each index of an axis after the edit: its index before, None where it is new."""


def reshaped(example: Example, axes: Mapping[str, OldIndices]) -> Example:
    """The example with these axes changed in every matrix that has them. Claimed numbers, which no longer fit, are
    removed.
    """

    def fit(name: str, matrix: Any, new: Any = 0.0) -> Any:
        if matrix is None:
            return None
        rows, cols = AXES[name]
        row_map, col_map = axes.get(rows), axes.get(cols)
        if rows == "1":
            return matrix if col_map is None else tuple(new if j is None else matrix[j] for j in col_map)
        row_map = range(len(matrix)) if row_map is None else row_map
        col_map = range(len(matrix[0])) if col_map is None else col_map
        return tuple(tuple(new if i is None or j is None else matrix[i][j] for j in col_map) for i in row_map)

    new = dict.fromkeys(HEAD_GAINS, 1.0)
    heads = tuple(
        replace(
            head,
            **{
                name: fit(name, getattr(head, name), new.get(name, 0.0))
                for name in (*HEAD_MATRICES, *HEAD_ROWS)
            },
        )
        for head in example.heads
    )
    layer = {name: fit(name, getattr(example, name)) for name in ("x", "context", "w_o", "b_o")}

    def masked(mask: Any) -> Any:
        if isinstance(mask, AllowMask):
            return replace(mask, allow=fit("mask", mask.allow, True))
        return AddMask(fit("mask", mask.add)) if isinstance(mask, AddMask) else mask

    heads = tuple(replace(head, mask=masked(head.mask)) for head in heads)
    positions = None if example.positions is None else _repositioned(example.positions, axes)
    learning = None if example.learning is None else retargeted(example.learning, axes)
    return replace(
        example,
        heads=heads,
        mask=masked(example.mask),
        claimed=None,
        positions=positions,
        learning=learning,
        **layer,
    )


def _repositioned(positions: Positions, axes: Mapping[str, OldIndices]) -> Positions:
    """The positions after the change: a new token comes last, frequencies of another width follow the rule again."""

    def fit(ids: Row | None, old_indices: OldIndices | None) -> Row | None:
        if ids is None or old_indices is None:
            return ids
        return tuple(max(ids) + 1 if i is None else ids[i] for i in old_indices)

    widths = ("d_k", "d_k") if positions.kind == "rotary" else ("d_model", "d_context")
    return replace(
        positions,
        ids=fit(positions.ids, axes.get("n_q")),
        context_ids=fit(positions.context_ids, axes.get("n_k")),
        frequencies=None if widths[0] in axes else positions.frequencies,
        context_frequencies=None if widths[1] in axes else positions.context_frequencies,
    )


def to_size(old: int, new: int) -> OldIndices:
    """The old index of each of ``new``: the same, None beyond ``old``."""
    return [i if i < old else None for i in range(new)]


def require_size(axis: str, size: int) -> None:
    """Raises ``ExampleError`` where an axis may not have this length."""
    if not 1 <= size <= MAX_SIZE:
        raise ExampleError(N_("expected 1 to {most}, got {count}"), place=axis, most=MAX_SIZE, count=size)
