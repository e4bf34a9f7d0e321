"""Work that a link can hold, and work that is too large for one."""

from typing import Any

from mha_core.puzzle import built_in_puzzles
from mha_ui.bench.model import payload
from mha_ui.state.url import say_whether_too_large
from tests.js.dom.works import after, opened
from tests.ui.test_state import too_large_for_a_link


def payloads() -> dict[str, Any]:
    first = opened(example="first")
    large = too_large_for_a_link(first)
    x = {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[3]]}
    puzzle = opened(puzzle=next(iter(built_in_puzzles())))
    works = {
        "puzzle": puzzle,
        "first": first,
        "large": large,
        "said too": say_whether_too_large(large),
        "edited": after(large, x),
    }
    return {name: payload(work) for name, work in works.items()}
