"""An example without a goal, with one for each kind of step, after a step, and with goals that cannot be reached."""

from typing import Any

from mha_core import built_in, to_token, trace
from mha_ui.bench.model import payload
from tests.js.dom.works import after, opened
from tools.examples import narrow


def goal(step: str, targets: list[Any], rate: float) -> dict[str, Any]:
    return {"op": "learning", "learning": {"step": step, "targets": targets, "rate": rate}}


OUTPUT = goal("output", [[2, 0], None, None], 0.05)
TOO_FAR = goal("output", [[2, 0], None, None], 1.0)
EXPLODING = goal("output", [[2, 0], None, None], 1000.0)
LOOK = goal("weights", [[2, None, None], None], 0.5)
HIDDEN = goal("weights", [[4, None, None, None, None], None], 0.1)
CORNER = goal("weights", [[2, None, None]], 0.1)
MIDDLE = goal("weights", [[*[None] * 6, 7, *[None] * 5], None], 0.1)
NEXT = goal("weights", [[*[None] * 8, 6, *[None] * 3], None], 0.1)
ZEROS = {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[0, 0]]}


def payloads() -> dict[str, Any]:
    begun = opened(example="output-projection")
    aimed = after(begun, OUTPUT)
    long = opened(s=to_token(narrow(12, 6, 3, 2)))
    works = {
        "long": long,
        "long, a goal in the middle": after(long, MIDDLE),
        "long, another goal": after(long, NEXT),
        "no goal": begun,
        "output": aimed,
        "chinese": after(opened("zh", example="output-projection"), OUTPUT),
        "look": after(begun, LOOK),
        "one step": after(aimed, {"op": "learn", "steps": 1}),
        "two steps": after(aimed, {"op": "learn", "steps": 1}, {"op": "learn", "steps": 1}),
        "exploding": after(begun, EXPLODING),
        "exploded": after(begun, EXPLODING, {"op": "learn", "steps": 1}),
        "ten steps": after(aimed, {"op": "learn", "steps": 10}),
        "too far": after(begun, TOO_FAR, {"op": "learn"}),
        "undone": after(aimed, {"op": "learn", "steps": 1}, {"op": "undo"}),
        "moved": after(aimed, {**ZEROS, "values": [[3]]}),
        "hidden": after(opened(example="causal"), HIDDEN),
        "puzzle": opened(puzzle="book"),
        "lens": after(aimed, {"op": "lens", "value": "gradient"}),
        "corner": after(opened(example="cosine"), CORNER, ZEROS),
    }
    output = trace(built_in("output-projection")).matrix("output")
    return {**{name: payload(work) for name, work in works.items()}, "row": output[1]}
