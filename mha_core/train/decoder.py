"""A small decoder whose attention is the one that trained models run on (``mha_core.models.attention``).

    x = E[token] (+ P[position])
    x = x + attention(norm(x));  x = x + feed_forward(norm(x))        in each layer
    logits = norm(x)·W + b

Each token sees itself and earlier ones. With relative positions each head adds a learned number for the distance of a
query and a key to their score (Shaw et al. 2018 in the form of Raffel et al. 2020, one number for each distance).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor, nn
from torch.nn import functional

from mha_core.models.attention import visible_weights
from mha_core.train.settings import Settings

Head: TypeAlias = tuple[int, int]
"""Layer and head, counted from 0."""
_WIDER = 4
"""The feed-forward part is so many times as wide as the model."""


@dataclass(frozen=True, slots=True, eq=False)
class Attended:
    """One layer's attention. x: b × n × d_model, after the norm; weights: b × h × n × n."""

    x: Tensor
    weights: Tensor


class Decoder(nn.Module):
    """The parameters, drawn with the seed of the settings, and what is computed with them; b lines of n tokens."""

    def __init__(self, settings: Settings, vocabulary: int, longest: int) -> None:
        super().__init__()
        width = settings.d_model
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            self.words = nn.Embedding(vocabulary, width)
            self.places = nn.Embedding(longest, width) if settings.positions != "relative" else None
            self.layers = nn.ModuleList(Layer(settings, longest) for _ in range(settings.layers))
            self.norm = nn.LayerNorm(width)
            self.logits = nn.Linear(width, vocabulary)
        self.dropout = settings.dropout

    def forward(
        self,
        ids: Tensor,
        *,
        without: Collection[Head] = (),
        random: torch.Generator | None = None,
        attended: list[Attended] | None = None,
    ) -> Tensor:
        """Logits of the token after each, b × n × vocabulary, of ids, b × n.

        ``without``: heads whose outputs are 0; ``random``: what dropout draws from, None for no dropout; ``attended``:
        a list that receives what each layer's attention computed.
        """
        n = ids.shape[-1]
        visible = torch.ones(n, n, dtype=torch.bool, device=ids.device).tril()
        x = self.words(ids)
        if self.places is not None:
            x = x + self.places.weight[:n]
        x = self._dropped(x, random)
        for index, layer in enumerate(self.blocks):
            off = [head for other, head in without if other == index]
            normed = layer.attention_norm(x)
            output, weights = layer.attention(normed, visible, off)
            if attended is not None:
                attended.append(Attended(normed, weights))
            x = x + self._dropped(output, random)
            if layer.feed_forward is not None:
                x = x + self._dropped(layer.feed_forward(x), random)
        logits: Tensor = self.logits(self.norm(x))
        return logits

    @property
    def blocks(self) -> list[Layer]:
        """The layers in order."""
        return [layer for layer in self.layers if isinstance(layer, Layer)]

    def _dropped(self, x: Tensor, random: torch.Generator | None) -> Tensor:
        """Some numbers become 0, drawn from ``random``, and the others grow accordingly (Srivastava et al. 2014)."""
        if random is None or not self.dropout:
            return x
        kept = torch.rand(x.shape, generator=random, device=x.device) >= self.dropout
        return x * kept / (1 - self.dropout)


class Layer(nn.Module):
    """Attention, and a feed-forward part where the settings want one, each behind a norm of its own."""

    def __init__(self, settings: Settings, longest: int) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(settings.d_model)
        self.attention = Attention(settings, longest)
        self.feed_forward = _feed_forward(settings.d_model) if settings.feed_forward else None


class Attention(nn.Module):
    """Multi-head self-attention of b texts. Q, K and V are computed by one matrix, their rows one after the other."""

    def __init__(self, settings: Settings, longest: int) -> None:
        super().__init__()
        self.heads = settings.heads
        self.qkv = nn.Linear(settings.d_model, 3 * settings.d_model)
        self.output = nn.Linear(settings.d_model, settings.d_model)
        relative = settings.positions != "absolute"
        self.bias = nn.Parameter(torch.zeros(settings.heads, longest)) if relative else None
        self.distances: Tensor
        self.register_buffer("distances", _distances(longest), persistent=False)

    def forward(self, x: Tensor, visible: Tensor, off: Sequence[int] = ()) -> tuple[Tensor, Tensor]:
        """The output, b × n × d_model, of x, b × n × d_model, and the weights, b × h × n × n; outputs of heads that are
        ``off`` are 0.
        """
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).transpose(-2, -4).unbind(-3)
        weights = visible_weights(q, k, visible, self.added(x.shape[-2]))
        outputs = weights @ v
        if off:
            outputs = outputs.index_fill(-3, torch.tensor(off, device=x.device), 0.0)
        return self.output(outputs.transpose(-3, -2).flatten(-2)), weights

    def added(self, n: int) -> Tensor | None:
        """What is added to the scores of n tokens: h × n × n, by distance; None without relative positions."""
        return None if self.bias is None else self.bias[:, self.distances[:n, :n]]


def _distances(n: int) -> Tensor:
    """How far each key is before each query; 0 for those behind it, which no query sees."""
    places = torch.arange(n)
    return (places[:, None] - places).clamp(min=0)


def _feed_forward(width: int) -> nn.Sequential:
    return nn.Sequential(
        nn.LayerNorm(width), nn.Linear(width, _WIDER * width), nn.GELU(), nn.Linear(_WIDER * width, width)
    )


def loss_of(logits: Tensor, ids: Tensor, asked: Tensor) -> Tensor:
    """Mean −ln p of the tokens that are asked for, each guessed from those before it."""
    return functional.cross_entropy(logits[:, :-1][asked[:, 1:]], ids[:, 1:][asked[:, 1:]])
