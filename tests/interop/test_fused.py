"""One matrix for Q, K and V: which rows are whose, by the kind of model, and what is said where this is not known.

That a family's layers are imported with the model's numbers is in ``test_families_import``.
"""

from __future__ import annotations

import json
from dataclasses import replace
from math import sqrt
from typing import Any

import pytest
import torch

from mha_core import InteropError, trace
from mha_core.errors import ModelError
from mha_core.example.band import BandMask
from mha_core.example.model import text_in
from mha_core.interop import Slice, config_beside, layers, load_layer, open_layer, read_model
from tests.interop.families import FAMILIES, HEADS, inputs, made
from tests.interop.test_families_import import NEAR, _Recorder, opened, outcomes

D, H, D_K = 7, 6, 4
WIDTH = H * D_K


def labeled(*blocks: str):
    """A matrix whose rows say what they are: "q4" gives D_K rows of 4.0, "k1" of 101.0, "v1" of 201.0."""
    starts = {"q": 0, "k": 100, "v": 200}
    rows = [starts[block[0]] + int(block[1:]) for block in blocks for _ in range(D_K)]
    return torch.tensor(rows, dtype=torch.float64)[:, None].expand(-1, D).contiguous()


def names(part, count):
    return [f"{part}{i}" for i in range(count)]


BY_PART = [*names("q", 6), *names("k", 6), *names("v", 6)]
BY_HEAD = [f"{part}{i}" for i in range(6) for part in "qkv"]
TWO_GROUPS = ["q0", "q1", "q2", "k0", "v0", "q3", "q4", "q5", "k1", "v1"]
ONE_OF_EACH = [*names("q", 6), "k0", "v0"]
NEW, PER_HEAD = {"new_decoder_architecture": True}, {"multi_query": False}
ARRANGED: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "gpt_neox": ("attention.query_key_value", {"rotary_pct": 0.5}, BY_HEAD),
    "bloom": ("self_attention.query_key_value", {}, BY_HEAD),
    "falcon": ("self_attention.query_key_value", {}, ONE_OF_EACH),
    "falcon, keys per head": ("self_attention.query_key_value", PER_HEAD, BY_HEAD),
    "falcon, 2 groups": ("self_attention.query_key_value", {**NEW, "num_kv_heads": 2}, TWO_GROUPS),
    "falcon, new": ("self_attention.query_key_value", NEW, BY_HEAD),
    "mpt": ("attn.Wqkv", {}, BY_PART),
    "modernbert": ("attn.Wqkv", {}, BY_PART),
    "phi3": ("self_attn.qkv_proj", {}, BY_PART),
    "phi3, 2 groups": (
        "self_attn.qkv_proj",
        {"num_key_value_heads": 2},
        [*names("q", 6), "k0", "k1", "v0", "v1"],
    ),
    "gpt_bigcode": ("attn.c_attn", {}, ONE_OF_EACH),
    "gpt_bigcode, keys per head": ("attn.c_attn", PER_HEAD, BY_HEAD),
}


def config_of(kind, **settings):
    return json.dumps(
        {"model_type": kind, "hidden_size": WIDTH, "num_attention_heads": H, **settings}
    ).encode()


