"""How far float32 arithmetic may be from the exact numbers: a running error bound, cell by cell and step by step.

A library that computes in float32 prints seven or eight digits, and the last of them depend on its rounding. The bound
separates them from wrong digits. It is valid for any order of summation, and for queries scaled before the product.

With u = 2⁻²⁴ and |e| the error of an operand, to first order (Higham 2002, 3.1 and 3.5):

input      |x − float32(x)|
A·B        |A|·e_B + e_A·|B| + e_A·e_B + (n + 4)·u·|A|·|B|, where n terms are added up
softmax    with e = e_s + 3u·|s − max s| and d = Σ w·(exp(e) − 1): w·(exp(e)·(1 + (n + 8)·u) ÷ (1 − d) − 1), where a
           sink is one more score of each row
any other  how far the step moves where each operand moves by its error, and 4u of the result
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import torch
from torch import Tensor

from mha_core.check.search import Search
from mha_core.compute.operations import OPERATIONS, Step
from mha_core.compute.printed import Key

UNIT: Final = 2.0**-24
"""Half of float32's distance from 1 to the next number: the largest relative error of one rounding."""
_PRODUCTS: Final = {"matmul", "row_sums"}
_SUMS: Final = {"sum", "total", "add_up"}
_SMALLEST: Final = float(torch.finfo(torch.float32).tiny)
"""Below this a library may give 0."""


class Float32Error:
    """The error bound for each step of one example."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self._errors: dict[Key, Tensor] = {}

    def of(self, key: Key) -> Tensor:
        """How far each cell of a step may be from its exact value, rows × columns."""
        if key not in self._errors:
            exact = self.search.exact(key)
            if exact is None:
                raise KeyError(key)
            error = self._step_error(key, exact) if key in self.search.steps else _conversion_error(exact)
            self._errors[key] = error.nan_to_num(0.0, 0.0, 0.0) + _SMALLEST * (exact != 0)
        return self._errors[key]

    def _step_error(self, key: Key, exact: Tensor) -> Tensor:
        step = self.search.steps[key]
        values, errors = self._operands(key)
        if step.op == "softmax":
            scores, error = (_with_sink([matrix[0] for matrix in of.values()]) for of in (values, errors))
            rest = (1 - exact.sum(-1, keepdim=True)).clamp(min=0)
            weights = torch.cat((exact, rest), -1)[..., : scores.shape[-1]]
            return _softmax_error(scores, error, weights)[..., : exact.shape[-1]]
        if step.op in _PRODUCTS | _SUMS:
            return self._sum_error(key, values, errors)
        if step.op == "rotate":
            return _rotation_error(step, values, errors)
        if step.op == "sinusoid":
            angles = next(iter(errors.values()))[0]
            return angles.repeat_interleave(2, -1)[..., : exact.shape[-1]] + 4 * UNIT
        if OPERATIONS[step.op].copies and len(values) == 1:
            return self._run(key, errors)
        if step.op == "norm":
            (columns,) = (value.shape[-1] for value in values.values())
            return self._run(key, errors) + (columns / 2 + 3) * UNIT * exact
        if step.op == "rms":  # it moves by no more than the root mean square of the errors
            rows = errors[step.operand_names[0]][0]
            return rows.square().mean(-1, keepdim=True).sqrt() + (rows.shape[-1] / 2 + 4) * UNIT * exact
        return self._move_error(key, values, errors, exact)

    def _operands(self, key: Key) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        """Each operand's exact numbers and their errors: 1 × rows × columns, or those of all heads stacked."""
        values, errors = dict[str, Tensor](), dict[str, Tensor]()
        for name, head in self.search.sources(key):
            matrix = self.search.input(name, head)
            exact = self.search.exact((name, head)) if matrix is None else matrix[0]
            if exact is None:
                raise KeyError(name)
            error = self.of((name, head)) if matrix is None else _conversion_error(exact)
            values[name] = torch.cat([values.get(name, exact[None][:0]), exact[None]])
            errors[name] = torch.cat([errors.get(name, error[None][:0]), error[None]])
        if self.search.steps[key].gathers:
            return {name: tensor[None] for name, tensor in values.items()}, {
                name: tensor[None] for name, tensor in errors.items()
            }
        return values, errors

    def _run(self, key: Key, tensors: Mapping[str, Tensor]) -> Tensor:
        return self.search.run(key, tensors)[0]

    def _sum_error(self, key: Key, values: dict[str, Tensor], errors: dict[str, Tensor]) -> Tensor:
        """The error of a matrix product or of the sum over heads; a bias is one more term."""
        size = {name: tensor.abs() for name, tensor in values.items()}
        terms = self._run(key, {name: torch.ones_like(tensor) for name, tensor in values.items()})
        rounding = (terms + 4) * UNIT * self._run(key, size)
        first, *others = values
        if self.search.steps[key].op in _SUMS:
            return rounding + self._run(key, errors)
        second, *bias = others
        none = {name: torch.zeros_like(size[name]) for name in bias}
        return (
            rounding
            + self._run(key, {**errors, first: size[first]})
            + self._run(key, {first: errors[first], second: size[second] + errors[second], **none})
        )

    def _move_error(
        self, key: Key, values: dict[str, Tensor], errors: dict[str, Tensor], exact: Tensor
    ) -> Tensor:
        """The error of a cell that is a monotonic function of one cell of each operand."""
        total = 4 * UNIT * exact.abs()
        for name, error in errors.items():
            moved = (self._run(key, {**values, name: values[name] + sign * error}) for sign in (1, -1))
            total = total + torch.maximum(
                *((cells - exact).abs().nan_to_num(0.0, 0.0, 0.0) for cells in moved)
            )
        return total


def _conversion_error(values: Tensor) -> Tensor:
    """The distance to the nearest float32."""
    return (values - values.to(torch.float32).to(values.dtype)).abs().nan_to_num(0.0, 0.0, 0.0)


def _with_sink(matrices: Sequence[Tensor]) -> Tensor:
    """Rows of scores, each with the sink as its last number if there is one."""
    scores, *sink = matrices
    return torch.cat((scores, *(number.expand(scores.shape[0], 1) for number in sink)), -1)


def _softmax_error(scores: Tensor, errors: Tensor, weights: Tensor) -> Tensor:
    below = (scores - scores.amax(-1, keepdim=True)).abs()
    growth = (errors + 3 * UNIT * below).nan_to_num(0.0, 0.0, 0.0).expm1()
    total = (weights * growth).sum(-1, keepdim=True).clamp(max=0.5)
    relative = (1 + growth) * (1 + (scores.shape[-1] + 8) * UNIT) / (1 - total) - 1
    return (weights * relative).nan_to_num(0.0, 0.0, 0.0).clamp(max=1.0)


def _rotation_error(step: Step, values: Mapping[str, Tensor], errors: Mapping[str, Tensor]) -> Tensor:
    """The error of a rotation: each number depends on both numbers of its pair and on the angle."""
    rows, angles = step.operand_names
    halves = step.plan == 1

    def for_both(pairs: Tensor) -> Tensor:
        return torch.cat([pairs, pairs], -1) if halves else pairs.repeat_interleave(2, -1)

    def pair_sums(columns: Tensor) -> Tensor:
        first, second = columns.chunk(2, -1) if halves else (columns[..., 0::2], columns[..., 1::2])
        return for_both(first + second)

    turn = for_both(errors[angles][0]) + 4 * UNIT
    return pair_sums(errors[rows][0]) + pair_sums(values[rows][0].abs()) * turn
