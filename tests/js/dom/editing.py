"""The tables of the first example, and after an edit of X as the server has them."""

from typing import Any

from mha_ui.bench.model import payload
from tests.js.dom.works import after, work


def payloads() -> dict[str, Any]:
    x = {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[7]]}
    return {"explore": payload(work("first")), "edited": payload(after(work("first"), x))}
