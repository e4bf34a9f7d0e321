"""A puzzle from what somebody has done: the numbers as they were, and as the goal a number that they have now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import ceil, floor, isfinite
from typing import Any, Final

from mha_core.compute.derive import Cell
from mha_core.compute.trace import trace
from mha_core.edit.matrices import as_allow
from mha_core.errors import N_, ExampleError
from mha_core.example.model import AddMask, Example
from mha_core.example.puzzle import CHANGEABLE, Goal, Puzzle
from mha_core.example.validate import validate
from mha_core.puzzle.changes import changed_cells, differing
from mha_core.puzzle.goals import number_of
from mha_core.puzzle.solve import fewest

_DECIMALS: Final = range(2, 13)
_LEAST: Final = 1e-6
"""A number that has changed less counts as the same."""


def puzzle_from(start: Example, now: Example, cell: Cell) -> Example:
    """``start`` as a puzzle: ``cell`` is to have at least, or at most, the number that it has in ``now``.

    The number is rounded towards the start, to as few decimals as tell the two apart, two at the least. What differs
    may be changed. The solution is the shortest that the solver finds, or else what was changed.

        puzzle_from(start, now, Cell("weights", 0, 4, 3))  # A[4, 3] of head 0: 0.0399 → 0.8775, so at least 0.87

    Raises ``ExampleError`` where nothing differs, where more differs than numbers, the mask, the divisor and the
    softcap, and where the cell has the same number.
    """
    change = tuple(name for name in differing(start, now) if name in CHANGEABLE)
    others = sorted(set(differing(start, now)) - set(change))
    if others or start.dims != now.dims:
        raise ExampleError(
            N_("a puzzle changes numbers, the mask, the divisor or the softcap, and nothing else"),
            place=", ".join(others),
        )
    if not change:
        raise ExampleError(N_("change a number first: what you have changed becomes the solution"))
    puzzle = Puzzle((_goal(start, now, cell),), change, solution=tuple(_edits(start, now, change)))
    made = validate(replace(start, puzzle=puzzle, claimed=None, asked=None, lecture=None))
    shortest = fewest(made)
    return replace(made, puzzle=replace(puzzle, solution=shortest)) if shortest else made


def _goal(start: Example, now: Example, cell: Cell) -> Goal:
    goal = Goal(cell.name, cell.head, cell.row, cell.col, "at_least", 0.0)
    before, after = number_of(goal, trace(start)), number_of(goal, trace(now))
    if before is None or after is None or not isfinite(after - before) or abs(after - before) < _LEAST:
        raise ExampleError(N_("this number is the same as at the start: choose one that has changed"))
    rises = after > before
    for decimals in _DECIMALS:
        number = _towards(after, decimals, down=rises)
        if number - before > _LEAST / 10 if rises else before - number > _LEAST / 10:
            return replace(goal, relation="at_least" if rises else "at_most", number=number)
    return replace(goal, relation="at_least" if rises else "at_most", number=after)


def _towards(number: float, decimals: int, *, down: bool) -> float:
    scaled = number * 10**decimals
    return float((floor if down else ceil)(scaled) / 10**decimals)


def _edits(start: Example, now: Example, change: tuple[str, ...]) -> Iterator[Mapping[str, Any]]:
    """What makes ``start`` into ``now``, as plain data."""
    for name in ("scale", "softcap"):
        if name in change:
            yield {"op": name, "value": getattr(now, name)}
    if "mask" in change:
        yield from _mask_edits(start, now)
    for (name, head), (row, col), number in changed_cells(start, now):
        yield {"op": "set", "matrix": name, "head": head, "row": row, "col": col, "values": ((number,),)}


def _mask_edits(start: Example, now: Example) -> Iterator[Mapping[str, Any]]:
    if isinstance(start.mask, AddMask) or isinstance(now.mask, AddMask):
        raise ExampleError(
            N_("a mask that adds numbers cannot be the solution of a puzzle made here"), place="mask"
        )
    before, after = as_allow(start, start.mask).allow, as_allow(now, now.mask).allow
    for row, pairs in enumerate(zip(before, after, strict=True)):
        for col, (was, allowed) in enumerate(zip(*pairs, strict=True)):
            if was != allowed:
                at = {"row": row, "col": col, "values": ((allowed,),)}
                yield {"op": "set", "matrix": "mask", "head": None, **at}
