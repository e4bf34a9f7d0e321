"""How one head computes its weights from queries and keys, as far as that can be said."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Scoring:
    """weights = softmax(cap(scores ÷ divisor) + added), row by row, with the ``sink`` as one more score without a key.

    q, k: n × d_k, after rotary positions; scores: n × n, q·kᵀ, −∞ where a key is hidden; added: n × n, numbers that
    depend on the positions (ALiBi, relative positions), or None; cap(s) = c·tanh(s ÷ c) with the ``softcap`` c, else s.
    """

    q: Tensor
    k: Tensor
    scores: Tensor
    divisor: float
    added: Tensor | None = None
    softcap: float | None = None
    sink: float | None = None
