"""What the bench is told on the page Check: inputs to read, claims to fill in, and what the check found."""

from __future__ import annotations

from typing import Any

from mha_core import Example
from mha_core.edit.claims import claimed_rows
from mha_core.exercise.exercise import varies
from mha_core.vocabulary import PER_HEAD_STEPS, STEPS
from mha_ui.bench.model import payload
from mha_ui.state import Work, link_for_class


def check_payload(work: Work) -> dict[str, Any]:
    """The bench's data with every computed step to be filled in: in an exercise only those asked for, and none that
    comes after them.
    """
    data = payload(work, lens="check")
    asked = work.exercise.asked if work.exercise else STEPS
    if work.exercise:
        _end_at(data, max(map(STEPS.index, asked)))
    for name, matrix in data["matrices"].items():
        matrix["edit"] = False
        matrix["given"] = name not in data["steps"]
        if name in asked:
            matrix |= {"claim": True, "scale": "claim", **_claims(work.example, name, matrix)}
    data["asks"] |= {
        "numbers": False,
        "about": False,
    }  # what is right is not told; a claim changes nothing else
    link = link_for_class(work, asked) if work.exercise and varies(work.example) else ""
    begun = work.exercise.begun if work.exercise else 0
    return data | {
        "about": "",
        "looks": [],
        "pinned": None,
        "dead": None,
        "class_link": link,
        "begun": begun,
    }


def _end_at(data: dict[str, Any], last: int) -> None:
    """Leave out every step after this one, and what is given for these alone."""
    later = set(STEPS[last + 1 :])
    data["steps"] = {name: step for name, step in data["steps"].items() if name not in later}
    read = {name for step in data["steps"].values() for name, *_ in step["operands"]}
    data["matrices"] = {
        name: matrix
        for name, matrix in data["matrices"].items()
        if name in data["steps"] or (name in read and name not in later)
    }


def _claims(example: Example, name: str, matrix: dict[str, Any]) -> dict[str, Any]:
    """A step's table as it has been filled in: "" where nothing was. What a head starts from is not asked for."""
    rows, cols = example.dims.shape(name)

    def table(head: int | None) -> list[list[str]]:
        claimed = claimed_rows(example, name, head) or [[None] * cols for _ in range(rows)]
        return [["" if cell is None else str(cell) for cell in row] for row in claimed]

    if name not in PER_HEAD_STEPS:
        return {"values": table(None), "edit": True}
    given = [getattr(head, name, None) is not None for head in example.heads]
    values = [
        matrix["values"][g] if given[g] or matrix["values"][g] is None else table(g)
        for g in range(len(example.heads))
    ]
    return {"values": values, "edit": [not one for one in given] if any(given) else True}
