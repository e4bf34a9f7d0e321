"""Saved models as folders, as shards with an index, and as Llama's own files; and indexes that nobody should follow."""

from __future__ import annotations

import json
import os
import sys
from threading import Thread

import pytest
import torch
from safetensors.torch import save_file

from mha_core import InteropError, MhaError, trace
from mha_core.example.model import text_in
from mha_core.interop import Slice, config_beside, layers, load_layer, open_layer, read_model
from mha_core.interop.saved import folder as folder_module
from mha_core.interop.saved import weights as weights_module
from tests.interop.hostile import FILES, MARK


def drawn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


NAMES = [f"layers.{i}.self_attn.{part}_proj.weight" for i in (2, 10) for part in "qkvo"]
STATE = {name: drawn(12, 12, seed=i) for i, name in enumerate(NAMES)}
CONFIG = {"model_type": "llama", "hidden_size": 12, "num_attention_heads": 2}
FIRST, SECOND = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
INDEX = "model.safetensors.index.json"
WEIGHT_MAP = {name: FIRST if "layers.2." in name else SECOND for name in NAMES}


def write(folder, index=WEIGHT_MAP, ending="safetensors"):
    """A model in two shards with an index and a config.json."""
    for shard in (FIRST, SECOND):
        part = {name: STATE[name] for name, file in WEIGHT_MAP.items() if file == shard}
        file = folder / shard.replace("safetensors", ending)
        save_file(part, file) if ending == "safetensors" else torch.save(part, file)
    where = {name: file.replace("safetensors", ending) for name, file in index.items()}
    name = INDEX if ending == "safetensors" else "pytorch_model.bin.index.json"
    (folder / name).write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": where}))
    (folder / "config.json").write_text(json.dumps(CONFIG))
    return folder


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path)


def message(path):
    with pytest.raises(MhaError) as refused:
        layers(read_model(str(path)))
    assert str(refused.value).isprintable()
    return str(refused.value)


# --- folders and shards ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["safetensors", "bin"])
@pytest.mark.parametrize("given", ["the folder", "the index"])
def test_shards_have_the_tensors_of_the_whole_model(tmp_path, ending, given):
    write(tmp_path, ending=ending)
    index = INDEX if ending == "safetensors" else "pytorch_model.bin.index.json"
    weights = read_model(str(tmp_path if given == "the folder" else tmp_path / index))
    assert list(weights) == [name for i in (2, 10) for name in sorted(NAMES) if f".{i}." in name]
    assert all(torch.equal(weights[name], tensor) for name, tensor in STATE.items())


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin", "consolidated.safetensors"])
def test_a_folder_with_one_file(tmp_path, name):
    save_file(STATE, tmp_path / name) if name.endswith("safetensors") else torch.save(STATE, tmp_path / name)
    weights = read_model(str(tmp_path))
    assert all(torch.equal(weights[name], tensor) for name, tensor in STATE.items())


@pytest.mark.parametrize("given", ["", INDEX, FIRST])
def test_the_config_is_found_in_the_folder_and_beside_each_file(folder, given):
    path = str(folder / given)
    layer, *_ = layers(read_model(path), config_beside(path))
    assert (layer.heads, layer.attention.causal) == (2, True)


def test_loading_a_layer_opens_no_shard_but_its_own(folder, monkeypatch):
    weights = read_model(str(folder))
    first, _ = layers(weights)
    opened, real = [], folder_module._opened

    def recording(file):
        opened.append(file.name)
        return real(file)

    monkeypatch.setattr(folder_module, "_opened", recording)
    load_layer(weights, first, 2)
    assert opened == [FIRST]


def test_a_file_larger_than_the_limit_is_read_tensor_by_tensor(tmp_path, monkeypatch):
    for module in (weights_module, folder_module):
        monkeypatch.setattr(module, "MAX_BYTES", 1000)
    save_file({**STATE, "large.weight": drawn(20, 20)}, tmp_path / "model.safetensors")
    weights = read_model(str(tmp_path))
    assert load_layer(weights, layers(weights)[0], 2).w_q.shape == (2, 12, 6)
    with pytest.raises(InteropError, match=r"^large\.weight: this tensor is larger than 0 MB$"):
        weights["large.weight"]


