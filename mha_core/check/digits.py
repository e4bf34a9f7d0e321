"""Checks of a printed number's digits: does rounding give it, is it too coarse, is only the last digit off?"""

from __future__ import annotations

from typing import Final

from torch import Tensor

from mha_core.compute.printed import Printed

_COARSE: Final = 0.1
"""As a share of the matrix's largest number: a whole number further than this from the exact value is coarse."""


def not_rounded(claim: Printed, values: Tensor) -> Tensor:
    """Where a printed whole number is not the rounded value. Digits after a point may also be cut off."""
    distance = (claim.numbers - values).abs()
    return claim.given & (claim.unit >= 1) & (distance > claim.unit / 2 + claim.float32_error + 1e-9)


def is_coarse(claim: Printed, values: Tensor) -> Tensor:
    """Where a right whole number is so far from the value that nobody can say whether the author knew the value.

    In a row with such a number all others that rounding has moved are coarse too: 1 0 0.
    """
    largest = values.masked_fill(values.isinf(), 0.0).abs().amax()
    distance = (claim.numbers - values).abs()
    whole = claim.fits(values) & (claim.unit >= 1)
    coarse = whole & (distance > _COARSE * largest + 1e-9)
    return coarse | (coarse.any(-1, keepdim=True) & whole & (distance > 1e-9))


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
