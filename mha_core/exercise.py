"""Exercises: an example with numbers chosen so that known mistakes can be told apart, some steps to be worked out.

``exercise(example, seed)`` keeps what the example is about (tokens, heads, mask, biases, W_O, divisor) and draws
small integers anew; the sizes change where they would hide a mistake (d_k = √d_model, n = d_k, …).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product
from random import Random
from typing import Any, Final

import torch
from torch import Tensor

from mha_core.check import Verdict
from mha_core.claims import claimed_rows
from mha_core.derive import Cell
from mha_core.device import Place
from mha_core.errors import N_, ExampleError
from mha_core.example import (
    HEAD_BIASES,
    HEAD_MATRICES,
    Dims,
    Example,
    Head,
    Matrix,
    Row,
    has_values,
    key_tokens,
    owner,
)
from mha_core.graph import graph, last_step
from mha_core.hypotheses import Hypotheses
from mha_core.printed import Key
from mha_core.report import cause_message, right_line
from mha_core.trace import trace
from mha_core.validate import STEPS, WHOLE_LAYER_STEPS, validate

TRIES: Final = 12
MOST_TOKENS: Final = 6
MOST_HEADS: Final = 4
_APART: Final = 0.02
"""Two mistakes can be told apart at 2 decimals where some cell differs by more than this."""


def exercise(example: Example, seed: int) -> Example:
    """An exercise like ``example``: the same seed gives the same one.

    Of ``TRIES`` draws the one in which most mistakes leave a trace of their own. Raises ``ExampleError`` where the
    example is too large to be worked out by hand, or its heads do not start at X.
    """
    if example.dims.n_q > MOST_TOKENS or example.dims.n_k > MOST_TOKENS or example.dims.h > MOST_HEADS:
        raise ExampleError(
            N_("an exercise has at most {tokens} tokens and {heads} heads"),
            tokens=MOST_TOKENS,
            heads=MOST_HEADS,
        )
    starts = all(
        getattr(example.heads[owner(example, name, head)], name) is not None
        for name, head in product(("w_q", "w_k", "w_v")[: 2 + has_values(example)], range(example.dims.h))
    )
    if example.x is None or not starts:
        raise ExampleError(N_("an exercise needs heads that start at X, with W_Q, W_K and W_V"))
    random = Random(f"exercise {seed}")
    best, most = None, -1
    for _ in range(TRIES):
        drawn = _drawn(example, random)
        count = distinguishable(drawn)
        if count > most:
            best, most = drawn, count
    return best  # type: ignore[return-value]  # TRIES is not 0


def distinguishable(example: Example) -> int:
    """Pairs of known mistakes (or one and no mistake at all) that some cell of the steps tells apart.

    Counted is how many pairs differ by more than ``_APART`` somewhere, at weights or after.
    """
    outcomes = _outcomes(example).values()
    return sum(bool(((one - other).abs() > _APART).any()) for one, other in combinations(outcomes, 2))


def _outcomes(example: Example) -> dict[str, Tensor]:
    """What each known mistake, and none (""), makes of the weights and of the last step: all numbers in a row."""
    hypotheses = Hypotheses(trace(example, Place("cpu", "float64")))
    keys: list[Key] = [("weights", head) for head in range(example.dims.h)]
    if has_values(example):
        keys.append((last_step(example), None))
    with torch.inference_mode():
        found = [family.first_of_each() for family in hypotheses.everywhere(keys).values()]
    labels = dict.fromkeys(label for of_key in found for label in of_key)
    return {label: torch.cat([of.get(label, of[""]).flatten() for of in found]) for label in labels}


def askable(example: Example) -> tuple[str, ...]:
    """The steps that an exercise can ask for, in order."""
    return tuple(name for name in STEPS if name in {step.name for step in graph(example)})


def _drawn(example: Example, random: Random) -> Example:
    dims = _sizes(example.dims, example, random)

    def matrix(name: str) -> Matrix:
        rows, cols = dims.shape(name)
        while True:
            drawn = tuple(tuple(float(random.randint(-2, 2)) for _ in range(cols)) for _ in range(rows))
            symmetric = (
                rows == cols
                and rows > 1
                and all(drawn[i][j] == drawn[j][i] for i, j in product(range(rows), range(cols)))
            )
            if not symmetric and (rows * cols < 2 or len({cell for row in drawn for cell in row}) > 1):
                return drawn

    def bias(name: str, given: Row | None) -> Row | None:
        if given is None:
            return None
        return tuple(float(random.choice([-2, -1, 1, 2])) for _ in range(dims.shape(name)[1]))

    def head_like(head: Head) -> Head:
        given = [name for name in HEAD_MATRICES if name.startswith(("w_", "u_")) and getattr(head, name)]
        fields: dict[str, Any] = {name: matrix(name) for name in given}
        fields |= {name: bias(name, getattr(head, name)) for name in (*HEAD_BIASES, "v_a")}
        return Head(**fields, slope=head.slope)

    heads = tuple(map(head_like, example.heads))
    crossed = example.context is not None
    return validate(
        replace(
            example,
            heads=heads,
            x=matrix("x"),
            context=matrix("context") if crossed else None,
            context_tokens=key_tokens(example) if crossed else None,
            positions=example.positions
            and replace(example.positions, frequencies=None, context_frequencies=None),
            w_o=None if example.w_o is None else matrix("w_o"),
            b_o=None if example.w_o is None else bias("b_o", example.b_o),
            claimed=None,
            note=None,
        )
    )


def _sizes(dims: Dims, example: Example, random: Random) -> Dims:
    """Sizes near the example's under which mistakes do not coincide."""

    def cost(sizes: tuple[int, int, int, int]) -> tuple[int, float]:
        d_model, d_k, d_v, _ = sizes
        had = (dims.d_model, dims.d_k, dims.d_v)
        return sum(abs(a - b) for a, b in zip(had, (d_model, d_k, d_v), strict=True)), random.random()

    d_out = dims.d_out and max(2, min(dims.d_out, 4))
    rotary = example.positions is not None and example.positions.kind == "rotary"
    candidates = [
        sizes for sizes in _candidates(d_out) if not _coincide(sizes, dims) and not (rotary and sizes[1] % 2)
    ]
    d_model, d_k, d_v, d_out = min(candidates, key=cost)
    d_context = d_model if example.context is None else max(2, min(dims.d_context, 4))
    d_a = d_k if example.scoring == "bilinear" else dims.d_a
    return replace(dims, d_model=d_model, d_context=d_context, d_k=d_k, d_v=d_v, d_out=d_out, d_a=d_a)


