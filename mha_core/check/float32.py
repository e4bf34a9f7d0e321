"""How far float32 arithmetic may be from the exact numbers: a running error bound, cell by cell and step by step.

A library that computes in float32 prints seven or eight digits, and the last of them are its own. The bound tells them
from wrong ones. It holds in whatever order the sums are taken, and for scores of queries that were scaled before.

With u = 2⁻²⁴ and |e| the error that an operand has come with, to first order (Higham 2002, 3.1 and 3.5):

input      |x − float32(x)|
A·B        |A|·e_B + e_A·|B| + e_A·e_B + (n + 4)·u·|A|·|B|, where n terms are added up
softmax    with e = e_s + 3u·|s − max s| and d = Σ w·(exp(e) − 1): w·(exp(e)·(1 + (n + 8)·u) ÷ (1 − d) − 1)
any other  how far the step moves where each operand moves by its error, and 4u of the result
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import torch
from torch import Tensor

from mha_core.check.search import Search
from mha_core.compute.operations import OPERATIONS, Step
from mha_core.compute.printed import Key

UNIT: Final = 2.0**-24
"""Half of float32's distance from 1 to the next number: what one rounding is off by, relative to the number."""
_SMALLEST: Final = float(torch.finfo(torch.float32).tiny)
"""Below this a library may write 0."""


class Strays:
    """The bound for each step of one example."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self._found: dict[Key, Tensor] = {}

    def of(self, key: Key) -> Tensor:
        """How far each cell of a step may be from its exact value, rows × columns."""
        if key not in self._found:
            exact = self.search.exact(key)
            if exact is None:
                raise KeyError(key)
            error = self._of_step(key, exact) if key in self.search.steps else _as_float32(exact)
            self._found[key] = error.nan_to_num(0.0, 0.0, 0.0) + _SMALLEST * (exact != 0)
        return self._found[key]

    def _of_step(self, key: Key, exact: Tensor) -> Tensor:
        step = self.search.steps[key]
        values, errors = self._operands(key)
        if step.op == "softmax":
            (name,) = values
            return _softmax(values[name][0], errors[name][0], exact)
        if step.op in ("matmul", "sum"):
            return self._sums(key, values, errors)
        if step.op == "rotate":
            return _rotated(step, values, errors)
        if step.op == "sinusoid":
            angles = next(iter(errors.values()))[0]
            return angles.repeat_interleave(2, -1)[..., : exact.shape[-1]] + 4 * UNIT
        if OPERATIONS[step.op].copies and len(values) == 1:
            return self._run(key, errors)
        if step.op == "norm":
            (columns,) = (one.shape[-1] for one in values.values())
            return self._run(key, errors) + (columns / 2 + 3) * UNIT * exact
        return self._moved(key, values, errors, exact)

    def _operands(self, key: Key) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        """Each operand's exact numbers, and the error that it comes with; 1 × rows × columns, of all heads stacked."""
        values, errors = dict[str, Tensor](), dict[str, Tensor]()
        for name, head in self.search.sources(key):
            matrix = self.search.input(name, head)
            known = self.search.exact((name, head)) if matrix is None else matrix[0]
            if known is None:
                raise KeyError(name)
            error = self.of((name, head)) if matrix is None else _as_float32(known)
            heads = [values[name], errors[name]] if name in values else [known[None][:0], error[None][:0]]
            values[name], errors[name] = (
                torch.cat([heads[0], known[None]]),
                torch.cat([heads[1], error[None]]),
            )
        if self.search.steps[key].gathers:
            return {name: one[None] for name, one in values.items()}, {
                name: one[None] for name, one in errors.items()
            }
        return values, errors

    def _run(self, key: Key, tensors: Mapping[str, Tensor]) -> Tensor:
        return self.search.run(key, tensors)[0]

    def _sums(self, key: Key, values: dict[str, Tensor], errors: dict[str, Tensor]) -> Tensor:
        """Of products, or of what the heads add up; a bias is one more term."""
        size = {name: one.abs() for name, one in values.items()}
        terms = self._run(key, {name: torch.ones_like(one) for name, one in values.items()})
        rounding = (terms + 4) * UNIT * self._run(key, size)
        first, *others = values
        if self.search.steps[key].op == "sum":
            return rounding + self._run(key, errors)
        second, *bias = others
        none = {name: torch.zeros_like(size[name]) for name in bias}
        return (
            rounding
            + self._run(key, {**errors, first: size[first]})
            + self._run(key, {first: errors[first], second: size[second] + errors[second], **none})
        )

    def _moved(self, key: Key, values: dict[str, Tensor], errors: dict[str, Tensor], exact: Tensor) -> Tensor:
        """Where a cell is made of one cell of each operand, and no more than rises or falls with it."""
        total = 4 * UNIT * exact.abs()
        for name, error in errors.items():
            moved = (self._run(key, {**values, name: values[name] + sign * error}) for sign in (1, -1))
            total = total + torch.maximum(*((one - exact).abs().nan_to_num(0.0, 0.0, 0.0) for one in moved))
        return total


def _as_float32(values: Tensor) -> Tensor:
    """What the nearest float32 is off by."""
    return (values - values.to(torch.float32).to(values.dtype)).abs().nan_to_num(0.0, 0.0, 0.0)


def _softmax(scores: Tensor, errors: Tensor, weights: Tensor) -> Tensor:
    below = (scores - scores.amax(-1, keepdim=True)).abs()
    grown = (errors + 3 * UNIT * below).nan_to_num(0.0, 0.0, 0.0).expm1()
    total = (weights * grown).sum(-1, keepdim=True).clamp(max=0.5)
    more = (1 + grown) * (1 + (scores.shape[-1] + 8) * UNIT) / (1 - total) - 1
    return (weights * more).nan_to_num(0.0, 0.0, 0.0).clamp(max=1.0)


def _rotated(step: Step, values: Mapping[str, Tensor], errors: Mapping[str, Tensor]) -> Tensor:
    """Of a pair both numbers and the angle move either of them."""
    rows, angles = step.operand_names
    halves = step.plan == 1

    def both(of: Tensor) -> Tensor:
        one, other = of.chunk(2, -1) if halves else (of[..., 0::2], of[..., 1::2])
        total = one + other
        return torch.cat([total, total], -1) if halves else total.repeat_interleave(2, -1)

    turned = errors[angles][0]
    turned = torch.cat([turned, turned], -1) if halves else turned.repeat_interleave(2, -1)
    return both(errors[rows][0]) + both(values[rows][0].abs()) * (turned + 4 * UNIT)
