"""LoRA adapters: W + s·B·A by hand in NumPy, in the names that PEFT gives to base, adapter and unmerged checkpoint."""

from __future__ import annotations

import json
from math import sqrt
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from mha_core import MhaError, parse, trace
from mha_core.__main__ import main
from mha_core.errors import InteropError
from mha_core.example.model import text_in
from mha_core.interop import (
    Slice,
    config_beside,
    layers,
    load_layer,
    merge_adapter,
    open_layer,
    read_adapter,
    read_model,
)
from tests.interop.families import HEADS, inputs, made
from tests.interop.test_families_import import NEAR, _weights_of

D, RANK, ALPHA = 12, 3, 16
BASE = "model.layers.0.self_attn."
PEFT = f"base_model.model.{BASE}"


def drawn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


STATE = {f"{BASE}{part}_proj.weight": drawn(D, D, seed=i) for i, part in enumerate("qkvo")}
A, B = drawn(RANK, D, seed=7), drawn(D, RANK, seed=8)
CONFIG = {"peft_type": "LORA", "r": RANK, "lora_alpha": ALPHA, "fan_in_fan_out": False, "use_rslora": False}
Q = f"{BASE}q_proj.weight"


def adapter(part="q_proj", prefix=PEFT, middle=""):
    return {f"{prefix}{part}.lora_A{middle}.weight": A, f"{prefix}{part}.lora_B{middle}.weight": B}


def merged(state=STATE, changes=None, **settings):
    return merge_adapter(
        state, adapter() if changes is None else changes, json.dumps({**CONFIG, **settings}).encode()
    )


def by_hand(factor, transposed=False):
    product = B.numpy() @ A.numpy()
    return STATE[Q].numpy() + factor * (product.T if transposed else product)


def refused(call, *arguments, **settings):
    with pytest.raises(MhaError) as error:
        call(*arguments, **settings)
    return str(error.value)


# --- the change --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "factor", "transposed"),
    [
        ({}, ALPHA / RANK, False),
        ({"lora_alpha": 0.5}, 0.5 / RANK, False),
        ({"use_rslora": True}, ALPHA / sqrt(RANK), False),
        ({"fan_in_fan_out": True}, ALPHA / RANK, True),
        ({"r": 8, "rank_pattern": {"q_proj": RANK}}, ALPHA / RANK, False),
        ({"init_lora_weights": "gaussian"}, ALPHA / RANK, False),
        ({"r": 8, "rank_pattern": {"v_proj": 8, "self_attn.q_proj": RANK}}, ALPHA / RANK, False),
        ({"alpha_pattern": {"q_proj": 4}}, 4 / RANK, False),
        ({"alpha_pattern": {"k_proj": 4, "_proj": 5, "self_attn.q_proj": 6, "q_proj": 7}}, 6 / RANK, False),
        ({"alpha_pattern": {f"^{BASE}q_proj$": 4}, "use_rslora": True}, 4 / sqrt(RANK), False),
        ({"alpha_pattern": {"^q_proj": 4}}, ALPHA / RANK, False),
        ({"use_dora": False, "alpha_pattern": {}, "layer_replication": None}, ALPHA / RANK, False),
    ],
)
def test_a_changed_matrix_is_w_plus_s_times_b_a(settings, factor, transposed):
    assert np.abs(merged(**settings)[Q].numpy() - by_hand(factor, transposed)).max() < 1e-12


def test_other_matrices_stay_as_they_are():
    assert all(torch.equal(merged()[name], STATE[name]) for name in STATE if name != Q)


def test_names_and_their_order_are_the_model_s():
    assert list(merged()) == list(STATE)


def test_the_model_s_own_tensors_are_not_changed():
    before = STATE[Q].clone()
    _ = merged()[Q]
    assert torch.equal(STATE[Q], before)


@pytest.mark.parametrize("shift", ["the model has a head", "the model has none"])
def test_names_may_differ_by_the_model_s_first_part(shift):
    """An adapter of a model without its head, and a file of one with it; and the reverse."""
    if shift == "the model has a head":
        found = merged(changes=adapter(prefix="base_model.model.layers.0.self_attn."))
    else:
        found = merged({name.removeprefix("model."): tensor for name, tensor in STATE.items()})
    (changed,) = (name for name in found if name.endswith("q_proj.weight"))
    assert np.abs(found[changed].numpy() - by_hand(ALPHA / RANK)).max() < 1e-12


@pytest.mark.parametrize("middle", ["", ".base_layer"])
def test_a_trained_bias_of_a_matrix_without_one_is_refused(middle):
    trained = {f"{PEFT}q_proj{middle}.bias": drawn(D, seed=5)}
    with pytest.raises(InteropError, match="the adapter has this bias, but the model's matrix has none"):
        merged(STATE, {**adapter(), **trained})


