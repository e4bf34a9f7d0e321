"""Slips: one cell or one row of a step done otherwise, while the step as a whole is right.

``SLIPS`` declares each, simplest first: what it is in a sentence, and every way in which the wrong numbers come of the
right terms (``of_a_cell``, ``of_a_row``). Explaining wrong numbers, saying so, planting slips to measure it and the
tests all read this. A slip takes a ``Place``: the cell with the terms that the declared step has for it
(``compute.derive``), so that it can be made at every step that has such terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final, Literal

from mha_core.check import of_a_cell, of_a_row
from mha_core.check.place import Place, Way, Ways
from mha_core.compute.derive import Cell, Derivation, Term, arithmetic, letter
from mha_core.errors import N_
from mha_core.example.model import Example


@dataclass(frozen=True, slots=True)
class Slip:
    """``message``: a sentence in which ``{said}`` is what the way names. ``whole``: what it is made in. ``pen``: the
    numbers are right, what is written is not. ``weak``: so many numbers come of it that it is named only where nothing
    else explains them. ``alike``: it may be made in many rows alike; ``alone``: in one row, too.
    """

    id: str
    message: str
    ways: Ways
    whole: Literal["cell", "row"] = "cell"
    pen: bool = False
    weak: bool = False
    alike: bool = False
    alone: bool = True


SLIPS: Final = (
    Slip("cell_copied", N_("The number of {said} stands here."), of_a_cell.copied),
    Slip(
        "cell_of_other_head",
        N_("The number at the same place in head {said} stands here."),
        of_a_cell.of_other_head,
    ),
    Slip(
        "scaled_early",
        N_("It is divided by {said} here already; that is the next step."),
        of_a_cell.scaled_early,
    ),
    Slip("term_left_out", N_("A term of the sum is left out: {said}."), of_a_cell.left_out),
    Slip("term_twice", N_("A term of the sum is taken twice: {said}."), of_a_cell.twice),
    Slip("term_sign", N_("A term of the sum has the wrong sign: {said}."), of_a_cell.sign_of_term),
    Slip(
        "other_factor",
        N_("In one product {said} stands where {instead} belongs."),
        of_a_cell.other_factor,
    ),
    Slip("crossed", N_("The rows and columns of {said} are mixed up."), of_a_cell.crossed),
    Slip("off_by", N_("A product or the sum is off by {said}."), of_a_cell.off_by),
    Slip("sign_slipped", N_("A sign has slipped."), of_a_cell.negated, pen=True),
    Slip("decimal_point", N_("The decimal point has slipped."), of_a_cell.point_moved, pen=True),
    Slip("digits_swapped", N_("Two digits have changed places."), of_a_cell.digits_swapped, pen=True),
    Slip("digit_slipped", N_("A digit has slipped."), of_a_cell.digit_slipped, pen=True, weak=True),
    Slip("row_copied", N_("The row is a copy of row {said}."), of_a_row.copied, "row", pen=True),
    Slip("row_of_other_head", N_("The row is that of head {said}."), of_a_row.of_other_head, "row"),
    Slip(
        "row_scaled_early",
        N_("The scores are divided by {said} here already; that is the next step."),
        of_a_row.scaled_early,
        "row",
    ),
    Slip("misnamed", N_("These are the {said}."), of_a_row.misnamed, "row", alike=True, alone=False),
    Slip(
        "row_constant",
        N_(
            "Each row is off by a constant of its own, as a bias of the keys adds it; the weights stay the same."
        ),
        of_a_row.shifted,
        "row",
        alike=True,
        alone=False,
    ),
    Slip(
        "dropout",
        N_("The weights are divided by {said}, as dropout does while a model is trained."),
        of_a_row.dropped_out,
        "row",
        alike=True,
        alone=False,
    ),
    Slip(
        "sink",
        N_("An attention sink: each row falls short of 1 by one extra logit of {said}."),
        of_a_row.with_a_sink,
        "row",
        alike=True,
        alone=False,
    ),
    Slip("other_sum", N_("The row is divided by the sum of row {said}."), of_a_row.other_sum, "row"),
    Slip("other_powers", N_("The exponentials are those of row {said}."), of_a_row.other_exponentials, "row"),
    Slip(
        "sum_without",
        N_("The row is divided by a sum without the exponential of {said}."),
        of_a_row.sum_without,
        "row",
    ),
    Slip(
        "sum_twice",
        N_("The row is divided by a sum in which the exponential of {said} is counted twice."),
        of_a_row.sum_twice,
        "row",
    ),
    Slip(
        "largest_in_some",
        N_("The row's largest score is taken off in some exponentials, but not in all."),
        of_a_row.largest_in_some,
        "row",
    ),
    Slip("other_divisor", N_("The scores are divided by {said}."), of_a_row.other_divisor, "row", alike=True),
    Slip(
        "other_base",
        N_("Powers of {said} are taken instead of powers of e."),
        of_a_row.other_base,
        "row",
        alike=True,
    ),
    Slip(
        "some_divisor",
        N_("The weights are those of scores divided by about {said}, which is no size of this example."),
        of_a_row.some_divisor,
        "row",
        weak=True,
    ),
)
"""Every slip of one cell and of one row, simplest first."""

SLIP: Final = {slip.id: slip for slip in SLIPS}


def near(written: float, number: float, within: float) -> bool:
    """Whether a written number is this one, so far apart at most."""
    return abs(written - number) <= within * (1 + 1e-9) + 1e-12 * min(abs(written), 1e15)


def reproduced(ways: Iterable[Way], written: Sequence[float | None], within: Sequence[float]) -> list[Way]:
    """The ways of a slip that give what is written (None: blank), and not what is right; within so much of each."""
    matches: list[Way] = []
    for way in ways:
        both = list(zip(written, way.numbers, within, strict=True))
        if all(one is None or one == other or near(one, other, unit) for one, other, unit in both):
            matches.append(way)
    return list({(way.named, way.instead): way for way in reversed(matches)}.values())[::-1]


def slip_message(slip: Slip, ways: Sequence[Way], example: Example, say: Callable[[str], str]) -> str:
    """What a slip is, in a sentence; of several ways that give the same numbers, each."""

    def text(parts: Iterable[Cell | str]) -> str:
        return "·".join(say(part) if isinstance(part, str) else letter(example, part) for part in parts)

    both = {(text(way.named), text([way.instead] if way.instead else [])) for way in ways}
    sentences = [say(slip.message).format(said=named, instead=instead) for named, instead in sorted(both)]
    return reduce(lambda one, other: say(N_("{one} Or: {other}")).format(one=one, other=other), sentences)


def worked_out(at: Place, way: Way) -> str:
    """The arithmetic that gives a way's number, such as ``3·1 = 3``; "" where it is none of the step's."""
    if not way.terms:
        return ""
    terms = tuple(Term((), tuple(term)) for term in way.terms)
    return arithmetic(Derivation(at.cell, at.step.op, terms, way.numbers[0], at.constant, at.at))
