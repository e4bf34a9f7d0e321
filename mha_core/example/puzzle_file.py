"""A puzzle in the file format: decoded JSON → ``Puzzle`` and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, NotRequired, TypedDict

from mha_core.errors import N_
from mha_core.example.puzzle import RELATIONS, STAGES, WITHIN, Goal, Puzzle, Stage
from mha_core.example.readers import (
    fail,
    number_json,
    one_of,
    read_count,
    read_float,
    read_list,
    read_object,
    read_string,
    read_strings,
    read_texts,
    text_json,
)
from mha_core.messages import LANGUAGES
from mha_core.quoted import quoted_json


class GoalJson(TypedDict):
    """A goal in a file: exactly one of ``at_least``, ``at_most`` and ``equals``; ``within`` only with the last."""

    step: str
    head: NotRequired[int]
    row: int
    col: int
    at_least: NotRequired[float]
    at_most: NotRequired[float]
    equals: NotRequired[float]
    within: NotRequired[float]


class PuzzleJson(TypedDict):
    """A puzzle in a file (``mha_core.example.puzzle``)."""

    goals: list[GoalJson]
    change: NotRequired[list[str]]
    hints: NotRequired[list[str | dict[str, str]]]
    solution: NotRequired[list[dict[str, object]]]
    stage: NotRequired[Stage]
    key: NotRequired[str]
    tokens: NotRequired[dict[str, list[str]]]


def read_puzzle(value: object, place: str) -> Puzzle:
    """A puzzle from decoded JSON, before ``validate``; ``ExampleError`` where it breaks the format."""
    fields = _given(read_object(value, place, _PUZZLE))
    return Puzzle(
        **{"goals": ()} | {name: _PUZZLE[name](item, f"{place}.{name}") for name, item in fields.items()}
    )


def puzzle_json(puzzle: Puzzle) -> dict[str, object]:
    """A puzzle as plain JSON data."""
    data = {
        "goals": [_goal_json(goal) for goal in puzzle.goals],
        "change": list(puzzle.change),
        "hints": [text_json(hint) for hint in puzzle.hints],
        "solution": [_thawed(edit) for edit in puzzle.solution],
        "stage": puzzle.stage,
        "key": puzzle.key,
        "tokens": {language: list(tokens) for language, tokens in sorted(puzzle.tokens.items())},
    }
    return {name: value for name, value in data.items() if value}


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: item for name, item in fields.items() if item is not None}


def _goals(value: object, place: str) -> tuple[Goal, ...]:
    return tuple(_goal(item, f"{place}[{i}]") for i, item in enumerate(read_list(value, place)))


def _goal(value: object, place: str) -> Goal:
    given = _given(read_object(value, place, _GOAL))
    relations = [name for name in RELATIONS if name in given]
    if len(relations) != 1:
        raise fail(place, N_("expected one of at_least, at_most and equals"))
    if "within" in given and relations != ["equals"]:
        raise fail(f"{place}.within", N_("is not used without {setting}"), setting='"equals"')
    for name in ("step", "row", "col"):
        if name not in given:
            raise fail(f"{place}.{name}", N_("missing"))
    read = {name: _GOAL[name](item, f"{place}.{name}") for name, item in given.items()}
    number = read.pop(relations[0])
    return Goal(**{"head": None} | read, relation=relations[0], number=number)


def _goal_json(goal: Goal) -> dict[str, object]:
    data = {
        "step": goal.step,
        "head": goal.head,
        "row": goal.row,
        "col": goal.col,
        goal.relation: number_json(goal.number),
        "within": None if goal.within == WITHIN else number_json(goal.within),
    }
    return _given(data)


def _edits(value: object, place: str) -> tuple[Mapping[str, Any], ...]:
    return tuple(_edit(item, f"{place}[{i}]") for i, item in enumerate(read_list(value, place)))


def _edit(value: object, place: str) -> dict[str, Any]:
    """An edit as data. Which fields it needs, ``mha_core.edit`` knows."""
    if not isinstance(value, dict):
        raise fail(place, N_("expected a JSON object, got {got}"), got=quoted_json(value))
    read_string(value.get("op"), f"{place}.op")
    return {name: _frozen(item, f"{place}.{name}") for name, item in value.items()}


def _frozen(value: Any, place: str) -> Any:
    """The same data with tuples in place of lists. Numbers are those of JSON."""
    if isinstance(value, dict):
        return {name: _frozen(item, f"{place}.{name}") for name, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_frozen(item, f"{place}[{i}]") for i, item in enumerate(value))
    if isinstance(value, float) and not isfinite(value):
        raise fail(place, N_("expected a finite number, got {name}"), name=quoted_json(value))
    return value


def _thawed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _thawed(item) for name, item in value.items()}
    return [_thawed(item) for item in value] if isinstance(value, list | tuple) else value


def _tokens(value: object, place: str) -> dict[str, tuple[str, ...]]:
    fields = read_object(value, place, dict.fromkeys(LANGUAGES))
    return {name: read_strings(item, f"{place}.{name}") for name, item in fields.items()}


_PUZZLE: dict[str, Callable[[object, str], Any]] = {
    "goals": _goals,
    "change": read_strings,
    "hints": read_texts,
    "solution": _edits,
    "stage": one_of(STAGES),
    "key": read_string,
    "tokens": _tokens,
}
_GOAL: dict[str, Callable[[object, str], Any]] = {
    "step": read_string,
    "head": read_count,
    "row": read_count,
    "col": read_count,
    **dict.fromkeys(RELATIONS, read_float),
    "within": read_float,
}
