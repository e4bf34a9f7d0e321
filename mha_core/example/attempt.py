"""How an exercise was worked out, as its file says: the seed of its numbers, the hints, and who worked it out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MOST_STUDENT = 200
"""Longest name or number of a student, in characters."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One learner's work on an exercise, beside the numbers that are claimed.

    Cells are numbered from 0 through all that is asked (``exercise.hints.exercise_cells``). ``seed``: of which the
    numbers were drawn, None where they were not drawn. ``missed``: cells whose first number was wrong. ``hints``: how
    many hints were given for a cell. ``student``: a name or a number, "" where none was given. It is only in the file.
    """

    student: str = ""
    seed: int | None = None
    missed: tuple[int, ...] = ()
    hints: Mapping[int, int] = field(default_factory=dict)
