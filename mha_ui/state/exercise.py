"""An exercise: steps of the example at hand to be worked out."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlencode

from mha_core.compute.derive import Cell
from mha_core.example.model import Example
from mha_core.exercise.exercise import exercise
from mha_core.exercise.hints import blank_cells, exercise_cells, hints, missed_cells, open_cells
from mha_core.exercise.judged import judged
from mha_ui.state.url import OWN_SEED, SEEDS, address, without_claims
from mha_ui.state.work import Work, attempt, start_from, without_message
from mha_view.lenses.lens import Exercise


def set_exercise(work: Work, asked: tuple[str, ...], seed: int | str | None) -> Work:
    """Blank these steps out, of this example or (with a seed) of one like it with other numbers.

    ``OWN_SEED``: everybody draws his own; those drawn here are one such draw.
    """

    def start(before: Work) -> Work:
        own = seed == OWN_SEED
        drawn = secrets.randbelow(SEEDS) if own else seed
        example = before.example if drawn is None else exercise(before.example, int(drawn))
        work = start_from(before, replace(example, claimed=None))
        like = like_of(before) if own else None
        set_here = Exercise(asked, like=like, begun=work.history.revision, instead=before.exercise)
        return replace(work, exercise=set_here)

    return attempt(without_message(work), start)


def like_of(work: Work) -> Mapping[str, str]:
    """The address of the example like which everybody's own numbers are drawn: set once, it stays what it is."""
    if work.exercise and work.exercise.like:
        return work.exercise.like
    return address(without_claims(work))


def has_open_exercise(work: Work) -> bool:
    """Whether there is an exercise of which something is still to be worked out."""
    return work.exercise is not None and bool(open_cells(judged(work.example), work.exercise.asked))


def as_file(work: Work) -> Example:
    """The example at hand as it is saved: in an exercise it says what was asked for."""
    return replace(work.example, asked=work.exercise.asked) if work.exercise else work.example


def link_for_class(work: Work, asked: tuple[str, ...]) -> str:
    """The query of a link to this page by which each student who opens it gets numbers of his own."""
    return urlencode({**like_of(work), "ask": ".".join(asked), "seed": OWN_SEED})


def handed_out(work: Work) -> dict[str, str]:
    """The address of an exercise that was set with numbers for each student, until something is filled in; else {}.

    The work's own address has one set of numbers: a class that is given it would work on the same ones.
    """
    at_work = work.exercise
    if at_work is None or at_work.like is None or at_work.tally or work.example != work.history.origin:
        return {}
    chosen = {"lang": work.language} if work.language_chosen else {}
    return {**at_work.like, **chosen, "ask": ".".join(at_work.asked), "seed": OWN_SEED}


def another_exercise(work: Work) -> Work:
    """Another exercise like the one at hand, with other numbers."""
    at_work = work.exercise
    if at_work is None:
        return work
    work = set_exercise(work, at_work.asked, secrets.randbelow(SEEDS))
    return replace(work, exercise=replace(work.exercise, like=at_work.like)) if work.exercise else work


def end_exercise(work: Work) -> Work:
    """What has been filled in stays; the answers may be seen from now on."""
    return replace(work, exercise=None)


def give_hint(work: Work, wanted: object) -> Work:
    """A hint for a wrong number of the table where one is wanted; else for the cell that is wanted, or where that needs
    none for the first in its table that does, or of all.

    A wrong number comes first as long as there is more to be told of it, unless another wrong one is wanted. What has
    been told of a cell is told again first when one comes back to it.
    """
    at_work = work.exercise
    if at_work is None:
        return work
    verdict = judged(work.example)
    left = open_cells(verdict, at_work.asked)
    if not left:
        return work
    cells = exercise_cells(work.example, at_work.asked)
    parts = [wanted.get(part) for part in Cell._fields] if isinstance(wanted, Mapping) else [None] * 4
    table = [cell for cell in left if [*cell[:2]] == parts[:2]] or left

    def most(cell: Cell) -> int:
        return len(hints(verdict, cell, work.language))

    wrong = missed_cells(verdict)
    untold = [
        cell for cell in table if cell in wrong and at_work.hints.get(cells.index(cell), 0) < most(cell)
    ]
    here = [cell for cell in left if [*cell] == parts]
    cell = (here if here and (here[0] in wrong or not untold) else untold or table)[0]
    at = cells.index(cell)
    shown, given = at_work.hints.get(at, 0), at_work.hints
    if at == at_work.hinted or not shown:
        given = {**given, at: min(most(cell), shown + 1)}
    return replace(work, exercise=replace(at_work, hints=given, hinted=at))


def note_attempt(work: Work, before: Example) -> Work:
    """Remember which of the cells that were blank ``before`` have been filled in wrongly."""
    at_work = work.exercise
    if at_work is None:
        return work
    filled = set(blank_cells(before, at_work.asked)) - set(blank_cells(work.example, at_work.asked))
    if not filled:
        return work
    missed = filled & missed_cells(judged(work.example))
    at = [n for n, cell in enumerate(exercise_cells(work.example, at_work.asked)) if cell in missed]
    return replace(work, exercise=replace(at_work, missed=at_work.missed | frozenset(at)))
