"""Computing the declared backward pass with torch, from the tensors of a trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import torch
from torch import Tensor

from mha_core.compute.backward import Backward, backward
from mha_core.compute.device import Backend
from mha_core.compute.operation import Operand
from mha_core.compute.operations import OPERATIONS, Step
from mha_core.errors import N_, NumberRangeError
from mha_core.example.model import Example, kv_head_of, setting
from mha_core.vocabulary import GOAL_STEPS, PER_HEAD, SETTINGS, TARGETS

Groups: TypeAlias = Sequence[tuple[tuple[int, ...], Mapping[str, Tensor]]]
Given: TypeAlias = Callable[[str, int | None], list[list[float]]]


def run_backward(
    example: Example, where: Backend, groups: Groups, layer: Mapping[str, Tensor], given: Given
) -> dict[str, Any]:
    """Every number of the backward pass by name, as ``Trace.values`` has those of the forward pass.

    ``groups`` and ``layer``: the tensors of the trace; ``given``: any other matrix of it, by name and head.
    Raises ``NumberRangeError`` where the loss is infinite, since a target has a share on a weight of 0, and where the
    dtype cannot hold a derivative.
    """
    with torch.inference_mode():
        return _Run(example, where, groups, layer, given).values()


class _Run:
    """The tensors so far: of the layer under None, of each head under its number, each rows × columns."""

    def __init__(
        self, example: Example, where: Backend, groups: Groups, layer: Mapping[str, Tensor], given: Given
    ) -> None:
        self.example, self.where, self.layer, self.given = example, where, layer, given
        self.declared = backward(example)
        self.found: dict[tuple[str, int | None], Tensor] = {}
        self.of_heads = {
            head: (tensors, at) for members, tensors in groups for at, head in enumerate(members)
        }

    def values(self) -> dict[str, Any]:
        """Run each declared step in turn."""
        values: dict[str, Any] = {}
        for step, head in self.declared.places():
            operands = [self._operand(operand, step, head) for operand in step.operands]
            result = OPERATIONS[step.op].run(step, operands, self.example)
            numbers = (result[head or 0] if step.own_head else result) + 0.0  # no −0
            self.found[step.name, head] = numbers
            if not numbers.isfinite().all():
                raise _out_of_range(step.name, self.where.dtype)
            if head is None:
                values[step.name] = numbers.tolist()
            else:
                values.setdefault(step.name, [None] * len(self.of_heads))[head] = numbers.tolist()
        return values

    def _operand(self, operand: Operand, step: Step, head: int | None) -> Any:
        if operand.name in SETTINGS:
            return setting(self.example, operand.name)
        if operand.head:
            heads = heads_read(self.example, self.declared, operand.name, step.name, head)
            return torch.stack([self.found[operand.name, at] for at in heads])
        per_head = head is not None and operand.name in PER_HEAD
        owner = kv_head_of(self.example, operand.name, head) if head is not None and per_head else None
        known = self.found.get((operand.name, owner))
        return self._forward(operand.name, owner, head) if known is None else known

    def _forward(self, name: str, owner: int | None, head: int | None) -> Tensor:
        """A matrix that the trace has: ``owner``'s or the layer's, read by ``head``."""
        if owner is None and name in self.layer:
            return self.layer[name]
        tensors, at = self.of_heads[head or 0 if owner is None else owner]
        if name in tensors and (owner is not None or head is not None):
            return tensors[name][at]
        rows = self.given(name, owner)
        self.found[name, owner] = torch.tensor(rows, dtype=self.where.torch_dtype, device=self.where.device)
        return self.found[name, owner]


def heads_read(example: Example, declared: Backward, name: str, result: str, head: int | None) -> list[int]:
    """The heads whose matrix ``name`` a step reads that adds heads up: all that have it, or those that share ``result``
    with ``head``.
    """
    return [
        at
        for at, steps in enumerate(declared.heads)
        if name in steps and (head is None or kv_head_of(example, result, at) == head)
    ]


def _out_of_range(name: str, dtype: str) -> NumberRangeError:
    if name.endswith(("loss", "losses")):
        return NumberRangeError(
            N_("the target has a share on a key whose weight is 0, so the loss is infinite"),
            place="learning.targets",
        )
    return NumberRangeError(N_("a derivative exceeded the range of {dtype}"), place=name, dtype=dtype)


def target_matrix(example: Example, name: str, head: int | None) -> list[list[float]] | None:
    """A target, or which rows have one (1, else 0); None where the example has no such goal."""
    learning = example.learning
    if learning is None:
        return None
    if name == "given_rows":
        if learning.step == "weights":
            return None
        return [[float(row is not None)] for row in learning.of_head(None) or ()]
    goal = next(step for step in GOAL_STEPS if TARGETS[step] == name)
    if goal != learning.step or (head is None) is (goal == "weights"):
        return None
    if head is not None and not 0 <= head < len(learning.targets):
        return None
    _, width = example.dims.shape(name)
    found: list[list[float]] | None = learning.matrix(head, width)
    return found
