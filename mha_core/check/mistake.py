"""What a known mistake is: a change to one declared step, and where it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import torch
from torch import Tensor

from mha_core.compute.operation import Operand
from mha_core.compute.operations import Step
from mha_core.compute.trace import operate
from mha_core.example.model import Dims, Example, mask_matrix

Look: TypeAlias = Callable[[str, "int | None"], "Tensor | None"]
"""Returns a matrix of the example, or a step's numbers, by name and head, 1 × rows × columns; None if there is none."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where a mistake is made: one declared step of one head (``head`` None: of the layer).

    ``tensors``: the operands by name, each B × rows × columns (concat: head_outputs as B × h × rows × columns).
    ``look`` returns any other matrix, which the mistake may use instead.
    """

    step: Step
    head: int | None
    tensors: Mapping[str, Tensor]
    example: Example
    dims: Dims
    look: Look

    def run(
        self,
        *operands: Operand,
        numbers: Mapping[str, Tensor] | None = None,
    ) -> Tensor:
        """The step's result, with other operands or numbers if given."""
        step = replace(self.step, operands=operands) if operands else self.step
        return operate(step, {**self.tensors, **(numbers or {})}, self.example, head=self.head)

    def operand(self, position: int) -> Tensor:
        """The numbers of one operand."""
        return self.tensors[self.step.operands[position].name]

    def with_setting(self, name: str, number: float) -> Tensor:
        """The step with another divisor or fill."""
        return self.run(numbers={name: torch.full_like(self.tensors[name], number)})

    @property
    def mask(self) -> Tensor | None:
        """The mask of the head."""
        return self.look(mask_matrix(self.example), self.head)

    def other(self, name: str, head: int | None = None) -> Tensor | None:
        """Another matrix: this head's, unless a head is named."""
        return self.look(name, self.head if head is None else head)


Wrong: TypeAlias = Callable[[Site], Iterable[Tensor]]


@dataclass(frozen=True, slots=True)
class Mistake:
    """A change to one declared step.

    ``steps``: the steps at which it can be made. ``wrong``: its results, none or several; one of another shape is
    skipped. ``formula``: what was computed, in symbols. ``by_row``: it may be made in single rows. ``written_only``: it
    is looked for in what was written down, not in unwritten steps before it: at every step it may be made apart.
    """

    id: str
    steps: tuple[str, ...]
    message: str
    formula: str
    wrong: Wrong
    by_row: bool = False
    written_only: bool = False
