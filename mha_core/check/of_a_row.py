"""The ways of each slip of a whole row (``slips`` names them)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import exp, fsum, isfinite, log, sqrt

from mha_core.check.of_a_cell import early_divisor
from mha_core.check.place import Place, Way
from mha_core.compute.derive import Cell
from mha_core.compute.operations import OPERATIONS
from mha_core.example.model import NEG_INF, Example, divisor
from mha_core.vocabulary import NAMES, SCORE_STEPS, STEPS


def copied(at: Place) -> Iterator[Way]:
    """Another row stands here."""
    for i, row in enumerate(at.rows):
        if i != at.cell.row:
            yield Way(tuple(row), (str(i + 1),))


def of_other_head(at: Place) -> Iterator[Way]:
    """The same row of another head."""
    for head in at.other_heads():
        rows = at.look(at.cell.name, head)
        if rows is not None:
            yield Way(tuple(rows[at.cell.row]), (str(head + 1),))


def scaled_early(at: Place) -> Iterator[Way]:
    """The scores as they are after they have been scaled."""
    text, by = early_divisor(at)
    if by != 1:
        yield Way(tuple(score / by for score in at.rows[at.cell.row]), (text,))


def _scores(at: Place) -> list[list[float]]:
    """What the softmax is taken of, with the row's own first; [] at any other step."""
    if not OPERATIONS[at.step.op].shifts:
        return []
    rows = at.look(at.step.operands[0].name, at.cell.head) or []
    return [*rows[at.cell.row : at.cell.row + 1], *rows[: at.cell.row], *rows[at.cell.row + 1 :]]


def _exponentials(scores: Sequence[float], less: float = 0.0) -> list[float]:
    """e^(s − less); ∞ where float64 has no such number."""
    return [exp(score - less) if score - less < 700 else float("inf") for score in scores]


def _normalized(exponentials: Sequence[float], total: float, *named: Cell | str) -> Iterator[Way]:
    if total and isfinite(total) and all(map(isfinite, exponentials)):
        yield Way(tuple(exponential / total for exponential in exponentials), named)


def _others(at: Place) -> Iterator[tuple[int, list[float]]]:
    """Every other row of scores, by its number on the page."""
    numbers = [i + 1 for i in range(len(at.rows)) if i != at.cell.row]
    yield from zip(numbers, _scores(at)[1:], strict=False)


def other_sum(at: Place) -> Iterator[Way]:
    """Divided by the sum of another row."""
    for number, scores in _others(at):
        yield from _normalized(_exponentials(_scores(at)[0]), fsum(_exponentials(scores)), str(number))


def other_exponentials(at: Place) -> Iterator[Way]:
    """The exponentials of another row over the row's own sum."""
    for number, scores in _others(at):
        yield from _normalized(_exponentials(scores), fsum(_exponentials(_scores(at)[0])), str(number))


def sum_without(at: Place) -> Iterator[Way]:
    """Divided by a sum without one of its exponentials."""
    exponentials = [exponential for scores in _scores(at)[:1] for exponential in _exponentials(scores)]
    for k in range(len(exponentials)) if len(exponentials) > 1 else ():
        yield from _normalized(exponentials, fsum(exponentials) - exponentials[k], _score(at, k))


def sum_twice(at: Place) -> Iterator[Way]:
    """Divided by a sum with one of its exponentials twice."""
    exponentials = [exponential for scores in _scores(at)[:1] for exponential in _exponentials(scores)]
    for k, exponential in enumerate(exponentials):
        yield from _normalized(exponentials, fsum(exponentials) + exponential, _score(at, k))


def _score(at: Place, k: int) -> Cell:
    return Cell(at.step.operands[0].name, at.cell.head, at.cell.row, k)


def largest_in_some(at: Place) -> Iterator[Way]:
    """The row's largest is taken off above the line alone, below it alone, in one term alone, or in all but one."""
    for scores in _scores(at)[:1]:
        top = max(scores)
        if not top or top == NEG_INF:
            continue
        plain, less = _exponentials(scores), _exponentials(scores, top)
        yield from _normalized(less, fsum(plain))
        yield from _normalized(plain, fsum(less))
        for one, all_else in ((plain, less), (less, plain)) if len(scores) > 2 else ():
            for k in range(len(scores)):
                exponentials = [*all_else[:k], one[k], *all_else[k + 1 :]]
                yield from _normalized(exponentials, fsum(exponentials))


# --- all rows alike ----------------------------------------------------------------------------------------------


