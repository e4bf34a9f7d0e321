"""Folders that are not a model, whatever they claim: each is refused with one sentence, in bounded time and memory.

``python -m tests.models.test_hostile`` tries them all in a new process and prints what happened, and by how many bytes
the process grew.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

import mha_core.models.model as model_module
from mha_core import ModelError
from mha_core.models import open_model, run, tokenize
from tests.models.made import BERT, GPT2, LLAMA, folder_of, tokenizer
from tools.memory import peak

ROOT = Path(__file__).resolve().parents[2]
MOST_GROWTH = 150_000_000
"""Bytes: the model itself has 70 kB; what some of them promise are 10 GB and more."""
MOST_SECONDS = 30
"""Of the processor, for all of them: nothing that is promised is tried."""


def setting(**changes):
    """config.json with these settings; None removes one."""

    def change(folder):
        path = folder / "config.json"
        config = json.loads(path.read_text("utf-8")) | changes
        path.write_text(
            json.dumps({key: value for key, value in config.items() if value is not None}), "utf-8"
        )

    return change


def written(name, content):
    """A file with other content."""

    def change(folder):
        data = content(folder) if callable(content) else content
        (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())

    return change


def without(*names):
    def change(folder):
        for name in names:
            (folder / name).unlink()

    return change


def tensors(edit):
    """model.safetensors with other tensors."""

    def change(folder):
        found = load_file(folder / "model.safetensors")
        edit(found)
        save_file(found, folder / "model.safetensors")

    return change


def sharded(names):
    """An index instead of the one file."""

    def change(folder):
        (folder / "model.safetensors").rename(folder / "part.safetensors")
        (folder / "model.safetensors.index.json").write_text(json.dumps(names), "utf-8")

    return change


def header(text, numbers=b"", length=None):
    """A .safetensors file with this header."""
    data = text.encode()
    return (len(data) if length is None else length).to_bytes(8, "little") + data + numbers


def whole(folder):
    return (folder / "model.safetensors").read_bytes()


def as_zip(folder):
    torch.save({"a": torch.zeros(3)}, folder / "other.pt")
    return (folder / "other.pt").read_bytes()


def replaced_by_folder(name):
    def change(folder):
        (folder / name).unlink()
        (folder / name).mkdir()

    return change


def index_of(**names):
    return sharded({"weight_map": names})


QUERY = "bert.encoder.layer.0.attention.self.query.weight"
FOLDERS = {
    # config.json
    "empty folder": (
        lambda folder: [path.unlink() for path in folder.iterdir()],
        "config.json: cannot be read",
    ),
    "no folder": (shutil.rmtree, "config.json: cannot be read"),
    "config is a folder": (replaced_by_folder("config.json"), "config.json: cannot be read"),
    "config is noise": (written("config.json", b"\xff\xfe\x00{"), "config.json: expected a JSON object"),
    "config is a list": (written("config.json", "[1, 2]"), "config.json: expected a JSON object"),
    "config is cut": (written("config.json", '{"model_type": "be'), "config.json: expected a JSON object"),
    "config is deep": (written("config.json", "[" * 100_000), "config.json: expected a JSON object"),
    "config is long": (
        written("config.json", b" " * 2_000_000 + b"{}"),
        "config.json: expected a JSON object",
    ),
    "config has a number of a million digits": (
        written("config.json", '{"model_type": ' + "9" * 900_000 + "}"),
        "config.json: expected a JSON object",
    ),
    "no kind": (setting(model_type=None), "config.json: model_type: models of type None are not supported"),
    "another kind": (
        setting(model_type="t5"),
        ("models of type 't5' are not supported; the supported types are: bert"),
    ),
    "a kind with control characters": (setting(model_type="\n\x1b[31m" * 50), "are not supported"),
    "kind is a list": (setting(model_type=["bert"]), "models of type ['bert'] are not supported"),
    "a billion heads": (
        setting(num_attention_heads=10**9),
        "config.json: num_attention_heads: expected a whole number from 1 to 1024, got 1000000000",
    ),
    "a billion heads that divide": (
        setting(num_attention_heads=10**9, hidden_size=10**9),
        "hidden_size: expected",
    ),
    "a billion layers": (setting(num_hidden_layers=10**9), "num_hidden_layers: expected a whole number"),
    "a thousand layers": (
        setting(num_hidden_layers=1000),
        "bert.encoder.layer.3.attention.self.query.weight: is missing",
    ),
    "a hundred million words": (
        setting(vocab_size=10**8),
        "config.json says 100000000 × 24, but the file has 18 × 24",
    ),
    "a million columns": (
        setting(hidden_size=10**6),
        "config.json says 18 × 1000000, but the file has 18 × 24",
    ),
    "a long table of positions": (setting(max_position_embeddings=10**8), "the file has 64 × 24"),
    "wide in the middle": (setting(intermediate_size=10**6), "the file has 40 × 24"),
    "heads that do not divide": (setting(num_attention_heads=7), "24 columns are not divisible by 7 heads"),
    "heads below 0": (setting(num_attention_heads=-4), "num_attention_heads: expected a whole number"),
    "heads are true": (setting(num_attention_heads=True), "got true"),
    "a text for a size": (
        setting(hidden_size="24"),
        'hidden_size: expected a whole number from 1 to 1000000, got "24"',
    ),
    "a size is left out": (setting(hidden_size=None), "hidden_size: expected a whole number"),
    "eps is not a number": (
        written("config.json", json.dumps(BERT | {"layer_norm_eps": float("nan")})),
        "layer_norm_eps",
    ),
    "eps is infinite": (
        written("config.json", json.dumps(BERT | {"layer_norm_eps": float("inf")})),
        "layer_norm_eps",
    ),
    "another activation": (setting(hidden_act="mish"), 'hidden_act: "mish" is not supported here'),
    "relative positions": (setting(position_embedding_type="relative_key"), "position_embedding_type"),
    "a decoder made of an encoder": (
        setting(is_decoder=True),
        "is_decoder: true is not supported here; use false",
    ),
    # model.safetensors
    "no numbers": (without("model.safetensors"), "no model.safetensors; other formats"),
    "another format": (
        lambda folder: (folder / "model.safetensors").rename(folder / "model.gguf"),
        "other formats (.bin, .gguf, .onnx, …) cannot be read",
    ),
    "the file is a folder": (replaced_by_folder("model.safetensors"), "model.safetensors: cannot be read"),
    "an empty file": (
        written("model.safetensors", b""),
        "model.safetensors: this is not a readable .pt or .safetensors file; it may be damaged or incomplete",
    ),
    "seven bytes": (written("model.safetensors", b"1234567"), "damaged or incomplete"),
    "a zip": (written("model.safetensors", as_zip), "damaged or incomplete"),
    "a header of an exabyte": (
        written("model.safetensors", header("{}", length=2**60)),
        "damaged or incomplete",
    ),
    "a header that is longer than the file": (
        written("model.safetensors", header("{}", length=5000)),
        "damaged",
    ),
    "a header of noise": (written("model.safetensors", header("{noise")), "damaged or incomplete"),
    "a deep header": (written("model.safetensors", header("[" * 100_000)), "damaged or incomplete"),
    "a tensor of ten gigabytes": (
        written(
            "model.safetensors",
            header(
                json.dumps({QUERY: {"dtype": "F32", "shape": [50_000, 50_000], "data_offsets": [0, 10**10]}})
            ),
        ),
        "damaged or incomplete",
    ),
    "cut at the end": (
        written("model.safetensors", lambda folder: whole(folder)[:-1]),
        "damaged or incomplete",
    ),
    "cut in the middle": (written("model.safetensors", lambda folder: whole(folder)[:3000]), "damaged"),
    "something behind": (written("model.safetensors", lambda folder: whole(folder) + b"more"), "damaged"),
    "a tensor is missing": (
        tensors(lambda found: found.pop(QUERY)),
        f"{QUERY}: is missing from the model's files",
    ),
    "a tensor has another shape": (
        tensors(lambda found: found.update({QUERY: torch.zeros(24, 23)})),
        f"{QUERY}: config.json says 24 × 24, but the file has 24 × 23",
    ),
    "a tensor has no axes": (
        tensors(lambda found: found.update({QUERY: torch.zeros(())})),
        "the file has 1",
    ),
    "quantised numbers": (
        tensors(lambda found: found.update({QUERY: torch.zeros(24, 24, dtype=torch.int8)})),
        f"{QUERY}: numbers of type I8 cannot be read",
    ),
    "another model's numbers": (
        lambda folder: save_file({"a": torch.zeros(3)}, folder / "model.safetensors"),
        "embeddings.word_embeddings.weight: is missing",
    ),
    # several files
    "an index that is none": (sharded({"weight_map": ["a"]}), "expected a weight_map"),
    "an index without names": (index_of(), "expected a weight_map"),
    "an index that leads out": (index_of(a="../../part.safetensors"), "expected a weight_map"),
    "an index that leads away": (index_of(a="/etc/passwd"), "expected a weight_map"),
    "an index that leads up": (index_of(a=".."), "expected a weight_map"),
    "an index of another format": (index_of(a="part.bin"), "expected a weight_map"),
    "an index with control characters": (index_of(a="\x1b\n.safetensors"), "expected a weight_map"),
    "an index of too many files": (
        sharded({"weight_map": {str(at): f"{at}.safetensors" for at in range(2000)}}),
        "expected a weight_map",
    ),
    "a file of the index is missing": (index_of(a="other.safetensors"), "other.safetensors: cannot be read"),
    # tokenizer
    "no tokenizer": (without("tokenizer.json"), "no tokenizer.json and no vocab.txt"),
    "a tokenizer of noise": (
        written("tokenizer.json", b"\xff\xfe"),
        "tokenizer.json: expected text in UTF-8",
    ),
    "a tokenizer that is cut": (
        written("tokenizer.json", '{"version": '),
        "tokenizer.json: this tokenizer cannot be read",
    ),
    "a tokenizer that is none": (
        written("tokenizer.json", "{}"),
        "tokenizer.json: this tokenizer cannot be read",
    ),
    "a deep tokenizer": (
        written("tokenizer.json", "[" * 100_000),
        "tokenizer.json: this tokenizer cannot be read",
    ),
    "settings of noise": (
        written("tokenizer_config.json", "noise"),
        "tokenizer_config.json: expected a JSON object",
    ),
    "a vocabulary without what is unknown": (
        lambda folder: (without("tokenizer.json")(folder), written("vocab.txt", "a\nb\n")(folder)),
        "vocab.txt: the token '[UNK]' is missing",
    ),
    "a vocabulary of noise": (
        lambda folder: (without("tokenizer.json")(folder), written("vocab.txt", b"\xff\xfe\x00")(folder)),
        "vocab.txt: expected text in UTF-8",
    ),
}
DECODERS = {
    "scores that are not scaled": (
        GPT2,
        setting(scale_attn_weights=False),
        "scale_attn_weights: false is not supported here",
    ),
    "scores scaled by layer": (
        GPT2,
        setting(scale_attn_by_inverse_layer_idx=True),
        "scale_attn_by_inverse_layer_idx",
    ),
    "attention to another text": (GPT2, setting(add_cross_attention=True), "add_cross_attention"),
    "groups that do not divide": (
        LLAMA,
        setting(num_key_value_heads=3),
        "4 heads are not divisible into 3 groups",
    ),
    "a billion groups": (LLAMA, setting(num_key_value_heads=10**9), "num_key_value_heads: expected"),
    "groups that the file has not": (
        LLAMA,
        setting(num_key_value_heads=4),
        "config.json says 24 × 24, but the file has 12 × 24",
    ),
    "an odd head": (
        LLAMA,
        setting(head_dim=7),
        "head_dim: rotary positions rotate columns in pairs, but 7 is odd",
    ),
    "other rotary positions": (
        LLAMA,
        setting(rope_scaling={"type": "proportional", "factor": 4.0}),
        'rope_scaling.rope_type: "proportional" is not supported here; the supported ones are: default, linear, ',
    ),
    "rotary positions that lack a number": (
        LLAMA,
        setting(rope_scaling={"rope_type": "llama3", "factor": 8.0}),
        "rope_scaling.low_freq_factor: expected",
    ),
    "rotary positions without end": (
        LLAMA,
        setting(rope_scaling={"rope_type": "linear", "factor": -1}),
        "factor: expected",
    ),
    "rotary positions by a list": (LLAMA, setting(rope_scaling=[1]), "rope_scaling: expected an object"),
    "rotary positions of a part": (LLAMA, setting(partial_rotary_factor=0.5), "partial_rotary_factor"),
    "a window": (LLAMA | {"model_type": "qwen2"}, setting(use_sliding_window=True), "use_sliding_window"),
    "norms with a bias": (
        LLAMA | {"model_type": "gemma"},
        setting(),
        "models of type 'gemma' are not supported",
    ),
}
CASES = {name: (BERT, *case) for name, case in FOLDERS.items()} | DECODERS


def refusal(config, change, place):
    """The sentence with which a changed folder is refused."""
    made = config if config["model_type"] in ("bert", "gpt2", "llama") else {**config, "model_type": "llama"}
    folder = folder_of(place, made)
    setting(model_type=config["model_type"])(folder)
    change(folder)
    with pytest.raises(ModelError) as caught:
        open_model(folder)
    return str(caught.value)


@pytest.mark.parametrize("name", CASES)
def test_a_folder_that_is_not_a_model_is_refused_in_one_sentence(name, tmp_path):
    config, change, sentence = CASES[name]
    found = refusal(config, change, tmp_path / "model")
    assert sentence in found
    assert found.isprintable()
    assert len(found) < 300


def test_time_and_memory_stay_bounded():
    answer = subprocess.run(
        [sys.executable, "-m", "tests.models.test_hostile"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=300,
    )
    found = json.loads(answer.stdout)
    assert all(found["refusals"].values())
    assert found["grown"] < MOST_GROWTH
    assert found["seconds"] < MOST_SECONDS


# --- texts and places --------------------------------------------------------------------------------------------


@pytest.fixture
def model(tmp_path):
    return open_model(folder_of(tmp_path))


def test_a_text_that_is_too_long_for_the_model_is_refused(model):
    with pytest.raises(ModelError, match="the text is 67 tokens long; this model takes at most 64"):
        tokenize(model, "cat " * 65)
    with pytest.raises(ModelError, match="the text is 25002 tokens long"):
        tokenize(model, "cat " * 25_000)
    assert len(tokenize(model, "cat " * 62)) == 64


def test_a_run_of_a_large_model_is_bounded_too(tmp_path, monkeypatch):
    """Where a run would store too many numbers, texts are limited below the model's own length."""
    large = open_model(folder_of(tmp_path, {**LLAMA, "max_position_embeddings": 10**8}, specials=False))
    with pytest.raises(ModelError, match=f"takes at most {2**29 // 720}"):
        run(large, torch.zeros(2**29 // 720 + 1, dtype=torch.long))
    monkeypatch.setattr(model_module, "MAX_NUMBERS", 720 * 5)
    with pytest.raises(ModelError, match="the text is 6 tokens long; this model takes at most 5"):
        tokenize(large, "the cat sat on the mat")
    assert len(run(large, tokenize(large, "the cat sat on the")).layers) == 3


def test_unknown_ids_are_refused(model, tmp_path):
    for ids in ([18], [-1], [3, 10**9]):
        with pytest.raises(ModelError, match="they do not belong together"):
            run(model, torch.tensor(ids))
    with pytest.raises(ModelError, match="65 tokens long"):
        run(model, torch.ones(65, dtype=torch.long))
    with pytest.raises(ModelError, match="0 tokens long"):
        run(model, torch.ones(0, dtype=torch.long))
    with pytest.raises(ModelError, match="segments up to 3, but the model knows 2"):
        run(model, torch.tensor([5, 6]), segments=torch.tensor([0, 2]))
    more = tokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *map(str, range(50))])
    more.save(str(tmp_path / "tokenizer.json"))
    other = open_model(tmp_path)
    with pytest.raises(ModelError, match="the tokenizer gives the id 54, but the model has 18 tokens"):
        run(other, tokenize(other, "49"))


@pytest.mark.parametrize("head", [(3, 0), (0, 4), (-1, 0), (0, -1)], ids=str)
def test_switching_off_heads_that_do_not_exist_is_refused(head, model):
    with pytest.raises(ModelError, match="the model has 3 layers of 4 heads"):
        run(model, tokenize(model, "the cat"), without=[head])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        folder_of(Path(place) / "first")
        run(open_model(Path(place) / "first"), torch.tensor([5, 6]))
        before = peak()
        start = time.process_time()
        sentences = {
            name: refusal(config, change, Path(place) / str(number))
            for number, (name, (config, change, _)) in enumerate(CASES.items())
        }
        grown = peak() - before
        sys.stdout.write(
            json.dumps({"refusals": sentences, "grown": grown, "seconds": time.process_time() - start})
        )
