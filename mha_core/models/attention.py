"""The weights of heads of any number of texts at once, with gradients where they are wanted."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Sight:
    """Which keys a query may see: those that are tokens (``keys``, … × n), with ``causal`` only itself and earlier
    ones, with a ``window`` only so many of these.
    """

    keys: Tensor
    causal: bool
    window: int | None = None

    def between(self, queries: Tensor, keys: Tensor) -> Tensor:
        """Whether the positions of queries, m × 1, may see those of keys, n: m × n."""
        visible = keys <= queries
        return visible if self.window is None else visible & (keys > queries - self.window)

    def of(self, queries: range) -> Tensor:
        """Which of the keys these queries may see, … × m × n."""
        visible = self.keys[..., None, :]
        if not self.causal:
            return visible.expand(*self.keys.shape[:-1], len(queries), -1)
        places = torch.arange(self.keys.shape[-1], device=self.keys.device)
        return visible & self.between(places[queries.start : queries.stop, None], places)


def attention_weights(q: Tensor, k: Tensor, sight: Sight, start: int = 0) -> Tensor:
    """softmax(Q·Kᵀ ÷ √d_head), h × n_q × n, of the queries from ``start`` on. A row that may see no key is 0."""
    visible = sight.of(range(start, start + q.shape[-2])).unsqueeze(-3)
    return visible_weights(q, k, visible).masked_fill_(~visible.any(-1, keepdim=True), 0)


def visible_weights(q: Tensor, k: Tensor, visible: Tensor, added: Tensor | None = None) -> Tensor:
    """softmax(Q·Kᵀ ÷ √d_head + added) over the visible keys, … × h × n_q × n_k, with gradients.

    q: … × h × n_q × d_head; k: … × h × n_k × d_head; visible: n_q × n_k or more axes, every query sees a key;
    added: h × n_q × n_k or more axes, numbers that depend on the positions.
    """
    # Multiplied, as the models were trained: a quotient rounds differently. In place: the scores are not needed again.
    scores = (q @ k.transpose(-2, -1)).mul_(math.pow(q.shape[-1], -0.5))
    if added is not None:
        scores = scores.add_(added)
    return scores.masked_fill_(~visible, -torch.inf).softmax(-1)
