"""Pictures of every built-in example before and after an edit of X, as the server draws them, and the numbers."""

from typing import Any

from mha_core import library
from mha_ui import state
from mha_ui.bench.model import payload
from mha_view.figures import FIGURES
from mha_view.language import words_in
from tests.js.dom.works import after, work


def payloads() -> dict[str, Any]:
    x = {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[1.25]]}
    mask = {"op": "mask", "kind": "causal"}
    return {
        "examples": {name: changed(work(name), x) for name in library()},
        "masked": changed(work("first"), mask),
        "large": changed(work("first"), x | {"values": [[70]]}),
    }


def changed(before: state.Work, edit: dict[str, Any]) -> dict[str, Any]:
    """The pictures before and after, and the tables after."""
    then = after(before, edit)
    return {"before": pictures(before), "after": pictures(then), "model": payload(then)}


def pictures(work: state.Work) -> dict[str, Any]:
    """Each of the live pictures that the example has."""
    return {
        name: picture.build(work.trace, theme="light", words=words_in("en"), query=0).payload
        for name, picture in FIGURES.items()
        if picture.is_live and picture.available(work.trace)
    }
