"""The variants of an exercise: what is given, what is blank, and what known mistakes would put into each blank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, isfinite
from typing import Final, TypeAlias

import torch

from mha_core.bank import MOST_VARIANTS
from mha_core.check.catalogue import at_step
from mha_core.check.search import Family, Search
from mha_core.compute.derive import Cell
from mha_core.compute.device import Backend
from mha_core.compute.printed import Key
from mha_core.compute.trace import Rows, Trace, trace
from mha_core.errors import N_, ExampleError
from mha_core.example.model import Example
from mha_core.exercise.exercise import askable, exercise
from mha_core.exercise.hints import exercise_tables
from mha_core.numbers import rounded
from mha_core.vocabulary import SETTINGS, STEPS

DECIMALS: Final = 2
"""The digits of the expected answers."""
TOLERANCE: Final = 0.01
"""How far an answer may be off if nothing before it was rounded: it may be cut off as well as rounded."""
_MOST_NAMED: Final = 2
"""A wrong number that more mistakes than these would give says nothing about any of them."""
_CPU: Final = Backend("cpu", "float64")


@dataclass(frozen=True, slots=True)
class Slip:
    """A wrong number, and the mistakes, by id, that give it."""

    number: float
    mistakes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Blank:
    """A cell to be filled in. ``tolerance``: how far off the answer may be, since earlier answers may have been rounded
    to two decimals. ``slips``: the wrong numbers that name a mistake; no two of them, and none and the answer, are so
    near that one answer could be both.
    """

    cell: Cell
    answer: float
    tolerance: float
    slips: tuple[Slip, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a variant. Its cells are numbers, and blanks where it is asked for."""

    key: Key
    cells: tuple[tuple[float | Blank, ...], ...]

    @property
    def blanks(self) -> Iterator[Blank]:
        """The cells to be filled in."""
        return (cell for row in self.cells for cell in row if isinstance(cell, Blank))


@dataclass(frozen=True, slots=True)
class Variant:
    """One variant: the tables in the order in which they are read. ``number``: from 1."""

    number: int
    seed: int
    trace: Trace
    tables: tuple[Table, ...]

    @property
    def example(self) -> Example:
        """The example with the numbers of this variant."""
        return self.trace.example

    @property
    def blanks(self) -> list[Blank]:
        """All cells to be filled in, in order."""
        return [blank for table in self.tables for blank in table.blanks]


def variants(example: Example, asked: Sequence[str], count: int, seed: int = 1) -> list[Variant]:
    """So many variants, of the seeds from ``seed`` on.

    Raises ``ExampleError`` as ``exercise`` does, for steps that the example does not have, and for too many variants.
    """
    if not 1 <= count <= MOST_VARIANTS:
        raise ExampleError(N_("expected 1 to {most} variants, got {got}"), most=MOST_VARIANTS, got=count)
    possible = askable(example)
    unknown = [name for name in asked if name not in possible]
    if unknown or not asked:
        raise ExampleError(
            N_("expected steps of this example to ask for: {steps}"), place="ask", steps=", ".join(possible)
        )
    steps = tuple(name for name in possible if name in asked)
    return [_variant(example, steps, number, seed + number - 1) for number in range(1, count + 1)]


def _variant(example: Example, asked: tuple[str, ...], number: int, seed: int) -> Variant:
    computed = trace(exercise(example, seed), _CPU)
    blanks = _blanks(computed, asked)
    return Variant(number, seed, computed, tuple(_tables(computed, asked, blanks)))


Blanks: TypeAlias = Mapping[Cell, Blank]


def _tables(computed: Trace, asked: tuple[str, ...], blanks: Blanks) -> Iterator[Table]:
    """Each table that is asked for, and before it those that it is computed from and that have not been shown yet."""
    search, shown = Search(computed), set[Key]()
    for key in exercise_tables(computed.example, asked):
        for source in (*search.sources(key), key):
            if source not in shown and source[0] not in SETTINGS:
                shown.add(source)
                yield Table(source, _cells(source, computed.matrix(*source), blanks))


def _cells(key: Key, rows: Rows, blanks: Blanks) -> tuple[tuple[float | Blank, ...], ...]:
    return tuple(
        tuple(blanks.get(Cell(*key, i, j), number) for j, number in enumerate(row))
        for i, row in enumerate(rows)
    )


def _blanks(computed: Trace, asked: tuple[str, ...]) -> Blanks:
    """The cells that are asked for. A score that is −∞ is not asked: no course can read it as a number."""
    exact, rounded = Search(computed), Search(computed)
    blanks: dict[Cell, Blank] = {}
    keys = exercise_tables(computed.example, asked)
    right = {key: torch.tensor(computed.matrix(*key), dtype=torch.float64) for key in keys}
    exact.carry({key: Family([()], values[None]) for key, values in right.items()})
    with torch.inference_mode():
        for key, values in right.items():
            followed = rounded.family(key, 0).values[0]
            rounded.carry({key: Family([()], torch.round(followed, decimals=DECIMALS)[None])})
            off = (followed - values).abs().nan_to_num(0.0).tolist()
            slips = _slips(exact, key)
            for i, row in enumerate(values.tolist()):
                for j, answer in enumerate(row):
                    if isfinite(answer):
                        tolerance = ceil((TOLERANCE + off[i][j]) * 1000 - 1e-6) / 1000
                        named = _apart(answer, tolerance, [(label, at[i][j]) for label, at in slips])
                        cell = Cell(*key, i, j)
                        blanks[cell] = Blank(cell, answer, tolerance, named)
    return blanks


def _slips(search: Search, key: Key) -> list[tuple[str, list[list[float]]]]:
    """Each mistake that can be made at this step, with what it gives; every earlier step is right."""
    if key[0] not in STEPS:
        return []
    family, made_here = search.family(key, 1), {mistake.id for mistake in at_step(key[0])}
    return [
        (blame[0][0], values.tolist())
        for blame, values in zip(family.blames, family.values, strict=True)
        if blame and blame[0][0] in made_here and blame[0][1] is None
    ]


def _apart(answer: float, tolerance: float, wrong: Sequence[tuple[str, float]]) -> tuple[Slip, ...]:
    """The wrong numbers that are clearly apart from the answer and from each other, each with its mistakes."""
    groups: list[tuple[float, dict[str, None]]] = []
    for label, number in sorted(wrong, key=lambda pair: pair[1]):
        if not isfinite(number) or abs(number - answer) <= tolerance + TOLERANCE:
            continue
        if groups and number - groups[-1][0] <= 2 * TOLERANCE:
            groups[-1][1][label] = None
        else:
            groups.append((number, {label: None}))
    return tuple(Slip(number, tuple(labels)) for number, labels in groups if len(labels) <= _MOST_NAMED)


def plain_number(number: float) -> str:
    """A number as every course reads it: ``-0.25``."""
    return rounded(number, 6)
