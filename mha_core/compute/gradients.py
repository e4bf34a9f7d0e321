"""Derivatives of what an example computes: the declared backward pass with one cell as its goal.

gradients(trace, Cell("concat", None, 0, 1))    ∂Concat[1,2] / ∂ every cell that it is computed from
sensitivity(trace)                              ‖∂O / ∂W_Q‖ and the like: how strongly weights still move the output
saturation(trace)                               the same at many temperatures: a sharp softmax stops Q and K learning

Where there is no slope, a derivative is 0, never NaN: for a pair that is hidden, a query that may attend to nothing,
a row of zeros that has no direction (cosine scores), and where two positions meet (linear biases).

Source: Griewank and Walther 2008, "Evaluating Derivatives", chapter 3 (the reverse mode).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from statistics import fmean
from typing import Any, NamedTuple

import torch
from torch import Tensor

from mha_core.compute.backward import Place, backward_from
from mha_core.compute.backward_run import passed_back
from mha_core.compute.derive import Cell, number, step_of
from mha_core.compute.graph import last_step
from mha_core.compute.operations import norm
from mha_core.compute.trace import Rows, Trace, input_matrix, trace
from mha_core.errors import N_, NumberRangeError
from mha_core.example.model import NEG_INF, Example, adds_numbers, divisor, kv_head_of
from mha_core.vocabulary import AXES, MASKS, PER_HEAD, PER_HEAD_STEPS, STARTS

TEMPERATURES = tuple(2 ** (10 * i / 24 - 5) for i in range(25))
"""From 1/32 to 32, evenly on a logarithmic scale; the middle one is 1."""
MOST_AT_ONCE = 256
"""Outputs that are differentiated together: the tensors of the backward pass are as many times as large."""


def gradients(of: Example | Trace, cell: Cell) -> dict[str, Any]:
    """∂cell / ∂ every number, by matrix name: a list over heads (None where a head has no such matrix) or one matrix.

    ``cell`` may be of any computed step. The matrices are those of ``of``, inputs and steps, in the order of the
    computation, each in its own shape, apart from what has no derivative: steps that are themselves computed from
    the cell's matrix, and a mask that allows or hides. Everything that the cell does not depend on has 0. Matrices
    that heads share are listed under the first head of the group, summed over the group. For a cell that is −∞ all
    derivatives are 0.

    Raises ``CellError`` where the example computes no such cell, and
    ``NumberRangeError`` where the dtype cannot hold a derivative: the direction of a row that is 1e-310 long turns by
    1e310 for each unit that the row is moved.
    """
    computed = of if isinstance(of, Trace) else trace(of)
    step_of(computed, cell)
    goal = torch.zeros(computed.example.dims.shape(cell.name), **_kind(computed))
    goal[cell.row, cell.col] = number(computed, cell) != NEG_INF
    found = _passed_back(computed, cell.name, {cell.head: goal})
    none = _computed_from(computed, cell.name).union(() if adds_numbers(computed.example) else MASKS)
    listed = {name: _listed(computed, name, found, has_none=name in none) for name in AXES}
    return {name: rows for name, rows in listed.items() if rows is not None}


def _kind(computed: Trace) -> dict[str, Any]:
    return {"dtype": computed.backend.torch_dtype, "device": computed.backend.device}


def _passed_back(computed: Trace, name: str, goals: Mapping[int | None, Tensor]) -> dict[Place, Tensor]:
    """The derivatives of the goals, by head weights of the numbers of a step, as ``d_…`` by matrix and head."""
    declared = backward_from(computed.example, name, goals)
    return passed_back(computed, declared, {(f"d_{name}", head): goal for head, goal in goals.items()})


def _listed(computed: Trace, name: str, found: Mapping[Place, Tensor], *, has_none: bool) -> list[Any] | None:
    """The derivatives by a matrix: of the layer, or a list over heads; None where there is none. ``has_none``: such a
    matrix has a derivative only where a head starts from it.
    """
    if name not in PER_HEAD:
        return None if has_none else _rows(computed, name, None, found)
    heads = [
        None if has_none and not _is_start(computed, name, head) else _rows(computed, name, head, found)
        for head in range(len(computed.example.heads))
    ]
    return heads if any(heads) else None


def _is_start(computed: Trace, name: str, head: int) -> bool:
    return name in STARTS and input_matrix(computed.example, name, head) is not None


def _rows(computed: Trace, name: str, head: int | None, found: Mapping[Place, Tensor]) -> Rows | None:
    """The derivatives by one matrix, 0 where the goal does not depend on it; None where there is none of this head."""
    if not _has_own(computed, name, head):
        return None
    slopes = found.get((f"d_{name}", head))
    if slopes is None:
        return [[0.0] * len(row) for row in computed.matrix(name, head)]
    if not slopes.isfinite().all():
        dtype = computed.backend.dtype
        raise NumberRangeError(N_("a derivative exceeded the range of {dtype}"), place=name, dtype=dtype)
    return slopes.tolist()


def _has_own(computed: Trace, name: str, head: int | None) -> bool:
    """Whether there is such a matrix that is not another head's."""
    is_own = head is None or kv_head_of(computed.example, name, head) == head
    return is_own and computed.has(name, head)


