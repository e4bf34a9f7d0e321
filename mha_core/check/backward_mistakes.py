"""The classical mistakes of a backward pass: each is a change to one declared step of it.

    dS = A ∘ (dA − r)   without its row sum r, without A, or with A ∘ (1 − A) as if each weight had its own score
    dW = Xᵀ·dQ          with a factor transposed the wrong way, or already times η
    dO = O − T          with the wrong sign, or the factor 2 of a loss without its ½
    dX = Σ …            with one of the paths left out through which X reaches the loss

A step of the backward pass is known by its operation: with other scoring or positions other matrices have the same one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import torch
from torch import Tensor

from mha_core.check.mistake import Mistake, Site, Wrong
from mha_core.errors import N_
from mha_core.vocabulary import BACKWARD_STEPS, ENTRY, GOAL_STEPS, LAYER_INPUTS, PER_HEAD_INPUTS, SCORE_STEPS

_SLOPES: Final = tuple(name for name in BACKWARD_STEPS if ENTRY[name].slope_of)
_OF_GIVEN: Final = tuple(
    f"d_{name}"
    for name in (*PER_HEAD_INPUTS, *LAYER_INPUTS)
    if f"d_{name}" in _SLOPES and name not in ("x", "context", "mask", "head_mask")
)
"""The derivatives that a step of the descent uses."""
_ADDED_UP: Final = (*(name for name in _SLOPES if name.endswith("_head")), "d_x", "d_context")
_LOSSES: Final = ("row_losses", "head_row_losses")
_PARTS: Final = ("", "_normed", "_rotated", "_unit", "_a")
_OF_KEYS: Final = (*(f"d_k{part}" for part in _PARTS), "d_v")
_OF_KEYS_OR_HEADS: Final = tuple(name for key in _OF_KEYS for name in (key, f"{key}_head") if name in _SLOPES)
"""The derivatives by what has a row for each key: dS or A is transposed for them."""
_OF_QUERIES: Final = tuple(f"d_q{part}" for part in _PARTS if f"d_q{part}" in _SLOPES)
"""The derivatives by what has a row for each query: dS is not transposed for them."""


def _at(op: str, wrong: Wrong) -> Wrong:
    """The mistake at the steps of one operation only."""
    return lambda site: wrong(site) if site.step.op == op else ()


def _times(*factors: float) -> Wrong:
    return lambda site: (factor * site.run() for factor in factors)


# --- back through the softmax ----------------------------------------------------------------------------------


def _without_row_sum(site: Site) -> Iterator[Tensor]:
    yield site.operand(0) * site.operand(1)


def _without_weights(site: Site) -> Iterator[Tensor]:
    yield site.operand(1) - site.operand(2)


def _without_softmax(site: Site) -> Iterator[Tensor]:
    yield site.operand(1)


def _each_by_itself(site: Site) -> Iterator[Tensor]:
    weights = site.operand(0)
    yield weights * (1 - weights) * site.operand(1)


def _sums_of_columns(site: Site) -> Iterator[Tensor]:
    if site.dims.n_q == site.dims.n_k:
        yield (site.operand(0) * site.operand(1)).sum(-2, keepdim=True).mT


def _sums_without_weights(site: Site) -> Iterator[Tensor]:
    yield site.operand(1).sum(-1, keepdim=True)


# --- products ----------------------------------------------------------------------------------------------------


def _transposed(factor: int) -> Wrong:
    def wrong(site: Site) -> Iterator[Tensor]:
        operand = site.step.operands[factor]
        rows, cols = site.operand(factor).shape[-2:]
        if rows == cols > 1 and len(operand.index) == 2:
            yield site.run(numbers={operand.name: site.operand(factor).mT})

    return wrong


def _result_transposed(site: Site) -> Iterator[Tensor]:
    right = site.run()
    if right.shape[-1] == right.shape[-2] > 1:
        yield right.mT


def _other_factor(letters: str) -> Wrong:
    """With another of Q, K and V in place of the one that belongs there: ``"qk"`` swaps Q and K."""
    swapped = dict(zip(letters, reversed(letters), strict=True))

    def wrong(site: Site) -> Iterator[Tensor]:
        for operand in site.step.operands:
            first, rest = operand.name[0], operand.name[1:]
            other = site.other(swapped[first] + rest) if first in swapped and rest[:1] in ("", "_") else None
            right = site.tensors[operand.name]
            if other is not None and other.shape[-2:] == right.shape[-2:]:
                yield site.run(numbers={operand.name: other.expand_as(right)})

    return wrong


# --- divisor, heads, sums ------------------------------------------------------------------------------------


def _not_divided(site: Site) -> Iterator[Tensor]:
    if "divisor" in site.step.operand_names:
        yield site.operand(0)


def _divided_by_dk(site: Site) -> Iterator[Tensor]:
    if "divisor" in site.step.operand_names:
        yield site.with_setting("divisor", site.dims.d_k)


def _other_heads_columns(site: Site) -> Iterator[Tensor]:
    for head, part in enumerate(site.operand(0).chunk(site.dims.h, -1)):
        if head != site.head:
            yield part


def _path_left_out(site: Site) -> Iterator[Tensor]:
    """One of the parts is left out, or only one is there; parts of the heads are stacked in one operand."""
    parts = [site.tensors[name] for name in site.step.operand_names]
    if site.step.gathers:
        parts = list(parts[0].unbind(-3))
    if len(parts) > 1:
        whole = torch.stack(parts).sum(0)
        yield from (whole - part for part in parts)
        yield from parts if len(parts) > 2 else ()


def _averaged(site: Site) -> Iterator[Tensor]:
    yield site.run() / site.operand(0).shape[-2]


def _mean_of_loss(site: Site) -> Iterator[Tensor]:
    rows, cols = site.operand(0).shape[-2:]
    yield from (site.run() / count for count in dict.fromkeys((rows * cols, rows, cols)) if count > 1)


def _weights_minus_target(site: Site) -> Iterator[Tensor]:
    target, weights = site.operand(0), site.operand(1)
    yield (weights - target) * (target.sum(-1, keepdim=True) != 0)


# --- η -------------------------------------------------------------------------------------------------------------


def _times_rate(site: Site) -> Iterator[Tensor]:
    rate = site.example.learning.rate if site.example.learning else 1.0
    if rate != 1:
        yield rate * site.run()
        yield -rate * site.run()


def _after_the_step(site: Site) -> Iterator[Tensor]:
    before = site.look(ENTRY[site.step.name].slope_of, site.head)
    if before is not None and site.example.learning:
        yield before - site.example.learning.rate * site.run()


_BEFORE_SOFTMAX: Final = tuple(f"d_{name}" for name in SCORE_STEPS)
_GOALS: Final = tuple(f"d_{name}" for name in GOAL_STEPS)

BACKWARD_CATALOGUE: Final = (
    Mistake(
        "row_sum_forgotten",
        _BEFORE_SOFTMAX,
        N_("The row sum r is not subtracted: through the softmax, dA becomes A ∘ (dA − r)."),
        "A ∘ dA",
        _at("softmax_step", _without_row_sum),
        by_row=True,
    ),
    Mistake(
        "softmax_factor_forgotten",
        _BEFORE_SOFTMAX,
        N_("dA − r is not multiplied by A."),
        "dA − r",
        _at("softmax_step", _without_weights),
        by_row=True,
    ),
    Mistake(
        "softmax_step_forgotten",
        _BEFORE_SOFTMAX,
        N_("The softmax is skipped: these are the gradients of the weights, not of the scores."),
        "dA",
        _at("softmax_step", _without_softmax),
        by_row=True,
    ),
    Mistake(
        "softmax_one_by_one",
        _BEFORE_SOFTMAX,
        N_(
            "The derivative of the softmax is taken as A ∘ (1 − A). But each score also changes the other "
            "weights of its row."
        ),
        "A ∘ (1 − A) ∘ dA",
        _at("softmax_step", _each_by_itself),
        by_row=True,
    ),
    Mistake(
        "row_sums_of_columns",
        ("softmax_sums",),
        N_("r sums each column instead of each row."),
        N_("column sums of A ∘ dA"),
        _sums_of_columns,
    ),
    Mistake(
        "row_sums_without_weights",
        ("softmax_sums",),
        N_("r sums dA alone. Each dA must be multiplied by its weight first."),
        "Σ dA",
        _sums_without_weights,
        by_row=True,
    ),
    Mistake(
        "gradient_not_divided",
        _BEFORE_SOFTMAX,
        N_("The gradient is not divided by {divisor}."),
        "{of}",
        _at("divide", _not_divided),
        by_row=True,
    ),
    Mistake(
        "gradient_divided_by_dk",
        _BEFORE_SOFTMAX,
        N_("The gradient is divided by d_k, not by {divisor}."),
        "{of} ÷ d_k",
        _at("divide", _divided_by_dk),
        by_row=True,
    ),
    Mistake(
        "keys_not_transposed",
        _OF_KEYS_OR_HEADS,
        N_("The first factor is not transposed: a key gets a sum over its column, as in dK = dSᵀ · Q."),
        "",
        _at("matmul", _transposed(0)),
    ),
    Mistake(
        "scores_transposed",
        _OF_QUERIES,
        N_("The first factor is transposed: a query gets a sum over its row, as in dQ = dS · K."),
        "",
        _at("matmul", _transposed(0)),
    ),
    Mistake(
        "weights_transposed",
        ("d_weights",),
        N_("dA is transposed: it has a row for each query, as in dA = dhead · Vᵀ."),
        "V·dheadᵀ",
        _at("matmul", _result_transposed),
    ),
    Mistake(
        "first_factor_transposed",
        tuple(name for name in _SLOPES if name not in (*_OF_KEYS_OR_HEADS, *_OF_QUERIES)),
        N_("The first factor is transposed where it should not be, or not transposed where it should be."),
        "",
        _at("matmul", _transposed(0)),
        written_only=True,
    ),
    Mistake(
        "second_factor_transposed",
        _SLOPES,
        N_("The second factor is transposed where it should not be, or not transposed where it should be."),
        "",
        _at("matmul", _transposed(1)),
        written_only=True,
    ),
    Mistake(
        "gradient_transposed",
        tuple(name for name in _SLOPES if name != "d_weights"),
        N_("The gradient is transposed."),
        "",
        _at("matmul", _result_transposed),
        written_only=True,
    ),
    Mistake("q_k_swapped", _SLOPES, N_("Q and K are swapped."), "", _at("matmul", _other_factor("qk"))),
    Mistake(
        "v_from_k",
        ("d_weights",),
        N_("K is used in place of V."),
        "dhead·Kᵀ",
        _at("matmul", _other_factor("vk")),
    ),
    Mistake(
        "other_heads_columns",
        ("d_head_outputs",),
        N_("These are the columns of another head."),
        "",
        _at("block", _other_heads_columns),
    ),
    Mistake(
        "path_left_out",
        _ADDED_UP,
        N_("A path is left out: the gradients of all paths to the loss are added."),
        "",
        _path_left_out,
        written_only=True,
    ),
    Mistake(
        "rows_averaged",
        _OF_GIVEN,
        N_("The rows are averaged instead of added."),
        N_("mean over rows"),
        _at("total", _averaged),
        written_only=True,
    ),
    Mistake(
        "target_minus_result",
        _GOALS,
        N_("The sign is flipped: it is the result minus the target, not the other way round."),
        "T − {of}",
        _at("subtract", _times(-1)),
        by_row=True,
    ),
    Mistake(
        "half_forgotten",
        (*_GOALS, *_LOSSES),
        N_("It is twice too large: this loss has the factor ½."),
        "",
        lambda site: _times(2)(site) if site.step.op in ("subtract", "squared_error") else (),
        by_row=True,
    ),
    Mistake(
        "mean_of_loss",
        _GOALS,
        N_("It is divided by a count of rows or numbers. This loss is a sum, not a mean."),
        "",
        _at("subtract", _mean_of_loss),
    ),
    Mistake(
        "minus_forgotten",
        (*_GOALS, "head_row_losses"),
        N_("The minus sign is missing."),
        "",
        lambda site: _times(-1)(site) if site.step.op in ("cross_step", "cross_entropy") else (),
        by_row=True,
    ),
    Mistake(
        "softmax_and_loss_at_once",
        ("d_weights",),
        N_("This is A − T, the gradient of the scores: the step of the softmax is already in it."),
        "A − T",
        _at("cross_step", _weights_minus_target),
        by_row=True,
    ),
    Mistake(
        "times_rate",
        _OF_GIVEN,
        N_("This is already multiplied by η. The gradient comes first, then the step η·gradient."),
        "",
        _times_rate,
        written_only=True,
    ),
    Mistake(
        "after_the_step",
        _OF_GIVEN,
        N_(
            "These are the numbers after the step. The gradient is what the step multiplies by η and subtracts."
        ),
        "",
        _after_the_step,
        written_only=True,
    ),
)
"""Every known mistake of a step of the backward pass, simplest first."""
