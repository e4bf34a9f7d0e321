"""Slips of the pen: the step is right, what was written down is not."""

from __future__ import annotations

from math import isfinite, trunc

from torch import Tensor

from mha_core.compute.printed import Printed, unit_of


def slips(claim: Printed, expected: Tensor, own: Tensor) -> tuple[str, ...]:
    """The slips that explain the ``own`` errors of one matrix, ids of ``catalogue.SLIPS``; none where none does.

    ``expected``, ``own``: rows × columns.
    """
    cells = own.nonzero().tolist()
    unit = unit_of(claim.decimals)
    found: list[str] = []
    if len(cells) == 1:
        i, j = cells[0]
        found = _of_one(float(claim.numbers[i, j]), float(expected[i, j]), max(claim.decimals, 0))
    elif len(cells) == 2 and _exchanged(claim.numbers, expected, cells, unit):
        found = ["cells_exchanged"]
    return (*found, *_copied(claim, expected, own, unit))


def _near(one: float, other: float, unit: float) -> bool:
    return abs(one - other) <= unit * (1 + 1e-9)


def _of_one(written: float, right: float, decimals: int) -> list[str]:
    if not (isfinite(written) and isfinite(right)):
        return []
    unit, found = unit_of(decimals), []
    if _near(written, -right, unit):
        found.append("sign_slipped")
    shifted = [shown * 10.0**by for shown in _shown(right, unit) for by in (-3, -2, -1, 1, 2, 3)]
    if any(_near(written, number, unit) for number in shifted):
        found.append("decimal_point")
    one_sign = written * right >= 0 or abs(right) < unit
    if one_sign and _one_digit(f"{abs(written):.{decimals}f}", f"{abs(right):.{decimals}f}"):
        found.append("digit_slipped")
    return found


def _shown(number: float, unit: float) -> tuple[float, float, float]:
    """A number in full, and as rounding and truncating leave it: as it is, where float64 has no digit so far down."""
    if not isfinite(number / unit):
        return number, number, number
    return number, round(number / unit) * unit, trunc(number / unit) * unit


def _one_digit(written: str, right: str) -> bool:
    """One digit is another, or two neighbours have changed places, or one is missing or too many."""
    if len(written) == len(right):
        at = [n for n, (one, other) in enumerate(zip(written, right, strict=True)) if one != other]
        if len(at) == 2 and at[1] - at[0] <= 2:
            return written[at[0]] == right[at[1]] and written[at[1]] == right[at[0]]
        return len(at) == 1
    longer, shorter = (written, right) if len(written) > len(right) else (right, written)
    return len(longer) == len(shorter) + 1 and any(
        longer[:n] + longer[n + 1 :] == shorter for n in range(len(longer))
    )


def _exchanged(numbers: Tensor, expected: Tensor, cells: list[list[int]], unit: float) -> bool:
    (a, b), (c, d) = cells
    return _near(float(numbers[a, b]), float(expected[c, d]), unit) and _near(
        float(numbers[c, d]), float(expected[a, b]), unit
    )


def _copied(claim: Printed, expected: Tensor, own: Tensor, unit: float) -> tuple[str, ...]:
    """Every row with an error is another row's copy, cell for cell."""
    rows = own.any(-1).nonzero().flatten().tolist()
    numbers, given = claim.numbers, claim.given
    if len(rows) != 1 or not given[rows[0]].all() or numbers.shape[1] < 2:
        return ()
    for other in range(numbers.shape[0]):
        source = numbers[other] if given[other].all() else expected[other]
        if other != rows[0] and bool(((numbers[rows[0]] - source).abs() <= unit / 2).all()):
            return ("row_copied",)
    return ()
