"""Derivatives of what an example computes, by torch's autograd through the declared operations.

gradients(trace, Cell("concat", None, 0, 1))    ∂Concat[1,2] / ∂ every cell that it is computed from
sensitivity(trace)                              ‖∂O / ∂W_Q‖ and the like: how strongly weights still move the output
saturation(trace)                               the same at many temperatures: a sharp softmax stops Q and K learning

Where there is no slope, a derivative is 0, never NaN: for a pair that is hidden, a query that may attend to nothing,
a row of zeros that has no direction (cosine scores), and where two positions meet (linear biases).

Source: Griewank and Walther 2008, "Evaluating Derivatives", chapter 3 (the reverse mode).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from operator import add
from statistics import fmean
from typing import Any, NamedTuple

import torch
from torch import Tensor

from mha_core.compute.derive import Cell, number, step_of
from mha_core.compute.graph import last_step
from mha_core.compute.operations import norm
from mha_core.compute.trace import Inputs, Rows, Trace, in_head_order, input_matrix, load, run, trace
from mha_core.errors import N_, NumberRangeError
from mha_core.example.model import NEG_INF, Example, adds_numbers, divisor, has_own_masks, kv_head_of
from mha_core.vocabulary import (
    AXES,
    LAYER_INPUTS,
    PER_HEAD,
    PER_HEAD_INPUTS,
    PER_HEAD_STEPS,
    STARTS,
    WHOLE_LAYER_STEPS,
)

TEMPERATURES = tuple(2 ** (10 * i / 24 - 5) for i in range(25))
"""From 1/32 to 32, evenly on a logarithmic scale; the middle one is 1."""
MOST_AT_ONCE = 256
"""Rows of a Jacobian that are computed together: there are as many copies of the tape's tensors at a time."""


def gradients(of: Example | Trace, cell: Cell) -> dict[str, Any]:
    """∂cell / ∂ every number, by matrix name: a list over heads (None where a head has no such matrix) or one matrix.

    ``cell`` may be of any computed step. The matrices are those of ``of``, inputs and steps, in the order of the
    computation, each in its own shape, apart from what has no derivative: steps that are themselves computed from
    the cell's matrix, and a mask that allows or hides. Everything that the cell does not depend on has 0. Matrices
    that heads share are listed under the first head of the group, summed over the group. For a cell that is −∞ all
    derivatives are 0.

    Costs one trace and one backward pass. Raises ``CellError`` where the example computes no such cell, and
    ``NumberRangeError`` where the dtype cannot hold a derivative: the direction of a row that is 1e-310 long turns by
    1e310 for each unit that the row is moved.
    """
    computed = of if isinstance(of, Trace) else trace(of)
    step_of(computed, cell)
    value = number(computed, cell)
    taped, given = _tape(computed)
    late = _computed_from(computed, cell.name)
    wanted = [entry for entry in _tensors(taped, given) if entry.tensor.is_leaf or entry.name not in late]
    target = _tensor_of(taped, cell)
    derivatives = torch.autograd.grad(
        target, [entry.tensor for entry in wanted], allow_unused=True, materialize_grads=True
    )
    if value == NEG_INF:
        derivatives = tuple(torch.zeros_like(tensor) for tensor in derivatives)
    for entry, tensor in zip(wanted, derivatives, strict=True):
        if not tensor.isfinite().all():
            dtype = computed.backend.dtype
            raise NumberRangeError(
                N_("a derivative exceeded the range of {dtype}"), place=entry.name, dtype=dtype
            )
    return _by_name(computed.example, zip(wanted, derivatives, strict=True))


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
    taped, given = _tape(computed)
    varied = [entry for entry in _tensors(taped, given) if entry.name in (*_VARIED, "x")]
    last = last_step(computed.example)
    output = taped.layer[last] if last in taped.layer else in_head_order(taped.groups, last)
    norms = _norms(output, [entry.tensor for entry in varied])
    heads = len(computed.example.heads)
    norms_by_name: dict[str, list[float | None]] = {name: [None] * heads for name in _VARIED}
    x = None
    for entry, head_norms in zip(varied, norms, strict=True):
        if entry.members is None:
            x = _finite_or_none(float(head_norms))
            continue
        for head, head_norm in zip(entry.members, head_norms.tolist(), strict=True):
            norms_by_name[entry.name][head] = _finite_or_none(head_norm)
    return Sensitivity(**{name: tuple(norms) for name, norms in norms_by_name.items()}, x=x)


def _finite_or_none(number: float) -> float | None:
    return number if isfinite(number) else None


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


# --- the tape ----------------------------------------------------------------------------------------------------


class _Entry(NamedTuple):
    """A tensor of a matrix: of these heads, g × rows × columns, or (``members`` None) the layer's, rows × columns."""

    name: str
    members: tuple[int, ...] | None
    tensor: Tensor


