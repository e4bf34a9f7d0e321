"""What the digits of a printed number tell of its value: whether rounding gives it, whether too little of it is left,
and whether only the last digit is off.
"""

from __future__ import annotations

from typing import Final

from torch import Tensor

from mha_core.compute.printed import Printed

_COARSE: Final = 0.1
"""Of a matrix's largest number: a whole number further than that from the value leaves too little of it to tell."""


def not_rounded(claim: Printed, values: Tensor) -> Tensor:
    """Where a whole number is printed that no rounding makes of the value; digits behind a point may be cut off."""
    off = (claim.numbers - values).abs()
    return claim.given & (claim.unit >= 1) & (off > claim.unit / 2 + claim.strays + 1e-9)


def is_coarse(claim: Printed, values: Tensor) -> Tensor:
    """Where a whole number stands that is right, and too far from the value to tell whether that was known; and beside
    it in its row what rounding has moved as well: 1 0 0.
    """
    largest = values.masked_fill(values.isinf(), 0.0).abs().amax()
    by = (claim.numbers - values).abs()
    whole = claim.fits(values) & (claim.unit >= 1)
    coarse = whole & (by > _COARSE * largest + 1e-9)
    return coarse | (coarse.any(-1, keepdim=True) & whole & (by > 1e-9))


def is_nearly(claim: Printed, values: Tensor) -> Tensor:
    """Where a number with a point is right, and is neither the rounded value nor the value cut off, nor what float32
    arithmetic gives.
    """
    least = claim.unit * 1e-3
    rounded = (claim.numbers - values).abs() <= claim.unit / 2 + claim.strays + least
    cut = ((values / claim.unit).trunc() * claim.unit - claim.numbers).abs() <= least
    return claim.fits(values) & claim.numbers.isfinite() & (claim.unit < 1) & ~rounded & ~cut


def is_single(claim: Printed, values: Tensor) -> Tensor:
    """Where a number is right only as float32 arithmetic gives it: it is further off than a unit of its last digit."""
    return claim.fits(values) & ~claim._replace(strays=0.0).fits(values)


def rounds_to(values: Tensor, claim: Printed) -> Tensor:
    """Where what was computed is the printed number once it is rounded."""
    return (values - claim.numbers).abs() <= claim.unit / 2 + claim.strays + 1e-9


def gives_all(values: Tensor, claim: Printed) -> Tensor:
    """Of each alternative, whether everything printed may come of it: within a unit, and a whole number by rounding."""
    return claim.all_fit(values) & ~not_rounded(claim, values).flatten(1).any(1)
