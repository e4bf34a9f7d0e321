"""A text to read, with the place of every character in the file that it comes from."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["prose", "code", "output"]


_AT_LINE_ENDS: Final = re.compile(r"(?<![ \t\r])[ \t\r]+(?=\n|\Z)")
_QUOTED: Final = re.compile(r"^( {0,3})>(?=[ \t]|$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of a document's text: prose, a program, or what a program printed."""

    kind: Kind
    start: int
    end: int


@dataclass(frozen=True)
class Document:
    """``source``: the file's text. ``text``: what is read in it. ``origin``: the place in ``source`` of each character.

    ``writable``: whether numbers can be replaced in ``source``, which of a PDF file is only its text.
    """

    source: str
    text: str
    origin: Sequence[int]
    regions: tuple[Region, ...]
    format: str
    writable: bool = True

    def span(self, start: int, end: int) -> tuple[int, int]:
        """A span of the text as a span of the source."""
        if start >= end:
            at = self.origin[start] if start < len(self.origin) else len(self.source)
            return at, at
        return self.origin[start], self.origin[end - 1] + 1

    def line(self, at: int) -> int:
        """The line of the source, counted from 1, that a character of the text is in."""
        place = self.origin[at] if at < len(self.origin) else len(self.source)
        return bisect_right(self._lines, place)

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(at + 1 for at, character in enumerate(self.source) if character == "\n")]

    def output_start(self, at: int) -> int:
        """Where the output of a notebook's cell begins that the character is in, else 0: no text before it names it."""
        index = bisect_right(self._starts, at) - 1
        in_output = self.format == "ipynb" and index >= 0 and self.regions[index].kind == "output"
        return self.regions[index].start if in_output else 0

    @cached_property
    def _starts(self) -> list[int]:
        return [region.start for region in self.regions]


@dataclass
class Builder:
    """Collects a document's text piece by piece, with where each piece came from."""

    pieces: list[str] = field(default_factory=list)
    origin: list[int] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)

    def add(self, text: str, places: Sequence[int]) -> None:
        """A piece with the place of each of its characters."""
        self.pieces.append(text)
        self.origin.extend(places)

    def mark(self, text: str, at: int) -> None:
        """Characters that are not in the source, such as the bar between two cells."""
        self.add(text, [at] * len(text))

    def region(self, kind: Kind, start: int) -> None:
        """What was added since ``start`` is of this kind."""
        if len(self.origin) > start:
            self.regions.append(Region(kind, start, len(self.origin)))

    def document(self, source: str, format_name: str) -> Document:
        """What was collected."""
        return Document(source, "".join(self.pieces), self.origin, tuple(self.regions), format_name)


def tidied(text: str) -> tuple[str, Sequence[int]]:
    """The text without blanks and returns at the ends of lines and without signs of quotation, and where its characters
    come from.
    """
    shown = _QUOTED.sub(r"\1 ", text)
    pieces, origin, at = list[str](), list[int](), 0
    for found in _AT_LINE_ENDS.finditer(shown):
        pieces.append(shown[at : found.start()])
        origin += range(at, found.start())
        at = found.end()
    return "".join([*pieces, shown[at:]]), [*origin, *range(at, len(shown))]