def _tape(computed: Trace) -> tuple[Trace, dict[str, Tensor]]:
    """The trace computed again with autograd, and the layer's given matrices, rows × columns, by name."""
    inputs = load(computed.example, computed.backend)
    shared = {name: tensor.requires_grad_() for name, tensor in inputs.layer.items()}
    groups = []
    for members, steps, given in inputs.groups:
        group: dict[str, Tensor] = {}
        for name, tensor in given.items():
            if name in LAYER_INPUTS:
                leaf = shared.get(name)
                shared[name] = leaf = tensor[0].requires_grad_() if leaf is None else leaf
                group[name] = leaf.expand(len(members), -1, -1)
            else:
                group[name] = tensor.requires_grad_()
        groups.append((members, steps, group))
    taped: Inputs = replace(inputs, groups=tuple(groups))
    with torch.enable_grad():
        return run(taped), shared


def _tensors(taped: Trace, given: Mapping[str, Tensor]) -> Iterator[_Entry]:
    """Every matrix that has a derivative, each once: what heads share, only for the head that owns it. Of a mask that
    heads share each has a copy.
    """
    example = taped.example
    for name, tensor in given.items():
        if name != "mask" or adds_numbers(example):
            yield _Entry(name, None, tensor)
    for members, tensors in taped.groups:
        for name, tensor in tensors.items():
            owned = kv_head_of(example, name, members[0]) == members[0]
            if name in PER_HEAD and (adds_numbers(example) if name == "head_mask" else owned):
                yield _Entry(name, members, tensor)
    for name, tensor in taped.layer.items():
        if name in WHOLE_LAYER_STEPS:
            yield _Entry(name, None, tensor)


def _tensor_of(taped: Trace, cell: Cell) -> Tensor:
    """The cell's number as a tensor on the tape."""
    if cell.head is None:
        return taped.layer[cell.name][cell.row, cell.col]
    members, tensors = next(group for group in taped.groups if cell.head in group[0])
    return tensors[cell.name][members.index(cell.head), cell.row, cell.col]


def _computed_from(computed: Trace, name: str) -> set[str]:
    """The steps that are computed from this one, directly or indirectly."""
    reached = {name}
    for step in computed.steps:
        if reached & set(step.operand_names):
            reached.add(step.name)
    return reached - {name}


def _by_name(example: Example, derivatives: Iterable[tuple[_Entry, Tensor]]) -> dict[str, Any]:
    """The derivatives as Python numbers, in the order of the computation; 0 for given matrices that no step reads."""
    named: dict[str, Any] = {}
    heads = len(example.heads)
    for entry, tensor in derivatives:
        if entry.members is None:
            named[entry.name] = tensor.tolist()
            continue
        rows = named.setdefault(entry.name, [None] * heads)
        for head, matrix in zip(entry.members, tensor.tolist(), strict=True):
            owner = kv_head_of(example, entry.name, head)
            rows[owner] = matrix if rows[owner] is None else _sum(rows[owner], matrix)
    added = ("mask",) if adds_numbers(example) and not has_own_masks(example) else ()
    for name in ("x", "context", "w_o", "b_o", *added):
        if name not in named and getattr(example, name) is not None:
            named[name] = _zeros(example, name, None)
    for name in (*PER_HEAD_INPUTS, *STARTS):
        for head, given in enumerate(example.heads):
            if getattr(given, name, None) is not None and named.get(name, [None] * heads)[head] is None:
                named.setdefault(name, [None] * heads)[head] = _zeros(example, name, head)
    return {name: named[name] for name in AXES if name in named}


def _sum(first: Rows, second: Rows) -> Rows:
    return [list(map(add, *rows)) for rows in zip(first, second, strict=True)]


def _zeros(example: Example, name: str, head: int | None) -> Rows:
    return [[0.0] * len(row) for row in input_matrix(example, name, head) or ()]


def _norms(output: Tensor, leaves: Sequence[Tensor]) -> list[Tensor]:
    """√Σ (∂output / ∂leaf)² over all outputs and a leaf's rows and columns: one number, or one for each head."""
    count = output.numel()
    totals = [torch.zeros(leaf.shape[:-2], dtype=leaf.dtype, device=leaf.device) for leaf in leaves]
    for start in range(0, count, MOST_AT_ONCE):
        rows = torch.arange(start, min(start + MOST_AT_ONCE, count), device=output.device)
        seeds = torch.nn.functional.one_hot(rows, count).to(output.dtype).view(-1, *output.shape)
        parts: Sequence[Tensor | None] = torch.autograd.grad(
            output, leaves, seeds, retain_graph=True, is_grads_batched=True, allow_unused=True
        )
        totals = [  # the part is None for a leaf that the output does not depend on
            total if part is None else torch.hypot(total, norm(part, (0, -2, -1))[0, ..., 0, 0])
            for total, part in zip(totals, parts, strict=True)
        ]
    return totals
