"""A small decoder whose attention is the one that trained models run on (``mha_core.models.attention``).

    x = E[token] (+ P[position])
    x = x + attention(norm(x));  x = x + feed_forward(norm(x))        in each layer
    logits = norm(x)·W + b

Each token sees itself and earlier ones. With relative positions each head adds a learned number for the distance of a
query and a key to their score (Shaw et al. 2018 in the form of Raffel et al. 2020, one number for each distance).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn import functional

from mha_core.models.attention import visible_weights
from mha_core.train.settings import Settings

Head: TypeAlias = tuple[int, int]
"""Layer and head, counted from 0. The attentions of an encoder–decoder are counted in the order of ``parts``."""
Kind: TypeAlias = Literal["encoder", "decoder", "cross"]
_WIDER = 4
"""The feed-forward part is so many times as wide as the model."""


@dataclass(frozen=True, slots=True)
class Part:
    """Which attention of a model: of its ``decoder``, of its ``encoder``, or ``cross``, where the decoder looks at what
    the encoder has made of the source. Layers count from 0.
    """

    kind: Kind
    layer: int


class Sides(NamedTuple):
    """The tokens of the rows and of the columns of weights."""

    queries: Sequence[str]
    keys: Sequence[str]


@dataclass(frozen=True, slots=True, eq=False)
class Attended:
    """One layer's attention. x: b × n_q × d_model, after the norm; weights: b × h × n_q × n_k; memory: b × n_k ×
    d_model, what keys and values are computed from where that is not x.
    """

    x: Tensor
    weights: Tensor
    memory: Tensor | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Pass:
    """One pass through a model, as ``Decoder.forward`` describes it."""

    without: Collection[Head]
    random: torch.Generator | None
    dropout: float
    attended: list[Attended]

    def attend(
        self, attention: Attention, norm: nn.Module, x: Tensor, visible: Tensor, memory: Tensor | None = None
    ) -> Tensor:
        """x + attention(norm(x)), of the next of the model's attentions."""
        off = [head for layer, head in self.without if layer == len(self.attended)]
        normed = norm(x)
        output, weights = attention(normed, visible, off, memory)
        self.attended.append(Attended(normed, weights, memory))
        return x + self.dropped(output)

    def feed(self, layer: Layer, x: Tensor) -> Tensor:
        """x + feed_forward(norm(x)), where the layer has such a part."""
        return x if layer.feed_forward is None else x + self.dropped(layer.feed_forward(x))

    def dropped(self, x: Tensor) -> Tensor:
        """Some numbers become 0, drawn from ``random``, and the others grow accordingly (Srivastava et al. 2014)."""
        if self.random is None or not self.dropout:
            return x
        kept = torch.rand(x.shape, generator=self.random, device=x.device) >= self.dropout
        return x * kept / (1 - self.dropout)


class Decoder(nn.Module):
    """The parameters, drawn with the seed of the settings, and what is computed with them; b lines of n tokens."""

    def __init__(self, settings: Settings, vocabulary: int, longest: int) -> None:
        super().__init__()
        width = settings.d_model
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            self.words = nn.Embedding(vocabulary, width)
            self.places = nn.Embedding(longest, width) if settings.positions != "relative" else None
            self.add_layers(settings, longest)
            self.norm = nn.LayerNorm(width)
            self.logits = nn.Linear(width, vocabulary)
        self.dropout = settings.dropout

    def add_layers(self, settings: Settings, longest: int) -> None:
        """Make the layers, the same for the same seed."""
        self.layers = nn.ModuleList(Layer(settings, longest) for _ in range(settings.layers))

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
        an empty list that receives what each attention computed, in the order of ``parts``.
        """
        run = Pass(without, random, self.dropout, [] if attended is None else attended)
        return self.computed(ids, run)

    def computed(self, ids: Tensor, run: Pass) -> Tensor:
        """The logits of ``forward``."""
        x, visible = run.dropped(self.embedded(ids)), causal(ids)
        for layer in self.blocks:
            x = run.feed(layer, run.attend(layer.attention, layer.attention_norm, x, visible))
        logits: Tensor = self.logits(self.norm(x))
        return logits

    def embedded(self, ids: Tensor) -> Tensor:
        """E[token] (+ P[position]), b × n × d_model."""
        x: Tensor = self.words(ids)
        return x if self.places is None else x + self.places.weight[: ids.shape[-1]]

    @property
    def blocks(self) -> list[Layer]:
        """The layers in order."""
        return [layer for layer in self.layers if isinstance(layer, Layer)]

    @property
    def attentions(self) -> list[Attention]:
        """Every attention, in the order of ``parts``; the layer of a ``Head`` counts them."""
        return [layer.attention for layer in self.blocks]

    @property
    def parts(self) -> list[Part]:
        """What each attention is."""
        return [Part("decoder", at) for at in range(len(self.blocks))]

    def sides(self, tokens: Sequence[str]) -> Mapping[Kind, Sides]:
        """Which of a line's tokens are queries and which are keys, in each kind of part."""
        return {"decoder": Sides(tokens, tokens)}


