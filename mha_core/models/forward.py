"""Runs a text through a model and stores every head: embeddings, attention, residual sums, norms, feed-forward.

Letters: n tokens, h heads, L layers, d_model, d_head. Leading axes, such as a batch, may precede all of them.

An encoder of the BERT family (Devlin et al. 2019) computes in each layer

    X  = norm(X + attention(X));  X = norm(X + feed_forward(X))

a decoder of GPT-2 and Llama kind (Radford et al. 2019, Touvron et al. 2023)

    X  = X + attention(norm(X));  X = X + feed_forward(norm(X))

and one norm after the last layer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

from mha_core.compute.pooled import By, MaskBlock, Pooled, pooled_weights
from mha_core.errors import N_, ModelError
from mha_core.interop.saved.settings import Activation
from mha_core.models.attention import Sight, attention_weights
from mha_core.models.config import Architecture, Sizes
from mha_core.models.model import Model
from mha_core.models.parts import Block, Embeddings, Linear, Norm
from mha_core.models.rotary import Turn, rotated, turn_of
from mha_core.models.scoring import Scoring
from mha_core.models.tokenizer import Tokens, too_long

MAX_TILE = 2**24
"""Most weights that are in memory at once: of all heads for some queries, or of one head."""

_ACTIVATION: dict[Activation, Callable[[Tensor], Tensor]] = {
    "gelu": functional.gelu,
    "gelu_tanh": partial(functional.gelu, approximate="tanh"),
    "relu": functional.relu,
    "silu": functional.silu,
}
"""x·Φ(x), and 0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))) (Hendrycks & Gimpel 2016); x·σ(x) (Elfwing et al. 2018)."""


@dataclass(frozen=True)
class LayerRun:
    """What one layer's attention computed.

    x: n × d_model, the input of Q, K and V; q, k: h × n × d_head, of which the scores are made, and q_before, k_before:
    the same before rotary positions rotated them; v, head_outputs: h × n × d_head, an ablated head's output is 0;
    output: n × d_model, after W_O, before the residual sum. ``keys``: n, True for a token, False for padding.
    ``window``: how many tokens a token sees, None for all. Where heads share keys and values, each has a copy.
    """

    x: Tensor
    q: Tensor
    k: Tensor
    v: Tensor
    q_before: Tensor
    k_before: Tensor
    head_outputs: Tensor
    output: Tensor
    keys: Tensor
    causal: bool
    window: int | None = None

    @property
    def heads(self) -> int:
        """How many heads the layer has."""
        return self.q.shape[-3]

    @property
    def sight(self) -> Sight:
        """Which keys a query may see."""
        return Sight(self.keys, self.causal, self.window)

    @cached_property
    def weights(self) -> Tensor:
        """softmax(Q·Kᵀ ÷ √d_head) over the keys that a query may see: h × n × n."""
        return attention_weights(self.q, self.k, self.sight)

    def weights_of(self, head: int) -> Tensor:
        """The weights of one head, n × n."""
        q, k = self.q[..., head, :, :], self.k[..., head, :, :]
        return attention_weights(q.unsqueeze(-3), k.unsqueeze(-3), self.sight).squeeze(-3)

    @property
    def seen(self) -> Tensor | None:
        """n × n, the keys that each query may see where that is not all, nor all up to itself; else None."""
        n = self.q.shape[-2]
        return None if self.window is None or self.window >= n else self.sight.of(range(n))

    def scoring(self, head: int) -> Scoring:
        """How the weights of one head follow from its queries and keys."""
        q, k = self.q[head], self.k[head]
        scores = (q @ k.T).masked_fill(~self.sight.of(range(len(q))), -math.inf)
        return Scoring(q, k, scores, math.sqrt(q.shape[-1]))

    def pooled(
        self, head: int, size: tuple[int, int], by: By, queries: range | None, keys: range | None
    ) -> Pooled:
        """The weights of one head, or a part of them, in blocks: see ``pooled_weights``."""
        mask: Literal["causal"] | MaskBlock | None = "causal" if self.causal else None
        if self.window is not None and self.window < self.q.shape[-2]:
            mask = self.sight.between
        return pooled_weights(self.q[head], self.k[head], size, by=by, queries=queries, keys=keys, mask=mask)


@dataclass(frozen=True)
class Run:
    """One run of a text. hidden: L + 1 matrices n × d_model, the embeddings and each layer's result, the last after the
    final norm where there is one; layers: L. without: the heads that were switched off, each (layer, head), in order.
    ``from_cache``: whether only the last token was computed, after the keys and values of an earlier run.
    """

    ids: Tensor
    hidden: tuple[Tensor, ...]
    layers: tuple[LayerRun, ...]
    without: tuple[tuple[int, int], ...] = ()
    from_cache: bool = False


@torch.no_grad()
def run(
    model: Model,
    tokens: Tokens | Tensor,
    mask: Tensor | None = None,
    segments: Tensor | None = None,
    *,
    without: Collection[tuple[int, int]] = (),
) -> Run:
    """Run a text through the model.

    ``tokens``: from ``tokenize``, or ids (… × n) with ``mask`` (… × n, True or 1 for a token, False or 0 for padding)
    and ``segments`` (… × n). ``without``: pairs (layer, head), counted from 0, whose head output is set to 0 before W_O
    (Michel et al. 2019). Raises ``ModelError`` for ids, segments or heads that the model does not have, and for a text
    that is too long for it.
    """
    ids, segments = _inputs(model, tokens, segments)
    require_known(model.architecture, ids, segments, model.most_tokens)
    keys = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask.to(model.device, torch.bool)
    return _computed(model, ids, segments, keys, tuple(sorted(set(without))))


@torch.no_grad()
def continued(model: Model, past: Run, token: int) -> Run:
    """The run of a decoder with one more token, an id: the rows, keys and values before it are those of ``past``.

    Only the new token's row is computed in each layer; ``past``, without its queries, is what is called the key–value
    cache. Raises ``ModelError`` for an encoder, whose earlier rows change with a new token, for an id that the model
    does not have, and for a text that is then too long.
    """
    if not model.architecture.causal:
        raise ModelError(N_("this model reads a text as a whole; it does not continue it"))
    ids = torch.cat([past.ids, past.ids.new_tensor([token])])
    segments = torch.zeros_like(ids)
    require_known(model.architecture, ids, segments, model.most_tokens)
    return _computed(model, ids, segments, torch.ones_like(ids, dtype=torch.bool), past.without, past)


def _computed(
    model: Model,
    ids: Tensor,
    segments: Tensor,
    keys: Tensor,
    without: tuple[tuple[int, int], ...],
    past: Run | None = None,
) -> Run:
    """A run; with the ``past`` of a text's first tokens only of those after them."""
    size, ablated = model.architecture, heads_off(model.architecture, without)
    start = 0 if past is None else past.ids.shape[-1]
    x = _embed(size, model.parts.embeddings, ids, segments)[..., start:, :]
    turn = None if size.rope is None else turn_of(size.rope, size.d_head, ids.shape[-1], x)
    turn = turn and (turn[0][start:], turn[1][start:])
    hidden, layers = [x], []
    for index, block in enumerate(model.parts.blocks):
        before = None if past is None else past.layers[index]
        x, layer = _layer(size, block, x, keys, turn, ablated.get(index, ()), before)
        hidden.append(x)
        layers.append(layer)
    if model.parts.final_norm is not None:
        hidden[-1] = normed(hidden[-1], model.parts.final_norm, size.eps)
    if past is not None:
        hidden = [torch.cat(rows, -2) for rows in zip(past.hidden, hidden, strict=True)]
    return Run(ids, tuple(hidden), tuple(layers), without, past is not None)


