"""What the bench's colours show in place of the values: the change since a baseline, or a derivative.

Each matrix gets ``lens``, numbers in the shape of its values (None where there is none), and with a change ``was``,
the earlier rows (None where none of a row's numbers differs). The browser computes neither.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from mha_core import Example, MhaError
from mha_core.compare.diff import Change, changes
from mha_core.compute.derive import Cell, first_result, step_of
from mha_core.compute.gradients import gradients
from mha_core.compute.graph import symbol
from mha_core.compute.trace import Trace
from mha_core.errors import N_
from mha_core.example.model import NEG_INF, AddMask, divisor
from mha_core.numbers import trimmed
from mha_core.vocabulary import HIDES, STEPS
from mha_ui.language import sentence
from mha_ui.places import cell_name
from mha_ui.state import Work

MOST_LISTED: Final = 3
"""Changed inputs that the summary spells out before it counts the rest."""

Changes = dict[tuple[str, int | None], Change]


def look(work: Work, lens: str, matrices: dict[str, dict[str, Any]], names: dict[str, str]) -> dict[str, Any]:
    """What the bench is told of a lens: its kind and its words; ``matrices`` get its numbers.

    ``names``: what matrices and settings are called, untranslated. Nothing without a lens, or where a change is asked
    for and there is no baseline.
    """
    if lens == "gradient":
        return {"lens": _gradient(work, matrices)}
    if lens == "change" and work.pinned_baseline:
        return {"lens": _change(work, work.pinned_baseline.trace, matrices, names)}
    return {}


# --- the gradient --------------------------------------------------------------------------------------------------


def target(work: Work) -> Cell:
    """Whose derivative the bench shows: the pinned cell where it is a computed one, else the output's first."""
    if work.pinned:
        try:
            step_of(work.trace, work.pinned)
        except MhaError:
            pass
        else:
            return work.pinned
    return first_result(work.example)


def _gradient(work: Work, matrices: dict[str, dict[str, Any]]) -> dict[str, Any]:
    cell = target(work)
    try:
        found = gradients(work.trace, cell)
    except MhaError as error:  # of a row that is all but zeros the direction turns beyond all measure
        return {"kind": "gradient", "target": None, "summary": f"{sentence(error, work.language)}."}
    for name, matrix in matrices.items():
        matrix["lens"] = found.get(name)
    summary = work.words(N_("Gradient of {place}: by how much it grows for each unit that a number grows."))
    return {
        "kind": "gradient",
        "target": cell._asdict(),
        "summary": summary.format(place=cell_name(cell, work.example, work.words)),
    }


# --- the change ----------------------------------------------------------------------------------------------------


def _change(
    work: Work, before: Trace, matrices: dict[str, dict[str, Any]], names: dict[str, str]
) -> dict[str, Any]:
    found = changes(work.trace, before)
    heads = range(len(work.example.heads))
    allows = not isinstance(work.example.mask, AddMask)
    for name, matrix in matrices.items():
        parts = [found.get((name, head)) for head in (heads if matrix["perHead"] else (None,))]
        told = bool if name == "mask" and allows else _json
        unbounded = name in HIDES  # these alone hold −∞
        by = [part and (_told(part.by, _json) if unbounded else part.by) for part in parts]
        was = [part and _earlier(part, told if unbounded else None) for part in parts]
        matrix["lens"], matrix["was"] = (by, was) if matrix["perHead"] else (by[0], was[0])
    return {"kind": "change", "target": None, "summary": _Summary(work, before, found, names).sentence()}


def _told(rows: Sequence[Sequence[Any]], told: Callable[[Any], Any]) -> list[list[Any]]:
    return [[None if number is None else told(number) for number in row] for row in rows]


def _earlier(change: Change, told: Callable[[Any], Any] | None) -> list[list[Any] | None]:
    """The earlier rows in which a cell differs."""
    rows = _told(change.was, told) if told else change.was
    return [row if any(by) else None for row, by in zip(rows, change.by, strict=True)]


def _json(number: float) -> float | str:
    if number in (NEG_INF, -NEG_INF):
        return "-inf" if number == NEG_INF else "inf"
    return number


