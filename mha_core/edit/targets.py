"""The targets of a goal, fitted to an example whose axes or heads have changed; no goal where none remains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mha_core.example.learning import Learning, TargetRow
from mha_core.example.learning_rules import WHOLE, has_target
from mha_core.example.model import Example, absent_steps
from mha_core.vocabulary import AXES

OldIndices = Sequence[int | None]
_Rows = tuple[TargetRow, ...]


def retargeted(learning: Learning, axes: Mapping[str, OldIndices]) -> Learning:
    """The goal after a change of these axes: a new row has no target, a new column has 0. A row of shares has none any
    longer where a key that had one is removed.
    """
    down, across = (axes.get(axis) for axis in AXES[learning.step])
    fit_row = _attention if learning.step == "weights" else _numbers

    def fit(rows: _Rows) -> _Rows:
        order: OldIndices = range(len(rows)) if down is None else down
        kept = (None if i is None else rows[i] for i in order)
        return tuple(row if row is None or across is None else fit_row(row, across) for row in kept)

    return _of_each(learning, fit)


def with_heads(learning: Learning, old_heads: OldIndices) -> Learning:
    """The goal of the weights where the heads are these; None for a new one, which has no target."""
    if learning.step != "weights":
        return learning
    targets: Any = tuple(None if head is None else learning.targets[head] for head in old_heads)
    return replace(learning, targets=targets)


def with_numbers(learning: Learning, matrix: Sequence[Sequence[float]]) -> Learning:
    """The goal with these numbers as targets of the output or of Concat. A row of zeros that had no target has none."""
    targets = tuple(
        None if before is None and not any(row) else tuple(row)
        for before, row in zip(learning.targets, matrix, strict=True)
    )
    return replace(learning, targets=targets)


def without_lost_goal(example: Example) -> Example:
    """The example without a goal that nothing is left of: its step is gone, or every row that had a target."""
    goal = example.learning
    if goal is None or (goal.step not in absent_steps(example) and has_target(goal)):
        return example
    return replace(example, learning=None)


def _of_each(learning: Learning, fit: Callable[[_Rows], _Rows]) -> Learning:
    given: Any = learning.targets
    if learning.step == "weights":
        return replace(learning, targets=tuple(None if rows is None else fit(rows) for rows in given))
    return replace(learning, targets=fit(given))


def _numbers(row: Any, columns: OldIndices) -> TargetRow:
    return tuple(0.0 if j is None else row[j] for j in columns)


def _attention(row: Any, columns: OldIndices) -> TargetRow:
    if isinstance(row, int):
        return columns.index(row) if row in columns else None
    shares = tuple(0.0 if j is None else row[j] for j in columns)
    return shares if abs(sum(shares) - 1) <= WHOLE else None
