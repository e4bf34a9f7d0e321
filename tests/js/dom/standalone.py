"""Pages without a server, and what torch computes after the edits that are made in them."""

from collections.abc import Iterator
from typing import Any

from mha_core import Example, built_in, library, trace
from mha_core.example.model import divisor
from mha_view.page.data import page_data
from mha_view.tables import numbers
from mha_view.walk import walked
from tests.apply import apply

HOSTILE = "</script><img src=x onerror=alert(1)>"


def payloads() -> dict[str, Any]:
    return {
        "pages": {name: page_data(trace(example), "en", 4, "") for name, example in library().items()},
        "edited": [case for name in library() for case in _cases(name)],
        "linked": page_data(trace(built_in("first")), "en", 4, "https://course.example/attention"),
        "zh": page_data(trace(built_in("first")), "zh", 4, ""),
    }


def _cases(name: str) -> Iterator[dict[str, Any]]:
    """Each edit of an example, and what the server would show after it."""
    example = built_in(name)
    for edit in _edits(example):
        computed = trace(apply(example, edit))
        yield {
            "name": name,
            "edit": edit,
            "tables": numbers(computed, "en", 4),
            "walk": walked(computed, "en"),
        }


def _edits(example: Example) -> Iterator[dict[str, Any]]:
    def set_to(matrix: str, head: int | None, value: object, row: int = 0, col: int = 0) -> dict[str, Any]:
        return {"op": "set", "matrix": matrix, "head": head, "row": row, "col": col, "values": [[value]]}

    if example.x:
        yield set_to("x", None, -1.5)
    if example.heads[0].w_k:
        yield set_to("w_k", 0, 0.75)
    if example.heads[0].v:
        yield set_to("v", 0, 7)
    if example.heads[0].slope is not None:
        yield set_to("slope", 0, 2)
    if example.w_o:
        yield set_to("w_o", None, 3)
    if divisor(example) is not None:
        yield from ({"op": "scale", "value": value} for value in (2.5, 1 / 3))
    if example.mask and not isinstance(example.mask, str):
        yield set_to("mask", None, False)