def _inputs(model: Model, tokens: Tokens | Tensor, segments: Tensor | None) -> tuple[Tensor, Tensor]:
    device = model.device
    if isinstance(tokens, Tokens):
        segments = torch.tensor(tokens.segments, device=device)
        tokens = torch.tensor(tokens.ids, device=device)
    ids = tokens.to(device)
    segments = torch.zeros_like(ids) if segments is None else segments.to(device)
    return ids, segments


def require_known(size: Sizes, ids: Tensor, segments: Tensor | None, most: int) -> None:
    """Raises ``ModelError`` for ids and segments that no table has, and for more than ``most`` tokens."""
    if not 1 <= ids.shape[-1] <= most:
        raise too_long(ids.shape[-1], most)
    if int(ids.min()) < 0 or int(ids.max()) >= size.vocabulary:
        raise ModelError(
            N_(
                "the tokenizer gives the id {got}, but the model has {most} tokens; they do not belong together"
            ),
            got=int(ids.max()),
            most=size.vocabulary,
        )
    if (
        segments is not None
        and size.segments
        and not 0 <= int(segments.min()) <= int(segments.max()) < size.segments
    ):
        raise ModelError(
            N_("the text has segments up to {got}, but the model knows {most}"),
            got=int(segments.max()) + 1,
            most=size.segments,
        )


def heads_off(size: Sizes, without: Collection[tuple[int, int]]) -> dict[int, list[int]]:
    """The heads of each layer to switch off. Raises ``ModelError`` for those that the model does not have."""
    heads_by_layer: dict[int, list[int]] = {}
    for layer, head in without:
        if not (0 <= layer < size.layers and 0 <= head < size.heads):
            raise ModelError(
                N_(
                    "the model has {layers} {layers:layer|layers} of {heads} {heads:head|heads}; "
                    "there is no head {head} in layer {layer}, "
                    "counted from 0"
                ),
                place="without",
                layers=size.layers,
                heads=size.heads,
                head=head,
                layer=layer,
            )
        heads_by_layer.setdefault(layer, []).append(head)
    return heads_by_layer


