"""Row and column convention: tokens as rows and X·W, or tokens as columns and W·X.

Only the axes differ, so the column form of every step is read off its declaration: the axes of each operand are swapped
and the order of the factors is reversed. This is true for every scoring, for positions, and for heads that start
further on. A prime marks a transposed matrix, X′ = Xᵀ; texts in the column convention omit it.

    Q[i,j]  = Σ_k X[i,k]·W_Q[k,j]     Q  = X·W_Q          A = softmax over each row
    Q′[j,i] = Σ_k W_Q′[j,k]·X′[k,i]   Q′ = W_Q′·X′        A′ = softmax down each column; S′ = K′ᵀ·Q′
"""

from __future__ import annotations

from typing import NamedTuple

from mha_core.compute.graph import early_steps, formula, head_graph, late_steps, signs, written
from mha_core.compute.graph import symbol as sign_of
from mha_core.compute.operation import axes
from mha_core.compute.operations import Step
from mha_core.compute.trace import Rows, Trace
from mha_core.example.model import Example
from mha_core.vocabulary import AXES

PRIME = "′"


class Factor(NamedTuple):
    """A matrix in an equation. ``transposed``: its rows and columns are swapped compared with the trace."""

    name: str
    symbol: str
    transposed: bool


class Form(NamedTuple):
    """One matrix in one convention: its letter, its formula ("" where it is given), shape and axes.

    ``signs``: the signs before, between and after the factors (``graph.signs``).
    """

    symbol: str
    formula: str
    shape: tuple[int, int]
    axes: tuple[str, str]
    factors: tuple[Factor, ...] = ()
    signs: tuple[str, ...] = ()


class Entry(NamedTuple):
    """One matrix of the computation in both conventions; ``op`` is None for a given one."""

    name: str
    op: str | None
    row: Form
    column: Form


def entries(example: Example, head: int) -> tuple[Entry, ...]:
    """Every matrix that one head's computation reads or computes, in the order of the computation."""
    steps = (*early_steps(example), *head_graph(example, example.heads[head]), *late_steps(example))
    computed_by = {step.name: step for step in steps}
    read = {name for step in steps for name in step.operand_names}
    return tuple(
        _entry(name, computed_by.get(name), example) for name in AXES if name in computed_by or name in read
    )


def transposed(rows: Rows) -> Rows:
    """Rows as columns."""
    return [list(column) for column in zip(*rows, strict=True)]


def column_matrix(trace: Trace, name: str, head: int | None = None) -> Rows:
    """A matrix of the trace in column convention. Raises ``CellError`` where there is no such matrix."""
    return transposed(trace.matrix(name, head))


def column_symbol(name: str, example: Example) -> str:
    """The letter of a transposed matrix: X′, S′/√d_k, ‖Q′‖; a single number keeps its letter."""
    sign = sign_of(name, example)
    if AXES[name] == ("1", "1"):
        return sign
    if sign.startswith("‖"):
        return f"{sign[:-1]}{PRIME}{sign[-1]}"
    letter, slash, divisor = sign.partition("/")
    return f"{letter}{PRIME}{slash}{divisor}"


def column_formula(step: Step, example: Example) -> str:
    """The step's right-hand side in column convention, such as ``W_Q′·X′ + b_Q′`` or ``K′ᵀ·Q′``."""
    signs = [factor.symbol for factor in _column_factors(step, example)]
    match step.op:
        case "softmax":
            return f"softmax↓({' | '.join(signs)})"
        case "concat":
            return "[" + " ; ".join(f"head_{g + 1}{PRIME}" for g in range(len(example.heads))) + "]"
        case "add" if step.index == "(ij)c":
            return f"{signs[0]}[:,i] + {signs[1]}[:,j]"
    return written(step, example, *signs)


def _entry(name: str, step: Step | None, example: Example) -> Entry:
    down, across = example.dims.shape(name)
    rows, cols = AXES[name]
    row = Form(sign_of(name, example), "", (down, across), (rows, cols))
    column = Form(column_symbol(name, example), "", (across, down), (cols, rows))
    if step is None:
        return Entry(name, None, row, column)
    between = signs(step, example)
    return Entry(
        name,
        step.op,
        row._replace(formula=formula(step, example), factors=_row_factors(step, example), signs=between),
        column._replace(
            formula=column_formula(step, example), factors=_column_factors(step, example), signs=between
        ),
    )


def _row_factors(step: Step, example: Example) -> tuple[Factor, ...]:
    """The operands in row convention, X·W."""
    return tuple(
        Factor(o.name, f"{sign_of(o.name, example)}ᵀ", True)
        if _is_transposed(step, at)
        else Factor(o.name, sign_of(o.name, example), False)
        for at, o in enumerate(step.tables)
    )


def _column_factors(step: Step, example: Example) -> tuple[Factor, ...]:
    """The operands in column convention, W·X: transposed, the factors of a product in reverse order.

    One that is transposed in row convention, as K in Q·Kᵀ, is transposed back: K′ᵀ·Q′.
    """
    factors = [
        Factor(o.name, f"{column_symbol(o.name, example)}ᵀ", False)
        if _is_transposed(step, at)
        else Factor(o.name, column_symbol(o.name, example), True)
        for at, o in enumerate(step.tables)
    ]
    if step.op in ("matmul", "multiply"):
        factors[:2] = factors[1], factors[0]
    return tuple(factors)


def _is_transposed(step: Step, at: int) -> bool:
    """Whether an operand's rows run with the result's columns, or for a right factor, not with the sum."""
    operand = step.operands[at]
    rows, _ = axes(operand.name, operand.index)
    return (step.index == "ij" and rows == "j") or (step.op == "matmul" and at == 1 and rows != "k")
