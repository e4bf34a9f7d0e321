"""Where the heads of a run are measured: on the real tokens of a text, and on the keys that their masks leave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch
from torch import Tensor

from mha_core.interop.running.captured import Captured
from mha_core.models.measures import Places
from mha_view.heads.glance import Glance
from mha_view.heads.names import tokens_of


def glances(attentions: Iterable[Captured], weights: Iterable[Tensor], side: int) -> Iterator[Glance]:
    """Of each attention and its weights, h × n × m, what is shown of all heads.

    Padding is neither a query nor a key of the measures, so that a text has the same measures with padding and without.
    """
    before: tuple[Tensor, Tensor, Places] | None = None
    for one, own in zip(attentions, weights, strict=True):
        if one.context_tokens is not None:
            yield Glance.of(own, None, side)
            continue
        real = real_rows(one, own)
        seen = _seen(one, own)[real][:, real]
        if before is None or not (torch.equal(before[0], real) and torch.equal(before[1], seen)):
            tokens = tokens_of([one.tokens[place] for place in real.tolist()])
            before = real, seen, Places.of(tokens, causal=False, visible=seen)
        yield Glance.of(own, before[2], side, real)


def is_causal(weights: Iterable[Tensor]) -> bool:
    """Whether no query looks at a later key, in any head of these layers, h × n × m."""
    return all(layer.shape[-1] > 1 and not bool(layer.triu(1).any()) for layer in weights)


def real_rows(one: Captured, weights: Tensor) -> Tensor:
    """The numbers of the queries that are not padding; all of them if the keys are other tokens."""
    if one.real is None or one.context_tokens is not None:
        return torch.arange(weights.shape[1])
    return one.real[one.sample].nonzero()[:, 0]


def _seen(one: Captured, weights: Tensor) -> Tensor:
    """n × n, True for the keys that a query may attend to, or has weight on, in any head."""
    n = weights.shape[-1]
    seen = torch.ones(n, n, dtype=torch.bool)
    if one.mask is not None:
        seen = one.mask.reshape(-1, n, n).any(0)
    if one.causal or is_causal([weights]):
        seen = seen.tril()
    return seen | (weights > 0).any(0)
