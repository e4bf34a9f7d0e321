"""Which slips explain the wrong cells of one matrix, row by row: every declared slip is tried where it may have been
made, and those that reproduce what is written are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor

from mha_core.check.place import Place, Way
from mha_core.check.search import Search
from mha_core.check.slips import SLIPS, Slip, reproduced, worked_out
from mha_core.compute.derive import Cell, along, term_cells
from mha_core.compute.operations import Step
from mha_core.compute.printed import Key, Printed
from mha_core.compute.trace import Rows
from mha_core.example.model import setting
from mha_core.vocabulary import SETTINGS, STEPS

_MOST_BASES: Final = 4
"""Ways of having rounded the numbers before that are distinguished."""


class SlipMatch(NamedTuple):
    """A slip that explains all the errors of one row. ``numbers``: the row then; ``written``: its arithmetic."""

    slip: Slip
    cell: Cell
    ways: tuple[Way, ...]
    numbers: tuple[float, ...]
    written: str


def slips_in(
    search: Search, key: Key, claim: Printed, own: Tensor, best: Tensor
) -> dict[int, list[SlipMatch]]:
    """For each row with errors, the slips that explain them, simplest first; a row without has none."""
    return _in_rows(list(_Places(search, key, claim.decimals, best).bases()), claim, own)


def _in_rows(bases: list[_Base], claim: Printed, own: Tensor) -> dict[int, list[SlipMatch]]:
    rows = own.any(-1).nonzero().flatten().tolist()
    slips_by_row = {i: _in_row(bases, claim, i, own[i].nonzero().flatten().tolist()) for i in rows}
    return {i: slips for i, slips in slips_by_row.items() if slips}


def slips_besides(
    search: Search, key: Key, claim: Printed, own: Tensor, numbers: Tensor
) -> dict[int, list[SlipMatch]]:
    """The same where the matrix has other numbers than its step gives: only what is made of these is tried."""
    places = _Places(search, key, claim.decimals, numbers, worked_out=False)
    return _in_rows(list(places.bases()), claim, own)


def made_alike(search: Search, key: Key, claim: Printed, own: Tensor, best: Tensor) -> list[list[SlipMatch]]:
    """The slips that explain all the errors of a matrix, made in one way in each row with errors, or in all rows where
    that fits them too: each as what is found in these rows. No more than one way of a slip.
    """
    every, wrong = claim.given.any(-1).nonzero().flatten().tolist(), own.any(-1).nonzero().flatten().tolist()
    bases = [
        {i: _Row(base, claim, i, [0]) for i in {*every, *wrong}}
        for base in _Places(search, key, claim.decimals, best).bases()
    ]
    for weak in (False, True):
        explanations = []
        for slip in (slip for slip in SLIPS if slip.alike and slip.weak == weak):
            for rows in (every, wrong):
                alike = _alike(slip, bases, rows)
                if alike:
                    explanations.append(alike)
                    break
        if explanations:
            return explanations
    return []


def _alike(slip: Slip, bases: list[dict[int, _Row]], rows: list[int]) -> list[SlipMatch]:
    for base in bases:
        made = list(takewhile(bool, (_made(slip, base[i], 1.0) for i in rows)))
        if len(made) == len(rows) > 0:
            common = set.intersection(*({way.named for way in one.ways} for one in made if one))
            if common:
                return [_kept(one, common) for one in made if one]
    return []


def _kept(match: SlipMatch, named: set[tuple[Cell | str, ...]]) -> SlipMatch:
    """The match with the ways alone that every row has."""
    ways = tuple(way for way in match.ways if way.named in named)
    whole = match.slip.whole == "row"
    return match._replace(ways=ways, numbers=ways[0].numbers if whole else match.numbers)


def place_at(search: Search, key: Key, i: int, j: int, decimals: int) -> Place:
    """A cell of a step with its terms, as the numbers were carried to it."""
    places = _Places(search, key, decimals, torch.zeros(0))
    return next(places.bases()).place(i, j)


def _in_row(bases: list[_Base], claim: Printed, i: int, wrong: list[int]) -> list[SlipMatch]:
    """The strong ones alone where there are any; those that round as printed alone where there are any."""
    rows = [_Row(base, claim, i, wrong) for base in bases]
    for weak, units in ((False, 0.5), (False, 1.0), (True, 0.5), (True, 1.0)):
        slips: dict[str, SlipMatch] = {}
        for row in rows:
            for slip in SLIPS:
                if slip.alone and slip.weak == weak and slip.id not in slips:
                    made = _made(slip, row, units)
                    if made is not None:
                        slips[slip.id] = made
        if slips:
            order = [slip.id for slip in SLIPS]
            return sorted(slips.values(), key=lambda one: order.index(one.slip.id))
    return []


def _made(slip: Slip, row: _Row, units: float) -> SlipMatch | None:
    """A slip at a row, or at the one wrong cell of it."""
    if (slip.whole == "cell" and len(row.wrong) > 1) or (slip.whole == "row" and row.given < 2):
        return None
    ways = reproduced(row.ways(slip), row.written[slip.whole], row.within(slip.whole, units))
    if not ways:
        return None
    at = row.place(slip.whole)
    numbers = list(at.rows[at.cell.row])
    for j, number in zip(row.cols[slip.whole], ways[0].numbers, strict=True):
        numbers[j] = number
    return SlipMatch(
        slip, at.cell._replace(col=row.wrong[0]), tuple(ways), tuple(numbers), worked_out(at, ways[0])
    )


class _Row:
    """A row with errors, under one choice of what was carried to it. Its places, and the ways of each slip there, are
    found once: they are the same however near to the written numbers a slip has to come.
    """

    def __init__(self, base: _Base, claim: Printed, i: int, wrong: list[int]) -> None:
        self.base, self.i, self.wrong = base, i, wrong
        given, numbers, self._unit = (part[i].tolist() for part in (claim.given, claim.numbers, claim.unit))
        self.given = sum(given)
        self.cols: dict[str, Sequence[int]] = {"cell": wrong, "row": range(len(base.rows[0]))}
        self.written = {
            whole: tuple(numbers[j] if given[j] else None for j in cols) for whole, cols in self.cols.items()
        }
        self._places: dict[str, Place] = {}
        self._ways: dict[str, list[Way]] = {}

    def place(self, whole: str) -> Place:
        """Where the slips of one cell, or of the row, are made."""
        if whole not in self._places:
            place = self.base.place(self.i, self.wrong[0] if whole == "cell" else 0)
            self._places[whole] = replace(place, written=self.written[whole])
        return self._places[whole]

    def ways(self, slip: Slip) -> list[Way]:
        """Every way of a slip here."""
        if slip.id not in self._ways:
            self._ways[slip.id] = list(slip.ways(self.place(slip.whole)))
        return self._ways[slip.id]

    def within(self, whole: str, units: float) -> list[float]:
        """How near to each number: digits behind the point may have been cut off; a whole number is rounded."""
        return [self._unit[j] * units if self._unit[j] < 1 else self._unit[j] / 2 for j in self.cols[whole]]


class _Base(NamedTuple):
    """The right numbers of a matrix, from one choice of what was carried to it."""

    places: _Places
    operands: dict[str, Any]
    rows: Rows

    def place(self, i: int, j: int) -> Place:
        return self.places.place(self.operands, self.rows, i, j)


class _Places:
    """The places of one matrix: as its step works it out, or as ``best`` has it."""

    def __init__(
        self, search: Search, key: Key, decimals: int, best: Tensor, *, worked_out: bool = True
    ) -> None:
        self.search, self.key, self.decimals, self.best = search, key, decimals, best
        self.example = search.trace.example
        self.step = search.steps.get(key) if worked_out else None
        shape = search.dims.shape(key[0])
        names = [name for name, head in search.steps if head == key[1] and search.dims.shape(name) == shape]
        self.before = tuple(name for name in names if STEPS.index(name) < STEPS.index(key[0]))
        self.settings = self.step.operand_names if self.step else ()
        self.constant = next(
            (setting(self.example, name) for name in self.settings if name in SETTINGS), None
        )
        self._seen: dict[Key, Rows | None] = {}
        self._terms: dict[Cell, tuple[tuple[Cell, ...], ...]] = {}

    def bases(self) -> Iterator[_Base]:
        """The matrix under each choice of what was carried to it; as it is where a head starts from it."""
        if self.step is None:
            yield _Base(self, {}, self.best.tolist())
            return
        tensors = self.search.combinations(self.key)
        values = self.search.run(self.key, tensors)
        for n in range(min(len(values), _MOST_BASES)):
            yield _Base(self, {name: one[n].tolist() for name, one in tensors.items()}, values[n].tolist())

    def place(self, operands: dict[str, Any], rows: Rows, i: int, j: int) -> Place:
        cell = Cell(*self.key, i, j)
        step = self.step or Step(self.key[0], "copy", ())
        if self.step and cell not in self._terms:  # every base has the same
            self._terms[cell] = tuple(term_cells(self.search.trace, step, cell))
        cells = self._terms.get(cell, ())

        def number(one: Cell) -> float:
            matrix = operands[one.name]
            value: float = (matrix[one.head] if one.name == step.gathers else matrix)[one.row][one.col]
            return value

        return Place(
            example=self.example,
            step=step,
            cell=cell,
            cells=cells,
            numbers=tuple(tuple(map(number, term)) for term in cells),
            at=(along(self.search.trace, step, cell) or 0) if self.step else 0,
            constant=self.constant or 0.0,
            rows=rows,
            decimals=self.decimals,
            look=self._look,
            before=self.before,
            divides="divisor" in self.settings,
        )

    def _look(self, name: str, head: int | None) -> Rows | None:
        if self.step is None and (name, head) == self.key:
            return self.best.tolist()
        if (name, head) not in self._seen:
            batch = self.search.look(name, head)
            if name == self.key[0]:  # what is copied is right: what is as wrong there explains nothing
                exact = self.search.exact((name, head)) if (name, head) in self.search.steps else None
                batch = None if exact is None else exact[None]
            self._seen[name, head] = None if batch is None else batch[0].tolist()
        return self._seen[name, head]
