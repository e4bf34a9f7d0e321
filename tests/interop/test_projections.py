"""Layers with the names of Llama and of GPT-2, compared with torch's own attention on the whole projections."""

from __future__ import annotations

import pytest
import safetensors.torch
import torch
from torch.nn.functional import scaled_dot_product_attention

from mha_core.compute.trace import trace
from mha_core.errors import InteropError
from mha_core.example.model import text_in
from mha_core.interop import (
    Layer,
    Slice,
    from_projections,
    layers,
    load_layer,
    open_layer,
    read_weights,
    unpack,
)

D, E, HEADS = 6, 8, 4
X = torch.randn(5, D, generator=torch.Generator().manual_seed(3), dtype=torch.float64)


def drawn(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)), dtype=torch.float64)


def separate(groups=HEADS, output="o_proj", *, biased=True):
    shared = groups * E // HEADS
    state = {
        "q_proj.weight": drawn(E, D),
        "k_proj.weight": drawn(shared, D),
        "v_proj.weight": drawn(shared, D) + 1,
    }
    state[f"{output}.weight"] = drawn(D, E)
    if biased:
        state |= {name.replace("weight", "bias"): drawn(len(weight)) for name, weight in state.items()}
    return state


def linear(state, name, x):
    made = x @ state[f"{name}.weight"].T
    return made + state[f"{name}.bias"] if f"{name}.bias" in state else made


def torch_says(q, k, v):
    """Heads side by side, n × E, of rows n × E and n × E_kv."""
    query, key, value = (rows.reshape(len(rows), -1, E // HEADS).transpose(0, 1)[None] for rows in (q, k, v))
    return scaled_dot_product_attention(query, key, value, enable_gqa=True)[0].transpose(0, 1).flatten(1)


def ours(packed):
    return torch.tensor(trace(unpack(packed, X)).values["output"], dtype=torch.float64)


@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize("groups", [4, 2, 1])
@pytest.mark.parametrize("output", ["o_proj", "out_proj"])
def test_separate_projections_give_what_torch_gives(groups, output, biased):
    state = separate(groups, output, biased=biased)
    concat = torch_says(*(linear(state, name, X) for name in ("q_proj", "k_proj", "v_proj")))
    torch.testing.assert_close(ours(from_projections(state, HEADS)), linear(state, output, concat))


def test_gpt_2_s_joined_projection_gives_what_torch_gives():
    state = {"h.0.attn.c_attn.weight": drawn(D, 3 * E), "h.0.attn.c_attn.bias": drawn(3 * E)}
    state |= {"h.0.attn.c_proj.weight": drawn(E, D), "h.0.attn.c_proj.bias": drawn(D)}
    joined = X @ state["h.0.attn.c_attn.weight"] + state["h.0.attn.c_attn.bias"]
    concat = torch_says(*joined.chunk(3, 1))
    expected = concat @ state["h.0.attn.c_proj.weight"] + state["h.0.attn.c_proj.bias"]
    (layer,) = layers(state)
    assert layer == Layer("gpt2", "h.0.attn.", D, D, D, E, None)
    torch.testing.assert_close(ours(load_layer(state, layer, HEADS)), expected)


def test_heads_that_share_keys_say_how_many_heads_there_may_be():
    state = {f"model.layers.0.self_attn.{name}": tensor for name, tensor in separate(2, biased=False).items()}
    (layer,) = layers(read_weights(safetensors.torch.save(state), "llama.safetensors"))
    assert layer == Layer("projections", "model.layers.0.self_attn.", D, D, D, E, None, 4)
    assert layer.possible_heads == (2, 4, 8)
    assert layer.likely_heads == 2
    example = open_layer(state, layer, Slice(heads=(3,), d_model=D, d_head=2), 4)
    assert example.heads[0].w_k == tuple(map(tuple, state[f"{layer.name}k_proj.weight"][2:].T.tolist()))
    assert "A mask, positions and anything else" in text_in(example.note, "en")


@pytest.mark.parametrize(
    ("changed", "heads", "sentence"),
    [
        ({"k_proj.weight": None}, 4, "a.k_proj.weight: missing"),
        ({"k_proj.weight": drawn(8, 5)}, 4, "a.k_proj.weight: expected 8 × 6, got 8 × 5"),
        (
            {"v_proj.weight": drawn(6, 6), "v_proj.bias": None},
            4,
            "a.v_proj.weight: expected 8 × 6, got 6 × 6",
        ),
        ({"o_proj.weight": drawn(6, 7)}, 4, "a.o_proj.weight: expected d × 8, got 6 × 7"),
        ({"q_proj.bias": drawn(7)}, 4, "a.q_proj.bias: expected 8, got 7"),
        ({"q_proj.weight": drawn(8, 6) / 0}, 4, "a.q_proj.weight: contains NaN or an infinite number"),
        ({}, 3, "8 is not divisible by 3 heads"),
    ],
)
def test_what_does_not_fit_is_named(changed, heads, sentence):
    state = {f"a.{name}": tensor for name, tensor in (separate() | changed).items() if tensor is not None}
    with pytest.raises(InteropError) as refused:
        from_projections(state, heads, "a.")
    assert str(refused.value) == sentence


@pytest.mark.parametrize("first", [0x80, 0x180])
def test_a_header_whose_length_begins_like_a_pickle_is_read(first):
    """A .safetensors file begins with the header's length, whose first byte may be 0x80, like that of a pickle."""
    state = {"query.weight": torch.eye(2), "key.weight": torch.eye(2), "value.weight": torch.eye(2)}
    bare = int.from_bytes(safetensors.torch.save(state)[:8], "little")
    target = next(n for n in range(first, 9000, 256) if n > bare + 40)
    pad = next(n for n in range(1, 400) if int.from_bytes(saved_with(state, n)[:8], "little") == target)
    assert saved_with(state, pad)[0] == 0x80
    assert set(read_weights(saved_with(state, pad))) == set(state)


def saved_with(state, length):
    return safetensors.torch.save(state, {"made": "x" * length})
