"""What a teacher sets: the points of each step, and what a number counts that follows from a wrong one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from mha_core.errors import N_, ExampleError
from mha_core.vocabulary import COMPUTED

SHARES: Final = {"full": 1.0, "half": 0.5, "none": 0.0}
"""What a number counts that is not simply right, by name."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """``points``: of a whole step; a step without has one point for each number asked for. ``follows``: what a number
    counts that is right from the student's own earlier numbers. ``shown``: what a right number counts whose answer the
    page has shown. ``out_of``: the mark is scaled to this maximum, if it is given.
    """

    points: Mapping[str, float] = field(default_factory=dict)
    follows: float = SHARES["full"]
    shown: float = SHARES["none"]
    out_of: float | None = None


def points_of(text: str) -> tuple[str, float]:
    """A step and its points from ``scores=4``. Raises ``ExampleError`` for anything else."""
    name, _, number = text.partition("=")
    try:
        points = float(number)
    except ValueError:
        points = -1.0
    if name not in COMPUTED or not 0 <= points < float("inf"):
        raise ExampleError(N_("expected a step and its points such as scores=4, got {got}"), got=text)
    return name, points
