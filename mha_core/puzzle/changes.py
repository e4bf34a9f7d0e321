"""How many input numbers differ between two examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from math import isclose
from typing import Any, TypeAlias

from mha_core.compute.trace import input_matrix
from mha_core.example.model import NEG_INF, AddMask, Example, allow_matrix, divisor, mask_fill
from mha_core.vocabulary import HEAD_MATRICES, HEAD_ROWS, LAYER_INPUTS

Cells: TypeAlias = Mapping[tuple[int, int], float]
"""Numbers by row and column."""


def changes(start: Example, now: Example) -> int:
    """How many input numbers differ.

    Each cell of an input matrix is one; where sizes differ, so is each cell that only one of the two has. A mask counts
    the pairs whose permission differs. The divisor, softcap, norm, scoring, groups and positions count one each.
    Titles, notes and tokens do not count.
    """
    return differing(start, now).total()


def differing(start: Example, now: Example) -> Counter[str]:
    """How many numbers differ, by the name of the input: ``Counter({"w_q": 2, "scale": 1})``."""
    before, after = _matrices(start), _matrices(now)
    counts: Counter[str] = Counter()
    for place in before.keys() | after.keys():
        counts[place[0]] += _different(before.get(place, {}), after.get(place, {}))
    counts["mask"] += _different_pairs(_hidden(start), _hidden(now)) + (mask_fill(start) != mask_fill(now))
    counts["scale"] += not isclose(divisor(start) or 1.0, divisor(now) or 1.0, abs_tol=SAME)
    for name in ("softcap", "norm", "scoring", "kv_heads"):
        counts[name] += getattr(start, name) != getattr(now, name)
    counts["positions"] += _kind(start) != _kind(now)
    return +counts


def changed_cells(
    start: Example, now: Example
) -> Iterator[tuple[tuple[str, int | None], tuple[int, int], float]]:
    """Each cell of a matrix whose number differs: the matrix and its head, row and column, and the number now.

    The two examples have the same sizes.
    """
    before = _matrices(start)
    for place, cells in _matrices(now).items():
        for cell, number in cells.items():
            if not isclose(before[place][cell], number, rel_tol=0, abs_tol=SAME):
                yield place, cell, number


SAME = 1e-9
"""Numbers that are as close as this count as equal: a drag by tenths comes back to 0.30000000000000004."""


def _kind(example: Example) -> object:
    return example.positions and (example.positions.kind, example.positions.pairs)


def _matrices(example: Example) -> dict[tuple[str, int | None], Cells]:
    """The cells of every given matrix, by name and head. Positions are given where the example has its own."""
    places: list[tuple[str, int | None]] = [(name, None) for name in _LAYER]
    places += [(name, head) for head in range(len(example.heads)) for name in (*HEAD_MATRICES, *HEAD_ROWS)]
    return {
        place: dict(_cells(rows)) for place in places if (rows := input_matrix(example, *place)) is not None
    }


_LAYER = tuple(name for name in LAYER_INPUTS if name != "mask")


def _cells(rows: Any) -> Iterator[tuple[tuple[int, int], float]]:
    return (((i, j), number) for i, row in enumerate(rows) for j, number in enumerate(row))


def _different(one: Cells, other: Cells) -> int:
    """Cells that differ, and those that only one of the two has."""
    return sum(
        cell not in one or cell not in other or not isclose(one[cell], other[cell], rel_tol=0, abs_tol=SAME)
        for cell in one.keys() | other.keys()
    )


def _hidden(example: Example) -> Cells:
    """The pairs that a mask acts on: −∞ where it hides them, or the number that it adds."""
    if isinstance(example.mask, AddMask):
        return {cell: number for cell, number in _cells(example.mask.add) if number}
    return {cell: NEG_INF for cell, allowed in _cells(allow_matrix(example) or ()) if not allowed}


def _different_pairs(one: Cells, other: Cells) -> int:
    return sum(one.get(pair, 0.0) != other.get(pair, 0.0) for pair in one.keys() | other.keys())