@pytest.mark.parametrize("which", ARRANGED)
def test_each_head_gets_its_own_rows(which):
    name, settings, blocks = ARRANGED[which]
    weights = {f"h.0.{name}.weight": labeled(*blocks), f"h.0.{name}.bias": labeled(*blocks)[:, 0]}
    (layer,) = layers(weights, config_of(which.split(",")[0], **settings))
    packed = load_layer(weights, layer)
    groups = sum(block[0] == "k" for block in blocks)
    for part, start in (("q", 0), ("k", 100), ("v", 200)):
        shared = 1 if part == "q" else H // groups
        expected = torch.tensor([start + i // shared for i in range(H)], dtype=torch.float64)
        assert torch.equal(getattr(packed, f"w_{part}"), expected[:, None, None].expand(H, D, D_K))
        assert torch.equal(getattr(packed, f"b_{part}"), expected[:, None].expand(H, D_K))


@pytest.mark.parametrize("output", ["dense", "out_proj", "o_proj", "c_proj", "Wo"])
def test_w_o_is_found_under_every_name(output):
    w_o = torch.arange(float(D * WIDTH), dtype=torch.float64).reshape(D, WIDTH)
    weights = {"attn.Wqkv.weight": labeled(*BY_PART), f"attn.{output}.weight": w_o}
    (layer,) = layers(weights, config_of("mpt"))
    assert torch.equal(load_layer(weights, layer).w_o, w_o.T)


def test_heads_that_share_keys_are_told_apart_from_those_that_do_not():
    weights = {"self_attn.qkv_proj.weight": labeled(*names("q", 6), "k0", "k1", "v0", "v1")}
    (layer,) = layers(weights, config_of("phi3", num_key_value_heads=2))
    assert (layer.heads, layer.width, layer.shared_width) == (H, WIDTH, 2 * D_K)


def test_a_vision_tower_s_matrix_beside_the_model_s_is_skipped():
    weights = {
        "h.0.attn.Wqkv.weight": labeled(*BY_PART),
        "vision.attn.qkv.weight": torch.ones(24, 8, dtype=torch.float64),
    }
    assert [layer.name for layer in layers(weights, config_of("mpt"))] == ["h.0.attn."]


JOINED = {"h.0.attn.Wqkv.weight": labeled(*BY_PART)}
TOGETHER = (
    "h.0.attn.Wqkv.weight: this is one matrix for queries, keys and values together; which rows belong to "
)


def test_without_a_config_the_sentence_says_that_one_would_tell():
    with pytest.raises(InteropError) as refused:
        layers(JOINED)
    assert str(refused.value) == TOGETHER + (
        "which differs between models, and the config.json beside the file would tell"
    )


@pytest.mark.parametrize(
    ("kind", "shown"), [("mine", '"mine"'), (None, "null"), (3, "3"), (["mpt"], '["mpt"]')]
)
def test_for_an_unknown_kind_of_model_the_known_ones_are_named(kind, shown):
    with pytest.raises(InteropError) as refused:
        layers(JOINED, config_of(kind))
    assert str(refused.value) == TOGETHER + (
        "which is known for models of type mpt, modernbert, gpt_neox, bloom, deberta, phi3, gpt_bigcode, falcon, "
        f"but not {shown}"
    )


def test_a_matrix_of_another_size_than_the_config_s_is_refused_with_both_sizes():
    with pytest.raises(InteropError, match=r"^h\.0\.attn\.Wqkv\.weight: expected 36 × d, got 72 × 7$"):
        layers(JOINED, config_of("mpt", hidden_size=12))


@pytest.mark.parametrize(
    ("kind", "settings", "sentence"),
    [
        ("phi3", {"num_key_value_heads": 4}, "num_key_value_heads: 6 heads are not divisible into 4 groups"),
        (
            "phi3",
            {"num_key_value_heads": 7},
            "num_key_value_heads: expected a whole number from 1 to 6, got 7",
        ),
        ("falcon", {"multi_query": "yes"}, 'multi_query: expected true or false, got "yes"'),
        ("mpt", {"num_attention_heads": None}, "num_attention_heads: expected a whole number from 1"),
        ("mpt", {"num_attention_heads": 5}, "num_attention_heads: 24 columns are not divisible by 5 heads"),
    ],
)
def test_an_impossible_setting_of_the_arrangement_is_named(kind, settings, sentence):
    with pytest.raises(ModelError) as refused:
        layers(JOINED, config_of(kind, **settings))
    assert str(refused.value).startswith(f"config.json: {sentence}")


# --- positions, windows and divisors of these kinds --------------------------------------------------------------

ALL = Slice(tuple(range(H)), D, D_K, tokens=6)


def example_of(kind, blocks=BY_PART, part=ALL, name="attn.Wqkv", **settings):
    weights = {f"layers.1.{name}.weight": labeled(*blocks)}
    (layer,) = layers(weights, config_of(kind, **settings))
    return open_layer(weights, layer, part)


def test_modernbert_s_window_is_open_in_both_directions():
    even = {"hidden_size": WIDTH, "num_attention_heads": 3}
    weights = {"layers.1.attn.Wqkv.weight": torch.ones(3 * WIDTH, D, dtype=torch.float64)}
    (layer,) = layers(weights, config_of("modernbert", local_attention=4, **even))
    example = open_layer(weights, layer, replace(ALL, heads=(0,), d_head=6))
    assert example.mask == BandMask(2)
    assert "With a window of 2, each query" in text_in(example.note, "en")


@pytest.mark.parametrize(("heads", "slope"), [(6, 0.25 / sqrt(D_K)), (2, 2**-4 / sqrt(12))])
def test_falcon_divides_its_slopes_too(heads, slope):
    blocks = [*names("q", 6), *(["k0"] * (6 // heads)), *(["v0"] * (6 // heads))]
    part = replace(ALL, heads=(0,))
    example = example_of("falcon", blocks, part, alibi=True, num_attention_heads=heads)
    assert example.heads[0].slope == pytest.approx((slope,))


def test_falcon_s_rounded_slopes_are_refused():
    """It multiplies them by positions in 16 bits, which is exact for powers of two only: up to 8 heads."""
    blocks = [*names("q", 9), "k0", "v0"]
    with pytest.raises(
        InteropError, match=r"^config\.json: alibi: layer 'layers\.1\.attn\.' uses this setting"
    ):
        example_of("falcon", blocks, alibi=True, num_attention_heads=9, hidden_size=36)


def test_falcon_s_alibi_gives_the_outputs_of_its_usual_attention(tmp_path, monkeypatch):
    """sdpa, transformers' choice. Its eager code adds ALiBi twice: in the mask and to the scores."""
    extra = {"alibi": True, "multi_query": False, "bias": True}
    monkeypatch.setitem(FAMILIES, "alibi", replace(FAMILIES["Falcon"], extra=extra))
    model: Any = made("alibi", "sdpa")
    recorder = _Recorder(model)
    with torch.no_grad():
        model(**inputs("alibi"))
    model.save_pretrained(tmp_path)
    weights = read_model(str(tmp_path))
    for layer in layers(weights, config_beside(str(tmp_path))):
        x, _ = recorder.of(weights[f"{layer.name}query_key_value.weight"])
        part = Slice(tuple(range(HEADS)), 48, 8, inputs="x", rows=tuple(range(len(x))))
        example = open_layer({**weights, "x": x}, layer, part)
        _, output = recorder.of(weights[f"{layer.name}dense.weight"])
        assert (trace(example)["output"].cpu() - output).abs().max() < NEAR


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("clip_qkv", 8.0),
        ("qk_ln", True),
        ("prefix_lm", True),
        ("alibi", False),
        ("alibi_bias_max", 16),
        ("attn_type", "multiquery_attention"),
    ],
)
def test_what_mpt_may_do_beside_is_refused_by_its_setting(setting, value):
    with pytest.raises(InteropError, match=rf"^config\.json: attn_config\.{setting}: layer"):
        example_of("mpt", attn_config={setting: value})


def test_phi_3_s_long_rope_is_refused_by_its_setting_if_texts_here_may_be_long():
    long = {
        "type": "longrope",
        "short_factor": [1.0],
        "long_factor": [2.0],
        "original_max_position_embeddings": 8,
    }
    with pytest.raises(InteropError, match=r"^config\.json: rope_scaling\.rope_type: layer"):
        example_of("phi3", name="self_attn.qkv_proj", rope_scaling=long, hidden_size=WIDTH)


OLDER_AND_NEWER: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "modernbert": (
        {
            "local_attention": 4,
            "global_attn_every_n_layers": 2,
            "global_rope_theta": 900.0,
            "local_rope_theta": 30.0,
        },
        {
            "local_attention": 4,
            "layer_types": ["full_attention", "sliding_attention"],
            "rope_parameters": {
                "full_attention": {"rope_type": "default", "rope_theta": 900.0},
                "sliding_attention": {"rope_type": "default", "rope_theta": 30.0},
            },
        },
    ),
    "modernbert with the defaults": (
        {},
        {
            "local_attention": 128,
            "layer_types": ["full_attention", "sliding_attention"],
            "rope_parameters": {
                "full_attention": {"rope_type": "default", "rope_theta": 160000.0},
                "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
            },
        },
    ),
    "phi3": (
        {"rope_theta": 30.0, "rope_scaling": None},
        {"rope_parameters": {"rope_type": "default", "rope_theta": 30.0, "partial_rotary_factor": 1.0}},
    ),
    "falcon": (
        {"rope_theta": 30.0},
        {"rope_parameters": {"rope_type": "default", "rope_theta": 30.0}, "alibi": False},
    ),
}


@pytest.mark.parametrize("which", OLDER_AND_NEWER)
@pytest.mark.parametrize("index", [0, 1])
def test_an_older_config_says_the_same_as_a_newer_one(which, index):
    """As published with the models, and as transformers 5 writes it."""
    kind = which.split(" ")[0]
    name, _, blocks = ARRANGED[kind]
    weights = {f"layers.{index}.{name}.weight": labeled(*blocks)}
    older, newer = (
        replace(layers(weights, config_of(kind, **settings))[0].attention, taken=())
        for settings in OLDER_AND_NEWER[which]
    )
    assert older == newer


def test_deberta_is_refused_by_name_with_absolute_positions_too(monkeypatch):
    """Its biases of Q and V have names of their own, and W_O is elsewhere."""
    absolute = replace(FAMILIES["DeBERTa"], extra={"relative_attention": False, "pos_att_type": None})
    monkeypatch.setitem(FAMILIES, "variant", absolute)
    prefix = "encoder.layer.{}.attention.self.q_bias"
    assert [outcome.refused for outcome in opened("variant")] == [prefix.format(0), prefix.format(1)]


def test_mt5_is_imported_and_refused_like_t5(monkeypatch):
    monkeypatch.setitem(FAMILIES, "mT5", replace(FAMILIES["T5"], name="MT5"))
    found = opened("mT5")
    assert [each.refused for each in found] == [each.refused for each in outcomes("T5")]
    assert max(each.off for each in found if not each.refused) < NEAR


@pytest.mark.parametrize(
    ("settings", "rates"),
    [
        ({}, (1.0, 0.0, 0.0, 0.0)),
        ({"rotary_pct": 0.5, "rotary_emb_base": 100}, (1.0, 0.1, 0.0, 0.0)),
        ({"rope_parameters": {"rope_theta": 16.0, "partial_rotary_factor": 0.5}}, (1.0, 0.25, 0.0, 0.0)),
    ],
)
def test_neox_rotates_a_quarter_of_the_columns_unless_its_config_says_otherwise(settings, rates):
    weights = {"layers.1.attention.query_key_value.weight": torch.ones(48, 16, dtype=torch.float64)}
    sizes = {"hidden_size": 16, "num_attention_heads": 2}
    (layer,) = layers(weights, config_of("gpt_neox", **sizes, **settings))
    example = open_layer(weights, layer, Slice((1,), 16, 8))
    assert example.positions.frequencies == pytest.approx(rates)


def test_the_note_names_the_settings_that_the_arrangement_comes_from():
    example = example_of("gpt_bigcode", ONE_OF_EACH, name="attn.c_attn", multi_query=True)
    assert "From config.json: model_type, multi_query." in text_in(example.note, "en")
