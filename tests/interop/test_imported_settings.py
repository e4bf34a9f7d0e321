"""Settings that a layer needs besides its matrices: used from its config, named in the note, or refused."""

from __future__ import annotations

import json
from dataclasses import replace
from math import sqrt

import pytest
import torch

from mha_core import InteropError, trace
from mha_core.errors import ModelError
from mha_core.example.band import BandMask
from mha_core.example.model import Norm, Positions, text_in
from mha_core.interop import Slice, layers, load_layer, open_layer, with_config
from tests.interop.families import FAMILIES, Family
from tests.interop.test_families_import import NEAR, opened

LLAMA, GPT_2, FALCON = FAMILIES["Llama"], FAMILIES["GPT-2"], FAMILIES["Falcon"]


def rope(**given):
    return {"rope_parameters": {"rope_theta": 500.0, **given}}


VARIANTS = {
    "Gemma 2 without a cap": (
        replace(FAMILIES["Gemma 2"], extra={**FAMILIES["Gemma 2"].extra, "attn_logit_softcapping": None}),
        {"query_pre_attn_scalar", "layer_types", "sliding_window"},
    ),
    "GPT-2, scores smaller in each layer": (
        replace(GPT_2, extra={"scale_attn_by_inverse_layer_idx": True}),
        {"scale_attn_by_inverse_layer_idx"},
    ),
    "GPT-2, scores not scaled": (replace(GPT_2, extra={"scale_attn_weights": False}), {"scale_attn_weights"}),
    "Granite's multiplier": (
        Family("Granite", LLAMA.settings, "self_attn.o_proj", extra={"attention_multiplier": 0.2}),
        {"attention_multiplier"},
    ),
    "a window in the last layers": (
        replace(
            FAMILIES["Qwen2"],
            extra={"use_sliding_window": True, "sliding_window": 3, "max_window_layers": 1},
        ),
        {"sliding_window"},
    ),
    "rotary positions that turn more slowly": (
        replace(LLAMA, extra=rope(rope_type="linear", factor=4.0)),
        {"rope_parameters"},
    ),
    "Llama 3's rotary positions": (
        replace(
            LLAMA,
            extra=rope(
                rope_type="llama3",
                factor=8.0,
                low_freq_factor=1.0,
                high_freq_factor=4.0,
                original_max_position_embeddings=16,
            ),
        ),
        {"rope_parameters"},
    ),
    "rotary positions of a longer model": (
        replace(
            LLAMA,
            settings={**LLAMA.settings, "max_position_embeddings": 64},
            extra=rope(rope_type="dynamic", factor=4.0),
        ),
        {"rope_parameters"},
    ),
    "heads wider than their share": (replace(LLAMA, extra={"head_dim": 12}), {"rope_parameters"}),
    "BERT as a decoder": (replace(FAMILIES["BERT"], extra={"is_decoder": True}), set()),
    "Falcon with groups": (
        replace(FALCON, extra={"new_decoder_architecture": True, "num_kv_heads": 3, "bias": True}),
        {"rope_parameters", "new_decoder_architecture", "num_kv_heads"},
    ),
    "Falcon with keys per head": (
        replace(FALCON, extra={"multi_query": False, "bias": True}),
        {"multi_query"},
    ),
    "BigCode with keys per head": (
        replace(FAMILIES["BigCode"], extra={"multi_query": False}),
        {"multi_query"},
    ),
    "Phi-3 with a window": (replace(FAMILIES["Phi-3"], extra={"sliding_window": 3}), {"sliding_window"}),
    "MPT's own divisor": (
        replace(FAMILIES["MPT"], extra={"attn_config": {"softmax_scale": 0.2}}),
        {"attn_config.softmax_scale"},
    ),
    "DeBERTa-v2 with absolute positions": (
        replace(
            FAMILIES["DeBERTa-v2"],
            extra={"relative_attention": False, "position_biased_input": True, "pos_att_type": ["c2p"]},
        ),
        {"pos_att_type"},
    ),
    "ModernBERT with its layers listed": (
        replace(
            FAMILIES["ModernBERT"],
            extra={
                "local_attention": 6,
                "layer_types": ["sliding_attention", "full_attention"],
                "rope_parameters": {
                    "full_attention": {"rope_type": "default", "rope_theta": 900.0},
                    "sliding_attention": {"rope_type": "default", "rope_theta": 30.0},
                },
            },
        ),
        {"layer_types", "local_attention", "rope_parameters"},
    ),
    "Mistral without a window": (
        replace(FAMILIES["Mistral"], extra={"sliding_window": None}),
        {"rope_parameters"},
    ),
}


