"""How an exercise judges: as ``check`` does, but that nobody is to work with more digits than he was asked for."""

from __future__ import annotations

from dataclasses import replace

from mha_core.check.catalogue import ROUNDED_EARLY
from mha_core.check.check import Cause, Checked, Verdict, WrongCell, check
from mha_core.example.model import Example, uses_shared_kv


def judged(example: Example) -> Verdict:
    """``check(example)``, where a number that only follows from right numbers as they were rounded is right.

    In a head that has an error of its own before it, what follows is wrong as ever.
    """
    verdict = check(example)
    erring: set[int | None] = set()
    steps = {}
    for name, step in verdict.steps.items():
        steps[name] = _forgiving(step, erring, alone=not any(map(uses_shared_kv, example.heads)))
        erring |= {one.cell.head for one in (*step.wrong, *step.doubtful) if one.own}
    return replace(verdict, steps=steps)


def _forgiving(step: Checked, erring: set[int | None], *, alone: bool) -> Checked:
    """The step without what only follows. ``alone``: no head reads what is another's."""

    def follows(head: int | None) -> bool:
        return not erring or (alone and head is not None and not erring & {head, None})

    def is_kept(wrong: WrongCell) -> bool:
        return wrong.own or not follows(wrong.cell.head)

    def is_reported(cause: Cause) -> bool:
        return cause.ids != (ROUNDED_EARLY,) or bool(cause.rounded) or not follows(cause.cell.head)

    return replace(
        step, wrong=tuple(filter(is_kept, step.wrong)), causes=tuple(filter(is_reported, step.causes))
    )
