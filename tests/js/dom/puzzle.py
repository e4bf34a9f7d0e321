"""The first puzzle as it begins, with a wrong number, and solved in several ways; and a puzzle with several goals."""

from dataclasses import replace
from typing import Any

from mha_core import Example
from mha_core.example.puzzle import Goal
from mha_core.example.share_link import packed
from mha_core.puzzle import built_in_puzzles, progress
from mha_core.puzzle.goals import holds
from mha_ui.bench.model import payload
from tests.js.dom.works import after, opened

FIRST = next(iter(built_in_puzzles()))


def payloads() -> dict[str, Any]:
    begun = opened(puzzle=FIRST)
    solution = begun.example.puzzle.solution
    other = {**solution[0], "row": 0, "values": [[1]]}
    works = {
        "begun": begun,
        "chinese": opened("zh", puzzle=FIRST),
        "solved": after(begun, *solution),
        "solved with one more": after(begun, other, *solution),
        "hard": opened(puzzle="one-job"),
        "shared key": opened(puzzle="shared-key"),
        "free": after(after(begun, *solution), {"op": "puzzle"}),
        "own": opened(s=packed(_of_our_own(begun.example))),
        "no puzzle": opened(example="first"),
    }
    return {**{name: payload(work) for name, work in works.items()}, "progress": _progress()}


def _progress() -> list[dict[str, Any]]:
    """For goals of every kind: numbers on the way, and how far they are."""
    goals = [
        Goal("weights", 0, 0, 0, "at_least", 0.8),
        Goal("scores", 0, 0, 0, "at_most", -2.0),
        Goal("scores", 0, 0, 0, "equals", 6.0),
        Goal("scores", 0, 0, 0, "equals", 0.25, 0.1),
    ]
    numbers = (-9.0, -2.0, -2.0000000001, 0.0, 0.16, 0.25, 0.5, 0.8, 0.7999999999, 3.0, 5.996, 6.0, 11.0)
    return [
        {
            "goal": {"relation": goal.relation, "number": goal.number, "within": goal.within, "start": start},
            "now": now,
            "met": holds(goal, now),
            "progress": progress(goal, start, now),
        }
        for goal in goals
        for start in (-1.0, 0.04, 4.0)
        for now in numbers
    ]


def _of_our_own(example: Example) -> Example:
    """A visitor's own puzzle, with two goals: the second is met from the start."""
    (goal,) = example.puzzle.goals
    goals = (goal, replace(goal, relation="at_most", number=1.0))
    return replace(example, puzzle=replace(example.puzzle, key="", goals=goals))
