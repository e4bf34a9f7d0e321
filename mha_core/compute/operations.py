"""What a step is, and what steps can do. Each operation has one entry, for computing, deriving and writing a step."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import cos, exp, fsum, hypot, prod, sin, sqrt, tanh
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import torch
from torch import Tensor

from mha_core.example.model import NEG_INF, Dims
from mha_core.vocabulary import ENTRY, HIDES, SETTINGS


@dataclass(frozen=True, slots=True)
class Operand:
    """A matrix by name, and the letters of its axes: with "ik", rows run with i, columns with the summed k.

    ``head``: the letter of the head where the matrices of all heads are read; "" for the head's own or the layer's.
    """

    name: str
    index: str
    head: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: ``name`` = ``op``(operands), ``op`` one of ``OPERATIONS``.

    ``per_head``: every head has its own; else there is one for the layer. ``index``: the letters of the result's axes.
    Raises ``ValueError`` where the operation cannot run with these.
    """

    name: str
    op: str
    operands: tuple[Operand, ...]
    per_head: bool = True
    index: str = "ij"
    operand_names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """The operands' names, in order."""
    gathers: str = field(init=False, repr=False, compare=False)
    """The matrix that this step reads from every head; "" where it reads none."""
    plan: Any = field(init=False, repr=False, compare=False)
    """How the operation runs with these letters (``Operation``)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "operand_names", tuple(operand.name for operand in self.operands))
        object.__setattr__(self, "gathers", next((o.name for o in self.operands if o.head), ""))
        object.__setattr__(self, "plan", OPERATIONS[self.op].plan(self))

    @property
    def tables(self) -> tuple[Operand, ...]:
        """The operands without the layer's settings, such as the divisor: what a page shows as matrices."""
        return tuple(operand for operand in self.operands if operand.name not in SETTINGS)


class Sized(Protocol):
    """What an operation reads sizes from: an example."""

    @property
    def dims(self) -> Dims:
        """The letters of the computation."""


Run: TypeAlias = Callable[[Step, Sequence[Tensor], Sized], Tensor]

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
    constant, ``{sum}`` its terms with + between them, ``{count}`` how many, and ``{at}`` the term at ``at``. A term is
    formatted by ``term``, by default as a product.
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
    plan: Callable[[Step], Any] = lambda step: ()
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
        named = self.formula.format(*signs)
        return " + ".join((named, *signs[self.formula.count("{") :])) if self.adds else named

    def excepts(self, terms: Terms) -> bool:
        """Whether these numbers need the line of the exception."""
        exception = self.exception
        return exception is not None and all(term[exception.at] == exception.number for term in terms)

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
            count=len(products),
            at=products[at % len(products)],
            constant=constant,
        )
        return written if "{sum}" in template else part(written)


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


def _only(*patterns: str) -> Callable[[Step], int]:
    """The plan of an operation that supports only these letters of operands and result: which pattern a step has."""

    def plan(step: Step) -> int:
        declared = " ".join((*(operand.index for operand in step.operands), step.index))
        if declared not in patterns:
            raise ValueError(f"{step.name}: {step.op} runs with {' or '.join(patterns)}, not {declared}")
        return patterns.index(declared)

    return plan


class Product(NamedTuple):
    """Which of two matrices to transpose, so that their product has the letters that a step declares.

    ``split``: the product's rows are pairs; the result has the first letter along its rows, the second along columns.
    """

    left_transposed: bool
    right_transposed: bool
    split: str = ""


def _product(step: Step) -> Product:
    """Read off the letters: the sum runs over the axis that both factors have and the result has not."""
    left, right = (axes(operand.name, operand.index) for operand in step.operands[:2])
    result = axes(step.name, step.index)
    for a in (1, 0):
        for b in (0, 1):
            if left[a] and left[a] == right[b] and left[a] not in result:
                rows, cols = left[1 - a], right[1 - b]
                if (rows, cols) == result:
                    return Product(a == 0, b == 1)
                if not cols and rows == "".join(result):
                    return Product(a == 0, b == 1, split=rows)
    raise ValueError(f"{step.name}: no product of {left} and {right} is {result}")


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


def _alignments(step: Step) -> tuple[Alignment, ...]:
    """How to align each operand; () where all have the result's letters already."""
    alignments = tuple(_alignment(o.name, o.index, step.name, step.index) for o in step.operands)
    return alignments if any(alignment != () for alignment in alignments) else ()


def broadcasts_pairs(step: Step) -> bool:
    """Whether any operand has only one letter of a pair along an axis of the result."""
    return OPERATIONS[step.op].plan is _alignments and any(_alignments(step))


def _cellwise(step: Step, operands: Sequence[Tensor], function: Callable[..., Tensor]) -> Tensor:
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


# --- with torch --------------------------------------------------------------------------------------------------


