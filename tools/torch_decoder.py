"""The model of ``mha_core.train.decoder`` on ``torch.nn.MultiheadAttention``, written apart: for tests, benchmarks."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from mha_core.train.decoder import Decoder
from mha_core.train.settings import Settings


class TorchDecoder(nn.Module):
    """Its numbers are copied from a ``Decoder`` with these settings."""

    def __init__(self, model: Decoder, settings: Settings) -> None:
        super().__init__()
        width, kind = settings.d_model, _kind(model)
        self.words = nn.Parameter(model.words.weight.detach().clone())
        self.places = None if model.places is None else nn.Parameter(model.places.weight.detach().clone())
        self.attentions: Any = nn.ModuleList()
        self.inner: Any = nn.ModuleList()
        self.norms: Any = nn.ModuleList()
        self.biases: Any = nn.ParameterList()
        for block in model.blocks:
            source = block.attention
            attention: Any = nn.MultiheadAttention(width, settings.heads, batch_first=True, **kind)
            attention.load_state_dict(
                {
                    "in_proj_weight": source.qkv.weight,
                    "in_proj_bias": source.qkv.bias,
                    "out_proj.weight": source.output.weight,
                    "out_proj.bias": source.output.bias,
                }
            )
            self.attentions.append(attention)
            self.norms.append(_copied(nn.LayerNorm(width, **kind), block.attention_norm))
            if source.bias is not None:
                self.biases.append(nn.Parameter(source.bias.detach().clone()))
            if block.feed_forward is not None:
                inner = nn.Sequential(
                    nn.LayerNorm(width, **kind),
                    nn.Linear(width, 4 * width, **kind),
                    nn.GELU(),
                    nn.Linear(4 * width, width, **kind),
                )
                self.inner.append(_copied(inner, block.feed_forward))
        self.norm = _copied(nn.LayerNorm(width, **kind), model.norm)
        self.logits = _copied(nn.Linear(width, len(self.words), **kind), model.logits)

    def forward(self, ids: Tensor) -> Tensor:
        """Logits of the token after each, b × n × vocabulary, of ids, b × n."""
        n = ids.shape[1]
        x = functional.embedding(ids, self.words)
        if self.places is not None:
            x = x + self.places[:n]
        for at, attention in enumerate(self.attentions):
            normed = self.norms[at](x)
            mask = self._mask(at, len(ids), n, attention.num_heads).to(x)
            x = x + attention(normed, normed, normed, attn_mask=mask, need_weights=False)[0]
            if self.inner:
                x = x + self.inner[at](x)
        logits: Tensor = self.logits(self.norm(x))
        return logits

    def _mask(self, at: int, count: int, n: int, heads: int) -> Tensor:
        """−∞ for later tokens; else the head's number for the distance."""
        future = torch.full((n, n), -torch.inf).triu(1)
        if not self.biases:
            return future
        places = torch.arange(n)
        distances = (places[:, None] - places).clamp(min=0)
        added: Tensor = self.biases[at][:, distances] + future
        return added.repeat(count, 1, 1).view(count * heads, n, n)

    def paired(self, model: Decoder) -> tuple[dict[str, Any], dict[str, Any]]:
        """The gradients of the ``Decoder`` and of this one by the same names."""
        ours = {"words": model.words.weight, "norm": model.norm.weight, "logits": model.logits.weight}
        theirs = {"words": self.words, "norm": self.norm.weight, "logits": self.logits.weight}
        if model.places is not None and self.places is not None:
            ours["places"], theirs["places"] = model.places.weight, self.places
        for at, (block, attention) in enumerate(zip(model.blocks, self.attentions, strict=True)):
            source = block.attention
            ours |= {f"{at} qkv": source.qkv.weight, f"{at} output": source.output.weight}
            theirs |= {f"{at} qkv": attention.in_proj_weight, f"{at} output": attention.out_proj.weight}
            if source.bias is not None:
                ours[f"{at} bias"], theirs[f"{at} bias"] = source.bias, self.biases[at]
            if block.feed_forward is not None:
                inner: Any = block.feed_forward[1]
                ours[f"{at} inner"], theirs[f"{at} inner"] = inner.weight, self.inner[at][1].weight
        pair = ({name: part.grad for name, part in parts.items()} for parts in (ours, theirs))
        return next(pair), next(pair)


def _kind(model: Decoder) -> dict[str, Any]:
    return {"dtype": model.words.weight.dtype}


def _copied(module: Any, source: nn.Module) -> Any:
    module.load_state_dict(source.state_dict())
    return module
