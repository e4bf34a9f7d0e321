"""Input that a sentence repeats: isolated from the text around it, quoted, shortened, printable."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable
from difflib import SequenceMatcher
from heapq import nlargest
from typing import Final

from mha_core.errors import N_, Translatable

MOST: Final = 40
"""Up to so many characters are repeated in full; of longer texts the first ``START``, and their length."""
START: Final = 20
_CLOSING: Final = {"'": "'", '"': '"', "“": "”"}


class Quoted(Translatable):
    """A text with its quotation marks; ``translated`` adds its length where it was shortened."""

    def __init__(self, text: str) -> None:
        self.text = text

    def translated(self, gettext: Callable[[str], str]) -> str:
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
    """Terminals act on control characters, so these are escaped."""
    return isolated("".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text))


_DIRECTION_MARKS: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Characters that change the writing direction of the text after them."""


def isolated(text: str) -> str:
    """The text for a sentence: isolated where it runs from right to left, so that no arrow next to it is mirrored."""
    bare = _DIRECTION_MARKS.sub("", text)
    if any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in bare):
        return f"\u2068{bare}\u2069"
    return bare


def quoted(value: object) -> Quoted:
    """A value as Python writes it."""
    return _quoted(repr, value)


def quoted_json(value: object) -> Quoted:
    """A value as JSON writes it."""
    return _quoted(lambda data: json.dumps(data, ensure_ascii=False), value)


def similar(name: str, known: Iterable[str]) -> str:
    """The three of the known names that are most like a name, as a list."""
    near = nlargest(3, known, key=lambda one: SequenceMatcher(None, one[:100], name[:100]).ratio())
    return ", ".join(repr(one[:100]) for one in near)


def _quoted(write: Callable[[object], str], value: object) -> Quoted:
    try:
        return Quoted(write(value))
    except (ValueError, TypeError, RecursionError):  # thousands of digits, or lists in lists
        return Quoted(type(value).__name__)
