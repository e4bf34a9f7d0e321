"""Tables of printed numbers: their digits, the place of each, and the text beside them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from math import isfinite
from typing import Final, NamedTuple

from mha_core.example.claims_file import printed_number

MAX_ROWS: Final = 64
NUMBER: Final = re.compile(
    r"[-+−–－]?\s?(?:\d+\.?\d*|\.\d+)(?:[eE][-+−]?\d+)?(?!\w)|[-−–]?\s?(?:\\infty|∞|inf(?:inity)?\b)",
    re.IGNORECASE,
)
_PLAIN: Final = re.compile(r"-?\d{1,30}(?:\.\d{0,30})?")
ELLIPSIS: Final = frozenset(("…", "...", "⋮", "⋯", "⋱", r"\cdots", r"\ldots", r"\dots", r"\vdots", r"\ddots"))
BLANK: Final = frozenset(("", "-", "?", "—", "–", "_", "__", "___", "nan", "none"))
_WRAPPED: Final = re.compile(
    r"\\(?:mathbf|boldsymbol|mathrm|text|textbf|bm|underline|mathit|boxed|hphantom|phantom|color|textcolor|displaystyle"
    r"|hline|toprule|midrule|bottomrule|quad|qquad|left|right|[,;:! ])(?![a-zA-Z])|[{}$*`~]|&nbsp;"
)
_SURD: Final = r"[\d.]*\s?(?:\\sqrt\s*\{?[\d.]+\}?|√\s?[({]?[\d.]+[)}]?|sqrt\([\d.]+\))"
_FRACTION: Final = re.compile(
    rf"([-+−]?)\s*\\[dt]?frac\s*\{{?\s*({_SURD}|[\d.]+)\s*\}}?\s*\{{?\s*({_SURD}|[\d.]+)\s*\}}?$"
)
_RATIO: Final = re.compile(rf"([-+−]?)\s*({_SURD}|[\d.]+)\s*[/⁄]\s*({_SURD}|[\d.]+)$")
_ROOT: Final = re.compile(rf"([-+−]?)\s*({_SURD})$")
EXACT: Final = re.compile(rf"[-+−]?\s?(?:{_SURD}(?:\s?/\s?(?:{_SURD}|[\d.]+))?|[\d.]+\s?/\s?{_SURD})")
"""A number written with a root."""


class Cell(NamedTuple):
    """A printed number, None where none was given, and its span. ``exact``: written as a fraction or a root.

    ``word``: it is neither a number nor a blank.
    """

    text: str | None
    start: int
    end: int
    exact: bool = False
    word: bool = False
    left_out: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of numbers in a text.

    ``start``, ``end``: its span with the brackets around it. ``found``: "latex", "brackets", "table" or "program".
    ``label``: what names it at its own place, such as a variable or a column's heading. ``part``: which one of the
    matrices of an array it is, and of how many. ``turned``: it is printed with a ᵀ behind it. ``row_labels``,
    ``column_labels``: the texts beside it.
    """

    rows: tuple[tuple[Cell, ...], ...]
    start: int
    end: int
    found: str
    label: str = ""
    part: tuple[int, int] | None = None
    turned: bool = False
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rows), len(self.rows[0])

    def values(self) -> tuple[tuple[float | None, ...], ...]:
        """The numbers."""
        return tuple(tuple(None if c.text is None else float(c.text) for c in row) for row in self.rows)

    def transposed(self) -> Grid:
        """With rows as columns."""
        return replace(
            self,
            rows=tuple(zip(*self.rows, strict=True)),
            row_labels=self.column_labels,
            column_labels=self.row_labels,
        )


