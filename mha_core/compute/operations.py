"""What a step is, and what steps can do. Each operation has one entry, for computing, deriving and writing a step.

Those that only the backward pass needs are in ``backward_operations``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import cos, exp, fsum, hypot, sin, sqrt, tanh
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor

from mha_core.compute.backward_operations import BACKWARD_OPERATIONS
from mha_core.compute.operation import (
    Declared,
    Exceptional,
    Operand,
    Operation,
    Sized,
    Terms,
    alignments,
    axes,
    by_cell,
    inner_size,
    only,
    sum_of_products,
)
from mha_core.example.model import NEG_INF
from mha_core.vocabulary import HIDES, SETTINGS


@dataclass(frozen=True, slots=True)
class Step:
    """One step: ``name`` = ``op``(operands), ``op`` one of ``OPERATIONS``.

    ``per_head``: every head has its own; else there is one for the layer. ``index``: the letters of the result's axes.
    ``own_head``: the letter that an operand has for the heads, where the result is the part of one of them.
    Raises ``ValueError`` where the operation cannot run with these.
    """

    name: str
    op: str
    operands: tuple[Operand, ...]
    per_head: bool = True
    index: str = "ij"
    own_head: str = ""
    operand_names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """The operands' names, in order."""
    gathers: str = field(init=False, repr=False, compare=False)
    """The matrix that this step reads from every head; "" where it reads none."""
    plan: Any = field(init=False, repr=False, compare=False)
    """How the operation runs with these letters (``Operation``)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "operand_names", tuple(operand.name for operand in self.operands))
        object.__setattr__(self, "gathers", next((o.name for o in self.operands if o.head), ""))
        object.__setattr__(self, "plan", OPERATIONS[self.op].plan(self))

    @property
    def tables(self) -> tuple[Operand, ...]:
        """The operands without the layer's settings, such as the divisor: what a page shows as matrices."""
        return tuple(operand for operand in self.operands if operand.name not in SETTINGS)


class Product(NamedTuple):
    """Which of two matrices to transpose, so that their product has the letters that a step declares.

    ``split``: the product's rows are pairs; the result has the first letter along its rows, the second along columns.
    """

    left_transposed: bool
    right_transposed: bool
    split: str = ""

    def transposes(self, factor: int) -> bool:
        """Whether the formula transposes this factor; a vector that rows of pairs are multiplied with is none."""
        return self[factor] is True and not self.split


def _product(step: Declared) -> Product:
    """Read off the letters: the sum runs over the axis that both factors have and the result has not."""
    left, right = (axes(operand.name, operand.index) for operand in step.operands[:2])
    result = axes(step.name, step.index)
    for a in (1, 0):
        for b in (0, 1):
            if left[a] and left[a] == right[b] and left[a] not in result:
                rows, cols = left[1 - a], right[1 - b]
                if (rows, cols) == result:
                    return Product(a == 0, b == 1)
                if not cols and rows == "".join(result):
                    return Product(a == 0, b == 1, split=rows)
    raise ValueError(f"{step.name}: no product of {left} and {right} is {result}")


def broadcasts_pairs(step: Step) -> bool:
    """Whether any operand has only one letter of a pair along an axis of the result."""
    return OPERATIONS[step.op].plan is alignments and any(alignments(step))


# --- with torch --------------------------------------------------------------------------------------------------


def _matmul(step: Declared, operands: Sequence[Tensor], example: Sized) -> Tensor:
    a, b, *biases = operands
    left_transposed, right_transposed, split = step.plan
    if left_transposed:
        a = a.mT
    if right_transposed:
        b = b.mT
    if biases and not split:
        return biases[0].baddbmm(a, b) if a.dim() == 3 else biases[0].addmm(a, b)
    product = a @ b
    if split:
        product = product.view(*product.shape[:-2], -1, inner_size(split, example.dims))
        return product + biases[0] if biases else product
    return product


def _softmax(step: Declared, scores: Tensor, *sink: Tensor, out: Tensor | None = None) -> Tensor:
    """Softmax of each row; with a sink, of the row and one more score, whose weight is left out."""
    if sink:
        extra = torch.zeros_like(scores[..., :1]) + sink[0]
        return torch.softmax(torch.cat((scores.expand(*extra.shape[:-1], -1), extra), -1), -1)[..., :-1]
    if step.operands[0].name not in HIDES:
        return torch.softmax(scores, -1, out=out)
    # A row of −∞ alone comes out as NaN, and so does its derivative; such a query attends to nothing.
    empty = scores.amax(-1, keepdim=True) == NEG_INF
    if scores.requires_grad:
        scores = scores.masked_fill(empty, 0.0)
    weights = torch.softmax(scores, -1, out=out)
    return weights.masked_fill(empty, 0.0) if out is None else weights.masked_fill_(empty, 0.0)