def _matmul(step: Step, operands: Sequence[Tensor], example: Sized) -> Tensor:
    a, b, *biases = operands
    left_transposed, right_transposed, split = step.plan
    if left_transposed:
        a = a.mT
    if right_transposed:
        b = b.mT
    if biases and not split:
        return biases[0].baddbmm(a, b) if a.dim() == 3 else biases[0].addmm(a, b)
    product = a.bmm(b) if a.dim() == 3 else a.mm(b)
    if split:
        product = product.view(*product.shape[:-2], -1, inner_size(split, example.dims))
        return product + biases[0] if biases else product
    return product


def _softmax(step: Step, scores: Tensor, *sink: Tensor, out: Tensor | None = None) -> Tensor:
    """Softmax of each row; with a sink, of the row and one more score, whose weight is left out."""
    if sink:
        extra = torch.zeros_like(scores[..., :1]) + sink[0]
        return torch.softmax(torch.cat((scores.expand(*extra.shape[:-1], -1), extra), -1), -1)[..., :-1]
    if step.operands[0].name not in HIDES:
        return torch.softmax(scores, -1, out=out)
    # A row of −∞ alone comes out as NaN, and so does its derivative; such a query attends to nothing.
    empty = scores.amax(-1, keepdim=True) == NEG_INF
    if scores.requires_grad:
        scores = scores.masked_fill(empty, 0.0)
    weights = torch.softmax(scores, -1, out=out)
    return weights.masked_fill(empty, 0.0) if out is None else weights.masked_fill_(empty, 0.0)


def _sum(terms: Tensor, *biases: Tensor) -> Tensor:
    total = terms.sum(-3)
    return total + biases[0] if biases else total


def norm(numbers: Tensor, along: int | tuple[int, ...]) -> Tensor:
    """√Σ x² along these axes, which are kept with size 1.

    The square of 1e-200 is 0 and that of 1e200 is ∞: such numbers are divided by the largest of them first.
    """
    range_ = torch.finfo(numbers.dtype)
    largest = numbers.detach().abs().amax(along, keepdim=True)
    far = (largest < range_.tiny**0.25) | (largest > range_.max**0.25)
    unit = torch.where(far, largest.clamp(min=range_.tiny), 1.0)
    norms: Tensor = torch.linalg.vector_norm(numbers / unit, dim=along, keepdim=True) * unit
    return norms


def _rms(terms: Terms, eps: float) -> float:
    return sqrt(fsum(number * number for (number,) in terms) / len(terms) + eps)


def _normalize(rows: Tensor, norms: Tensor) -> Tensor:
    zero = norms == 0
    if rows.requires_grad:  # the derivative of 0 ÷ 0 is NaN, even where the quotient is not used
        norms = norms.masked_fill(zero, 1.0)
    return (rows / norms).masked_fill(zero, 0.0)


def _sinusoid(angles: Tensor, columns: int) -> Tensor:
    """With an odd number of columns the last is a sine without its cosine."""
    return _interleaved(angles.sin(), angles.cos())[..., :columns]


def _rotate(rows: Tensor, angles: Tensor, *, halves: bool) -> Tensor:
    a, b = rows.chunk(2, -1) if halves else (rows[..., 0::2], rows[..., 1::2])
    cosine, sine = angles.cos(), angles.sin()
    rotated = a * cosine - b * sine, a * sine + b * cosine
    return torch.cat(rotated, -1) if halves else _interleaved(*rotated)


def _interleaved(first: Tensor, second: Tensor) -> Tensor:
    """The columns of both, alternating."""
    return torch.stack((first, second), -1).flatten(-2)


# --- one cell ----------------------------------------------------------------------------------------------------


def _sum_of_products(terms: Terms) -> float:
    return fsum(map(prod, terms))


def _weight(terms: Terms, at: int) -> float:
    scores = [score for (score,) in terms]
    top = max(scores)
    if top == NEG_INF:
        return 0.0
    return exp(scores[at] - top) / fsum(exp(score - top) for score in scores)


def _rotated(terms: Terms, at: int) -> float:
    (a, angle), (b, _) = terms
    return a * sin(angle) + b * cos(angle) if at else a * cos(angle) - b * sin(angle)


def _by_cell(
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
) -> Operation:
    """An operation cell by cell, with torch and with numbers; ``setting``: its last operand is a setting."""
    return Operation(
        lambda step, operands, example: _cellwise(step, operands, function),
        lambda terms, at, constant: value(*terms[0], constant) if setting else value(*terms[0]),
        formula,
        (line or formula,),
        exception=exception,
        copies=copies,
        plan=_alignments,
        is_sign=is_sign,
        in_place=in_place and (lambda step, operands, example: _cellwise(step, operands, in_place)),
    )


