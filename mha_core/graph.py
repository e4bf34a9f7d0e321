"""The declared computation: which steps an example has, what each does, and to which operands.

This is the one declaration that tracing, deriving, checking, drawing and the bench read. A step names its
operation and its operands; an operand names a matrix and how its rows and columns run with the result's, in the
letters of the result's cell ``i, j`` and of the summed index ``k``, as in einsum:

    q       = matmul(x "ik", w_q "kj", b_q "j")      Q[i,j] = Σ_k X[i,k]·W_Q[k,j] + b_Q[j]
    scores  = matmul(q "ik", k "jk")                 S[i,j] = Σ_k Q[i,k]·K[j,k]
    weights = softmax(scores "ik")                   A[i,j] = e^S[i,j] / Σ_k e^S[i,k]
    concat  = concat(head_outputs "ik")              Concat[i, g·d_v + k] = head_g[i,k]

So the cells that a cell is computed from, the cells that it feeds and its formula all follow from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from mha_core.example import AddMask, Example, Head

Operation: TypeAlias = Literal["matmul", "divide", "hide", "add", "softmax", "concat"]
"""
matmul   Σ_k a·b, plus a bias where there is a third operand
divide   a ÷ the divisor
hide     a where the mask allows the pair, else the fill
add      a + the mask's number
softmax  e^a over the row's sum of them; a row of −∞ alone becomes 0
concat   the heads' rows side by side
"""


@dataclass(frozen=True, slots=True)
class Operand:
    """A matrix by name, and the letters of its own axes: "ik" rows run with i, columns with the summed k."""

    name: str
    index: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step: ``name`` = ``op``(operands). ``per_head``: every head has its own; else one for the layer."""

    name: str
    op: Operation
    operands: tuple[Operand, ...]
    per_head: bool = True

    @property
    def operand_names(self) -> tuple[str, ...]:
        """The operands' names, in order."""
        return tuple(operand.name for operand in self.operands)


PER_HEAD_INPUTS = ("w_q", "b_q", "w_k", "b_k", "w_v", "b_v")
LAYER_INPUTS = ("x", "context", "mask", "w_o", "b_o")

SYMBOLS = {
    "x": "X",
    "context": "C",
    "w_q": "W_Q",
    "w_k": "W_K",
    "w_v": "W_V",
    "b_q": "b_Q",
    "b_k": "b_K",
    "b_v": "b_V",
    "q": "Q",
    "k": "K",
    "v": "V",
    "scores": "S",
    "scaled_scores": "S/√d_k",
    "mask": "M",
    "masked_scores": "S_M",
    "weights": "A",
    "head_outputs": "head_i",
    "concat": "Concat",
    "w_o": "W_O",
    "b_o": "b_O",
    "output": "O",
}
"""The letter of every matrix; ``_`` precedes a subscript. ``symbol`` fits it to an example."""


def graph(example: Example) -> tuple[Step, ...]:
    """The layer's steps in order: each step that at least one head computes."""
    found: dict[str, Step] = {}
    for head in example.heads:
        for step in head_graph(example, head):
            found.setdefault(step.name, step)
    ordered = [found[name] for name in SYMBOLS if name in found]
    return (*ordered, *_layer_steps(example.w_o is not None, example.b_o is not None))


def head_graph(example: Example, head: Head) -> tuple[Step, ...]:
    """The steps that this head computes, from where it starts to its head output."""
    return _head_steps(
        source="x" if example.context is None else "context",
        given=frozenset(name for name in ("q", "k", "v", "weights") if getattr(head, name) is not None),
        biases=frozenset(name for name in ("b_q", "b_k", "b_v") if getattr(head, name) is not None),
        scaled=example.scale != "none",
        mask=None if example.mask is None else "add" if isinstance(example.mask, AddMask) else "hide",
    )


@lru_cache(maxsize=256)
def _head_steps(
    *,
    source: str,
    given: frozenset[str],
    biases: frozenset[str],
    scaled: bool,
    mask: Literal["hide", "add"] | None,
) -> tuple[Step, ...]:
    steps = []

    def project(name: str, rows: str) -> None:
        if name not in given:
            bias = (Operand(f"b_{name}", "j"),) if f"b_{name}" in biases else ()
            steps.append(Step(name, "matmul", (Operand(rows, "ik"), Operand(f"w_{name}", "kj"), *bias)))

    if "weights" not in given:
        project("q", "x")
        project("k", source)
    project("v", source)
    if "weights" not in given:
        steps.append(Step("scores", "matmul", (Operand("q", "ik"), Operand("k", "jk"))))
        last = "scores"
        if scaled:
            steps.append(Step("scaled_scores", "divide", (Operand(last, "ij"),)))
            last = "scaled_scores"
        if mask:
            steps.append(Step("masked_scores", mask, (Operand(last, "ij"), Operand("mask", "ij"))))
            last = "masked_scores"
        steps.append(Step("weights", "softmax", (Operand(last, "ik"),)))
    steps.append(Step("head_outputs", "matmul", (Operand("weights", "ik"), Operand("v", "kj"))))
    return tuple(steps)


@lru_cache(maxsize=8)
def _layer_steps(w_o: bool, b_o: bool) -> tuple[Step, ...]:
    concat = Step("concat", "concat", (Operand("head_outputs", "ik"),), per_head=False)
    if not w_o:
        return (concat,)
    bias = (Operand("b_o", "j"),) if b_o else ()
    output = Step("output", "matmul", (Operand("concat", "ik"), Operand("w_o", "kj"), *bias), per_head=False)
    return (concat, output)


def symbol(name: str, example: Example) -> str:
    """The letter of a matrix; scaled scores name this example's own divisor, such as ``S/8``."""
    if name == "scaled_scores" and not isinstance(example.scale, str):
        return f"S/{example.scale:g}"
    return SYMBOLS[name]


def formula(step: Step, example: Example) -> str:
    """The step's right-hand side in symbols, such as ``Q·Kᵀ`` or ``softmax(S/√d_k)``."""
    first, *rest = (
        symbol(operand.name, example) + ("ᵀ" if operand.index == "jk" else "") for operand in step.operands
    )
    match step.op:
        case "matmul":
            return f"{first}·{rest[0]}" + "".join(f" + {bias}" for bias in rest[1:])
        case "divide":
            return f"{first} ÷ " + ("√d_k" if isinstance(example.scale, str) else f"{example.scale:g}")
        case "hide":
            return f"mask({first}, {rest[0]})"
        case "add":
            return f"{first} + {rest[0]}"
        case "softmax":
            return f"softmax({first})"
        case "concat":
            return "[" + " | ".join(f"head_{g + 1}" for g in range(len(example.heads))) + "]"