def _sum(terms: Tensor, *biases: Tensor) -> Tensor:
    total = terms.sum(-3)
    return total + biases[0] if biases else total


def norm(numbers: Tensor, along: int | tuple[int, ...]) -> Tensor:
    """√Σ x² along these axes, which are kept with size 1.

    The square of 1e-200 is 0 and that of 1e200 is ∞: such numbers are divided by the largest of them first.
    """
    range_ = torch.finfo(numbers.dtype)
    largest = numbers.detach().abs().amax(along, keepdim=True)
    far = (largest < range_.tiny**0.25) | (largest > range_.max**0.25)
    unit = torch.where(far, largest.clamp(min=range_.tiny), 1.0)
    norms: Tensor = torch.linalg.vector_norm(numbers / unit, dim=along, keepdim=True) * unit
    return norms


def _rms(terms: Terms, eps: float) -> float:
    return sqrt(fsum(number * number for (number,) in terms) / len(terms) + eps)


def _normalize(rows: Tensor, norms: Tensor) -> Tensor:
    zero = norms == 0
    if rows.requires_grad:  # the derivative of 0 ÷ 0 is NaN, even where the quotient is not used
        norms = norms.masked_fill(zero, 1.0)
    return (rows / norms).masked_fill(zero, 0.0)


def _sinusoid(angles: Tensor, columns: int) -> Tensor:
    """With an odd number of columns the last is a sine without its cosine."""
    return _interleaved(angles.sin(), angles.cos())[..., :columns]


def _rotate(rows: Tensor, angles: Tensor, *, halves: bool) -> Tensor:
    a, b = rows.chunk(2, -1) if halves else (rows[..., 0::2], rows[..., 1::2])
    cosine, sine = angles.cos(), angles.sin()
    rotated = a * cosine - b * sine, a * sine + b * cosine
    return torch.cat(rotated, -1) if halves else _interleaved(*rotated)


def _interleaved(first: Tensor, second: Tensor) -> Tensor:
    """The columns of both, alternating."""
    return torch.stack((first, second), -1).flatten(-2)


# --- one cell ----------------------------------------------------------------------------------------------------


def _weight(terms: Terms, at: int) -> float:
    scores = [score for (score,) in terms]
    top = max(scores)
    if top == NEG_INF:
        return 0.0
    return exp(scores[at] - top) / fsum(exp(score - top) for score in scores)


def _rotated(terms: Terms, at: int) -> float:
    (a, angle), (b, _) = terms
    return a * sin(angle) + b * cos(angle) if at else a * cos(angle) - b * sin(angle)


