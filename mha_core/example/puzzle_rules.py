"""The rules for a puzzle: its goals are cells of its example, and what may be changed are inputs."""

from __future__ import annotations

from collections.abc import Collection

from mha_core.errors import N_
from mha_core.example.model import MAX_NUMBER, MAX_TEXT, Dims, Example, absent_steps
from mha_core.example.puzzle import (
    CHANGEABLE,
    GOAL_MATRICES,
    MAX_EDITS,
    MAX_GOALS,
    MAX_HINTS,
    MAX_KEY,
    Goal,
    Puzzle,
)
from mha_core.example.readers import fail
from mha_core.example.rules import require_index, require_number
from mha_core.example.texts import in_languages, require_text
from mha_core.quoted import quoted
from mha_core.vocabulary import PER_HEAD


def require_puzzle(example: Example, puzzle: Puzzle, dims: Dims) -> None:
    """Raises ``ExampleError`` for the first place of the puzzle that breaks a rule."""
    if not 1 <= len(puzzle.goals) <= MAX_GOALS:
        raise fail(
            "puzzle.goals",
            N_("expected 1 to {most} goals, got {count}"),
            most=MAX_GOALS,
            count=len(puzzle.goals),
        )
    absent = absent_steps(example)
    for index, goal in enumerate(puzzle.goals):
        _require_goal(f"puzzle.goals[{index}]", goal, dims, absent)
    for index, name in enumerate(puzzle.change):
        _require_input(f"puzzle.change[{index}]", name, puzzle.change[:index])
    _require_few("puzzle.hints", len(puzzle.hints), MAX_HINTS)
    _require_few("puzzle.solution", len(puzzle.solution), MAX_EDITS)
    _require_texts(puzzle, dims)


def _require_goal(place: str, goal: Goal, dims: Dims, absent: Collection[str]) -> None:
    if goal.step not in GOAL_MATRICES:
        raise fail(f"{place}.step", N_("there is no step {name}"), name=quoted(goal.step))
    rows, cols = dims.shape(goal.step)
    if goal.step in absent or not rows or not cols:
        raise fail(f"{place}.step", N_("this example has no such step"))
    _require_head(f"{place}.head", goal, dims.h - 1)
    for name, index, size in (("row", goal.row, rows), ("col", goal.col, cols)):
        require_index(f"{place}.{name}", index, size)
    for name, number, low in ((goal.relation, goal.number, -MAX_NUMBER), ("within", goal.within, 0)):
        require_number(f"{place}.{name}", number, low)


def _require_head(place: str, goal: Goal, last: int) -> None:
    if goal.step not in PER_HEAD:
        if goal.head is not None:
            raise fail(place, N_("{name} belongs to the whole layer; do not give a head"), name=goal.step)
    elif goal.head is None:
        raise fail(
            place, N_("{name} has one matrix per head; give a head, 0 to {last}"), name=goal.step, last=last
        )
    elif not 0 <= goal.head <= last:
        raise fail(place, N_("expected a head from 0 to {last}, got {head}"), last=last, head=goal.head)


def _require_input(place: str, name: str, before: Collection[str]) -> None:
    if name not in CHANGEABLE:
        raise fail(place, N_("there is no input {name}"), name=quoted(name))
    if name in before:
        raise fail(place, N_("the input {name} appears here twice"), name=quoted(name))


def _require_few(place: str, count: int, most: int) -> None:
    if count > most:
        raise fail(place, N_("expected at most {most} entries, got {count}"), most=most, count=count)


def _require_texts(puzzle: Puzzle, dims: Dims) -> None:
    for index, hint in enumerate(puzzle.hints):
        for place, text in in_languages(f"puzzle.hints[{index}]", hint):
            require_text(place, text, MAX_TEXT)
    require_text("puzzle.key", puzzle.key, MAX_KEY)
    for language, tokens in puzzle.tokens.items():
        place = f"puzzle.tokens.{language}"
        if len(tokens) != dims.n_q:
            message = N_("expected {rows} {rows:token|tokens}, got {count}")
            raise fail(place, message, rows=dims.n_q, count=len(tokens))
        for index, token in enumerate(tokens):
            require_text(f"{place}[{index}]", token, MAX_TEXT)
