"""A matrix from pasted text: a spreadsheet's block, CSV, ``[[1, 2], [3, 4]]``, LaTeX, a Markdown table, NumPy, torch.

Cells keep the digits that were printed; blanks, ``-``, ``?`` and ``…`` are cells that were not given.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, TypeAlias

from mha_core.errors import N_, ExampleError
from mha_core.example.claims_file import printed_number
from mha_core.quoted import Quoted

Cells: TypeAlias = tuple[tuple["str | None", ...], ...]
"""Rows of printed numbers, None where none was given."""

MAX_TEXT: Final = 200_000
MAX_CELLS: Final = 64 * 64 * 16

_BLANK: Final = {"", "-", "?", "…", "...", "—", "nan", "none", "null"}
_BEGIN: Final = re.compile(r"\\begin\{((?:[a-zA-Z]{0,9}matrix|array)\*?)\}(?:\{[^{}]{0,80}\})?")
_COMMAND: Final = re.compile(r"\\(?:hline|cdot|quad|qquad|,|;|!|text|mathrm|mathbf|phantom)\b|\\[,;!]|[{}$]")
_CALL: Final = re.compile(r"[^\W\d]\w{0,40}\(")
_NUMBER_LIKE: Final = re.compile(r"[-+.\d∞]|inf", re.IGNORECASE)
_RULE: Final = frozenset(" \t|:+=-")


def read_matrices(text: str) -> list[Cells]:
    """Every matrix in the text, in order; a list of matrices is one for each head.

    Raises ``ExampleError`` naming the row and column of a cell that is not a number, or a row that is too short.
    """
    if len(text) > MAX_TEXT:
        raise ExampleError(N_("the text is longer than {most} characters"), most=MAX_TEXT)
    blocks = _blocks(_normalized(text))
    if not any(_is_number(cell) for rows in blocks for row in rows for cell in row):
        raise ExampleError(N_("this text contains no numbers"))
    if sum(len(row) for rows in blocks for row in rows) > MAX_CELLS:
        raise ExampleError(N_("there are more than {most} cells"), most=MAX_CELLS)
    return [_cells(rows) for rows in blocks]


def _normalized(text: str) -> str:
    """The text with plain characters in place of full-width ones, one minus sign and one line end."""
    text = unicodedata.normalize("NFKC", text).replace("\r\n", "\n").replace("\r", "\n")
    return re.sub("[−–‒﹣－]", "-", text)


def _blocks(text: str) -> list[list[list[str]]]:
    """Rows of cell texts, for each matrix."""
    environments = _environments(text)
    if environments:
        return _without_empty([_latex(body) for body in environments])
    text = text.replace("{", "[").replace("}", "]")
    if not set(text).isdisjoint("[]()"):
        return _bracketed(text)
    return _without_empty(
        [
            _markdown(lines) if any("|" in line for line in lines) else _separated(lines)
            for lines in _parts(text)
        ]
    )


def _parts(text: str) -> list[list[str]]:
    """The lines of each matrix. A blank line separates matrices where all have several lines; blank cells are no blank
    line.
    """
    parts = [[line for line in part.split("\n") if line.strip(" ")] for part in re.split(r"\n *\n", text)]
    parts = [lines for lines in parts if lines]
    return parts if all(len(lines) > 1 for lines in parts) else [[line for lines in parts for line in lines]]


def _without_empty(blocks: list[list[list[str]]]) -> list[list[list[str]]]:
    return [rows for rows in blocks if rows and any(rows)]


def _environments(text: str) -> list[str]:
    """The text between ``\\begin{bmatrix}`` and its end, for every matrix."""
    bodies, at = list[str](), 0
    while begin := _BEGIN.search(text, at):
        end = text.find(f"\\end{{{begin[1]}}}", begin.end())
        if end < 0:
            break
        bodies.append(text[begin.end() : end])
        at = end
    return bodies


def _latex(body: str) -> list[list[str]]:
    clean = body.replace(r"-\infty", "-inf").replace(r"\infty", "inf")
    rows = re.split(r"\\\\(?:\[[^\]]*\])?|\\cr\b", clean)
    cells = [[_COMMAND.sub("", cell).strip() for cell in row.split("&")] for row in rows]
    return [row for row in cells if row != [""]]


def _bracketed(text: str) -> list[list[list[str]]]:
    """Nested brackets of depth 1 (rows), 2 (a matrix) or 3 (one for each head); words around them are skipped."""
    text = _without_calls(text)
    blocks: list[list[list[str]]] = []
    rows: list[list[str]] = []
    depth, start, deepest = 0, 0, _depth(text)
    for at, character in enumerate(text):
        if character in "[(":
            depth, start = depth + 1, at + 1
        elif character in "])":
            if depth == deepest:
                rows += [_split(re.sub(r",\s*$", "", line)) for line in text[start:at].split(";")]
            depth -= 1
            if depth < 0:
                raise ExampleError(N_("there is a closing bracket without an opening one"))
            if depth == deepest - 2 or (deepest == 1 and ";" in text[start:at]):
                blocks.append(rows)
                rows = []
    if depth:
        raise ExampleError(N_("there is an opening bracket without a closing one"))
    if deepest > 3:
        raise ExampleError(N_("the brackets are nested too deeply"))
    return _without_empty([*blocks, rows])


def _without_calls(text: str) -> str:
    """``tensor([[1.]], device='cuda')`` without the call's own parentheses."""
    calls = {match.end() - 1 for match in _CALL.finditer(text)}
    characters, opened = list[str](), list[bool]()
    for at, character in enumerate(text):
        if character == "(":
            opened.append(at in calls)
        if character not in "()" or not (opened and opened[-1]):
            characters.append(character)
        if character == ")" and opened:
            opened.pop()
    return "".join(characters)


