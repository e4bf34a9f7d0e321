"""An exercise on a page without a server: the sheet, and the hints for each of its numbers.

The page marks the numbers itself (``web/page/grade.js``). What calls for a search, such as the mistake that explains a
wrong number, only ``mha check`` finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypedDict

from mha_core.compute.trace import Trace
from mha_core.exercise.hints import Hint, exercise_cells, hints
from mha_core.exercise.judged import judged
from mha_view import payloads
from mha_view.lenses.lens import Exercise
from mha_view.lenses.practice import practice
from mha_view.payloads import cell_data
from mha_view.tables.backward import join, with_backward
from mha_view.tables.claims import ask_for


class CellHints(TypedDict):
    """The hints for a number. ``early``: those that keep secret what else is asked for, where that changes them."""

    cell: payloads.Cell
    all: Sequence[Hint]
    early: Sequence[Hint] | None


class PageExercise(TypedDict):
    """An exercise with nothing filled in; ``hints``: for each of its cells in order."""

    tables: payloads.TablesModel
    check: payloads.Check
    hints: Sequence[CellHints]


def exercise_of(trace: Trace, asked: tuple[str, ...], language: str, decimals: int) -> PageExercise:
    """The exercise in which these steps of an example are worked out."""
    example = replace(trace.example, claimed=None)
    tables = with_backward(trace, language, decimals)
    join(tables)
    ask_for(tables, example, asked, is_exercise=True)
    tables["dead"] = None
    verdict, cells = judged(example), exercise_cells(example, asked)
    found: list[CellHints] = []
    for cell in cells:
        early, every = (hints(verdict, cell, language, left) for left in (cells, ()))
        found.append({"cell": cell_data(cell), "all": every, "early": None if early == every else early})
    return {"tables": tables, "check": practice(Exercise(asked), verdict, language), "hints": found}
