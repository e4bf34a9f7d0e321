"""Markdown: prose as it is, and fenced blocks as programs or as what programs print. Parsed by markdown-it-py."""

from __future__ import annotations

from itertools import accumulate
from typing import Final

from mha_core.errors import ReadError, needs
from mha_core.read.document import Document, Kind, Region, tidied

PROGRAMS: Final = frozenset(("python", "py", "python3", "ipython", "pycon", "julia", "r"))


def regions_of(text: str) -> tuple[Region, ...]:
    """The stretches of a Markdown text, in order and without gaps."""
    with needs("markdown-it-py", "read", ReadError):
        from markdown_it import MarkdownIt
    starts = [0, *accumulate(len(line) for line in text.splitlines(keepends=True))]
    regions, at = list[Region](), 0
    for token in MarkdownIt("commonmark").disable("inline").parse(text):
        if token.type != "fence" or token.map is None:
            continue
        first, last = (starts[min(line, len(starts) - 1)] for line in token.map)
        if first < at:
            continue
        language = token.info.strip().split(" ")[0].lower()
        kind: Kind = "code" if language in PROGRAMS else "output"
        regions += [Region("prose", at, first), Region(kind, first, last)]
        at = last
    regions.append(Region("prose", at, len(text)))
    return tuple(region for region in regions if region.end > region.start)


def from_markdown(text: str) -> Document:
    """The document of a Markdown text."""
    shown, origin = tidied(text)
    return Document(text, shown, origin, regions_of(shown), "md")
