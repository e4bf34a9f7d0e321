"""The websocket of the page Train: a training as it runs, what is asked of its model, and how it ends."""

import json
import os
import signal
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from starlette.applications import Starlette
from starlette.testclient import TestClient

import mha_api
from mha_api import trainings
from mha_api.training_messages import ONE, Models, prompt_of, whole_message
from mha_api.training_session import Session, desk
from mha_core.errors import MhaError
from mha_core.example.files import parse
from mha_core.train import Training, accuracy, maps, own_lines, parameters, parse_lines, said, save, task_of
from mha_core.train.desk import Desk
from mha_core.train.messages import Budget

SMALL = {"layers": 1, "heads": 2, "d_model": 16, "batch": 2, "feed_forward": False}
TICKET = "0123456789abcdef" * 2
START = {"do": "start", "task": "copy", "settings": SMALL, "steps": 20}


@pytest.fixture(scope="module")
def training():
    found = Training(task_of("copy"), **SMALL)
    list(found.steps(20))
    return found


@pytest.fixture
def opened(training, tmp_path):
    """A session that has opened a file of the training."""
    save(training, tmp_path / "copy.safetensors")
    session = Session("en")
    session.receive((tmp_path / "copy.safetensors").read_bytes())
    session.answer({"do": "file"})
    yield session
    session.close()


