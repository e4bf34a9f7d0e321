"""What numbers must be like so that working with them teaches something: the laws of an exercise.

rows      No row of X, the context, Q, K, V or the scores is zero, and none repeats another.
answers   Of a step's numbers no more than a third are alike, at 2 decimals (of fewer than six, two).
mistakes  Every known mistake changes at least a third of the numbers of the step that it is made at, and two, since
          one may be any slip; and a check of all steps, written down at 2 decimals, calls it by its name and by no
          other.

They are asked for as far as mathematics allows: as far as numbers keep them that have nothing special (normal ones,
at 9 decimals). Those show that with a single key all weights are 1; that a causal mask of three tokens, shifted by
one, changes two scores of nine; that Sᵀ in place of a 2 × 2 S is an exchange of two cells; and that the softmax of
the unscaled scores is what comes of forgetting to scale. A mistake that changes none of their numbers, or gives
another shape, does not apply.
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
"""The digits to which answers are expected."""
_MANY: Final = 9
"""Digits by which numbers with nothing special are distinguished."""
_WITH_ROWS: Final = ("x", "context", "q", "k", "v", "scores")
_WITH_ANSWERS: Final = tuple(name for name in STEPS if name not in (*EARLY_STEPS, "linear_biases"))
"""The steps whose numbers X and W decide."""


class Laws:
    """The laws for examples like that of ``plain``, whose numbers have nothing special."""

    def __init__(self, plain: Trace) -> None:
        self._rows = [key for key, rows in _matrices(plain, _WITH_ROWS) if rows_differ(rows)]
        self._answers = {key: _unlike(rows) for key, rows in _matrices(plain, _WITH_ANSWERS)}
        self._mistakes = dict(diagnoses(plain, _MANY))
        self._hidden: Counter[Key] = Counter()  # how often so far, by matrix

    def faults(self, computed: Trace, fewest: int | None = None) -> int:
        """How many mistakes do not show as they should; more than there are where rows or answers do not.

        Counting ends at ``fewest``, if that is given.
        """
        matrices = dict(_matrices(computed, (*_WITH_ROWS, *_WITH_ANSWERS)))
        plain = sum(not rows_differ(matrices[key]) for key in self._rows)
        plain += sum(
            not _answers_differ(matrices[key][i][j] for i, j in cells) for key, cells in self._answers.items()
        )
        if plain:
            return plain + sum(map(len, self._mistakes.values()))
        faults = 0
        for key, ways in diagnoses(computed, DECIMALS, self._hidden):
            least = max(2, ceil(len(matrices[key]) * len(matrices[key][0]) / 3)) if key in matrices else 0
            hidden = sum(
                not _shown(ways.get(label, ()), most, least) for label, most in self._mistakes[key].items()
            )
            faults += hidden
            self._hidden[key] += hidden
            if fewest is not None and faults >= fewest:
                break
        return faults


def rows_differ(rows: Sequence[Sequence[float]]) -> bool:
    """No row is zero, and none repeats another."""
    return all(map(any, rows)) and len(set(map(tuple, rows))) == len(rows)


def numbers_differ(rows: Sequence[Sequence[float]]) -> bool:
    """Rows differ, and so do answers."""
    return rows_differ(rows) and _answers_differ(cell for row in rows for cell in row)


def _matrices(computed: Trace, names: Iterable[str]) -> Iterator[tuple[Key, Rows]]:
    """The matrices of these names that there are."""
    for name in names:
        of_heads: Any = computed.values.get(name)
        if name in LAYER_INPUTS:
            of_heads = input_matrix(computed.example, name)
        for head, rows in enumerate(of_heads or ()) if name in PER_HEAD_STEPS else [(None, of_heads)]:
            if rows:
                yield (name, head), rows


def _unlike(rows: Rows) -> list[tuple[int, int]]:
    """The cells whose number stands in no other cell."""
    count = Counter(cell for row in rows for cell in row)
    return [(i, j) for i, row in enumerate(rows) for j, cell in enumerate(row) if count[cell] == 1]


def _answers_differ(cells: Iterable[float]) -> bool:
    """To the digits that are written down, no more than a third of these numbers are alike."""
    count = Counter(round(cell, DECIMALS) + 0.0 for cell in cells)
    return max(count.values(), default=0) <= max(2, count.total() / 3)


def _shown(actual: Sequence[Diagnosis], most: Sequence[Diagnosis], least: int) -> bool:
    """Whether every way of a mistake changes so many cells, or as many as it can, and is called what it must be."""
    return len(actual) == len(most) and all(
        one.changed >= min(least, able.changed) and one.names <= able.names
        for one, able in zip(actual, most, strict=True)
    )
