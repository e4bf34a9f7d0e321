"""The walk through a computation: its stages in order, each with its sub-steps, all read off the declared graph.

    tokens · X · head 1 step by step · every other head in short · concatenation · output · what came out

An example without V has neither concatenation nor output.

A stage covers steps of the trace, and every step of every head is covered once. Its parts are the sub-steps: each is a
rectangle of the result, and together they cover every cell once. A part has beats: the terms of its sum, its cells, or
the exponentials, the sum and the division of softmax, one after another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from math import exp, fsum
from typing import Literal, NamedTuple, TypeAlias

from mha_core.compute.derive import Cell, derive
from mha_core.compute.graph import head_graph, last_step
from mha_core.compute.operation import Operand
from mha_core.compute.operations import Step
from mha_core.compute.trace import Rows, Trace
from mha_core.example.model import Example
from mha_core.vocabulary import EARLY_STEPS, WHOLE_LAYER_STEPS
from mha_core.walk import text
from mha_core.walk.summary import tops_of
from mha_core.walk.text import Words, given_in

Kind: TypeAlias = Literal["tokens", "inputs", "given", "step", "head", "closing"]
Layout: TypeAlias = Literal["product", "softmax", "concat", "beside"]
"""
product  left factor to the left, right factor above: row i and column j meet at the cell that they give
softmax  scores, their exponentials and the row's sum, weights
concat   the heads' blocks above the matrix that they fill
beside   operands side by side, cell for cell
"""

MOST_CELLS = 40
"""A result of more cells than this is shown row by row."""
PHASES = 3
"""Softmax: exponentials, their sum, the division."""


class Part(NamedTuple):
    """A sub-step: rows ``top`` up to ``bottom`` and columns ``left`` up to ``right`` of a matrix (ends excluded).

    ``matrix`` and ``head`` name the matrix. ``beats``: how many things appear one after another.
    """

    matrix: str
    head: int | None
    top: int
    bottom: int
    left: int
    right: int
    beats: int

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells of the part, row by row."""
        return tuple(
            Cell(self.matrix, self.head, i, j)
            for i in range(self.top, self.bottom)
            for j in range(self.left, self.right)
        )


@dataclass(frozen=True)
class Stage:
    """One stage of the walk. ``id`` names it in an address; ``steps`` are those that it covers, of ``head``.

    ``words``: of the stage; ``step_words``: of each of its steps. ``lesson``: the topic of a lesson about it, if any.
    """

    id: str
    kind: Kind
    words: Words
    head: int | None = None
    steps: tuple[Step, ...] = ()
    step_words: tuple[Words, ...] = ()
    parts: tuple[Part, ...] = ()
    lesson: str | None = None


class Exponentials(NamedTuple):
    """The parts of a softmax row: weight = exponential ÷ ``total``. ``shift`` was subtracted from every score first.
    The exponential of a sink comes last.
    """

    exponentials: tuple[float, ...]
    total: float
    shift: float


def walk(trace: Trace) -> tuple[Stage, ...]:
    """All stages of an example's walk, in order."""
    return tuple(_stages(trace))


def _stages(trace: Trace) -> Iterator[Stage]:
    example = trace.example
    yield Stage("tokens", "tokens", text.of_tokens(example))
    inputs = [name for name in ("x", "context") if getattr(example, name) is not None]
    if inputs:
        rows = tuple(part for name in inputs for part in _rows(trace, name, None, beats=1))
        yield Stage("inputs", "inputs", text.of_inputs(example), parts=rows, lesson="library")
    early = tuple(takewhile(lambda step: not step.per_head, trace.steps))
    for step in early:
        yield _step_stage(trace, step, None)
    for head, matrices in enumerate(example.heads):
        steps = head_graph(example, matrices)
        if head and steps:
            yield _head_stage(trace, head, steps)
            continue
        if given := given_in(matrices):
            stage_id = f"head-{head + 1}" if head else "given"
            parts = tuple(part for name in given for part in _rows(trace, name, head, beats=1))
            yield Stage(stage_id, "given", text.of_given(example, head), head=head, parts=parts)
        for step in steps:
            yield _step_stage(trace, step, head)
    for step in trace.steps[len(early) :]:
        if not step.per_head:
            yield _step_stage(trace, step, None)
    yield Stage("closing", "closing", text.of_closing(trace), lesson="many-heads")


def _step_stage(trace: Trace, step: Step, head: int | None) -> Stage:
    words = text.of_step(step, trace.example, _width(trace, step, head))
    return Stage(
        step.name, "step", words, head, (step,), (words,), tuple(_parts(trace, step, head)), lesson_of(step)
    )