KINDS = {
    "xlm-roberta": Family("XLMRoberta", FAMILIES["RoBERTa"].settings, "attention.output.dense"),
    "electra": Family(
        "Electra", {**FAMILIES["BERT"].settings, "embedding_size": 48}, "attention.output.dense"
    ),
    "mixtral": Family(
        "Mixtral", LLAMA.settings, "self_attn.o_proj", extra={"sliding_window": 4, "num_local_experts": 2}
    ),
    "starcoder2": Family("Starcoder2", LLAMA.settings, "self_attn.o_proj", extra={"sliding_window": 3}),
    "olmo": Family("Olmo", LLAMA.settings, "self_attn.o_proj"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_that_compute_like_another_are_imported_like_it(kind, monkeypatch):
    monkeypatch.setitem(FAMILIES, kind, KINDS[kind])
    assert max(outcome.off for outcome in opened(kind)) < NEAR
    assert all("model_type" in outcome.taken for outcome in opened(kind))


@pytest.mark.parametrize(("family", "taken"), VARIANTS.values(), ids=VARIANTS)
def test_a_setting_that_changes_scores_is_used(family, taken, monkeypatch):
    monkeypatch.setitem(FAMILIES, "variant", family)
    found = opened("variant")
    assert [outcome.refused for outcome in found] == ["", ""]
    assert max(outcome.off for outcome in found) < NEAR
    assert taken <= {name for outcome in found for name in outcome.taken}


YARN = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 16}
LONG = {
    "rope_type": "longrope",
    "short_factor": [1.0, 1.5, 2.0, 3.0],
    "long_factor": [4.0] * 4,
    "original_max_position_embeddings": 64,
}
SCALED = {
    "yarn": (LLAMA, rope(**YARN)),
    "yarn, its indices not whole": (LLAMA, rope(**YARN, truncate=False)),
    "yarn, its own factor of the scores": (LLAMA, rope(**YARN, attention_factor=1.7)),
    "yarn, other turns": (LLAMA, rope(**YARN, beta_fast=2.0, beta_slow=0.5)),
    "yarn, DeepSeek's factors": (LLAMA, rope(**YARN, mscale=0.7, mscale_all_dim=0.3)),
    "yarn, all pairs at one index": (LLAMA, rope(**YARN, beta_fast=1.0, beta_slow=1.0, truncate=False)),
    "yarn, no factor": (
        replace(LLAMA, settings={**LLAMA.settings, "max_position_embeddings": 64}),
        rope(**{**YARN, "factor": None}),
    ),
    "yarn, Qwen2": (FAMILIES["Qwen2"], rope(**YARN)),
    "yarn, a window": (FAMILIES["Mistral"], rope(**YARN)),
    "yarn, gains": (FAMILIES["Qwen3"], rope(**YARN)),
    "yarn, a divisor of its own": (
        Family("Granite", LLAMA.settings, "self_attn.o_proj"),
        {"attention_multiplier": 0.2, **rope(**YARN)},
    ),
    "yarn, gpt-oss by default": (
        replace(
            FAMILIES["gpt-oss"],
            settings={**FAMILIES["gpt-oss"].settings, "max_position_embeddings": 131072},
        ),
        {"rope_parameters": None},
    ),
    "longrope": (
        replace(LLAMA, settings={**LLAMA.settings, "max_position_embeddings": 512}),
        rope(**LONG),
    ),
    "longrope, its own factor of the scores": (LLAMA, rope(**LONG, attention_factor=1.3)),
    "longrope, Phi-3": (
        replace(FAMILIES["Phi-3"], settings={**FAMILIES["Phi-3"].settings, "max_position_embeddings": 512}),
        {"rope_scaling": {**LONG, "type": "su"}, "original_max_position_embeddings": 64},
    ),
}


@pytest.mark.parametrize(("family", "extra"), SCALED.values(), ids=SCALED)
def test_rotary_positions_that_scale_the_scores_are_imported(family, extra, monkeypatch):
    monkeypatch.setitem(FAMILIES, "variant", replace(family, extra={**family.extra, **extra}))
    found = opened("variant")
    assert [outcome.refused for outcome in found] == ["", ""]
    assert max(outcome.off for outcome in found) < NEAR


@pytest.mark.parametrize(
    ("given", "setting"),
    [
        ({**YARN, "partial_rotary_factor": 0.7}, "rope_type"),  # only some columns are multiplied
        ({**LONG, "original_max_position_embeddings": 32}, "rope_type"),  # the factors depend on the text
        ({"rope_type": "proportional"}, "rope_type"),
    ],
    ids=["yarn of some columns", "longrope of short texts", "proportional"],
)
def test_rotary_positions_that_no_example_has_are_refused(given, setting):
    with pytest.raises(InteropError, match=rf"config\.json: rope_parameters\.{setting}: layer 'model"):
        open_layer(LAYER, known({"max_position_embeddings": 64, "rope_parameters": given}), Slice())


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({**YARN, "factor": 0}, r"factor: expected a number above 0, got 0"),
        ({**YARN, "truncate": 1}, r"truncate: expected true or false, got 1"),
        ({**YARN, "beta_fast": "a"}, r"beta_fast: expected a number above 0"),
        (LONG, r"short_factor: expected a list of 3 numbers above 0, one for each pair of columns"),
        ({**LONG, "short_factor": [1, 2, "3"]}, r"short_factor: expected a list of 3 numbers above 0"),
    ],
)
def test_impossible_settings_of_rotary_positions_are_named(given, sentence):
    with pytest.raises(ModelError, match=rf"^config\.json: rope_parameters\.{sentence}"):
        known({"max_position_embeddings": 64, "rope_parameters": given})