OPERATIONS: Final = {
    # Σ_k a·b, plus a bias where there is a third operand
    "matmul": Operation(
        _matmul,
        lambda terms, at, constant: _sum_of_products(terms),
        "{0}·{1}",
        plan=_product,
        adds=True,
    ),
    "multiply": _by_cell(lambda a, b: a * b, lambda a, b: a * b, "{0}·{1}", "{sum}"),
    "divide": _by_cell(
        lambda a, by: a / by,
        lambda a, by: a / by,
        "{0} ÷ {1}",
        "{0} ÷ {constant}",
        setting=True,
        is_sign=True,
        in_place=lambda a, by: a.div_(by),
    ),
    # c·tanh(a/c): almost a where a is small, never beyond c
    "softcap": _by_cell(
        lambda a, cap: cap * torch.tanh(a / cap),
        lambda a, cap: cap * tanh(a / cap),
        "{1}·tanh({0} ÷ {1})",
        "{constant}·tanh({0} ÷ {constant})",
        setting=True,
        in_place=lambda a, cap: a.div_(cap).tanh_().mul_(cap),
    ),
    # a where the mask allows the pair, else the fill
    "masked_fill": _by_cell(
        lambda a, allow, fill: torch.where(allow == 0, fill, a),
        lambda a, allow, fill: a if allow else fill,
        "mask({0}, {1})",
        exception=Exceptional(1, 0, "{0} → {value}"),
        copies=True,
        setting=True,
        in_place=lambda a, allow, fill: a.masked_fill_(allow == 0, fill),
    ),
    "add": _by_cell(lambda a, b: a + b, lambda a, b: a + b, "{0} + {1}", in_place=lambda a, b: a.add_(b)),
    "copy": _by_cell(lambda a: a, lambda a: a, "{0}", copies=True),
    # e^a over the row's sum of them, with e^b of a second operand b in the sum; a row of −∞ alone becomes 0
    "softmax": Operation(
        lambda step, operands, example: _softmax(step, *operands),
        lambda terms, at, constant: _weight(terms, at),
        "softmax({0})",
        ("{at} ÷ ({sum})",),
        "e^{0}",
        exception=Exceptional(0, NEG_INF, "{value}"),
        plan=_only("ik ij", "ik  ij"),
        adds=True,
        extended="softmax({0} | {1})",
        shifts=True,
        in_place=lambda step, operands, example: _softmax(step, *operands, out=operands[0]),
    ),
    # the heads' rows side by side
    "concat": Operation(
        lambda step, operands, example: operands[0].transpose(-3, -2).flatten(-2),
        lambda terms, at, constant: terms[0][0],
        "[{0}]",
        copies=True,
        plan=_only("ik i(gk)"),
        joined=" | ",
    ),
    # Σ over the heads, plus a bias where there is a second operand
    "sum": Operation(
        lambda step, operands, example: _sum(*operands),
        lambda terms, at, constant: _sum_of_products(terms),
        "{0}",
        joined=" + ",
        adds=True,
    ),
    "tanh": _by_cell(torch.tanh, tanh, "tanh({0})", "tanh {0}"),
    # √Σ_k a²
    "norm": Operation(
        lambda step, operands, example: norm(operands[0], -1),
        lambda terms, at, constant: hypot(*(number for (number,) in terms)),
        "‖{0}‖",
        ("√({sum})",),
        "{0}²",
        plan=_only("ik i"),
        is_sign=True,
    ),
    # √(Σ_k a² ÷ count + eps)
    "rms": Operation(
        lambda step, operands, example: (operands[0].square().mean(-1, keepdim=True) + operands[1]).sqrt(),
        lambda terms, at, constant: _rms(terms, constant),
        "√(mean {0}² + {1})",
        ("√(({sum}) ÷ {count} + {constant})",),
        "{0}²",
        plan=_only("ik  i"),
    ),
    # a ÷ b · c
    "gain": _by_cell(
        lambda a, rms, gain: a / rms * gain,
        lambda a, rms, gain: a / rms * gain,
        "{0} ÷ {1} ∘ {2}",
        "{0} ÷ {1}·{2}",
    ),
    # a ÷ b; 0 where b is 0: a row of zeros has no direction
    "normalize": _by_cell(
        _normalize,
        lambda a, b: a / b if b else 0.0,
        "{0} ÷ {1}",
        exception=Exceptional(1, 0, "{0} ÷ {1} → {value}"),
    ),
    # sin a in the first column of a pair, cos a in the second
    "sinusoid": Operation(
        lambda step, operands, example: _sinusoid(operands[0], example.dims.shape(step.name)[1]),
        lambda terms, at, constant: (cos if at else sin)(terms[0][0]),
        "sin, cos({0})",
        ("sin {0}", "cos {0}"),
        plan=_only("im i(mr)"),
    ),
    # the pair (a, b) rotated by the angle θ: a·cos θ − b·sin θ in its first column, then a·sin θ + b·cos θ
    "rotate": Operation(
        lambda step, operands, example: _rotate(*operands, halves=step.plan == 1),
        lambda terms, at, constant: _rotated(terms, at),
        "rotate({0}, {1})",
        ("{0}·cos {1} − {2}·sin {1}", "{0}·sin {1} + {2}·cos {1}"),
        plan=_only("i(mk) im i(mr)", "i(km) im i(rm)"),
    ),
    "linear_bias": _by_cell(
        lambda slope, a, b: 0.0 - slope * (a - b).abs(),  # from 0, so that no −0 comes out
        lambda slope, a, b: 0.0 - slope * abs(a - b),
        "−{0}·|{1} − {2}|",
    ),
}
"""Every operation, by the name that a declared step gives it."""
