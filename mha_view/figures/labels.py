"""Text in figures: escaped tokens, short numbers.

A token can be any text. Plotly interprets a subset of HTML and, where MathJax is loaded, TeX between dollar signs.
Entities prevent both: Plotly looks for tags and TeX first and decodes entities last.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from html import unescape
from typing import NamedTuple

from mha_core.numbers import significant, typeset, without_zeros
from mha_core.quoted import isolated
from mha_view.language import Words

LONGEST = 14
"""Characters of a token that a label shows."""
LINE = 40
"""Characters of a line of a hover label."""
LISTED = 8
"""Items that a text alternative spells out before it counts the rest."""

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;"})
_AFTER_FULL_WIDTH = re.compile("(?<=[。，：；！？）]) ")
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
"""Control characters, which are not allowed in SVG, and overrides of the writing direction."""
_JOINERS = "\u200d\ufe0e\ufe0f"
_SUBSCRIPT = re.compile(r"_(\w+)")


class Labels(NamedTuple):
    """Three texts for every token. ``ticks``: short and escaped. ``full``: whole and escaped, for hovering. ``names``:
    short, not escaped, and with the position if the token repeats, for titles and text alternatives.
    """

    ticks: tuple[str, ...]
    full: tuple[str, ...]
    names: tuple[str, ...]


@lru_cache(maxsize=256)
def labels(tokens: tuple[str, ...]) -> Labels:
    """All labels of one axis."""
    lines = [one_line(token) for token in tokens]
    short = [shorten(line) for line in lines]
    counts = Counter(short)
    names = [f"{name} ({i})" if counts[name] > 1 else name for i, name in enumerate(short, start=1)]
    return Labels(
        ticks=tuple(escape(name) for name in short),
        full=tuple(wrap(line) for line in lines),
        names=tuple(isolated(name) for name in names),
    )


def label(token: str) -> str:
    """A token as a short label that Plotly shows literally: ``label("<b>")`` is ``"&lt;b&gt;"``."""
    return escape(shorten(one_line(token)))


def one_line(token: str) -> str:
    """The token on one line, without invisible characters; ``␣`` if nothing is left."""
    return " ".join(_INVISIBLE.sub("", token).split()) or "␣"


def shorten(line: str) -> str:
    """At most ``LONGEST`` characters; the last is an ellipsis if some are left out."""
    if len(line) <= LONGEST:
        return line
    start = line[: LONGEST - 1].rstrip(_JOINERS + " ")
    while len(start) > 1 and unicodedata.combining(line[len(start)]):
        start = start[:-1]  # a mark stays with its letter
    return start + "…"


def wrap(line: str) -> str:
    """The whole token, escaped, in lines that fit a hover label."""
    return "<br>".join(escape(isolated(line[start : start + LINE])) for start in range(0, len(line), LINE))


def escape(text: str) -> str:
    """Text that Plotly shows literally."""
    return text.translate(_ENTITIES)


def subscripts(symbol: str) -> str:
    """A matrix's letter as Plotly sets it: ``subscripts("W_Q")`` is ``W<sub>Q</sub>``."""
    return _SUBSCRIPT.sub(r"<sub>\1</sub>", symbol)


def width(label_text: str) -> int:
    """About how many pixels a label, escaped or not, takes at 12 px."""
    return sum(_advance(character) for character in unescape(label_text))


def _advance(character: str) -> int:
    if unicodedata.east_asian_width(character) in "WF":
        return 16 if character >= "\U0001f000" else 12  # an emoji, or 中
    return 7


def number(value: float) -> str:
    """A number in a cell: two decimals where they suffice, else two digits and an exponent.

    ``number(1.5)`` is ``1.5``, ``number(-120000)`` is ``−1.2e5``, ``number(-inf)`` is ``−∞``.
    """
    if 0.005 <= abs(value) < 1e4:
        return typeset(without_zeros(f"{value:.2f}"))
    return significant(value, 2)


def weight(value: float) -> str:
    """A weight in a cell: always two decimals, so that the numbers of a row can be compared."""
    return f"{value:.2f}" if 0 <= value <= 1 else number(value)


def exact(value: float) -> str:
    """A number when hovering: four digits."""
    return significant(value, 4)


def prose(sentences: Iterable[str]) -> str:
    """Sentences one after another. No space follows full-width punctuation."""
    return _AFTER_FULL_WIDTH.sub("", " ".join(sentences))


def named(name: str, text: str, words: Words) -> str:
    """A sentence about what is named before it."""
    return words("{name}: {text}.").format(name=name, text=text)


def listing(items: Sequence[str], words: Words) -> str:
    """The first few items, and how many more there are."""
    shown = words(", ").join(items[:LISTED])
    if len(items) <= LISTED:
        return shown
    return words("{items} and {count} more").format(items=shown, count=len(items) - LISTED)
