"""An exercise: steps of the current example to be worked out."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlencode

from mha_core.compute.derive import Cell
from mha_core.example.attempt import MOST_STUDENT, Attempt
from mha_core.example.model import Example
from mha_core.exercise.exercise import exercise
from mha_core.exercise.hints import blank_cells, exercise_cells, hints, missed_cells, open_cells
from mha_core.exercise.judged import judged
from mha_ui.state.url import OWN_SEED, SEEDS, address, without_claims
from mha_ui.state.work import Work, attempt, start_from, without_message
from mha_view.lenses.lens import Exercise


def set_exercise(work: Work, asked: tuple[str, ...], seed: int | str | None) -> Work:
    """Blank out these steps of this example, or (with a seed) of one like it with other numbers.

    ``OWN_SEED``: each student gets other numbers; those drawn here are one such draw.
    """

    def start(before: Work) -> Work:
        own = seed == OWN_SEED
        drawn = secrets.randbelow(SEEDS) if own else seed
        example = before.example if drawn is None else exercise(before.example, int(drawn))
        work = start_from(before, replace(example, claimed=None))
        like = like_of(before) if own else None
        seeded = None if drawn is None else int(drawn)
        set_here = Exercise(
            asked, like=like, begun=work.history.revision, instead=before.exercise, seed=seeded
        )
        return replace(work, exercise=set_here)

    return attempt(without_message(work), start)


def like_of(work: Work) -> Mapping[str, str]:
    """The address of the example from which each student's numbers are drawn. Once set, it does not change."""
    if work.exercise and work.exercise.like:
        return work.exercise.like
    return {name: value for name, value in address(without_claims(work)).items() if name != "seeded"}


def has_open_exercise(work: Work) -> bool:
    """Whether there is an exercise of which something is still to be worked out."""
    return work.exercise is not None and bool(open_cells(judged(work.example), work.exercise.asked))


def as_file(work: Work) -> Example:
    """The current example as it is saved: in an exercise it names the steps to work out, and says how that went."""
    current = work.exercise
    if current is None:
        return work.example
    attempt = Attempt(current.student, current.seed, tuple(sorted(current.missed)), current.hints)
    return replace(work.example, asked=current.asked, attempt=attempt)


def name_student(work: Work, student: str) -> Work:
    """Note who works out the exercise: a name or a number, which only the saved file has."""
    current, name = work.exercise, " ".join(student.split())[:MOST_STUDENT]
    return work if current is None else replace(work, exercise=replace(current, student=name))


def link_for_class(work: Work, asked: tuple[str, ...]) -> str:
    """The query of a link to this page that gives each student who opens it other numbers."""
    return urlencode({**like_of(work), "ask": ".".join(asked), "seed": OWN_SEED})


def handed_out(work: Work) -> dict[str, str]:
    """The address of an exercise with numbers for each student, until something is filled in; else {}.

    The work's own address has one set of numbers, so a class with that link would all get the same.
    """
    current = work.exercise
    if current is None or current.like is None or current.tally or work.example != work.history.origin:
        return {}
    chosen = {"lang": work.language} if work.language_chosen else {}
    return {**current.like, **chosen, "ask": ".".join(current.asked), "seed": OWN_SEED}


def another_exercise(work: Work) -> Work:
    """Another exercise like this one, with other numbers."""
    current = work.exercise
    if current is None:
        return work
    work = set_exercise(work, current.asked, secrets.randbelow(SEEDS))
    if work.exercise is None:
        return work
    return replace(work, exercise=replace(work.exercise, like=current.like, student=current.student))


def end_exercise(work: Work) -> Work:
    """End the exercise: what has been filled in stays, and the answers may be seen."""
    return replace(work, exercise=None)


def give_hint(work: Work, wanted: object) -> Work:
    """Give a hint, for the ``wanted`` cell if it is open, else for the first open cell of its table, or of all tables.

    A wrong number of that table comes first as long as there is more to say about it, unless ``wanted`` is another
    wrong one. A cell that is hinted at again first repeats its last hint.
    """
    current = work.exercise
    if current is None:
        return work
    verdict = judged(work.example)
    unsolved = open_cells(verdict, current.asked)
    if not unsolved:
        return work
    cells = exercise_cells(work.example, current.asked)
    parts = [wanted.get(part) for part in Cell._fields] if isinstance(wanted, Mapping) else [None] * 4
    table = [cell for cell in unsolved if [*cell[:2]] == parts[:2]] or unsolved

    def hint_count(cell: Cell) -> int:
        return len(hints(verdict, cell, work.language))

    wrong = missed_cells(verdict)
    unexplained = [
        cell for cell in table if cell in wrong and current.hints.get(cells.index(cell), 0) < hint_count(cell)
    ]
    exact = [cell for cell in unsolved if [*cell] == parts]
    cell = (exact if exact and (exact[0] in wrong or not unexplained) else unexplained or table)[0]
    at = cells.index(cell)
    shown, given = current.hints.get(at, 0), current.hints
    if at == current.hinted or not shown:
        given = {**given, at: min(hint_count(cell), shown + 1)}
    return replace(work, exercise=replace(current, hints=given, hinted=at))


def note_attempt(work: Work, before: Example) -> Work:
    """Note which of the cells that were blank ``before`` have been filled in wrongly."""
    current = work.exercise
    if current is None:
        return work
    filled = set(blank_cells(before, current.asked)) - set(blank_cells(work.example, current.asked))
    if not filled:
        return work
    missed = filled & missed_cells(judged(work.example))
    at = [n for n, cell in enumerate(exercise_cells(work.example, current.asked)) if cell in missed]
    return replace(work, exercise=replace(current, missed=current.missed | frozenset(at)))
