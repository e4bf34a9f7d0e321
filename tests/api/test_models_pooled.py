"""``POST /api/models/pooled``: a part of one head's map in blocks, against the model's own weights."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from mha_core.models import run, tokenize
from tests.api.test_models import model_of, opened, post, refused
from tests.models.made import BERT, GPT2, folder_of

TEXT = "the cat sat on the mat , " * 90
PLACE = {"text": TEXT, "layer": 1, "head": 2}
ALL = {"queries": None, "keys": None, "size": [128, 128], "by": "max"}


pytestmark = pytest.mark.usefixtures("offered")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("models")
    return {
        "encoder": folder_of(root / "encoder", {**BERT, "max_position_embeddings": 700}),
        "decoder": folder_of(root / "decoder", {**GPT2, "n_positions": 700}, specials=False),
    }


def weights_of(key):
    model = model_of(key)
    return run(model, tokenize(model, TEXT)).layers[1].weights[2]


@pytest.mark.parametrize("key", ["encoder", "decoder"])
def test_the_whole_map_in_blocks(client, key):
    header, arrays = opened(post(client, "pooled", model=key, **PLACE, **ALL))
    weights = weights_of(key)
    n = len(weights)
    assert 600 < n < 640
    assert header["queries"] == header["keys"] == [0, n, 5]
    largest = functional.max_pool2d(weights[None], 5, ceil_mode=True)[0]
    assert list(arrays) == ["levels"]
    np.testing.assert_array_equal(arrays["levels"], (255 * largest.sqrt()).round().numpy().astype(np.uint8))


def test_the_mean_of_blocks(client):
    fields = {**ALL, "by": "mean", "queries": [0, 500], "keys": [100, 600], "size": [100, 50]}
    header, arrays = opened(post(client, "pooled", model="encoder", **PLACE, **fields))
    assert (header["queries"], header["keys"]) == ([0, 500, 5], [100, 600, 10])
    mean = weights_of("encoder")[:500, 100:600].unflatten(0, (100, 5)).unflatten(2, (50, 10)).mean((1, 3))
    np.testing.assert_array_equal(arrays["levels"], (255 * mean.sqrt()).round().numpy().astype(np.uint8))


@pytest.mark.parametrize("key", ["encoder", "decoder"])
def test_a_part_is_exact(client, key):
    fields = {**ALL, "queries": [300, 340], "keys": [290, 410]}
    header, arrays = opened(post(client, "pooled", model=key, **PLACE, **fields))
    assert (header["queries"], header["keys"]) == ([300, 340, 1], [290, 410, 1])
    expected = weights_of(key)[300:340, 290:410]
    torch.testing.assert_close(torch.tensor(arrays["weights"]), expected, rtol=0, atol=1e-6)


def test_heads_are_switched_off(client):
    plain, without = (
        opened(post(client, "pooled", model="encoder", **PLACE, **ALL, without=off))[1]["levels"]
        for off in ([], [[0, 1]])
    )
    assert (plain != without).any()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"size": [513, 10]}, "size: expected 1 to 512, got 513"),
        ({"size": [0, 10]}, "size: expected 1 to"),
        ({"size": 128}, "size: expected two whole numbers"),
        ({"queries": [5, 5]}, "queries: expected a range within 0 to"),
        ({"queries": [0, 10**9]}, "queries: expected a range within 0 to"),
        ({"keys": [-3, 5]}, "keys: expected two whole numbers"),
        ({"keys": "all"}, "keys: expected two whole numbers"),
        ({"by": "median"}, 'by: expected "max" or "mean", got \'median\''),
        ({"by": ["max"]}, 'by: expected "max" or "mean"'),
        ({"layer": 9}, "3 layers of 4 heads"),
        ({"text": "cat " * 800}, "this model takes at most"),
    ],
)
def test_a_wrong_request_is_refused_in_one_sentence(client, change, sentence):
    assert sentence in refused(post(client, "pooled", **{"model": "encoder", **PLACE, **ALL, **change}))


def test_a_missing_field_is_refused(client):
    assert "size: missing" in refused(
        post(client, "pooled", model="encoder", **PLACE, queries=None, keys=None)
    )