def test_a_pipe_is_read_once(tmp_path):
    save_file(STATE, tmp_path / "model.safetensors")
    pipe = tmp_path / "pipe.safetensors"
    os.mkfifo(pipe)
    writer = Thread(target=lambda: pipe.write_bytes((tmp_path / "model.safetensors").read_bytes()))
    writer.start()
    assert set(read_model(str(pipe))) == set(STATE)
    writer.join()


def test_a_folder_without_a_model_is_refused_with_the_names_looked_for(tmp_path):
    said = message(tmp_path)
    assert said.startswith(
        f"{tmp_path}: this folder has none of the files that a model is saved in: model.safe"
    )


def test_a_path_that_is_not_there_is_refused_by_its_name(tmp_path):
    assert message(tmp_path / "none") == f"{tmp_path / 'none'}: cannot be read: No such file or directory"
    assert message(tmp_path / "no.index.json") == "no.index.json: cannot be read: No such file or directory"


# --- indexes that nobody should follow ---------------------------------------------------------------------------

ELSEWHERE = [
    "../secret.safetensors",
    "/etc/passwd",
    "/etc/secret.safetensors",
    "sub/model.safetensors",
    "..\\secret.safetensors",
    "C:\\secret.safetensors",
    "C:secret.safetensors",
    "\\\\host\\share.safetensors",
    "..",
    "",
    ".hidden.safetensors",
    "secret",
    "other.index.json",
    "model\0.safetensors",
    "model.safetensors\n",
    "file:///etc/x.safetensors",
    3,
    None,
    ["model.safetensors"],
]


@pytest.mark.parametrize("file", ELSEWHERE, ids=map(repr, ELSEWHERE))
def test_an_index_may_only_name_files_beside_it(tmp_path, file):
    folder = tmp_path / "model"
    folder.mkdir()
    save_file(STATE, tmp_path / "secret.safetensors")
    (folder / INDEX).write_text(json.dumps({"weight_map": {NAMES[0]: file}}))
    said = message(folder)
    assert said.startswith(f"{INDEX}: '{NAMES[0][:20]}")
    assert ": expected a file in the same folder, such as model-00001-of-00002.safetensors, got " in said


def test_a_missing_shard_is_named(folder):
    (folder / SECOND).unlink()
    assert message(folder) == f"{SECOND}: this file is named in the index, but it is not in the folder"


def test_a_folder_in_place_of_a_shard_is_named(folder):
    (folder / SECOND).unlink()
    (folder / SECOND).mkdir()
    assert message(folder) == f"{SECOND}: this file is named in the index, but it is not in the folder"


def test_a_tensor_that_its_shard_lacks_is_named(tmp_path):
    write(tmp_path, {**WEIGHT_MAP, NAMES[4]: FIRST})
    assert message(tmp_path) == f"{NAMES[4]}: '{FIRST}' does not have this tensor"


def test_a_damaged_shard_is_named(folder):
    (folder / SECOND).write_bytes((folder / SECOND).read_bytes()[:-5])
    assert message(folder).startswith(f"{SECOND}: this is not a readable .pt or .safetensors file")


def test_a_shard_with_code_is_named_and_its_code_does_not_run(tmp_path):
    write(tmp_path, ending="bin")
    (tmp_path / SECOND.replace("safetensors", "bin")).write_bytes(FILES["code.pt"][0])
    assert message(tmp_path).startswith("model-00002-of-00002.bin: the file calls 'posix.system'")
    assert not MARK.exists()


BAD = "expected a JSON object of at most 20000000 bytes"
NO_MAP = "this is not the index of a model's files: it has no weight_map that gives the file of each tensor"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", BAD),
        ("{", BAD),
        ("[]", BAD),
        ("\0", BAD),
        ("[" * 100_000, BAD),
        ('{"weight_map": {}}' + " " * 20_000_000, BAD),
        ("{}", NO_MAP),
        ('{"weight_map": {}}', NO_MAP),
        ('{"weight_map": ["model.safetensors"]}', NO_MAP),
        ('{"weight_map": null}', NO_MAP),
        ('{"weight_map": {"\\u001b[31m": "model.safetensors"}}', "expected a file in the same folder"),
    ],
    ids=range(11),
)
def test_what_is_no_index_is_refused_in_one_sentence(tmp_path, text, sentence):
    (tmp_path / INDEX).write_text(text)
    said = message(tmp_path)
    assert said.startswith(f"{INDEX}: ")
    assert sentence in said


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith("safetensors.")])
def test_hostile_files_are_refused_as_before(tmp_path, name):
    (tmp_path / name).write_bytes(FILES[name][0])
    assert FILES[name][1] in message(tmp_path / name)
    assert not MARK.exists()


