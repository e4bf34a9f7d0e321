"""The available models, and one copy of each for all."""

import threading
from pathlib import Path
from typing import Any

import pytest
import torch

import mha_core.models.library as library_module
from mha_core import ModelError
from mha_core.example.model import text_in
from mha_core.models import cards, load, run, tokenize
from tests.models.folders import MINILM
from tests.models.made import BERT, LLAMA, folder_of


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(library_module, "_LOADED", {})


def named(name, settings):
    return next(card for card in cards(settings) if card.key == name)


def test_the_published_model_is_offered_where_its_package_is_installed():
    card = named("minilm", {})
    assert card.folder == MINILM
    assert text_in(card.about, "zh") != text_in(card.about, "en")
    model = load(card)
    assert (model.architecture.layers, model.architecture.heads) == (6, 12)
    assert len(run(model, tokenize(model, "A cat.")).layers) == 6


def test_the_setting_names_more_by_folder_and_by_repository(tmp_path):
    first, second = folder_of(tmp_path / "one"), folder_of(tmp_path / "two", LLAMA)
    settings = {"MHA_MODELS": f" one = {first} ; two={second};three=some/where;"}
    assert [card.key for card in cards(settings)][-3:] == ["one", "two", "three"]
    assert named("three", settings).hub == "some/where"
    assert named("three", settings).folder is None
    assert load(named("one", settings)).architecture.kind == "bert"
    assert load(named("two", settings)).architecture.kind == "llama"


def test_a_name_given_twice_is_the_last(tmp_path):
    settings = {"MHA_MODELS": f"minilm={tmp_path};a=/x;a=/y"}
    assert named("minilm", settings).folder == tmp_path
    assert named("a", settings).folder == Path("/y")


@pytest.mark.parametrize("setting", ["nothing", "=x", "a=", "a=/x;b"])
def test_an_invalid_setting_is_refused(setting):
    with pytest.raises(ModelError, match="MHA_MODELS: expected name=folder"):
        cards({"MHA_MODELS": setting})


def test_simultaneous_requests_get_one_copy(tmp_path):
    card = named("one", {"MHA_MODELS": f"one={folder_of(tmp_path)}"})
    together, found = threading.Barrier(8), []

    def ask():
        together.wait()
        found.append(load(card, "cpu"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(model) for model in found}) == 1
    assert load(card, "cpu", torch.float64) is not found[0]


def test_a_model_that_could_not_be_loaded_is_tried_again(tmp_path):
    card = named("one", {"MHA_MODELS": f"one={tmp_path}"})
    with pytest.raises(ModelError, match=r"config\.json: cannot be read"):
        load(card)
    folder_of(tmp_path, BERT)
    assert load(card).architecture.layers == 3


def test_a_repository_is_fetched_and_a_missing_one_is_refused(tmp_path, monkeypatch):
    import huggingface_hub

    card = named("far", {"MHA_MODELS": "far=some/where"})
    requests = []

    def fetch(repository, allow_patterns):
        requests.append((repository, tuple(allow_patterns)))
        if len(requests) == 1:
            raise ConnectionError("no route")
        return str(folder_of(tmp_path))

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fetch)
    with pytest.raises(ModelError, match="far: the model's files cannot be downloaded"):
        load(card)
    assert load(card).architecture.layers == 3
    assert requests[0] == ("some/where", library_module.FILES)


def test_a_missing_package_for_fetching_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(
        ModelError, match=r"far: this requires the package huggingface_hub: pip install -r requirements\.txt"
    ):
        load(named("far", {"MHA_MODELS": "far=some/where"}))


def test_numbers_on_the_cpu_are_mapped_and_not_copied():
    """The largest table is that of the words; its memory is the file's."""
    model: Any = load(named("minilm", {}), "cpu")
    storage = model.parts.embeddings.words.untyped_storage()
    maps = Path("/proc/self/maps").read_text("utf-8").splitlines()
    mapped = [line for line in maps if "model.safetensors" in line]
    spans = [[int(end, 16) for end in line.split()[0].split("-")] for line in mapped]
    assert any(low <= storage.data_ptr() < high for low, high in spans)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA here")
def test_on_cuda_the_weights_are_the_same(tmp_path):
    card = named("one", {"MHA_MODELS": f"one={folder_of(tmp_path, LLAMA)}"})
    there: Any
    here: Any
    there, here = load(card, "cuda", torch.float64), load(card, "cpu", torch.float64)
    tokens = tokenize(here, "the cat sat on the mat")
    for one, other in zip(run(there, tokens).layers, run(here, tokens).layers, strict=True):
        torch.testing.assert_close(one.weights.cpu(), other.weights, atol=1e-12, rtol=0)


def test_while_one_model_is_fetched_the_others_are_loaded(tmp_path, monkeypatch):
    import huggingface_hub

    settings = {"MHA_MODELS": f"far=some/where;near={folder_of(tmp_path)}"}
    begun, there = threading.Event(), threading.Event()

    def fetch(*_, **__):
        begun.set()
        assert there.wait(20)
        return str(tmp_path)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fetch)
    fetching = threading.Thread(target=load, args=(named("far", settings),))
    fetching.start()
    assert begun.wait(20)
    loading = threading.Thread(target=load, args=(named("near", settings),))
    loading.start()
    loading.join(10)
    is_loaded = not loading.is_alive()
    there.set()
    for thread in (fetching, loading):
        thread.join()
    assert is_loaded
