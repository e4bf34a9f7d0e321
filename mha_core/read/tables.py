"""Tables of text: with bars between the cells, or lines of numbers under each other, as pandas and terminals print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from mha_core.read.brackets import bracket_grids
from mha_core.read.grids import Cell, Grid, cell_of, grid_of, without_labels
from mha_core.read.names import mentioned, named

_RULE: Final = re.compile(r"[\s|:+=\-─━┼│┌┐└┘├┤┬┴╔╗╚╝═║╬]+$")
_BARS: Final = re.compile("[|│║┃]")
_FRAME: Final = re.compile(r"^\s*[⎡⎢⎣⎛⎜⎝\[(|]+|[⎤⎥⎦⎞⎟⎠\])|]+\s*[,;]?\s*$")
_ENDS_IN_NUMBER: Final = re.compile(
    r"(?:\d\.?|nan|inf|∞|infty\}?|\.\.\.|…)[\s⎤⎥⎦⎞⎟⎠\])|%,;$]*$", re.IGNORECASE
)
_ANNOUNCES: Final = re.compile(r"[=:：]\s*$|^\s*[(（]?\d+[)）.、]\s*\D")
_NUMBERS: Final = re.compile(r"[^\s,;，；]+")


class _Line(NamedTuple):
    text: str
    start: int


def table_grids(text: str, taken: list[tuple[int, int]], *, spaced: bool) -> Iterator[Grid]:
    """Every table outside of the spans that are taken. ``spaced``: lines of numbers without bars are tables too."""
    for lines in _blocks(text, taken):
        barred = sum(len(_BARS.findall(line.text)) > 1 for line in lines)
        if barred == len(lines):
            yield from _barred(lines)
        elif spaced:
            yield from _spaced(lines)


def _blocks(text: str, taken: list[tuple[int, int]]) -> Iterator[list[_Line]]:
    """Lines under each other that are all with bars or all without; blank and taken ones part them."""
    block, at = list[_Line](), 0
    spans = iter([*sorted(taken), (len(text) + 1, len(text) + 1)])
    span = next(spans)
    for raw in text.split("\n"):
        while span[1] <= at:
            span = next(spans)
        free = span[0] >= at + len(raw)
        line = _Line(raw, at)
        if block and (not free or not raw.strip() or _has_bars(raw) != _has_bars(block[-1].text)):
            yield block
            block = []
        if free and raw.strip():
            block.append(line)
        at += len(raw) + 1
    if block:
        yield block


def _has_bars(line: str) -> bool:
    return len(_BARS.findall(line)) > 1


# --- with bars -------------------------------------------------------------------------------------------------


def _barred(lines: list[_Line]) -> Iterator[Grid]:
    rows, texts, raw = list[list[Cell]](), list[list[str]](), list[list[str]]()
    for line in lines:
        if _RULE.match(line.text) and not set(line.text) <= {"|", " ", "\t", "│"}:
            continue
        parts = _parts(line)
        rows.append([cell_of(text, start) for text, start in parts])
        raw.append([text.strip() for text, _ in parts])
        texts.append([text.strip("*`$ ") for text in raw[-1]])
    if not rows or len({len(row) for row in rows}) != 1:
        yield from _spaced(lines)
        return
    start, end = lines[0].start, lines[-1].start + len(lines[-1].text)
    if len(lines) == len(rows) and all(len(row) == 1 for row in rows):  # | 1 2 |: bars as brackets
        yield from _spaced(lines, least=1)
        return
    vectors = list(_vectors(rows, texts, raw, start, end))
    if vectors:
        yield from vectors
        return
    if len(rows) > 1 and len(lines) > len(rows) and not any(line for line in texts[0]):
        rows, texts, start = rows[1:], texts[1:], _of(lines, rows[1])  # a table of Markdown without headings
    body, labels, headings = without_labels(rows, texts)
    grid = grid_of(body, start, end, "table")
    if grid is not None:
        corner = texts[0][0] if headings and labels and texts[0][0] else ""
        yield replace(grid, label=corner, row_labels=tuple(labels), column_labels=tuple(headings))


def _of(lines: list[_Line], row: list[Cell]) -> int:
    """Where the line of a row begins."""
    return max(line.start for line in lines if line.start <= row[0].start)


def _parts(line: _Line) -> list[tuple[str, int]]:
    """The cells' texts with their places."""
    text = line.text
    begin = len(text) - len(text.lstrip())
    begin += bool(_BARS.match(text, begin))
    finish = len(text.rstrip())
    finish -= bool(finish > begin and _BARS.match(text[finish - 1]))
    parts, at = list[tuple[str, int]](), begin
    for bar in [*_BARS.finditer(text, begin, finish)]:
        parts.append((text[at : bar.start()], line.start + at))
        at = bar.end()
    return [*parts, (text[at:finish], line.start + at)]


