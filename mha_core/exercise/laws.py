"""The laws of an exercise: what its numbers must satisfy so that working with them teaches something.

rows      No row of X, the context, Q, K, V or the scores is zero, and none repeats another.
answers   No more than a third of a step's numbers are equal at 2 decimals (no more than two of fewer than six).
mistakes  Every known mistake changes at least a third of the numbers of its step, and at least two, since a single
          one may be any slip. A check of all steps, written down at 2 decimals, gives it its own name and no other.

The laws are required only as far as normally distributed numbers, at 9 decimals, satisfy them: no others can do more.
These show that with a single key all weights are 1; that a causal mask of three tokens, shifted by one, changes two
scores of nine; that Sᵀ in place of a 2 × 2 S is a swap of two cells; and that the softmax of the unscaled scores is
the same as forgetting to scale. A mistake that changes none of their numbers, or gives another shape, does not apply.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from typing import Any, Final

from mha_core.compute.printed import Key
from mha_core.compute.trace import Rows, Trace, input_matrix
from mha_core.exercise.diagnoses import Diagnosis, diagnoses
from mha_core.vocabulary import EARLY_STEPS, LAYER_INPUTS, PER_HEAD_STEPS, STEPS

DECIMALS: Final = 2
"""The digits of the expected answers."""
_ALL_DECIMALS: Final = 9
"""Enough digits to distinguish any two normally distributed numbers."""
_WITH_ROWS: Final = ("x", "context", "q", "k", "v", "scores")
_WITH_ANSWERS: Final = tuple(name for name in STEPS if name not in (*EARLY_STEPS, "linear_biases"))
"""The steps whose numbers depend on X and W."""


class Laws:
    """The laws for examples like that of ``plain``, whose numbers are normally distributed."""

    def __init__(self, plain: Trace) -> None:
        self._rows = [key for key, rows in _matrices(plain, _WITH_ROWS) if rows_differ(rows)]
        self._answers = {key: _unique_cells(rows) for key, rows in _matrices(plain, _WITH_ANSWERS)}
        self._mistakes = dict(diagnoses(plain, _ALL_DECIMALS))
        self.mistakes: Final = sum(map(len, self._mistakes.values()))
        self._hidden: Counter[Key] = Counter()  # by matrix: mistakes so far that did not show as they should

    def faults(self, computed: Trace, fewest: int | None = None) -> int:
        """How many mistakes do not show as they should; more than all mistakes if rows or answers break their laws.

        Counting stops at ``fewest``, if that is given.
        """
        matrices = dict(_matrices(computed, (*_WITH_ROWS, *_WITH_ANSWERS)))
        plain = sum(not rows_differ(matrices[key]) for key in self._rows)
        plain += sum(
            not _answers_differ(matrices[key][i][j] for i, j in cells) for key, cells in self._answers.items()
        )
        if plain:
            return plain + self.mistakes
        faults = 0
        for key, ways in diagnoses(computed, DECIMALS, self._hidden):
            least = max(2, ceil(len(matrices[key]) * len(matrices[key][0]) / 3)) if key in matrices else 0
            hidden = sum(
                not _shows_as_expected(ways.get(label, ()), most, least)
                for label, most in self._mistakes[key].items()
            )
            faults += hidden
            self._hidden[key] += hidden
            if fewest is not None and faults >= fewest:
                break
        return faults


def rows_differ(rows: Sequence[Sequence[float]]) -> bool:
    """Whether no row is zero and none repeats another."""
    return all(map(any, rows)) and len(set(map(tuple, rows))) == len(rows)


def numbers_differ(rows: Sequence[Sequence[float]]) -> bool:
    """Whether rows and answers keep their laws."""
    return rows_differ(rows) and _answers_differ(cell for row in rows for cell in row)


def _matrices(computed: Trace, names: Iterable[str]) -> Iterator[tuple[Key, Rows]]:
    """The matrices of these names that the trace has."""
    for name in names:
        of_heads: Any = computed.values.get(name)
        if name in LAYER_INPUTS:
            of_heads = input_matrix(computed.example, name)
        for head, rows in enumerate(of_heads or ()) if name in PER_HEAD_STEPS else [(None, of_heads)]:
            if rows:
                yield (name, head), rows


def _unique_cells(rows: Rows) -> list[tuple[int, int]]:
    """The cells whose number occurs in no other cell."""
    count = Counter(cell for row in rows for cell in row)
    return [(i, j) for i, row in enumerate(rows) for j, cell in enumerate(row) if count[cell] == 1]


def _answers_differ(cells: Iterable[float]) -> bool:
    """Whether no more than a third of these numbers are equal at the digits that are written down."""
    count = Counter(round(cell, DECIMALS) + 0.0 for cell in cells)
    return max(count.values(), default=0) <= max(2, count.total() / 3)


def _shows_as_expected(actual: Sequence[Diagnosis], most: Sequence[Diagnosis], least: int) -> bool:
    """Whether every way of making a mistake changes ``least`` cells, or as many as it can, and gets its own name."""
    return len(actual) == len(most) and all(
        diagnosis.changed >= min(least, possible.changed) and diagnosis.names <= possible.names
        for diagnosis, possible in zip(actual, most, strict=True)
    )
