"""Processes that train: started, paused, queued, and gone when they should be. They are real, as a page starts them."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from mha_core.errors import TrainError
from mha_core.train import Change, Training, compared, open_training, parse_lines, task_of
from mha_core.train.desk import Desk
from mha_core.train.messages import Budget, Command, Ended, Failed, Order, Recorded, Saved, Stepped, Tried
from mha_core.train.worker import _why
from tests.sizes import each

SMALL = {"layers": 1, "heads": 1, "d_model": 16, "batch": 2, "feed_forward": False}
ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120
"""Seconds until a test gives up."""


def until(found, what="it"):
    """The first true answer."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if answer := found():
            return answer
        time.sleep(0.01)  # polling another process, which sends nothing to wait for
    raise AssertionError(f"{what} did not come")


class Inbox:
    """All messages of a job."""

    def __init__(self, job):
        self.job, self.all = job, []

    def wait(self, kind, wanted=lambda message: True):
        """The first message of a kind that is as wanted."""

        def found():
            has_ended = self.job.ended  # before its last messages are collected
            self.all += self.job.messages()
            got = next((one for one in self.all if isinstance(one, kind) and wanted(one)), None)
            assert got or not has_ended, has_ended
            return got

        return until(found, kind.__name__)

    def steps(self):
        self.all += self.job.messages()
        return [one.record.step for one in self.all if isinstance(one, Stepped)]


