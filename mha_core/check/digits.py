"""Checks of a printed number's digits: does rounding give it, is it too coarse, is only the last digit off?"""

from __future__ import annotations

from typing import Final

from torch import Tensor

from mha_core.compute.printed import Printed

_COARSE: Final = 0.1
"""As a share of the matrix's largest number: a rounded number further than this from the exact value is coarse."""


def not_rounded(claim: Printed, values: Tensor) -> Tensor:
    """Where a printed whole number is not the rounded value. Digits after a point may also be cut off."""
    distance = (claim.numbers - values).abs()
    return claim.given & (claim.unit >= 1) & (distance > claim.unit / 2 + claim.float32_error + 1e-9)


def is_coarse(claim: Printed, values: Tensor) -> Tensor:
    """Where a right number has been rounded so much that nobody can say whether the author knew the value.

    It is whole or 0, and further from it than a tenth of its matrix's largest number; or it has a point, not two
    significant digits, and fewer decimals than a number that is not 0 in its matrix: 0.0 for 0.0374. In a row with a
    coarse whole number all others that rounding has moved are coarse too: 1 0 0.
    """
    largest = values.masked_fill(values.isinf(), 0.0).abs().amax()
    distance = (claim.numbers - values).abs()
    moved = claim.fits(values) & (distance > 1e-9 * claim.unit)
    whole = claim.unit >= 1
    coarse = moved & (whole | (claim.numbers == 0)) & (distance > _COARSE * largest + 1e-9 * claim.unit)
    in_row = moved & whole & (coarse & whole).any(-1, keepdim=True)
    return coarse | in_row | (moved & ~whole & _has_few_digits(claim, float(largest)))


def _has_few_digits(claim: Printed, largest: float) -> Tensor:
    """Where a number has neither two significant digits nor the decimals of its matrix: the most of any but 0; of 0
    alone those that show two digits of the ``largest`` number.
    """
    shown = claim.given & (claim.numbers != 0) & claim.numbers.isfinite()
    least = float(claim.unit[shown].min()) if shown.any() else largest / 10
    return (claim.numbers.abs() < 10 * claim.unit * (1 - 1e-9)) & (claim.unit > least * (1 + 1e-9))


def is_nearly(claim: Printed, values: Tensor) -> Tensor:
    """Where a number with a point is right, but is neither the rounded nor the truncated value, nor that of float32
    arithmetic.
    """
    least = claim.unit * 1e-3
    rounded = (claim.numbers - values).abs() <= claim.unit / 2 + claim.float32_error + least
    truncated = ((values / claim.unit).trunc() * claim.unit - claim.numbers).abs() <= least
    return claim.fits(values) & claim.numbers.isfinite() & (claim.unit < 1) & ~rounded & ~truncated


def needs_float32(claim: Printed, values: Tensor) -> Tensor:
    """Where a number is right only by float32 arithmetic: it is off by more than a unit of its last digit."""
    return claim.fits(values) & ~claim._replace(float32_error=0.0).fits(values)


def rounds_to(values: Tensor, claim: Printed) -> Tensor:
    """Where a computed value rounds to the printed number."""
    return (values - claim.numbers).abs() <= claim.unit / 2 + claim.float32_error + 1e-9


def gives_all(values: Tensor, claim: Printed) -> Tensor:
    """Whether each alternative gives everything that is printed: within a unit, and whole numbers by rounding."""
    return claim.all_fit(values) & ~not_rounded(claim, values).flatten(1).any(1)