def _computed_from(computed: Trace, name: str) -> set[str]:
    """The steps that are computed from this one, directly or indirectly."""
    reached = {name}
    for step in computed.steps:
        if reached & set(step.operand_names):
            reached.add(step.name)
    return reached - {name}


class Sensitivity(NamedTuple):
    """Frobenius norms ‖J‖_F = √Σ (∂O[i,j] / ∂W[a,b])² of the output's whole Jacobians (``graph.last_step``: Concat
    where there is no W_O, the weights where there is no V).

    One number for each head; None where a head has no such matrix of its own, and where the norm overflows the dtype.
    ``q``, ``k``, ``v`` are for Q, K and V themselves; a head that starts from these has no others. ``x``: for X, which
    all heads read.
    """

    w_q: tuple[float | None, ...]
    w_k: tuple[float | None, ...]
    w_v: tuple[float | None, ...]
    q: tuple[float | None, ...]
    k: tuple[float | None, ...]
    v: tuple[float | None, ...]
    x: float | None


_VARIED = ("w_q", "w_k", "w_v", "q", "k", "v")


def sensitivity(of: Example | Trace) -> Sensitivity:
    """How strongly the output responds when W_Q, W_K, W_V, or Q, K, V, or X change.

    Costs ``outputs(example)`` backward passes, ``MOST_AT_ONCE`` of them in one sweep: about a millisecond for 3
    tokens and 2 heads of 2 columns, 6 for 8 tokens and 4 heads of 8. Good for examples that a page shows, not for
    layers of a real model.
    """
    computed = of if isinstance(of, Trace) else trace(of)
    heads = range(len(computed.example.heads))
    totals: dict[Place, Tensor] = {}
    for goals in _every_output(computed):
        count = len(next(iter(goals.values())))
        for place, slopes in _passed_back(computed, last_step(computed.example), goals).items():
            each = slopes.expand(count, *slopes.shape[-2:])  # what is the same for all goals is there once
            part = norm(each, (0, -2, -1)).flatten()
            totals[place] = torch.hypot(totals[place], part) if place in totals else part

    def found(name: str, head: int | None) -> float | None:
        if not _has_own(computed, name, head):
            return None
        total = float(totals.get((f"d_{name}", head), 0.0))
        return total if isfinite(total) else None

    norms = {name: tuple(found(name, head) for head in heads) for name in _VARIED}
    return Sensitivity(**norms, x=found("x", None))


def _every_output(computed: Trace) -> Iterator[dict[int | None, Tensor]]:
    """Every number of the last step as a goal, many at once: by head count × rows × columns, 1 for that number."""
    last, kind = last_step(computed.example), _kind(computed)
    heads = range(len(computed.example.heads)) if last in PER_HEAD_STEPS else [None]
    shape, count = computed.example.dims.shape(last), outputs(computed.example)
    for start in range(0, count, MOST_AT_ONCE):
        rows = torch.arange(start, min(start + MOST_AT_ONCE, count), device=kind["device"])
        ones = torch.nn.functional.one_hot(rows, count).to(kind["dtype"])
        yield {
            head: part.view(-1, *shape) for head, part in zip(heads, ones.chunk(len(heads), -1), strict=True)
        }


def outputs(example: Example) -> int:
    """How many numbers the layer gives: n_q · d_out, n_q · h · d_v where there is no W_O, h · n_q · n_k without V."""
    last, dims = last_step(example), example.dims
    rows, cols = dims.shape(last)
    return rows * cols * (dims.h if last in PER_HEAD_STEPS else 1)


@dataclass(frozen=True, slots=True)
class AtTemperature:
    """An example whose divisor is ``temperature`` times as large.

    ``largest``: each head's largest weight, the mean over its queries that may attend to something; None where a
    head has none, or starts from its weights.
    """

    temperature: float
    largest: tuple[float | None, ...]
    sensitivity: Sensitivity


def saturation(computed: Trace, temperatures: Sequence[float] = TEMPERATURES) -> tuple[AtTemperature, ...]:
    """softmax(S ÷ (T · divisor)) for each temperature T: how sharp the weights are, and what still moves the output.

    As T falls, all weight goes to one key, softmax's derivative diag(p) − p pᵀ vanishes, and with it what W_Q and
    W_K can move; what W_V moves does not. As T grows, all keys get the same weight, and scores no longer matter.
    Costs a ``sensitivity`` for each temperature.
    """
    example = computed.example
    base = divisor(example) or 1.0
    curve = []
    for temperature in temperatures:
        warmed = trace(replace(example, scale=base * temperature), computed.backend)
        curve.append(AtTemperature(temperature, _largest(warmed), sensitivity(warmed)))
    return tuple(curve)


def _largest(computed: Trace) -> tuple[float | None, ...]:
    fully_masked, given = computed.fully_masked, [head.weights is not None for head in computed.example.heads]
    means: list[float | None] = []
    for head, rows in enumerate(computed.values["weights"]):
        tops = [max(row) for row, masked in zip(rows, fully_masked[head], strict=True) if not masked]
        means.append(fmean(tops) if tops and not given[head] else None)
    return tuple(means)
