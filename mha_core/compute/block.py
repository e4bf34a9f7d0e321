"""What is around attention in a transformer: norms, residual sums and an MLP.

    X′ = X + attention(norm(X))
    Y  = X′ + max(0, norm(X′)·W_1)·W_2
    norm(x) = (x − mean of x) ÷ √(mean of (x − mean)² + eps)

Each step is declared once, in ``BLOCK_STEPS``: its operation computes it with torch, and writes a cell's arithmetic.
The attention is a layer of ours, traced as always. Source: Vaswani et al. 2017, "Attention Is All You Need", section
3.3; Ba et al. 2016, "Layer Normalization"; the norm before each part as in Xiong et al. 2020, "On Layer
Normalization in the Transformer Architecture".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import sqrt
from statistics import fmean
from typing import Final, NamedTuple

import torch
from torch import Tensor

from mha_core.compute.derive import Cell, Derivation, Term, arithmetic, derive, relation
from mha_core.compute.device import Backend, backend
from mha_core.compute.trace import Rows, Trace, trace
from mha_core.errors import N_, CellError, ExampleError
from mha_core.example.model import Example, Matrix
from mha_core.numbers import in_arithmetic

EPS: Final = 1e-5
"""What is added to a variance, so that a row of equal numbers can be divided by its root; torch's own default."""


@dataclass(frozen=True, slots=True)
class Block:
    """A transformer block, norms first: ``layer`` is its attention, and the layer's X is the block's input.

    ``w_1``: d_model × d_hidden, ``w_2``: d_hidden × d_model. Neither the MLP nor a norm has biases or gains.
    """

    layer: Example
    w_1: Matrix
    w_2: Matrix


@dataclass(frozen=True, slots=True)
class BlockTrace:
    """Every number of a block. ``attention``: the layer, traced on the normed input. ``values``: by step, and of "x",
    "w_1" and "w_2", one matrix each.
    """

    block: Block
    attention: Trace
    values: Mapping[str, Rows]


class BlockStep(NamedTuple):
    """``name`` = ``op``(operands), with ``op`` one of the operations below."""

    name: str
    op: str
    operands: tuple[str, ...]


BLOCK_STEPS: Final = (
    BlockStep("normed", "layer_norm", ("x",)),
    BlockStep("attention", "attention", ("normed",)),
    BlockStep("middle", "add", ("x", "attention")),
    BlockStep("normed_middle", "layer_norm", ("middle",)),
    BlockStep("hidden", "matmul", ("normed_middle", "w_1")),
    BlockStep("active", "relu", ("hidden",)),
    BlockStep("mlp", "matmul", ("active", "w_2")),
    BlockStep("y", "add", ("middle", "mlp")),
)


def layer_norm(rows: Tensor) -> Tensor:
    """Each row − its mean, ÷ its standard deviation: n × d, result n × d. ``layer_norm([[1, 3]])`` is [[−1, 1]]."""
    centred = rows - rows.mean(-1, keepdim=True)
    return centred / (centred.square().mean(-1, keepdim=True) + EPS).sqrt()


_RUN: Final[Mapping[str, Callable[..., Tensor]]] = {
    "layer_norm": layer_norm,
    "add": torch.add,
    "matmul": torch.mm,
    "relu": torch.relu,
}
"""The operations with torch, besides attention."""


def trace_block(block: Block, where: Backend | None = None) -> BlockTrace:
    """Compute every step of a block. Raises ``ExampleError`` where its sizes do not fit: the layer has to turn its own
    X (n × d_model), without a context, into n × d_model numbers.
    """
    where = where or backend()
    _require_fit(block)
    values = {
        name: torch.tensor(rows, dtype=where.torch_dtype, device=where.device)
        for name, rows in (("x", block.layer.x), ("w_1", block.w_1), ("w_2", block.w_2))
    }
    for step in BLOCK_STEPS:
        if step.op == "attention":
            (normed,) = (values[name] for name in step.operands)
            rows = tuple(map(tuple, normed.tolist()))
            attention = trace(replace(block.layer, x=rows), where)
            values[step.name] = attention["output"]
        else:
            values[step.name] = _RUN[step.op](*(values[name] for name in step.operands))
    return BlockTrace(block, attention, {name: tensor.tolist() for name, tensor in values.items()})


def _require_fit(block: Block) -> None:
    layer, (d_in, d_hidden), (d_mid, d_end) = block.layer, _size(block.w_1), _size(block.w_2)
    if layer.x is None or layer.w_o is None or layer.context is not None:
        raise ExampleError(N_("a block needs a layer with X and W_O, and without a context"), place="layer")
    if layer.dims.d_out != layer.dims.d_model:
        raise ExampleError(
            N_("the layer's output has {d_out} columns, but X has {d_model}; they are added"),
            place="layer.w_o",
            d_out=layer.dims.d_out,
            d_model=layer.dims.d_model,
        )
    for name, got, expected in (
        ("w_1", f"{d_in} × {d_hidden}", f"{layer.dims.d_model} × {d_hidden}"),
        ("w_2", f"{d_mid} × {d_end}", f"{d_hidden} × {layer.dims.d_model}"),
    ):
        if got != expected:
            raise ExampleError(N_("expected {expected}, got {got}"), place=name, expected=expected, got=got)


def _size(rows: Matrix) -> tuple[int, int]:
    return len(rows), len(rows[0])


def block_arithmetic(traced: BlockTrace, name: str, row: int, col: int, decimals: int = 2) -> str:
    """What a cell of a step is computed from, with its numbers, such as ``2 + 1.3 = 3.3``.

    Raises ``CellError`` where the block has no such step.
    """
    step = next((step for step in BLOCK_STEPS if step.name == name), None)
    if step is None:
        raise CellError(N_("{name} is not a step of a block"), name=name)
    if step.op == "attention":
        return arithmetic(derive(traced.attention, Cell("output", None, row, col)), decimals)
    value = traced.values[name][row][col]
    operands = [traced.values[operand] for operand in step.operands]
    if step.op in ("add", "matmul"):
        first, second = operands
        if step.op == "add":
            numbers = [(first[row][col], second[row][col])]
        else:
            numbers = [(number, second[k][col]) for k, number in enumerate(first[row])]
        terms = tuple(Term((), pair) for pair in numbers)
        return arithmetic(Derivation(Cell(name, None, row, col), step.op, terms, value), decimals)
    (rows,) = operands
    left = (_normed if step.op == "layer_norm" else _positive)(rows[row], col, decimals)
    sign = relation([[value]], lambda number: in_arithmetic(number, decimals))
    return f"{left} {sign} {in_arithmetic(value, decimals)}"


def _normed(row: list[float], col: int, decimals: int) -> str:
    mean = fmean(row)
    deviation = sqrt(fmean((number - mean) ** 2 for number in row) + EPS)
    number, mean_text, by = (in_arithmetic(one, decimals) for one in (row[col], mean, deviation))
    return f"({number} − {f'({mean_text})' if mean < 0 else mean_text}) ÷ {by}"


def _positive(row: list[float], col: int, decimals: int) -> str:
    return f"max(0, {in_arithmetic(row[col], decimals)})"
