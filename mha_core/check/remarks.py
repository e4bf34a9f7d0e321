"""Remarks on a wrong number that no known mistake explains. They do not give away the right number."""

from __future__ import annotations

from math import isfinite, isinf, log10
from typing import Final

from mha_core.check.outcome import Cause, Checked, Verdict, WrongCell
from mha_core.check.slips import SLIP
from mha_core.compute.backward import declared_step
from mha_core.compute.derive import Cell
from mha_core.compute.graph import formula, symbol
from mha_core.compute.printed import cells, unit_of
from mha_core.edit.claims import claimed_rows
from mha_core.errors import N_
from mha_core.messages import catalogue
from mha_core.numbers import trimmed

_RANGE: Final = N_("A weight is always between 0 and 1.")
_SUM: Final = N_("The row sums to {total}. After softmax, every row sums to 1.")
_SINK_SUM: Final = N_("The row sums to {total}. With a sink, no row sums to more than 1.")
_INFINITE: Final = N_("−∞ only comes from a mask, and no pair is masked here.")
_SIGN: Final = N_("The sign is wrong.")
_LARGE: Final = N_("It is more than ten times too large.")
_SMALL: Final = N_("It is more than ten times too small.")
_ALIKE: Final = N_("The sign and the order of magnitude are right. Check the terms of {formula} again.")
_TERMS: Final = N_("Check the terms of {formula} again.")


def explains(cause: Cause, cell: Cell) -> bool:
    """Whether a cause explains this cell of its step."""
    if cause.ways and SLIP[cause.ids[0]].whole == "cell":
        return cause.cell == cell
    return (cause.heads is None or cell.head in cause.heads) and (
        cause.rows is None or cell.row in cause.rows
    )


def explained(step: Checked, cause: Cause) -> int:
    """How many own errors of its step a cause explains."""
    return sum(wrong.own and explains(cause, wrong.cell) for wrong in step.wrong)


def puzzling(step: Checked) -> list[WrongCell]:
    """The own errors of a step that nothing explains; never empty if the step has unexplained errors."""
    own = [wrong for wrong in step.wrong if wrong.own] if step.unexplained else []
    return [wrong for wrong in own if not any(explains(cause, wrong.cell) for cause in step.causes)] or own


def remark(verdict: Verdict, wrong: WrongCell, language: str) -> str:
    """One sentence: why the number is impossible, or else its wrong sign or size, or else which terms to check."""
    say = catalogue(language).gettext
    name = wrong.cell.name
    example = verdict.trace.example
    step = declared_step(example, name)
    formula_text = f"{symbol(name, example)} = {formula(step, example)}" if step else symbol(name, example)
    row_sum = _wrong_row_sum(verdict, wrong.cell) if name == "weights" else None
    if name == "weights" and not 0 <= wrong.claimed <= 1:
        return say(_RANGE)
    if row_sum is not None:
        has_sink = example.heads[wrong.cell.head or 0].sink is not None
        return say(_SINK_SUM if has_sink else _SUM).format(total=trimmed(row_sum, 4))
    return say(_sign_or_size(wrong)).format(formula=formula_text)


def _sign_or_size(wrong: WrongCell) -> str:
    """A sentence on the number's sign and size. If either number is 0 or ∞, they show nothing."""
    written, right = wrong.claimed, wrong.correct
    if isinf(written) and isfinite(right):
        return _INFINITE
    if not isfinite(written * right) or not written * right:
        return _TERMS
    if written * right < 0:
        return _SIGN
    larger = log10(abs(written)) - log10(abs(right))
    if abs(larger) > 1:
        return _LARGE if larger > 0 else _SMALL
    return _ALIKE


def _wrong_row_sum(verdict: Verdict, cell: Cell) -> float | None:
    """The sum of a full row of weights if rounding cannot explain that it is not 1 (not 0 in a row of zeros); with a
    sink, that it is more than 1.
    """
    rows = claimed_rows(verdict.trace.example, cell.name, cell.head) or []
    given = list(cells([rows[cell.row]]))
    if len(given) < len(rows[cell.row]):
        return None
    total = sum(number for _, _, number, _ in given)
    unit = unit_of(min(digits for *_, digits in given))
    wanted = 0.0 if verdict.trace.fully_masked[cell.head or 0][cell.row] else 1.0
    has_sink = verdict.trace.example.heads[cell.head or 0].sink is not None
    apart = total - wanted if has_sink else abs(total - wanted)
    return None if apart <= unit * (len(given) + 1) / 2 + 1e-9 else total
