"""Answers of the bench without what the browser already has.

After an edit little of what the bench shows is new. An answer has a number. The browser sends with its edits the number
of the last answer that it has, and the next answer contains only what is different from that one: parts of the whole,
parts of a matrix, and numbers. ``web/kit/answers.js`` puts them together.
"""

from __future__ import annotations

import sys
from array import array
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, TypedDict, cast

from mha_ui.bench.model import ExploreModel
from mha_view.payloads import Rows, Value

_ALWAYS: Final = ("session", "ack", "lang", "own_words")
"""What a ``NextAnswer`` has whether it is new or not."""


NewNumbers: TypeAlias = tuple[str, int | None, Sequence[int], Sequence[Value] | None]
"""The numbers of a table that are new: its name and its head, and where they are.

For each run of them where it begins in the table's rows laid end to end, and how many there are. Last they themselves,
where one is not a number; else they are next in ``NewParts.floats``.
"""


class NewParts(TypedDict):
    """What an answer has that an earlier one has not.

    ``parts``: of the whole. ``matrices``: of matrices, by name, besides their numbers. ``floats``: float64,
    little-endian, as base64.
    """

    parts: Mapping[str, object]
    matrices: Mapping[str, Mapping[str, object]]
    numbers: Sequence[NewNumbers]
    floats: str


class WholeAnswer(ExploreModel):
    """An answer with everything, and its number."""

    answer: int


class NextAnswer(TypedDict):
    """An answer with what the answer ``base`` has not; ``answer``: its number."""

    session: str
    ack: int
    lang: str
    own_words: Mapping[str, str]
    answer: int
    base: int
    new: NewParts


@dataclass
class Answers:
    """The answers of a session that the browser may build upon: the one that it has, and the latest two."""

    last: int = 0
    _stored: dict[int, ExploreModel] = field(default_factory=dict)

    def next(self, data: ExploreModel, known: int) -> WholeAnswer | NextAnswer:
        """The next answer, for a browser whose last one is ``known``: whole where it cannot be built upon that."""
        self.last += 1
        before = self._stored.get(known)
        needed = {known, self.last - 1, self.last}
        self._stored = {at: stored for at, stored in self._stored.items() if at in needed} | {self.last: data}
        new = difference(before, data) if before else None
        if new is None:
            return {**data, "answer": self.last}
        return {
            "session": data["session"],
            "ack": data["ack"],
            "lang": data["lang"],
            "own_words": data["own_words"],
            "answer": self.last,
            "base": known,
            "new": new,
        }


def difference(before: ExploreModel, now: ExploreModel) -> NewParts | None:
    """What is new; None where the two have other tables, or other parts."""
    if before["opened"] != now["opened"] or not _have_same_parts(before, now):
        return None
    floats = array("d")
    numbers: list[NewNumbers] = []
    matrices: dict[str, Mapping[str, object]] = {}
    for name, matrix in now["matrices"].items():
        earlier = before["matrices"][name]
        if parts := _new_parts(earlier, matrix, "values"):
            matrices[name] = parts
        for head, rows_before, rows in _tables(earlier, matrix):
            runs, values = _new_values(rows_before, rows)
            if not runs:
                continue
            are_floats = all(type(value) is float for value in values)
            if are_floats:
                floats.extend(cast("list[float]", values))
            numbers.append((name, head, runs, None if are_floats else values))
    if sys.byteorder != "little":
        floats.byteswap()
    return {
        "parts": _new_parts(before, now, "matrices", *_ALWAYS),
        "matrices": matrices,
        "numbers": numbers,
        "floats": b64encode(floats.tobytes()).decode(),
    }


def _new_parts(before: Mapping[str, object], now: Mapping[str, object], *others: str) -> dict[str, object]:
    return {name: value for name, value in now.items() if name not in others and before[name] != value}


def _have_same_parts(before: ExploreModel, now: ExploreModel) -> bool:
    """Whether both have the same tables in the same order, of the same sizes and with the same parts."""
    if before.keys() != now.keys() or list(before["matrices"]) != list(now["matrices"]):
        return False
    pairs = [(before["matrices"][name], matrix) for name, matrix in now["matrices"].items()]
    return all(
        earlier.keys() == matrix.keys()
        and len(earlier["values"]) == len(matrix["values"])
        and all(_shape(rows) == _shape(rows_now) for _, rows, rows_now in _tables(earlier, matrix))
        for earlier, matrix in pairs
    )


def _shape(rows: Rows | None) -> tuple[int, ...]:
    return tuple(map(len, rows)) if rows is not None else (-1,)


def _tables(
    before: Mapping[str, object], now: Mapping[str, object]
) -> Iterator[tuple[int | None, Rows, Rows]]:
    """A matrix's tables before and now, each with its head; a head without one has none."""
    if not now["perHead"]:
        yield None, cast("Rows", before["values"]), cast("Rows", now["values"])
        return
    pairs = zip(cast("Sequence[Rows]", before["values"]), cast("Sequence[Rows]", now["values"]), strict=True)
    for head, (rows_before, rows) in enumerate(pairs):
        yield head, rows_before, rows


def _new_values(before: Rows | None, now: Rows | None) -> tuple[list[int], list[Value]]:
    """The runs of new values of a table (``NewNumbers``), and these values."""
    runs, values = list[int](), list[Value]()
    start, end = 0, -1
    for row_before, row in zip(before or (), now or (), strict=True):
        if not _is_same_row(row_before, row):
            for at, (old, new) in enumerate(zip(row_before, row, strict=True), start=start):
                if old == new and type(old) is type(new):
                    continue
                if at == end:
                    runs[-1] += 1
                else:
                    runs += at, 1
                end = at + 1
                values.append(new)
        start += len(row)
    return runs, values


def _is_same_row(before: Sequence[Value], now: Sequence[Value]) -> bool:
    """Whether two rows are equal, for which Python takes True and 1.0 too."""
    return list(before) == list(now) and type(before[0]) is type(now[0])
