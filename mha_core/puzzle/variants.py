"""Many variants of an example computed at once: each has some input numbers replaced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan, prod
from typing import Final, NamedTuple, TypeAlias

import torch
from torch import Tensor

from mha_core.compute.device import Backend
from mha_core.compute.trace import Inputs, Trace, compute, load, run
from mha_core.example.model import Example, kv_head_of
from mha_core.example.puzzle import Goal
from mha_core.puzzle.goals import limits
from mha_core.vocabulary import LAYER_INPUTS

AT_ONCE: Final = 4_000_000
"""Numbers in one batch of variants: 32 MB."""
_CPU: Final = Backend("cpu", "float64")
_SCALE: Final = "divisor"

_Key: TypeAlias = tuple[int | None, str]
"""A tensor of numbers: of a group of heads by its index, or (None) the layer's; and its name."""


class Knob(NamedTuple):
    """One input number; the divisor, called ``scale``, and softcap have row and column 0.

    ``at``: its place in the row of all numbers.
    """

    name: str
    head: int | None
    row: int
    col: int
    at: int


@dataclass(frozen=True)
class Variants:
    """An example's input numbers as one row, and its goals as a function of that row."""

    inputs: Inputs
    goals: tuple[Goal, ...]

    @classmethod
    def of(cls, example: Example, goals: tuple[Goal, ...]) -> Variants:
        """The variants of a valid example."""
        return cls(load(example, _CPU), goals)

    @cached_property
    def _tensors(self) -> dict[_Key, Tensor]:
        """Every tensor of input numbers once; what all groups read of the layer is the layer's."""
        found: dict[_Key, Tensor] = {(None, name): tensor for name, tensor in self.inputs.layer.items()}
        for name, number in self.inputs.settings.items():
            if number is not None:
                found[None, name] = torch.tensor(number, dtype=torch.float64)
        for index, (_, _, given) in enumerate(self.inputs.groups):
            for name, tensor in given.items():
                if name in LAYER_INPUTS:
                    found[None, name] = tensor[0]
                else:
                    found[index, name] = tensor
        return found

    @cached_property
    def row(self) -> Tensor:
        """All input numbers of the example."""
        return torch.cat([tensor.flatten() for tensor in self._tensors.values()])

    @cached_property
    def cells(self) -> int:
        """How many numbers one variant has, given ones and those of every step."""
        return compute(self.inputs).cells

    def knobs(self) -> Iterator[Knob]:
        """Every input number that some step reads."""
        at = 0
        for (group, name), tensor in self._tensors.items():
            heads: Sequence[int | None] = [None] if group is None else self.inputs.groups[group][0]
            rows, cols = tensor.shape[-2:] if tensor.dim() else (1, 1)
            places = [(head, i, j) for head in heads for i in range(rows) for j in range(cols)]
            for offset, place in enumerate(places):
                if name != "fill":
                    yield Knob("scale" if name == _SCALE else name, *place, at + offset)
            at += tensor.numel()

    def numbers(self, places: Tensor, values: Tensor) -> Tensor:
        """The goals' numbers, variants × goals, where each variant has ``values`` at ``places`` (variants × changes).

        NaN where a variant has no such number, or one that is out of range.
        """
        parts, size = [], max(1, AT_ONCE // self.cells)
        with torch.inference_mode():
            for first in range(0, len(places), size):
                some, new = (tensor[first : first + size] for tensor in (places, values))
                rows = self.row.expand(len(some), -1).clone().scatter_(1, some, new)
                parts.append(torch.vmap(self._goal_numbers)(rows))
        return torch.cat(parts) if parts else torch.empty(0, len(self.goals), dtype=torch.float64)

    def _goal_numbers(self, row: Tensor) -> Tensor:
        sizes = [prod(tensor.shape) for tensor in self._tensors.values()]
        parts = zip(self._tensors.items(), row.split_with_sizes(sizes), strict=True)
        tensors = {key: part.view(tensor.shape) for (key, tensor), part in parts}
        groups = tuple(
            (
                members,
                steps,
                {
                    name: tensors[None, name].expand(len(members), -1, -1)
                    if name in LAYER_INPUTS
                    else tensors[index, name]
                    for name in given
                },
            )
            for index, (members, steps, given) in enumerate(self.inputs.groups)
        )
        of_layer = {name: tensor for (group, name), tensor in tensors.items() if group is None}
        computed = run(
            replace(
                self.inputs,
                groups=groups,
                layer={name: of_layer[name] for name in self.inputs.layer},
                settings={name: of_layer.get(name) for name in self.inputs.settings},
            )
        )
        return torch.stack([_number(computed, goal, row) for goal in self.goals])


def _number(computed: Trace, goal: Goal, row: Tensor) -> Tensor:
    """The number of a goal as a tensor; NaN where there is no such step."""
    head = None if goal.head is None else kv_head_of(computed.example, goal.step, goal.head)
    for members, tensors in computed.groups:
        if goal.step in tensors and (head is None or head in members):
            at = 0 if head is None else members.index(head)
            return tensors[goal.step][at, goal.row, goal.col]
    if goal.step in computed.layer:
        return computed.layer[goal.step][goal.row, goal.col]
    return torch.full_like(row[0], nan)


def bounds(goals: Sequence[Goal]) -> tuple[Tensor, Tensor]:
    """The smallest and the largest number that meets each goal."""
    low, high = zip(*map(limits, goals), strict=True)
    return torch.tensor(low, dtype=torch.float64), torch.tensor(high, dtype=torch.float64)
