"""``python -m mha_core train``."""

import json
from functools import partial

import pytest
import torch

from mha_core.train import TASKS, open_training

SMALL = ["--layers", "1", "--heads", "2", "--d-model", "16", "--batch", "4", "--no-feed-forward"]


@pytest.fixture
def command(mha):
    threads = torch.get_num_threads()
    yield partial(mha, "train")
    torch.set_num_threads(threads)


def test_the_tasks_are_listed_with_their_rules(command, monkeypatch):
    status, out, _ = command()
    listed = json.loads(out)
    assert status == 0
    assert [task["task"] for task in listed] == list(TASKS)
    assert (
        listed[0]["rule"] == "3 to 8 letters; after the arrow the same letters come again, in the same order."
    )
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert json.loads(command()[1])[0]["title"] == "照抄"


def test_a_task_is_learned_saved_and_gone_on_with(command, tmp_path):
    path = tmp_path / "run.safetensors"
    status, out, err = command("reverse", *SMALL, "--steps", 50, "--save", path)
    report = json.loads(out)
    assert (status, report["task"], report["steps"]) == (0, "reverse", 50)
    assert report["settings"] == open_training(path).settings.as_json()
    assert 0 <= report["right"]["answers"] <= report["right"]["tokens"] <= 1
    assert report["layers"] == [{"kind": "decoder", "layer": 0}]
    assert [len(layer) for layer in report["without"]] == [2]
    assert report["prompt"].endswith("→")
    assert err.startswith("step 50 of 50: loss ")
    assert "of the answers right" in err
    status, out, err = command("--go-on", path, "--steps", 2)
    assert (status, json.loads(out)["steps"]) == (0, 52)
    assert err.startswith("step 52 of 52: loss ")


def test_own_lines_are_learned(command, tmp_path):
    (tmp_path / "lines.txt").write_text("the cat\tle chat\na dog\tun chien\n", "utf-8")
    lines = ["--lines", tmp_path / "lines.txt"]
    status, out, _ = command(*lines, *SMALL, "--positions", "both", "--rate", "0.01", "--steps", 80)
    assert status == 0
    assert json.loads(out)["right"] == {"tokens": 1.0, "answers": 1.0}


def test_an_encoder_decoder_is_reported_attention_by_attention(command):
    status, out, _ = command("translation", *SMALL, "--architecture", "encoder-decoder", "--steps", 1)
    report = json.loads(out)
    assert status == 0
    assert [layer["kind"] for layer in report["layers"]] == ["encoder", "decoder", "cross"]
    assert [len(layer) for layer in report["without"]] == [2, 2, 2]
    assert report["alignment"][:2] == [None, None]
    assert all(0 <= share <= 1 for share in report["alignment"][2])
    assert report["induction"] is None


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["induction", "--architecture", "encoder-decoder"],
            "architecture: the lines of this task have no source",
        ),
        (["nap"], "there is no task 'nap'; the tasks are copy"),
        (["copy", "--heads", "9"], "heads: expected a whole number from 1 to 4"),
        (["copy", "--steps", "-1"], "--steps: expected 0 to 100000 steps, got -1"),
        (["copy", "--lines", "{lines}"], "--lines: a built-in task has lines of its own"),
        (["--lines", "{lines}"], "{lines}: line 1: expected a source and a target"),
        (["--lines", "{binary}"], "{binary}: expected a text file in UTF-8"),
        (["--go-on", "{lines}"], "this is not a readable"),
        (["copy", *SMALL, "--steps", "0", "--save", "{folder}"], "{folder}: cannot be written"),
    ],
)
def test_bad_input_is_refused_in_one_line(command, tmp_path, arguments, sentence):
    (tmp_path / "lines.txt").write_text("no two sides\n", "utf-8")
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\xfa")
    places = {"lines": tmp_path / "lines.txt", "binary": tmp_path / "binary.txt", "folder": tmp_path}
    status, out, err = command(*(argument.format(**places) for argument in arguments))
    assert (status, out) == (2, "")
    assert sentence.format(**places) in err
    assert err.count("\n") == 1
