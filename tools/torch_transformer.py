"""The model of ``mha_core.train.encoder_decoder`` on torch's own layers, written apart: for tests.

Torch's layers always have a feed-forward part. Here all sources have one length, and all targets.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from mha_core.train.encoder_decoder import EncoderDecoder
from mha_core.train.settings import Settings

_TORCHS = {
    "attention.qkv.": "self_attn.in_proj_",
    "attention.output": "self_attn.out_proj",
    "attention_norm": "norm1",
    "cross.qkv.": "multihead_attn.in_proj_",
    "cross.output": "multihead_attn.out_proj",
    "cross_norm": "norm2",
    "feed_forward.1": "linear1",
    "feed_forward.3": "linear2",
}
"""What parts of our names are called in torch's layers."""


class TorchTransformer(nn.Module):
    """Its numbers are copied from an ``EncoderDecoder`` with these settings."""

    def __init__(self, model: EncoderDecoder, settings: Settings) -> None:
        super().__init__()
        kind: dict[str, Any] = {
            "dim_feedforward": 4 * settings.d_model,
            "dropout": 0.0,
            "activation": "gelu",
            "batch_first": True,
            "norm_first": True,
            "dtype": model.words.weight.dtype,
        }
        sizes = settings.d_model, settings.heads
        count = range(settings.layers)
        self.encoder: Any = nn.ModuleList(nn.TransformerEncoderLayer(*sizes, **kind) for _ in count)
        self.layers: Any = nn.ModuleList(nn.TransformerDecoderLayer(*sizes, **kind) for _ in count)
        self.heads = settings.heads
        own = dict(self.named_parameters())
        self.by_name: dict[str, Tensor] = {}
        """Every parameter by our name for it: torch's own, and copies of those that are in no layer."""
        for name, parameter in model.named_parameters():
            copy = parameter.detach().clone()
            self.by_name[name] = own.get(_torchs(name), copy.requires_grad_())
            self.by_name[name].data.copy_(copy)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Logits of the token after each of the target, b × t × vocabulary; source: b × s, target: b × t."""
        memory = self._embedded(source)
        for at, layer in enumerate(self.encoder):
            memory = layer(memory, src_mask=self._added(f"encoder.{at}", *source.shape))
        memory = self._normed("memory_norm", memory)
        x = self._embedded(target)
        future = torch.full((target.shape[1],) * 2, -torch.inf, dtype=x.dtype).triu(1)
        for at, layer in enumerate(self.layers):
            added = self._added(f"layers.{at}", *target.shape)
            x = layer(x, memory, tgt_mask=future if added is None else added + future)
        part = self.by_name
        return functional.linear(self._normed("norm", x), part["logits.weight"], part["logits.bias"])

    def _embedded(self, ids: Tensor) -> Tensor:
        x = functional.embedding(ids, self.by_name["words.weight"])
        return x + self.by_name["places.weight"][: ids.shape[1]]

    def _normed(self, name: str, x: Tensor) -> Tensor:
        part = self.by_name
        return functional.layer_norm(x, x.shape[-1:], part[f"{name}.weight"], part[f"{name}.bias"])

    def _added(self, layer: str, count: int, n: int) -> Tensor | None:
        """The numbers for distances, one matrix for each head of each text; an encoder's begin with the furthest key
        behind a query.
        """
        bias = self.by_name.get(f"{layer}.attention.bias")
        if bias is None:
            return None
        zero = bias.shape[1] // 2 if layer.startswith("encoder") else 0
        rows = [[bias[:, max(0, zero + query - key)] for key in range(n)] for query in range(n)]
        matrices = torch.stack([torch.stack(row) for row in rows]).permute(2, 0, 1)
        return matrices.repeat(count, 1, 1)


def _torchs(name: str) -> str:
    """Torch's name of a parameter in a layer."""
    for ours, theirs in _TORCHS.items():
        name = name.replace(ours, theirs)
    return name.replace("feed_forward.0", "norm2" if name.startswith("encoder") else "norm3")
