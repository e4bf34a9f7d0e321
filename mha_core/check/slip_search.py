"""Which slips explain the wrong cells of one matrix, row by row: every declared slip is tried wherever it may have been
made, and those that reproduce the written numbers are returned.
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
from mha_core.vocabulary import COMPUTED, SETTINGS

_MOST_BASES: Final = 4
"""How many choices of the carried numbers are tried."""


class SlipMatch(NamedTuple):
    """A slip that explains all errors of one row. ``numbers``: the row with the slip; ``written``: its arithmetic."""

    slip: Slip
    cell: Cell
    ways: tuple[Way, ...]
    numbers: tuple[float, ...]
    written: str


def slips_in(
    search: Search, key: Key, claim: Printed, own: Tensor, best: Tensor
) -> dict[int, list[SlipMatch]]:
    """The slips that explain each row with errors, simplest first. Rows that none explains are left out."""
    return _in_rows(list(_Places(search, key, claim.decimals, best).bases()), claim, own)


def _in_rows(bases: list[_Base], claim: Printed, own: Tensor) -> dict[int, list[SlipMatch]]:
    rows = own.any(-1).nonzero().flatten().tolist()
    matches_by_row = {i: _in_row(bases, claim, i, own[i].nonzero().flatten().tolist()) for i in rows}
    return {i: matches for i, matches in matches_by_row.items() if matches}


def slips_besides(
    search: Search, key: Key, claim: Printed, own: Tensor, numbers: Tensor
) -> dict[int, list[SlipMatch]]:
    """The same for a matrix with other numbers than its step gives: slips that need the step's terms are not tried."""
    places = _Places(search, key, claim.decimals, numbers, worked_out=False)
    return _in_rows(list(places.bases()), claim, own)


def made_alike(search: Search, key: Key, claim: Printed, own: Tensor, best: Tensor) -> list[list[SlipMatch]]:
    """The slips that explain all errors of a matrix if they were made in the same way in several rows.

    These are all given rows if the slip fits them all, else the rows with errors. Each slip comes as its matches in
    these rows, and in one way only.
    """
    given, wrong = (cells.any(-1).nonzero().flatten().tolist() for cells in (claim.given, own))
    bases = [
        {i: _Row(base, claim, i, [0]) for i in {*given, *wrong}}
        for base in _Places(search, key, claim.decimals, best).bases()
    ]
    for weak in (False, True):
        explanations = []
        for slip in (slip for slip in SLIPS if slip.alike and slip.weak == weak):
            for rows in (given, wrong):
                alike = _matches_alike(slip, bases, rows)
                if alike:
                    explanations.append(alike)
                    break
        if explanations:
            return explanations
    return []


def _matches_alike(slip: Slip, bases: list[dict[int, _Row]], rows: list[int]) -> list[SlipMatch]:
    for base in bases:
        matches = list(takewhile(bool, (_match(slip, base[i], 1.0) for i in rows)))
        if len(matches) == len(rows) > 0:
            common = set.intersection(*({way.named for way in match.ways} for match in matches if match))
            if common:
                return [_with_ways(match, common) for match in matches if match]
    return []


def _with_ways(match: SlipMatch, named: set[tuple[Cell | str, ...]]) -> SlipMatch:
    """The match with only these of its ways."""
    ways = tuple(way for way in match.ways if way.named in named)
    whole = match.slip.whole == "row"
    return match._replace(ways=ways, numbers=ways[0].numbers if whole else match.numbers)


def place_at(search: Search, key: Key, i: int, j: int, decimals: int) -> Place:
    """A cell of a step with its terms, from the carried numbers."""
    places = _Places(search, key, decimals, torch.zeros(0))
    return next(places.bases()).place(i, j)


def _in_row(bases: list[_Base], claim: Printed, i: int, wrong: list[int]) -> list[SlipMatch]:
    """The slips that explain a row. Weak ones, or ones that only truncation gives, are the last resort."""
    rows = [_Row(base, claim, i, wrong) for base in bases]
    for weak, units in ((False, 0.5), (False, 1.0), (True, 0.5), (True, 1.0)):
        matches: dict[str, SlipMatch] = {}
        for row in rows:
            for slip in SLIPS:
                if slip.alone and slip.weak == weak and slip.id not in matches:
                    match = _match(slip, row, units)
                    if match is not None:
                        matches[slip.id] = match
        if matches:
            order = [slip.id for slip in SLIPS]
            return sorted(matches.values(), key=lambda match: order.index(match.slip.id))
    return []


