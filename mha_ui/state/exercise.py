"""An exercise: steps of the example at hand to be worked out."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from mha_core.compute.derive import Cell
from mha_core.example.model import Example
from mha_core.exercise.exercise import exercise
from mha_core.exercise.hints import asked_cells, blank_cells, hints, missed_cells, open_cells
from mha_core.exercise.judged import judged
from mha_ui.state.url import OWN_SEED, SEEDS, address, without_claims
from mha_ui.state.work import Work, attempt, start_from
from mha_view.lenses.lens import Exercise


def set_exercise(current: Work, asked: tuple[str, ...], seed: int | str | None) -> None:
    """Blank these steps out, of this example or (with a seed) of one like it with other numbers.

    ``OWN_SEED``: everybody draws his own; those drawn here are one such draw.
    """
    current.message = None
    own, before = seed == OWN_SEED, current.exercise

    def start() -> None:
        like = like_of(current) if own else None
        drawn = secrets.randbelow(SEEDS) if own else seed
        example = current.example if drawn is None else exercise(current.example, int(drawn))
        start_from(current, replace(example, claimed=None))
        current.exercise = Exercise(asked, like=like, begun=current.revision, instead=before)

    attempt(current, start)


def like_of(current: Work) -> Mapping[str, str]:
    """The address of the example like which everybody's own numbers are drawn: set once, it stays what it is."""
    if current.exercise and current.exercise.like:
        return current.exercise.like
    return address(without_claims(current))


def has_open_exercise(current: Work) -> bool:
    """Whether there is an exercise of which something is still to be worked out."""
    return current.exercise is not None and bool(open_cells(judged(current.example), current.exercise.asked))


def as_file(current: Work) -> Example:
    """The example at hand as it is saved: in an exercise it says what was asked for."""
    return replace(current.example, asked=current.exercise.asked) if current.exercise else current.example


def link_for_class(current: Work, asked: tuple[str, ...]) -> str:
    """The query of a link to this page by which each student who opens it gets numbers of his own."""
    return urlencode({**like_of(current), "ask": ".".join(asked), "seed": OWN_SEED})


def handed_out(current: Work) -> dict[str, str]:
    """The address of an exercise that was set with numbers for each student, until something is filled in; else {}.

    The work's own address has one set of numbers: a class that is given it would work on the same ones.
    """
    at_work = current.exercise
    if at_work is None or at_work.like is None or at_work.tally or current.example != current.origin:
        return {}
    chosen = {"lang": current.language} if current.language_chosen else {}
    return {**at_work.like, **chosen, "ask": ".".join(at_work.asked), "seed": OWN_SEED}


def in_exercise(current: Work, edit: Mapping[str, Any]) -> None:
    """What a learner asks for while he works on an exercise: a hint, another one like it, an end."""
    at_work = current.exercise
    if at_work is None:
        return
    match edit["op"]:
        case "hint":
            _hint(current, at_work, edit.get("cell"))
        case "another_exercise":
            set_exercise(current, at_work.asked, secrets.randbelow(SEEDS))
            if current.exercise:
                current.exercise.like = at_work.like
        case _:
            end_exercise(current)


def end_exercise(current: Work) -> None:
    """What has been filled in stays; the answers may be seen from now on."""
    current.exercise = None


def _hint(current: Work, at_work: Exercise, wanted: object) -> None:
    """A hint for a wrong number of the table where one is wanted; else for the cell that is wanted, or where that needs
    none for the first in its table that does, or of all.

    A wrong number comes first as long as there is more to be told of it, unless another wrong one is wanted. What has
    been told of a cell is told again first when one comes back to it.
    """
    verdict = judged(current.example)
    left = open_cells(verdict, at_work.asked)
    if not left:
        return
    cells = asked_cells(current.example, at_work.asked)
    parts = [wanted.get(part) for part in Cell._fields] if isinstance(wanted, Mapping) else [None] * 4
    table = [cell for cell in left if [*cell[:2]] == parts[:2]] or left

    def most(cell: Cell) -> int:
        return len(hints(verdict, cell, current.language))

    wrong = missed_cells(verdict)
    untold = [
        cell for cell in table if cell in wrong and at_work.hints.get(cells.index(cell), 0) < most(cell)
    ]
    here = [cell for cell in left if [*cell] == parts]
    cell = (here if here and (here[0] in wrong or not untold) else untold or table)[0]
    at = cells.index(cell)
    shown = at_work.hints.get(at, 0)
    if at == at_work.hinted or not shown:
        at_work.hints = {**at_work.hints, at: min(most(cell), shown + 1)}
    at_work.hinted = at


def note_attempt(current: Work, before: Example) -> None:
    """Remember which of the cells that were blank ``before`` have been filled in wrongly."""
    at_work = current.exercise
    if at_work is None:
        return
    filled = set(blank_cells(before, at_work.asked)) - set(blank_cells(current.example, at_work.asked))
    if filled:
        missed = filled & missed_cells(judged(current.example))
        at = [n for n, cell in enumerate(asked_cells(current.example, at_work.asked)) if cell in missed]
        at_work.missed |= frozenset(at)
