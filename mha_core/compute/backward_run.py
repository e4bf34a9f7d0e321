"""Computing the declared backward pass with torch, from the tensors of a trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor

from mha_core.compute.backward import Backward, Place, backward
from mha_core.compute.device import Backend
from mha_core.compute.operation import Operand
from mha_core.compute.operations import OPERATIONS, Step
from mha_core.errors import N_, NumberRangeError
from mha_core.example.model import Example, kv_head_of, setting
from mha_core.vocabulary import GOAL_STEPS, PER_HEAD, SETTINGS, TARGETS


class Computed(Protocol):
    """What the backward pass reads of a trace."""

    @property
    def example(self) -> Example:
        """What was computed."""

    @property
    def backend(self) -> Backend:
        """Where, and in which dtype."""

    @property
    def groups(self) -> Sequence[tuple[tuple[int, ...], Mapping[str, Tensor]]]:
        """The tensors of the heads."""

    @property
    def layer(self) -> Mapping[str, Tensor]:
        """Those of the layer."""

    def matrix(self, name: str, head: int | None = None) -> list[list[float]]:
        """The numbers of any matrix."""


def run_backward(computed: Computed) -> dict[str, Any]:
    """Every number of the backward pass by name, as ``Trace.values`` has those of the forward pass.

    Raises ``NumberRangeError`` where the loss is infinite, since a target has a share on a weight of 0, and where the
    dtype cannot hold a derivative.
    """
    values: dict[str, Any] = {}
    for (name, head), numbers in passed_back(computed, backward(computed.example), {}).items():
        if not numbers.isfinite().all():
            raise _out_of_range(name, computed.backend.dtype)
        if head is None:
            values[name] = numbers.tolist()
        else:
            values.setdefault(name, [None] * len(computed.example.heads))[head] = numbers.tolist()
    return values


def passed_back(computed: Computed, declared: Backward, given: Mapping[Place, Tensor]) -> dict[Place, Tensor]:
    """Every matrix of a declared backward pass, with those ``given``, each … × rows × columns as they are."""
    run = _Run(computed, declared, given)
    with torch.inference_mode():
        computed_here = {(step.name, head): run.step(step, head) for step, head in declared.places()}
    return {**given, **computed_here}


class _Run:
    """The tensors so far: of the layer under None, of each head under its number, each rows × columns."""

    def __init__(self, computed: Computed, declared: Backward, given: Mapping[Place, Tensor]) -> None:
        self.computed, self.example, self.declared = computed, computed.example, declared
        self.found = dict(given)
        self.of_heads = {
            head: (tensors, at) for members, tensors in computed.groups for at, head in enumerate(members)
        }

    def step(self, step: Step, head: int | None) -> Tensor:
        """Run one declared step."""
        operands = [self._operand(operand, step, head) for operand in step.operands]
        result = OPERATIONS[step.op].run(step, operands, self.example)
        own = result[..., head or 0, :, :] if step.own_head else result
        self.found[step.name, head] = numbers = own + 0.0  # no −0
        return numbers

    def _operand(self, operand: Operand, step: Step, head: int | None) -> Any:
        if operand.name in SETTINGS:
            return setting(self.example, operand.name)
        if operand.head:
            heads = heads_read(self.example, self.declared, operand.name, step.name, head)
            return torch.stack([self.found[operand.name, at] for at in heads], -3)
        per_head = head is not None and operand.name in PER_HEAD
        owner = kv_head_of(self.example, operand.name, head) if head is not None and per_head else None
        known = self.found.get((operand.name, owner))
        return self._forward(operand.name, owner, head) if known is None else known

    def _forward(self, name: str, owner: int | None, head: int | None) -> Tensor:
        """A matrix that the trace has: ``owner``'s or the layer's, read by ``head``."""
        if owner is None and name in self.computed.layer:
            return self.computed.layer[name]
        tensors, at = self.of_heads[head or 0 if owner is None else owner]
        if name in tensors and (owner is not None or head is not None):
            return tensors[name][at]
        where = self.computed.backend
        rows = self.computed.matrix(name, owner)
        self.found[name, owner] = torch.tensor(rows, dtype=where.torch_dtype, device=where.device)
        return self.found[name, owner]


def heads_read(example: Example, declared: Backward, name: str, result: str, head: int | None) -> list[int]:
    """The heads whose matrix ``name`` a step reads that adds heads up: all that have it, or those that share ``result``
    with ``head``.
    """
    return [
        at
        for at in range(len(declared.heads))
        if declared.has(name, at) and (head is None or kv_head_of(example, result, at) == head)
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
