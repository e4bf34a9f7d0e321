"""Every way of making each slip in a single cell: wrong terms, or a wrongly written number (``slips`` names them)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise, product
from math import isfinite, trunc
from typing import Final

from mha_core.check.place import Place, Way
from mha_core.compute.derive import Cell
from mha_core.compute.graph import divisor_text, symbol
from mha_core.compute.operation import Terms
from mha_core.compute.operations import OPERATIONS
from mha_core.compute.printed import unit_of
from mha_core.example.model import divisor

MOST_DIGITS: Final = 18
"""Including the point. A float64 has no more digits, and in a longer number any digit could be the wrong one."""


# --- taken from elsewhere ----------------------------------------------------------------------------------------


def _neighbours(cell: Cell) -> Iterator[Cell]:
    """The cells around one: below, above, left and right."""
    for down, across in ((1, 0), (-1, 0), (0, -1), (0, 1)):
        yield cell._replace(row=cell.row + down, col=cell.col + across)


def copied(place: Place) -> Iterator[Way]:
    """The number above, to the left or right, or at the same place in an earlier matrix."""
    _, *neighbours = _neighbours(place.cell)
    for source in (*neighbours, *(place.cell._replace(name=name) for name in place.before)):
        number = place.number(source)
        if number is not None:
            yield Way((number,), (source,))


def of_other_head(place: Place) -> Iterator[Way]:
    """The number at the same place in another head."""
    for head in place.other_heads():
        number = place.number(place.cell._replace(head=head))
        if number is not None:
            yield Way((number,), (str(head + 1),))


# --- the next step's number --------------------------------------------------------------------------------------


def early_divisor(place: Place) -> tuple[str, float]:
    """The divisor of the next step, as text and as a number; 1 where the next step does not divide."""
    number = divisor(place.example) if place.step.name == "scores" else None
    return ("", 1.0) if number is None else (divisor_text(place.example), number)


def scaled_early(place: Place) -> Iterator[Way]:
    """The score after scaling."""
    sign, number = early_divisor(place)
    if number != 1:
        yield Way((place.right / number,), (sign,))


# --- its terms ---------------------------------------------------------------------------------------------------


def _adds(place: Place) -> bool:
    """Whether the cell is a sum of at least two terms."""
    return _is_sum(place) and len(place.numbers) > 1


def _is_sum(place: Place) -> bool:
    """Whether the step adds its terms up; a softmax adds up their exponentials."""
    operation = OPERATIONS[place.step.op]
    return operation.adds and not operation.shifts


def _with_terms(
    place: Place, numbers: Terms, named: tuple[Cell | str, ...], instead: Cell | None = None
) -> Way:
    """The way whose number the step computes from other terms."""
    return Way((place.value(numbers),), named, instead, numbers)


def left_out(place: Place) -> Iterator[Way]:
    """A term of the sum is left out."""
    for k in range(len(place.numbers)) if _adds(place) else ():
        yield _with_terms(place, place.numbers[:k] + place.numbers[k + 1 :], place.cells[k])


def twice(place: Place) -> Iterator[Way]:
    """A term of the sum is counted twice."""
    for k in range(len(place.numbers)) if _adds(place) else ():
        yield _with_terms(place, (*place.numbers[: k + 1], *place.numbers[k:]), place.cells[k])


def sign_of_term(place: Place) -> Iterator[Way]:
    """A term has the wrong sign. If it is the only term that is not 0, the slip is one of the sum's sign."""
    for k, (first, *rest) in enumerate(place.numbers) if _adds(place) else ():
        if any(all(term) for n, term in enumerate(place.numbers) if n != k):
            yield _with_terms(
                place, (*place.numbers[:k], (-first, *rest), *place.numbers[k + 1 :]), place.cells[k]
            )


