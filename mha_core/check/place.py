"""Where a slip may have been made, with the terms there, and what one way of making it gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import nan
from typing import TypeAlias

from mha_core.compute.derive import Cell
from mha_core.compute.operations import OPERATIONS, Step, Terms
from mha_core.compute.trace import Rows
from mha_core.example.model import Example

Look: TypeAlias = Callable[[str, "int | None"], "Rows | None"]
"""A matrix by name and head, as its author had it; None where there is none."""


@dataclass(frozen=True, slots=True)
class Place:
    """A cell where a slip may have been made; a row by its first cell.

    ``cells``, ``numbers``: what is in each term. ``at``, ``constant``: as ``derive.Derivation`` has them. ``rows``: the
    whole matrix, right. ``decimals``: the digits that were written down. ``before``: the steps of the same shape that
    come before it. ``written``: what stands in the row instead, where that is known. ``divides``: the step divides by
    the layer's divisor.
    """

    example: Example
    step: Step
    cell: Cell
    cells: tuple[tuple[Cell, ...], ...]
    numbers: tuple[tuple[float, ...], ...]
    at: int
    constant: float
    rows: Rows
    decimals: int
    look: Look
    before: tuple[str, ...] = ()
    written: tuple[float | None, ...] = ()
    divides: bool = False

    @property
    def right(self) -> float:
        """The cell's own number."""
        return self.rows[self.cell.row][self.cell.col]

    def value(self, numbers: Terms) -> float:
        """The step's number of a cell from other terms; not a number where ∞ − ∞ is in it."""
        try:
            return OPERATIONS[self.step.op].value(numbers, self.at, self.constant) if numbers else 0.0
        except (ValueError, OverflowError):
            return nan

    def number(self, cell: Cell) -> float | None:
        """The number of any cell; None where there is no such cell."""
        rows = self.rows if cell[:2] == self.cell[:2] else self.look(cell.name, cell.head)
        if rows is None or not (0 <= cell.row < len(rows) and 0 <= cell.col < len(rows[0])):
            return None
        return rows[cell.row][cell.col]

    def other_heads(self) -> Iterator[int]:
        """The heads beside the cell's own; none of a step that has no heads."""
        yield from (
            g for g in range(len(self.example.heads)) if self.cell.head is not None and g != self.cell.head
        )


@dataclass(frozen=True, slots=True)
class Way:
    """One way of making a slip: what stands there instead (of a row all its numbers).

    ``named``: what the sentence names, a product by its factors; ``instead``: what ought to be in the place of that.
    ``terms``: the terms of the sum that was worked out, where it is one.
    """

    numbers: tuple[float, ...]
    named: tuple[Cell | str, ...] = ()
    instead: Cell | None = None
    terms: Terms | None = None


Ways: TypeAlias = Callable[[Place], Iterable[Way]]