def cell_of(text: str, start: int) -> Cell:
    """The cell in a piece of text that begins at ``start``."""
    inner = text.strip()
    at = start + (len(text) - len(text.lstrip()))
    if _PLAIN.fullmatch(inner):
        return Cell(printed(inner), at, at + len(inner))
    if inner.isalpha() and inner.lower() not in BLANK:
        return Cell(None, at, at + len(inner), word=inner.lower() not in ("inf", "infinity"))
    bare = _WRAPPED.sub(" ", re.sub(r"\\(?:text)?color\s*\{\w+\}", " ", inner)).strip().replace("\\%", "%")
    if bare.lower() in BLANK:
        return Cell(None, at, at + len(inner))
    if bare in ELLIPSIS:
        return Cell(None, at, at + len(inner), left_out=True)
    if bare.endswith("%") and (number := printed(bare)) is not None and (found := NUMBER.search(inner)):
        return Cell(number, at + found.start(), at + found.end())
    exact = exact_number(inner.strip("${} ")) or exact_number(bare)
    if exact is not None:
        return Cell(exact, at, at + len(inner), exact=True)
    found = NUMBER.search(inner)
    if found and (found[0].strip() == bare or printed(bare) == printed(found[0])):
        number = printed(found[0])
        if number is not None:
            lead = len(found[0]) - len(found[0].lstrip())
            return Cell(number, at + found.start() + lead, at + found.end())
    return Cell(None, at, at + len(inner), word=True)


def printed(text: str) -> str | None:
    """A number in plain characters, with its digits; None for any other text."""
    plain = unicodedata.normalize("NFKC", text).replace(r"\infty", "inf").replace("∞", "inf")
    plain = re.sub("[−–－]", "-", plain).replace(" ", "").removeprefix("+")
    if plain.lower() in ("-inf", "-infinity"):
        return "-inf"
    if plain.endswith("%"):
        part = printed_number(plain[:-1])
        return None if part is None else f"{float(part) / 100:.{max(2, len(part.partition('.')[2]) + 2)}f}"
    return printed_number(plain)


def exact_number(text: str) -> str | None:
    """A fraction or a root as a decimal with all its digits."""
    for pattern in (_FRACTION, _RATIO, _ROOT):
        found = pattern.match(text)
        if found:
            parts = [_size(part) for part in found.groups()[1:]]
            if None in parts or (len(parts) > 1 and not parts[1]):
                return None
            value = parts[0] / parts[1] if len(parts) > 1 else parts[0]  # type: ignore[operator]
            sign = "-" if found[1] in ("-", "−") else ""
            return printed_number(f"{sign}{value!r}") if isfinite(value or 0.0) else None
    return None


def _size(text: str) -> float | None:
    before, root, under = re.fullmatch(r"([\d.]*)\s*(\\?sqrt|√)?(.*)", text).groups()  # type: ignore[union-attr]
    factor = printed_number(before or "1")
    number = printed_number(re.sub(r"[^\d.]", "", under)) if root else "1"
    return None if factor is None or number is None else float(factor) * float(number) ** 0.5


def grid_of(rows: list[list[Cell]], start: int, end: int, found: str, label: str = "") -> Grid | None:
    """A grid, if rows are equally long, all cells are numbers or left out, and there is a number in it."""
    rows = [row for row in rows if row]
    if (
        not rows
        or len({len(row) for row in rows}) != 1
        or len(rows) > MAX_ROWS
        or len(rows[0]) > 16 * MAX_ROWS
    ):
        return None
    cells = [cell for row in rows for cell in row]
    if any(cell.word for cell in cells) or all(cell.text is None for cell in cells):
        return None
    return Grid(tuple(map(tuple, rows)), start, end, found, label)


def without_labels(
    rows: list[list[Cell]], texts: list[list[str]]
) -> tuple[list[list[Cell]], list[str], list[str]]:
    """The rows without a first row and a first column of labels, and these labels."""
    columns: list[str] = []
    if len(rows) > 1 and _is_heading(rows[0], rows[1:]):
        columns, rows, texts = texts[0], rows[1:], texts[1:]
    labels: list[str] = []
    if all(len(row) > 1 for row in rows) and any(row[0].word for row in rows):
        labels = [line[0] for line in texts]
        rows = [row[1:] for row in rows]
        columns = columns[1:] if len(columns) > len(rows[0]) else columns
    return rows, labels, columns


def _is_heading(first: list[Cell], others: list[list[Cell]]) -> bool:
    """Whether a row has words where other rows have numbers, or counts them beside their labels."""
    numbered = [[str(at + base) for at in range(len(first) - 1)] for base in (0, 1)]
    if (
        first[0].text is None
        and all(row[0].word for row in others)
        and [c.text for c in first[1:]] in numbered
    ):
        return True
    worded = [at for at, cell in enumerate(first) if cell.word]
    numbers = [at for at, cell in enumerate(first) if cell.text is not None]
    return bool(worded) and (not numbers or len(worded) > 1 or worded != [0]) and len(others) > 0