def is_alive(pid):
    """Whether there is such a process that has not ended; its state follows its name in brackets."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(") ")[2][0]
    except OSError:
        return False
    return state != "Z"


def order(**changes):
    return Order("copy", {**SMALL, **changes})


def test_a_training_takes_the_steps_of_its_budget_as_it_would_here():
    with Desk(budget=Budget(steps=12)) as desk:
        inbox = Inbox(desk.start(order()))
        ended = inbox.wait(Ended)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    here = Training(task_of("copy"), **SMALL)
    list(here.steps(12))
    torch.set_num_threads(threads)
    assert [one.record.loss for one in inbox.all if isinstance(one, Stepped)] == [
        record.loss for record in here.records
    ]
    assert [one.step for one in inbox.all if isinstance(one, Recorded)] == [0, 10]
    assert str(ended.why.error()) == "the training has taken all of its 12 steps"


def test_an_order_of_so_many_steps_is_saved_when_it_ends_and_can_go_on(tmp_path):
    first, second = tmp_path / "first.safetensors", tmp_path / "second.safetensors"
    with Desk() as desk:
        inbox = Inbox(desk.start(Order("copy", SMALL, steps=12, kept=first)))
        assert inbox.wait(Ended).why is None
        assert inbox.wait(Saved).path == first
        inbox = Inbox(desk.start(Order(saved=first, steps=15, kept=second)))
        inbox.wait(Ended)
    assert inbox.steps() == [13, 14, 15]
    assert open_training(second).step == 15
    assert inbox.wait(Recorded).steps == (0, 10, 12)


def test_what_a_budget_has_ended_is_saved(tmp_path):
    path = tmp_path / "kept.safetensors"
    with Desk(budget=Budget(steps=2)) as desk:
        inbox = Inbox(desk.start(Order("copy", SMALL, kept=path)))
        assert inbox.wait(Ended).why is not None
    assert open_training(path).step == 2


def test_one_step_of_a_paused_training_is_recorded():
    with Desk() as desk:
        job = desk.start(order())
        job.send(Command("pause"))
        job.send(Command("step"))
        inbox = Inbox(job)
        step = inbox.wait(Recorded, lambda one: one.step > 0).step
        assert inbox.steps()[-1] == step


def test_the_script_that_starts_a_training_is_not_run_again(monkeypatch, tmp_path):
    script = ModuleType("__main__")
    script.__file__ = str(tmp_path / "gone.py")  # Streamlit makes the page's script the main module
    monkeypatch.setitem(sys.modules, "__main__", script)
    with Desk(budget=Budget(steps=1)) as desk:
        Inbox(desk.start(order())).wait(Stepped)
    assert sys.modules["__main__"] is script


def test_the_memory_of_the_owner_is_not_counted():
    owned = b"x" * (1000 << 20)
    with Desk(budget=Budget(steps=1, megabytes=900)) as desk:
        ended = Inbox(desk.start(order())).wait(Ended)
    assert len(owned) == 1000 << 20
    assert str(ended.why.error()).startswith("the training has taken all of its 1 step")


def test_paused_stepped_saved_resumed_and_stopped(tmp_path):
    with Desk() as desk:
        job = desk.start(order())
        inbox = Inbox(job)
        job.send(Command("pause"))  # before its process has begun
        job.send(Command("save", tmp_path / "first.safetensors"))
        inbox.wait(Saved)
        at = len(inbox.steps())
        job.send(Command("step"))
        job.send(Command("save", tmp_path / "second.safetensors"))
        inbox.wait(Saved, lambda one: one.path.name == "second.safetensors")
        assert open_training(tmp_path / "first.safetensors").step == at
        assert open_training(tmp_path / "second.safetensors").step == at + 1
        job.send(Command("resume"))
        inbox.wait(Stepped, lambda one: one.record.step == at + 3)
        job.send(Command("save", tmp_path / "missing" / "run.safetensors"))
        assert str(inbox.wait(Failed).error()).endswith("cannot be written: No such file or directory")
        job.send(Command("stop"))
        assert inbox.wait(Ended) == Ended(None)
        until(lambda: not is_alive(job.pid))
        again = Inbox(desk.start(Order(saved=tmp_path / "second.safetensors")))
        assert again.wait(Stepped).record.step == at + 2


def test_the_others_wait_in_order_and_know_their_place():
    with Desk(at_once=1) as desk:
        jobs = [desk.start(order(seed=seed)) for seed in range(4)]
        assert [desk.place(job) for job in jobs] == [0, 1, 2, 3]
        jobs[2].close()
        assert Inbox(jobs[2]).wait(Ended) == Ended(None)
        assert [desk.place(job) for job in jobs] == [0, 1, 0, 2]
        jobs[0].close()
        until(lambda: desk.place(jobs[1]) == 0)
        Inbox(jobs[1]).wait(Stepped)
        assert jobs[3].pid is None


def test_a_process_that_is_killed_is_said_the_next_begins_and_closing_leaves_none():
    with Desk(at_once=1) as desk:
        first, second, third = (desk.start(order()) for _ in range(3))
        inbox = Inbox(first)
        inbox.wait(Stepped)
        os.kill(first.pid, signal.SIGKILL)
        assert str(inbox.wait(Ended).why.error()) == "the training's process was ended from outside"
        assert Inbox(second).wait(Stepped)
    assert not is_alive(second.pid)
    assert third.pid is None
    assert Inbox(third).wait(Ended) == Ended(None)


@pytest.mark.parametrize(
    ("budget", "command", "sentence"),
    [
        (Budget(seconds=0.2), "pause", "the training has used its 0.2 seconds, pauses included"),
        pytest.param(Budget(megabytes=1), "resume", "the training needs", marks=pytest.mark.long),
    ],
)
def test_a_budget_that_is_used_up_ends_a_training(budget, command, sentence):
    with Desk(budget=budget) as desk:
        job = desk.start(Order(changes=SMALL, lines=parse_lines("the cat\tle chat")))
        job.send(Command(command))
        assert str(Inbox(job).wait(Ended).why.error()).startswith(sentence)


@each(
    "wrong, sentence",
    [
        (Order("nap"), "there is no task 'nap'"),
        (order(heads=9), "heads: expected a whole number from 1 to 4"),
    ],
)
def test_what_cannot_be_trained_is_refused_at_once(wrong, sentence):
    with Desk() as desk, pytest.raises(TrainError) as caught:
        desk.start(wrong)
    assert str(caught.value).startswith(sentence)


def test_a_change_of_heads_is_tried_while_paused_and_leaves_the_run_as_it_is(tmp_path):
    changes = {**SMALL, "heads": 2, "architecture": "encoder-decoder"}
    with Desk(budget=Budget(steps=3)) as desk:
        job = desk.start(Order("reverse", changes))
        job.send(Command("pause"))
        change = Change(without=((0, 1),), swapped=((2, 0), (2, 1)))
        job.send(Command("try", change=change))
        job.send(Command("try", change=Change(without=((9, 0),))))
        inbox = Inbox(job)
        tried = inbox.wait(Tried)
        assert str(inbox.wait(Failed).error()) == "there is no head 0 in layer 9, counted from 0"
        job.send(Command("resume"))
        inbox.wait(Ended)
    here = Training(task_of("reverse"), **changes)
    losses = [record.loss for record in here.steps(3)]
    assert [one.record.loss for one in inbox.all if isinstance(one, Stepped)] == pytest.approx(
        losses, rel=1e-6
    )
    again = Training(task_of("reverse"), **changes)
    list(again.steps(tried.step))
    expected = compared(again.model, again.tested(), change)
    assert tried.change == change
    assert tried.compared.before.tokens == pytest.approx(expected.before.tokens, abs=0.01)
    recorded = inbox.wait(Recorded)
    assert [layer is None for layer in recorded.aligned] == [True, True, False]


def test_a_disk_that_is_full_is_said_and_the_training_goes_on(tmp_path):
    """The system refuses to write more than a few bytes into a file."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Desk() as desk:
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, before[1]))
        try:
            job = desk.start(order())
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        inbox = Inbox(job)
        job.send(Command("save", tmp_path / "run.safetensors"))
        assert str(inbox.wait(Failed).error()).endswith("run.safetensors: cannot be written: File too large")
        assert list(tmp_path.iterdir()) == []
        taken = len(inbox.steps())
        inbox.wait(Stepped, lambda one: one.record.step > taken)


