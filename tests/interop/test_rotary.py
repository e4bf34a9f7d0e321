"""Rotary positions compared with transformers: Llama rotates halves, GPT-J neighbours; they are the same reordered."""

from dataclasses import replace

import pytest
import torch
from transformers import LlamaConfig
from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb as turned_as_gptj
from transformers.models.llama.modeling_llama import (
    LlamaAttention,
    apply_rotary_pos_emb,
)

from mha_core import Example, Head, Positions, trace, validate
from mha_core.interop.parameters.packed import Packed, unpack
from mha_core.notation import reordered

N, H, D = 7, 3, 10
FREQUENCIES = tuple(500.0 ** (-2 * m / 8) for m in range(4))
IDS = (0.0, 3.0, 1.0, 4.0, 1.5, 9.0, 2.0)


def rows(matrix):
    return tuple(map(tuple, matrix.tolist()))


@pytest.fixture
def queries_and_keys():
    random = torch.Generator().manual_seed(0)
    return torch.randn(2, H, N, D, generator=random, dtype=torch.float64)


def example_of(q, k, pairs):
    heads = tuple(Head(q=rows(a), k=rows(b)) for a, b in zip(q, k, strict=True))
    positions = Positions("rotary", ids=IDS, pairs=pairs)
    return validate(Example(title="", tokens=tuple("abcdefg"), heads=heads, positions=positions))


def angles():
    frequencies = 10000 ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)
    return torch.tensor(IDS, dtype=torch.float64)[:, None] * frequencies


def test_halves_are_rotated_as_in_llama(queries_and_keys):
    q, k = queries_and_keys
    computed = trace(example_of(q, k, "half"))
    twice = torch.cat([angles(), angles()], -1)[None]
    wanted = apply_rotary_pos_emb(q[None], k[None], twice.cos(), twice.sin())
    for name, expected in zip(("q_rotated", "k_rotated"), wanted, strict=True):
        assert (computed[name].cpu() - expected[0]).abs().max() <= 1e-12


def test_neighbours_are_rotated_as_in_gptj(queries_and_keys):
    q, k = queries_and_keys
    computed = trace(example_of(q, k, "interleaved"))
    for name, given in (("q_rotated", q), ("k_rotated", k)):
        by_token = given[None].transpose(1, 2)
        expected = turned_as_gptj(by_token, angles().sin()[None], angles().cos()[None]).transpose(1, 2)
        assert (computed[name].cpu() - expected[0]).abs().max() <= 1e-12


@pytest.fixture(scope="module")
def llama():
    """A Llama layer, six heads of eight columns that share three heads of keys and values, in float64 except for its
    softmax; its input, weights and outputs.
    """
    torch.manual_seed(1)
    config = LlamaConfig(
        hidden_size=24,
        num_attention_heads=6,
        num_key_value_heads=3,
        head_dim=8,
        num_hidden_layers=1,
    )
    config._attn_implementation = "eager"
    layer = LlamaAttention(config, 0).eval().double()
    with torch.no_grad():
        for weight in (layer.q_proj.weight, layer.k_proj.weight):
            weight.normal_(0, 0.8)
        x = torch.randn(1, N, 24, dtype=torch.float64)
        angles = torch.arange(N)[:, None] * torch.tensor(FREQUENCIES, dtype=torch.float64).repeat(2)
        positions = angles.cos()[None], angles.sin()[None]
        hidden = torch.full((N, N), -torch.inf, dtype=torch.float64).triu(1)[None, None]
        output, weights = layer(x, position_embeddings=positions, attention_mask=hidden)
    return layer, x[0], weights[0], output[0]


def as_example(layer, x, pairs):
    """The layer's own numbers, with three heads of keys and values, each for two heads."""
    q, k, v = (getattr(layer, f"{part}_proj").weight for part in "qkv")
    w_q, w_k, w_v = (weight.reshape(-1, 8, 24).mT for weight in (q, k, v))
    w_k, w_v = (weight.repeat_interleave(2, 0) for weight in (w_k, w_v))
    packed = Packed(w_q, w_k, w_v, w_o=layer.o_proj.weight.T)
    example = unpack(packed, x, mask="causal")
    return replace(example, positions=Positions("rotary", frequencies=FREQUENCIES, pairs=pairs))


def missed(example, weights):
    return (trace(example)["weights"].cpu() - weights).abs().max().item()


def test_a_llama_layer_needs_halves_and_not_neighbours(llama):
    layer, x, weights, output = llama
    half = as_example(layer, x, "half")
    assert missed(half, weights) <= 1e-6
    assert (trace(half)["output"].cpu() - output).abs().max() <= 1e-6
    assert missed(as_example(layer, x, "interleaved"), weights) > 0.9
    assert missed(reordered(half, "interleaved"), weights) <= 1e-6
    assert reordered(reordered(half, "interleaved"), "half") == half
