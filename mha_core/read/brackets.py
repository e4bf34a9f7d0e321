"""Lists in brackets: ``[[1, 2], [3, 4]]``, ``[[1 2]\\n [3 4]]``, ``[1 2; 3 4]``, ``(1, 2)``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, TypeAlias

from mha_core.errors import N_, ReadError
from mha_core.read.grids import ELLIPSIS, EXACT, NUMBER, Cell, Grid, exact_number, grid_of, printed

MAX_DEPTH: Final = 5
MAX_BRACKETS: Final = 20_000
"""How many brackets of one stretch of text are looked into."""
_CLOSES: Final = {"[": "]", "(": ")", "{": "}", "⟨": "⟩", "［": "］", "【": "】"}
_BETWEEN: Final = re.compile(r"[\s,，;&]*(?:\\\\)?[\s,，;]*")
_DOTS: Final = re.compile("|".join(re.escape(dots) for dots in sorted(ELLIPSIS, key=len, reverse=True)))
_TRUTH: Final = re.compile(r"(True|False|nan)\b")
_FRACTION: Final = re.compile(r"(-?\d+(?:\.\d+)?)/(\d+(?:\.\d+)?)(?![\d/])")
_OPEN: Final = re.compile(r"[\[(［【]|\{(?=\s*[{(\[][^{}()\[\]\n]{1,400},)")
_TURNED: Final = re.compile(r"\s*(?:\^\s*\{?\s*(?:T\b|\\top)|\.T\b|ᵀ|⊤)")

Nest: TypeAlias = "Cell | list[Nest]"


def bracket_grids(text: str, taken: list[tuple[int, int]]) -> Iterator[Grid]:
    """Every list of numbers outside of the spans that are taken already. Raises ``ReadError`` where there are too many
    brackets for a text that somebody has written.
    """
    tries = at = 0
    spans = iter([*sorted(taken), (len(text) + 1, len(text) + 1)])
    span = next(spans)
    while found := _OPEN.search(text, at):
        while span[1] <= found.start():
            span = next(spans)
        if span[0] <= found.start():
            at = span[1]
            continue
        tries += 1
        if tries > MAX_BRACKETS:
            raise ReadError(N_("the text has more than {most} brackets"), most=f"{MAX_BRACKETS:,}")
        nest = _nest(text, found.start(), 1)
        if nest is None:
            at = found.end()
            continue
        value, at = nest
        yield from _grids(text, value, found.start(), at)


def _nest(text: str, at: int, depth: int) -> tuple[list[Nest], int] | None:
    """The nested lists from an opening bracket on, and where they end; None where there is anything else in them."""
    close, items = _CLOSES[text[at]], list[Nest]()
    row = items
    semicolons: list[list[Nest]] = []
    at += 1
    while at < len(text):
        gap = _BETWEEN.match(text, at)
        separator = gap[0] if gap else ""
        at += len(separator)
        if ";" in separator and row and isinstance(row[-1], Cell):
            semicolons.append(row)
            row = []
        if text[at : at + 1] == close:
            if semicolons:
                return [*semicolons, *([row] if row else [])], at + 1
            return (items, at + 1) if items else None
        item = _item(text, at, depth)
        if item is None:
            return None
        value, at = item
        row.append(value)
    return None


def _item(text: str, at: int, depth: int) -> tuple[Nest, int] | None:
    if text[at : at + 1] in _CLOSES and depth < MAX_DEPTH:
        return _nest(text, at, depth + 1)
    dots = _DOTS.match(text, at)
    if dots:
        return Cell(None, at, dots.end(), left_out=True), dots.end()
    surd = EXACT.match(text, at)
    root = exact_number(surd[0].strip()) if surd else None
    if surd is not None and root is not None:
        return Cell(root, at, surd.end(), exact=True), surd.end()
    fraction = _FRACTION.match(text, at)
    if fraction and float(fraction[2]):
        value = printed(repr(float(fraction[1]) / float(fraction[2])))
        return Cell(value, at, fraction.end(), exact=True), fraction.end()
    truth = _TRUTH.match(text, at)
    if truth:
        word = {"True": "1", "False": "0", "nan": None}[truth[1]]
        return Cell(word, at, truth.end(), exact=True), truth.end()
    number = NUMBER.match(text, at)
    digits = printed(number[0]) if number and number[0][-1:].strip() else None
    return None if number is None or digits is None else (Cell(digits, at, number.end()), number.end())


def _grids(text: str, nest: list[Nest], start: int, end: int) -> Iterator[Grid]:
    """The matrices of nested lists: of depth 1 one row, of depth 2 a matrix, of depth 3 or 4 one for each head."""
    turned = bool(_TURNED.match(text, end))
    depth = _depth(nest)
    while depth > 3 and len(nest) == 1 and isinstance(nest[0], list):
        nest, depth = nest[0], depth - 1
    if depth == 3:
        parts = [part for part in nest if isinstance(part, list)]
        starts = [start, *(text.find("[", _span(one)[1]) for one in parts[:-1])]
        for index, part in enumerate(parts):
            close = end if index == len(parts) - 1 else max(starts[index + 1], _span(part)[1])
            grid = grid_of(_rows(part), starts[index], close, "brackets")
            if grid is not None:
                yield replace(grid, part=(index, len(parts)) if len(parts) > 1 else None, turned=turned)
    elif depth <= 2:
        grid = grid_of(_rows(nest) if depth == 2 else [_row(nest)], start, end, "brackets")
        if grid is not None and (depth == 2 or (grid.shape[1] > 1 and _is_vector(text, start, end))):
            yield replace(grid, turned=turned)


def _is_vector(text: str, start: int, end: int) -> bool:
    """Whether a list is a vector. In parentheses, which shapes have too, only where something is set to it
    or with a decimal point.
    """
    if text[max(0, start - 9) : start].rstrip(" =(").endswith(("shape", "size", "Size")):
        return False
    return (
        text[start] not in "(（"
        or bool({".", "-", "−"} & set(text[start:end]))
        or text[max(0, start - 40) : start].rstrip(" $\\")[-1:]
        in (
            "=",
            "|",
            "≈",
            ":",
            "：",
        )
    )


def _rows(nest: list[Nest]) -> list[list[Cell]]:
    rows = [_row(row) if isinstance(row, list) else [row] for row in nest]
    width = max((len(row) for row in rows), default=0)
    return [row * width if len(row) == 1 and row[0].left_out else row for row in rows]


def _row(nest: list[Nest]) -> list[Cell]:
    return [cell if isinstance(cell, Cell) else Cell(None, 0, 0, word=True) for cell in nest]


def _depth(nest: Nest) -> int:
    return 0 if isinstance(nest, Cell) else 1 + max((_depth(item) for item in nest), default=0)


def _span(nest: Nest) -> tuple[int, int]:
    if isinstance(nest, Cell):
        return nest.start, nest.end
    spans = [_span(item) for item in nest]
    return spans[0][0], spans[-1][1]
