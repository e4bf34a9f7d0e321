"""BERT with a head that guesses masked words, its tensors under the names that Hugging Face's ``BertForMaskedLM`` has.

Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding", 2019.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn import functional

from mha_core.models.attention import visible_weights

_ALL = torch.tensor(True)  # every token sees every other
EPS = 1e-12

Parts: TypeAlias = Any
"""A ``ModuleDict`` of further ones: its names, joined by dots, are those of the tensors."""
Place: TypeAlias = tuple[int, int]
"""Layer and head, counted from 0."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How large the model is. ``inner``: width of the feed-forward part."""

    vocabulary: int
    layers: int = 4
    heads: int = 4
    width: int = 64
    inner: int = 256
    places: int = 128


class Bert(nn.Module):
    """The parameters, and what is computed with them; b texts of the same length n, no padding."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        width = shape.width
        self.bert = _encoder(shape)
        self.cls = _guesser(shape)
        self.apply(_start)
        with torch.no_grad():
            self.bert["embeddings"]["position_embeddings"].weight.copy_(
                _waves(shape.places, width) * width**-0.5
            )
        self.cls["predictions"]["decoder"].weight = self.bert["embeddings"]["word_embeddings"].weight

    def forward(self, ids: Tensor, segments: Tensor, places: Tensor) -> Tensor:
        """The last layer's states, b × n × d, of ids, segments and places, b × n each."""
        return self.watched(ids, segments, places)[0]

    def watched(
        self,
        ids: Tensor,
        segments: Tensor,
        places: Tensor,
        layers: Collection[int] = (),
        off: Collection[Place] = (),
    ) -> tuple[Tensor, dict[int, Tensor]]:
        """The last layer's states, and the weights, b × h × n × n, of some layers; ``off``: heads that give nothing."""
        states, seen = self._embedded(ids, segments, places), {}
        for index, layer in enumerate(self.bert["encoder"]["layer"]):
            q, k, v = self._heads(layer, states)
            if index in layers:
                seen[index] = visible_weights(q, k, _ALL)
                mixed = seen[index] @ v
            else:
                mixed = functional.scaled_dot_product_attention(q, k, v)
            for _, head in (one for one in off if one[0] == index):
                mixed[:, head] = 0
            states = _after(layer, states, mixed)
        return states, seen

    def guess(self, states: Tensor) -> Tensor:
        """Logits over the vocabulary, … × V, of states, … × d."""
        head = self.cls["predictions"]
        hidden = head["transform"]["LayerNorm"](functional.gelu(head["transform"]["dense"](states)))
        logits: Tensor = head["decoder"](hidden)
        return logits

    def _embedded(self, ids: Tensor, segments: Tensor, places: Tensor) -> Tensor:
        parts = self.bert["embeddings"]
        total = (
            parts["word_embeddings"](ids)
            + parts["position_embeddings"](places)
            + parts["token_type_embeddings"](segments)
        )
        normed: Tensor = parts["LayerNorm"](total)
        return normed

    def _heads(self, layer: Parts, states: Tensor) -> list[Tensor]:
        parts = layer["attention"]["self"]
        return [
            parts[name](states).unflatten(-1, (self.shape.heads, -1)).transpose(1, 2)
            for name in ("query", "key", "value")
        ]


def _encoder(shape: Shape) -> Parts:
    embeddings = {
        "word_embeddings": nn.Embedding(shape.vocabulary, shape.width),
        "position_embeddings": nn.Embedding(shape.places, shape.width),
        "token_type_embeddings": nn.Embedding(2, shape.width),
        "LayerNorm": nn.LayerNorm(shape.width, EPS),
    }
    layers = nn.ModuleDict({"layer": nn.ModuleList(_layer(shape) for _ in range(shape.layers))})
    return nn.ModuleDict({"embeddings": nn.ModuleDict(embeddings), "encoder": layers})


def _guesser(shape: Shape) -> Parts:
    transform = {"dense": nn.Linear(shape.width, shape.width), "LayerNorm": nn.LayerNorm(shape.width, EPS)}
    parts = {"transform": nn.ModuleDict(transform), "decoder": nn.Linear(shape.width, shape.vocabulary)}
    return nn.ModuleDict({"predictions": nn.ModuleDict(parts)})


def _layer(shape: Shape) -> nn.ModuleDict:
    width, inner = shape.width, shape.inner
    attention = nn.ModuleDict({name: nn.Linear(width, width) for name in ("query", "key", "value")})
    return nn.ModuleDict(
        {
            "attention": nn.ModuleDict({"self": attention, "output": _added(width, width)}),
            "intermediate": nn.ModuleDict({"dense": nn.Linear(width, inner)}),
            "output": _added(inner, width),
        }
    )


def _added(inputs: int, outputs: int) -> nn.ModuleDict:
    """What is added to the states, and the norm of the sum."""
    return nn.ModuleDict({"dense": nn.Linear(inputs, outputs), "LayerNorm": nn.LayerNorm(outputs, EPS)})


def _after(layer: Parts, states: Tensor, mixed: Tensor) -> Tensor:
    """The states after a layer, of the outputs of its heads, b × h × n × d_k."""
    attention, inner, output = (layer[name] for name in ("attention", "intermediate", "output"))
    concat = mixed.transpose(1, 2).flatten(-2)
    states = attention["output"]["LayerNorm"](states + attention["output"]["dense"](concat))
    hidden = functional.gelu(inner["dense"](states))
    after: Tensor = output["LayerNorm"](states + output["dense"](hidden))
    return after


def _start(module: nn.Module) -> None:
    """Normal numbers, of such a size that states keep theirs; BERT's own 0.02 is made for twelve times the width."""
    if isinstance(module, nn.Linear):
        nn.init.normal_(module.weight, std=module.in_features**-0.5)
        nn.init.zeros_(module.bias)
    if isinstance(module, nn.Embedding):
        nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)


def _waves(places: int, width: int) -> Tensor:
    """Sines and cosines of each place, from which its embedding begins; Vaswani et al., "Attention Is All You Need"."""
    speeds = 10000 ** (-torch.arange(0, width, 2) / width)
    angles = torch.arange(places)[:, None] * speeds
    return torch.stack((angles.sin(), angles.cos()), -1).flatten(-2)
