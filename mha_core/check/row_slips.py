"""Every way of making each slip in a whole row (``slips`` names them)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import exp, fsum, isfinite, log, sqrt

from mha_core.check.cell_slips import early_divisor
from mha_core.check.place import Place, Way
from mha_core.compute.derive import Cell
from mha_core.compute.graph import symbol
from mha_core.compute.operations import OPERATIONS
from mha_core.edit.claims import claimed_rows
from mha_core.example.model import NEG_INF, Example, divisor
from mha_core.vocabulary import COMPUTED, NAMES, SCORE_STEPS


def copied(place: Place) -> Iterator[Way]:
    """Another row of the matrix."""
    for i, row in enumerate(place.rows):
        if i != place.cell.row:
            yield Way(tuple(row), (str(i + 1),))


def of_other_head(place: Place) -> Iterator[Way]:
    """The same row of another head."""
    for head in place.other_heads():
        rows = place.look(place.cell.name, head)
        if rows is not None:
            yield Way(tuple(rows[place.cell.row]), (str(head + 1),))


def scaled_early(place: Place) -> Iterator[Way]:
    """The scores after scaling."""
    sign, number = early_divisor(place)
    if number != 1:
        yield Way(tuple(score / number for score in place.rows[place.cell.row]), (sign,))


def _scores(place: Place) -> list[list[float]]:
    """The rows that the softmax is taken of, the place's own row first; [] at any other step. A sink comes last."""
    if not OPERATIONS[place.step.op].shifts:
        return []
    scores, *sink = (place.look(operand.name, place.cell.head) or [] for operand in place.step.operands)
    rows = [[*row, *(number for ((number,),) in sink)] for row in scores]
    return [*rows[place.cell.row : place.cell.row + 1], *rows[: place.cell.row], *rows[place.cell.row + 1 :]]


def _keys(place: Place) -> int:
    """How many scores a row has without a sink."""
    return len(place.rows[place.cell.row])


def _exponentials(scores: Sequence[float], shift: float = 0.0) -> list[float]:
    """e^(score − shift); ∞ where float64 overflows."""
    return [exp(score - shift) if score - shift < 700 else float("inf") for score in scores]


def _normalized(
    place: Place, exponentials: Sequence[float], total: float, *named: Cell | str
) -> Iterator[Way]:
    if total and isfinite(total) and all(map(isfinite, exponentials)):
        yield Way(tuple(exponential / total for exponential in exponentials[: _keys(place)]), named)


def _other_rows(place: Place) -> Iterator[tuple[int, list[float]]]:
    """Every other row of scores with its number, counted from 1."""
    numbers = [i + 1 for i in range(len(place.rows)) if i != place.cell.row]
    yield from zip(numbers, _scores(place)[1:], strict=False)


def other_sum(place: Place) -> Iterator[Way]:
    """Divided by the sum of another row."""
    for number, scores in _other_rows(place):
        yield from _normalized(
            place, _exponentials(_scores(place)[0]), fsum(_exponentials(scores)), str(number)
        )


def other_exponentials(place: Place) -> Iterator[Way]:
    """The exponentials of another row divided by the row's own sum."""
    for number, scores in _other_rows(place):
        yield from _normalized(
            place, _exponentials(scores), fsum(_exponentials(_scores(place)[0])), str(number)
        )


def sum_without(place: Place) -> Iterator[Way]:
    """Divided by a sum that lacks one of its exponentials."""
    exponentials = [exponential for scores in _scores(place)[:1] for exponential in _exponentials(scores)]
    for k in range(len(exponentials)) if len(exponentials) > 1 else ():
        yield from _normalized(place, exponentials, fsum(exponentials) - exponentials[k], _score(place, k))


def sum_twice(place: Place) -> Iterator[Way]:
    """Divided by a sum that has one of its exponentials twice."""
    exponentials = [exponential for scores in _scores(place)[:1] for exponential in _exponentials(scores)]
    for k, exponential in enumerate(exponentials):
        yield from _normalized(place, exponentials, fsum(exponentials) + exponential, _score(place, k))


