"""Slips: one cell or one row of a step done otherwise, while the step as a whole is right.

``SLIPS`` declares each, simplest first: what it is in a sentence, and every way in which the wrong numbers come of the
right terms. Explaining wrong numbers, saying so, planting slips to measure it and the tests all read this. A slip
takes a ``Place``: the cell with the terms that the declared step has for it (``compute.derive``), so that it can be
made at every step that has such terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise, product
from math import exp, fsum, isfinite, log, nan, sqrt, trunc
from typing import Final, Literal, TypeAlias

from mha_core.compute.derive import Cell, Derivation, Term, arithmetic, letter
from mha_core.compute.operations import OPERATIONS, Step, Terms
from mha_core.compute.printed import unit_of
from mha_core.compute.trace import Rows
from mha_core.errors import N_
from mha_core.example.model import NEG_INF, Example, divisor

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


@dataclass(frozen=True, slots=True)
class Way:
    """One way of making a slip: what stands there instead (of a row all its numbers).

    ``said``: what the sentence names, a product by its factors; ``instead``: what ought to be in the place of that.
    ``terms``: the terms of the sum that was worked out, where it is one.
    """

    numbers: tuple[float, ...]
    said: tuple[Cell | str, ...] = ()
    instead: Cell | None = None
    terms: Terms | None = None


Ways: TypeAlias = Callable[[Place], Iterable[Way]]

MOST_DIGITS: Final = 18
"""With the point: a float64 tells no more apart, and in a longer number every digit could be the one that slipped."""


@dataclass(frozen=True, slots=True)
class Slip:
    """``message``: a sentence in which ``{said}`` is what the way names. ``whole``: what it is made in. ``pen``: the
    numbers are right, what is written is not. ``weak``: so many numbers come of it that it is said only where nothing
    else explains them. ``alike``: it may be made in many rows alike.
    """

    id: str
    message: str
    ways: Ways
    whole: Literal["cell", "row"] = "cell"
    pen: bool = False
    weak: bool = False
    alike: bool = False


# --- one cell: taken from elsewhere ------------------------------------------------------------------------------


def _beside(cell: Cell) -> Iterator[Cell]:
    """The cells around one: below, above, left and right."""
    for down, across in ((1, 0), (-1, 0), (0, -1), (0, 1)):
        yield cell._replace(row=cell.row + down, col=cell.col + across)


def _copied(at: Place) -> Iterator[Way]:
    """From above, from beside, or from the same place in a matrix before it."""
    _, *beside = _beside(at.cell)
    for source in (*beside, *(at.cell._replace(name=name) for name in at.before)):
        number = at.number(source)
        if number is not None:
            yield Way((number,), (source,))


def _of_other_head(at: Place) -> Iterator[Way]:
    for head in _other_heads(at):
        number = at.number(at.cell._replace(head=head))
        if number is not None:
            yield Way((number,), (str(head + 1),))


def _other_heads(at: Place) -> Iterator[int]:
    yield from (g for g in range(len(at.example.heads)) if at.cell.head is not None and g != at.cell.head)


# --- one cell: its terms -----------------------------------------------------------------------------------------


def _adds(at: Place) -> bool:
    """Whether the cell is a sum of two terms or more."""
    return OPERATIONS[at.step.op].adds and len(at.numbers) > 1


def _with(at: Place, numbers: Terms, said: tuple[Cell, ...], instead: Cell | None = None) -> Way:
    """The step's arithmetic with other terms."""
    return Way((at.value(numbers),), said, instead, numbers)


def _left_out(at: Place) -> Iterator[Way]:
    for k in range(len(at.numbers)) if _adds(at) else ():
        yield _with(at, at.numbers[:k] + at.numbers[k + 1 :], at.cells[k])


def _twice(at: Place) -> Iterator[Way]:
    for k in range(len(at.numbers)) if _adds(at) else ():
        yield _with(at, (*at.numbers[: k + 1], *at.numbers[k:]), at.cells[k])


