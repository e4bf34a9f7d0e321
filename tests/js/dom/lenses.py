"""The tables through each lens, and the sign that each cell must then have."""

from collections.abc import Iterator
from typing import Any

from mha_core import Cell, Example, trace
from mha_core.compare.diff import changes
from mha_core.compute.gradients import gradients
from mha_ui import state
from mha_ui.bench.model import payload
from mha_view.lenses.gradient import target
from tests.js.dom.works import after, work

PIN = {"op": "baseline"}
GRADIENT = {"op": "lens", "value": "gradient"}
X = {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 1, "values": [[3]]}
LARGER = ({"op": "add_token", "which": "tokens"}, {"op": "mask", "kind": "causal"})
SOFTER = {"op": "scale", "value": 16}


def payloads() -> dict[str, Any]:
    first, weight = work("first"), {"op": "pin", "cell": Cell("weights", 0, 1, 0)._asdict()}
    before = first.example
    pinned = after(first, PIN)
    changed = {
        "change": after(pinned, X),
        "change of size": after(pinned, X, *LARGER),
        "change of example": state.open_built_in(pinned, "water"),
    }
    derived = {
        "gradient": after(first, GRADIENT),
        "gradient of a weight": after(first, GRADIENT, weight),
        "gradient of the output": after(work("output-projection"), GRADIENT),
        "gradient with shared keys": after(work("grouped-query"), GRADIENT),
    }
    works = {
        "values": first,
        "restarted": work("first"),
        "baseline": pinned,
        "baseline removed": after(pinned, X, PIN | {"clear": True}),
        "gradient in Chinese": after(work("first", "zh"), GRADIENT),
        "saturated": after(work("saturated"), GRADIENT),
        "less saturated": after(work("saturated"), GRADIENT, SOFTER),
        **changed,
        **derived,
    }
    return {
        **{name: payload(work) for name, work in works.items()},
        "compared": payload(pinned, lens="gradient"),
        "compared by change": payload(pinned, lens="change"),
        "signs": {
            **{name: dict(_changed(work.example, before)) for name, work in changed.items()},
            **{name: dict(_derived(work)) for name, work in derived.items()},
        },
        "weights": [trace(one).matrix("weights", 0)[0][1] for one in (before, changed["change"].example)],
        "slope": gradients(first.trace, Cell("concat", None, 0, 0))["w_q"][0][0][0],
    }


def _key(name: str, head: int | None, row: int, col: int) -> str:
    return f"{name}|{'' if head is None else head}|{row}|{col}"


def _changed(now: Example, before: Example) -> Iterator[tuple[str, str]]:
    for (name, head), change in changes(trace(now), trace(before)).items():
        for i, row in enumerate(change.by):
            for j, by in enumerate(row):
                if by != 0:
                    yield _key(name, head, i, j), "new" if by is None else "up" if by > 0 else "down"


def _derived(work: state.Work) -> Iterator[tuple[str, str]]:
    at = target(work.trace, work.looking.pinned)
    found = gradients(work.trace, at)
    for name, matrix in payload(work)["matrices"].items():
        for head, rows in _parts(matrix["values"] if name not in found else found[name], matrix["perHead"]):
            for i, row in enumerate(rows):
                for j, slope in enumerate(row):
                    sign = "none" if name not in found else "plus" if slope > 0 else "minus" if slope else ""
                    if Cell(name, head, i, j) == at:
                        sign = "target"
                    if sign:
                        yield _key(name, head, i, j), sign


def _parts(rows: Any, per_head: bool) -> list[tuple[int | None, Any]]:
    """(head, matrix) of a matrix; a head that shares another's has none."""
    return [(head, one) for head, one in enumerate(rows) if one is not None] if per_head else [(None, rows)]
