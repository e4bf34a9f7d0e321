"""The place of a slip with the terms that are computed there, and one way of making the slip."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import nan
from typing import TypeAlias

from mha_core.compute.derive import Cell
from mha_core.compute.operation import Terms
from mha_core.compute.operations import OPERATIONS, Step
from mha_core.compute.trace import Rows
from mha_core.example.model import Example

Look: TypeAlias = Callable[[str, "int | None"], "Rows | None"]
"""Returns a matrix by name and head, with the author's numbers; None if there is none."""


@dataclass(frozen=True, slots=True)
class Place:
    """A cell where a slip may have been made. A row is named by its first cell.

    ``cells``, ``numbers``: the factors of each term. ``at``, ``constant``: as in ``derive.Derivation``. ``rows``: the
    whole matrix, right. ``decimals``: the digits that were written down. ``before``: earlier steps of the same shape.
    ``written``: the author's numbers in the row, if they are known. ``divides``: the step divides by the layer's
    divisor.
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
        """The step's result from other terms; NaN where they contain ∞ − ∞."""
        try:
            return OPERATIONS[self.step.op].value(numbers, self.at, self.constant) if numbers else 0.0
        except (ValueError, OverflowError):
            return nan

    def number(self, cell: Cell) -> float | None:
        """The number in any cell; None if there is no such cell."""
        rows = self.rows if cell[:2] == self.cell[:2] else self.look(cell.name, cell.head)
        if rows is None or not (0 <= cell.row < len(rows) and 0 <= cell.col < len(rows[0])):
            return None
        return rows[cell.row][cell.col]

    def other_heads(self) -> Iterator[int]:
        """All heads but the cell's own; none where the step has no heads."""
        yield from (
            g for g in range(len(self.example.heads)) if self.cell.head is not None and g != self.cell.head
        )


@dataclass(frozen=True, slots=True)
class Way:
    """One way of making a slip.

    ``numbers``: the wrong number, or all numbers of a wrong row. ``named``: what the sentence names, a product by its
    factors; ``instead``: the cell that belongs in its place, or another text. ``terms``: those of the wrong
    sum, if it is a sum.
    """

    numbers: tuple[float, ...]
    named: tuple[Cell | str, ...] = ()
    instead: Cell | str | None = None
    terms: Terms | None = None


Ways: TypeAlias = Callable[[Place], Iterable[Way]]