def _candidates(d_out: int) -> Iterator[tuple[int, int, int, int]]:
    for d_model, d_k, d_v in product(range(2, 6), range(2, 6), range(1, 5)):
        yield d_model, d_k, d_v, d_out


def _coincide(sizes: tuple[int, int, int, int], dims: Dims) -> bool:
    """Whether a mistake would give what is right, or what another mistake gives."""
    d_model, d_k, _, _ = sizes
    return d_k * d_k == d_model or d_k in (dims.n_q, dims.n_k) or d_k == d_model or d_model == dims.n_k


def hints(verdict: Verdict, asked: tuple[str, ...], language: str) -> tuple[Cell | None, tuple[str, ...]]:
    """The first asked cell that is wrong or still blank, and hints for it, each telling more: what is wrong, if that
    is known; what it is computed from; the number. (None, ()) where all is done.
    """
    example = verdict.trace.example
    for name in asked:
        heads = [None] if name in WHOLE_LAYER_STEPS else range(example.dims.h)
        own = {one.cell for one in verdict.steps[name].wrong + verdict.steps[name].doubtful}
        for head in heads:
            rows = claimed_rows(example, name, head)
            height, width = example.dims.shape(name)
            for i, j in product(range(height), range(width)):
                cell = Cell(name, head, i, j)
                if rows is None or rows[i][j] is None or cell in own:
                    return cell, _hints(verdict, cell, language)
    return None, ()


def _hints(verdict: Verdict, cell: Cell, language: str) -> tuple[str, ...]:
    causes = [cause_message(verdict, cause, language) for cause in verdict.steps[cell.name].causes]
    whole = right_line(verdict, cell)
    left = re.split(r" [=≈] (?=[^=≈]*$)", whole)[0]
    return (*causes[:1], f"{left} = ?", whole)
