"""The fewest changes that solve a puzzle: one number, or two at once, as far as a search finds them.

1. One number: a grid of values for each, −12 to 12. Where a goal begins or ceases to hold between two values of the
   grid, bisection finds where, so that a narrow range of solutions between them is found too.
2. Two numbers: coarser grids for both, of at most ``MOST_VARIANTS`` variants each.
3. Pairs that may attend or not: every set of them, the smallest first, as long as there are not too many.

The variants of an example are computed at once (``variants``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product
from math import comb
from typing import Any, Final, TypeAlias

import torch
from torch import Tensor

from mha_core.edit.matrices import as_allow
from mha_core.example.model import NEG_INF, AddMask, Example, divisor
from mha_core.example.puzzle import Goal
from mha_core.puzzle.goals import TOLERANCE
from mha_core.puzzle.variants import Knob, Variants, bounds, holds
from mha_core.vocabulary import SCORING

Changes: TypeAlias = tuple[tuple[Knob, float], ...]
"""Input numbers with their new values."""
EditData: TypeAlias = Mapping[str, Any]

FAR: Final = 12
"""The largest magnitude of a value that is tried."""
FINE: Final = tuple(step / 4 for step in range(-4 * FAR, 4 * FAR + 1))
"""Values of one number."""
GRIDS: Final = (
    tuple(map(float, range(-4, 5))),
    tuple(map(float, range(-FAR, FAR + 1))),
    tuple(step / 2 for step in range(-2 * FAR, 2 * FAR + 1)),
)
"""Values of two numbers at once: one grid after the other."""
MOST_VARIANTS: Final = 100_000
"""Most variants that one grid, or the sets of one size, may have: less than a second."""
_BISECTIONS: Final = 50
"""From 0.25 down to the spacing of float64 numbers."""
_DECIMALS: Final = range(6)


def fewest(start: Example) -> tuple[EditData, ...] | None:
    """The edits of the smallest solution that the search finds, as plain data; None where it finds none.

    () where the goals hold at the start, or where there is no puzzle.
    """
    if start.puzzle is None:
        return ()
    example = _with_every_knob(start)
    variants = Variants.of(example, start.puzzle.goals)
    search = _Search(variants, _knobs(variants, start), example)
    for find in (search.nothing, search.one_number, search.two_numbers, search.mask):
        if (found := find()) is not None:
            return tuple(_edits(start, found))
    return None


def _with_every_knob(example: Example) -> Example:
    """The same numbers, with a divisor as a number and a mask of pairs where these may be changed."""
    if _may_change(example, "scale"):
        example = replace(example, scale=divisor(example) or 1.0)
    if _may_change(example, "mask") and not isinstance(example.mask, AddMask):
        example = replace(example, mask=as_allow(example))
    return example


def _may_change(example: Example, name: str) -> bool:
    change = example.puzzle.change if example.puzzle else ()
    return not change or name in change


def _knobs(variants: Variants, start: Example) -> list[Knob]:
    return [knob for knob in variants.knobs() if _may_change(start, knob.name)]


@dataclass(frozen=True)
class _Search:
    variants: Variants
    knobs: Sequence[Knob]
    example: Example

    @property
    def _goals(self) -> tuple[Goal, ...]:
        return self.variants.goals

    def nothing(self) -> Changes | None:
        """No change, where the goals hold already."""
        no_change = torch.zeros(1, 0, dtype=torch.long), torch.zeros(1, 0, dtype=torch.float64)
        return () if self._holds(self.variants.numbers(*no_change))[0] else None

    def one_number(self) -> Changes | None:
        """One changed number: of the grid, else between two of its values."""
        tried = [((knob, value),) for knob in self.knobs for value in self._values(knob, FINE)]
        numbers = self._numbers(tried)
        return self._best(tried, numbers) or self._between(tried, numbers)

    def two_numbers(self) -> Changes | None:
        """Two changed numbers of the first grid that has a solution."""
        for grid in GRIDS:
            values = [self._values(knob, grid) for knob in self.knobs]
            some = sum(len(one) * len(other) for one, other in combinations(values, 2))
            if some > MOST_VARIANTS:
                break
            tried = [
                ((knob, value), (other, new))
                for (knob, ones), (other, news) in combinations(zip(self.knobs, values, strict=True), 2)
                for value, new in product(ones, news)
            ]
            if found := self._best(tried, self._numbers(tried)):
                return found
        return None

    def mask(self) -> Changes | None:
        """The smallest set of three or more pairs that may attend from now on, or may no longer."""
        pairs = [(knob, self._values(knob, ())[0]) for knob in self.knobs if knob.name == "mask"]
        for size in range(3, len(pairs) + 1):
            if comb(len(pairs), size) > MOST_VARIANTS:
                break
            tried = list(combinations(pairs, size))
            if found := self._best(tried, self._numbers(tried)):
                return found
        return None

    def _values(self, knob: Knob, grid: Iterable[float]) -> list[float]:
        """The values of a number that are tried: of a grid, without its own; the opposite for a pair of the mask."""
        now = float(self.variants.row[knob.at])
        if knob.name == "mask":
            allows = not isinstance(self.example.mask, AddMask)
            return [1.0 - now if allows else 0.0 if now == NEG_INF else NEG_INF]
        return [value for value in grid if value != now and self._is_valid(knob, value)]

    def _is_valid(self, knob: Knob, value: float) -> bool:
        """A divisor is not 0; softcap and temperature are above it."""
        positive = knob.name == "softcap" or SCORING[self.example.scoring].temperature is not None
        return knob.name not in ("scale", "softcap") or value > 0 or (value < 0 and not positive)

    def _numbers(self, tried: Sequence[Changes]) -> Tensor:
        places = torch.tensor([[knob.at for knob, _ in changes] for changes in tried], dtype=torch.long)
        values = torch.tensor([[value for _, value in changes] for changes in tried], dtype=torch.float64)
        size = len(tried[0]) if tried else 0
        return self.variants.numbers(places.view(len(tried), size), values.view(len(tried), size))

    def _holds(self, numbers: Tensor) -> Tensor:
        return holds(self._goals, numbers, TOLERANCE)

    def _best(self, tried: Sequence[Changes], numbers: Tensor) -> Changes | None:
        """Of the changes that solve the puzzle, those with the plainest numbers, closest to the present ones."""
        found = [tried[at] for at in self._holds(numbers).nonzero().flatten().tolist()]
        return min(found, key=self._cost, default=None)

    def _cost(self, changes: Changes) -> tuple[int, float]:
        decimals = sum(_decimals(value) for _, value in changes)
        far = sum(abs(value - float(self.variants.row[knob.at])) for knob, value in changes)
        return decimals, far

    def _between(self, tried: Sequence[Changes], numbers: Tensor) -> Changes | None:
        """One number between two values of the grid.

        A limit of a goal is crossed where its number is below it at one value and above it at the next. Between two
        such crossings nothing changes, so one value of each range is enough.
        """
        crossings = self._crossings(tried, numbers)
        points: dict[Knob, set[float]] = {}
        for (knob, value), *_ in tried:
            points.setdefault(knob, set()).add(value)
        for knob, value in crossings:
            points[knob].add(value)
        with_crossings = dict.fromkeys(knob for knob, _ in crossings)
        ranges = [(knob, pairwise(sorted(points[knob]))) for knob in with_crossings]
        rounded = [
            ((knob, value),)
            for knob, parts in ranges
            for low, high in parts
            for value in _plain_values(low, high)
            if self._is_valid(knob, value)
        ]
        return self._best(rounded, self._numbers(rounded)) if rounded else None

    def _crossings(self, tried: Sequence[Changes], numbers: Tensor) -> list[tuple[Knob, float]]:
        """Where a goal's number crosses a limit, by bisection of all such ranges at once."""
        limits = torch.stack(bounds(self._goals))
        above = numbers[:, None] > limits  # values of the grid × limits × goals
        places = [
            (at, int(side), int(goal))
            for at, ((one, _), (other, _)) in enumerate(pairwise(first for first, *_ in tried))
            if one == other and one.name != "mask"
            for side, goal in (above[at] != above[at + 1]).nonzero().tolist()
        ]
        if not places:
            return []
        knobs = [tried[at][0][0] for at, _, _ in places]
        low, high = (torch.tensor([tried[at + by][0][1] for at, _, _ in places]).double() for by in (0, 1))
        limit = torch.stack([limits[side, goal] for _, side, goal in places])
        goals = torch.tensor([goal for _, _, goal in places])[:, None]
        starts_above = torch.stack([above[place] for place in places])
        at = torch.tensor([knob.at for knob in knobs])[:, None]
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            now = self.variants.numbers(at, middle[:, None]).gather(1, goals).flatten() > limit
            low, high = (
                torch.where(now == starts_above, middle, low),
                torch.where(now == starts_above, high, middle),
            )
        return list(zip(knobs, high.tolist(), strict=True))


def _decimals(value: float) -> int:
    return next((places for places in _DECIMALS if round(value, places) == value), len(_DECIMALS))


def _plain_values(low: float, high: float) -> list[float]:
    """The value between these two with the fewest decimals, and the middle."""
    middle = (low + high) / 2
    rounded = (round(middle, places) for places in _DECIMALS)
    return [*[value for value in rounded if low <= value <= high][:1], middle]


def _edits(start: Example, changes: Changes) -> Iterable[EditData]:
    """The changes as edits; a mask is made one of pairs first."""
    if any(knob.name == "mask" for knob, _ in changes) and (start.mask is None or start.mask == "causal"):
        yield {"op": "mask", "kind": "painted"}
    for knob, value in changes:
        if knob.name in ("scale", "softcap"):
            yield {"op": knob.name, "value": value}
            continue
        write: Callable[[float], object] = float
        if knob.name == "mask":
            write = _added_in_json if isinstance(start.mask, AddMask) else bool
        head = {} if knob.head is None else {"head": knob.head}
        place = {"matrix": knob.name, **head, "row": knob.row, "col": knob.col}
        yield {"op": "set", **place, "values": [[write(value)]]}


def _added_in_json(value: float) -> object:
    return "-inf" if value == NEG_INF else value
