"""The page of those who follow a lecture, and the walk of the first example in both languages."""

from typing import Any

from mha_core import built_in, to_token
from mha_view import follow
from tests.apply import apply

LECTURE = {"steps": [{"step": "k"}, {"step": "scores", "note": "mine"}, {"step": "q", "hidden": True}]}


def payloads() -> dict[str, Any]:
    taught = to_token(apply(built_in("first"), {"op": "lecture", "lecture": LECTURE}))
    return {
        "page": follow.page("en", "../", "", ""),
        **{language: follow.walk({"example": "first"}, language, 4) for language in ("en", "zh")},
        "with a lecture": follow.walk({"s": taught}, "en", 4),
    }
