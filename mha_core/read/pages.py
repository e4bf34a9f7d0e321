"""HTML: the text of a page, with bars between the cells of tables, and what it shows as code.

The standard library's parser is used because it says where in the file each piece is, which numbers are corrected by.
"""

from __future__ import annotations

from html import unescape
from html.parser import HTMLParser
from typing import Final

from mha_core.read.document import Builder, Document, Kind

_HIDDEN: Final = frozenset(("script", "style", "head", "noscript", "template", "annotation", "svg"))
_BLOCKS: Final = frozenset(
    (
        "p div br li ul ol tr table h1 h2 h3 "
        "h4 h5 h6 section figure figcaption caption pre blockquote math mtable mtr"
    ).split()
)
_TABLES: Final = frozenset(("table", "mtable"))
_CELLS: Final = frozenset(("td", "th", "mtd"))
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_BEFORE: Final = {"td": "| ", "th": "| ", "mtd": "| ", "sub": "_", "sup": "^"}


def from_html(text: str) -> Document:
    """The document of a page."""
    page = _Page(text)
    page.feed(text)
    page.close()
    page.end_region()
    return page.built.document(text, "html")


class _Page(HTMLParser):
    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=False)
        self.built = Builder()
        self.source = source
        self.lines = [0, *(at + 1 for at, character in enumerate(source) if character == "\n")]
        self.hidden = 0
        self.pre = 0
        self.start = 0
        self.tables = 0
        self.in_cell = False

    def _at(self) -> int:
        line, column = self.getpos()
        return min(self.lines[line - 1] + column, len(self.source) - 1)

    def end_region(self) -> None:
        """Close the stretch of prose, or of a program, that has been read so far."""
        kind: Kind = "output" if self.pre else "prose"
        self.built.region(kind, self.start)
        self.start = len(self.built.origin)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what is hidden and what is code, and mark rows and cells."""
        if tag in _HIDDEN and not any(
            name == "type" and "math/tex" in (value or "") for name, value in attrs
        ):
            self.hidden += 1
        elif tag in _BLOCKS:
            self.built.mark(" " if self.in_cell else "\n", self._at())
        if tag in _TABLES:
            self.tables += 1
        if tag in _CELLS:
            self.in_cell = True
        if tag in _HEADINGS:
            self.built.mark("# ", self._at())
        if tag == "pre":
            self.end_region()
            self.pre += 1
        if tag in _BEFORE and not self.hidden:
            self.built.mark(_BEFORE[tag], self._at())

    def handle_endtag(self, tag: str) -> None:
        """The end of what the start has noted."""
        if tag in _HIDDEN:
            self.hidden = max(0, self.hidden - 1)
        if tag == "pre" and self.pre:
            self.end_region()
            self.pre -= 1
        if tag in _TABLES:
            self.tables = max(0, self.tables - 1)
        if tag in _CELLS:
            self.in_cell = False
        if tag in ("tr", "mtr"):
            self.built.mark("|", self._at())
        if tag in ("table", "mtable", "p", "pre") or tag in _HEADINGS:
            self.built.mark("\n", self._at())

    def handle_data(self, data: str) -> None:
        """Text between tags."""
        if self.hidden or (self.tables and not data.strip()):
            return
        at = self._at()
        self.built.add(data.replace("\n", " ") if self.in_cell else data, range(at, at + len(data)))

    def handle_entityref(self, name: str) -> None:
        """A named character."""
        self._character(f"&{name};")

    def handle_charref(self, name: str) -> None:
        """A numbered character."""
        self._character(f"&#{name};")

    def _character(self, written: str) -> None:
        if not self.hidden:
            self.built.mark(unescape(written), self._at())
