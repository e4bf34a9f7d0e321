"""Exercises on a page without a server, and which of somebody's numbers the server finds right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import torch

from mha_core import Example, built_in, trace
from mha_core.example.model import kv_head_of
from mha_core.exercise.hints import exercise_tables
from mha_view.lenses.check import check
from mha_view.lenses.lens import Exercise, Lens
from mha_view.page.data import page_data
from mha_view.payloads import Value

ASKED = {
    "first": ("weights", "head_outputs"),
    "causal": ("scores", "masked_scores", "weights"),
    "output-projection": ("q", "scores", "weights", "concat", "output"),
    "grouped-query": ("k", "weights", "head_outputs"),
    "padding": ("weights", "head_outputs", "concat"),
}
Table = tuple[str, int | None]
Sheet = dict[Table, list[list[str]]]


def asking(name: str) -> Example:
    return replace(built_in(name), asked=ASKED[name])


def payloads() -> dict[str, Any]:
    pages = {name: page_data(trace(asking(name)), "en", 4, "") for name in ASKED}
    return {"pages": pages, "sheets": [one for name in ASKED for one in _sheets(asking(name))]}


def _sheets(example: Example) -> Iterator[dict[str, Any]]:
    """Sheets that are right, coarse, cut off, nearly right, half empty, and with errors that others follow from."""
    drawn = Random(7)
    for written in (_rounded(2), _rounded(3), _rounded(0), _cut(3), _last_digit_off(drawn)):
        yield _judged(example, _filled(example, written))
    half = _filled(example, _rounded(2))
    for rows in half.values():
        for cells in rows[1:]:
            cells[0] = ""
    yield _judged(example, half)
    for _ in range(4):
        wrong = _filled(example, _rounded(2))
        name, head = drawn.choice(list(wrong))
        rows = wrong[name, head]
        row, col = drawn.randrange(len(rows)), drawn.randrange(len(rows[0]))
        rows[row][col] = "9.25"
        yield _judged(example, wrong)
        if name == "weights" and head is not None and ("head_outputs", head) in wrong:
            yield _judged(example, _followed(example, wrong, head))


def _followed(example: Example, sheet: Sheet, head: int) -> Sheet:
    """The head outputs as they follow from the weights on a sheet."""
    weights = torch.tensor(
        [[float(text) for text in row] for row in sheet["weights", head]], dtype=torch.float64
    )
    values = torch.tensor(trace(example).matrix("v", kv_head_of(example, "v", head)), dtype=torch.float64)
    outputs = (weights @ values).tolist()
    return {**sheet, ("head_outputs", head): [[_rounded(2)(number) for number in row] for row in outputs]}


def _rounded(decimals: int):
    return lambda number: "-inf" if number == float("-inf") else f"{number:.{decimals}f}"


def _cut(decimals: int):
    return lambda number: _rounded(decimals + 6)(number)[: -6 if number > float("-inf") else None]


def _last_digit_off(drawn: Random):
    return lambda number: _rounded(2)(number + drawn.choice((0.0, 0.006)))


def _filled(example: Example, written: Any) -> Sheet:
    computed = trace(example)
    return {
        (name, head): [[written(number) for number in row] for row in computed.matrix(name, head)]
        for name, head in exercise_tables(example, example.asked or ())
    }


def _judged(example: Example, sheet: Sheet) -> dict[str, Any]:
    claimed: dict[str, Any] = {}
    for (name, head), rows in sheet.items():
        table = tuple(tuple(text or None for text in row) for row in rows)
        if head is None:
            claimed[name] = table
        else:
            claimed.setdefault(name, [None] * len(example.heads))[head] = table
    claims = {name: tuple(table) for name, table in claimed.items()}
    computed = trace(replace(example, claimed=claims))
    marks = check(Lens("check", 4, exercise=Exercise(example.asked or ())), computed, "en")["marks"]
    tables: list[tuple[str, int | None, list[list[Value]]]] = [
        (name, head, [list(row) for row in rows]) for (name, head), rows in sheet.items()
    ]
    name = next(name for name in ASKED if asking(name).title == example.title)
    return {"name": name, "tables": tables, "marks": marks}
