"""What ``capture`` saw of a model of transformers that read a text: every head, behind the names of our own runs.

The weights are the model's own (its eager attention computes them). How they follow from Q and K is said only where
``capture`` has verified it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, sqrt
from typing import Any

import torch
from torch import Tensor

from mha_core.compute.pooled import By, Pooled, pooled_map
from mha_core.interop.running.captured import Captured
from mha_core.interop.running.one_sample import mask_and_bias
from mha_core.models.scoring import Scoring


@dataclass(frozen=True)
class ForeignLayer:
    """One attention layer, of n tokens to themselves or to m of a source. ``causal``: whether none sees later ones."""

    captured: Captured
    causal: bool

    @property
    def heads(self) -> int:
        """How many heads the layer has."""
        return len(self.captured.weights)

    @property
    def weights(self) -> Tensor:
        """The model's own weights, h × n × n, or h × n × m."""
        return self.captured.weights

    def weights_of(self, head: int) -> Tensor:
        """The weights of one head, n × n."""
        return self.weights[head]

    @cached_property
    def added(self) -> Tensor | None:
        """What is added to the divided scores, 1 × n × n or h × n × n: 0, other numbers, or −∞ for a hidden key; None
        where the scores are not known.
        """
        one = self.captured
        if one.q is None:
            return None
        added = one.added.float()
        return added[None] if added.dim() == 2 else added

    @cached_property
    def seen(self) -> Tensor | None:
        """n × n, the keys that each query may see where that is not all, nor all up to itself; else None."""
        added = self.added
        seen = (self.weights > 0).any(0) if added is None else (added > -inf).any(0)
        usual = torch.ones_like(seen).tril() if self.causal else torch.ones_like(seen)
        return None if torch.equal(seen, usual) else seen

    def scoring(self, head: int) -> Scoring | None:
        """How the weights of one head follow from its queries and keys; None where that cannot be said."""
        one, every = self.captured, self.added
        if (queries := one.scaled_q) is None or one.k is None or every is None:
            return None
        q, k = queries[head].float(), one.k[head // (len(queries) // len(one.k))].float()
        added = every[head if len(every) > 1 else 0]
        hidden = added == -inf
        scores = (q @ k.T).masked_fill(hidden, -inf)
        numbers = added.masked_fill(hidden, 0.0)
        return Scoring(
            q, k, scores, _divisor(one), numbers if numbers.any() else None, one.softcap, _sink(one, head)
        )

    def pooled(
        self, head: int, size: tuple[int, int], by: By, queries: range | None, keys: range | None
    ) -> Pooled:
        """The weights of one head, or a part of them, in blocks: see ``pooled_weights``."""
        return pooled_map(self.weights_of(head), size, by, queries, keys)


@dataclass(frozen=True)
class ForeignRun:
    """One run of a text. layers: those with self-attention, in order; logits: n × vocabulary, None where the model does
    not guess; without: the heads that were switched off. ``cache``: the keys and values that transformers keeps, None
    where it was not used; ``from_cache``: whether only the last token was computed, after those of an earlier run.
    ``keys``: the tokens that are attended to, if they are not those of the text itself.
    """

    ids: Tensor
    layers: tuple[ForeignLayer, ...]
    logits: Tensor | None
    without: tuple[tuple[int, int], ...] = ()
    cache: Any = None
    from_cache: bool = False
    keys: tuple[str, ...] | None = None


def _divisor(one: Captured) -> float:
    if one.scale == "sqrt_dk":
        assert one.q is not None  # noqa: S101  # its caller has checked
        return sqrt(one.q.shape[-1])
    return 1.0 if one.scale == "none" else float(one.scale)


def _sink(one: Captured, head: int) -> float | None:
    sink = -inf if one.sinks is None else one.sinks[head].item()
    return None if sink == -inf else sink


def with_row(before: ForeignLayer, row: ForeignLayer) -> ForeignLayer:
    """A layer over n tokens, and the row of one more that a run with a cache computed: the layer over n + 1.

    Keys and values are those of the later run, which has them of all tokens from its cache.
    """
    past, new = before.captured, row.captured
    weights = _joined(past.weights, new.weights, 0.0)
    whole = replace(
        past,
        weights=weights,
        v=new.v,
        outputs=torch.cat([past.outputs, new.outputs], 1),
        tokens=tuple(str(at + 1) for at in range(weights.shape[-1])),
        q=None,
        k=None,
        mask=None,
        bias=None,
        causal=False,
        sinks=None,
    )
    added, added_to_row = before.added, row.added
    if added is None or added_to_row is None or past.scaled_q is None or new.scaled_q is None:
        return ForeignLayer(whole, before.causal)
    heads = max(len(added), len(added_to_row))
    joined = _joined(added.expand(heads, -1, -1), added_to_row.expand(heads, -1, -1), -inf)
    mask, bias, is_causal = mask_and_bias(joined)
    scored = replace(
        whole,
        q=torch.cat([past.scaled_q, new.scaled_q], 1),
        factors=None,
        k=new.k,
        mask=mask,
        bias=bias,
        causal=is_causal,
        sinks=past.sinks,
    )
    return ForeignLayer(scored, before.causal)


def _joined(before: Tensor, row: Tensor, hidden: float) -> Tensor:
    """h × n × n and h × 1 × (n + 1), one below the other; no earlier token sees the last one."""
    column = before.new_full((*before.shape[:-1], 1), hidden)
    return torch.cat([torch.cat([before, column], -1), row.to(before.dtype)], -2)
