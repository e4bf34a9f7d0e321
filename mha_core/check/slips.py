"""Slips: one cell or one row of a step is wrong, while the step as a whole is right.

``SLIPS`` declares each, simplest first: a sentence, and every way of getting the wrong numbers from the right terms
(``cell_slips``, ``row_slips``). The search for explanations, the report, the measurements with planted slips and the
tests all read it. A slip takes a ``Place``: a cell with the terms that the declared step has for it
(``compute.derive``), so it works at every step that has such terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final, Literal

from mha_core.check import cell_slips, row_slips
from mha_core.check.place import Place, Way, Ways
from mha_core.compute.derive import Cell, Derivation, Term, arithmetic, letter
from mha_core.errors import N_
from mha_core.example.model import Example


@dataclass(frozen=True, slots=True)
class Slip:
    """One kind of slip.

    ``message``: a sentence in which ``{said}`` is what the way names. ``whole``: whether a cell or a row is wrong.
    ``pen``: the calculation is right, only the writing is wrong. ``weak``: it gives so many different numbers that it
    is named only if nothing else explains them. ``alike``: it may be made in many rows in the same way; ``alone``: in a
    single row as well.
    """

    id: str
    message: str
    ways: Ways
    whole: Literal["cell", "row"] = "cell"
    pen: bool = False
    weak: bool = False
    alike: bool = False
    alone: bool = True


# fmt: off
SLIPS: Final = (
    Slip("cell_copied", N_("This is the number of {said}."), cell_slips.copied),
    Slip("cell_of_other_head", N_("This is the number at the same place in head {said}."), cell_slips.of_other_head),
    Slip("scaled_early", N_("It is already divided by {said}. That is the next step."), cell_slips.scaled_early),
    Slip("term_left_out", N_("A term of the sum is left out: {said}."), cell_slips.left_out),
    Slip("term_twice", N_("A term of the sum is counted twice: {said}."), cell_slips.twice),
    Slip("term_sign", N_("A term of the sum has the wrong sign: {said}."), cell_slips.sign_of_term),
    Slip("other_factor", N_("One product uses {said} instead of {instead}."), cell_slips.other_factor),
    Slip("crossed", N_("The rows and columns of {said} are swapped."), cell_slips.crossed),
    Slip("off_by", N_("A product or the sum is off by {said}."), cell_slips.off_by),
    Slip("sign_slipped", N_("The sign is flipped."), cell_slips.negated, pen=True),
    Slip("decimal_point", N_("The decimal point is in the wrong place."), cell_slips.point_moved, pen=True),
    Slip("digits_swapped", N_("Two digits are swapped."), cell_slips.digits_swapped, pen=True),
    Slip("digit_slipped", N_("One digit is wrong."), cell_slips.digit_slipped, pen=True, weak=True),
    Slip("row_copied", N_("This row is a copy of row {said}."), row_slips.copied, "row", pen=True),
    Slip("row_of_other_head", N_("This is the row of head {said}."), row_slips.of_other_head, "row"),
    Slip("row_scaled_early", N_("The scores are already divided by {said}. That is the next step."),
        row_slips.scaled_early, "row"),
    Slip("misnamed", N_("These are the {said}."), row_slips.misnamed, "row", alike=True, alone=False),
    Slip("row_constant", N_("Each row is off by a constant, as a key bias would cause. The weights stay the same."),
        row_slips.shifted, "row", alike=True, alone=False),
    Slip("dropout",
        N_("Each kept weight is {instead} times as large, and the others are 0: dropout of {said} after softmax, "
            "as in training."),
        row_slips.dropped_out, "row", alike=True, alone=False),
    Slip("sink", N_("An attention sink: each row sums to less than 1 because of one extra logit of {said}."),
        row_slips.with_a_sink, "row", alike=True, alone=False),
    Slip("other_sum", N_("The row is divided by the sum of row {said}."), row_slips.other_sum, "row"),
    Slip("other_powers", N_("These are the exponentials of row {said}."), row_slips.other_exponentials, "row"),
    Slip("sum_without", N_("The row is divided by a sum that leaves out the exponential of {said}."),
        row_slips.sum_without, "row"),
    Slip("sum_twice", N_("The row is divided by a sum that counts the exponential of {said} twice."),
        row_slips.sum_twice, "row"),
    Slip("largest_in_some", N_("The row's largest score is subtracted in some exponentials but not in others."),
        row_slips.largest_in_some, "row"),
    Slip("other_divisor", N_("The scores are divided by {said}."), row_slips.other_divisor, "row", alike=True),
    Slip("other_base", N_("Powers of {said} are used instead of powers of e."), row_slips.other_base, "row",
        alike=True),
    Slip("some_divisor",
        N_("These are the weights of scores divided by about {said}, which is not a size in this example."),
        row_slips.some_divisor, "row", weak=True),
)
# fmt: on
"""Every slip of one cell and of one row, simplest first."""

SLIP: Final = {slip.id: slip for slip in SLIPS}


def near(written: float, value: float, within: float) -> bool:
    """Whether a written number differs from a value by no more than ``within``."""
    return abs(written - value) <= within * (1 + 1e-9) + 1e-12 * min(abs(written), 1e15)


def reproduced(ways: Iterable[Way], written: Sequence[float | None], within: Sequence[float]) -> list[Way]:
    """The ways of a slip that give the written numbers (None: blank), each to its tolerance in ``within``."""
    matches: list[Way] = []
    for way in ways:
        for number, right, unit in zip(written, way.numbers, within, strict=True):
            if number is not None and number != right and not near(number, right, unit):
                break
        else:
            matches.append(way)
    return list({(way.named, way.instead): way for way in reversed(matches)}.values())[::-1]


def slip_message(slip: Slip, ways: Sequence[Way], example: Example, say: Callable[[str], str]) -> str:
    """A sentence about a slip; of several ways that give the same numbers it has each."""

    def text(parts: Iterable[Cell | str]) -> str:
        return "·".join(say(part) if isinstance(part, str) else letter(example, part) for part in parts)

    texts = {(text(way.named), text([way.instead] if way.instead else [])) for way in ways}
    sentences = [say(slip.message).format(said=named, instead=instead) for named, instead in sorted(texts)]
    return reduce(lambda a, b: say(N_("{one} Or: {other}")).format(one=a, other=b), sentences)


def worked_out(place: Place, way: Way) -> str:
    """The arithmetic that gives a way's number, such as ``3·1 = 3``; "" where it has no terms of the step."""
    if not way.terms:
        return ""
    terms = tuple(Term((), tuple(term)) for term in way.terms)
    return arithmetic(Derivation(place.cell, place.step.op, terms, way.numbers[0], place.constant, place.at))
