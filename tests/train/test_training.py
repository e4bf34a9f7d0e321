"""Steps, recordings, files, and what can be asked of a model: small models, a few steps."""

import json
from random import Random

import pytest
import torch
from safetensors.torch import load_file, save_file

from mha_core.compute.trace import trace
from mha_core.errors import MhaError, TrainError
from mha_core.example.model import text_in
from mha_core.train import (
    Training,
    accuracy,
    example_of,
    induction_scores,
    maps,
    open_training,
    own_lines,
    parse_lines,
    said,
    save,
    task_of,
)
from mha_core.train.lines import Line, batch_of
from mha_core.train.settings import Settings, settings_of
from mha_core.train.training import MOST_RECORDINGS
from tests.sizes import each
from tests.train.small import SMALL, numbers, small, without_time


@pytest.fixture(autouse=True)
def _one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@each("optimizer", ["adam", "sgd"])
def test_the_same_seed_gives_the_same_run_to_the_last_bit(optimizer):
    first, second = (small(steps=6, optimizer=optimizer) for _ in range(2))
    assert without_time(first) == without_time(second)
    assert torch.equal(numbers(first), numbers(second))
    assert not torch.equal(numbers(first), numbers(small(steps=6, optimizer=optimizer, seed=1)))


def test_a_paused_run_goes_on_as_if_it_had_not_been():
    paused = small(steps=2)
    torch.rand(7)  # whatever else draws random numbers meanwhile
    list(paused.steps(3))
    paused.take_step()
    assert without_time(paused) == without_time(small(steps=6))


@each("optimizer", ["adam", "sgd"])
def test_a_saved_run_goes_on_as_if_it_had_not_been(optimizer, tmp_path):
    training = small(steps=12, optimizer=optimizer)
    save(training, tmp_path / "run.safetensors")
    opened = open_training(tmp_path / "run.safetensors")
    assert opened.records == training.records
    assert opened.settings == training.settings
    assert opened.recordings.keys() == training.recordings.keys()
    assert torch.equal(opened.recordings[10], training.recordings[10])
    for one in (training, opened):
        list(one.steps(9))
    assert torch.equal(numbers(opened), numbers(training))
    assert without_time(opened) == without_time(training)
    assert opened.recordings.keys() == training.recordings.keys() == {0, 10, 20}


def test_a_light_file_has_the_model_and_goes_on_without_the_recordings(tmp_path):
    training = small(steps=12)
    save(training, tmp_path / "run.safetensors", is_light=True)
    opened = open_training(tmp_path / "run.safetensors")
    assert list(opened.recordings) == [12]
    assert torch.equal(opened.recordings[12], numbers(training))
    for one in (training, opened):
        list(one.steps(9))
    assert torch.equal(numbers(opened), numbers(training))


def test_an_opened_run_does_not_change_with_its_file(tmp_path):
    """Numbers that are read from the file later end the process if the file is shorter by then."""
    path = tmp_path / "copy.safetensors"
    training = Training(task_of("copy"), **SMALL)
    list(training.steps(10))
    save(training, path)
    opened = open_training(path)
    path.write_bytes(bytes(path.stat().st_size))
    for step, recorded in training.recordings.items():
        assert opened.recordings[step].equal(recorded)


def test_a_saved_run_of_own_lines_has_its_lines(tmp_path):
    training = Training(own_lines(parse_lines("the cat\tle chat\n猫\tchat")), **SMALL)
    save(training, tmp_path / "run.safetensors")
    assert open_training(tmp_path / "run.safetensors").task.lines == training.task.lines


def test_a_model_learns_its_own_lines():
    training = Training(
        own_lines(parse_lines("the cat\tle chat\na dog\tun chien")), **{**SMALL, "rate": 0.01}
    )
    list(training.steps(60))
    assert accuracy(training.model, training.tested()) == (1.0, 1.0)
    answer = [one.token for one in said(training.model, training.task, ["a", "dog", "→"])]
    assert answer == ["un", "chien", "."]