# --- a layer -----------------------------------------------------------------------------------------------------


def _embed(size: Architecture, tables: Embeddings, ids: Tensor, segments: Tensor) -> Tensor:
    """The sum of a token's vectors: of its piece, and where the model has them of its segment and its position."""
    x = tables.words[ids]
    if tables.segments is not None:
        x = x + tables.segments[segments]
    if tables.positions is not None:
        x = x + tables.positions[_positions(size, ids)]
    return x if tables.norm is None else normed(x, tables.norm, size.eps)


def _positions(size: Architecture, ids: Tensor) -> Tensor:
    """0, 1, 2 …; where padding has a row of its own, tokens count from the row after it."""
    if size.padding is None:
        return torch.arange(ids.shape[-1], device=ids.device)
    is_token = ids != size.padding
    return is_token.cumsum(-1) * is_token + size.padding


def _layer(
    size: Architecture,
    block: Block,
    x: Tensor,
    keys: Tensor,
    turn: Turn | None,
    ablated: Collection[int],
    past: LayerRun | None,
) -> tuple[Tensor, LayerRun]:
    """The layer's result for x, and what its attention computed, after the rows of ``past``."""
    norm_first = size.causal
    attention_input = normed(x, block.attention_norm, size.eps) if norm_first else x
    attention = _attention(size, block, attention_input, keys, turn, ablated, past)
    x = x + attention.output[..., -x.shape[-2] :, :]
    if norm_first:
        return x + _feed_forward(size, block, normed(x, block.inner_norm, size.eps)), attention
    x = normed(x, block.attention_norm, size.eps)
    return normed(x + _feed_forward(size, block, x), block.inner_norm, size.eps), attention


def _attention(
    size: Architecture,
    block: Block,
    x: Tensor,
    keys: Tensor,
    turn: Turn | None,
    ablated: Collection[int],
    past: LayerRun | None,
) -> LayerRun:
    q_before = _heads(linear(x, block.query), size.heads)
    k_before, v = (
        _heads(linear(x, part), size.kv_heads).repeat_interleave(size.heads // size.kv_heads, -3)
        for part in (block.key, block.value)
    )
    q, k = (part if turn is None else rotated(part, turn) for part in (q_before, k_before))
    if past is not None:
        k, v = torch.cat([past.k, k], -2), torch.cat([past.v, v], -2)
    sight = Sight(keys, size.causal, size.window)
    outputs = _head_outputs(q, k, v, sight)
    outputs[..., list(ablated), :, :] = 0
    output = linear(outputs.transpose(-3, -2).flatten(-2), block.output)
    rows = {
        "x": x,
        "q": q,
        "q_before": q_before,
        "k_before": k_before,
        "head_outputs": outputs,
        "output": output,
    }
    if past is not None:
        rows = {name: torch.cat([getattr(past, name), part], -2) for name, part in rows.items()}
    return LayerRun(**rows, k=k, v=v, keys=keys, causal=size.causal, window=size.window)


def _heads(x: Tensor, heads: int) -> Tensor:
    """n × (h·d_head) → h × n × d_head."""
    return x.view(*x.shape[:-1], heads, -1).transpose(-3, -2)


def _head_outputs(q: Tensor, k: Tensor, v: Tensor, sight: Sight) -> Tensor:
    """weights·V of the last queries, some at a time, so that at most ``MAX_TILE`` weights are in memory."""
    n = k.shape[-2]
    step = max(1, MAX_TILE // max(1, q.shape[:-2].numel() * n))
    return torch.cat(
        [
            attention_weights(q[..., at : at + step, :], k, sight, n - q.shape[-2] + at) @ v
            for at in range(0, q.shape[-2], step)
        ],
        -2,
    )


def _feed_forward(size: Architecture, block: Block, x: Tensor) -> Tensor:
    """activation(x·W_up)·W_down; with a gate, (activation(x·W_gate) ∘ x·W_up)·W_down (Shazeer 2020)."""
    inner = linear(x, block.up)
    inner = activated(inner, size) if block.gate is None else activated(linear(x, block.gate), size) * inner
    return linear(inner, block.down)


def activated(x: Tensor, size: Architecture) -> Tensor:
    """The model's activation function, number by number."""
    return _ACTIVATION[size.activation](x)


def linear(x: Tensor, part: Linear) -> Tensor:
    """x·weightᵀ + bias."""
    return functional.linear(x, part.weight, part.bias)


def normed(x: Tensor, norm: Norm, eps: float) -> Tensor:
    """LayerNorm (Ba et al. 2016); RMSNorm, x ÷ √(mean x² + eps) · weight, where there is no bias (Zhang &
    Sennrich 2019).
    """
    if norm.bias is None:
        return norm.weight * (x * (x.square().mean(-1, keepdim=True) + eps).rsqrt())
    return functional.layer_norm(x, norm.weight.shape, norm.weight, norm.bias, eps)