@pytest.mark.parametrize("middle", ["", ".base_layer"])
def test_a_trained_bias_replaces_the_model_s(middle):
    bias = f"{BASE}q_proj.bias"
    found = merged({**STATE, bias: drawn(D)}, {**adapter(), f"{PEFT}q_proj{middle}.bias": drawn(D, seed=5)})
    assert torch.equal(found[bias], drawn(D, seed=5))


def test_a_classifier_beside_the_adapter_is_not_the_model_s():
    found = merged(changes={**adapter(), "base_model.model.score.weight": drawn(2, D)})
    assert list(found) == list(STATE)


def test_16_bit_matrices_are_added_in_float64():
    state = {name: tensor.bfloat16() for name, tensor in STATE.items()}
    expected = state[Q].double().numpy() + ALPHA / RANK * (B.numpy() @ A.numpy())
    assert np.abs(merged(state)[Q].numpy() - expected).max() < 1e-12


# --- what is refused ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"peft_type": "IA3"}, 'peft_type: "IA3" is not supported here; use "LORA"'),
        ({"use_dora": True}, "use_dora: true is not supported here; the change must be s·B·A"),
        ({"alpha_pattern": {".*_proj": 4}}, 'alpha_pattern: expected names of modules, got ".*_proj"'),
        ({"alpha_pattern": {"q_proj": -4}}, "alpha_pattern.q_proj: expected a number above 0, got -4"),
        (
            {"rank_pattern": {"q_proj": "3"}},
            'rank_pattern.q_proj: expected a whole number from 1 to 1000000, got "3"',
        ),
        ({"rank_pattern": [4]}, "rank_pattern: expected an object, got [4]"),
        (
            {"init_lora_weights": "pissa_niter_4"},
            'init_lora_weights: with "pissa_niter_4", the adapter belongs to other matrices than the model\'s',
        ),
        ({"lora_alpha": None}, "lora_alpha: expected a number above 0, got null"),
        ({"lora_alpha": "16"}, 'lora_alpha: expected a number above 0, got "16"'),
        ({"r": 0}, "r: expected a whole number from 1 to 1000000, got 0"),
        ({"use_rslora": 1}, "use_rslora: expected true or false, got 1"),
    ],
)
def test_a_setting_that_is_not_supported_is_named(settings, sentence):
    assert refused(merged, **settings).startswith(f"adapter_config.json: {sentence}")


@pytest.mark.parametrize("config", [b"", b"[]", b"{", b"[" * 100_000, b"{}" + b" " * 1_000_000])
def test_what_is_no_config_of_an_adapter_is_refused(config):
    said = refused(merge_adapter, STATE, adapter(), config)
    assert said == "adapter_config.json: this is not a JSON object like an adapter's config"


CHANGES = {
    "a magnitude": (
        {f"{PEFT}q_proj.lora_magnitude_vector": drawn(D)},
        f"{PEFT}q_proj.lora_magnitude_vector: this tensor of an adapter cannot be merged",
    ),
    "a bias of B": (
        {f"{PEFT}q_proj.lora_B.bias": drawn(D)},
        f"{PEFT}q_proj.lora_B.bias: this tensor of an adapter cannot be merged",
    ),
    "no B": (
        {f"{PEFT}k_proj.lora_A.weight": A},
        f"{PEFT}k_proj.lora_B.weight: missing",
    ),
    "no A": (
        {f"{PEFT}k_proj.lora_B.weight": B},
        f"{PEFT}k_proj.lora_A.weight: missing",
    ),
    "another model's": (
        adapter("other"),
        f"{BASE}other.weight: the adapter changes this matrix, but the model does not have it",
    ),
    "two adapters": (
        {**adapter(middle=".default"), **adapter(middle=".other")},
        "these are 3 adapters (None, default, other); save the one that you need in a folder of its own",
    ),
    "another rank": (
        {f"{PEFT}k_proj.lora_A.weight": A[:2], f"{PEFT}k_proj.lora_B.weight": B[:, :2]},
        f"{PEFT}k_proj.lora_A.weight: expected 3 × d, got 2 × 12",
    ),
    "A and B of other ranks": (
        {f"{PEFT}k_proj.lora_A.weight": A, f"{PEFT}k_proj.lora_B.weight": B[:, :2]},
        f"{PEFT}k_proj.lora_B.weight: expected d × 3, got 12 × 2",
    ),
    "a vector": (
        {f"{PEFT}k_proj.lora_A.weight": A[0], f"{PEFT}k_proj.lora_B.weight": B},
        f"{PEFT}k_proj.lora_A.weight: expected r × d, got 12",
    ),
}