def _depth(text: str) -> int:
    depth = deepest = 0
    for character in text:
        depth += (character in "[(") - (character in "])")
        deepest = max(deepest, depth)
    return deepest


def _markdown(lines: list[str]) -> list[list[str]]:
    """A table's rows without rules and labels."""
    rows = [
        [cell.strip().strip("*`$ ") for cell in line.strip().strip("|").split("|")]
        for line in lines
        if "-" not in line or not _RULE.issuperset(line.strip())
    ]
    return _without_labels(rows)


def _separated(lines: list[str]) -> list[list[str]]:
    """Tabs, semicolons, commas or spaces between cells; with semicolons or tabs a comma is a decimal comma."""
    text = "\n".join(lines)
    if "\t" in text or ";" in text:
        mark = "\t" if "\t" in text else ";"
        rows = [[_with_point(cell.strip()) for cell in line.split(mark)] for line in lines]
    else:
        rows = [_split(line) for line in lines]
        if all(len(row) > 1 and not row[-1] for row in rows):  # a comma at the end of every line
            rows = [row[:-1] for row in rows]
    return _without_labels(rows)


def _with_point(cell: str) -> str:
    return cell.replace(",", ".") if re.fullmatch(r"[+-]?\d+,\d+", cell) else cell


def _split(line: str) -> list[str]:
    """Cells between commas, else between spaces; between spaces too where each cell has a decimal comma."""
    spaced = [_with_point(cell) for cell in line.split()]
    if len(spaced) > 1 and "," in line and all(map(_is_number, spaced)):
        return spaced
    cells = line.split(",") if "," in line else line.split()
    return [cell.strip().strip('"') for cell in cells]


def _without_labels(rows: list[list[str]]) -> list[list[str]]:
    """The rows without a heading, and without a first column of labels."""
    if len(rows) > 1 and _are_labels(rows[0]):
        rows = rows[1:]
    if all(len(row) > 1 for row in rows) and _are_labels([row[0] for row in rows]):
        rows = [row[1:] for row in rows]
    return rows


def _are_labels(cells: list[str]) -> bool:
    """Only words or blanks, and at least one word. A text that begins like a number counts as a number."""
    words = [cell for cell in cells if cell.lower() not in _BLANK]
    return bool(words) and not any(_is_number(cell) or _NUMBER_LIKE.match(cell) for cell in words)


def _is_number(cell: str) -> bool:
    return printed_number(cell) is not None


def _cells(rows: list[list[str]]) -> Cells:
    width = max(len(row) for row in rows)
    cells = []
    for i, row in enumerate(rows):
        if len(row) != width:
            raise ExampleError(
                N_("row {row} has {got} {got:cell|cells}, the longest row has {most}"),
                row=i + 1,
                got=len(row),
                most=width,
            )
        cells.append(tuple(_cell(text, i, j) for j, text in enumerate(row)))
    return tuple(cells)


def _cell(text: str, row: int, col: int) -> str | None:
    if text.lower() in _BLANK:
        return None
    number = printed_number(text)
    if number is None:
        raise ExampleError(_reason(text), row=row + 1, col=col + 1, text=Quoted(f"“{text}”"))
    return number


def _reason(text: str) -> str:
    """The sentence on a text that is not a number, or not one that can be stored."""
    if re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+", text):
        return N_("row {row}, column {col}: {text} is too large")
    if re.fullmatch(r"[-+]?\d+\s*[/⁄]\s*\d+", text):
        return N_("row {row}, column {col}: {text} is a fraction; write it as a decimal, such as 0.5")
    return N_("row {row}, column {col}: {text} is not a number")