def _vectors(
    rows: list[list[Cell]], texts: list[list[str]], raw: list[list[str]], start: int, end: int
) -> Iterator[Grid]:
    """Columns whose cells are vectors: one matrix for each, named by the column's heading."""
    for column in range(len(rows[0])):
        found = [_vector(row[column], line[column]) for row, line in zip(rows[1:], raw[1:], strict=True)]
        if not found or any(vector is None for vector in found):
            continue
        grid = grid_of([vector for vector in found if vector], start, end, "table", texts[0][column])
        if grid is not None:
            labels = tuple(line[0] for line in texts[1:]) if column else ()
            yield replace(grid, row_labels=labels)


def _vector(cell: Cell, text: str) -> list[Cell] | None:
    if not cell.word:
        return None
    grids = list(bracket_grids(f"|{text}", []))
    if len(grids) != 1 or grids[0].shape[0] != 1 or len(text) - (grids[0].end - grids[0].start) > 4:
        return None
    return [
        number._replace(start=number.start + cell.start - 1, end=number.end + cell.start - 1)
        for number in grids[0].rows[0]
    ]


# --- lines of numbers ------------------------------------------------------------------------------------------


def _spaced(lines: list[_Line], least: int = 2) -> Iterator[Grid]:
    """Lines that end in equally many numbers, with a label before them or none; a line of words above is their heading.

    A single line is no matrix.
    """
    run: list[tuple[list[Cell], str, _Line]] = []
    heading: _Line | None = None
    for line in [*lines, None]:
        numbers = _numbers(line, least) if line else None
        if numbers and len(run) == 1 and len(numbers[0]) == len(run[0][0]) + 1 and _is_index(run[0][0]):
            run, heading = [], run[0][2]
        if run and (numbers is None or len(numbers[0]) != len(run[-1][0])):
            yield from _matrix(run, heading)
            run, heading = [], None
        if line is not None and numbers is not None:
            run.append((*numbers, line))
        else:
            heading = line


def _numbers(line: _Line, least: int) -> tuple[list[Cell], str] | None:
    """The numbers at the end of a line and the label before them; None where there are fewer than ``least``."""
    text = line.text
    if not _ENDS_IN_NUMBER.search(text[-40:]):
        return None
    frame = _FRAME.match(text)
    begin = frame.end() if frame else 0
    trimmed = text.rstrip()
    trimmed = trimmed[:-1].rstrip() if trimmed.endswith((",", ";")) else trimmed
    finish = len(trimmed.rstrip("⎤⎥⎦⎞⎟⎠])|"))
    cells, at, label_end = list[Cell](), begin, begin
    for word in _NUMBERS.finditer(text, begin, finish):
        bare = word[0].strip(",;[]()")
        cell = cell_of(bare, line.start + word.start() + word[0].index(bare))
        if cell.word or (cell.text is None and not (cell.left_out or bare.lower() == "nan")):
            cells, label_end = [], word.end()
        else:
            cells.append(cell)
        at = word.end()
    label = text[begin:label_end].strip().rstrip(":：")
    if len(cells) < least or at < begin or len(label) > 30 or all(cell.text is None for cell in cells):
        return None
    return cells, label


def _matrix(run: list[tuple[list[Cell], str, _Line]], heading: _Line | None) -> Iterator[Grid]:
    if len(run) < 2:
        return
    rows = [cells for cells, _, _ in run]
    labels = [label for _, label, _ in run]
    headings = heading.text.split() if heading and not _announces(heading.text) else []
    start, end = run[0][2].start, run[-1][2].start + len(run[-1][2].text)
    if _is_index(rows[0]) and labels[0] == "" and any(labels):
        headings, rows, labels = [cell.text or "" for cell in rows[0]], rows[1:], labels[1:]
    if (
        len(rows) > 1
        and len(rows[0]) > 1
        and _is_index([row[0] for row in rows])
        and _names(headings, len(rows[0]) - 1)
    ):
        labels = [row[0].text or "" for row in rows]
        rows = [row[1:] for row in rows]
    grid = grid_of(rows, start, end, "table")
    if grid is None or (any(labels) and len({bool(label) for label in labels}) > 1):
        return
    named = tuple(headings) if len(headings) == grid.shape[1] else ()
    if named and heading is not None:
        grid = replace(grid, start=heading.start)
    yield replace(grid, row_labels=tuple(labels) if any(labels) else (), column_labels=named)


def _announces(line: str) -> bool:
    """Whether a line above numbers says what they are, and is not made of the headings of their columns."""
    return bool(_ANNOUNCES.search(line) or named(line) or mentioned(line))


def _names(headings: list[str], count: int) -> bool:
    return len(headings) == count


def _is_index(cells: list[Cell]) -> bool:
    """0, 1, 2 …, as pandas counts rows and columns."""
    return len(cells) > 1 and [cell.text for cell in cells] == [str(at) for at in range(len(cells))]
