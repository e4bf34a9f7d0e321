"""Every head of a model measured on a text, and on the same words in other orders."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from random import Random
from statistics import fmean

import torch
from torch import Tensor

from mha_core.models.forward import MAX_TILE
from mha_core.models.measures import Places, Record, records
from mha_core.models.runs import AnyLayer, AnyModel, AnyRun, run
from mha_core.models.tokenizer import Tokens


def measured(tokens: Tokens, run: AnyRun) -> tuple[tuple[Record, ...], ...]:
    """What each head of each layer does with a text: layers × heads."""
    layers: Sequence[AnyLayer] = run.layers
    return tuple(
        tuple(record for weights in _in_parts(layer, len(tokens)) for record in records(weights, places))
        for layer, places in zip(layers, places_of(tokens, run), strict=True)
    )


def places_of(tokens: Tokens, run: AnyRun) -> Iterator[Places]:
    """The places of each layer, made once for neighbouring layers whose queries see the same keys."""
    shown, places = None, None
    for layer in run.layers:
        seen = layer.seen
        is_same = seen is shown or (seen is not None and shown is not None and torch.equal(seen, shown))
        if places is None or not is_same:
            places = Places.of(tokens, causal=layer.causal, visible=seen)
        shown = seen
        yield places


def _in_parts(layer: AnyLayer, n: int) -> Iterator[Tensor]:
    """The weights of a layer's heads, h × n × n; one head at a time where all would be too large."""
    if layer.heads * n * n <= MAX_TILE:
        yield layer.weights
    else:
        yield from (layer.weights_of(head)[None] for head in range(layer.heads))


def shuffled(tokens: Tokens, seed: int) -> Tokens:
    """The same words in another order: each stays whole and in its sentence, special tokens stay in their places.

    Behaviour that depends on positions alone stays the same on these; behaviour that depends on how words form a
    sentence does not.
    """
    random = Random(seed)
    order: list[int] = []
    for (_, special), places in groupby(
        range(len(tokens)), lambda at: (tokens.segments[at], tokens.special[at])
    ):
        words = [list(word) for _, word in groupby(places, lambda at: tokens.words[at])]
        if not special:
            random.shuffle(words)
        order += [at for word in words for at in word]
    return replace(
        tokens,
        ids=tuple(tokens.ids[at] for at in order),
        texts=tuple(tokens.texts[at] for at in order),
        words=tuple(tokens.words[at] for at in order),
        unknown=tuple(tokens.unknown[at] for at in order),
    )


def shuffled_means(
    model: AnyModel,
    tokens: Tokens,
    times: int = 3,
    seed: int = 0,
    *,
    without: Collection[tuple[int, int]] = (),
) -> list[list[dict[str, float]]]:
    """What each head does with the words in other orders: layers × heads × the mean of each measure by name.

    ``without``: as for ``run``.
    """
    runs = []
    for step in range(times):
        other = shuffled(tokens, seed + step)
        runs.append(measured(other, run(model, other, without=without)))
    size = model.architecture
    return [
        [_means([layers[layer][head] for layers in runs]) for head in range(size.heads)]
        for layer in range(size.layers)
    ]


def _means(records: list[Record]) -> dict[str, float]:
    names = records[0].measures
    return {
        name: fmean(record.measures[name].value for record in records if name in record.measures)
        for name in names
    }