def _sign_of_term(at: Place) -> Iterator[Way]:
    """Where it is the only term that is not 0, the sum's sign slips."""
    for k, (first, *rest) in enumerate(at.numbers) if _adds(at) else ():
        if any(all(term) for n, term in enumerate(at.numbers) if n != k):
            yield _with(at, (*at.numbers[:k], (-first, *rest), *at.numbers[k + 1 :]), at.cells[k])


def _other_factor(at: Place) -> Iterator[Way]:
    """A factor from beside it; not one of which comes what is simpler: no term, twice it, or its negative."""
    for k, cells in enumerate(at.cells):
        for f, cell in enumerate(cells) if len(cells) > 1 else ():
            for source in _beside(cell):
                number, right = at.number(source), at.numbers[k][f]
                if number is not None and number not in (0, -right, 2 * right):
                    term = (*at.numbers[k][:f], number, *at.numbers[k][f + 1 :])
                    numbers = (*at.numbers[:k], term, *at.numbers[k + 1 :])
                    yield _with(at, numbers, (source,), cell)


def _off_by(at: Place) -> Iterator[Way]:
    for by in (1, -1, 10, -10) if OPERATIONS[at.step.op].adds else ():
        yield Way((at.right + by,), (str(abs(by)),))


# --- one cell: written otherwise ---------------------------------------------------------------------------------


def _negated(at: Place) -> Iterator[Way]:
    yield Way((-at.right,))


def _point_moved(at: Place) -> Iterator[Way]:
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


def _digits_swapped(at: Place) -> Iterator[Way]:
    """Two digits beside each other have changed places, on one side of the point: 0.3 for 3.0 is a point moved."""
    sign, text = _digits_of(at)
    for n, pair in enumerate(pairwise(text)):
        if "." not in pair:
            yield _rewritten(sign, [*text[:n], *reversed(pair), *text[n + 2 :]])


def _digit_slipped(at: Place) -> Iterator[Way]:
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


# --- one row -----------------------------------------------------------------------------------------------------


def _row_copied(at: Place) -> Iterator[Way]:
    for i, row in enumerate(at.rows):
        if i != at.cell.row:
            yield Way(tuple(row), (str(i + 1),))


def _row_of_other_head(at: Place) -> Iterator[Way]:
    for head in _other_heads(at):
        rows = at.look(at.cell.name, head)
        if rows is not None:
            yield Way(tuple(rows[at.cell.row]), (str(head + 1),))


def _scores(at: Place) -> list[list[float]]:
    """What the softmax is taken of, with the row's own first; [] at any other step."""
    if not OPERATIONS[at.step.op].shifts:
        return []
    rows = at.look(at.step.operands[0].name, at.cell.head) or []
    return [*rows[at.cell.row : at.cell.row + 1], *rows[: at.cell.row], *rows[at.cell.row + 1 :]]


def _powers(scores: Sequence[float], less: float = 0.0) -> list[float]:
    """e^(s − less); ∞ where float64 has no such number."""
    return [exp(score - less) if score - less < 700 else float("inf") for score in scores]


def _shared(powers: Sequence[float], total: float, *said: Cell | str) -> Iterator[Way]:
    if total and isfinite(total) and all(map(isfinite, powers)):
        yield Way(tuple(power / total for power in powers), said)


def _others(at: Place) -> Iterator[tuple[int, list[float]]]:
    """Every other row of scores, by its number on the page."""
    numbers = [i + 1 for i in range(len(at.rows)) if i != at.cell.row]
    yield from zip(numbers, _scores(at)[1:], strict=False)


def _other_sum(at: Place) -> Iterator[Way]:
    for number, scores in _others(at):
        yield from _shared(_powers(_scores(at)[0]), fsum(_powers(scores)), str(number))


def _other_powers(at: Place) -> Iterator[Way]:
    for number, scores in _others(at):
        yield from _shared(_powers(scores), fsum(_powers(_scores(at)[0])), str(number))


def _sum_without(at: Place) -> Iterator[Way]:
    powers = [power for scores in _scores(at)[:1] for power in _powers(scores)]
    for k in range(len(powers)) if len(powers) > 1 else ():
        yield from _shared(powers, fsum(powers) - powers[k], _score(at, k))


