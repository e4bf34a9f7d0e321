"""Notebook cells that show heads, as their script reads them: messages in base64, and what torch computed."""

from __future__ import annotations

from base64 import b64encode
from typing import Any
from unittest.mock import patch

import torch
from torch import nn
from torch.nn import functional

from mha_core.interop import attribute, capture, sweep
from mha_view.heads import payload
from mha_view.heads.cell import message_of

TOKENS = ["[CLS]", "the", "cat", "saw", "the", "cat", "##s", "[SEP]"]


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return 2 * torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


class Language(nn.Module):
    """A model of 9 tokens that returns logits."""

    def __init__(self) -> None:
        super().__init__()
        self.embedded = nn.Embedding(9, 8)
        self.layer = nn.MultiheadAttention(8, 2, batch_first=True)
        self.head = nn.Linear(8, 9)

    def forward(self, ids: torch.Tensor) -> dict[str, torch.Tensor]:
        x = self.embedded(ids)
        return {"logits": self.head(self.layer(x, x, x)[0])}


class Masked(nn.Module):
    """Attentions of 4 heads, two of which share their keys, with each kind of mask, a softcap, a sink."""

    def forward(self, q: torch.Tensor) -> torch.Tensor:
        k = q[:, ::2].flip(-1)
        allow = torch.ones(5, 5, dtype=torch.bool).tril(1)
        added = drawn(4, 5, 5, seed=7).masked_fill(~allow, -torch.inf)
        grouped = functional.scaled_dot_product_attention
        one = grouped(q, k, k, attn_mask=allow, enable_gqa=True, scale=0.3)
        other = grouped(q, k, k, attn_mask=added, enable_gqa=True)
        capped = 2 * torch.tanh(q @ q.mT / 2)
        sunk = torch.cat(
            (q @ q.mT, torch.tensor([0.5, 1.5, -1.0, 2.0])[:, None, None].expand(1, 4, 5, 1)), -1
        )
        return one + other + capped.softmax(-1) @ q + sunk.softmax(-1)[..., :-1] @ q


def payloads() -> dict[str, Any]:
    torch.manual_seed(3)
    layer = nn.TransformerEncoderLayer(8, 4, 16, batch_first=True)
    encoder = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False).eval()
    both = nn.Transformer(8, 2, 1, 2, 16, batch_first=True).eval()
    causal = nn.Transformer.generate_square_subsequent_mask(8)
    found = capture(encoder, drawn(2, 8, 8), TOKENS, keywords={"mask": causal})
    changed = capture(
        encoder, drawn(2, 8, 8), TOKENS, without=[(0, 1)], patch={(1, 2): torch.full((8, 8), 1 / 8)}
    )
    crossed = capture(both, (drawn(1, 5, 8), drawn(1, 3, 8)), list("abc"), without=[(0, 0)])
    decoder = capture(
        both, (drawn(1, 5, 8), drawn(1, 3, 8)), without=[("decoder.layers.0.multihead_attn", 1)]
    )
    later = capture(encoder, drawn(1, 8, 8), without=[(1, 3)])
    first = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True)
    body = nn.TransformerEncoder(first, 2, nn.LayerNorm(8), enable_nested_tensor=False)
    direct = attribute(
        nn.Sequential(nn.Embedding(9, 8), body, nn.Linear(8, 9)).eval(), torch.tensor([[4, 2, 4]]), 5
    )
    long = capture(encoder, drawn(3, 80, 8))
    cross = capture(both, (drawn(1, 5, 8), drawn(1, 3, 8)), list("abc"), context_tokens=list("vwxyz"))
    masked = capture(Masked(), drawn(1, 4, 5, 2, seed=4))
    swept = sweep(encoder, drawn(1, 8, 8), lambda out: out[0, 0, 0])
    named = capture(Language().eval(), torch.tensor([[4, 2, 4]]), without=[(0, 0)])
    unnamed = sweep(encoder, drawn(1, 8, 8))
    pads = torch.zeros(2, 80, dtype=torch.bool)
    pads[0, 5:] = True
    padded = capture(encoder, drawn(2, 80, 8, seed=9), keywords={"src_key_padding_mask": pads})
    cells = {
        "padded": message_of(padded, "en"),
        "found": message_of(found, "en"),
        "zh": message_of(found, "zh"),
        "changed": message_of(changed, "en"),
        "cross": message_of(cross, "en"),
        "crossed": message_of(crossed, "en"),
        "decoder": message_of(decoder, "en"),
        "later": message_of(later, "en"),
        "direct": message_of(direct, "en"),
        "sweep": message_of(swept, "en"),
        "unnamed": message_of(unnamed, "en"),
        "logits": message_of(named.named([f"<b>{at}" for at in range(9)]), "en"),
        "masked": message_of(masked, "en"),
    }
    cells |= {str(n): message_of(capture(encoder, drawn(1, n, 8)), "en") for n in (32, 33)}
    for name, most in (("long", 62_000), ("rounded", 145_000)):
        with patch.object(payload, "MOST_BYTES", most):
            cells[name] = message_of(long, "en")
    with patch.object(payload, "MOST_BYTES", 62_000):
        cells["alone"] = message_of(long[1], "en")
    return {
        "cells": {name: b64encode(message).decode() for name, message in cells.items()},
        "weights": {
            "found": [one.weights.tolist() for one in found],
            "second": [one.weights.tolist() for one in found.samples[1]],
            "padded": [one.weights[:, :5, :5].tolist() for one in padded],
            "padding": padded[1].weights[:, 7, :5].tolist(),
            "long": long[1].weights.tolist(),
            "masked": [one.weights.tolist() for one in masked],
            "before": [one.weights.tolist() for one in changed.unchanged],
            "after": [one.weights.tolist() for one in changed.found],
            "cross": cross[2].weights.tolist(),
        },
        "scores": (found[1].q @ found[1].k.mT).tolist(),
        "q": found[1].q.tolist(),
        "k": found[1].k.tolist(),
        "swept": swept.values.tolist(),
    }
