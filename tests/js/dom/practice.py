"""An exercise of three tables at each of its turns, and one in which a known mistake was made."""

from typing import Any

from mha_ui import state
from mha_ui.check.model import check_payload
from tests.js.dom.works import after, claim, opened, work, written

HINT = {"op": "hint", "cell": {"name": "head_outputs", "head": 0, "row": 0, "col": 0}}


def payloads() -> dict[str, Any]:
    begun = opened(example="first", ask="head_outputs.concat", seed="3")
    solved = [claim("head_outputs", head, written(begun, "head_outputs", head)) for head in (0, 1)]
    last = claim("concat", None, written(begun, "concat", None))
    wrong = claim("head_outputs", 0, [["99"]])
    finished = after(begun, wrong, HINT, *solved, last)
    works = {
        "begun": begun,
        "set here": state.set_exercise(work("first"), ("head_outputs",), 3),
        "wrong": after(begun, wrong),
        **{f"hint {count}": after(begun, *[HINT] * count) for count in (1, 2, 3, 4)},
        "hint for the wrong number": after(begun, wrong, HINT),
        "first step done": after(begun, solved[0]),
        "finished": finished,
        "another": after(finished, {"op": "another_exercise"}),
        "not divided": _not_divided(),
    }
    return {name: check_payload(work) for name, work in works.items()}


def _not_divided() -> state.Work:
    """The scores filled in where they are to be divided by √d_k."""
    begun = opened(example="first", ask="scaled_scores.weights", seed="3")
    return after(begun, claim("scaled_scores", 0, written(begun, "scores", 0)))
