"""The lessons' marks, with the first lesson open, and with the second one after it."""

from typing import Any


def payloads() -> dict[str, Any]:
    words = {
        "read": "read to the end",
        "answered": "question answered",
        "told": "{read} of {all}, {answered}",
    }
    topics = ("one", "two")
    return {
        topic: {
            "topics": topics,
            "topic": topic,
            "title": topic,
            "place": {"lesson": topic},
            "isAnswered": False,
            "chosen": None,
            "isCleared": False,
            "words": words,
        }
        for topic in topics
    }