def test_recordings_are_the_model_at_their_step():
    training = small(steps=10)
    before = maps(training.model, training.task, training.task.shown.tokens)
    list(training.steps(5))
    assert maps(training.at(10), training.task, training.task.shown.tokens) == before
    assert maps(training.model, training.task, training.task.shown.tokens) != before


def test_recordings_thin_out():
    training = small(layers=1, heads=1, feed_forward=False, batch=1, dropout=0.0)
    training.every = 1
    list(training.steps(MOST_RECORDINGS + 2))
    assert list(training.recordings) == list(range(0, MOST_RECORDINGS + 3, 2))


def test_a_step_that_was_not_recorded_is_refused():
    with pytest.raises(TrainError, match="step 7 was not recorded; recorded steps: 0, 10"):
        small(steps=12).at(7)


def test_a_rate_that_is_too_large_is_said_and_changes_nothing_more():
    training = small(optimizer="sgd", rate=10.0, weight_decay=1.0)
    with torch.no_grad():
        training.model.logits.weight.fill_(torch.inf)
    before = numbers(training)
    with pytest.raises(TrainError, match="the loss is no longer finite in step 1; take a smaller rate"):
        training.take_step()
    assert torch.equal(numbers(training), before)


@each("positions", ["relative", "absolute", "both"])
def test_any_attention_opens_as_an_example_with_its_numbers(positions):
    training = small(steps=10, positions=positions)
    tokens = training.task.shown.tokens
    for layer in range(2):
        example = example_of(training.at(10), training.task, tokens, layer, 10)
        computed = trace(example)
        expected = torch.tensor(maps(training.at(10), training.task, tokens)[layer])
        torch.testing.assert_close(computed["weights"].float(), expected, rtol=0, atol=1e-6)
        assert example.tokens == tokens
        assert text_in(example.title, "en") == f"Copy, layer {layer + 1}, after 10 steps"
        assert text_in(example.title, "zh") == f"照抄，第 {layer + 1} 层，训练 10 步之后"


def test_the_examples_output_is_the_attentions():
    training = small(steps=3)
    tokens = training.task.shown.tokens
    block = training.model.blocks[0]
    ids = batch_of([training.task.shown], training.task.number).ids
    x = block.attention_norm(training.model.words(ids) + training.model.places.weight[: len(tokens)])
    expected, _ = block.attention(x, torch.ones(len(tokens), len(tokens), dtype=torch.bool).tril())
    found = trace(example_of(training.model, training.task, tokens, 0, 3))["output"]
    torch.testing.assert_close(found.float(), expected[0], rtol=0, atol=1e-5)


def test_induction_scores_against_a_loop():
    training = small("induction", steps=2)
    task = training.task
    lines = [task.draw(Random(at)) for at in range(3)]
    scores = induction_scores(training.model, batch_of(lines, task.number))
    for layer in range(2):
        for head in range(2):
            sums = []
            for line in lines:
                weights = maps(training.model, task, line.tokens)[layer][head]
                for at, token in enumerate(line.tokens):
                    earlier = [j for j in range(at) if line.tokens[j] == token]
                    if earlier:
                        sums.append(sum(weights[at][j + 1] for j in earlier))
            assert scores[layer][head] == pytest.approx(sum(sums) / len(sums), abs=1e-6)


def test_there_is_no_induction_score_without_copies():
    task = task_of("copy")
    assert induction_scores(small().model, batch_of([Line(("a", "b"), ("c",))], task.number)) is None


def test_what_is_said_is_the_most_likely_token_each_time():
    training = small("reverse", steps=3)
    prompt = list(training.task.shown.prompt)
    answer = list(said(training.model, training.task, prompt))
    assert answer
    for at, one in enumerate(answer):
        tokens = prompt + [before.token for before in answer[:at]]
        ids = torch.tensor([[training.task.number[token] for token in tokens]])
        likely = training.model(ids)[0, -1].softmax(-1)
        assert one.token == training.task.vocabulary[int(likely.argmax())]
        assert one.probability == pytest.approx(likely.max().item(), abs=1e-6)
        looked = torch.tensor(one.looked)
        assert looked.shape == (2, 2, len(tokens))
        torch.testing.assert_close(looked.sum(-1), torch.ones(2, 2))


