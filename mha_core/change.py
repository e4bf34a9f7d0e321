"""How the numbers of an example differ from an earlier one's: a baseline that was kept, cell by cell.

changes(now, before)["x", None].by[0][1]    X[1,2] now − X[1,2] before

Cells are compared by their place: a token, a head or a column that the baseline lacks has no counterpart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from mha_core.example import AXES, NEG_INF, AddMask
from mha_core.graph import LAYER_INPUTS
from mha_core.trace import Rows, Trace, input_matrix
from mha_core.validate import WHOLE_LAYER_STEPS

_WHOLE_LAYER = frozenset((*LAYER_INPUTS, *WHOLE_LAYER_STEPS))
Differences: TypeAlias = "list[list[float | None]]"

ROUNDING = 1e-12
"""A computed number that moves by less than this share of its matrix's largest has only been rounded differently."""


class Change(NamedTuple):
    """One matrix beside its counterpart, rows × columns each.

    ``was``: the number before; ``by``: now − before, ±∞ where just one of the two is −∞, 0 where nothing changed.
    None in both where the baseline has no such cell.
    """

    was: Differences
    by: Differences

    @property
    def changed(self) -> int:
        """How many cells differ."""
        return sum(bool(by) for row in self.by for by in row)

    @property
    def compared(self) -> int:
        """How many cells have a counterpart."""
        return sum(by is not None for row in self.by for by in row)


def changes(now: Trace, before: Trace) -> dict[tuple[str, int | None], Change]:
    """The change of every matrix by name and head (None for the layer's), in the order of the computation."""
    alike = isinstance(now.example.mask, AddMask) == isinstance(before.example.mask, AddMask)
    found = {}
    for name, head, rows, computed in _matrices(now):
        earlier = _rows(before, name, head)[0] if name != "mask" or alike else None
        found[name, head] = _change(rows, earlier or [], ROUNDING if computed else 0.0)
    return found


def _matrices(computed: Trace) -> Iterator[tuple[str, int | None, Rows, bool]]:
    for name in AXES:
        heads = (None,) if name in _WHOLE_LAYER else range(len(computed.example.heads))
        for head in heads:
            rows, is_step = _rows(computed, name, head)
            if rows:
                yield name, head, rows, is_step


def _rows(computed: Trace, name: str, head: int | None) -> tuple[Rows | None, bool]:
    """A matrix's numbers, where the trace has it, and whether they were computed."""
    given = input_matrix(computed.example, name, head)
    if given is not None:
        return given, False
    values = computed.values.get(name)
    if values is None or head is None:
        return values, True
    return (values[head] if head < len(values) else None), True


def _change(rows: Rows, earlier: Rows, rounding: float) -> Change:
    if rows == earlier:
        return Change([list(row) for row in rows], [[0.0] * len(row) for row in rows])
    slack = rounding * max(
        (abs(v) for part in (rows, earlier) for row in part for v in row if v != NEG_INF), default=0
    )
    was: Differences = []
    by: Differences = []
    for i, row in enumerate(rows):
        old: Sequence[float | None] = earlier[i] if i < len(earlier) else ()
        before = [*old[: len(row)], *[None] * (len(row) - len(old))]
        was.append(before)
        by.append([None if b is None else _by(a, b, slack) for a, b in zip(row, before, strict=True)])
    return Change(was, by)


def _by(now: float, before: float, slack: float) -> float:
    if now == before or abs(now - before) <= slack:
        return 0.0
    return now - before
