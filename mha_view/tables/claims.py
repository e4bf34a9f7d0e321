"""Tables that somebody fills in: steps whose numbers are claims."""

from __future__ import annotations

from collections.abc import Collection

from mha_core.edit.claims import claimed_rows
from mha_core.example.model import Example
from mha_core.vocabulary import COMPUTED
from mha_view import payloads


def ask_for(
    data: payloads.TablesModel, example: Example, asked: Collection[str], *, is_exercise: bool = False
) -> None:
    """Change the tables of an example so that these steps are to be filled in, and nothing else can be changed.

    ``is_exercise``: no step that comes after them is shown.
    """
    if is_exercise:
        _end_at(data, max(map(COMPUTED.index, asked)))
    for name, matrix in data["matrices"].items():
        matrix["edit"] = False
        matrix["given"] = name not in data["steps"]
        if name in asked:
            matrix["claim"] = True
            matrix["scale"] = "claim"
            _claim(example, name, matrix)


def _end_at(data: payloads.TablesModel, last: int) -> None:
    """Leave out every step after this one, and what is given for these alone."""
    later = set(COMPUTED[last + 1 :])
    data["steps"] = {name: step for name, step in data["steps"].items() if name not in later}
    read = {name for step in data["steps"].values() for name, *_ in step["operands"]}
    data["matrices"] = {
        name: matrix
        for name, matrix in data["matrices"].items()
        if name in data["steps"] or (name in read and name not in later)
    }


def _claim(example: Example, name: str, matrix: payloads.Matrix) -> None:
    """A step's table as it has been filled in: "" where nothing was. What a head starts from is not asked for."""
    rows, cols = example.dims.shape(name)

    def table(head: int | None) -> list[list[str]]:
        claimed = claimed_rows(example, name, head) or [[None] * cols for _ in range(rows)]
        return [["" if cell is None else str(cell) for cell in row] for row in claimed]

    if not matrix["perHead"]:
        matrix["values"], matrix["edit"] = table(None), True
        return
    given = [getattr(head, name, None) is not None for head in example.heads]
    matrix["values"] = [
        rows if given[g] or rows is None else table(g) for g, rows in enumerate(matrix["values"])
    ]
    matrix["edit"] = [not one for one in given] if any(given) else True
