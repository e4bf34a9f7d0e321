"""Matrices in LaTeX: ``bmatrix`` and its kin, ``array`` and ``tabular``, with the place of every cell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from mha_core.read.grids import Cell, Grid, cell_of, grid_of, without_labels

_EDGE: Final = re.compile(r"\\(begin|end)\s*\{((?:[a-zA-Z]{0,11}matrix|array|tabular[xy]?)\*?)\}")
_COLUMNS: Final = re.compile(r"\s*(?:\[[^\[\]]{0,9}\])?\s*(?:\{(?:[^{}]|\{[^{}]*\}){0,80}\})")
_ROW_END: Final = re.compile(
    r"\\\\(?:\\\\)?\s*(?:\[-?[\d.]+\s*(?:pt|em|ex|mm|cm|px|\\\w+)\])?|\\cr\b|\\tabularnewline"
)
_TURNED: Final = re.compile(
    r"\s*(?:\\right\s*[\])|.}]|[\])])?\s*(?:\^\s*\{?\s*(?:T\b|\\top|\\intercal|\\mathsf|\\mathrm|\\text)|ᵀ|⊤)"
)
_LEAD: Final = re.compile(r"\s*(?:\\(?:hline|toprule|midrule|bottomrule)\s*)+")


def latex_grids(text: str) -> Iterator[Grid]:
    """Every matrix that contains no other one."""
    opened: list[tuple[str, int, int]] = []
    for edge in _EDGE.finditer(text):
        if edge[1] == "begin":
            opened.append((edge[2], edge.start(), edge.end()))
        elif opened and opened[-1][0] == edge[2]:
            name, start, inner = opened.pop()
            grid = _grid(text, name, start, inner, edge.start(), edge.end())
            if grid is not None:
                yield grid
            opened = [] if grid is not None else opened
        else:
            opened = []


def _grid(text: str, name: str, start: int, inner: int, inner_end: int, end: int) -> Grid | None:
    if name.startswith(("array", "tabular")):
        columns = _COLUMNS.match(text, inner, inner_end)
        inner = columns.end() if columns else inner
    rows = [_cells(text, *line) for line in _lines(text, inner, inner_end)]
    texts = [[text[cell.start : cell.end].strip("$ ") for cell in row] for row in rows]
    kept = [
        n for n, row in enumerate(rows) if len(row) > 1 or row[0].start < row[0].end
    ]  # the last may end in \\
    rows, texts = [rows[n] for n in kept], [texts[n] for n in kept]
    if not rows or len({len(row) for row in rows}) != 1:
        return None
    labels: list[str] = []
    headings: list[str] = []
    if any(cell.word for row in rows for cell in row):
        rows, labels, headings = without_labels(rows, texts)
    grid = grid_of(rows, start, end, "latex")
    if grid is None:
        return None
    turned = bool(_TURNED.match(text, end))
    return replace(grid, turned=turned, row_labels=tuple(labels), column_labels=tuple(headings))


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for found in _ROW_END.finditer(text, start, end):
        yield start, found.start()
        start = found.end()
    yield start, end


def _cells(text: str, start: int, end: int) -> list[Cell]:
    lead = _LEAD.match(text, start, end)
    start = lead.end() if lead else start
    cells, at = list[Cell](), start
    for part in re.split(r"(?<!\\)&", text[start:end]):
        cells.append(cell_of(part, at))
        at += len(part) + 1
    return cells