def test_the_note_says_by_what_rotated_queries_and_keys_are_multiplied():
    given = {**YARN, "attention_factor": 2.0}
    example = open_layer(LAYER, known({"max_position_embeddings": 64, "rope_parameters": given}), ALL)
    assert example.scale == sqrt(6) / 4
    assert "multiplies rotated queries and keys by 2." in text_in(example.note, "en")


# --- one layer, and other tensors and settings -----------------------------------------------------------------


def drawn(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)), dtype=torch.float64)


NAME = "model.layers.1.self_attn."
LAYER = {
    "model.embed.weight": torch.eye(12, dtype=torch.float64),
    **{f"{NAME}{part}_proj.weight": drawn(12, 12) + i for i, part in enumerate("qkvo")},
}
SIZES = {"hidden_size": 12, "num_attention_heads": 2}
ALL = Slice((0, 1), 12, 6, inputs="model.embed.weight", rows=(0, 3, 5, 2, 4))


def known(config, kind="llama", weights=LAYER):
    (layer,) = with_config(layers(weights), json.dumps({**SIZES, "model_type": kind, **config}).encode())
    return layer


def note(example):
    return text_in(example.note, "en")


HARMFUL = [
    "q_norm.weight",
    "k_norm.weight",
    "sinks",
    "distance_embedding.weight",
    "relative_attention_bias.weight",
    "q_proj.lora_A.weight",
    "something.new",
]


@pytest.mark.parametrize("tensor", HARMFUL)
def test_a_tensor_that_has_no_place_in_an_example_is_refused_or_named(tensor):
    weights = {**LAYER, NAME + tensor: drawn(6)}
    layer = known({}, weights=weights)
    for load in (
        lambda **said: load_layer(weights, layer, **said),
        lambda **said: open_layer(weights, layer, ALL, **said),
    ):
        with pytest.raises(InteropError) as refused:
            load()
        assert str(refused.value).startswith(f"{NAME}{tensor}: the layer also has this tensor")
        load(leave_out=True)
    assert f"differ from the model's: {NAME}{tensor}." in note(
        open_layer(weights, layer, ALL, leave_out=True)
    )


def test_the_sinks_of_gpt_oss_are_those_of_the_chosen_heads():
    weights = {**LAYER, f"{NAME}sinks": torch.tensor([0.5, 1.0])}
    layer = known({"model_type": "gpt_oss"}, weights=weights)
    example = open_layer(weights, layer, replace(ALL, heads=(1, 0)))
    assert [head.sink for head in example.heads] == [(1.0,), (0.5,)]
    assert "sinks" not in note(example)
    with pytest.raises(InteropError, match=r"sinks: expected 2, got 5"):
        open_layer({**weights, f"{NAME}sinks": drawn(5)}, layer, ALL)


NORMS = {f"{NAME}q_norm.weight": torch.arange(6.0), f"{NAME}k_norm.weight": -torch.arange(6.0)}


@pytest.mark.parametrize(("kind", "more"), [("qwen3", 0), ("gemma3_text", 1)])
def test_the_gains_of_queries_and_keys_are_those_of_the_norms(kind, more):
    """Gemma 3 multiplies by 1 + w. The columns of Q and K are those that rotate together: 0, 1, 3, 4."""
    weights = {**LAYER, **NORMS}
    config = {"model_type": kind, "rms_norm_eps": 0.25, "query_pre_attn_scalar": 6}
    example = open_layer(weights, known(config, weights=weights), replace(ALL, d_head=4))
    assert example.norm == Norm("rms", 0.25)
    assert {head.g_q for head in example.heads} == {(0 + more, 1 + more, 3 + more, 4 + more)}
    assert {head.g_k for head in example.heads} == {(0 + more, -1 + more, -3 + more, -4 + more)}
    assert "rms_norm_eps" in note(example)


