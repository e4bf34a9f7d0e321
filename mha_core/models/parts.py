"""The parts of a model, the same for all kinds, read from a checkpoint.

A part is plain data: the numbers of one layer, one norm, one table. ``parts_of`` finds them all in a checkpoint by the
names that each kind of model has for them (``NAMES``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from mha_core.models.config import Architecture
from mha_core.models.names import NAMES, Names


@dataclass(frozen=True, slots=True)
class Linear:
    """x·weightᵀ + bias; weight: d_out × d_in, bias: d_out."""

    weight: Tensor
    bias: Tensor | None


@dataclass(frozen=True, slots=True)
class Norm:
    """LayerNorm, or RMSNorm where there is no bias; weight, bias: d_model."""

    weight: Tensor
    bias: Tensor | None


@dataclass(frozen=True, slots=True)
class Block:
    """One layer. query: h·d_head × d_model, key and value: kv_heads·d_head × d_model, output: d_model × h·d_head;
    up and gate: d_inner × d_model, down: d_model × d_inner.
    """

    query: Linear
    key: Linear
    value: Linear
    output: Linear
    attention_norm: Norm
    up: Linear
    gate: Linear | None
    down: Linear
    inner_norm: Norm


@dataclass(frozen=True, slots=True)
class Embeddings:
    """words: vocabulary × d_model, positions: places × d_model, segments: kinds × d_model; the last two and the norm
    of their sum where the model has them.
    """

    words: Tensor
    positions: Tensor | None
    segments: Tensor | None
    norm: Norm | None


@dataclass(frozen=True, slots=True)
class Guesser:
    """What turns a token's last vector into a number for each word; ``dense`` and ``norm`` only in encoders."""

    dense: Linear | None
    norm: Norm | None
    words: Linear


@dataclass(frozen=True, slots=True)
class Parts:
    """All parts of a model. ``final_norm``: after the last layer, if norms come first; ``guesser``: if stored."""

    embeddings: Embeddings
    blocks: tuple[Block, ...]
    final_norm: Norm | None
    guesser: Guesser | None


class Source(Protocol):
    """Where tensors come from, as a ``Checkpoint``."""

    def __contains__(self, name: str) -> bool: ...

    def tensor(self, name: str, *shape: int) -> Tensor:
        """The tensor of this name and shape."""
        ...


def parts_of(checkpoint: Source, architecture: Architecture) -> Parts:
    """Every part of the model, each with the shape that the architecture requires.

    Raises ``ModelError`` for a tensor that is missing or has another shape, by its name in the file.
    """
    read = _Reader(checkpoint, architecture, NAMES[architecture.kind])
    return Parts(
        embeddings=read.embeddings(),
        blocks=tuple(map(read.block, range(architecture.layers))),
        final_norm=read.norm(read.root + read.names.final_norm) if read.names.final_norm else None,
        guesser=read.guesser(),
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    checkpoint: Source
    architecture: Architecture
    names: Names

    @property
    def root(self) -> str:
        """The prefix of the names in this file, which depends on whether the model was saved with its head or bare."""
        return self.names.root if f"{self.names.root}{self.names.words}.weight" in self.checkpoint else ""

    def embeddings(self) -> Embeddings:
        size, names = self.architecture, self.names
        return Embeddings(
            words=self.table(names.words, size.vocabulary),
            positions=self.table(names.positions, size.places) if names.positions else None,
            segments=self.table(names.segments, size.segments) if names.segments else None,
            norm=self.norm(self.root + names.embedding_norm) if names.embedding_norm else None,
        )

    def block(self, index: int) -> Block:
        size, names = self.architecture, self.names
        layer = self.root + names.layer.format(index)
        query, key, value = self.packed(layer) if names.packed else self.separate(layer)
        wide, inner = size.heads * size.d_head, size.inner_bias
        return Block(
            query=query,
            key=key,
            value=value,
            output=self.linear(layer + names.output, size.d_model, wide, bias=size.output_bias),
            attention_norm=self.norm(layer + names.attention_norm),
            up=self.linear(layer + names.up, size.d_inner, size.d_model, bias=inner),
            gate=self.linear(layer + names.gate, size.d_inner, size.d_model, bias=inner)
            if names.gate
            else None,
            down=self.linear(layer + names.down, size.d_model, size.d_inner, bias=inner),
            inner_norm=self.norm(layer + names.inner_norm),
        )

    def separate(self, layer: str) -> tuple[Linear, Linear, Linear]:
        size, names = self.architecture, self.names
        query, key, value = (
            self.linear(layer + name, heads * size.d_head, size.d_model, bias=size.qkv_bias)
            for name, heads in (
                (names.query, size.heads),
                (names.key, size.kv_heads),
                (names.value, size.kv_heads),
            )
        )
        return query, key, value

    def packed(self, layer: str) -> tuple[Linear, Linear, Linear]:
        width = self.architecture.d_model
        whole = self.linear(layer + self.names.packed, 3 * width, width, bias=True)
        weights, biases = (
            torch.split(part, width) for part in (whole.weight, whole.bias) if part is not None
        )
        query, key, value = map(Linear, weights, biases)
        return query, key, value

    def guesser(self) -> Guesser | None:
        """None where the file has nothing to turn vectors into words, as with sentence encoders."""
        size, names = self.architecture, self.names
        words, dense = f"{names.guess_words}.weight", f"{names.dense}.weight"
        if (names.dense and dense not in self.checkpoint) or not (size.tied or words in self.checkpoint):
            return None
        weight = (
            self.table(names.words, size.vocabulary)
            if size.tied
            else self.checkpoint.tensor(words, size.vocabulary, size.d_model)
        )
        words_bias = f"{names.guess_words}.bias"
        bias_name = words_bias if words_bias in self.checkpoint else names.guess_bias
        bias = self.checkpoint.tensor(bias_name, size.vocabulary) if bias_name else None
        if not names.dense:
            return Guesser(None, None, Linear(weight, bias))
        transform = self.linear(names.dense, size.d_model, size.d_model, bias=True)
        return Guesser(transform, self.norm(names.guess_norm), Linear(weight, bias))

    def table(self, name: str, rows: int) -> Tensor:
        return self.checkpoint.tensor(f"{self.root}{name}.weight", rows, self.architecture.d_model)

    def linear(self, name: str, d_out: int, d_in: int, *, bias: bool) -> Linear:
        """A matrix whose rows are outputs. Files with packed Q, K and V store it transposed."""
        shape = (d_in, d_out) if self.names.packed else (d_out, d_in)
        weight = self.checkpoint.tensor(f"{name}.weight", *shape)
        given = self.checkpoint.tensor(f"{name}.bias", d_out) if bias else None
        return Linear(weight.T if self.names.packed else weight, given)

    def norm(self, name: str) -> Norm:
        """In files converted from TensorFlow a norm's weight is called gamma and its bias beta."""
        old = f"{name}.gamma" in self.checkpoint
        width, has_bias = self.architecture.d_model, self.architecture.family != "llama"
        weight = self.checkpoint.tensor(f"{name}.{'gamma' if old else 'weight'}", width)
        return Norm(
            weight, self.checkpoint.tensor(f"{name}.{'beta' if old else 'bias'}", width) if has_bias else None
        )
