"""The fewest changes that solve a puzzle: one number, or two at once, as far as a search finds them.

1. One number: a grid of values for each, −12 to 12. Where a goal begins or ceases to hold between two values of the
   grid, bisection finds where, so that a narrow range of solutions between them is found too.
2. Two numbers: coarser grids for both.
3. Pairs that may attend or not: every set of them, the smallest first, as long as there are not too many.

The variants of an example are computed at once (``variants``). A large example has coarser grids, or
fewer of these searches.
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
from mha_core.puzzle.variants import Knob, Variants, bounds
from mha_core.vocabulary import SCORING

Changes: TypeAlias = tuple[tuple[Knob, float], ...]
"""Input numbers with their new values."""
EditData: TypeAlias = Mapping[str, Any]

FAR: Final = 12
"""The largest magnitude of a value that is tried."""
FINE: Final = tuple(step / 4 for step in range(-4 * FAR, 4 * FAR + 1))
"""Values of one number."""
WHOLE: Final = tuple(map(float, range(-FAR, FAR + 1)))
FEW: Final = tuple(map(float, range(-4, 5)))
GRIDS: Final = (FEW, WHOLE, tuple(step / 2 for step in range(-2 * FAR, 2 * FAR + 1)))
"""Values of two numbers at once: one grid after the other."""
MOST_VARIANTS: Final = 100_000
"""Most variants of one grid, or of the sets of one size."""
MOST_NUMBERS: Final = 100_000_000
"""Most numbers that these variants may have in all: about a second."""
_NO_CHANGE: Final = torch.zeros(1, 0, dtype=torch.long), torch.zeros(1, 0, dtype=torch.float64)
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
    if not search.is_small:
        return None
    for find in (search.nothing, search.one_number, search.two_numbers, search.mask):
        if (found := find()) is not None:
            return tuple(_edits(start, found))
    return None


def _with_every_knob(example: Example) -> Example:
    """The same numbers, with a divisor as a number and a mask of pairs where these may be changed."""
    if _may_change(example, "scale"):
        example = replace(example, scale=divisor(example) or 1.0)
    if _may_change(example, "mask") and not isinstance(example.mask, AddMask):
        example = replace(example, mask=as_allow(example, example.mask))
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

    @property
    def is_small(self) -> bool:
        """Whether each number can at least be tried once."""
        return self._fits(len(self.knobs))

    def nothing(self) -> Changes | None:
        """No change, where the goals hold already."""
        return () if self._holds(self.variants.numbers(*_NO_CHANGE))[0] else None

    def one_number(self) -> Changes | None:
        """One changed number: of the finest grid that a large example allows, else between two of its values."""
        grid = next((grid for grid in (FINE, WHOLE, FEW) if self._fits(len(self.knobs) * len(grid))), ())
        tried = [((knob, value),) for knob in self.knobs for value in self._values(knob, grid)]
        numbers = self._numbers(tried)
        return self._best(tried, numbers) or self._between(tried, numbers)

    def two_numbers(self) -> Changes | None:
        """Two changed numbers of the first grid that has a solution.

        Where even the coarsest grid has too many variants, only of the numbers that move a goal's number by themselves.
        """
        knobs = self.knobs
        if not self._fits(_pairs(self._with_values(knobs, FEW))):
            knobs = self._moving()
        for grid in GRIDS:
            values = self._with_values(knobs, grid)
            if not self._fits(_pairs(values)):
                break
            tried = [
                ((knob, value), (other, new))
                for (knob, ones), (other, news) in combinations(values, 2)
                for value, new in product(ones, news)
            ]
            if found := self._best(tried, self._numbers(tried)):
                return found
        return None

    def _with_values(self, knobs: Sequence[Knob], grid: Iterable[float]) -> list[tuple[Knob, list[float]]]:
        return [(knob, self._values(knob, grid)) for knob in knobs]

    def _moving(self) -> list[Knob]:
        """The numbers with which a goal's number changes."""
        numbers = self._numbers([((knob, self._values(knob, FEW)[-1]),) for knob in self.knobs])
        now = self.variants.numbers(*_NO_CHANGE)
        moved = ((numbers != now) & ~(numbers.isnan() & now.isnan())).any(-1).tolist()
        return [knob for knob, moves in zip(self.knobs, moved, strict=True) if moves]

    def mask(self) -> Changes | None:
        """The smallest set of three or more pairs that may attend from now on, or may no longer."""
        pairs = [(knob, self._values(knob, ())[0]) for knob in self.knobs if self._is_pair(knob)]
        for size in range(3, len(pairs) + 1):
            if not self._fits(comb(len(pairs), size)):
                break
            tried = list(combinations(pairs, size))
            if found := self._best(tried, self._numbers(tried)):
                return found
        return None

    def _fits(self, variants: int) -> bool:
        """Whether so many variants take no longer than a person waits."""
        return variants <= min(MOST_VARIANTS, MOST_NUMBERS // self.variants.cells)

    def _values(self, knob: Knob, grid: Iterable[float]) -> list[float]:
        """The values of a number that are tried: of a grid, without its own; the opposite for a pair of a mask."""
        now = float(self.variants.row[knob.at])
        if self._is_pair(knob):
            return [1.0 - now]
        more = [NEG_INF] if knob.name == "mask" else []
        return [value for value in (*more, *grid) if value != now and self._is_valid(knob, value)]

    def _is_pair(self, knob: Knob) -> bool:
        """Whether this is a pair of tokens that may attend or not, rather than a number."""
        return knob.name == "mask" and not isinstance(self.example.mask, AddMask)

    def _is_valid(self, knob: Knob, value: float) -> bool:
        """A divisor is not 0; softcap and temperature are above it."""
        positive = knob.name == "softcap" or SCORING[self.example.scoring].temperature is not None
        return knob.name not in ("scale", "softcap") or value > 0 or (value < 0 and not positive)

    def _numbers(self, tried: Sequence[Changes]) -> Tensor:
        places = torch.tensor([[knob.at for knob, _ in changes] for changes in tried], dtype=torch.long)
        values = torch.tensor([[value for _, value in changes] for changes in tried], dtype=torch.float64)
        return self.variants.numbers(places, values)

    def _holds(self, numbers: Tensor) -> Tensor:
        """Which variants meet all goals: booleans, from variants × goals."""
        low, high = bounds(self._goals)
        return ((numbers >= low - TOLERANCE) & (numbers <= high + TOLERANCE)).all(-1)

    def _best(self, tried: Sequence[Changes], numbers: Tensor) -> Changes | None:
        """Of the changes that solve the puzzle, those with the plainest numbers, closest to the present ones."""
        found = [tried[at] for at in self._holds(numbers).nonzero().flatten().tolist()]
        return min(found, key=self._cost, default=None)

    def _cost(self, changes: Changes) -> float:
        """How far the numbers move, where each decimal is as bad as a distance of 2."""
        return sum(
            2 * _decimals(value) + abs(value - float(self.variants.row[knob.at])) for knob, value in changes
        )

    def _between(self, tried: Sequence[Changes], numbers: Tensor) -> Changes | None:
        """One number between two values of the grid.

        A limit of a goal is crossed where its number is below it at one value and above it at the next. Between two
        such crossings nothing changes, so one value of each range is enough, and each crossing itself.
        """
        crossings = self._crossings(tried, numbers)
        points: dict[Knob, set[float]] = {knob: set() for knob, _ in crossings}
        for (knob, value), *_ in tried:
            if knob in points:
                points[knob].add(value)
        for knob, value in crossings:
            points[knob].add(value)
        ranges = [(knob, ends) for knob, values in points.items() for ends in pairwise(sorted(values))]
        ranges += [(knob, (value, value)) for knob, value in crossings]
        within = [
            ((knob, value),)
            for knob, ends in ranges
            for value in _plain_values(*ends)
            if self._is_valid(knob, value)
        ]
        return self._best(within, self._numbers(within))

    def _crossings(self, tried: Sequence[Changes], numbers: Tensor) -> list[tuple[Knob, float]]:
        """Where a goal's number crosses a limit, by bisection of all such ranges at once."""
        limits = torch.stack(bounds(self._goals))
        above = numbers[:, None] > limits  # values of the grid × limits × goals
        places = [
            (at, int(side), int(goal))
            for at, ((one, _), (other, _)) in enumerate(pairwise(first for first, *_ in tried))
            if one == other and not self._is_pair(one)
            for side, goal in (above[at] != above[at + 1]).nonzero().tolist()
        ]
        if not places or not self._fits(len(places) * _BISECTIONS):
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


def _pairs(values: Sequence[tuple[Knob, Sequence[float]]]) -> int:
    """How many pairs of values of two different numbers there are."""
    counts = [len(some) for _, some in values]
    return (sum(counts) ** 2 - sum(count**2 for count in counts)) // 2


def _decimals(value: float) -> int:
    return next((places for places in _DECIMALS if round(value, places) == value), len(_DECIMALS))


def _plain_values(low: float, high: float) -> list[float]:
    """The value between these two with the fewest decimals, and the middle."""
    middle = (low + high) / 2
    rounded = (round(middle, places) for places in _DECIMALS)
    return [*[value for value in rounded if low <= value <= high][:1], middle]


def _edits(start: Example, changes: Changes) -> Iterable[EditData]:
    """The changes as edits."""
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