def unpacked(message):
    """Header and arrays of a binary message, as the browser reads them."""
    length = int.from_bytes(message[:4], "little")
    header, at = json.loads(message[4 : 4 + length]), 4 + length
    arrays = {}
    for name, kind, shape in header["arrays"]:
        dtype = getattr(torch, kind)
        count = int(torch.tensor(shape).prod())
        size = count * dtype.itemsize
        data = bytearray(message[at : at + size])
        arrays[name] = torch.frombuffer(data, dtype=dtype).view(shape) if data else torch.empty(shape)
        at += -(-size // 8) * 8
    return header, arrays


def test_the_browser_is_sent_every_step_and_the_maps_of_every_head(training):
    header, arrays = unpacked(whole_message(training))
    assert [frame["step"] for frame in header["frames"]] == [0, 10, 20] == header["recorded"]
    assert arrays["records"][:, 0].tolist() == pytest.approx([one.loss for one in training.records])
    n = len(training.task.shown.tokens)
    sent = arrays["maps"].to(torch.float64).view(3, 1, 2, n, n) / ONE
    expected = torch.tensor(maps(training.at(10), training.task, training.task.shown.tokens))
    torch.testing.assert_close(sent[1], expected.double(), atol=0.5 / ONE, rtol=0)


def test_a_training_is_described_in_the_visitors_language(training):
    described: Any = Models.of(training).described("zh", 20)
    assert described["title"] == "照抄"
    assert described["parts"][0]["queries"] == training.task.shown.tokens


@pytest.mark.parametrize(
    ("task", "text", "tokens"),
    [
        ("copy", "abc", "a b c →"),
        ("copy", "a b  c →", "a b c →"),
        ("induction", "abca", "a b c a"),
        ("translation", "the cat", "the cat →"),
        ("dates", "3 March 1999", "3 March 1 9 9 9 →"),
        ("copy", "aX", "aX →"),
    ],
)
def test_a_prompt_needs_neither_spaces_nor_an_arrow(task, text, tokens):
    assert prompt_of(task_of(task), text) == tokens.split()


def test_each_token_of_an_answer_has_where_it_looked(opened, training):
    answer = opened.answer({"do": "say", "step": 10, "prompt": "abc", "off": [[0, 1]]})
    expected = list(said(training.at(10), training.task, [*"abc→"], [(0, 1)]))
    assert [one["token"] for one in answer["said"]] == [one.token for one in expected]
    for one, other in zip(answer["said"], expected, strict=True):
        assert one["looked"][0][1] == pytest.approx(other.looked[0][1], abs=1e-4)


def test_what_is_right_without_each_head(opened, training):
    answer = opened.answer({"do": "without", "step": 20, "off": [[0, 0], [0, 1]]})
    batch, model = training.tested(), training.model
    assert answer["all"] == accuracy(model, batch)
    assert answer["off"] == accuracy(model, batch, [(0, 0), (0, 1)])
    assert answer["alone"] == [[accuracy(model, batch, [(0, head)])[0] for head in (0, 1)]]


def test_two_heads_of_one_layer_can_be_swapped_without_a_change(opened):
    answer = opened.answer({"do": "swap", "step": 20, "heads": [[0, 0], [0, 1]]})
    assert answer["before"] == pytest.approx(answer["after"])


def test_a_model_is_counted_before_it_is_trained(opened, training):
    answer = opened.answer({"do": "size", "task": "copy", "settings": SMALL})
    assert answer == {"parameters": parameters(training.model)}


def test_the_goal_of_the_exercise_is_of_its_own_task(opened):
    with pytest.raises(MhaError, match="expected a training of the task sort, got one of copy"):
        opened.answer({"do": "judge", "step": 20})


def test_a_file_to_hand_in_has_the_model_alone(opened):
    light, whole = (sum(map(len, opened.file_parts(is_light=is_light))) for is_light in (True, False))
    assert light < whole


def test_an_attention_of_a_step_is_an_example(opened, training):
    example = parse(opened.answer({"do": "example", "step": 10, "layer": 0, "head": 1})["example"].encode())
    assert list(example.tokens) == list(training.task.shown.tokens)
    assert len(example.heads) == 2
    assert example.learning is not None
    assert [rows is None for rows in example.learning.targets] == [True, False]  # of the head that was chosen


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        ({"do": "dance"}, "do: there is no such request"),
        ({"do": "say", "step": 11, "prompt": "a"}, "only the models of these steps can be asked: 0, 10, 20"),
        ({"do": "say", "step": 10, "prompt": "aX"}, "does not occur in this task"),
        ({"do": "swap", "step": 10, "heads": [[0, 0], [0, 0]]}, "choose two different heads"),
        ({"do": "example", "step": 10, "layer": 7, "head": 0}, "there is no head 0 in layer 7"),
        ({"do": "without", "step": "x"}, "expected a whole number"),
        (START | {"steps": 10**9}, "steps: expected a whole number from 1 to 5000"),
        (START | {"settings": {"heads": 9}}, "heads: expected a whole number from 1 to 4"),
        (START | {"settings": {"wings": 2}}, "wings: there is no such setting"),
        (START | {"task": "fly"}, "there is no task"),
        (START | {"task": "own", "lines": "a → b\nc"}, "line 2: expected a source and a target"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence_and_loses_nothing(opened, wish, sentence):
    with pytest.raises(MhaError) as refused:
        opened.answer(wish)
    assert sentence in str(refused.value)
    assert opened.answer({"do": "say", "step": 20, "prompt": "a"})["said"]


def test_it_speaks_another_language_when_it_is_told_to(opened):
    assert opened.obey({"do": "language", "lang": "zh"})
    opened._show(Models.of(Training(task_of("copy"), **SMALL)), b"")
    begun: Any = next(opened.news())
    assert begun["begun"]["title"] == "照抄"


def test_somebodys_own_lines_come_back_from_a_file(tmp_path):
    lines = "a b → c\n小 猫 → cat"
    described: Any = Models.of(Training(own_lines(parse_lines(lines)), **SMALL)).described("en", 0)
    assert described["lines"] == lines


@pytest.mark.parametrize("content", [b"", b"hello", b"\xff" * 9])
def test_a_file_that_is_no_training_is_refused_and_the_last_one_stays(opened, content):
    opened.receive(content)
    with pytest.raises(MhaError) as refused:
        opened.answer({"do": "file"})
    assert refused.value.sentence() == (
        "this is not a readable .pt or .safetensors file; it may be damaged or incomplete"
    )
    assert opened.answer({"do": "say", "step": 20, "prompt": "a"})["said"]
    assert len(b"".join(opened.file_parts(is_light=False))) > len(content)


def test_a_full_disk_is_said_in_a_sentence(opened, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    opened.receive(b"something")
    with pytest.raises(MhaError, match="No space left on device"):
        opened.answer({"do": "file"})


# --- processes ---------------------------------------------------------------------------------------------------


@pytest.fixture
def only_one(monkeypatch):
    """The server has room for one training at a time."""
    with Desk(at_once=1, budget=Budget(steps=5000)) as found:
        monkeypatch.setattr("mha_api.training_session.desk", lambda: found)
        yield found


@pytest.fixture
def client(only_one):
    with TestClient(Starlette(routes=mha_api.routes())) as found:
        yield found


class Page:
    """What a browser has received."""

    def __init__(self, socket):
        self.socket, self.texts, self.steps = socket, [], []

    def ask(self, wish, number=1):
        self.socket.send_text(json.dumps(wish | {"id": number}))
        return self.until(lambda one: one.get("id") == number)

    def until(self, wanted):
        """The first message that is as wanted, from now on."""
        while True:
            message = self.socket.receive()
            if data := message.get("bytes"):
                self.steps.append(unpacked(data))
            else:
                self.texts.append(json.loads(message["text"]))
                if wanted(self.texts[-1]):
                    return self.texts[-1]

    def until_state(self, name):
        return self.until(lambda one: one.get("state", {}).get("name") == name)["state"]


@contextmanager
def page(client, ticket=""):
    with client.websocket_connect(f"/api/train?lang=en&ticket={ticket}") as socket:
        yield Page(socket)


def test_a_training_runs_to_its_last_step_and_can_then_be_asked_and_go_on(client):
    with page(client) as one:
        assert "error" not in one.ask(START)
        assert one.until_state("ended") == {"name": "ended", "why": "", "more": True}
        assert sum(len(arrays["records"]) for _, arrays in one.steps) == 20
        assert [frame["step"] for header, _ in one.steps for frame in header["frames"]] == [0, 10, 20]
        assert one.ask({"do": "say", "step": 10, "prompt": "a", "off": []})["said"]
        one.ask({"do": "more", "steps": 5})
        one.until_state("ended")
        assert sum(len(arrays["records"]) for _, arrays in one.steps) == 25


def test_closing_the_page_ends_its_training_and_the_next_in_line_begins(client, only_one):
    endless = START | {"steps": 5000}
    with page(client) as second:
        with page(client) as first:
            first.ask(endless)
            first.until_state("running")
            second.ask(endless)
            assert second.until_state("waiting")["place"] == 1
            (job,) = only_one._running
            process = job._process
        second.until_state("running")
        assert not process.is_alive()


def test_a_training_goes_on_for_the_page_that_comes_back_with_its_ticket(client):
    with page(client, TICKET) as first:
        first.ask(START | {"steps": 5000})
        first.until_state("running")
    with page(client, TICKET) as second:
        assert second.ask({"do": "again"})["found"]
        second.socket.send_text('{"do": "pause"}')
        second.until_state("paused")
        begun = next(one["begun"] for one in second.texts if "begun" in one)
        assert (begun["task"], begun["steps"]) == ("copy", 5000)
        assert second.steps[0][0]["frames"][0]["step"] == 0  # from the beginning
        second.ask({"do": "open", "key": "copy"})


def test_a_training_that_goes_on_after_a_file_is_sent_whole(opened):
    opened.answer({"do": "more", "steps": 5})
    opened.show_again("en")
    texts = [one for one in opened.news() if not isinstance(one, bytes)]
    assert ["begun" in texts[0], texts[1]] == [True, {"goes_on": {"steps": 25}}]


def test_a_second_page_takes_the_training_from_the_first(client):
    with page(client, TICKET) as first, page(client, TICKET) as second:
        assert first.socket.receive()["code"] == trainings.TAKEN
        second.ask(START)
        second.until_state("ended")


def test_a_page_that_does_not_come_back_ends_its_training(client, only_one, monkeypatch):
    monkeypatch.setattr(trainings, "KEPT", 0.01)
    with page(client) as second:
        with page(client, TICKET) as first:
            first.ask(START | {"steps": 5000})
            first.until_state("running")
            second.ask(START)
        second.until_state("ended")
    with page(client, TICKET) as late:
        assert not late.ask({"do": "again"})["found"]


def test_a_process_that_is_killed_is_said_in_a_sentence(client, only_one):
    with page(client) as one:
        one.ask(START | {"steps": 5000})
        one.until_state("running")
        (job,) = only_one._running
        os.kill(job.pid, signal.SIGKILL)
        assert one.until_state("ended")["why"] == "the training's process was ended from outside"


def test_the_number_of_trainings_at_once_is_set_by_the_environment(monkeypatch):
    monkeypatch.setenv("MHA_TRAININGS", "7")
    monkeypatch.setenv("MHA_TRAINING_STEPS", "50")
    desk.cache_clear()
    assert (desk().at_once, desk().budget.steps) == (7, 50)
    desk.cache_clear()