def _sum_twice(at: Place) -> Iterator[Way]:
    powers = [power for scores in _scores(at)[:1] for power in _powers(scores)]
    for k, power in enumerate(powers):
        yield from _shared(powers, fsum(powers) + power, _score(at, k))


def _score(at: Place, k: int) -> Cell:
    return Cell(at.step.operands[0].name, at.cell.head, at.cell.row, k)


def _largest_in_some(at: Place) -> Iterator[Way]:
    """The row's largest is taken off above the line alone, below it alone, in one term alone, or in all but one."""
    for scores in _scores(at)[:1]:
        top = max(scores)
        if not top or top == NEG_INF:
            continue
        plain, less = _powers(scores), _powers(scores, top)
        yield from _shared(less, fsum(plain))
        yield from _shared(plain, fsum(less))
        for one, all_else in ((plain, less), (less, plain)) if len(scores) > 2 else ():
            for k in range(len(scores)):
                powers = [*all_else[:k], one[k], *all_else[k + 1 :]]
                yield from _shared(powers, fsum(powers))


# --- one row or all: another number ------------------------------------------------------------------------------


def _other_divisor(at: Place) -> Iterator[Way]:
    """Another size of this example; those that ``catalogue.CATALOGUE`` names are left to it."""
    for sign, number in _sizes(at.example).items():
        yield from _divided(at, number, sign)


def _sizes(example: Example) -> dict[str, float]:
    dims, right = example.dims, divisor(example) or 1.0
    roots = (dims.d_k, dims.d_model, dims.n_k, dims.d_v, dims.h * dims.d_k)
    known = [1.0, right, 1 / right, float(dims.d_k), *map(sqrt, roots)]
    found: dict[str, float] = {}
    for sign, size in (("d_model", dims.d_model), ("h", dims.h), ("n", dims.n_k), ("d_v", dims.d_v)):
        if size and not any(abs(size - other) < 1e-9 for other in (*known, *found.values())):
            found[sign] = float(size)
    return found


def _divided(at: Place, number: float, said: str) -> Iterator[Way]:
    """The row with another divisor: of the step that divides, and of the softmax where none was written before."""
    right = divisor(at.example) or 1.0
    if at.divides:
        yield Way(tuple(score * right / number for score in at.rows[at.cell.row]), (said,))
    yield from _softened(at, right / number, said)


def _softened(at: Place, times: float, said: str) -> Iterator[Way]:
    """The softmax of so many times the row's scores."""
    for scores in _scores(at)[:1]:
        top = max(scores)
        if isfinite(top):
            powers = [exp((score - top) * times) if times > 0 else 0.0 for score in scores]
            yield from _shared(powers, fsum(powers), said)


def _other_base(at: Place) -> Iterator[Way]:
    for base in (2, 10):
        yield from _softened(at, log(base), str(base))


def _some_divisor(at: Place) -> Iterator[Way]:
    """The divisor that follows from the logarithms of what is written, where more than one ratio of it shows it."""
    for scores in _scores(at)[:1]:
        pairs = [
            (score, log(one))
            for score, one in zip(scores, at.written, strict=False)
            if isfinite(score) and one is not None and 0 < one < float("inf")
        ]
        logs = [(score - pairs[0][0], ratio - pairs[0][1]) for score, ratio in pairs[1:]]
        widest = max((abs(score) for score, _ in logs), default=0.0)
        if not 0 < widest < float("inf"):
            continue
        parts = [
            (score / widest, ratio) for score, ratio in logs
        ]  # of such, no square is too large for a float
        times = fsum(part * ratio for part, ratio in parts) / fsum(part * part for part, _ in parts) / widest
        if times > 0 and isfinite(1 / times) and len({round(score, 9) for score, _ in logs if score}) > 1:
            yield from _softened(at, times, f"{(divisor(at.example) or 1.0) / times:.2g}")


