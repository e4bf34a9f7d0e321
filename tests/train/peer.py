"""The same model on ``torch.nn.MultiheadAttention``, written apart; its numbers are copied from a ``Decoder``."""

from typing import Any

import torch
from torch import nn
from torch.nn import functional


class Peer(nn.Module):
    """Pre-norm layers of ``nn.MultiheadAttention`` and, where the settings want one, a feed-forward part."""

    def __init__(self, model, settings):
        super().__init__()
        width, kind = settings.d_model, {"dtype": model.words.weight.dtype}
        self.words = nn.Parameter(model.words.weight.detach().clone())
        self.places = nn.Parameter(model.places.weight.detach().clone()) if model.places is not None else None
        self.attentions: Any = nn.ModuleList()
        self.inner: Any = nn.ModuleList()
        self.norms, self.biases = nn.ModuleList(), nn.ParameterList()
        for block in model.blocks:
            attention = nn.MultiheadAttention(width, settings.heads, batch_first=True, **kind)
            source = block.attention
            attention.load_state_dict(
                {
                    "in_proj_weight": source.qkv.weight,
                    "in_proj_bias": source.qkv.bias,
                    "out_proj.weight": source.output.weight,
                    "out_proj.bias": source.output.bias,
                }
            )
            self.attentions.append(attention)
            self.norms.append(self._copy(nn.LayerNorm(width, **kind), block.attention_norm))
            if source.bias is not None:
                self.biases.append(nn.Parameter(source.bias.detach().clone()))
            if block.feed_forward is not None:
                inner = nn.Sequential(
                    nn.LayerNorm(width, **kind),
                    nn.Linear(width, 4 * width, **kind),
                    nn.GELU(),
                    nn.Linear(4 * width, width, **kind),
                )
                self.inner.append(self._copy(inner, block.feed_forward))
        self.norm = self._copy(nn.LayerNorm(width, **kind), model.norm)
        self.logits = self._copy(nn.Linear(width, len(self.words), **kind), model.logits)

    @staticmethod
    def _copy(module, source):
        module.load_state_dict(source.state_dict())
        return module

    def forward(self, ids):
        n = ids.shape[1]
        x = functional.embedding(ids, self.words)
        if self.places is not None:
            x = x + self.places[torch.arange(n)]
        for at, attention in enumerate(self.attentions):
            normed = self.norms[at](x)
            mask = self._mask(at, len(ids), n, attention.num_heads).to(x)
            x = x + attention(normed, normed, normed, attn_mask=mask, need_weights=False)[0]
            if self.inner:
                x = x + self.inner[at](x)
        return self.logits(self.norm(x))

    def _mask(self, at, count, n, heads):
        """−∞ for later tokens; else the head's number for the distance."""
        future = torch.full((n, n), -torch.inf).triu(1)
        if not self.biases:
            return future
        places = torch.arange(n)
        distances = (places[:, None] - places).clamp(min=0)
        return (self.biases[at][:, distances] + future).repeat(count, 1, 1).view(count * heads, n, n)

    def paired(self, model):
        """The gradients of both models by the same names."""
        ours = {"words": model.words.weight, "norm": model.norm.weight, "logits": model.logits.weight}
        theirs = {"words": self.words, "norm": self.norm.weight, "logits": self.logits.weight}
        if self.places is not None:
            ours["places"], theirs["places"] = model.places.weight, self.places
        for at, (block, attention) in enumerate(zip(model.blocks, self.attentions, strict=True)):
            source = block.attention
            ours |= {f"{at} qkv": source.qkv.weight, f"{at} output": source.output.weight}
            theirs |= {f"{at} qkv": attention.in_proj_weight, f"{at} output": attention.out_proj.weight}
            if source.bias is not None:
                ours[f"{at} bias"], theirs[f"{at} bias"] = source.bias, self.biases[at]
            if block.feed_forward is not None:
                ours[f"{at} inner"], theirs[f"{at} inner"] = (
                    block.feed_forward[1].weight,
                    self.inner[at][1].weight,
                )
        return {name: part.grad for name, part in ours.items()}, {
            name: part.grad for name, part in theirs.items()
        }
