"""Where a number comes from, and where it goes: both read off the declared computation.

derive(trace, Cell("q", 0, 0, 1))    Q[1,2] = 1·0 + 2·1 = 2, for head 1
feeds(trace, Cell("x", None, 0, 1))  every cell that is computed directly from X[1,2]
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from mha_core.compute.backward_run import heads_read
from mha_core.compute.graph import early_steps, head_graph, last_step, late_steps, of_head, symbol
from mha_core.compute.operation import Operand, axes, inner_size
from mha_core.compute.operations import OPERATIONS, Step
from mha_core.compute.trace import Rows, Trace
from mha_core.errors import N_, CellError
from mha_core.example.model import Dims, Example, kv_head_of, setting
from mha_core.numbers import in_arithmetic, is_exact
from mha_core.vocabulary import BACKWARD_STEPS, PER_HEAD, SETTINGS, WHOLE_LAYER_STEPS


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

    matmul       value = Σ product of each term's numbers (a bias is a term of one number)
    multiply     value = the product of the term's numbers
    divide       value = the term's number ÷ ``constant``
    masked_fill  value = the first number where the second is 1, else ``constant``
    add          value = the sum of the term's numbers
    softmax      value = e^(terms[``at``] − ``constant``) ÷ Σ e^(term − ``constant``); 0 where all terms are −∞; a sink
                 is the last term;
                 the constant, 0 or the row's largest term, changes no value (``Trace.shifts``)
    concat       value = the term's number
    tanh         value = tanh of the term's number
    norm         value = √Σ term²
    normalize    value = the first number ÷ the second; 0 where that is 0
    rms          value = √(Σ term² ÷ the number of terms + ``constant``)
    gain         value = the first number ÷ the second · the third
    sinusoid     value = sin (``at`` = 0) or cos (``at`` = 1) of the term's number
    rotate       value = a·cos θ − b·sin θ (``at`` = 0) or a·sin θ + b·cos θ (``at`` = 1) of the terms (a, θ), (b, θ)
    linear_bias  value = −slope·|p − q| of the term's numbers (slope, p, q)

    ``copied``: where the value is a copy, as in a concatenation, the cell that it is copied from.
    """

    cell: Cell
    op: str
    terms: tuple[Term, ...]
    value: float
    constant: float | None = None
    at: int | None = None
    copied: str = ""

    def recombined(self) -> float:
        """The value, computed again from the terms."""
        terms = [term.numbers for term in self.terms]
        constant = 0.0 if self.constant is None else self.constant
        return OPERATIONS[self.op].value(terms, self.at or 0, constant)


def derive(trace: Trace, cell: Cell) -> Derivation:
    """The terms that ``cell`` is computed from. Raises ``CellError`` where the trace computes no such cell."""
    step = step_of(trace, cell)
    value = number(trace, cell)
    cells = tuple(term_cells(trace, step, cell))
    terms = tuple(Term(term, tuple(number(trace, c) for c in term)) for term in cells)
    operation, copied = OPERATIONS[step.op], ""
    if operation.copies and not operation.excepts([term.numbers for term in terms]):
        copied = letter(trace.example, terms[0].cells[0])
    return Derivation(
        cell, step.op, terms, value, _constant(trace, step, cell), along(trace, step, cell), copied
    )


def _constant(trace: Trace, step: Step, cell: Cell) -> float | None:
    """The number that a step uses besides its tables: a setting, or what is subtracted from all its terms first."""
    if OPERATIONS[step.op].shifts:
        return trace.shifts[cell.head or 0][cell.row]
    return next((setting(trace.example, name) for name in step.operand_names if name in SETTINGS), None)


def along(trace: Trace, step: Step, cell: Cell) -> int | None:
    """The cell's index along the result's letter that no operand has: softmax's key, a column of a pair."""
    known = set("()").union(step.own_head, *(operand.index + operand.head for operand in step.operands))
    added = next((letter for letter in step.index if letter not in known), None)
    return None if added is None else _letters(trace, step.name, step.index, cell)[added]


def letter(example: Example, cell: Cell) -> str:
    """A cell as text, such as ``head_2[1, 1]``, counted from 1."""
    sign = of_head(symbol(cell.name, example), cell.head or 0)
    return f"{sign}[{cell.row + 1}, {cell.col + 1}]"


def feeds(trace: Trace, cell: Cell) -> tuple[Cell, ...]:
    """The cells computed directly from ``cell``: c is in ``feeds(d)`` exactly where d is among c's terms.

    Raises ``CellError`` where there is no such cell.
    """
    number(trace, cell)
    example = trace.example
    readers: list[tuple[Step, int | None]] = [(step, None) for step in early_steps(example)]
    for head in range(len(example.heads)):
        if cell.head is None or kv_head_of(example, cell.name, head) == cell.head:
            readers += [(step, head) for step in head_graph(example, example.heads[head])]
    readers += [(step, None) for step in late_steps(example)]
    readers += trace.declared_backward.places()
    return tuple(fed for step, head in readers for fed in _fed_by(trace, step, cell, head))


