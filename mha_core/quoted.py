"""What somebody gave, as a sentence repeats it: fenced off, quoted, cut short, of characters that can be shown."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from typing import Final

from mha_core.errors import N_, Said

MOST: Final = 40
"""So many characters are repeated as they are; of more the first ``START``, and how many they were."""
START: Final = 20
_CLOSING: Final = {"'": "'", '"': '"', "“": "”"}


class Quoted(Said):
    """A text with the marks that it stands in; ``said`` names its length in a language where it was cut."""

    def __init__(self, text: str) -> None:
        self.text = text

    def said(self, gettext: Callable[[str], str]) -> str:
        """``'abc'``, or ``'99999999999999999999…' (5,000 digits)``."""
        closing = _CLOSING.get(self.text[:1], "")
        inner = self.text[len(closing) : len(self.text) - len(closing)]
        opening = self.text[: len(closing)]
        if len(inner) <= MOST:
            return f"{opening}{_shown(inner)}{closing}"
        start = f"{opening}{_shown(inner[:START])}…{closing}"
        return gettext(DIGITS if inner.isdecimal() else CHARACTERS).format(
            start=start, count=f"{len(inner):,}"
        )


DIGITS: Final = N_("{start} ({count} digits)")
CHARACTERS: Final = N_("{start} ({count} characters)")


def _shown(text: str) -> str:
    """A terminal obeys some characters: those are spelled."""
    return isolated("".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text))


_TURNS: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""What turns the writing direction of the text after it."""


def isolated(text: str) -> str:
    """The text in a sentence: fenced off where it runs from right to left, or it turns an arrow beside it round."""
    bare = _TURNS.sub("", text)
    if any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in bare):
        return f"\u2068{bare}\u2069"
    return bare


def quoted(value: object) -> Quoted:
    """A value as Python writes it."""
    return _written(repr, value)


def quoted_json(value: object) -> Quoted:
    """A value as it stands in a file of JSON."""
    return _written(lambda one: json.dumps(one, ensure_ascii=False), value)


def _written(write: Callable[[object], str], value: object) -> Quoted:
    try:
        return Quoted(write(value))
    except (ValueError, TypeError, RecursionError):  # thousands of digits, or lists in lists
        return Quoted(type(value).__name__)