def _score(place: Place, k: int) -> Cell:
    if k == _keys(place):
        return Cell(place.step.operands[1].name, place.cell.head, 0, 0)
    return Cell(place.step.operands[0].name, place.cell.head, place.cell.row, k)


def largest_in_some(place: Place) -> Iterator[Way]:
    """The row's largest score is subtracted in the numerator only, in the sum only, in one term, or in all but one."""
    for scores in _scores(place)[:1]:
        top = max(scores)
        if not top or top == NEG_INF:
            continue
        plain, shifted_down = _exponentials(scores), _exponentials(scores, top)
        yield from _normalized(place, shifted_down, fsum(plain))
        yield from _normalized(place, plain, fsum(shifted_down))
        for single, rest in ((plain, shifted_down), (shifted_down, plain)) if len(scores) > 2 else ():
            for k in range(len(scores)):
                exponentials = [*rest[:k], single[k], *rest[k + 1 :]]
                yield from _normalized(place, exponentials, fsum(exponentials))


# --- the same in all rows ----------------------------------------------------------------------------------------


def misnamed(place: Place) -> Iterator[Way]:
    """The result of another step of the same shape."""
    dims = place.example.dims
    shape = dims.shape(place.cell.name)
    for name in COMPUTED:
        same_shape = name != place.cell.name and dims.shape(name) == shape
        rows = place.look(name, place.cell.head) if same_shape else None
        if rows is not None:
            yield Way(tuple(rows[place.cell.row]), (NAMES.get(name) or symbol(name, place.example),))


def shifted(place: Place) -> Iterator[Way]:
    """Scores that all differ from the right ones by the same number, as q·b_K adds it to the scores of a query."""
    row = place.rows[place.cell.row]
    pairs = _finite_pairs(place, row)
    if place.cell.name in SCORE_STEPS and pairs:
        offset = sum(written - right for written, right in pairs) / len(pairs)
        if isfinite(offset):
            yield Way(tuple(right + offset for right in row))


_DROPOUT = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
"""Usual dropout probabilities."""
_LEAST_DECIMALS = 3
"""With fewer decimals, several probabilities may give the same numbers."""


def dropped_out(place: Place) -> Iterator[Way]:
    """Weights divided by 1 − p, and some of them set to 0."""
    row = place.rows[place.cell.row]
    for p in _probabilities(place) if OPERATIONS[place.step.op].shifts else ():
        weights = [
            0.0 if number == 0 else right / (1 - p) for number, right in zip(place.written, row, strict=False)
        ]
        yield Way(tuple(weights), (f"{p:g}",), instead=f"{1 / (1 - p):.4g}")


def _probabilities(place: Place) -> Iterator[float]:
    """The usual ones; where some weight is 0 and should not be, also those that the row's largest kept weight shows."""
    yield from _DROPOUT
    claims = claimed_rows(place.example, place.cell.name, place.cell.head) or ()
    dropped = any(
        written is not None and float(written) == 0 < right
        for given, rights in zip(claims, place.rows, strict=False)
        for written, right in zip(given or (), rights, strict=False)
    )
    if not dropped or place.decimals < _LEAST_DECIMALS:
        return
    kept = [
        (right, number)
        for number, right in _finite_pairs(place, place.rows[place.cell.row])
        if number > 0 < right
    ]
    right, number = max(kept, default=(0.0, 0.0))
    for thousandths in range(1, 1000):
        p = thousandths / 1000
        if p not in _DROPOUT and abs(number - right / (1 - p)) <= 10.0**-place.decimals:
            yield p


def with_a_sink(place: Place) -> Iterator[Way]:
    """The sum has one more exponential than there are keys: that of an extra logit, those with fewest digits first."""
    row = place.rows[place.cell.row]
    pairs = _finite_pairs(place, row)
    for scores in _scores(place)[:1] if len(place.step.operands) == 1 else ():
        total = fsum(right for _, right in pairs)
        share = sum(written for written, _ in pairs) / total if total else 0.0
        if not 0 < share < 1:
            return
        top = max(scores)
        log_sum = log(fsum(_exponentials(scores, top))) + top
        extra = log_sum + log(1 / share - 1)
        for digits, step in product(range(9), (0, 1, -1)):
            logit = round(extra, digits) + step * 10.0**-digits
            remaining = 1 / (1 + exp(min(logit - log_sum, 700.0)))
            yield Way(tuple(right * remaining for right in row), (f"{logit:.{digits}f}",))


