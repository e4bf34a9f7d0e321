"""Pages without a server, and what torch computes after the edits that are made in them."""

import json
from collections.abc import Iterator
from functools import reduce
from typing import Any

from mha_core import Example, built_in, library, trace
from mha_core.edit.matrices import filled
from mha_core.example.files import dump
from mha_core.example.model import divisor
from mha_core.messages import LANGUAGES
from mha_core.puzzle import after_solution, built_in_puzzles, changes
from mha_view.about import looks
from mha_view.page.data import page_data
from mha_view.tables import numbers
from mha_view.tables.backward import with_backward
from mha_view.walk import walked
from tests.apply import apply
from tests.sizes import EVERY_STAGE, at_length

HOSTILE = "</script><img src=x onerror=alert(1)>"


EXAMPLES: dict[str, Example] = {
    **library(),
    "sinks, norm": apply(
        apply(built_in("rotary"), {"op": "sinks", "on": True}), {"op": "norm", "kind": "rms", "eps": 0.5}
    ),
}


def payloads() -> dict[str, Any]:
    return {
        "pages": {name: page_data(trace(example), "en", 4, "") for name, example in EXAMPLES.items()},
        "edited": [case for name in EXAMPLES for case in _cases(name)],
        "linked": page_data(trace(built_in("first")), "en", 4, "https://course.example/attention"),
        "zh": page_data(trace(built_in("first")), "zh", 4, ""),
        "puzzles": {key: page_data(trace(puzzle), "en", 4, "") for key, puzzle in built_in_puzzles().items()},
        **_toward_a_goal(),
        "changed": {
            key: changes(puzzle, after_solution(puzzle)) for key, puzzle in built_in_puzzles().items()
        },
    }


def _toward_a_goal() -> dict[str, Any]:
    """A page that came with a goal, and what torch computes after two steps and then a number that is typed."""
    goal = {"step": "output", "targets": [[2, 0], None, [1, 1]], "rate": 0.05}
    aimed = apply(built_in("output-projection"), {"op": "learning", "learning": goal})
    edits: tuple[dict[str, Any], ...] = (
        {"op": "learn", "steps": 2},
        {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[3]]},
    )
    after = reduce(apply, edits, aimed)
    return {
        "goal": page_data(trace(aimed), "en", 4, ""),
        "goal edits": edits,
        "goal after": with_backward(trace(after), "en", 4),
        "goal file": json.loads(dump(after))["learning"],
    }


def _cases(name: str) -> Iterator[dict[str, Any]]:
    """Each edit of an example, and what the server would show after it.

    Of an example whose stages others have too, only the first edit, but all of them at length.
    """
    example = EXAMPLES[name]
    edits = list(_edits(example))
    for edit in edits if at_length() or name in (*EVERY_STAGE, "sinks, norm") else edits[:1]:
        computed = trace(apply(example, edit))
        yield {
            "name": name,
            "edit": edit,
            "tables": numbers(computed, "en", 4),
            "walk": walked(computed, "en"),
            "looks": {language: looks(computed, language) for language in LANGUAGES},
        }


def _edits(example: Example) -> Iterator[dict[str, Any]]:
    def set_to(matrix: str, head: int | None, value: object, row: int = 0, col: int = 0) -> dict[str, Any]:
        return {"op": "set", "matrix": matrix, "head": head, "row": row, "col": col, "values": [[value]]}

    def block(matrix: str, head: int, kind: str) -> dict[str, Any]:
        rows = getattr(example.heads[head], matrix)
        values = filled(len(rows), len(rows[0]), kind, 3)
        return set_to(matrix, head, 0) | {"values": values}

    if example.x:
        yield set_to("x", None, -1.5)
    if example.heads[0].w_k:
        yield set_to("w_k", 0, 0.75)
    if example.heads[0].v:
        yield set_to("v", 0, 7)
    if example.heads[0].slope is not None:
        yield set_to("slope", 0, 2)
    if example.heads[0].sink is not None:
        yield from (set_to("sink", 0, number) for number in (2, 40))
        yield set_to("g_k", 1, -3, col=1)
    if example.w_o:
        yield set_to("w_o", None, 3)
    if divisor(example) is not None:
        yield from ({"op": "scale", "value": value} for value in (2.5, 1 / 3))
    if example.heads[0].w_q:
        yield from (block("w_q", 0, kind) for kind in ("zeros", "identity", "random"))
    if example.mask and not isinstance(example.mask, str):
        yield set_to("mask", None, False)
