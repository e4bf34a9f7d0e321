"""A matrix from pasted text: a spreadsheet's block, CSV, ``[[1, 2], [3, 4]]``, LaTeX, a Markdown table, NumPy, torch.

Cells keep the digits that were printed; blanks, ``-``, ``?`` and ``…`` are cells that were not given.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, TypeAlias

from mha_core.errors import N_, ExampleError
from mha_core.files import printed_number

Cells: TypeAlias = tuple[tuple["str | None", ...], ...]
"""Rows of printed numbers, None where none was given."""

MAX_TEXT: Final = 200_000
MAX_CELLS: Final = 64 * 64 * 16

_BLANK: Final = {"", "-", "?", "…", "...", "—", "nan", "none", "null"}
_ENVIRONMENT: Final = re.compile(
    r"\\begin\{([a-zA-Z]*matrix|array)\*?\}(?:\{[^}]*\})?(.*?)\\end\{\1\*?\}", re.DOTALL
)
_COMMAND: Final = re.compile(r"\\(?:hline|cdot|quad|qquad|,|;|!|text|mathrm|mathbf|phantom)\b|\\[,;!]|[{}$]")
_RULE: Final = re.compile(r"^[\s|:+=-]*-[\s|:+=-]*$")


def read_matrices(text: str) -> list[Cells]:
    """Every matrix in the text, in order; a list of matrices is one for each head.

    Raises ``ExampleError`` naming the row and column of what is no number, or of a row that is too short.
    """
    if len(text) > MAX_TEXT:
        raise ExampleError(N_("the text is longer than {most} characters"), most=MAX_TEXT)
    plain = _plain(text)
    found = [_cells(rows) for rows in _blocks(plain)]
    if not found:
        raise ExampleError(N_("there is no number in this text"))
    if sum(len(rows) * len(rows[0]) for rows in found) > MAX_CELLS:
        raise ExampleError(N_("there are more than {most} cells"), most=MAX_CELLS)
    return found


def _plain(text: str) -> str:
    """Full-width characters and the many minus signs made plain, line ends too."""
    text = unicodedata.normalize("NFKC", text).replace("\r\n", "\n").replace("\r", "\n")
    return re.sub("[−–‒﹣－]", "-", text)


def _blocks(text: str) -> list[list[list[str]]]:
    """Rows of cell texts, for each matrix."""
    environments = [match.group(2) for match in _ENVIRONMENT.finditer(text)]
    if environments:
        return [_latex(body) for body in environments]
    if "[" in text or "(" in text:
        return _bracketed(text)
    lines = [line for line in text.split("\n") if line.strip()]
    if any("|" in line for line in lines):
        return _kept([_markdown(lines)])
    return _kept([_separated(lines)])


def _kept(blocks: list[list[list[str]]]) -> list[list[list[str]]]:
    return [rows for rows in blocks if rows and any(rows)]


def _latex(body: str) -> list[list[str]]:
    clean = body.replace(r"-\infty", "-inf").replace(r"\infty", "inf")
    rows = re.split(r"\\\\(?:\[[^\]]*\])?|\\cr\b", clean)
    cells = [[_COMMAND.sub("", cell).strip() for cell in row.split("&")] for row in rows]
    return [row for row in cells if row != [""]]


def _bracketed(text: str) -> list[list[list[str]]]:
    """Nested brackets of depth 1 (one row), 2 (a matrix) or 3 (one for each head); words around them are skipped."""
    blocks: list[list[list[str]]] = []
    rows: list[list[str]] = []
    depth, start, deepest = 0, 0, _depth(text)
    for at, character in enumerate(text):
        if character in "[(":
            depth, start = depth + 1, at + 1
        elif character in "])":
            if depth == deepest:
                rows.append(_split(text[start:at]))
            depth -= 1
            if depth < 0:
                raise ExampleError(N_("a bracket is closed that was never opened"))
            if depth == max(deepest - 2, 0) and rows:
                blocks.append(rows)
                rows = []
    if depth:
        raise ExampleError(N_("a bracket is never closed"))
    if deepest > 3:
        raise ExampleError(N_("the brackets are nested too deeply"))
    return _kept(blocks)


def _depth(text: str) -> int:
    depth = deepest = 0
    for character in text:
        depth += (character in "[(") - (character in "])")
        deepest = max(deepest, depth)
    return deepest


def _markdown(lines: list[str]) -> list[list[str]]:
    """A table's rows without its rules; a heading and a first column that hold no numbers are labels."""
    rows = [
        [cell.strip().strip("*`$ ") for cell in line.strip().strip("|").split("|")]
        for line in lines
        if not _RULE.match(line)
    ]
    return _without_labels(rows)


def _separated(lines: list[str]) -> list[list[str]]:
    """Tabs, semicolons, commas or spaces between cells; with semicolons or tabs a comma is a decimal comma."""
    text = "\n".join(lines)
    if "\t" in text or ";" in text:
        mark = "\t" if "\t" in text else ";"
        rows = [[_point(cell.strip()) for cell in line.split(mark)] for line in lines]
    else:
        rows = [_split(line) for line in lines]
    return _without_labels(rows)


def _point(cell: str) -> str:
    return cell.replace(",", ".") if re.fullmatch(r"[+-]?\d+,\d+", cell) else cell


def _split(line: str) -> list[str]:
    """Cells between commas, else between spaces."""
    cells = line.split(",") if "," in line else line.split()
    if cells and not cells[-1].strip() and len(cells) > 1:
        cells = cells[:-1]  # a comma at the end
    return [cell.strip().strip('"') for cell in cells]


def _without_labels(rows: list[list[str]]) -> list[list[str]]:
    if (
        len(rows) > 1
        and not any(_is_number(cell) for cell in rows[0])
        and any(cell.lower() not in _BLANK for cell in rows[0])
    ):
        rows = rows[1:]
    first = [row[0] for row in rows if row]
    labels = first and all(len(row) > 1 for row in rows) and not any(map(_is_number, first))
    if labels and any(cell.lower() not in _BLANK for cell in first):
        rows = [row[1:] for row in rows]
    return rows


def _is_number(cell: str) -> bool:
    return printed_number(cell) is not None


def _cells(rows: list[list[str]]) -> Cells:
    width = max(len(row) for row in rows)
    found = []
    for i, row in enumerate(rows):
        if len(row) != width:
            raise ExampleError(
                N_("row {row} has {got} cells, the longest row has {most}"),
                row=i + 1,
                got=len(row),
                most=width,
            )
        found.append(tuple(_cell(text, i, j) for j, text in enumerate(row)))
    return tuple(found)


def _cell(text: str, row: int, col: int) -> str | None:
    if text.lower() in _BLANK:
        return None
    number = printed_number(text)
    if number is None:
        shown = text if len(text) <= 20 else text[:19] + "…"
        raise ExampleError(
            N_("row {row}, column {col}: “{text}” is no number"), row=row + 1, col=col + 1, text=shown
        )
    return number