class Layer(nn.Module):
    """Attention, and a feed-forward part where the settings want one, each behind a norm of its own."""

    def __init__(self, settings: Settings, longest: int, *, causal: bool = True) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(settings.d_model)
        self.attention = Attention(settings, _distances(longest, causal=causal))
        self.feed_forward = _feed_forward(settings.d_model) if settings.feed_forward else None


class Attention(nn.Module):
    """Multi-head attention of b texts. Q, K and V are computed by one matrix, their rows one after the other.

    ``distances``: which of the learned numbers is added to the score of a query and a key, n × n; None where none is.
    """

    def __init__(self, settings: Settings, distances: Tensor | None) -> None:
        super().__init__()
        self.heads = settings.heads
        self.qkv = nn.Linear(settings.d_model, 3 * settings.d_model)
        self.output = nn.Linear(settings.d_model, settings.d_model)
        if settings.positions == "absolute":
            distances = None
        learned = None if distances is None else torch.zeros(settings.heads, int(distances.max()) + 1)
        self.bias = None if learned is None else nn.Parameter(learned)
        self.distances: Tensor | None
        self.register_buffer("distances", distances, persistent=False)

    def forward(
        self, x: Tensor, visible: Tensor, off: Sequence[int] = (), memory: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """The output, b × n_q × d_model, of x, b × n_q × d_model, and the weights, b × h × n_q × n_k; outputs of heads
        that are ``off`` are 0. Keys and values are computed from ``memory``, b × n_k × d_model, where it is given.
        """
        q, k, v = self._projected(x) if memory is None else self._projected_from(x, memory)
        weights = visible_weights(q, k, visible, self.added(x.shape[-2]))
        outputs = weights @ v
        if off:
            outputs = outputs.index_fill(-3, torch.tensor(off, device=x.device), 0.0)
        return self.output(outputs.transpose(-3, -2).flatten(-2)), weights

    def _projected(self, x: Tensor) -> list[Tensor]:
        """Q, K and V, b × h × n × d_head each."""
        return _by_head(self.qkv(x), 3, self.heads)

    def _projected_from(self, x: Tensor, memory: Tensor) -> list[Tensor]:
        """Q of x; K and V of the memory."""
        width = x.shape[-1]
        weight, bias = self.qkv.weight, self.qkv.bias
        return [
            *_by_head(functional.linear(x, weight[:width], bias[:width]), 1, self.heads),
            *_by_head(functional.linear(memory, weight[width:], bias[width:]), 2, self.heads),
        ]

    def added(self, n: int) -> Tensor | None:
        """What is added to the scores of n tokens: h × n × n, by distance; None where nothing is."""
        if self.bias is None or self.distances is None:
            return None
        return self.bias[:, self.distances[:n, :n]]


def _by_head(rows: Tensor, count: int, heads: int) -> list[Tensor]:
    """b × n × (count · h · d_head) as so many parts, b × h × n × d_head each."""
    return list(rows.view(*rows.shape[:-1], count, heads, -1).transpose(-2, -4).unbind(-3))


def causal(ids: Tensor) -> Tensor:
    """True for each token itself and earlier ones, n × n."""
    n = ids.shape[-1]
    return torch.ones(n, n, dtype=torch.bool, device=ids.device).tril()


def _distances(n: int, *, causal: bool) -> Tensor:
    """How far each key is before each query; 0 for those behind it, which no query sees. Where queries see all keys,
    it counts from the key that is furthest behind.
    """
    places = torch.arange(n)
    before = places[:, None] - places
    return before.clamp(min=0) if causal else before + n - 1


def _feed_forward(width: int) -> nn.Sequential:
    return nn.Sequential(
        nn.LayerNorm(width), nn.Linear(width, _WIDER * width), nn.GELU(), nn.Linear(_WIDER * width, width)
    )


def loss_of(logits: Tensor, ids: Tensor, asked: Tensor) -> Tensor:
    """Mean −ln p of the tokens that are asked for, each guessed from those before it."""
    return functional.cross_entropy(logits[:, :-1][asked[:, 1:]], ids[:, 1:][asked[:, 1:]])
