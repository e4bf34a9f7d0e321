"""Where a number comes from, and where it goes: both read off the declared computation.

derive(trace, Cell("q", 0, 0, 1))    Q[1,2] = 1·0 + 2·1 = 2, for head 1
feeds(trace, Cell("x", None, 0, 1))  every cell that is computed directly from X[1,2]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, fsum, prod
from typing import NamedTuple

from mha_core.errors import N_, CellError
from mha_core.example import NEG_INF, divisor, mask_fill
from mha_core.graph import LAYER_INPUTS, Operand, Operation, Step, head_graph
from mha_core.trace import Trace
from mha_core.validate import WHOLE_LAYER_STEPS


class Cell(NamedTuple):
    """A cell of a step or an input: indices count from 0; ``head`` is None for what the whole layer shares."""

    name: str
    head: int | None
    row: int
    col: int


@dataclass(frozen=True, slots=True)
class Term:
    """One term: the cells in it and their numbers, in the order of the operands."""

    cells: tuple[Cell, ...]
    numbers: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Derivation:
    """A computed cell, its terms and its value.

    matmul   value = Σ product of each term's numbers (a bias is a term of one number)
    divide   value = the term's number ÷ ``constant``
    hide     value = the first number where the second is 1, else ``constant``
    add      value = the sum of the term's numbers
    softmax  value = e^terms[``at``] ÷ Σ e^term; 0 where all terms are −∞
    concat   value = the term's number
    """

    cell: Cell
    op: Operation
    terms: tuple[Term, ...]
    value: float
    constant: float | None = None
    at: int | None = None

    def recombined(self) -> float:
        """The value, worked out again from the terms."""
        match self.op:
            case "matmul":
                return fsum(prod(term.numbers) for term in self.terms)
            case "divide":
                return self.terms[0].numbers[0] / (self.constant or 1.0)
            case "hide":
                score, allow = self.terms[0].numbers
                return score if allow else self.constant or 0.0
            case "add":
                return sum(self.terms[0].numbers)
            case "softmax":
                return _softmax([term.numbers[0] for term in self.terms], self.at or 0)
            case "concat":
                return self.terms[0].numbers[0]


def _softmax(scores: list[float], at: int) -> float:
    top = max(scores)
    if top == NEG_INF:
        return 0.0
    return exp(scores[at] - top) / fsum(exp(score - top) for score in scores)


def derive(trace: Trace, cell: Cell) -> Derivation:
    """The terms that ``cell`` is computed from. Raises ``CellError`` where the trace computes no such cell."""
    step = step_of(trace, cell)
    value = number(trace, cell)
    cells = tuple(_operand_cells(trace, step, cell))
    terms = tuple(Term(term, tuple(number(trace, c) for c in term)) for term in cells)
    constant = {"divide": divisor(trace.example), "hide": mask_fill(trace.example)}.get(step.op)
    at = cell.col if step.op == "softmax" else None
    return Derivation(cell, step.op, terms, value, constant, at)


def feeds(trace: Trace, cell: Cell) -> tuple[Cell, ...]:
    """The cells computed directly from ``cell``: c is in ``feeds(d)`` exactly where d is among c's terms.

    Raises ``CellError`` where there is no such cell.
    """
    number(trace, cell)
    found: list[Cell] = []
    for head in range(len(trace.example.heads)) if cell.head is None else (cell.head,):
        for step in head_graph(trace.example, trace.example.heads[head]):
            found += _fed_by(trace, step, cell, head)
    for step in trace.steps:
        if not step.per_head:
            found += _fed_by(trace, step, cell, None)
    return tuple(found)


def step_of(trace: Trace, cell: Cell) -> Step:
    """The step that computes ``cell``: its head's own, since one head may have a bias that another lacks.

    Raises ``CellError`` where the example computes no such cell.
    """
    if cell.name in WHOLE_LAYER_STEPS:
        steps = tuple(step for step in trace.steps if not step.per_head)
    elif cell.head is not None and 0 <= cell.head < len(trace.example.heads):
        steps = head_graph(trace.example, trace.example.heads[cell.head])
    else:
        raise CellError(
            N_("{name} needs a head from 0 to {last}"), name=cell.name, last=len(trace.example.heads) - 1
        )
    for step in steps:
        if step.name == cell.name:
            return step
    raise CellError(N_("{name} is not a computed step of this example"), name=cell.name)


def number(trace: Trace, cell: Cell) -> float:
    """The number in a cell of a step or an input. Raises ``CellError`` where there is no such cell."""
    rows = trace.matrix(cell.name, cell.head)
    if not (0 <= cell.row < len(rows) and 0 <= cell.col < len(rows[0])):
        raise CellError(
            N_("{name} has rows 0 to {last_row} and columns 0 to {last_col}, got row {row}, column {col}"),
            name=cell.name,
            last_row=len(rows) - 1,
            last_col=len(rows[0]) - 1,
            row=cell.row,
            col=cell.col,
        )
    return rows[cell.row][cell.col]


def _operand_cells(trace: Trace, step: Step, cell: Cell) -> Iterator[tuple[Cell, ...]]:
    """The cells of each term, in order."""
    if step.op == "concat":
        d_v = len(trace.matrix("head_outputs", 0)[0])
        yield (Cell("head_outputs", cell.col // d_v, cell.row, cell.col % d_v),)
        return
    summed = [operand for operand in step.operands if "k" in operand.index]
    single = [operand for operand in step.operands if "k" not in operand.index]
    for k in range(_summed_size(trace, summed, cell.head)):
        yield tuple(_operand_cell(operand, cell, k) for operand in summed)
    if single:
        yield tuple(_operand_cell(operand, cell, 0) for operand in single)


def _summed_size(trace: Trace, summed: list[Operand], head: int | None) -> int:
    if not summed:
        return 0
    rows = trace.matrix(summed[0].name, _head_of(summed[0].name, head))
    return len(rows[0])  # the first summed operand always runs with k along its columns


def _operand_cell(operand: Operand, cell: Cell, k: int) -> Cell:
    at = {"i": cell.row, "j": cell.col, "k": k}
    *rows, col = (at[letter] for letter in operand.index)
    return Cell(operand.name, _head_of(operand.name, cell.head), rows[0] if rows else 0, col)


def _head_of(name: str, head: int | None) -> int | None:
    return None if name in LAYER_INPUTS or name in WHOLE_LAYER_STEPS else head


def _fed_by(trace: Trace, step: Step, cell: Cell, head: int | None) -> Iterator[Cell]:
    """The cells of ``step`` (of ``head``) that have ``cell`` in a term."""
    for operand in step.operands:
        if operand.name != cell.name:
            continue
        rows = trace.matrix(step.name, head)
        if step.op == "concat":
            d_v = len(rows[0]) // len(trace.example.heads)
            yield Cell(step.name, None, cell.row, (cell.head or 0) * d_v + cell.col)
            continue
        at = dict(
            zip(operand.index, (cell.row, cell.col) if len(operand.index) == 2 else (cell.col,), strict=True)
        )
        for i in (at["i"],) if "i" in at else range(len(rows)):
            for j in (at["j"],) if "j" in at else range(len(rows[0])):
                yield Cell(step.name, head, i, j)


def cells(trace: Trace) -> Iterator[Cell]:
    """Every computed cell of the trace, in the order of the steps."""
    names = [{step.name for step in head_graph(trace.example, head)} for head in trace.example.heads]
    for step in trace.steps:
        computing = [head for head, own in enumerate(names) if step.name in own] if step.per_head else [None]
        for head in computing:
            rows = trace.matrix(step.name, head)
            yield from (Cell(step.name, head, i, j) for i in range(len(rows)) for j in range(len(rows[0])))


def arithmetic(derivation: Derivation, decimals: int = 4) -> str:
    """The derivation as one line of text with the numbers, such as ``1·0 + 2·1 = 2``.

    A number that ``decimals`` digits do not hold is rounded, and the line then says ≈.
    """
    shown = [[_show(number, decimals) for number in term.numbers] for term in derivation.terms]
    value = _show(derivation.value, decimals)
    told = [derivation.value, *(number for term in derivation.terms for number in term.numbers)]
    if derivation.op == "divide":
        told.append(derivation.constant or 1.0)
    equals = "≈" if any(_is_rounded(number, decimals) for number in told) else "="
    match derivation.op:
        case "matmul":
            return " + ".join("·".join(numbers) for numbers in shown) + f" {equals} {value}"
        case "divide":
            return f"{shown[0][0]} ÷ {_show(derivation.constant or 1.0, decimals)} {equals} {value}"
        case "hide":
            return value if derivation.terms[0].numbers[1] else f"{shown[0][0]} → {value}"
        case "add":
            return " + ".join(shown[0]) + f" {equals} {value}"
        case "softmax":
            powers = [f"e^{numbers[0]}" for numbers in shown]
            return f"{powers[derivation.at or 0]} ÷ ({' + '.join(powers)}) {equals} {value}"
        case "concat":  # a copy: the same number, however rounded
            return f"{shown[0][0]} = {value}"


def _is_rounded(number: float, decimals: int) -> bool:
    return number != NEG_INF and float(f"{number:.{decimals}f}") != number


def _show(number: float, decimals: int) -> str:
    """An exact number without trailing zeros; a rounded one with all decimals, or as a power of ten where those
    would be 0 alone; negative numbers in parentheses.
    """
    if number == NEG_INF:
        return "(−∞)"
    text = f"{abs(number):.{decimals}f}"
    if not _is_rounded(number, decimals):
        text = text.rstrip("0").rstrip(".") if "." in text else text
    elif abs(number) < 0.5 * 10**-decimals:
        text = f"{abs(number):.1e}".replace("e-0", "e-").replace("-", "−")
    return f"(−{text})" if number < 0 and text != "0" else text
