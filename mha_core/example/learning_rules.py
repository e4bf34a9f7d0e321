"""The rules for a goal: it is about a step of its example, and its targets have that step's shape."""

from __future__ import annotations

from typing import Final

from mha_core.errors import N_
from mha_core.example.learning import MAX_RATE, Learning, TargetRow
from mha_core.example.model import Dims, Example, absent_steps
from mha_core.example.readers import fail
from mha_core.example.rules import require_index, require_number, wrong_width

WHOLE: Final = 1e-6
"""How far the shares of a row may be from adding up to 1."""


def require_learning(example: Example, learning: Learning, dims: Dims) -> None:
    """Raises ``ExampleError`` for the first place of the goal that breaks a rule."""
    if learning.step in absent_steps(example):
        raise fail("learning.step", N_("this example has no such step"))
    if not 0 < learning.rate <= MAX_RATE:
        raise fail(
            "learning.rate",
            N_("expected a number above 0, at most {high:g}, got {number}"),
            high=MAX_RATE,
            number=learning.rate,
        )
    if learning.step == "weights":
        _require_heads(example, learning, dims)
    else:
        _require_rows("learning.targets", learning.of_head(None) or (), dims, dims.shape(learning.step)[1])
    if not has_target(learning):
        raise fail("learning.targets", N_("expected a target for at least one row"))


def _require_heads(example: Example, learning: Learning, dims: Dims) -> None:
    if len(learning.targets) != dims.h:
        raise fail(
            "learning.targets",
            N_("expected {heads} {heads:head|heads}, null without a target, got {count}"),
            heads=dims.h,
            count=len(learning.targets),
        )
    for head in range(dims.h):
        rows, place = learning.of_head(head), f"learning.targets[{head}]"
        if rows is None:
            continue
        if example.heads[head].weights is not None:
            raise fail(
                place, N_("this head starts from given weights, so nothing that it could learn leads to them")
            )
        _require_rows(place, rows, dims, dims.n_k)
        for index, row in enumerate(rows):
            _require_attention(f"{place}[{index}]", row, dims.n_k)


def _require_rows(place: str, rows: tuple[TargetRow, ...], dims: Dims, width: int) -> None:
    if len(rows) != dims.n_q:
        raise fail(
            place,
            N_("expected {rows} {rows:row|rows}, null without a target, got {count}"),
            rows=dims.n_q,
            count=len(rows),
        )
    for index, row in enumerate(rows):
        if row is None or isinstance(row, int):
            continue
        if len(row) != width:
            raise wrong_width(f"{place}[{index}]", width, len(row))
        for col, number in enumerate(row):
            require_number(f"{place}[{index}][{col}]", number)


def _require_attention(place: str, row: TargetRow, n_k: int) -> None:
    """One key, or shares that add up to 1."""
    if isinstance(row, int):
        require_index(place, row, n_k)
    elif row is not None and (min(row) < 0 or abs(sum(row) - 1) > WHOLE):
        raise fail(
            place,
            N_("expected shares of at least 0 that add up to 1, got a sum of {total:g}"),
            total=sum(row),
        )


def has_target(learning: Learning) -> bool:
    """Whether the goal has a target for any row."""
    if learning.step != "weights":
        return any(row is not None for row in learning.targets)
    heads = range(len(learning.targets))
    return any(row is not None for head in heads for row in learning.of_head(head) or ())