def test_without_safetensors_the_sentence_says_what_to_install(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "safetensors.torch", None)
    assert "safetensors: pip install -r requirements-interop.txt" in message(folder)


# --- Llama's own files -------------------------------------------------------------------------------------------

PARAMS = {"dim": 24, "n_layers": 1, "n_heads": 6, "n_kv_heads": 3, "rope_theta": 500.0, "norm_eps": 1e-5}
PREFIX = "layers.0.attention."
OWN = {
    f"{PREFIX}wq.weight": drawn(24, 24, seed=1) / 2,
    f"{PREFIX}wk.weight": drawn(12, 24, seed=2) / 2,
    f"{PREFIX}wv.weight": drawn(12, 24, seed=3),
    f"{PREFIX}wo.weight": drawn(24, 24, seed=4),
}


def write_own(folder, params=PARAMS, file="consolidated.00.pth"):
    torch.save({**OWN, "rope.freqs": drawn(2)}, folder / file)
    (folder / "params.json").write_text(json.dumps(params))
    return str(folder)


def as_llama_computes(x):
    """Weights and outputs as Llama's own code computes them: pairs of neighbouring columns as complex numbers."""
    wq, wk, wv, wo = (tensor.double() for tensor in OWN.values())
    q, k, v = ((x @ w.T).reshape(len(x), -1, 4).transpose(0, 1) for w in (wq, wk, wv))
    angles = torch.arange(len(x))[:, None] * 500.0 ** (-torch.arange(0, 4, 2, dtype=torch.float64) / 4)
    turn = torch.polar(torch.ones_like(angles), angles)
    q, k = (
        torch.view_as_real(torch.view_as_complex(rows.reshape(*rows.shape[:2], 2, 2)) * turn).flatten(-2)
        for rows in (q, k)
    )
    k, v = (rows.repeat_interleave(2, 0) for rows in (k, v))
    hidden = torch.full((len(x), len(x)), -torch.inf, dtype=torch.float64).triu(1)
    weights = (q @ k.mT / 2 + hidden).softmax(-1)
    return weights, (weights @ v).transpose(0, 1).flatten(1) @ wo.T


def test_llama_s_own_files_give_what_its_code_computes(tmp_path):
    path = write_own(tmp_path)
    weights = read_model(path)
    (layer,) = layers(weights, config_beside(path))
    x = drawn(5, 24, seed=9).double()
    part = Slice(tuple(range(6)), 24, 4, inputs="x", rows=tuple(range(5)))
    example = open_layer({**weights, "x": x}, layer, part)
    computed = trace(example)
    for name, expected in zip(("weights", "output"), as_llama_computes(x), strict=True):
        assert (computed[name].cpu() - expected).abs().max() < 1e-12
    assert "From params.json: n_heads, rope_theta." in text_in(example.note, "en")


def test_a_setting_of_params_json_is_refused_with_the_name_of_that_file(tmp_path):
    path = write_own(tmp_path, {**PARAMS, "use_scaled_rope": True})
    (layer,) = layers(weights := read_model(path), config_beside(path))
    with pytest.raises(
        InteropError, match=rf"^params\.json: use_scaled_rope: layer '{PREFIX}' uses this setting"
    ):
        open_layer(weights, layer, Slice())


def test_an_impossible_setting_of_params_json_is_named_with_that_file(tmp_path):
    path = write_own(tmp_path, {**PARAMS, "rope_theta": -1})
    with pytest.raises(MhaError, match=r"^params\.json: rope_theta: expected a number above 0, got -1$"):
        layers(read_model(path), config_beside(path))


def test_a_config_json_comes_before_a_params_json(tmp_path):
    path = write_own(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    assert config_beside(path) == b"{}"


def test_slices_of_a_model_are_not_taken_for_the_model(tmp_path):
    path = write_own(tmp_path)
    write_own(tmp_path, file="consolidated.01.pth")
    assert message(path).endswith(
        "each file of this model has a slice of every matrix, and slices are not joined here"
    )
