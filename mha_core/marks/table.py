"""The marks of a class as CSV for programs: a line for each file, with the same columns in every language."""

from __future__ import annotations

from collections.abc import Sequence

from mha_core.marks.marks import Paper, marked, total
from mha_core.marks.scheme import Scheme
from mha_core.spreadsheet import csv_text
from mha_core.vocabulary import COMPUTED

COLUMNS = (
    *("student", "file", "status", "mark", "max"),
    *("asked", "filled", "right", "follow_through", "answers_shown", "wrong", "blank"),
    *("hints", "seed", "first_wrong"),
)
"""The first columns; after them each step has its mark and its maximum."""


def number(points: float) -> float | int:
    """Points with at most two decimals, and none where they are whole."""
    rounded = round(points + 0.0, 2)
    return int(rounded) if rounded == int(rounded) else rounded


def steps_of(papers: Sequence[Paper]) -> list[str]:
    """The steps that any of the files was asked for, in order."""
    asked = {name for paper in papers for name in paper.steps}
    return [name for name in COMPUTED if name in asked]


def as_csv(papers: Sequence[Paper], scheme: Scheme) -> str:
    """The marks as CSV."""
    steps = steps_of(papers)
    heading = [*COLUMNS, *(f"{name}_{part}" for name in steps for part in ("mark", "max"))]
    return csv_text([heading, *(_line(paper, steps, scheme) for paper in papers)])


def _line(paper: Paper, steps: Sequence[str], scheme: Scheme) -> list[object]:
    if not paper.tables:
        status = "unreadable" if paper.row.counts is None else "empty"
        return [paper.student, paper.file, status, *[""] * (len(COLUMNS) - 3 + 2 * len(steps))]
    mark, tally = marked(paper, scheme), paper.total
    by_step = [points for name in steps for points in mark.get(name, ("", ""))]
    counts = tally.asked, tally.filled, tally.right, tally.follows, tally.shown, tally.wrong, tally.blank
    return [
        *(paper.student, paper.file, "ok", *map(number, total(mark, scheme)), *counts),
        *(paper.hints, "" if paper.seed is None else paper.seed, paper.first[0] if paper.first else ""),
        *(cell if isinstance(cell, str) else number(cell) for cell in by_step),
    ]
