"""The first example's walk, with numbers that no link holds, and with a question of the lecturer's own."""

from typing import Any

from tests.js.dom.planner import payloads as planned


def payloads() -> dict[str, Any]:
    walks = planned()
    return {
        "first": walks["first"],
        "questions": walks["questions"],
        "too large": {**walks["first"], "address": {}},
    }
