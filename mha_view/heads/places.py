"""Where the heads of a run are measured: on the real tokens of a text, and on the keys that their masks leave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from mha_core.interop.running.attentions import Attentions
from mha_core.interop.running.captured import Captured
from mha_core.models import Record
from mha_core.models.measures import Places
from mha_view.heads.glance import Glance
from mha_view.heads.names import tokens_of

Records = Sequence[tuple[Record, ...]]
"""What was measured of each attention's heads."""


def glances(
    attentions: Iterable[Captured], weights: Iterable[Tensor], side: int, measured: Records | None
) -> Iterator[Glance]:
    """Of each attention and its weights, h × n × m, what is shown of all heads; ``measured`` unless it is None."""
    before: tuple[Tensor, Places] | None = None
    for at, (one, own) in enumerate(zip(attentions, weights, strict=True)):
        if measured is not None or one.context_tokens is not None:
            glance = Glance.of(own, None, side)
            yield glance if measured is None else replace(glance, records=measured[at])
            continue
        seen = _seen(one, own)
        if before is None or not torch.equal(before[0], seen):
            before = seen, Places.of(tokens_of(one.tokens), causal=False, visible=seen)
        yield Glance.of(own, before[1], side)


def is_causal(weights: Iterable[Tensor]) -> bool:
    """Whether no query looks at a later key, in any head of these layers, h × n × m."""
    return all(layer.shape[-1] > 1 and not bool(layer.triu(1).any()) for layer in weights)


def real_rows(one: Captured, weights: Tensor) -> Tensor:
    """The numbers of the queries that are not padding; all of them if the keys are other tokens."""
    if one.real is None or one.context_tokens is not None:
        return torch.arange(weights.shape[1])
    return one.real[one.sample].nonzero()[:, 0]


def real_places(attentions: Iterable[Captured]) -> tuple[Tensor, Tensor] | None:
    """The numbers of the queries and of the keys that are not padding; None if all are real, or none is."""
    one = next((one for one in attentions if one.real is not None), None)
    if one is None or one.real is None:
        return None
    own = one.real[one.sample]
    keys = own.nonzero()[:, 0]
    return None if len(keys) in {0, len(own)} else (real_rows(one, one.weights), keys)


def between(attentions: Attentions, rows: Tensor, keys: Tensor) -> Attentions:
    """The same attentions with these queries and keys alone, as a glance shows them."""

    def cut(matrices: Tensor) -> Tensor:
        return matrices[..., rows, :][..., keys]

    def named(tokens: tuple[str, ...], places: Tensor) -> tuple[str, ...]:
        return tuple(tokens[place] for place in places.tolist())

    return Attentions(
        replace(
            one,
            weights=cut(one.weights),
            mask=None if one.mask is None else cut(one.mask),
            tokens=named(one.tokens, rows),
            context_tokens=one.context_tokens and named(one.context_tokens, keys),
            real=None,
            batch={},
        )
        for one in attentions
    )


def _seen(one: Captured, weights: Tensor) -> Tensor:
    """n × n, True for the keys that a query may attend to, or has weight on, in any head."""
    n = weights.shape[-1]
    seen = torch.ones(n, n, dtype=torch.bool)
    if one.mask is not None:
        seen = one.mask.reshape(-1, n, n).any(0)
    if one.causal or is_causal([weights]):
        seen = seen.tril()
    return seen | (weights > 0).any(0)
