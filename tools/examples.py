"""Self-attention examples of a chosen size in small integers, for tests and benchmarks."""

from __future__ import annotations

from mha_core import Example
from mha_core.edit.matrices import filled
from mha_core.example.model import Head


def sized(n: int, d: int, heads: int, draw: int = 0) -> Example:
    """An example of n tokens and ``heads`` heads, with d_model = d_k = d_v = d; ``draw`` chooses the numbers."""
    return narrow(n, d, d, heads, 100 * draw)


def narrow(n: int, d_model: int, d_k: int, heads: int, seed: int = 0) -> Example:
    """The same with heads narrower than d_model, as real layers have them."""

    def head(first: int) -> Head:
        w_q, w_k, w_v = (filled(d_model, d_k, "integers", seed + first + at) for at in range(3))
        return Head(w_q, w_k, w_v)

    tokens = tuple(f"token{i + 1}" for i in range(n))
    x = filled(n, d_model, "integers", seed + 99)
    return Example("", tokens, tuple(head(3 * at) for at in range(heads)), x)
