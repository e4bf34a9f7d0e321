"""Why scores are divided by √d_k: the variance argument as an experiment with random numbers.

Where the components of q and k are independent with mean 0 and variance σ², each product q_c k_c has mean 0 and
variance σ⁴, and a score, the sum of d_k of them, has variance d_k σ⁴. Without a divisor a wide head's scores
are therefore far apart, softmax gives nearly all attention to one key, and its derivative vanishes.

Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1, footnote 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import torch
from torch import Tensor

from mha_core.compute.metrics import entropy, gradient_size

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
"""The d_k that are tried."""
SCORES = 4096
"""Scores that are drawn for each d_k: n_k for each of so many queries."""


class Softmax(NamedTuple):
    """Softmax with one ``divisor``: statistics of its input and its output over all queries.

    ``spread``: standard deviation of the divided scores. ``entropy``, ``gradient``, ``largest``: means over the
    queries of the weights' entropy in nats, of ‖∂ softmax / ∂ its input‖_F, and of the largest weight. ``first``:
    the first query's weights (n_k), the largest first.
    """

    divisor: float
    spread: float
    entropy: float
    gradient: float
    largest: float
    first: tuple[float, ...]


class Comparison(NamedTuple):
    """One d_k: the same scores undivided, and divided by √d_k."""

    d_k: int
    plain: Softmax
    scaled: Softmax


@dataclass(frozen=True, slots=True)
class Draw:
    """Random queries, each with keys of its own: ``q``: m × 1 × d, ``k``: m × n_k × d, float64, for d = 512.

    A narrower head takes the first d_k columns, so that one draw serves every d_k.
    """

    q: Tensor
    k: Tensor

    def scores(self, d_k: int) -> Tensor:
        """S = q · kᵀ over the first d_k columns: m × n_k."""
        return (self.q[..., :d_k] @ self.k[..., :d_k].mT).squeeze(-2)


def draw(seed: int, n_k: int, sigma: float = 1.0) -> Draw:
    """Components from N(0, σ²), the same ones for the same seed; m = ``SCORES`` / n_k queries, one at least."""
    generator = torch.Generator().manual_seed(seed)
    queries = max(1, SCORES // n_k)

    def normal(rows: int) -> Tensor:
        shape = (queries, rows, SIZES[-1])
        return torch.randn(shape, generator=generator, dtype=torch.float64) * sigma

    return Draw(q=normal(1), k=normal(n_k))


def compare(drawing: Draw, d_k: int) -> Comparison:
    """Softmax of the scores of one d_k, undivided and divided by √d_k."""
    scores = drawing.scores(d_k)
    return Comparison(d_k, measure(scores, 1.0), measure(scores, sqrt(d_k)))


def measure(scores: Tensor, divisor: float) -> Softmax:
    """The statistics of softmax(scores ÷ divisor), row by row; scores: m × n_k."""
    divided = scores / divisor
    weights = torch.softmax(divided, -1)
    return Softmax(
        divisor=divisor,
        spread=float(divided.std(correction=0)),
        entropy=float(entropy(weights).mean()),
        gradient=float(gradient_size(weights).mean()),
        largest=float(weights.amax(-1).mean()),
        first=tuple(weights[0].sort(descending=True).values.tolist()),
    )


def experiment(seed: int, n_k: int, sigma: float = 1.0) -> tuple[Comparison, ...]:
    """The comparison for every d_k in ``SIZES``, from one draw."""
    drawing = draw(seed, n_k, sigma)
    return tuple(compare(drawing, d_k) for d_k in SIZES)