@pytest.mark.parametrize(("more", "sentence"), CHANGES.values(), ids=CHANGES)
def test_a_tensor_that_cannot_be_merged_is_named(more, sentence):
    assert refused(merged, changes={**adapter(), **more}).startswith(sentence)


def test_a_change_of_another_size_than_the_matrix_is_named():
    wide = {**STATE, Q: drawn(D, D + 1)}
    said = refused(lambda: merged(wide)[Q])
    assert said == f"{PEFT}q_proj.lora_A.weight: expected 12 × 13, got 12 × 12"


# --- files -------------------------------------------------------------------------------------------------------


@pytest.fixture
def base(tmp_path):
    folder = tmp_path / "base"
    folder.mkdir()
    save_file(STATE, folder / "model.safetensors")
    (folder / "config.json").write_text(
        json.dumps({"model_type": "llama", "hidden_size": D, "num_attention_heads": 2})
    )
    return folder


def saved(folder, changes, ending="safetensors"):
    folder.mkdir()
    file = folder / f"adapter_model.{ending}"
    save_file(changes, file) if ending == "safetensors" else torch.save(changes, file)
    (folder / "adapter_config.json").write_text(json.dumps(CONFIG))
    return folder


@pytest.mark.parametrize("ending", ["safetensors", "bin"])
@pytest.mark.parametrize("given", ["the folder", "the file"])
def test_an_adapter_is_read_from_its_folder_or_its_file(tmp_path, ending, given):
    folder = saved(tmp_path / "lora", adapter(), ending)
    path = folder if given == "the folder" else folder / f"adapter_model.{ending}"
    changes, config = read_adapter(str(path))
    assert np.abs(merge_adapter(STATE, changes, config)[Q].numpy() - by_hand(ALPHA / RANK)).max() < 1e-12


def test_an_adapter_by_itself_is_called_one(tmp_path):
    folder = saved(tmp_path / "lora", adapter())
    said = refused(lambda: layers(read_model(str(folder))))
    assert said == (
        f"{PEFT}q_proj.lora_A.weight: this is a LoRA adapter, which only has changes to the matrices of a model; "
        "import the model with it: mha import MODEL --adapter ADAPTER"
    )


def test_a_model_is_not_taken_for_an_adapter(base):
    said = refused(read_adapter, str(base / "model.safetensors"))
    assert said == "model.safetensors: this is not a LoRA adapter: it has no lora_A and lora_B matrices"


def test_without_its_config_an_adapter_is_refused_in_a_sentence_that_names_it(tmp_path):
    folder = saved(tmp_path / "lora", adapter())
    (folder / "adapter_config.json").unlink()
    assert refused(read_adapter, str(folder)) == (
        "adapter_model.safetensors: adapter_config.json is missing beside this adapter; only its lora_alpha tells "
        "by how much the model's matrices change"
    )


UNMERGED = {
    **{name.replace(BASE, PEFT): tensor for name, tensor in STATE.items() if name != Q},
    f"{PEFT}q_proj.base_layer.weight": STATE[Q],
    f"{PEFT}q_proj.base_layer.bias": drawn(D),
    **adapter(middle=".default"),
}


def test_an_unmerged_checkpoint_is_merged_under_the_model_s_names(tmp_path):
    save_file(UNMERGED, tmp_path / "model.safetensors")
    (tmp_path / "adapter_config.json").write_text(json.dumps(CONFIG))
    weights = read_model(str(tmp_path))
    assert set(weights) == {*STATE, f"{BASE}q_proj.bias"}
    assert np.abs(weights[Q].numpy() - by_hand(ALPHA / RANK)).max() < 1e-12


def test_an_unmerged_checkpoint_without_the_adapter_s_config_is_refused(tmp_path):
    torch.save(UNMERGED, tmp_path / "checkpoint.pt")
    said = refused(read_model, str(tmp_path / "checkpoint.pt"))
    assert said.startswith(
        "checkpoint.pt: adapter_config.json is missing beside this adapter; only its lora_alpha"
    )


@pytest.mark.parametrize(
    "state", [UNMERGED, {**adapter(middle=".default"), f"{PEFT}base_layer.in_proj_weight": A}]
)
def test_an_unmerged_checkpoint_by_itself_is_called_one(state):
    assert refused(layers, state) == (
        f"{PEFT}q_proj.lora_A.default.weight: this LoRA adapter is not merged with its model; mha import merges them "
        "if the adapter_config.json is beside the file"
    )


