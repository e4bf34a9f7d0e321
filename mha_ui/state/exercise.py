"""An exercise: steps of the example at hand to be worked out."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace

from mha_core.check.check import check
from mha_core.exercise.exercise import exercise, hints
from mha_ui.lenses.lens import Exercise
from mha_ui.state.url import OWN_SEED, SEEDS, address, without_claims
from mha_ui.state.work import Work, attempt, start_from


def set_exercise(current: Work, asked: tuple[str, ...], seed: int | str | None) -> None:
    """Blank these steps out, of this example or (with a seed) of one like it with other numbers.

    ``OWN_SEED``: everybody draws his own; those drawn here are one such draw.
    """
    current.message = None
    own = seed == OWN_SEED

    def start() -> None:
        like = like_of(current) if own else None
        drawn = secrets.randbelow(SEEDS) if own else seed
        example = current.example if drawn is None else exercise(current.example, int(drawn))
        start_from(current, replace(example, claimed=None))
        current.exercise = Exercise(asked, like=like)

    attempt(current, start)


def like_of(current: Work) -> Mapping[str, str]:
    """The address of the example like which everybody's own numbers are drawn: set once, it stays what it is."""
    if current.exercise and current.exercise.like:
        return current.exercise.like
    return address(without_claims(current))


def in_exercise(current: Work, asked: str) -> None:
    """What a learner asks for while he works on an exercise: which numbers are right, a hint, an end."""
    at_work = current.exercise
    if at_work is None:
        return
    if asked == "check":
        at_work.checked = True
    elif asked == "hint":
        cell, _ = hints(check(current.example), at_work.asked, current.language)
        before, count = at_work.hinted
        at_work.hinted = (cell, count + 1 if cell == before else 1)
    else:
        current.exercise = None