def test_of_ten_starts_at_once_two_run_and_the_others_know_their_place():
    with Desk(at_once=2) as desk, ThreadPoolExecutor(10) as visitors:
        jobs = list(visitors.map(lambda seed: desk.start(order(seed=seed)), range(10)))
        assert sorted(desk.place(job) for job in jobs) == [0, 0, *range(1, 9)]
        running = [job for job in jobs if desk.place(job) == 0]
        for job in running:
            Inbox(job).wait(Stepped)
        assert sum(job.pid is not None for job in jobs) == 2
    assert not any(is_alive(job.pid) for job in running)
    assert [Inbox(job).wait(Ended) for job in jobs] == [Ended(None)] * 10


class Minutes:
    """A pipe to an owner that says nothing for a while; its clock runs only while it is waited for."""

    def __init__(self, *commands):
        self.commands, self.now, self.sent = list(commands), 0.0, []

    def poll(self, seconds):
        if self.commands and self.commands[0][0] <= self.now + seconds:
            self.now = max(self.now, self.commands[0][0])
            return True
        self.now += seconds
        return False

    def recv(self):
        return self.commands.pop(0)[1]

    def send(self, message):
        self.sent.append(message)


@each("paused, steps", [(300.0, 4), (901.0, 2)])
def test_a_training_goes_on_after_minutes_unless_its_time_is_over(paused, steps, monkeypatch):
    """At most 900 seconds. It takes one step while it is paused, and no other."""
    pipe: Any = Minutes(
        (0.0, Command("pause")), (1.0, Command("step")), (2.0, Command("step")), (paused, Command("resume"))
    )
    monkeypatch.setattr("mha_core.train.worker.monotonic", lambda: pipe.now)
    monkeypatch.setattr("mha_core.train.worker._megabytes", lambda: 0)  # of the tests
    why = _why(pipe, order(), Budget(steps=4, seconds=900.0))
    assert [one.record.step for one in pipe.sent if isinstance(one, Stepped)] == list(range(1, steps + 1))
    sentence = "taken all of its 4 steps" if steps == 4 else "used its 900 seconds, pauses included"
    assert str(why.error()).endswith(sentence)


@pytest.mark.long
def test_a_file_that_cannot_be_opened_is_said(tmp_path):
    with Desk() as desk:
        job = desk.start(Order(saved=tmp_path / "run.safetensors"))
        assert "No such file" in str(Inbox(job).wait(Ended).why.error())


OWNER = """
import sys, time
from mha_core.train.desk import Desk
from mha_core.train.messages import Command, Order

if __name__ == "__main__":
    desk = Desk(at_once=2)
    jobs = [desk.start(Order("copy", {"layers": 1, "heads": 1, "d_model": 16, "batch": 2})) for _ in range(2)]
    while not jobs[0].messages():
        time.sleep(0.01)
    jobs[1].send(Command("pause"))
    print(*(job.pid for job in jobs), flush=True)
    time.sleep(600)
"""


def test_no_process_outlives_an_owner_that_is_killed(tmp_path):
    """One of them computes, the other is paused."""
    (tmp_path / "owner.py").write_text(OWNER, "utf-8")
    with subprocess.Popen(
        [sys.executable, tmp_path / "owner.py"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as owner:
        assert owner.stdout is not None
        pids = [int(pid) for pid in owner.stdout.readline().split()]
        assert len(pids) == 2
        assert all(map(is_alive, pids))
        owner.kill()
    until(lambda: not any(map(is_alive, pids)), "the end")
