"""What one file has of what was asked, table by table, and the mark that a scheme gives it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce
from pathlib import PurePath
from typing import Final, NamedTuple, TypeAlias

from mha_core.check.outcome import Verdict
from mha_core.check.table import Solution, solution
from mha_core.compute.printed import Key
from mha_core.errors import MhaError
from mha_core.example.attempt import Attempt
from mha_core.example.model import Example
from mha_core.exercise.hints import blank_cells, coarse_cells, exercise_cells, hints
from mha_core.exercise.judged import forgiven
from mha_core.marks.scheme import Scheme
from mha_core.vocabulary import COMPUTED

SUFFIX: Final = ".mha.json"


class Tally(NamedTuple):
    """The cells of a table, or of several: ``asked`` of them, and how each went. A cell is counted once.

    ``follows``: right from the student's own earlier numbers, of which one is wrong. ``shown``: right, but the page has
    shown the answer. ``wrong``: wrong by itself, or rounded so that it cannot be judged.
    """

    asked: int = 0
    right: int = 0
    follows: int = 0
    shown: int = 0
    wrong: int = 0
    blank: int = 0

    @property
    def filled(self) -> int:
        """How many have a number."""
        return self.asked - self.blank

    def plus(self, other: Tally) -> Tally:
        """Both counts together."""
        return Tally(*map(sum, zip(self, other, strict=True)))


@dataclass(frozen=True, slots=True)
class Paper:
    """One file that was handed in.

    ``student``: the name or number in the file, "" if there is none. ``tables``: those that were asked for, in order;
    empty if the file could not be checked. ``row``: what the check says of the file, as in the table of solutions.
    """

    file: str
    row: Solution
    student: str = ""
    tables: dict[Key, Tally] = field(default_factory=dict)
    first: Key | None = None
    hints: int = 0
    seed: int | None = None

    @property
    def known_as(self) -> str:
        """The student, or else the file without its ending."""
        return self.student or PurePath(self.file).name.removesuffix(SUFFIX)

    @property
    def steps(self) -> dict[str, Tally]:
        """The tables of each step together, in order."""
        together: dict[str, Tally] = {}
        for (name, _), tally in self.tables.items():
            together[name] = together.get(name, Tally()).plus(tally)
        return together

    @property
    def total(self) -> Tally:
        """All that was asked."""
        return reduce(Tally.plus, self.tables.values(), Tally())


class Points(NamedTuple):
    """Points, and how many there are to be had."""

    points: float
    most: float


Mark: TypeAlias = dict[str, Points]
"""The points of each step."""


def paper(file: str, outcome: Verdict | MhaError, language: str = "en") -> Paper:
    """What a file has. ``outcome`` is that of ``check``, or why it could not be checked."""
    row = solution(file, outcome, language)
    if isinstance(outcome, MhaError):
        return Paper(file, row)
    verdict, example = forgiven(outcome), outcome.trace.example
    attempt = example.attempt or Attempt()
    own = next((cell for cell in _wrong(verdict, own=True)), None)
    return Paper(
        file,
        row,
        attempt.student,
        _tallies(verdict, asked_of(example), attempt),
        None if own is None else own[:2],
        sum(attempt.hints.values()),
        attempt.seed,
    )


def asked_of(example: Example) -> tuple[str, ...]:
    """The steps that a file was asked for; those begun if it does not say."""
    return example.asked or tuple(name for name in COMPUTED if name in (example.claimed or {}))


def _tallies(verdict: Verdict, asked: tuple[str, ...], attempt: Attempt) -> dict[Key, Tally]:
    example = verdict.trace.example
    blank = set(blank_cells(example, asked))
    own = {*_wrong(verdict, own=True), *coarse_cells(verdict)}
    follows = set(_wrong(verdict, own=False)) - own
    tables: dict[Key, Tally] = {}
    for at, cell in enumerate(exercise_cells(example, asked)):
        given = attempt.hints.get(at, 0)
        is_shown = given > 1 and given >= len(hints(verdict, cell, "en"))
        kinds = (cell in blank, cell in own, cell in follows, is_shown, True)
        index = ("blank", "wrong", "follows", "shown", "right")[kinds.index(True)]
        tables[cell[:2]] = tables.get(cell[:2], Tally()).plus(Tally(asked=1, **{index: 1}))
    return tables


def _wrong(verdict: Verdict, *, own: bool) -> Iterable[tuple]:  # type: ignore[type-arg]
    return (one.cell for one in verdict.cells("wrong") + verdict.cells("doubtful") if one.own is own)


def marked(paper: Paper, scheme: Scheme) -> Mark:
    """The points of each step."""
    return {name: _points(tally, scheme, scheme.points.get(name)) for name, tally in paper.steps.items()}


def _points(tally: Tally, scheme: Scheme, points: float | None) -> Points:
    most = tally.asked if points is None else points
    got = tally.right + scheme.follows * tally.follows + scheme.shown * tally.shown
    return Points(got * most / tally.asked, most)


def total(mark: Mark, scheme: Scheme) -> Points:
    """The mark, and the most that there is."""
    got, most = (sum(part) for part in zip(*mark.values(), strict=True)) if mark else (0.0, 0.0)
    if scheme.out_of is None or not most:
        return Points(got, most)
    return Points(got * scheme.out_of / most, scheme.out_of)
