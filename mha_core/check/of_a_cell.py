"""The ways of each slip of a single cell: from other terms, or written otherwise (``slips`` names them)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from math import isfinite, trunc
from typing import Final

from mha_core.check.place import Place, Way
from mha_core.compute.derive import Cell
from mha_core.compute.graph import divisor_text, symbol
from mha_core.compute.operations import OPERATIONS, Terms
from mha_core.compute.printed import unit_of
from mha_core.example.model import divisor

MOST_DIGITS: Final = 18
"""With the point: a float64 tells no more apart, and in a longer number every digit could be the one that slipped."""


# --- taken from elsewhere ----------------------------------------------------------------------------------------


def _beside(cell: Cell) -> Iterator[Cell]:
    """The cells around one: below, above, left and right."""
    for down, across in ((1, 0), (-1, 0), (0, -1), (0, 1)):
        yield cell._replace(row=cell.row + down, col=cell.col + across)


def copied(at: Place) -> Iterator[Way]:
    """From above, from beside, or from the same place in a matrix before it."""
    _, *beside = _beside(at.cell)
    for source in (*beside, *(at.cell._replace(name=name) for name in at.before)):
        number = at.number(source)
        if number is not None:
            yield Way((number,), (source,))


def of_other_head(at: Place) -> Iterator[Way]:
    """The number at the same place in another head."""
    for head in at.other_heads():
        number = at.number(at.cell._replace(head=head))
        if number is not None:
            yield Way((number,), (str(head + 1),))


# --- a later step's ---


def early_divisor(at: Place) -> tuple[str, float]:
    """What a score will be divided by one step on, in text and as a number; 1 where nothing is."""
    by = divisor(at.example) if at.step.name == "scores" else None
    return ("", 1.0) if by is None else (divisor_text(at.example), by)


def scaled_early(at: Place) -> Iterator[Way]:
    """The score as it is after it has been scaled."""
    text, by = early_divisor(at)
    if by != 1:
        yield Way((at.right / by,), (text,))


# --- its terms ---------------------------------------------------------------------------------------------------


def _adds(at: Place) -> bool:
    """Whether the cell is a sum of two terms or more."""
    return OPERATIONS[at.step.op].adds and len(at.numbers) > 1


def _with(at: Place, numbers: Terms, named: tuple[Cell | str, ...], instead: Cell | None = None) -> Way:
    """The step's arithmetic with other terms."""
    return Way((at.value(numbers),), named, instead, numbers)


def left_out(at: Place) -> Iterator[Way]:
    """A term of the sum is left out."""
    for k in range(len(at.numbers)) if _adds(at) else ():
        yield _with(at, at.numbers[:k] + at.numbers[k + 1 :], at.cells[k])


def twice(at: Place) -> Iterator[Way]:
    """A term of the sum is taken twice."""
    for k in range(len(at.numbers)) if _adds(at) else ():
        yield _with(at, (*at.numbers[: k + 1], *at.numbers[k:]), at.cells[k])


def sign_of_term(at: Place) -> Iterator[Way]:
    """Where it is the only term that is not 0, the sum's sign slips."""
    for k, (first, *rest) in enumerate(at.numbers) if _adds(at) else ():
        if any(all(term) for n, term in enumerate(at.numbers) if n != k):
            yield _with(at, (*at.numbers[:k], (-first, *rest), *at.numbers[k + 1 :]), at.cells[k])


def other_factor(at: Place) -> Iterator[Way]:
    """A factor from beside it; not one of which comes what is simpler: no term, twice it, or its negative."""
    for k, cells in enumerate(at.cells):
        for f, cell in enumerate(cells) if len(cells) > 1 else ():
            for source in _beside(cell):
                number, right = at.number(source), at.numbers[k][f]
                if number is not None and number not in (0, -right, 2 * right):
                    term = (*at.numbers[k][:f], number, *at.numbers[k][f + 1 :])
                    numbers = (*at.numbers[:k], term, *at.numbers[k + 1 :])
                    yield _with(at, numbers, (source,), cell)


def crossed(at: Place) -> Iterator[Way]:
    """Of one factor a row is taken for a column, or a column for a row."""
    pairs = all(len(cells) == 2 for cells in at.cells)
    for f in (0, 1) if _adds(at) and pairs else ():
        others = [cells[f]._replace(row=cells[f].col, col=cells[f].row) for cells in at.cells]
        numbers = [number for cell in others if (number := at.number(cell)) is not None]
        if len(numbers) == len(others):
            terms = zip(at.numbers, numbers, strict=True)
            crossing = tuple((*term[:f], number, *term[f + 1 :]) for term, number in terms)
            yield _with(at, crossing, (symbol(at.cells[0][f].name, at.example),))


def off_by(at: Place) -> Iterator[Way]:
    """A product, or the sum, is off by 1 or 10."""
    for by in (1, -1, 10, -10) if OPERATIONS[at.step.op].adds else ():
        yield Way((at.right + by,), (str(abs(by)),))


# --- written otherwise -------------------------------------------------------------------------------------------


def negated(at: Place) -> Iterator[Way]:
    """The number with the other sign."""
    yield Way((-at.right,))


def point_moved(at: Place) -> Iterator[Way]:
    """The decimal point stands up to three places further on."""
    for shown, by in product(dict.fromkeys(_shown(at.right, at.decimals)), (1, -1, 2, -2, 3, -3)):
        yield Way((shown * 10.0**by,))


def _shown(number: float, decimals: int) -> tuple[float, ...]:
    """A number in full, and as rounding and truncating leave it: as it is, where float64 has no digit so far down."""
    unit = unit_of(decimals)
    if not isfinite(number / unit):
        return (number,)
    return number, round(number / unit) * unit, trunc(number / unit) * unit


def _digits_of(at: Place) -> tuple[str, str]:
    """The sign of the right number and its digits; none of −∞, nor of more than a float64 tells apart."""
    if not isfinite(at.right):
        return "", ""
    number = 0.0 if abs(at.right) < unit_of(at.decimals) / 2 else at.right
    text = f"{abs(number):.{max(at.decimals, 0)}f}"
    return "-" if number < 0 else "", text if len(text) <= MOST_DIGITS else ""


def digits_swapped(at: Place) -> Iterator[Way]:
    """Two digits beside each other have changed places, on one side of the point: 0.3 for 3.0 is a point moved."""
    sign, text = _digits_of(at)
    for n, pair in enumerate(pairwise(text)):
        if "." not in pair:
            yield _rewritten(sign, [*text[:n], *reversed(pair), *text[n + 2 :]])


def digit_slipped(at: Place) -> Iterator[Way]:
    """One digit is another; before the point one is missing, or one too many."""
    sign, text = _digits_of(at)
    whole = len(text.partition(".")[0])
    for n, digit in enumerate(text):
        if digit != ".":
            yield from (_rewritten(sign, [*text[:n], other, *text[n + 1 :]]) for other in "0123456789")
        if n < whole:
            yield from (_rewritten(sign, [*text[:n], more, *text[n:]]) for more in "0123456789")
            if whole > 1:
                yield _rewritten(sign, [*text[:n], *text[n + 1 :]])


def _rewritten(sign: str, digits: Sequence[str]) -> Way:
    return Way((float(sign + "".join(digits)),))