class _Summary(NamedTuple):
    """The change in one sentence: what was edited, where it begins, and what it makes of the weights."""

    work: Work
    before: Trace
    found: Changes
    names: dict[str, str]

    def sentence(self) -> str:
        words = self.work.words
        parts = [*self._settings(), *self._inputs(), *self._steps()]
        lacking = sum(row.count(None) for change in self.found.values() for row in change.by)
        if lacking:
            parts.append(words(N_("{count} cells have no counterpart there")).format(count=lacking))
        if not parts:
            return words(N_("Nothing differs from the baseline yet: change a number."))
        return words(N_("Since the baseline: {list}.")).format(list=words(N_("; ")).join(parts))

    def _settings(self) -> list[str]:
        """What differs and is no matrix."""
        words, told = self.work.words, []
        now, before = self.work.example, self.before.example
        a, b = divisor(before), divisor(now)
        if a != b:
            told.append(f"÷ {self._number(a or 1.0)} → {self._number(b or 1.0)}")
        for setting, old, new in (
            ("scoring", before.scoring, now.scoring),
            ("positions", _kind(before), _kind(now)),
        ):
            if old != new:
                labels = [words(self.names[f"{setting}_{kind}"]) for kind in (old, new)]
                told.append(f"{words(self.names[setting])} {' → '.join(labels)}")
        return told

    def _inputs(self) -> list[str]:
        """The given numbers that differ, the first few of them one by one."""
        words = self.work.words
        edited = [
            (Cell(name, head, i, j), change)
            for (name, head), change in self.found.items()
            if self._is_given(name, head)
            for i, row in enumerate(change.by)
            for j, by in enumerate(row)
            if by
        ]
        told = [self._edit(cell, change) for cell, change in islice(edited, MOST_LISTED)]
        if len(edited) > MOST_LISTED:
            told.append(words(N_("{count} more given numbers")).format(count=len(edited) - MOST_LISTED))
        return told

    def _is_given(self, name: str, head: int | None) -> bool:
        if name not in STEPS:
            return True
        return head is not None and getattr(self.work.example.heads[head], name, None) is not None

    def _edit(self, cell: Cell, change: Change) -> str:
        """``X[1, 2] 1 → 3``"""
        was, by = change.was[cell.row][cell.col] or 0.0, change.by[cell.row][cell.col] or 0.0
        now = self.work.trace.matrix(cell.name, cell.head)[cell.row][cell.col]
        if cell.name == "mask" and not isinstance(self.work.example.mask, AddMask):
            shown = ("✓", "✕") if by < 0 else ("✕", "✓")
        else:
            shown = (self._number(was), self._number(now))
        return f"{cell_name(cell, self.work.example, self.work.words)} {' → '.join(shown)}"

    def _steps(self) -> list[str]:
        """Where the change begins, and how far it moves the weights (or what changes last, where they stay)."""
        words = self.work.words
        moved = [name for name in STEPS if self._counts(name)[0]]
        if not moved:
            return []
        told = []
        last = "weights" if "weights" in moved else moved[-1]
        if moved[0] != last:
            changed, total = self._counts(moved[0])
            begins = words(N_("it begins at {symbol} ({changed} of {total} numbers)"))
            letter = symbol(moved[0], self.work.example).replace("head_i", "head")
            told.append(begins.format(symbol=letter, changed=changed, total=total))
        changed, total = self._counts(last)
        cell, by = self._largest(last)
        most = words(N_("{word}: {changed} of {total} changed, by {by} at most ({place})"))
        place = cell_name(cell, self.work.example, words)
        word = words(self.names[last])
        told.append(most.format(changed=changed, total=total, word=word, by=self._number(by), place=place))
        return told

    def _of(self, name: str) -> list[tuple[int | None, Change]]:
        """A step's changes by head, without what a head is given."""
        return [
            (head, change)
            for (matrix, head), change in self.found.items()
            if matrix == name and not self._is_given(name, head)
        ]

    def _counts(self, name: str) -> tuple[int, int]:
        of = self._of(name)
        return sum(change.changed for _, change in of), sum(change.compared for _, change in of)

    def _largest(self, name: str) -> tuple[Cell, float]:
        rows = [
            (max(abs(by or 0.0) for by in row), head, i, row)
            for head, change in self._of(name)
            for i, row in enumerate(change.by)
            if any(row)
        ]
        most, head, i, row = max(rows, key=lambda one: one[0])
        return Cell(name, head, i, next(j for j, by in enumerate(row) if abs(by or 0.0) == most)), most

    def _number(self, value: float) -> str:
        return trimmed(value, self.work.decimals)


def _kind(example: Example) -> str:
    return example.positions.kind if example.positions else "none"