def test_a_norm_over_all_heads_or_of_queries_alone_is_refused():
    for name in NORMS:
        wide = {**LAYER, **NORMS, name: drawn(12)}
        with pytest.raises(InteropError, match=rf"{name}: expected 6, got 12"):
            open_layer(wide, known({"model_type": "qwen3"}, weights=wide), ALL)
    alone = {**LAYER, f"{NAME}q_norm.weight": drawn(6)}
    with pytest.raises(InteropError, match=r"k_norm\.weight: missing"):
        open_layer(alone, known({"model_type": "qwen3"}, weights=alone), ALL)


@pytest.mark.parametrize(
    "tensor", ["rotary_emb.inv_freq", "masked_bias", "bias", "LayerNorm.weight", "position_ids"]
)
def test_a_tensor_that_changes_no_score_is_named_in_the_note(tensor):
    number = {"bias": torch.ones(1, 1, 9, 9), "position_ids": torch.arange(5)}.get(tensor, drawn(6))
    weights = {**LAYER, NAME + tensor: number}
    example = open_layer(weights, known({}, weights=weights), ALL)
    assert note(example).endswith(f"Not used: {NAME}{tensor}.")
    assert example == replace(open_layer(LAYER, known({}), ALL), note=example.note)


def test_tensors_of_a_layer_without_a_name_of_its_own_are_named():
    weights = {name.removeprefix(NAME): tensor for name, tensor in LAYER.items()} | {
        "head.weight": drawn(3, 12)
    }
    (layer,) = layers(weights)
    assert "Not used: model.embed.weight, head.weight." in note(open_layer(weights, layer, Slice()))
    open_layer({**weights, "another.q_norm.weight": drawn(6)}, layer, Slice())
    with pytest.raises(InteropError, match=r"^q_norm\.weight: the layer also has this tensor"):
        open_layer({**weights, "q_norm.weight": drawn(6)}, layer, Slice())


SETTINGS = {
    "attn_logit_softcapping": 50.0,
    "clip_qkv": 8,
    "use_qk_norm": True,
    "relative_attention": True,
    "position_embedding_type": "relative_key",
}


