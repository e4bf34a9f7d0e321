"""“Read an article” without a text, with guesses, with two examples, with markup, and with a text that was refused."""

from __future__ import annotations

from typing import Any

from mha_core import built_in
from mha_ui.check.article import Desk, changed, payload, with_text
from mha_ui.check.article_words import words_of
from mha_ui.state import Work
from mha_ui.state.history import begun

OPEN = Desk(is_open=True)
HEADS = """# Two heads <b>by hand</b>

W_Q^1 = [[1, 0], [0, 1]], W_K^1 = [[1, 1], [0, 1]], W_V^1 = [[1, 0], [0, 2]]
W_Q^2 = [[0, 1], [1, 0]], W_K^2 = [[1, 0], [1, 1]], W_V^2 = [[2, 0], [0, 1]]

The sentence “one <img src=x onerror=alert(1)> three” has this input 🙂:

[[1, 0], [0, 1], [1, 1]]

Q_1 = [[1, 0], [0, 1], [1, 7]]

The timings were [[3.25, 4.5, 1.5], [7.25, 8.5, 2.5]].
"""
ONE = """Example {n}: X = [[{n}, 0], [0, 1]], W_Q = [[1, 2], [0, 1]], W_K = [[1, 0], [3, 1]], W_V = [[1, 0], [0, 1]].

Q = [[{n}, {q}], [0, 1]]

"""


def payloads() -> dict[str, Any]:
    english, chinese = (Work(begun(built_in("first"), "first"), lang) for lang in ("en", "zh"))
    heads = with_text(OPEN, HEADS, "heads.md")
    chosen = changed(heads, {"op": "choose", "choices": {"matrices": [_choice(7, "x"), _choice(6, "")]}})
    two = with_text(OPEN, ONE.format(n=1, q=2) + ONE.format(n=2, q=5), "two.md")
    return {
        "blank": payload(english, OPEN),
        "refused": payload(english, with_text(OPEN, b"\xff\xfe\x00", "a.txt")),
        "heads": payload(english, heads),
        "chosen": payload(english, chosen),
        "two": payload(english, two),
        "chinese": payload(chinese, with_text(OPEN, words_of("zh")["sample_text"], "")),
        "nothing": payload(english, with_text(OPEN, "No numbers here.", "a.md")),
    }


def _choice(at: int, name: str) -> dict[str, Any]:
    return {"at": at, "name": name, "head": None, "turned": False}
