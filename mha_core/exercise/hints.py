"""Help for a learner: which cells are still open, and hints for one of them, each giving away more.

``hints(verdict, Cell("q", 0, 0, 1), "en")`` goes from the idea of the step to the formula of the cell in symbols, to
its numbers without the result, and to the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from itertools import product
from typing import Final, Literal, NamedTuple, TypeAlias

from mha_core.check.outcome import Verdict
from mha_core.check.report import right_line
from mha_core.compute.derive import Cell, Derivation, derive, step_of
from mha_core.compute.graph import divisor_sign, of_head, symbol
from mha_core.compute.operations import OPERATIONS
from mha_core.edit.claims import claimed_rows, tables
from mha_core.errors import N_
from mha_core.example.model import Example
from mha_core.exercise.ideas import idea_of
from mha_core.numbers import in_arithmetic
from mha_core.vocabulary import COMPUTED, noun

Rung: TypeAlias = Literal["idea", "formula", "numbers", "answer"]
RUNGS: Final[tuple[Rung, ...]] = ("idea", "formula", "numbers", "answer")
_DECIMALS: Final = 4


class Hint(NamedTuple):
    """One hint: how much it gives away, and its text."""

    rung: Rung
    text: str


def exercise_tables(example: Example, steps: tuple[str, ...]) -> list[tuple[str, int | None]]:
    """The tables of these steps, in the order in which they are worked out: step by step, head by head."""
    requested = [table for table in tables(example) if table[0] in steps]
    return sorted(requested, key=lambda table: COMPUTED.index(table[0]))


def table_title(example: Example, name: str, head: int | None, say: Callable[[str], str]) -> str:
    """The name of a table: ``Attention weights A, head 1``."""
    text, letter = noun(name, say), symbol(name, example)
    title = f"{text[:1].upper()}{text[1:]} {letter.replace('head_i', f'head_{(head or 0) + 1}')}"
    if head is None or len(example.heads) == 1 or "head_i" in letter:
        return title
    return say(N_("{what}, head {head}")).format(what=title, head=head + 1)


def exercise_cells(example: Example, steps: tuple[str, ...]) -> list[Cell]:
    """Every cell of these tables, in order."""
    return [
        Cell(name, head, i, j)
        for name, head in exercise_tables(example, steps)
        for i, j in product(*map(range, example.dims.shape(name)))
    ]


def blank_cells(example: Example, steps: tuple[str, ...]) -> Iterator[Cell]:
    """The cells of these steps that have no number."""
    for name, head in exercise_tables(example, steps):
        rows = claimed_rows(example, name, head)
        for i, j in product(*map(range, example.dims.shape(name))):
            if rows is None or rows[i][j] is None:
                yield Cell(name, head, i, j)


def wrong_cells(verdict: Verdict) -> set[Cell]:
    """The cells whose number is wrong or doubtful."""
    return {one.cell for one in verdict.cells("wrong") + verdict.cells("doubtful")}


def missed_cells(verdict: Verdict) -> set[Cell]:
    """The same without those that only follow from an earlier wrong number."""
    return {one.cell for one in verdict.cells("wrong") + verdict.cells("doubtful") if one.own}


def coarse_cells(verdict: Verdict) -> set[Cell]:
    """The cells whose number is too coarse to show whether it was worked out."""
    return {one.cell for one in verdict.cells("coarse")}


def open_cells(verdict: Verdict, steps: tuple[str, ...]) -> list[Cell]:
    """The cells of these steps that are blank, wrong or too coarse, in order; none when all is done."""
    example = verdict.trace.example
    left = wrong_cells(verdict) | coarse_cells(verdict) | set(blank_cells(example, steps))
    return [cell for cell in exercise_cells(example, steps) if cell in left]


def hints(verdict: Verdict, cell: Cell, language: str, left: Collection[Cell] = ()) -> tuple[Hint, ...]:
    """Hints for a cell, each giving away more; one that would repeat the previous one is left out.

    idea     what its step does, in a sentence
    formula  what it is computed from, in symbols: ``Q[1, 2] = X[1, 1]·W_Q[1, 2] + X[1, 2]·W_Q[2, 2]``
    numbers  the same with the numbers, and without the result
    answer   the whole line

    ``left``: cells that are still to be worked out; their numbers are not given away.
    """
    example = verdict.trace.example
    step, derivation = step_of(verdict.trace, cell), derive(verdict.trace, cell)
    idea = idea_of(step, example, language)
    name, line = _name(example, cell), right_line(verdict, cell)
    formula = f"{name} = {_line(example, derivation)}"
    numbers = f"{re.split(r' [=≈] (?=[^=≈]*$)', line)[0]} = ?"
    texts = {"idea": idea, "formula": formula, "numbers": numbers, "answer": line}
    if numbers in (f"{formula} = ?", f"{line.split(' = ')[0]} = ?"):
        del texts["numbers"]
    if any(operand in left for term in derivation.terms for operand in term.cells):
        texts["answer"] = f"{name} {'≈' if '≈' in line else '='} {re.split(' [=≈→] ', line)[-1]}"
        if "numbers" in texts:
            texts["numbers"] = f"{name} = {_line(example, derivation, left)} = ?"
    return tuple(Hint(rung, texts[rung]) for rung in RUNGS if rung in texts)


def _line(example: Example, derivation: Derivation, as_names: Collection[Cell] | None = None) -> str:
    """The right-hand side with the names of these cells (None: of all) in place of their numbers.

    A step that copies numbers, such as the mask, is shown by its formula: its line would hide what is copied and why.
    """

    def shown(cell: Cell, number: float) -> str:
        if as_names is None or cell in as_names:
            return _name(example, cell)
        text = in_arithmetic(number, _DECIMALS)
        return f"({text})" if text.startswith("−") else text

    operation = OPERATIONS[derivation.op]
    terms = [list(map(shown, term.cells, term.numbers)) for term in derivation.terms]
    if operation.copies and len(terms[0]) > 1:
        return operation.formula.format(*terms[0])
    return operation.line(terms, derivation.at or 0, divisor_sign(example))


def _name(example: Example, cell: Cell) -> str:
    """A cell's name in a formula: ``Q[1, 2]``, ``(S/√d_k)[1, 2]``."""
    letter = of_head(symbol(cell.name, example), cell.head or 0)
    return f"{f'({letter})' if '/' in letter else letter}[{cell.row + 1}, {cell.col + 1}]"