def other_factor(place: Place) -> Iterator[Way]:
    """A neighbouring factor. One that amounts to a simpler slip is left out: no term, a term twice, a wrong sign."""
    for k, cells in enumerate(place.cells):
        for f, cell in enumerate(cells) if len(cells) > 1 else ():
            for source in _neighbours(cell):
                number, right = place.number(source), place.numbers[k][f]
                if number is not None and number not in (0, -right, 2 * right):
                    term = (*place.numbers[k][:f], number, *place.numbers[k][f + 1 :])
                    numbers = (*place.numbers[:k], term, *place.numbers[k + 1 :])
                    yield _with_terms(place, numbers, (source,), cell)


def crossed(place: Place) -> Iterator[Way]:
    """A row of one factor is used in place of a column, or a column in place of a row."""
    pairs = all(len(cells) == 2 for cells in place.cells)
    for f in (0, 1) if _adds(place) and pairs else ():
        transposed = [cells[f]._replace(row=cells[f].col, col=cells[f].row) for cells in place.cells]
        numbers = [number for cell in transposed if (number := place.number(cell)) is not None]
        if len(numbers) == len(transposed):
            terms = zip(place.numbers, numbers, strict=True)
            crossed_terms = tuple((*term[:f], number, *term[f + 1 :]) for term, number in terms)
            yield _with_terms(place, crossed_terms, (symbol(place.cells[0][f].name, place.example),))


def off_by(place: Place) -> Iterator[Way]:
    """A product, or the sum, is off by 1 or 10."""
    for difference in (1, -1, 10, -10) if _is_sum(place) else ():
        yield Way((place.right + difference,), (str(abs(difference)),))


# --- written wrongly ---------------------------------------------------------------------------------------------


def negated(place: Place) -> Iterator[Way]:
    """The number with the opposite sign."""
    yield Way((-place.right,))


def point_moved(place: Place) -> Iterator[Way]:
    """The decimal point is up to three places off."""
    for shown, places in product(dict.fromkeys(_shown(place.right, place.decimals)), (1, -1, 2, -2, 3, -3)):
        yield Way((shown * 10.0**places,))


def _shown(number: float, decimals: int) -> tuple[float, ...]:
    """A number in full, rounded and truncated; the number alone where float64 has no digits at that position."""
    unit = unit_of(decimals)
    if not isfinite(number / unit):
        return (number,)
    return number, round(number / unit) * unit, trunc(number / unit) * unit


def _sign_and_digits(place: Place) -> tuple[str, str]:
    """The right number's sign and digits; empty for −∞ and for more digits than a float64 has."""
    if not isfinite(place.right):
        return "", ""
    number = 0.0 if abs(place.right) < unit_of(place.decimals) / 2 else place.right
    text = f"{abs(number):.{max(place.decimals, 0)}f}"
    return "-" if number < 0 else "", text if len(text) <= MOST_DIGITS else ""


def digits_swapped(place: Place) -> Iterator[Way]:
    """Two adjacent digits on the same side of the point are swapped: 0.3 for 3.0 is a moved point."""
    sign, text = _sign_and_digits(place)
    for n, pair in enumerate(pairwise(text)):
        if "." not in pair:
            swapped = _rewritten(sign, [*text[:n], *reversed(pair), *text[n + 2 :]])
            yield replace(swapped, named=(sign + text,))


def digit_slipped(place: Place) -> Iterator[Way]:
    """A digit is wrong; or before the point one is missing or one too many."""
    yield from _one_digit_off(*_sign_and_digits(place))


@lru_cache(maxsize=256)
def _one_digit_off(sign: str, text: str) -> tuple[Way, ...]:
    """Many mistakes are compared with the same right number."""
    whole = len(text.partition(".")[0])
    ways: list[Way] = []
    for n, digit in enumerate(text):
        if digit != ".":
            ways += (_rewritten(sign, [*text[:n], other, *text[n + 1 :]]) for other in "0123456789")
        if n < whole:
            ways += (_rewritten(sign, [*text[:n], more, *text[n:]]) for more in "0123456789")
            if whole > 1:
                ways.append(_rewritten(sign, [*text[:n], *text[n + 1 :]]))
    return tuple(ways)


def _rewritten(sign: str, digits: Sequence[str]) -> Way:
    return Way((float(sign + "".join(digits)),))
