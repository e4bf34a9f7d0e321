"""The operations of a goal and of the backward pass that the forward pass does not have.

Each is the derivative of a forward operation, written by hand: ``backward`` says which one a step needs. d is the
derivative of the loss by the step's result.

Where there is no derivative, the value is 0: for a row of zeros, which has no direction (``normalize_step``), for a
target of 0 (``cross_step``), and for two positions that meet (``distance_sums``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, exp, fsum, inf, log, sin
from typing import Any, Final

import torch
from torch import Tensor

from mha_core.compute.operation import (
    Declared,
    Exceptional,
    Operation,
    Sized,
    Terms,
    axes,
    by_cell,
    inner_size,
    only,
    sum_of_products,
)


def _summed(
    of_term: Callable[..., Tensor],
    value: Callable[[Terms], float],
    *patterns: str,
    along: int = -1,
    exception: Exceptional | None = None,
    **words: Any,
) -> Operation:
    """Σ over the columns (``along`` −1) or the rows (−2) of what ``of_term`` makes of the operands."""
    return Operation(
        lambda step, operands, example: of_term(*operands).sum(along, keepdim=True),
        lambda terms, at, constant: value(terms),
        exception=exception,
        plan=only(*patterns),
        **words,
    )


def _total_plan(step: Declared) -> tuple[str, int]:
    """The pair of letters that the operand's rows are to be split into, "" for none, and the axis of the sum."""
    rows, cols = axes(step.operands[0].name, step.operands[0].index)
    pair = rows if len(rows) == 2 else ""
    letters = [*(pair or [rows]), cols]
    left = "".join(axes(step.name, step.index))
    (at,) = (at for at, letter in enumerate(letters) if letter and letter not in left)
    return pair, at - len(letters)


def _total(step: Declared, operands: Sequence[Tensor], example: Sized) -> Tensor:
    (numbers,) = operands
    pair, axis = step.plan
    if pair:
        inner = inner_size(pair, example.dims)
        return numbers.view(*numbers.shape[:-2], -1, inner, numbers.shape[-1]).sum(axis)
    return numbers.sum(axis, keepdim=True)


def _sink_weights(scores: Tensor, sink: Tensor) -> Tensor:
    extra = torch.zeros_like(scores[..., :1]) + sink
    return torch.softmax(torch.cat((scores, extra), -1), -1)[..., -1:]


def _sink_weight(terms: Terms) -> float:
    scores = [score for (score,) in terms]
    top = max(scores)
    return exp(scores[-1] - top) / fsum(exp(score - top) for score in scores)


def _cross_entropy(terms: Terms) -> float:
    return 0.0 - fsum(target * (log(weight) if weight else -inf) for target, weight in terms if target)


def _quotient(numbers: Tensor, divisors: Tensor) -> Tensor:
    """0 where the divisor is 0."""
    return torch.where(divisors == 0, 0.0, numbers / torch.where(divisors == 0, 1.0, divisors))


def _pairs(rows: Tensor, *, halves: bool) -> tuple[Tensor, Tensor]:
    """The first columns and the second columns of all pairs."""
    if halves:
        a, b = rows.chunk(2, -1)
        return a, b
    return rows[..., 0::2], rows[..., 1::2]


def _turn_step(rows: Tensor, slopes: Tensor, *, halves: bool) -> Tensor:
    (a, b), (d_a, d_b) = _pairs(rows, halves=halves), _pairs(slopes, halves=halves)
    return a * d_b - b * d_a


def _turn(terms: Terms) -> float:
    (a, d_a), (b, d_b) = terms
    return a * d_b - b * d_a


def _sinusoid_step(slopes: Tensor, angles: Tensor) -> Tensor:
    """The last cosine is missing where the number of columns is odd."""
    sines, cosines = _pairs(slopes, halves=False)
    by_cosine = torch.nn.functional.pad(cosines, (0, sines.shape[-1] - cosines.shape[-1]))
    return sines * angles.cos() - by_cosine * angles.sin()


def _sign_sums(step: Declared, operands: Sequence[Tensor], _: Sized) -> Tensor:
    slopes, slope, here, there = operands
    along = slopes.mT if step.plan else slopes
    return (-along * slope * (here - there.mT).sign()).sum(-1, keepdim=True)


def _rotate_back(rows: Tensor, angles: Tensor, *, halves: bool) -> Tensor:
    a, b = _pairs(rows, halves=halves)
    cosine, sine = angles.cos(), angles.sin()
    first, second = a * cosine + b * sine, b * cosine - a * sine
    return torch.cat((first, second), -1) if halves else torch.stack((first, second), -1).flatten(-2)


