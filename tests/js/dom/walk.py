"""Walkthroughs of examples, and what Python computes of the first: its places and its numbers."""

from typing import Any

from mha_core import built_in, to_token, trace
from mha_core.compute.derive import cells
from mha_ui.state.url import work_at
from mha_ui.walkthrough.model import payload
from tests.apply import apply
from tests.js.dom.works import work
from tools.drive.walk import places

NAMES = ("first", "water", "grouped-query", "causal", "programming")
MARKUP = '<img src=x onerror="document.title=1"> $x$ **b**'


def payloads() -> dict[str, Any]:
    first = trace(built_in("first"))
    rename = {"op": "rename_token", "which": "tokens", "index": 0, "text": MARKUP}
    renamed = apply(built_in("first"), rename)
    sunk = apply(built_in("programming"), {"op": "sinks", "on": True})
    return {
        **{name: payload(work(name)) for name in NAMES},
        "sinks": payload(work_at({"s": to_token(sunk)}, "en")),
        "markup": payload(work_at({"s": to_token(renamed)}, "en")),
        "water in Chinese": payload(work_at({"example": "water", "lang": "zh"}, "zh")),
        "places": [places(first, depth) for depth in range(3)],
        "numbers": {
            "|".join("" if part is None else str(part) for part in cell): first.matrix(cell.name, cell.head)[
                cell.row
            ][cell.col]
            for cell in cells(first)
        },
    }
