"""Whether a goal is met, and how much of the way is done."""

from __future__ import annotations

from math import inf, isinf

from mha_core.compute.trace import Trace
from mha_core.edit.edit import read_edit
from mha_core.edit.edits import apply
from mha_core.errors import CellError, ExampleError
from mha_core.example.model import Example, kv_head_of
from mha_core.example.puzzle import Goal

TOLERANCE = 1e-9
"""Computed numbers are rounded: a sum that should be 1 may be 0.9999999999999999."""


def number_of(goal: Goal, trace: Trace) -> float | None:
    """The number that the goal is about; None where this trace has no such step or cell, such as without a mask."""
    head = None if goal.head is None else kv_head_of(trace.example, goal.step, goal.head)
    try:
        return trace.matrix(goal.step, head)[goal.row][goal.col]
    except (CellError, IndexError):
        return None


def met(goal: Goal, trace: Trace) -> bool:
    """Whether the goal holds: the number is at least, at most or within ``within`` of the goal's number."""
    number = number_of(goal, trace)
    return number is not None and holds(goal, number)


def holds(goal: Goal, number: float) -> bool:
    """Whether this number meets the goal.

    >>> holds(Goal("weights", 0, 0, 1, "at_least", 0.8), 0.79)
    False
    """
    low, high = limits(goal)
    return low - TOLERANCE <= number <= high + TOLERANCE


def limits(goal: Goal) -> tuple[float, float]:
    """The smallest and the largest number that meets the goal; −∞ or ∞ where there is none."""
    if goal.relation == "equals":
        return goal.number - goal.within, goal.number + goal.within
    return (goal.number, inf) if goal.relation == "at_least" else (-inf, goal.number)


def solved(trace: Trace) -> bool:
    """Whether all goals of the example's puzzle hold; False for an example without one."""
    puzzle = trace.example.puzzle
    return puzzle is not None and all(met(goal, trace) for goal in puzzle.goals)


def progress(goal: Goal, start: float, now: float) -> float:
    """How much of the way from ``start`` to the goal is done, from 0 to 1; 1 exactly where the goal holds.

    at_least, at_most: (now − start) ÷ (number − start); equals: 1 − |now − number| ÷ |start − number|; both clipped.
    Where the goal held at the start, or the start is −∞, there is no way to measure: 0 until it holds.

    >>> progress(Goal("weights", 0, 0, 1, "at_least", 0.8), 0.2, 0.5)
    0.5
    """
    if holds(goal, now):
        return 1.0
    if holds(goal, start) or isinf(start) or isinf(now):
        return 0.0
    if goal.relation == "equals":
        share = 1 - abs(now - goal.number) / abs(start - goal.number)
    else:
        share = (now - start) / (goal.number - start)
    return min(max(share, 0.0), _LESS_THAN_ALL)


_LESS_THAN_ALL = 1 - 2**-53
"""The largest float below 1: a goal that is not met is never full, however its share is rounded."""


def after_solution(example: Example) -> Example:
    """The example after the edits of its puzzle's solution; the same one where it has none.

    Raises ``ExampleError``, naming the place, for what is no edit, and for an edit that cannot be made.
    """
    for index, data in enumerate(example.puzzle.solution if example.puzzle else ()):
        try:
            example = apply(example, read_edit(data))
        except ExampleError as error:
            place = ", ".join(filter(None, (f"puzzle.solution[{index}]", error.place)))
            raise ExampleError(error.template, place=place, **error.values) from None
    return example
