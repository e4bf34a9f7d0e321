"""What an operation is: how it is computed, derived and written, and how the letters of its operands are laid along
those of its result. ``operations`` and ``backward_operations`` list them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import fsum, prod
from typing import Any, NamedTuple, Protocol, TypeAlias

from torch import Tensor

from mha_core.example.model import Dims
from mha_core.vocabulary import ENTRY


@dataclass(frozen=True, slots=True)
class Operand:
    """A matrix by name, and the letters of its axes: with "ik", rows run with i, columns with the summed k.

    ``head``: the letter of the head where the matrices of all heads are read; "" for the head's own or the layer's.
    """

    name: str
    index: str
    head: str = ""


class Declared(Protocol):
    """What an operation reads off a step (``operations.Step``)."""

    @property
    def name(self) -> str:
        """The matrix that the step computes."""

    @property
    def op(self) -> str:
        """The operation."""

    @property
    def operands(self) -> tuple[Operand, ...]:
        """What it reads, in order."""

    @property
    def index(self) -> str:
        """The letters of the result's axes."""

    @property
    def plan(self) -> Any:
        """How the operation runs with these letters."""


class Sized(Protocol):
    """What an operation reads sizes from: an example."""

    @property
    def dims(self) -> Dims:
        """The letters of the computation."""


Run: TypeAlias = Callable[[Declared, Sequence[Tensor], Sized], Tensor]

Terms: TypeAlias = Sequence[Sequence[float]]
"""The numbers of each term of a cell."""


class Exceptional(NamedTuple):
    """Where the number at index ``at`` of every term is ``number``, a cell's arithmetic is this ``line``: ``{0}``,
    ``{1}`` are its numbers and ``{value}`` is its value.
    """

    at: int
    number: float
    line: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation.

    ``run(step, operands, example)``: the step with torch, operands and result … × rows × columns.
    ``in_place``: the same, written over the first operand, by operations that can.
    ``value(terms, at, constant)``: one cell, from its terms' numbers (``derive.Derivation``).
    ``formula``: the right-hand side, with ``{0}``, ``{1}`` for the operands' letters. An operand of every head appears
    as the letters of all heads, ``joined``.
    ``lines``: a cell's arithmetic, one for each value of ``at``: ``{0}``, ``{1}`` are its numbers, ``{constant}`` its
    constant, ``{sum}`` its terms with + between them, ``{all}`` its numbers with + between them, ``{count}`` how many
    terms, ``{at}`` the term at ``at`` and ``{last}`` the last one. A term is formatted by ``term``, by default as a
    product.
    ``exception``: numbers that need another line; ``copies``: without them the value is a copy of the first number.
    ``plan(step)``: how to arrange the operands, read off their letters and stored in ``Step.plan`` for ``run``; raises
    ``ValueError`` where the operation cannot run with them.
    ``adds``: an operand without the summed letter is a term by itself, a bias. The formula then is ``extended``, by
    default the formula and this operand with + between them.
    ``is_sign``: the result's letter is already the formula, as ‖Q‖.
    ``shifts``: the constant is subtracted from all terms first.
    """

    run: Run
    value: Callable[[Terms, int, float], float]
    formula: str
    lines: tuple[str, ...] = ("{sum}",)
    term: str = ""
    exception: Exceptional | None = None
    copies: bool = False
    plan: Callable[[Declared], Any] = lambda step: ()
    joined: str = ""
    adds: bool = False
    extended: str = ""
    is_sign: bool = False
    shifts: bool = False
    in_place: Run | None = None

    def written(self, signs: Sequence[str]) -> str:
        """The formula with these letters; operands that it does not name are added at its end."""
        if self.extended and len(signs) > self.formula.count("{"):
            return self.extended.format(*signs)
        named = self.formula.format(*signs, all=" + ".join(signs))
        return " + ".join((named, *signs[self.formula.count("{") :])) if self.adds else named

    def excepts(self, terms: Terms) -> bool:
        """Whether these numbers need the line of the exception."""
        exception = self.exception
        return exception is not None and all(
            term[exception.at : exception.at + 1] == (exception.number,) for term in map(tuple, terms)
        )

    def line(
        self,
        terms: Sequence[Sequence[str]],
        at: int,
        constant: str,
        part: Callable[[str], str] = str,
    ) -> str:
        """The arithmetic of a cell, from its formatted numbers. ``part`` formats each summand, or the whole line where
        nothing is added.
        """
        products = [self.term.format(*numbers) if self.term else "·".join(numbers) for numbers in terms]
        numbers = [number for term in terms for number in term]
        template = self.lines[at if len(self.lines) > 1 else 0]
        written = template.format(
            *numbers,
            sum=" + ".join(map(part, products)),
            all=" + ".join(map(part, numbers)),
            count=len(products),
            at=products[at % len(products)],
            last=products[-1],
            constant=constant,
        )
        return written if "{sum}" in template or "{all}" in template else part(written)


# --- letters -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def axes(name: str, index: str) -> tuple[str, str]:
    """The letters along a matrix's rows and along its columns: "" for an axis of size 1, two letters for pairs."""
    letters = (pair or letter for pair, letter in re.findall(r"\((\w\w)\)|(\w)", index))
    rows, cols = ("" if axis == "1" else next(letters) for axis in ENTRY[name].axes)
    return rows, cols