@pytest.mark.parametrize("kind", ["llama", "mine"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_a_setting_that_no_example_computes_with_is_refused_or_named(setting, kind):
    layer = known({setting: SETTINGS[setting]}, kind)
    with pytest.raises(InteropError, match=f"^config.json: {setting}: layer '{NAME}' uses this setting"):
        open_layer(LAYER, layer, ALL)
    assert f"differ from the model's: {setting}." in note(open_layer(LAYER, layer, ALL, leave_out=True))


def test_settings_of_an_unknown_kind_of_model_are_named():
    layer = known({"rope_theta": 1e4, "sliding_window": 4, "query_pre_attn_scalar": None}, "mine")
    example = open_layer(LAYER, layer, ALL)
    assert "These settings in its config.json are not used: sliding_window, rope_theta." in note(example)
    assert (example.mask, example.positions, example.scale) == (None, None, "sqrt_dk")


def test_the_note_on_an_unknown_kind_of_model_says_that_mask_and_positions_are_missing():
    assert "with no mask and no positions, so" in note(open_layer(LAYER, known({}, "mine"), ALL))


def test_the_note_names_the_settings_used_or_says_that_there_was_no_config():
    assert "From config.json: model_type, rope_theta." in note(open_layer(LAYER, known({}), ALL))
    (layer,) = layers(LAYER)
    assert "No config.json was read. The divisor is assumed to be √d_k" in note(
        open_layer(LAYER, layer, ALL, 2)
    )
    other = known({"hidden_size": 24})
    assert "The config.json has no layers of this width" in note(open_layer(LAYER, other, ALL, 2))


def test_a_window_hides_earlier_keys():
    example = open_layer(LAYER, known({"sliding_window": 2}, "mistral"), ALL)
    assert example.mask == BandMask(2, causal=True)
    assert "With a causal window of 2, each query" in note(example)
    assert open_layer(LAYER, known({"sliding_window": 5}, "mistral"), ALL).mask == "causal"


def test_pairs_of_rotated_columns_stay_together_in_a_slice():
    example = open_layer(LAYER, known({"rope_theta": 100.0}), replace(ALL, d_head=4))
    assert example.positions.frequencies == pytest.approx((1.0, 100 ** (-1 / 3)))
    assert example.positions.pairs == "half"
    rows = LAYER[f"{NAME}q_proj.weight"]
    assert example.heads[1].w_q == tuple(map(tuple, rows[[6, 7, 9, 10]].T.tolist()))
    assert example.heads[1].w_v == tuple(map(tuple, LAYER[f"{NAME}v_proj.weight"][6:10].T.tolist()))
    assert "are reordered" not in note(example)
    with pytest.raises(
        InteropError, match=r"^d_head: rotary positions rotate columns in pairs, but 3 is odd"
    ):
        open_layer(LAYER, known({}), replace(ALL, d_head=3))


def test_columns_that_are_not_rotated_follow_those_that_are():
    layer = known({"partial_rotary_factor": 1 / 3}, "phi")
    example = open_layer(LAYER, layer, ALL)
    assert example.positions.frequencies == (1.0, 0.0, 0.0)
    rows = LAYER[f"{NAME}k_proj.weight"]
    assert example.heads[0].w_k == tuple(map(tuple, rows[[0, 2, 3, 1, 4, 5]].T.tolist()))
    assert "are reordered" in note(example)


def test_alibi_gives_each_head_its_slope_among_all():
    config = {"alibi": True, "hidden_size": 12, "num_attention_heads": 6}
    example = open_layer(LAYER, known(config, "mine"), replace(ALL, heads=(4, 0), d_head=2))
    assert example.positions == Positions("alibi")
    assert [head.slope for head in example.heads] == [(0.5,), (0.25,)]


def test_the_divisor_is_a_number_if_it_is_not_the_root_of_the_head_width():
    config = {"query_pre_attn_scalar": 12, "attn_logit_softcapping": None}
    example = open_layer(LAYER, known(config, "gemma2"), ALL)
    assert example.scale == sqrt(12)
    scores, scaled = (trace(example).values[name][1][3][2] for name in ("scores", "scaled_scores"))
    assert scaled == pytest.approx(scores / sqrt(12))


def test_keys_from_another_text_become_a_context():
    weights = {name.replace("self_attn", "encoder_attn"): tensor for name, tensor in LAYER.items()}
    (layer,) = layers(weights)
    assert not layer.attends_to_itself
    assert open_layer(weights, layer, Slice()).context is not None


@pytest.mark.parametrize(
    ("config", "kind", "sentence"),
    [
        ({"query_pre_attn_scalar": 0}, "gemma2", "query_pre_attn_scalar: expected a number above 0, got 0"),
        ({"rope_theta": "x"}, "llama", 'rope_theta: expected a number above 0, got "x"'),
        (
            {"partial_rotary_factor": 0.5},
            "phi",
            "expected an even number of rotated columns, at most 6, got 3",
        ),
        ({"attention_types": 3}, "gpt_neo", "expected the type of layer 1, global or local, got 3"),
        ({"sliding_window": -1}, "mistral", "sliding_window: expected a whole number from 1"),
    ],
)
def test_a_setting_with_an_impossible_value_is_named(config, kind, sentence):
    with pytest.raises(ModelError) as refused:
        known(config, kind)
    assert sentence in str(refused.value)


# --- one matrix for all ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("has_output", [True, False])
def test_nanogpt_joined_matrix_has_outputs_as_rows(has_output):
    parts = [drawn(12, 12) + i for i in range(3)]
    weights = {"h.0.attn.c_attn.weight": torch.cat(parts), "h.0.attn.c_attn.bias": drawn(36)}
    if has_output:
        weights["h.0.attn.c_proj.weight"] = drawn(12, 12) - 1
    (layer,) = layers(weights)
    assert (layer.d_query, layer.width) == (12, 12)
    packed = load_layer(weights, layer, 2)
    for name, part in zip(("w_q", "w_k", "w_v"), parts, strict=True):
        assert torch.equal(getattr(packed, name)[1], part[6:].T)
    assert torch.equal(packed.b_k[1], drawn(36)[18:24])
    if has_output:
        assert torch.equal(packed.w_o, (drawn(12, 12) - 1).T)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("attention.query_key_value", (36, 12)),
        ("self_attn.qkv_proj", (20, 12)),
        ("attn.Wqkv", (36, 12)),
        ("attn.c_attn", (16, 12)),
    ],
)
def test_a_joined_matrix_of_unknown_arrangement_is_refused_by_name(name, shape):
    weights = {f"h.0.{name}.weight": drawn(*shape), "h.0.attn.c_proj.weight": drawn(12, 12)}
    with pytest.raises(
        InteropError, match=f"^h.0.{name}.weight: this is one matrix for queries, keys and values"
    ):
        layers(weights)