OPERATIONS: Final = {
    # Σ_k a·b, plus a bias where there is a third operand
    "matmul": Operation(
        _matmul,
        lambda terms, at, constant: sum_of_products(terms),
        "{0}·{1}",
        plan=_product,
        adds=True,
    ),
    "multiply": by_cell(lambda a, b: a * b, lambda a, b: a * b, "{0}·{1}", "{sum}"),
    "divide": by_cell(
        lambda a, by: a / by,
        lambda a, by: a / by,
        "{0} ÷ {1}",
        "{0} ÷ {constant}",
        setting=True,
        is_sign=True,
        in_place=lambda a, by: a.div_(by),
    ),
    # c·tanh(a/c): almost a where a is small, never beyond c
    "softcap": by_cell(
        lambda a, cap: cap * torch.tanh(a / cap),
        lambda a, cap: cap * tanh(a / cap),
        "{1}·tanh({0} ÷ {1})",
        "{constant}·tanh({0} ÷ {constant})",
        setting=True,
        in_place=lambda a, cap: a.div_(cap).tanh_().mul_(cap),
    ),
    # a where the mask allows the pair, else the fill
    "masked_fill": by_cell(
        lambda a, allow, fill: torch.where(allow == 0, fill, a),
        lambda a, allow, fill: a if allow else fill,
        "mask({0}, {1})",
        exception=Exceptional(1, 0, "{0} → {value}"),
        copies=True,
        setting=True,
        in_place=lambda a, allow, fill: a.masked_fill_(allow == 0, fill),
    ),
    "add": by_cell(lambda a, b: a + b, lambda a, b: a + b, "{0} + {1}", in_place=lambda a, b: a.add_(b)),
    "copy": by_cell(lambda a: a, lambda a: a, "{0}", copies=True),
    # e^a over the row's sum of them, with e^b of a second operand b in the sum; a row of −∞ alone becomes 0
    "softmax": Operation(
        lambda step, operands, example: _softmax(step, *operands),
        lambda terms, at, constant: _weight(terms, at),
        "softmax({0})",
        ("{at} ÷ ({sum})",),
        "e^{0}",
        exception=Exceptional(0, NEG_INF, "{value}"),
        plan=only("ik ij", "ik  ij"),
        adds=True,
        extended="softmax({0} | {1})",
        shifts=True,
        in_place=lambda step, operands, example: _softmax(step, *operands, out=operands[0]),
    ),
    # the heads' rows side by side
    "concat": Operation(
        lambda step, operands, example: operands[0].transpose(-3, -2).flatten(-2),
        lambda terms, at, constant: terms[0][0],
        "[{0}]",
        copies=True,
        plan=only("ik i(gk)"),
        joined=" | ",
    ),
    # Σ over the heads, plus a bias where there is a second operand
    "sum": Operation(
        lambda step, operands, example: _sum(*operands),
        lambda terms, at, constant: sum_of_products(terms),
        "{0}",
        joined=" + ",
        adds=True,
    ),
    "tanh": by_cell(torch.tanh, tanh, "tanh({0})", "tanh {0}"),
    # √Σ_k a²
    "norm": Operation(
        lambda step, operands, example: norm(operands[0], -1),
        lambda terms, at, constant: hypot(*(number for (number,) in terms)),
        "‖{0}‖",
        ("√({sum})",),
        "{0}²",
        plan=only("ik i"),
        is_sign=True,
    ),
    # √(Σ_k a² ÷ count + eps)
    "rms": Operation(
        lambda step, operands, example: (operands[0].square().mean(-1, keepdim=True) + operands[1]).sqrt(),
        lambda terms, at, constant: _rms(terms, constant),
        "√(mean {0}² + {1})",
        ("√(({sum}) ÷ {count} + {constant})",),
        "{0}²",
        plan=only("ik  i"),
    ),
    # a ÷ b · c
    "gain": by_cell(
        lambda a, rms, gain: a / rms * gain,
        lambda a, rms, gain: a / rms * gain,
        "{0} ÷ {1} ∘ {2}",
        "{0} ÷ {1}·{2}",
    ),
    # a ÷ b; 0 where b is 0: a row of zeros has no direction
    "normalize": by_cell(
        _normalize,
        lambda a, b: a / b if b else 0.0,
        "{0} ÷ {1}",
        exception=Exceptional(1, 0, "{0} ÷ {1} → {value}"),
    ),
    # sin a in the first column of a pair, cos a in the second
    "sinusoid": Operation(
        lambda step, operands, example: _sinusoid(operands[0], example.dims.shape(step.name)[1]),
        lambda terms, at, constant: (cos if at else sin)(terms[0][0]),
        "sin, cos({0})",
        ("sin {0}", "cos {0}"),
        plan=only("im i(mr)"),
    ),
    # the pair (a, b) rotated by the angle θ: a·cos θ − b·sin θ in its first column, then a·sin θ + b·cos θ
    "rotate": Operation(
        lambda step, operands, example: _rotate(*operands, halves=step.plan == 1),
        lambda terms, at, constant: _rotated(terms, at),
        "rotate({0}, {1})",
        ("{0}·cos {1} − {2}·sin {1}", "{0}·sin {1} + {2}·cos {1}"),
        plan=only("i(mk) im i(mr)", "i(km) im i(rm)"),
    ),
    "linear_bias": by_cell(
        lambda slope, a, b: 0.0 - slope * (a - b).abs(),  # from 0, so that no −0 comes out
        lambda slope, a, b: 0.0 - slope * abs(a - b),
        "−{0}·|{1} − {2}|",
    ),
    **BACKWARD_OPERATIONS,
}
"""Every operation, by the name that a declared step gives it."""
