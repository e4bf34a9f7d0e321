"""Measures of attention weights: how spread out they are, how easily moved, and how far two heads agree."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import torch
from torch import Tensor

from mha_core.compute.trace import Rows, Trace
from mha_core.example.model import has_values, kv_head_of


def entropy(weights: Tensor) -> Tensor:
    """H = −Σ_j p_j ln p_j in nats, with 0 · ln 0 = 0; weights: … × n_k, result: …

    From 0 (all attention on one key) to ln n_k (all keys alike); e^H is the number of keys that an even head
    would look at. Source: Shannon 1948, "A Mathematical Theory of Communication", section 6.
    """
    terms: Tensor = torch.special.entr(weights)
    return terms.sum(-1)


def keys_in_view(weights: Sequence[float]) -> float:
    """e^H of one row of weights: over how many keys an even row of the same entropy would be spread.

    ``keys_in_view([0.5, 0.5, 0])`` is 2. Not for weights below 0.
    """
    return float(entropy(torch.tensor(weights, dtype=torch.float64)).exp())


def softmax_jacobian(weights: Tensor) -> Tensor:
    """J = diag(p) − p pᵀ, the derivative of softmax by its input; weights: … × n_k, result: … × n_k × n_k.

    The diagonal p_i (1 − p_i) is computed as Σ_{j≠i} p_i p_j, so that a weight close to 1 loses no digits.
    """
    products = weights.unsqueeze(-1) * weights.unsqueeze(-2)
    others = products - torch.diag_embed(torch.diagonal(products, dim1=-2, dim2=-1))
    return torch.diag_embed(others.sum(-1)) - others


def gradient_size(weights: Tensor) -> Tensor:
    """‖J‖_F = √Σ_ij J_ij², the Frobenius norm of ``softmax_jacobian``; weights: … × n_k, result: …

    0 where one key has all attention, √(n_k − 1) / n_k where all are alike, ½ at most (two keys with ½ each).
    """
    norm: Tensor = torch.linalg.matrix_norm(softmax_jacobian(weights))
    return norm


def overlap(a: Sequence[float], b: Sequence[float]) -> float:
    """1 − ½ Σ_j |a_j − b_j|: the share of attention that two rows of weights (n_k each) give to the same keys.

    For rows that sum to 1 it is Σ_j min(a_j, b_j): 1 where they are equal, 0 where they share no key.
    ``overlap([0.5, 0.5, 0], [0, 0.5, 0.5])`` is 0.5.
    """
    return 1 - sum(abs(x - y) for x, y in zip(a, b, strict=True)) / 2


def agreement(trace: Trace, query: int | None = None) -> Rows:
    """``overlap`` of every two heads, h × h: for one query, or the mean over all queries.

    Queries that may attend to nothing in either head do not count; where no other query is left the mean is 0.
    """
    queries = range(len(trace.example.tokens)) if query is None else (query,)
    heads = range(len(trace.example.heads))
    return [[_mean_overlap(trace, a, b, queries) for b in heads] for a in heads]


def ways_to_look(trace: Trace) -> int:
    """How many different attention patterns the heads have: heads whose rows all overlap by 0.99 or more count once."""
    distinct: list[Rows] = []
    for rows in trace.values["weights"]:
        if all(min(map(overlap, rows, other)) < 0.99 for other in distinct):
            distinct.append(rows)
    return len(distinct)


def heads_differ(trace: Trace) -> bool:
    """Whether any two heads attend to different keys: they share at most nine tenths of their attention."""
    shared = agreement(trace)
    return any(shared[a][b] <= 0.9 for a in range(len(shared)) for b in range(a))


def outputs_between(trace: Trace) -> bool:
    """Whether any head output lies visibly between V's rows: from each row it differs, in some column, by more than a
    twentieth of that column's range. False where there is no V.
    """
    return has_values(trace.example) and any(
        _between(trace, head) for head in range(len(trace.example.heads))
    )


def _between(trace: Trace, head: int) -> bool:
    values = torch.tensor(trace.matrix("v", kv_head_of(trace.example, "v", head)), dtype=torch.float64)
    outputs = torch.tensor(trace.matrix("head_outputs", head), dtype=torch.float64)
    span = values.amax(0) - values.amin(0)
    far = ((outputs.unsqueeze(1) - values).abs() > span / 20).any(-1)  # n_q × n_k
    attends = ~torch.tensor(trace.fully_masked[head])
    return bool((far.all(-1) & attends).any())


def _mean_overlap(trace: Trace, a: int, b: int, queries: Sequence[int]) -> float:
    weights, masked = trace.values["weights"], trace.fully_masked
    shares = [overlap(weights[a][i], weights[b][i]) for i in queries if not (masked[a][i] or masked[b][i])]
    return fmean(shares) if shares else 0.0