@each(
    "prompt, sentence",
    [
        ([], "prompt: expected 1 to 17 tokens, got 0"),
        (["a"] * 18, "prompt: expected 1 to 17 tokens, got 18"),
        (["z"], "the token 'z' does not occur in this task"),
    ],
)
def test_prompts_that_cannot_be_read_are_refused(prompt, sentence):
    training = small()
    with pytest.raises(TrainError) as caught:
        list(said(training.model, training.task, prompt))
    assert str(caught.value).startswith(sentence)


def test_a_head_that_is_not_there_cannot_be_switched_off():
    training = small()
    with pytest.raises(TrainError, match="there is no head 2 in layer 0"):
        accuracy(training.model, training.tested(), [(0, 2)])


@each(
    "changes, sentence",
    [
        ({"heads": 5}, "heads: expected a whole number from 1 to 4"),
        ({"heads": 3, "d_model": 16}, "d_model: 16 columns cannot be divided among 3 heads"),
        ({"layers": 1.0}, "layers: expected a whole number from 1 to 2"),
        ({"rate": float("nan")}, "rate: expected a number from 1e-06 to 10"),
        ({"seed": True}, "seed: expected a whole number"),
        ({"optimizer": "lion"}, "optimizer: expected one of adam, sgd"),
        ({"feed_forward": 1}, "feed_forward: expected true or false"),
    ],
)
def test_settings_out_of_range_are_refused(changes, sentence):
    with pytest.raises(TrainError) as caught:
        Settings(**changes)
    assert str(caught.value).startswith(sentence)


def test_settings_are_read_back():
    assert settings_of(json.loads(json.dumps(Settings(heads=2).as_json()))) == Settings(heads=2)
    with pytest.raises(TrainError, match="momentum: there is no such setting"):
        settings_of({"momentum": 1})


def test_a_disk_that_is_full_is_said_and_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "run.safetensors"
    save(small(), path)
    old = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    with pytest.raises(TrainError, match="cannot be written: No space left on device"):
        save(small(steps=1), path)
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]


def altered(path, change, metadata=None):
    from safetensors import safe_open

    with safe_open(path, "pt") as file:
        about = file.metadata()
    tensors = load_file(path)
    change(tensors)
    save_file(tensors, path, {**about, **(metadata or {})})


@each(
    "change, metadata, sentence",
    [
        (
            lambda tensors: tensors.pop("model.words.weight"),
            {},
            "model.words.weight: is missing from the file",
        ),
        (
            lambda tensors: tensors.update({"model.words.weight": torch.ones(2)}),
            {},
            "model.words.weight: expected 12 × 16, got 2",
        ),
        (
            lambda tensors: tensors["recorded"].fill_(torch.nan),
            {},
            "recorded: a number in the file is not finite",
        ),
        (lambda tensors: None, {"format": "other"}, "this is not a file of a training"),
        (lambda tensors: None, {"training": "[]"}, "this is not a file of a training"),
        (lambda tensors: None, {"training": '{"task": "nap"}'}, "there is no task 'nap'"),
        (
            lambda tensors: None,
            {"training": '{"task": "own", "lines": [1]}'},
            "lines: expected lines of text",
        ),
        (
            lambda tensors: None,
            {"training": '{"task": "copy", "settings": {"heads": 9}}'},
            "heads: expected a whole number",
        ),
    ],
)
def test_files_that_are_no_training_are_refused(change, metadata, sentence, tmp_path_factory):
    path = tmp_path_factory.mktemp("altered") / "run.safetensors"
    save(small(steps=1), path)
    altered(path, change, metadata)
    with pytest.raises(MhaError) as caught:
        open_training(path)
    assert str(caught.value).startswith(sentence)


def test_a_file_of_anything_is_refused(tmp_path):
    (tmp_path / "run.safetensors").write_bytes(b"no tensors here")
    with pytest.raises(MhaError):
        open_training(tmp_path / "run.safetensors")