def _match(slip: Slip, row: _Row, units: float) -> SlipMatch | None:
    """A slip in a row, or in its only wrong cell; None where it does not explain the errors."""
    if (slip.whole == "cell" and len(row.wrong) > 1) or (slip.whole == "row" and row.given < 2):
        return None
    ways = reproduced(row.ways(slip), row.written[slip.whole], row.within(slip.whole, units))
    if not ways:
        return None
    place = row.place(slip.whole)
    numbers = list(place.rows[place.cell.row])
    for j, number in zip(row.cols[slip.whole], ways[0].numbers, strict=True):
        numbers[j] = number
    return SlipMatch(
        slip, place.cell._replace(col=row.wrong[0]), tuple(ways), tuple(numbers), worked_out(place, ways[0])
    )


class _Row:
    """A row with errors under one choice of the carried numbers.

    Its places and the ways of each slip are computed once, since they do not depend on the tolerance.
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
        """The place for slips of one cell, or of the row."""
        if whole not in self._places:
            place = self.base.place(self.i, self.wrong[0] if whole == "cell" else 0)
            self._places[whole] = replace(place, written=self.written[whole])
        return self._places[whole]

    def ways(self, slip: Slip) -> list[Way]:
        """Every way of making a slip in this row."""
        if slip.id not in self._ways:
            self._ways[slip.id] = list(slip.ways(self.place(slip.whole)))
        return self._ways[slip.id]

    def within(self, whole: str, units: float) -> list[float]:
        """The tolerance of each number: digits after the point may have been cut off, whole numbers are rounded."""
        return [self._unit[j] * units if self._unit[j] < 1 else self._unit[j] / 2 for j in self.cols[whole]]


class _Base(NamedTuple):
    """The right numbers of a matrix from one choice of the carried numbers."""

    places: _Places
    operands: dict[str, Any]
    rows: Rows

    def place(self, i: int, j: int) -> Place:
        return self.places.place(self.operands, self.rows, i, j)


class _Places:
    """The places of one matrix, with the numbers of its step, or those of ``best``."""

    def __init__(
        self, search: Search, key: Key, decimals: int, best: Tensor, *, worked_out: bool = True
    ) -> None:
        self.search, self.key, self.decimals, self.best = search, key, decimals, best
        self.example = search.trace.example
        self.step = search.steps.get(key) if worked_out else None
        shape = search.dims.shape(key[0])
        names = [name for name, head in search.steps if head == key[1] and search.dims.shape(name) == shape]
        self.before = tuple(name for name in names if COMPUTED.index(name) < COMPUTED.index(key[0]))
        self.settings = self.step.operand_names if self.step else ()
        self.constant = next(
            (setting(self.example, name) for name in self.settings if name in SETTINGS), None
        )
        self._looked_up: dict[Key, Rows | None] = {}
        self._terms: dict[Cell, tuple[tuple[Cell, ...], ...]] = {}

    def bases(self) -> Iterator[_Base]:
        """The matrix under each choice of the carried numbers; ``best`` alone where it has no step."""
        if self.step is None:
            yield _Base(self, {}, self.best.tolist())
            return
        tensors = self.search.combinations(self.key)
        values = self.search.run(self.key, tensors)
        for n in range(min(len(values), _MOST_BASES)):
            yield _Base(
                self, {name: batch[n].tolist() for name, batch in tensors.items()}, values[n].tolist()
            )

    def place(self, operands: dict[str, Any], rows: Rows, i: int, j: int) -> Place:
        cell = Cell(*self.key, i, j)
        step = self.step or Step(self.key[0], "copy", ())
        if self.step and cell not in self._terms:  # every base has the same
            self._terms[cell] = tuple(term_cells(self.search.trace, step, cell))
        cells = self._terms.get(cell, ())

        def number(factor: Cell) -> float:
            matrix = operands[factor.name]
            if factor.name == step.gathers:
                matrix = matrix[self.search.heads_of(self.key).index(factor.head or 0)]
            rows: Rows = matrix
            return rows[factor.row][factor.col]

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
        if (name, head) not in self._looked_up:
            batch = self.search.look(name, head)
            if name == self.key[0]:  # only right numbers are copied: a copy of equal errors explains nothing
                exact = self.search.exact((name, head)) if (name, head) in self.search.steps else None
                batch = None if exact is None else exact[None]
            self._looked_up[name, head] = None if batch is None else batch[0].tolist()
        return self._looked_up[name, head]