def _finite_pairs(place: Place, row: Sequence[float]) -> list[tuple[float, float]]:
    """Each finite number that is written in the row, with the right number there."""
    pairs = zip(place.written, row, strict=False)
    return [
        (number, right)
        for number, right in pairs
        if number is not None and isfinite(number) and isfinite(right)
    ]


# --- one row or all rows: another divisor or base ----------------------------------------------------------------


def other_divisor(place: Place) -> Iterator[Way]:
    """Another size of this example as the divisor, except those in ``catalogue.CATALOGUE``."""
    for sign, number in _sizes(place.example).items():
        yield from _with_divisor(place, number, sign)


def _sizes(example: Example) -> dict[str, float]:
    dims, right = example.dims, divisor(example) or 1.0
    roots = (dims.d_k, dims.d_model, dims.n_k, dims.d_v, dims.h * dims.d_k)
    known = [1.0, right, 1 / right, float(dims.d_k), *map(sqrt, roots)]
    divisors: dict[str, float] = {}
    for sign, size in (("d_model", dims.d_model), ("h", dims.h), ("n", dims.n_k), ("d_v", dims.d_v)):
        if size and not any(abs(size - other) < 1e-9 for other in (*known, *divisors.values())):
            divisors[sign] = float(size)
    return divisors


def _with_divisor(place: Place, number: float, sign: str) -> Iterator[Way]:
    """The row with another divisor, at the step that divides, and at a softmax whose scores were not written down."""
    right = divisor(place.example) or 1.0
    if place.divides:
        yield Way(tuple(score * right / number for score in place.rows[place.cell.row]), (sign,))
    yield from _softmax_of_multiple(place, right / number, sign)


def _softmax_of_multiple(
    place: Place, factor: float, named: str, *, with_sink: bool = False
) -> Iterator[Way]:
    """The softmax of the row's scores times a factor; ``with_sink``: of the sink too."""
    for scores in _scores(place)[:1]:
        keys = len(scores) if with_sink else _keys(place)
        multiples = [score * factor if at < keys else score for at, score in enumerate(scores)]
        top = max(multiples)
        if factor > 0 and isfinite(top):
            exponentials = [exp(multiple - top) for multiple in multiples]
            yield from _normalized(place, exponentials, fsum(exponentials), named)


def other_base(place: Place) -> Iterator[Way]:
    """Powers of 2 or 10 in place of powers of e."""
    for base in (2, 10):
        yield from _softmax_of_multiple(place, log(base), str(base), with_sink=True)


def some_divisor(place: Place) -> Iterator[Way]:
    """The divisor that follows from the logarithms of the written weights, if at least two of their ratios show it."""
    for scores in _scores(place)[:1]:
        pairs = [
            (score, log(weight))
            for score, weight in zip(scores, place.written, strict=False)
            if isfinite(score) and weight is not None and 0 < weight < float("inf")
        ]
        logs = [(score - pairs[0][0], ratio - pairs[0][1]) for score, ratio in pairs[1:]]
        widest = max((abs(score) for score, _ in logs), default=0.0)
        if not 0 < widest < float("inf"):
            continue
        # Scores are divided by the widest so that their squares do not overflow.
        parts = [(score / widest, ratio) for score, ratio in logs]
        factor = fsum(part * ratio for part, ratio in parts) / fsum(part * part for part, _ in parts) / widest
        if factor > 0 and isfinite(1 / factor) and len({round(score, 9) for score, _ in logs if score}) > 1:
            yield from _softmax_of_multiple(place, factor, f"{(divisor(place.example) or 1.0) / factor:.2g}")
