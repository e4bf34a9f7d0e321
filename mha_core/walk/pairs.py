"""Two heads compared: how much of their attention they share, and for which query the least."""

from __future__ import annotations

from typing import NamedTuple

import torch

from mha_core.compute.trace import Trace


class Pair(NamedTuple):
    """``share``: the mean of ``metrics.overlap`` over the queries that may attend in both heads; ``query``: the first
    query with the smallest overlap, ``alike``: how many have the smallest.
    """

    share: float
    query: int
    alike: int


def pairs(trace: Trace) -> tuple[tuple[Pair | None, ...], ...]:
    """For every two heads, h × h; None where no query may attend to anything in both.

    share = mean_i (1 − ½ Σ_j |a_ij − b_ij|) over the rows i of both heads' weights a and b (n_q × n_k each).
    """
    weights = torch.tensor(trace.values["weights"], dtype=torch.float64)  # h × n_q × n_k
    sees = ~torch.tensor(trace.fully_masked)  # h × n_q
    return tuple(
        tuple(_pair(weights[a], weights[b], sees[a] & sees[b]) for b in range(len(weights)))
        for a in range(len(weights))
    )


def _pair(one: torch.Tensor, other: torch.Tensor, sees: torch.Tensor) -> Pair | None:
    if not sees.any():
        return None
    shared = 1 - (one - other).abs().sum(-1) / 2  # n_q
    rounded = torch.where(sees, shared, torch.inf).round(decimals=12)
    return Pair(float(shared[sees].mean()), int(rounded.argmin()), int((rounded == rounded.min()).sum()))
