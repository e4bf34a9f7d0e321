"""The lens "change": how every number has changed since a baseline, and what was edited, in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from mha_core.compare.diff import Change, changes
from mha_core.compute.derive import Cell
from mha_core.compute.graph import symbol
from mha_core.compute.trace import Trace
from mha_core.errors import N_
from mha_core.example.model import NEG_INF, adds_numbers, divisor, position_choice
from mha_core.numbers import trimmed
from mha_core.vocabulary import HIDES, MASKS, NAMES, PER_HEAD, POSITION_CHOICES, SCORING_CHOICES, STEPS
from mha_view.cell_names import cell_name
from mha_view.language import Words, words_in
from mha_view.lenses.lens import Lens
from mha_view.payloads import Seen, SeenMatrix

MOST_LISTED: Final = 3
"""Changed inputs that the summary spells out before it counts the rest."""

CHOICES: Final = {
    "scoring": N_("Scoring"),
    **{f"scoring_{name}": choice.label for name, choice in SCORING_CHOICES.items()},
    "positions": N_("Positions"),
    **{f"positions_{name}": choice.label for name, choice in POSITION_CHOICES.items()},
}
"""The names of two menus of the layer and of their choices."""

Changes = dict[tuple[str, int | None], Change]
Value: TypeAlias = float | bool | str
"""A number as it is sent; a cell of a mask that allows is true or false."""


def change(lens: Lens, computed: Trace, language: str) -> Seen:
    """Each matrix's ``lens``, now − before (None where there is no counterpart), and ``was``, its earlier rows (None
    where none of a row's numbers differs). Nothing where no baseline is pinned.
    """
    if not lens.baseline:
        return {"matrices": {}}
    example, before = computed.example, lens.baseline.trace
    by_matrix = changes(computed, before)
    heads = range(len(example.heads))
    allows = not adds_numbers(example)
    matrices: dict[str, SeenMatrix] = {}
    for name in dict.fromkeys(name for name, _ in by_matrix):
        parts = [by_matrix.get((name, head)) for head in (heads if name in PER_HEAD else (None,))]
        convert: Callable[[float], Value] = bool if name in MASKS and allows else _json
        unbounded = name in HIDES  # only these contain −∞
        by = [part and (_converted(part.by, _json) if unbounded else part.by) for part in parts]
        was = [part and _earlier(part, convert if unbounded else None) for part in parts]
        matrices[name] = {"lens": by, "was": was} if name in PER_HEAD else {"lens": by[0], "was": was[0]}
    summary = _Summary(computed, before, by_matrix, words_in(language), lens.decimals).sentence()
    return {"lens": {"kind": "change", "target": None, "summary": summary}, "matrices": matrices}


def _converted(
    rows: Sequence[Sequence[float | None]], convert: Callable[[float], Value]
) -> list[list[Value | None]]:
    return [[None if number is None else convert(number) for number in row] for row in rows]


def _earlier(change: Change, convert: Callable[[float], Value] | None) -> list[Sequence[Value | None] | None]:
    """The earlier rows in which some cell differs."""
    rows: Sequence[Sequence[Value | None]] = _converted(change.was, convert) if convert else change.was
    return [row if any(by) else None for row, by in zip(rows, change.by, strict=True)]


def _json(number: float) -> float | str:
    if number in (NEG_INF, -NEG_INF):
        return "-inf" if number == NEG_INF else "inf"
    return number


class _Summary(NamedTuple):
    """The change in one sentence: what was edited, where it begins, and how the weights change."""

    now: Trace
    before: Trace
    changes: Changes
    words: Words
    decimals: int

    def sentence(self) -> str:
        words = self.words
        parts = [*self._settings(), *self._inputs(), *self._steps()]
        lacking = sum(row.count(None) for change in self.changes.values() for row in change.by)
        if lacking:
            parts.append(
                words(N_("{count} {count:cell has|cells have} no counterpart in the baseline")).format(
                    count=lacking
                )
            )
        if not parts:
            return words(N_("Nothing differs from the baseline yet. Change a number."))
        return words(N_("Since the baseline: {list}.")).format(list=words(N_("; ")).join(parts))

    def _settings(self) -> list[str]:
        """Settings that differ."""
        words, parts = self.words, []
        now, before = self.now.example, self.before.example
        a, b = divisor(before), divisor(now)
        if a != b:
            parts.append(f"÷ {self._number(a or 1.0)} → {self._number(b or 1.0)}")
        for setting, old, new in (
            ("scoring", before.scoring, now.scoring),
            ("positions", position_choice(before), position_choice(now)),
        ):
            if old != new:
                labels = [words(CHOICES[f"{setting}_{kind}"]) for kind in (old, new)]
                parts.append(f"{words(CHOICES[setting])} {' → '.join(labels)}")
        return parts

    def _inputs(self) -> list[str]:
        """The given numbers that differ, the first few of them one by one."""
        words = self.words
        edited = [
            (Cell(name, head, i, j), change)
            for (name, head), change in self.changes.items()
            if self._is_given(name, head)
            for i, row in enumerate(change.by)
            for j, by in enumerate(row)
            if by
        ]
        parts = [self._edit(cell, change) for cell, change in islice(edited, MOST_LISTED)]
        if len(edited) > MOST_LISTED:
            parts.append(
                words(N_("{count} more input {count:number|numbers}")).format(count=len(edited) - MOST_LISTED)
            )
        return parts

    def _is_given(self, name: str, head: int | None) -> bool:
        if name not in STEPS:
            return True
        return head is not None and getattr(self.now.example.heads[head], name, None) is not None

    def _edit(self, cell: Cell, change: Change) -> str:
        """``X[1, 2] 1 → 3``"""
        was, by = change.was[cell.row][cell.col] or 0.0, change.by[cell.row][cell.col] or 0.0
        now = self.now.matrix(cell.name, cell.head)[cell.row][cell.col]
        if cell.name in MASKS and not adds_numbers(self.now.example):
            shown = ("✓", "✕") if by < 0 else ("✕", "✓")
        else:
            shown = (self._number(was), self._number(now))
        return f"{cell_name(cell, self.now.example, self.words)} {' → '.join(shown)}"

    def _steps(self) -> list[str]:
        """Where the change begins, and how far it moves the weights (or the last step that changes, if they do not)."""
        words = self.words
        moved = [name for name in STEPS if self._counts(name)[0]]
        if not moved:
            return []
        parts = []
        last = "weights" if "weights" in moved else moved[-1]
        if moved[0] != last:
            changed, total = self._counts(moved[0])
            begins = words(N_("the change starts at {symbol} ({changed} of {total} numbers)"))
            letter = symbol(moved[0], self.now.example).replace("head_i", "head")
            parts.append(begins.format(symbol=letter, changed=changed, total=total))
        changed, total = self._counts(last)
        cell, by = self._largest(last)
        most = words(N_("{word}: {changed} of {total} changed, by up to {by} (at {place})"))
        place = cell_name(cell, self.now.example, words)
        word = words(NAMES[last])
        parts.append(most.format(changed=changed, total=total, word=word, by=self._number(by), place=place))
        return parts

    def _changes_of(self, name: str) -> list[tuple[int | None, Change]]:
        """A step's changes by head, without given numbers."""
        return [
            (head, change)
            for (matrix, head), change in self.changes.items()
            if matrix == name and not self._is_given(name, head)
        ]

    def _counts(self, name: str) -> tuple[int, int]:
        changes = self._changes_of(name)
        return sum(change.changed for _, change in changes), sum(change.compared for _, change in changes)

    def _largest(self, name: str) -> tuple[Cell, float]:
        rows = [
            (max(abs(by or 0.0) for by in row), head, i, row)
            for head, change in self._changes_of(name)
            for i, row in enumerate(change.by)
            if any(row)
        ]
        most, head, i, row = max(rows, key=lambda entry: entry[0])
        return Cell(name, head, i, next(j for j, by in enumerate(row) if abs(by or 0.0) == most)), most

    def _number(self, value: float) -> str:
        return trimmed(value, self.decimals)