def misnamed(at: Place) -> Iterator[Way]:
    """What another step of the same shape gives stands here."""
    dims = at.example.dims
    shape = dims.shape(at.cell.name)
    for name in (one for one in STEPS if one != at.cell.name and dims.shape(one) == shape):
        rows = at.look(name, at.cell.head)
        if rows is not None:
            yield Way(tuple(rows[at.cell.row]), (NAMES[name],))


def shifted(at: Place) -> Iterator[Way]:
    """Scores that differ from the right ones by one number, as q·b_K makes all of a query's."""
    row = at.rows[at.cell.row]
    given = _beside(at, row)
    if at.cell.name in SCORE_STEPS and given:
        by = sum(written - right for written, right in given) / len(given)
        if isfinite(by):
            yield Way(tuple(right + by for right in row))


_DROPPED = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
"""How likely a weight is to be dropped, as models have it."""


def dropped_out(at: Place) -> Iterator[Way]:
    """Weights divided by 1 − p, of which some are set to 0."""
    row = at.rows[at.cell.row]
    for p in _DROPPED if OPERATIONS[at.step.op].shifts else ():
        kept = [0.0 if one == 0 else right / (1 - p) for one, right in zip(at.written, row, strict=False)]
        yield Way(tuple(kept), (f"1 − {p:g}",))


def with_a_sink(at: Place) -> Iterator[Way]:
    """One more exponential in the sum than there are keys: that of a logit which no key has, the roundest first."""
    row = at.rows[at.cell.row]
    given = _beside(at, row)
    for scores in _scores(at)[:1]:
        total = fsum(right for _, right in given)
        share = sum(written for written, _ in given) / total if total else 0.0
        if not 0 < share < 1:
            return
        top = max(scores)
        size = log(fsum(_exponentials(scores, top))) + top
        extra = size + log(1 / share - 1)
        for digits, by in product(range(9), (0, 1, -1)):
            logit = round(extra, digits) + by * 10.0**-digits
            left = 1 / (1 + exp(min(logit - size, 700.0)))
            yield Way(tuple(right * left for right in row), (f"{logit:.{digits}f}",))


def _beside(at: Place, row: Sequence[float]) -> list[tuple[float, float]]:
    """Each finite number that is written in the row, and what is right there."""
    both = zip(at.written, row, strict=False)
    return [(one, right) for one, right in both if one is not None and isfinite(one) and isfinite(right)]


# --- one row or all of them: another number ----------------------------------------------------------------------


def other_divisor(at: Place) -> Iterator[Way]:
    """Another size of this example; those that ``catalogue.CATALOGUE`` names are left to it."""
    for sign, number in _sizes(at.example).items():
        yield from _divided(at, number, sign)


def _sizes(example: Example) -> dict[str, float]:
    dims, right = example.dims, divisor(example) or 1.0
    roots = (dims.d_k, dims.d_model, dims.n_k, dims.d_v, dims.h * dims.d_k)
    known = [1.0, right, 1 / right, float(dims.d_k), *map(sqrt, roots)]
    divisors: dict[str, float] = {}
    for sign, size in (("d_model", dims.d_model), ("h", dims.h), ("n", dims.n_k), ("d_v", dims.d_v)):
        if size and not any(abs(size - other) < 1e-9 for other in (*known, *divisors.values())):
            divisors[sign] = float(size)
    return divisors


def _divided(at: Place, number: float, named: str) -> Iterator[Way]:
    """The row with another divisor: of the step that divides, and of the softmax where none was written before."""
    right = divisor(at.example) or 1.0
    if at.divides:
        yield Way(tuple(score * right / number for score in at.rows[at.cell.row]), (named,))
    yield from _softmax_of_scaled(at, right / number, named)


def _softmax_of_scaled(at: Place, times: float, named: str) -> Iterator[Way]:
    """The softmax of so many times the row's scores."""
    for scores in _scores(at)[:1]:
        top = max(scores)
        if isfinite(top):
            exponentials = [exp((score - top) * times) if times > 0 else 0.0 for score in scores]
            yield from _normalized(exponentials, fsum(exponentials), named)


def other_base(at: Place) -> Iterator[Way]:
    """Exponentials to the base 2 or 10 in place of those to the base e."""
    for base in (2, 10):
        yield from _softmax_of_scaled(at, log(base), str(base))


def some_divisor(at: Place) -> Iterator[Way]:
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
        # Of parts no square is too large for a float.
        parts = [(score / widest, ratio) for score, ratio in logs]
        times = fsum(part * ratio for part, ratio in parts) / fsum(part * part for part, _ in parts) / widest
        if times > 0 and isfinite(1 / times) and len({round(score, 9) for score, _ in logs if score}) > 1:
            yield from _softmax_of_scaled(at, times, f"{(divisor(at.example) or 1.0) / times:.2g}")
