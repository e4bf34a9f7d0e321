"""Tables of 24 tokens and six heads, which are too large to be shown as a whole."""

from typing import Any

from mha_core import Cell, to_token
from mha_ui.bench.model import payload
from tests.js.dom.works import after, opened, work
from tools.examples import narrow


def payloads() -> dict[str, Any]:
    large = opened(s=to_token(narrow(24, 12, 3, 6)))
    x = {"op": "set", "matrix": "x", "head": None, "row": 17, "col": 0, "values": [[3]]}
    works = {
        "large": large,
        "small": work("programming"),
        "edited": after(large, x),
        "with a copied head": after(large, x, {"op": "add_head", "copy": 0}),
        "at a cell": after(large, {"op": "pin", "cell": Cell("weights", 3, 20, 9)._asdict()}),
    }
    return {name: payload(work) for name, work in works.items()}