def _head_stage(trace: Trace, head: int, steps: tuple[Step, ...]) -> Stage:
    """A further head: each of its steps is one part, the whole result."""
    shapes = [trace.matrix(step.name, head) for step in steps]
    parts = tuple(
        Part(step.name, head, 0, len(rows), 0, len(rows[0]), 1)
        for step, rows in zip(steps, shapes, strict=True)
    )
    words = tuple(text.of_step(step, trace.example, _width(trace, step, head)) for step in steps)
    return Stage(
        f"head-{head + 1}",
        "head",
        text.of_head(trace.example, head),
        head,
        steps,
        words,
        parts,
        lesson="many-heads",
    )


def _width(trace: Trace, step: Step, head: int | None) -> int:
    return len(trace.matrix(step.name, head)[0])


def layout_of(step: Step) -> Layout:
    """How the operands are placed around the result, read off their axes."""
    if step.op == "softmax":
        return "softmax"
    if step.gathers:
        return "concat"
    first, *rest = (operand.index for operand in step.operands)
    return "product" if first == "ik" and rest and rest[0] in ("kj", "jk") else "beside"


def lesson_of(step: Step) -> str | None:
    """The topic of the lesson about this step, if any."""
    if step.op in ("divide", "softmax"):
        return "sqrt-dk"
    if step.name == "masked_scores":
        return "masks"
    if step.name in EARLY_STEPS or step.op in ("rotate", "linear_bias"):
        return "order"
    if step.gathers:
        return "many-heads"
    if layout_of(step) != "product":
        return None
    if "weights" in step.operand_names:
        return "weighted-mean"
    return "library" if step.per_head else "many-heads"


def _parts(trace: Trace, step: Step, head: int | None) -> Iterator[Part]:
    rows = trace.matrix(step.name, head)
    match layout_of(step):
        case "softmax":
            yield from _rows(trace, step.name, head, beats=PHASES)
        case "concat":
            h = len(trace.example.heads)
            width = len(rows[0]) // h
            for block in range(h):
                yield Part(step.name, head, 0, len(rows), block * width, (block + 1) * width, len(rows))
        case "product" if len(rows) * len(rows[0]) <= MOST_CELLS:
            terms = len(derive(trace, Cell(step.name, head, 0, 0)).terms)
            for i in range(len(rows)):
                for j in range(len(rows[0])):
                    yield Part(step.name, head, i, i + 1, j, j + 1, terms)
        case _:
            yield from _rows(trace, step.name, head, beats=len(rows[0]))


def _rows(trace: Trace, name: str, head: int | None, *, beats: int) -> Iterator[Part]:
    rows = trace.matrix(name, head)
    for i in range(len(rows)):
        yield Part(name, head, i, i + 1, 0, len(rows[0]), beats)


def operands_of(trace: Trace, step: Step, head: int | None) -> tuple[tuple[Operand, int | None], ...]:
    """The matrices that a step reads, each with the head that it belongs to, read off the terms of its cells.

    Concat reads the same matrix of every head.
    """
    columns = _width(trace, step, head) if step.gathers else 1
    owners: dict[str, dict[int | None, None]] = {}
    for col in range(columns):
        for term in derive(trace, Cell(step.name, head, 0, col)).terms:
            for cell in term.cells:
                owners.setdefault(cell.name, {})[cell.head] = None
    return tuple((operand, owner) for operand in step.operands for owner in owners.get(operand.name, ()))


def exponentials_of(trace: Trace, step: Step, head: int) -> tuple[Exponentials, ...]:
    """The parts of each row of a softmax step, shifted by ``Trace.shifts``; all 0 for a row of −∞ alone."""
    scores: Rows = trace.matrix(step.operands[0].name, head)
    sink = trace.example.heads[head].sink or ()
    rows = []
    for row, shift in zip(scores, trace.shifts[head], strict=True):
        exponentials = tuple(exp(score - shift) for score in (*row, *sink))
        rows.append(Exponentials(exponentials, fsum(exponentials), shift))
    return tuple(rows)


class Looked(NamedTuple):
    """Where a query looks most: the keys that share its largest weight, and that weight."""

    keys: tuple[int, ...]
    weight: float


def looked_at(trace: Trace) -> tuple[tuple[Looked | None, ...], ...]:
    """For each head and query where it looks most; None where it may see nothing."""
    return tuple(
        tuple(
            Looked(tops_of(row), max(row)) if max(row) > 0 else None for row in trace.matrix("weights", head)
        )
        for head in range(len(trace.example.heads))
    )


def result_of(example: Example) -> str | None:
    """The name of the layer's result; None where it ends at the weights, of which each head has its own."""
    name = last_step(example)
    return name if name in WHOLE_LAYER_STEPS else None