def step_of(trace: Trace, cell: Cell) -> Step:
    """The step that computes ``cell``, of its own head, since one head may have a bias that another lacks.

    Raises ``CellError`` where the example computes no such cell.
    """
    steps: Collection[Step]
    if cell.name in BACKWARD_STEPS and (cell.name not in PER_HEAD or _is_head(trace, cell.head)):
        steps = trace.declared_backward.of(None if cell.name not in PER_HEAD else cell.head).values()
    elif cell.name in WHOLE_LAYER_STEPS:
        steps = tuple(step for step in trace.steps if not step.per_head)
    elif cell.head is not None and _is_head(trace, cell.head):
        steps = head_graph(trace.example, trace.example.heads[cell.head])
    else:
        raise CellError(
            N_("{name} needs a head index from 0 to {last}"),
            name=cell.name,
            last=len(trace.example.heads) - 1,
        )
    for step in steps:
        if step.name == cell.name:
            return step
    raise CellError(N_("{name} is not a computed step of this example"), name=cell.name)


def _is_head(trace: Trace, head: int | None) -> bool:
    return head is not None and 0 <= head < len(trace.example.heads)


def first_result(example: Example) -> Cell:
    """The first number of the last step (``graph.last_step``): of the first head that computes it, where heads do."""
    name = last_step(example)
    if name in WHOLE_LAYER_STEPS:
        return Cell(name, None, 0, 0)
    return Cell(name, next(g for g, head in enumerate(example.heads) if head.weights is None), 0, 0)


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


def term_cells(trace: Trace, step: Step, cell: Cell) -> Iterator[tuple[Cell, ...]]:
    """The cells of each term of a step's cell, in order."""
    tables = step.tables
    operand_letters = "".join(operand.head + operand.index for operand in tables)
    letter = next(
        (letter for letter in operand_letters if letter not in step.index + step.own_head + "()"), ""
    )
    parts = [tables]
    if OPERATIONS[step.op].adds:  # a bias is a term of its own
        parts = [
            tuple(o for o in tables if (letter in o.head + o.index) is summed) for summed in (True, False)
        ]
    at = _letters(trace, step.name, step.index, cell)
    if step.own_head:
        at[step.own_head] = cell.head or 0
    for operands in parts:
        for k in _summed_over(trace, step, operands, cell.head, letter) if operands else ():
            yield tuple(_operand_cell(trace, operand, cell.head, at | {letter: k}) for operand in operands)


def _summed_over(
    trace: Trace, step: Step, operands: tuple[Operand, ...], head: int | None, letter: str
) -> Iterable[int]:
    """The values of the summed letter: the heads that are read, or all along its axis."""
    for operand in operands:
        if letter and letter == operand.head and operand.name in BACKWARD_STEPS:
            return heads_read(trace.example, trace.declared_backward, operand.name, step.name, head)
    return range(_summed_size(trace, operands, head, letter))


def _summed_size(trace: Trace, operands: tuple[Operand, ...], head: int | None, letter: str) -> int:
    """How far the summed letter runs in these operands; 1 where they have none."""
    for operand in operands:
        if letter and letter == operand.head:
            return len(trace.example.heads)
        for at, axis in enumerate(axes(operand.name, operand.index)):
            if letter and letter in axis:
                rows = trace.matrix(operand.name, _head_of(trace, operand.name, head))
                size = len(rows[0]) if at else len(rows)
                if len(axis) == 1:
                    return size
                inner = inner_size(axis, trace.example.dims)
                return inner if letter == axis[1] else size // inner
    return 1


def _letters(trace: Trace, name: str, index: str, cell: Cell) -> dict[str, int]:
    """The value of each letter of a matrix's axes in ``cell``."""
    letters = {}
    for axis, at in zip(axes(name, index), (cell.row, cell.col), strict=True):
        if len(axis) == 2:
            letters[axis[0]], letters[axis[1]] = divmod(at, inner_size(axis, trace.example.dims))
        elif axis:
            letters[axis] = at
    return letters


def _operand_cell(trace: Trace, operand: Operand, head: int | None, letters: dict[str, int]) -> Cell:
    places = []
    for axis in axes(operand.name, operand.index):
        outer, *inner = (letters[letter] for letter in axis) if axis else (0,)
        places.append(outer * inner_size(axis, trace.example.dims) + inner[0] if inner else outer)
    operand_head = letters[operand.head] if operand.head else _head_of(trace, operand.name, head)
    return Cell(operand.name, operand_head, *places)


def _head_of(trace: Trace, name: str, head: int | None) -> int | None:
    """The head whose matrix ``head`` uses; None for a matrix of the whole layer."""
    if head is None or name not in PER_HEAD:
        return None
    return kv_head_of(trace.example, name, head)


