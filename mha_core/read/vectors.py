"""Rows that are printed one by one, ``q_1 = [1, 0]`` and ``q_2 = [0, 1]``, put together as the matrix that they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from mha_core.read.grids import Grid
from mha_core.read.labels import Label
from mha_core.read.names import named

_NUMBERED: Final = re.compile(r"(?<![.\d])\(?(\d{1,2})\)?(?![.\d])")
_SYMBOL: Final = re.compile(r"[^\W\d_]+_?[{(]*\d")
_VECTOR: Final = re.compile(r"[a-z]_?[{(]*\d{1,2}[)}]*")
"""What a column is called that is a token's vector, unlike a matrix of one column."""
_WORDED: Final = re.compile(r"^([a-zA-Z]{1,12})_[{(]?([^\W\d_][\w'-]*)[)}]?$")


_TOKEN: Final = re.compile(r"[“\"「『‘]([^“”\"「」『』‘’]{1,20})[”\"」』’]")


class _Row(NamedTuple):
    at: int
    base: str
    number: int
    word: str


def together(grids: Sequence[Grid], labels: Sequence[Label]) -> tuple[list[Grid], list[Label]]:
    """The grids with rows of one matrix put together, where the first of them is."""
    grids = [_lying(grid, label) for grid, label in zip(grids, labels, strict=True)]
    groups: list[list[_Row]] = []
    last: dict[tuple[str, int], list[_Row]] = {}
    for at, (grid, label) in enumerate(zip(grids, labels, strict=True)):
        row = _row(at, label) if grid.shape[0] == 1 and grid.part is None and not label.operand else None
        if row is None:
            continue
        group = last.get((row.base, grid.shape[1]))
        if group is None or not _follows(group, row, grids):
            group = last[row.base, grid.shape[1]] = []
            groups.append(group)
        group.append(row)
    merged = {group[0].at: group for group in groups if len(group) > 1}
    dropped = {row.at for group in merged.values() for row in group[1:]}
    kept = [at for at in range(len(grids)) if at not in dropped]
    return (
        [_matrix(grids, merged[at]) if at in merged else grids[at] for at in kept],
        [_label(labels[at], merged[at][0].base) if at in merged else labels[at] for at in kept],
    )


def _lying(grid: Grid, label: Label) -> Grid:
    """A token's vector that is printed as a column, as a row."""
    is_column = grid.shape[1] == 1 < grid.shape[0] and _VECTOR.fullmatch(label.left.strip())
    return grid.transposed() if is_column else grid


def _row(at: int, label: Label) -> _Row | None:
    left = label.left.strip()
    said = re.split(r"[:：]", left)[-1].strip(" ,;，；、")
    one = named(said)
    if one is not None and one.name.startswith("b_"):
        return None
    token = _TOKEN.search(left)
    if label.spoken and token and (base := _TOKEN.sub("", left).strip()):  # “the query of ‘cat’”
        return _Row(at, base, -1, token[1])
    if label.spoken and one is not None:
        return _Row(at, said, -1, f"#{at}")  # “token 1: scores (1, 2), weights (0.3, 0.7)”
    numbers = _NUMBERED.findall(re.sub(r"(?<=[a-zA-Z])_?[{(]?(?=\d)", " ", left))
    if numbers:
        last = left.split()[-1]
        base = re.sub(r"[\d_{}()\s\[\]]", "", last if _SYMBOL.match(last) else left)
        return _Row(at, base, int(numbers[-1]), numbers[-1]) if base else None
    worded = _WORDED.match(left)
    if worded:
        return _Row(at, worded[1], -1, worded[2])
    return _Row(at, "", -1, left if label.spoken else "") if not left or label.spoken else None


def _follows(group: list[_Row], row: _Row, grids: Sequence[Grid]) -> bool:
    """Whether a row is the next of a group: numbered after it, or right behind it."""
    if row.number >= 0:
        return row.number > group[-1].number >= 0
    near = grids[row.at].start - grids[group[-1].at].end < 60 or bool(row.base)
    return (
        row.at == group[-1].at + 1 and near if not row.base else row.word not in {one.word for one in group}
    )


def _matrix(grids: Sequence[Grid], group: list[_Row]) -> Grid:
    first = grids[group[0].at]
    words = tuple(row.word for row in group)
    return replace(
        first,
        rows=tuple(grids[row.at].rows[0] for row in group),
        label="",
        row_labels=words if all(word and not word.isdecimal() and word[0] != "#" for word in words) else (),
    )


def _label(label: Label, base: str) -> Label:
    """The label of the matrix: that of its first row without the row's number."""
    return replace(label, left=base or ("" if label.spoken else label.left), spoken=not base)
