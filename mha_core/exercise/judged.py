"""The verdict of an exercise: that of ``check``, but nobody has to work with more digits than are expected."""

from __future__ import annotations

from dataclasses import replace

from mha_core.check.catalogue import ROUNDED_EARLY
from mha_core.check.check import check
from mha_core.check.outcome import Cause, Checked, Verdict, WrongCell
from mha_core.example.model import Example, uses_shared_kv


def judged(example: Example) -> Verdict:
    """``check(example)``, but a number that only follows from right, rounded numbers is right.

    After an own error in the same head, numbers that follow are wrong as usual.
    """
    return forgiven(check(example))


def forgiven(verdict: Verdict) -> Verdict:
    """The verdict of an exercise from that of a check."""
    example = verdict.trace.example
    erring: set[int | None] = set()
    steps = {}
    for name, step in verdict.steps.items():
        steps[name] = _forgiving(step, erring, alone=not any(map(uses_shared_kv, example.heads)))
        erring |= {one.cell.head for one in (*step.wrong, *step.doubtful) if one.own}
    return replace(verdict, steps=steps)


def _forgiving(step: Checked, erring: set[int | None], *, alone: bool) -> Checked:
    """The step without errors that only follow from rounding. ``alone``: no head uses another head's matrices."""

    def follows(head: int | None) -> bool:
        return not erring or (alone and head is not None and not erring & {head, None})

    def is_kept(wrong: WrongCell) -> bool:
        return wrong.own or not follows(wrong.cell.head)

    def is_reported(cause: Cause) -> bool:
        return cause.ids != (ROUNDED_EARLY,) or bool(cause.rounded) or not follows(cause.cell.head)

    return replace(
        step, wrong=tuple(filter(is_kept, step.wrong)), causes=tuple(filter(is_reported, step.causes))
    )