def _fed_by(trace: Trace, step: Step, cell: Cell, head: int | None) -> Iterator[Cell]:
    """The cells of ``step`` (of ``head``) that have ``cell`` in a term, each once."""
    cells: dict[Cell, None] = {}
    for operand in step.operands:
        if operand.name != cell.name or not _reads(trace, step, operand, cell, head):
            continue
        rows = trace.matrix(step.name, head)
        at = _letters(trace, operand.name, operand.index, cell)
        if operand.head:
            at[operand.head] = cell.head or 0
        if step.own_head and at[step.own_head] != head:
            continue
        rows_and_cols = [
            _places(axis, at, size, trace.example.dims)
            for axis, size in zip(axes(step.name, step.index), (len(rows), len(rows[0])), strict=True)
        ]
        cells |= dict.fromkeys(Cell(step.name, head, i, j) for i, j in product(*rows_and_cols))
    yield from cells


def _reads(trace: Trace, step: Step, operand: Operand, cell: Cell, head: int | None) -> bool:
    """Whether this step of ``head`` reads the cell's own matrix."""
    if operand.head and operand.name in BACKWARD_STEPS:
        return cell.head in heads_read(trace.example, trace.declared_backward, operand.name, step.name, head)
    if head is None or cell.head is None or operand.head:
        return True
    return _head_of(trace, operand.name, head) == cell.head


def _places(axis: str, letters: dict[str, int], size: int, dims: Dims) -> list[int]:
    """The indices, of ``size`` along an axis, that have these letters: all where the axis has none of them."""
    if len(axis) == 2:
        inner = inner_size(axis, dims)
        places = [
            outer * inner + at
            for outer in _places(axis[0], letters, -(-size // inner), dims)
            for at in _places(axis[1], letters, inner, dims)
        ]
        return [place for place in places if place < size]
    return [letters[axis]] if axis in letters else list(range(size))


def cells(trace: Trace) -> Iterator[Cell]:
    """Every computed cell of the forward pass, in the order of the steps."""
    names = [{step.name for step in head_graph(trace.example, head)} for head in trace.example.heads]
    for step in trace.steps:
        heads = [head for head, steps in enumerate(names) if step.name in steps] if step.per_head else [None]
        for head in heads:
            rows = trace.matrix(step.name, head)
            yield from (Cell(step.name, head, i, j) for i in range(len(rows)) for j in range(len(rows[0])))


def backward_cells(trace: Trace) -> Iterator[Cell]:
    """Every cell of the loss and of the backward pass, in the order of the steps; none where there is no goal."""
    for step, head in trace.declared_backward.places():
        rows = trace.matrix(step.name, head)
        yield from (Cell(step.name, head, i, j) for i in range(len(rows)) for j in range(len(rows[0])))


def arithmetic(derivation: Derivation, decimals: int = 4, part: Callable[[str], str] = str) -> str:
    """The derivation as one line of text with the numbers, such as ``1·0 + 2·1 = 2``.

    ``part`` formats each summand, one for each term, or the whole right-hand side where nothing is added.
    The last sign is = where the number after it is exact, and ≈ where it is rounded to ``decimals`` digits.
    """
    shown = [[_show(number, decimals) for number in term.numbers] for term in derivation.terms]
    value = _show(derivation.value, decimals)
    operation = OPERATIONS[derivation.op]
    if operation.exception and operation.excepts([term.numbers for term in derivation.terms]):
        return operation.exception.line.format(*(number for term in shown for number in term), value=value)
    right = part(derivation.copied)
    if not derivation.copied:
        constant = 0.0 if derivation.constant is None else derivation.constant
        if operation.shifts:
            shown = [[_exponent(numbers[0], constant, decimals)] for numbers in shown]
        right = operation.line(shown, derivation.at or 0, _show(constant, decimals), part)
    sign = relation([[derivation.value]], lambda number: in_arithmetic(number, decimals))
    return f"{right} {sign} {value}"


def _exponent(score: str, shift: float, decimals: int) -> str:
    """The exponent of e for a score that is shown: ``0.5``, or ``(9.1924 − 14.8492)`` after a shift."""
    if not shift or score == "(−∞)":
        return score
    return f"({score.removeprefix('(').removesuffix(')')} − {_show(shift, decimals)})"


def relation(rows: Rows, show: Callable[[float], str]) -> str:
    """= where every number is shown exactly, up to float64's rounding errors; ≈ where any is rounded."""
    return "=" if all(is_exact(show(number), number) for row in rows for number in row) else "≈"


def _show(number: float, decimals: int) -> str:
    """A number of the line, in parentheses where it is negative."""
    text = in_arithmetic(number, decimals)
    return f"({text})" if text.startswith("−") else text