def _rotated_back(terms: Terms, at: int) -> float:
    (a, angle), (b, _) = terms
    return b * cos(angle) - a * sin(angle) if at else a * cos(angle) + b * sin(angle)


def _weighted(terms: Terms) -> list[tuple[float, float]]:
    """The first two numbers of each term that counts: a third number of 0 leaves it out."""
    return [(a, b) for a, b, *given in terms if not given or given[0]]


BACKWARD_OPERATIONS: Final = {
    # --- goals ---
    # a − target; with g of a third operand, 0 in the rows without a target
    "subtract": by_cell(
        lambda a, b, *g: torch.where(g[0] == 0, 0.0, a - b) if g else a - b,
        lambda a, b, g=1.0: a - b if g else 0.0,
        "{0} − {1}",
        exception=Exceptional(2, 0, "{value}"),
        extended="{2} ∘ ({0} − {1})",
    ),
    # ½·Σ_k (a − target)²
    "squared_error": _summed(
        lambda a, b, *g: torch.where(g[0] == 0, 0.0, (a - b).square() / 2) if g else (a - b).square() / 2,
        lambda terms: fsum((a - b) ** 2 for a, b in _weighted(terms)) / 2,
        "ik ik i",
        "ik ik i i",
        formula="½·Σ ({0} − {1})²",
        extended="½·Σ {2} ∘ ({0} − {1})²",
        lines=("½·({sum})",),
        term="({0} − {1})²",
        exception=Exceptional(2, 0, "{value}"),
    ),
    # −Σ_k target·ln a
    "cross_entropy": _summed(
        lambda target, a: -torch.xlogy(target, a),
        _cross_entropy,
        "ik ik i",
        formula="−Σ {0} ∘ ln {1}",
        lines=("−({sum})",),
        term="{0}·ln {1}",
    ),
    # −target ÷ a; 0 where the target is 0
    "cross_step": by_cell(
        lambda target, a: torch.where(target == 0, 0.0, -_quotient(target, a)),
        lambda target, a: -target / a if target and a else 0.0,
        "−{0} ÷ {1}",
        exception=Exceptional(0, 0, "{value}"),
    ),
    # --- sums ---
    # Σ of the operand over the letter that the result has not
    "total": Operation(_total, lambda terms, at, constant: sum_of_products(terms), "Σ {0}", plan=_total_plan),
    "row_sums": _summed(lambda a, b: a * b, sum_of_products, "ik ik i", formula="Σ {0} ∘ {1}"),
    "add_up": by_cell(lambda *parts: sum(parts[1:], parts[0]), lambda *parts: fsum(parts), "{all}"),
    # --- heads and pairs ---
    # the columns of one head
    "block": Operation(
        lambda step, operands, example: torch.stack(operands[0].chunk(example.dims.h, -1), -3),
        lambda terms, at, constant: terms[0][0],
        "{0}[head_i]",
        copies=True,
        plan=only("i(gk) ik"),
    ),
    # a row for each pair
    "pairs": Operation(
        lambda step, operands, example: operands[0].flatten(-2).unsqueeze(-1),
        lambda terms, at, constant: terms[0][0],
        "{0}",
        copies=True,
        plan=only("ij (ij)"),
    ),
    # --- one for each operation that is not a sum ---
    "softmax_step": by_cell(
        lambda a, d, r: a * (d - r), lambda a, d, r: a * (d - r), "{0} ∘ ({1} − {2})", "{0}·({1} − {2})"
    ),
    # d where the mask allows the pair, else 0
    "unmask": by_cell(
        lambda d, allow: torch.where(allow == 0, 0.0, d),
        lambda d, allow: d if allow else 0.0,
        "{0} ∘ {1}",
        exception=Exceptional(1, 0, "{0} → {value}"),
        copies=True,
    ),
    # the weight of the sink, which softmax leaves out
    "sink_softmax": Operation(
        lambda step, operands, example: _sink_weights(*operands),
        lambda terms, at, constant: _sink_weight(terms),
        "softmax({0} | {1})[s_0]",
        ("{last} ÷ ({sum})",),
        "e^{0}",
        plan=only("ik  i"),
        adds=True,
        shifts=True,
    ),
    "sink_step": by_cell(lambda a, r: 0.0 - a * r, lambda a, r: 0.0 - a * r, "−{0} ∘ {1}", "−{0}·{1}"),
    "tanh_step": by_cell(
        lambda d, t: d * (1 - t * t), lambda d, t: d * (1 - t * t), "{0} ∘ (1 − {1}²)", "{0}·(1 − {1}²)"
    ),
    "softcap_step": by_cell(
        lambda d, a, cap: d * (1 - (a / cap) ** 2),
        lambda d, a, cap: d * (1 - (a / cap) ** 2),
        "{0} ∘ (1 − ({1} ÷ {2})²)",
        "{0}·(1 − ({1} ÷ {constant})²)",
        setting=True,
    ),
    # −Σ_k d·u ÷ n, by the length n (or the root mean square) of a row u·n; 0 where n is 0
    "norm_step": _summed(
        lambda d, u, n: -_quotient(d * u, n),
        lambda terms: 0.0 - fsum(d * u / n for d, u, n in terms if n),
        "ik ik i i",
        formula="−Σ {0} ∘ {1} ÷ {2}",
        lines=("−({sum})",),
        term="{0}·{1} ÷ {2}",
        exception=Exceptional(2, 0, "{value}"),
    ),
    # d ÷ n by the row itself, and what comes back through its length n; 0 where n is 0
    "normalize_step": by_cell(
        lambda d, n, d_n, u: _quotient(d, n) + d_n * u,
        lambda d, n, d_n, u: d / n + d_n * u if n else 0.0,
        "{0} ÷ {1} + {2} ∘ {3}",
        "{0} ÷ {1} + {2}·{3}",
        exception=Exceptional(1, 0, "{value}"),
    ),
    # d·g ÷ r by the row itself, and what comes back through its root mean square r of so many columns
    "rms_step": by_cell(
        lambda d, g, r, d_r, a, columns: d * g / r + d_r * a / (columns * r),
        lambda d, g, r, d_r, a, columns: d * g / r + d_r * a / (columns * r),
        "{0} ∘ {1} ÷ {2} + {3} ∘ {4} ÷ ({5}·{2})",
        "{0}·{1} ÷ {2} + {3}·{4} ÷ ({constant}·{2})",
        setting=True,
    ),
    # d·a ÷ (r·columns) by the row itself, of its root mean square r alone
    "mean_step": by_cell(
        lambda d, a, r, columns: d * a / (columns * r),
        lambda d, a, r, columns: d * a / (columns * r),
        "{0} ∘ {1} ÷ ({3}·{2})",
        "{0}·{1} ÷ ({constant}·{2})",
        setting=True,
    ),
    "gain_step": _summed(
        lambda d, a, r: d * a / r,
        lambda terms: fsum(d * a / r for d, a, r in terms),
        "kj kj k j",
        along=-2,
        formula="Σ {0} ∘ {1} ÷ {2}",
        term="{0}·{1} ÷ {2}",
    ),
    # rotated by −θ
    "rotate_back": Operation(
        lambda step, operands, example: _rotate_back(*operands, halves=step.plan == 1),
        lambda terms, at, constant: _rotated_back(terms, at),
        "rotate({0}, −{1})",
        ("{0}·cos {1} + {2}·sin {1}", "{2}·cos {1} − {0}·sin {1}"),
        plan=only("i(mk) im i(mr)", "i(km) im i(rm)"),
    ),
    # by the angle of a rotation, from the rotated pair (a, b): a·d_b − b·d_a
    "turn_step": Operation(
        lambda step, operands, example: _turn_step(*operands, halves=step.plan == 1),
        lambda terms, at, constant: _turn(terms),
        "turn({0}, {1})",
        ("{0}·{3} − {2}·{1}",),
        plan=only("i(mk) i(mk) im", "i(km) i(km) im"),
    ),
    # by the angle of a sine and a cosine: d_sin·cos θ − d_cos·sin θ
    "sinusoid_step": Operation(
        lambda step, operands, example: _sinusoid_step(*operands),
        lambda terms, at, constant: sum(d * (-sin(a) if k else cos(a)) for k, (d, a) in enumerate(terms)),
        "cos, −sin({1}) ∘ {0}",
        plan=only("i(mk) im im"),
    ),
    # −Σ_k d·m·sign(p − q)
    "sign_sums": Operation(
        _sign_sums,
        lambda terms, at, constant: 0.0 - fsum(d * m * ((p > q) - (p < q)) for d, m, p, q in terms),
        "−Σ {0} ∘ {1}·sign({2} − {3})",
        ("−({sum})",),
        "{0}·{1}·sign({2} − {3})",
        plan=only("ik  i k i", "ki  i k i"),
    ),
    # −Σ_k d·|p − q|
    "distance_sums": _summed(
        lambda d, p, q: -d * (p - q.mT).abs(),
        lambda terms: 0.0 - fsum(d * abs(p - q) for d, p, q in terms),
        "ik i k i",
        formula="−Σ {0} ∘ |{1} − {2}|",
        lines=("−({sum})",),
        term="{0}·|{1} − {2}|",
    ),
}
"""Every operation of the backward pass, by the name that a declared step gives it."""
