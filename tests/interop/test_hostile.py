"""Hostile weight files: one typed sentence each, nothing executed, memory bounded."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from mha_core import InteropError
from mha_core.interop import Slice, layers, open_layer, read_weights, read_weights_file
from mha_core.interop.saved import weights as weights_module
from tests.interop.hostile import FILES, MARK, saved

ROOT = Path(__file__).resolve().parents[2]
MOST_GROWTH = 150_000_000
"""Bytes: the largest of the files is 5 MB; the header of another claims 10 GB, a storage 4 GB."""


def test_every_hostile_file_is_refused_in_one_sentence():
    for name, (data, sentence) in FILES.items():
        with pytest.raises(InteropError) as caught:
            layers(read_weights(data, name))
        assert sentence in str(caught.value), name
        assert "\n" not in str(caught.value), name
        assert str(caught.value).isprintable(), name
    assert not MARK.exists()


def test_nothing_runs_and_memory_stays_bounded_in_a_process_of_their_own():
    answer = subprocess.run(
        [sys.executable, "-m", "tests.interop.hostile"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=120,
    )
    found = json.loads(answer.stdout)
    assert all(sentence for sentence in found["refusals"].values())
    assert found["grown"] < MOST_GROWTH
    assert not list(MARK.parent.glob("mha-hostile-*"))


def test_the_code_in_these_files_would_run_elsewhere(tmp_path):
    """Without this the tests above would prove nothing."""
    data, _ = FILES["eval.pt"]
    torch.load(io.BytesIO(data), weights_only=False)
    assert MARK.exists()
    MARK.unlink()


def layer_of(numbers):
    return read_weights(saved({"in_proj_weight": numbers, "out_proj.weight": torch.eye(2)}), "layer.pt")


@pytest.mark.parametrize(
    ("numbers", "sentence"),
    [
        (torch.full((6, 2), float("nan")), "in_proj_weight: contains NaN or an infinite number"),
        (torch.full((6, 2), float("inf")), "in_proj_weight: contains NaN or an infinite number"),
        (torch.full((6, 2), 1e30), "in_proj_weight: contains a number larger than 1e+12 in size"),
        (torch.ones(6, 2, dtype=torch.int64), "in_proj_weight: expected floating-point numbers, got int64"),
        (
            torch.ones(6, 2, dtype=torch.complex64),
            "in_proj_weight: expected floating-point numbers, got complex64",
        ),
        (torch.ones(6, 2, dtype=torch.bool), "in_proj_weight: expected floating-point numbers, got bool"),
    ],
    ids=["NaN", "infinite", "beyond", "int64", "complex", "bool"],
)
def test_wrong_numbers_are_refused_with_the_name_of_their_tensor(numbers, sentence):
    weights = layer_of(numbers)
    (layer,) = layers(weights)
    with pytest.raises(InteropError) as caught:
        open_layer(weights, layer, Slice())
    assert str(caught.value) == sentence


def test_a_file_larger_than_the_limit_is_not_read(monkeypatch, tmp_path):
    monkeypatch.setattr(weights_module, "MAX_BYTES", 1000)
    path = tmp_path / "large.pt"
    path.write_bytes(bytes(2000))
    with pytest.raises(InteropError, match="the file is larger than 0 MB"):
        read_weights_file(str(path))


@pytest.mark.parametrize("path", ["no/such/file.pt", "nul\0byte.pt", "."])
def test_a_file_that_cannot_be_read(path):
    with pytest.raises(InteropError, match="cannot be read"):
        read_weights_file(path)


def test_without_safetensors_the_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "safetensors.torch", None)
    with pytest.raises(InteropError, match=r"safetensors: pip install -r requirements-interop\.txt"):
        read_weights(FILES["wrong-shape.safetensors"][0])