def inner_size(axis: str, dims: Dims) -> int:
    """The size of the second letter of an axis of pairs: keys of a query, columns of a head, pairs, or the columns of a
    pair.
    """
    return {"ij": dims.n_k, "gk": dims.d_v, "km": dims.d_freq, "rm": dims.d_freq}.get(axis, 2)


def only(*patterns: str) -> Callable[[Declared], int]:
    """The plan of an operation that supports only these letters of operands and result: which pattern a step has."""

    def plan(step: Declared) -> int:
        declared = " ".join((*(operand.index for operand in step.operands), step.index))
        if declared not in patterns:
            raise ValueError(f"{step.name}: {step.op} runs with {' or '.join(patterns)}, not {declared}")
        return patterns.index(declared)

    return plan


Alignment: TypeAlias = tuple[int, ...] | None
"""() for an operand as it is, None for its transpose, else the axes to insert where the result has an axis of pairs."""


@lru_cache(maxsize=512)
def _alignment(name: str, index: str, result: str, result_index: str) -> Alignment:
    """How to align an operand's letters with the result's."""
    rows, cols = axes(name, index)
    down, across = axes(result, result_index)
    if rows in ("", down) and cols in ("", across):
        return ()
    if rows in ("", across) and cols in ("", down):
        return None
    letters = down + across
    if not (rows and cols and rows + cols == "".join(letter for letter in letters if letter in rows + cols)):
        raise ValueError(f"{result}: {name} with the letters {index} cannot be laid along {result_index}")
    lacking = [at - len(letters) for at, letter in enumerate(letters) if letter not in rows + cols]
    return tuple(reversed(lacking))


def alignments(step: Declared) -> tuple[Alignment, ...]:
    """How to align each operand; () where all have the result's letters already."""
    alignments = tuple(_alignment(o.name, o.index, step.name, step.index) for o in step.operands)
    return alignments if any(alignment != () for alignment in alignments) else ()


def cellwise(step: Declared, operands: Sequence[Tensor], function: Callable[..., Tensor]) -> Tensor:
    """Each cell of the result from the operands' cells that have its letters."""
    if not step.plan:
        return function(*operands)
    result = function(*map(_aligned, operands, step.plan))
    if not any(step.plan):
        return result
    rows, _ = axes(step.name, step.index)
    return result.flatten(-3, -2) if len(rows) == 2 else result.flatten(-2)


def _aligned(tensor: Tensor, alignment: Alignment) -> Tensor:
    if alignment is None:
        return tensor.mT
    for axis in alignment:
        tensor = tensor.unsqueeze(axis)
    return tensor


# --- one cell ---------------------------------------------------------------------------------------------------


def sum_of_products(terms: Terms) -> float:
    """Σ of the products of each term's numbers, rounded once."""
    return fsum(map(prod, terms))


def by_cell(
    function: Callable[..., Tensor],
    value: Callable[..., float],
    formula: str,
    line: str = "",
    exception: Exceptional | None = None,
    *,
    copies: bool = False,
    setting: bool = False,
    is_sign: bool = False,
    in_place: Callable[..., Tensor] | None = None,
    extended: str = "",
) -> Operation:
    """An operation cell by cell, with torch and with numbers; ``setting``: its last operand is a setting."""
    return Operation(
        lambda step, operands, example: cellwise(step, operands, function),
        lambda terms, at, constant: value(*terms[0], constant) if setting else value(*terms[0]),
        formula,
        (line or formula,),
        exception=exception,
        copies=copies,
        plan=alignments,
        is_sign=is_sign,
        extended=extended,
        in_place=in_place and (lambda step, operands, example: cellwise(step, operands, in_place)),
    )