def test_an_unmerged_checkpoint_holds_what_pissa_left_of_w(tmp_path):
    save_file(UNMERGED, tmp_path / "model.safetensors")
    (tmp_path / "adapter_config.json").write_text(json.dumps({**CONFIG, "init_lora_weights": "pissa"}))
    assert np.abs(read_model(str(tmp_path))[Q].numpy() - by_hand(ALPHA / RANK)).max() < 1e-12


def test_an_unmerged_module_that_is_not_one_matrix_is_refused(tmp_path):
    """torch's own attention, which PEFT wraps as a whole, is not imported without its changes."""
    state = {"in_proj_weight": drawn(3 * D, D), "in_proj_bias": drawn(3 * D), "out_proj.weight": drawn(D, D)}
    wrapped = {f"base_model.model.attn.base_layer.{name}": tensor for name, tensor in state.items()}
    save_file({**wrapped, **adapter("attn", "base_model.model.", ".default")}, tmp_path / "model.safetensors")
    (tmp_path / "adapter_config.json").write_text(json.dumps(CONFIG))
    assert refused(read_model, str(tmp_path)) == (
        "attn.weight: the adapter changes this matrix, but the model does not have it"
    )


# --- the command line --------------------------------------------------------------------------------------------


@pytest.fixture
def run(capfdbinary, monkeypatch):
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)

    def command(*arguments):
        status = main([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return status, out.decode(), err.decode()

    return command


def test_import_merges_the_adapter_and_says_so(run, base, tmp_path):
    folder = saved(tmp_path / "lora", adapter())
    status, out, err = run("import", base, "--adapter", folder, "--d-model", D, "--d-head", 6)
    assert (status, err) == (0, "the rows of X are random; give real ones with --x or --inputs\n")
    example = parse(out)
    assert np.abs(np.array(example.heads[0].w_q) - by_hand(ALPHA / RANK)[:6].T).max() < 1e-12
    assert "The changes of a LoRA adapter are included." in text_in(example.note, "en")


def test_without_an_adapter_nothing_is_said_of_one(run, base):
    assert "adapter" not in text_in(parse(run("import", base)[1]).note, "en")


def test_an_adapter_that_is_not_there_is_refused_in_one_line(run, base, tmp_path):
    status, out, err = run("import", base, "--adapter", tmp_path / "none")
    assert (status, out) == (2, "")
    assert err == f"{tmp_path / 'none'}: cannot be read: No such file or directory\n"


# --- a model that computes with it -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("family", "module"), [("Llama", "q_proj"), ("NeoX", "query_key_value"), ("GPT-2", "c_attn")]
)
def test_an_imported_layer_computes_as_the_model_with_its_changed_matrices(tmp_path, family, module):
    """GPT-2's matrices have inputs as rows (``fan_in_fan_out``)."""
    model: Any = made(family)
    of_gpt_2 = family == "GPT-2"
    model.save_pretrained(tmp_path / "base")
    config = {**CONFIG, "fan_in_fan_out": of_gpt_2}
    changes: dict[str, torch.Tensor] = {}
    rows_of: dict[str, torch.Tensor] = {}
    for name, part in model.named_modules():
        if name.endswith(module):
            rows, columns = part.weight.T.shape if of_gpt_2 else part.weight.shape
            a, b = drawn(RANK, columns, seed=rows).float() / 9, drawn(rows, RANK, seed=len(name)).float() / 9
            changes |= {
                f"base_model.model.{name}.lora_A.weight": a,
                f"base_model.model.{name}.lora_B.weight": b,
            }
            part.weight.data += (b @ a).T * ALPHA / RANK if of_gpt_2 else b @ a * ALPHA / RANK
            part.register_forward_hook(lambda _, given, gave, name=name: rows_of.update({name: given[0][0]}))
    with torch.no_grad():
        own = model(**inputs(family), output_attentions=True)
    path = str(tmp_path / "base")
    weights = merge_adapter(read_model(path), changes, json.dumps(config).encode())
    for index, layer in enumerate(layers(weights, config_beside(path))):
        x = rows_of[f"{layer.name}{module}"]
        part = Slice(tuple(range(HEADS)), 48, 8, inputs="x", rows=tuple(range(len(x))))
        computed = trace(open_layer({**weights, "x": x}, layer, part))["weights"].cpu()
        assert (computed - _weights_of(own, layer, index)).abs().max() < NEAR


def test_a_layer_of_a_merged_model_is_loaded_like_any_other():
    (layer,) = layers(merged())
    whole = load_layer(merged(), layer, 2)
    assert np.abs(whole.w_q[1].numpy() - by_hand(ALPHA / RANK)[6:].T).max() < 1e-12