SLIPS: Final = (
    Slip("cell_copied", N_("The number of {said} stands here."), _copied),
    Slip(
        "cell_of_other_head", N_("The number at the same place in head {said} stands here."), _of_other_head
    ),
    Slip("term_left_out", N_("A term of the sum is left out: {said}."), _left_out),
    Slip("term_twice", N_("A term of the sum is taken twice: {said}."), _twice),
    Slip("term_sign", N_("A term of the sum has the wrong sign: {said}."), _sign_of_term),
    Slip(
        "other_factor",
        N_("In one product {said} stands where {instead} belongs."),
        _other_factor,
    ),
    Slip("off_by", N_("A product or the sum is off by {said}."), _off_by),
    Slip("sign_slipped", N_("A sign has slipped."), _negated, pen=True),
    Slip("decimal_point", N_("The decimal point has slipped."), _point_moved, pen=True),
    Slip("digits_swapped", N_("Two digits have changed places."), _digits_swapped, pen=True),
    Slip("digit_slipped", N_("A digit has slipped."), _digit_slipped, pen=True, weak=True),
    Slip("row_copied", N_("The row is a copy of row {said}."), _row_copied, "row", pen=True),
    Slip("row_of_other_head", N_("The row is that of head {said}."), _row_of_other_head, "row"),
    Slip("other_sum", N_("The row is divided by the sum of row {said}."), _other_sum, "row"),
    Slip("other_powers", N_("The exponentials are those of row {said}."), _other_powers, "row"),
    Slip(
        "sum_without",
        N_("The row is divided by a sum without the exponential of {said}."),
        _sum_without,
        "row",
    ),
    Slip(
        "sum_twice",
        N_("The row is divided by a sum in which the exponential of {said} is counted twice."),
        _sum_twice,
        "row",
    ),
    Slip(
        "largest_in_some",
        N_("The row's largest score is taken off in some exponentials, but not in all."),
        _largest_in_some,
        "row",
    ),
    Slip("other_divisor", N_("The scores are divided by {said}."), _other_divisor, "row", alike=True),
    Slip(
        "other_base", N_("Powers of {said} are taken instead of powers of e."), _other_base, "row", alike=True
    ),
    Slip(
        "some_divisor",
        N_("The weights are those of scores divided by about {said}, which is no size of this example."),
        _some_divisor,
        "row",
        weak=True,
    ),
)
"""Every slip of one cell and of one row, simplest first."""

SLIP: Final = {slip.id: slip for slip in SLIPS}


def near(written: float, number: float, within: float) -> bool:
    """Whether a written number is this one, so far apart at most."""
    return abs(written - number) <= within * (1 + 1e-9) + 1e-12 * min(abs(written), 1e15)


def reproduced(slip: Slip, at: Place, written: Sequence[float | None], within: Sequence[float]) -> list[Way]:
    """The ways of a slip that give what is written (None: blank), and not what is right; within so much of each."""
    found: list[Way] = []
    for way in slip.ways(at):
        both = list(zip(written, way.numbers, within, strict=True))
        if all(one is None or one == other or near(one, other, unit) for one, other, unit in both):
            found.append(way)
    return list({(way.said, way.instead): way for way in reversed(found)}.values())[::-1]


def told(slip: Slip, ways: Sequence[Way], example: Example, say: Callable[[str], str]) -> str:
    """What a slip is, in a sentence; of several ways that give the same numbers, each."""

    def text(parts: Iterable[Cell | str]) -> str:
        return "·".join(part if isinstance(part, str) else letter(example, part) for part in parts)

    both = {(text(way.said), text([way.instead] if way.instead else [])) for way in ways}
    sentences = [say(slip.message).format(said=said, instead=instead) for said, instead in sorted(both)]
    return reduce(lambda one, other: say(N_("{one} Or: {other}")).format(one=one, other=other), sentences)


def worked_out(at: Place, way: Way) -> str:
    """The arithmetic that gives a way's number, such as ``3·1 = 3``; "" where it is none of the step's."""
    if not way.terms:
        return ""
    terms = tuple(Term((), tuple(term)) for term in way.terms)
    return arithmetic(Derivation(at.cell, at.step.op, terms, way.numbers[0], at.constant, at.at))
