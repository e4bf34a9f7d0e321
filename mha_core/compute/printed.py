"""Printed numbers: their value, and how far rounding can have moved it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import isinf
from typing import Final, NamedTuple, TypeAlias

import torch
from torch import Tensor

from mha_core.example.model import Claim, Example
from mha_core.vocabulary import COMPUTED, PER_HEAD

Key: TypeAlias = tuple[str, "int | None"]
"""A step's matrix: its name, and its head (None for the whole layer)."""

_SLACK: Final = 1e-9
"""Relative to a unit: in float64 0.1 + 0.01 and 0.11 are not equal."""
_MOST_DECIMALS: Final = 323
_LEAST_DECIMALS: Final = -308
"""float64 can express 10^−323 and 10^308; beyond these, one unit of a last digit would be 0 or infinite."""

Claims: TypeAlias = Sequence[Sequence[Claim] | None]
"""A claimed matrix: rows or cells that were not given are None."""


def value(claim: float | str) -> float:
    """The number that was printed; ``"-inf"`` is −∞."""
    return float(claim)


@lru_cache(maxsize=100_000)
def decimals(claim: float | str) -> int:
    """Digits after the point: 2 for "0.50", 0 for "12", −2 for "5e2"; no more than float64 can distinguish."""
    mantissa, _, exponent = str(claim).lower().partition("e")
    fraction = mantissa.partition(".")[2].rstrip() if isinstance(claim, str) else _fraction(mantissa)
    decimals = len(fraction) - (int(exponent) if exponent else 0)
    return min(max(decimals, _LEAST_DECIMALS), _MOST_DECIMALS)


def unit_of(decimals: int) -> float:
    """One unit of the last of so many digits after the point: 0.01 for 2."""
    return 10.0**-decimals


def _fraction(mantissa: str) -> str:
    """The digits after the point of a bare number, for which 1.0 and 1 are the same."""
    fraction = mantissa.partition(".")[2]
    return "" if fraction == "0" else fraction


def matrix_decimals(matrix: Claims) -> int:
    """The digits of a bare number in this matrix: those of the longest number in it."""
    return max((decimals(claim) for claim in _given(matrix)), default=0)


def _given(matrix: Claims) -> Iterator[float | str]:
    for row in matrix:
        for claim in row or ():
            if claim is not None and not isinf(value(claim)):
                yield claim


def cells(matrix: Claims) -> Iterator[tuple[int, int, float, int]]:
    """(row, column, value, decimals) of every cell that was given."""
    bare: int | None = None  # computed once, and only where a cell needs it
    for i, row in enumerate(matrix):
        for j, claim in enumerate(row or ()):
            if claim is None:
                continue
            number = value(claim)
            known = isinstance(claim, str) and not isinf(number)
            if not known and bare is None:
                bare = matrix_decimals(matrix)
            yield i, j, number, decimals(claim) if known else bare or 0


class Printed(NamedTuple):
    """A claimed matrix as tensors, rows × columns: which cells were given, their numbers, one unit of the last digit
    of each; and the digits of the longest. ``float32_error``: the error of float32 arithmetic to allow for in each
    cell.
    """

    given: Tensor
    numbers: Tensor
    unit: Tensor
    decimals: int
    float32_error: Tensor | float = 0.0

    def fits(self, values: Tensor) -> Tensor:
        """Where a given cell is within one unit of ``values`` (any batch before rows × columns), or is rounded from a
        number that float32 arithmetic may give instead.
        """
        least = 1e-12 * self.numbers.abs().clamp(max=1e15)
        tolerance = self.unit.maximum(self.unit / 2 + self.float32_error) * (1 + _SLACK) + least
        near = (values - self.numbers).abs() <= tolerance  # never between −∞ and a number
        if self.numbers.isinf().any():
            near |= values == self.numbers
        return near & self.given

    def all_fit(self, values: Tensor) -> Tensor:
        """Which of a batch every given cell fits."""
        return (self.fits(values) | ~self.given).flatten(-2).all(-1)


def printed(claims: Claims, shape: tuple[int, int]) -> Printed:
    """A claimed matrix as tensors."""
    entries = list(cells(claims))
    given = torch.zeros(shape, dtype=torch.bool)
    numbers = torch.zeros(shape, dtype=torch.float64)
    unit = torch.zeros(shape, dtype=torch.float64)
    if entries:
        rows, columns, values, digits = zip(*entries, strict=True)
        at = torch.tensor(rows), torch.tensor(columns)
        given[at] = True
        numbers[at] = torch.tensor(values, dtype=torch.float64)
        unit[at] = torch.tensor([unit_of(count) for count in digits], dtype=torch.float64)
    return Printed(given, numbers, unit, max((count for *_, count in entries), default=0))


def claimed(example: Example) -> dict[Key, Printed]:
    """Every claimed matrix with at least one number, in the order of the computation."""
    by_key: dict[Key, Printed] = {}
    for name in COMPUTED:
        claim = (example.claimed or {}).get(name)
        if claim is None:
            continue
        shape = example.dims.shape(name)
        parts = list(enumerate(claim)) if name in PER_HEAD else [(None, claim)]
        read = {(name, head): printed(matrix, shape) for head, matrix in parts if matrix is not None}
        by_key |= {key: matrix for key, matrix in read.items() if matrix.given.any()}
    return by_key
