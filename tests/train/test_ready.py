"""The recordings that come with the package."""

import gzip
import json

import pytest
import torch

from mha_core.errors import TrainError
from mha_core.train import TASKS, maps, recording, recordings
from mha_core.train.ready import FOLDER, READY, measured, written
from tests.sizes import each
from tests.train.small import numbers, small


def test_every_task_has_one_and_they_are_small():
    sizes = {key: len((FOLDER / f"{key}.json.gz").read_bytes()) for key in READY}
    assert {found.task.key for found in recordings()} == set(TASKS)
    assert max(sizes.values()) <= 200_000
    assert sum(sizes.values()) <= 1_400_000
    assert {entry.name for entry in FOLDER.iterdir()} == {f"{key}.json.gz" for key in READY}


@each("key", READY)
def test_the_loss_and_the_accuracy_are_those_of_the_model_in_the_file(key):
    found = recording(key)
    loss, right = measured(found.model, found.task, found.settings.seed)
    assert loss == pytest.approx(found.loss, rel=1e-3, abs=1e-5)
    assert right.tokens == pytest.approx(found.right.tokens, abs=1e-3)
    assert right.answers == pytest.approx(found.right.answers, abs=0.005)
    assert right.answers >= 0.98


@each("key", READY)
def test_the_recorded_heads_are_those_of_the_models_in_the_file(key):
    found = recording(key)
    last = found.recorded[-1]
    assert [record.step for record in found.records] == list(range(1, last.step + 1))
    assert found.recorded[0].step == 0
    assert {0, last.step} < set(found.models) <= {one.step for one in found.recorded}
    for one in found.recorded:
        if one.step in found.models:
            now = maps(found.models[one.step], found.task, found.task.shown.tokens)
            for layer, expected in zip(one.maps, now, strict=True):
                torch.testing.assert_close(torch.tensor(layer), torch.tensor(expected), rtol=0, atol=0.1)


def test_a_training_is_written_and_read_again(tmp_path, monkeypatch):
    training = small("reverse", 20, seed=3)
    before = numbers(training)
    content = written(training)
    assert torch.equal(numbers(training), before)
    (tmp_path / "copy.json.gz").write_bytes(content)
    monkeypatch.setattr("mha_core.train.ready.FOLDER", tmp_path)
    found = recording.__wrapped__("copy")
    assert found.settings == training.settings
    assert [one.step for one in found.recorded] == [0, 10, 20]
    expected = maps(training.at(10), training.task, training.task.shown.tokens)
    torch.testing.assert_close(
        torch.tensor(found.recorded[1].maps), torch.tensor(expected), rtol=0, atol=0.5 / 255 + 1e-6
    )
    assert [one.loss for one in found.records] == pytest.approx(
        [one.loss for one in training.records], abs=1e-4
    )
    assert json.loads(gzip.decompress(content))["format"] == "mha-recording/2"


def test_a_recording_that_is_not_there_is_refused():
    with pytest.raises(TrainError, match="there is no recording 'nap'; the recordings are copy"):
        recording("nap")
