"""Answers to programs, as plain data for JSON: ``mha-trace/1``, ``mha-explain/1``, and the verdict of a check.

The command line prints them and the server's routes send them. Indices count from 0; −∞ is ``"-inf"``.
"""

from __future__ import annotations

from typing import Any

from mha_core.check.check import check
from mha_core.check.outcome import Verdict
from mha_core.compute.derive import Cell, arithmetic, derive, feeds, number, step_of
from mha_core.compute.device import Backend
from mha_core.compute.graph import formula
from mha_core.compute.printed import claimed
from mha_core.compute.trace import trace
from mha_core.errors import N_, CellError, ExampleError
from mha_core.example.model import NEG_INF, Example
from mha_core.vocabulary import PER_HEAD


def traced(example: Example, where: Backend) -> dict[str, Any]:
    """``mha-trace/1``: every step, unrounded; of an example with a goal also the backward pass.

    Raises as ``trace`` and ``run_backward`` do.
    """
    computed = trace(example, where)
    answer: dict[str, Any] = {
        "format": "mha-trace/1",
        "device": computed.backend.device,
        "dtype": computed.backend.dtype,
        "steps": {name: _plain(rows) for name, rows in computed.values.items()},
    }
    return answer if example.learning is None else answer | {"backward": computed.backward}


def explained(example: Example, cell: Cell, where: Backend) -> dict[str, Any]:
    """``mha-explain/1``: what one cell is computed from, and what it feeds. A single head need not be named.

    Raises ``CellError`` where there is no such cell, and as ``trace`` does.
    """
    computed = trace(example, where)
    if cell.head is None and len(example.heads) == 1 and cell.name in PER_HEAD:
        cell = cell._replace(head=0)
    answer = {
        "format": "mha-explain/1",
        "cell": _cell(cell),
        "feeds": [_cell(fed) for fed in feeds(computed, cell)],
        "value": _plain(number(computed, cell)),
    }
    try:
        step, derivation = step_of(computed, cell), derive(computed, cell)
    except CellError:  # the cell has a number, so it exists: it is given, not computed
        return answer
    return answer | {
        "op": derivation.op,
        "formula": formula(step, example),
        "terms": [
            {"cells": [_cell(c) for c in term.cells], "numbers": _plain(list(term.numbers))}
            for term in derivation.terms
        ],
        "constant": _plain(derivation.constant),
        "arithmetic": arithmetic(derivation),
    }


def checked(example: Example) -> Verdict:
    """The check of an example's claimed numbers. Raises ``ExampleError`` where it claims none."""
    if not claimed(example):
        raise ExampleError(N_("there are no numbers to check"), place="claimed")
    return check(example)


def _cell(cell: Cell) -> dict[str, object]:
    return {"step": cell.name, "head": cell.head, "row": cell.row, "col": cell.col}


def _plain(value: Any) -> Any:
    """Numbers as JSON can express them: −∞ as "-inf"."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return "-inf" if value == NEG_INF else value
