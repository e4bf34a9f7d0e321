"""One page's training: the process that trains, what the browser is sent of it, and the model that can be asked.

A training runs in a process of its own. Its model comes from there as a file when it is asked something about a step
that this side does not have yet, and once more when the training ends. What the browser is sent, it keeps: looking back
at earlier steps asks nothing of the server.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from anyio import Event, move_on_after

from mha_api.training_messages import Models, prompt_of, ready_made, steps_message, whole_message
from mha_core.errors import N_, MhaError, Reason, TrainError
from mha_core.example.files import dump
from mha_core.messages import language_of
from mha_core.train import (
    Change,
    Decoder,
    Goal,
    accuracy,
    compared,
    example_of,
    judged,
    open_training,
    parameters,
    parse_lines,
    said,
    save,
    settings_of,
    with_goal,
)
from mha_core.train.desk import Desk, Job
from mha_core.train.messages import Budget, Command, Ended, Failed, Order, Recorded, Saved, Stepped
from mha_core.train.tasks import OWN_LINES
from mha_view.language import words_in
from mha_view.message import framed

SETTINGS: Final = ("MHA_TRAININGS", "MHA_TRAINING_STEPS", "MHA_TRAINING_SECONDS", "MHA_TRAINING_MB")
"""Of the environment: trainings at once, and what one of them may use at most."""
MAX_FILE: Final = 64_000_000
PART: Final = 1_000_000
"""Bytes of a file that are sent in one message."""
PATIENCE: Final = 30.0
"""Seconds in which a process must hand over its model."""


@cache
def desk() -> Desk:
    """Where all pages of this server start their trainings."""
    known = Budget()
    numbers = (2, known.steps, known.seconds, known.megabytes)
    at_once, steps, seconds, megabytes = (
        int(os.environ.get(name, "") or default) for name, default in zip(SETTINGS, numbers, strict=True)
    )
    return Desk(at_once, Budget(steps, seconds, megabytes))


class Session:
    """``news`` is called on the event loop, now and then; ``answer`` in a thread, one at a time."""

    def __init__(self, language: str, started_at: Desk | None = None) -> None:
        self.language = language
        self._desk = started_at or desk()
        self._folder: TemporaryDirectory[str] | None = None
        self._job: Job | None = None
        self._is_paused = self._has_begun = False
        self._outbox: list[bytes | Mapping[str, object]] = []
        self._shown: list[bytes | Mapping[str, object]] = []
        self._state: Mapping[str, object] = {}
        self._models: Models | None = None
        self._file: Path | None = None
        self._handed_over = Event()
        self._failed: TrainError | None = None
        self._upload = bytearray()

    @property
    def is_training(self) -> bool:
        """Whether a training has begun, and nobody was sent its end."""
        return self._job is not None

    def close(self) -> None:
        """End the training's process, and remove its files."""
        self._end_job()
        if self._folder:
            self._folder.cleanup()

    # --- what the browser is sent ------------------------------------------------------------------------------

    def show_again(self, language: str) -> None:
        """Send everything once more, to another page of the same visitor."""
        self.language = language
        self._outbox = [*self._shown, *([{"state": self._state}] if self._state else [])]

    def news(self) -> Iterator[bytes | Mapping[str, object]]:
        """What has come since the last call."""
        outbox, self._outbox = self._outbox, []
        yield from outbox
        job = self._job
        if job is None:
            return
        messages = job.messages()
        self._has_begun |= bool(messages)
        records = [one.record for one in messages if isinstance(one, Stepped)]
        frames = [one for one in messages if isinstance(one, Recorded)]
        if records or frames:
            self._shown.append(steps_message(records, frames))
            yield self._shown[-1]
        state = self._state_of(job)
        for message in messages:
            if isinstance(message, Saved | Failed):
                self._take_over(message)
            elif isinstance(message, Ended):
                state = self._ended(message)
        if state != self._state:
            self._state = state
            yield {"state": state}

    def _state_of(self, job: Job) -> Mapping[str, object]:
        if place := self._desk.place(job):
            return {"name": "waiting", "place": place}
        if not self._has_begun:
            return {"name": "starting"}
        return {"name": "paused" if self._is_paused else "running"}

    def _take_over(self, message: Saved | Failed) -> None:
        if isinstance(message, Saved):
            self._file, self._models = message.path, None
        else:
            self._failed = message.error()
        self._handed_over.set()

    def _ended(self, message: Ended) -> Mapping[str, object]:
        why = message.why.error() if message.why else self._failed
        self._job = None
        self._handed_over.set()
        return {
            "name": "ended",
            "why": why.sentence(words_in(self.language)) if why else "",
            "more": self._file is not None,
        }

    # --- what the browser wants ----------------------------------------------------------------------------------

    def receive(self, part: bytes) -> None:
        """A part of a file; a file that is too large is refused when all of it has come."""
        if len(self._upload) <= MAX_FILE:
            self._upload += part

    def obey(self, wish: Mapping[str, object]) -> bool:
        """Pass on a command to the process, or speak another language; False where the wish is none of these."""
        name = wish.get("do")
        if name == "language":
            self.language = language_of(str(wish.get("lang")))
            return True
        if name not in ("pause", "resume", "step", "stop"):
            return False
        if self._job:
            self._is_paused = name in ("pause", "step")
            self._job.send(Command(name))
        return True

    async def fetch(self, step: object) -> None:
        """Have the model of a step on this side; None: of the last one. Raises ``TrainError`` where that fails."""
        if self._job is None or (step is not None and self._has(step)):
            return
        self._handed_over, self._failed = Event(), None
        self._job.send(Command("save", self._path("asked")))
        with move_on_after(PATIENCE) as waiting:
            await self._handed_over.wait()
        if waiting.cancelled_caught:
            raise TrainError(N_("the training has not begun; try again in a moment"))
        if self._failed:
            raise self._failed

    def answer(self, wish: Mapping[str, object]) -> Mapping[str, object]:
        """Do what the browser wants. Raises ``MhaError`` where that cannot be done."""
        known = {
            "again": self._again,
            "open": self._open,
            "start": self._start,
            "more": self._more,
            "file": self._open_file,
            "say": self._say,
            "without": self._without,
            "swap": self._swap,
            "example": self._example,
            "size": self._size,
            "judge": self._judge,
        }
        name = wish.get("do")
        if name not in known:
            raise TrainError(N_("there is no such request"), place="do")
        return known[name](wish)

    def file_parts(self, *, is_light: bool) -> Sequence[bytes]:
        """The training as a file, in parts; ``is_light``: without its recordings. Raises ``TrainError`` where there is
        none.
        """
        if self._file is None:
            raise TrainError(N_("this recording is not a file; start the training again"))
        path = self._file
        if is_light:
            path = self._path("light")
            save(open_training(self._file), path, is_light=True)
        content = path.read_bytes()
        return [framed({"part": at}, content[at : at + PART]) for at in range(0, len(content), PART)]

    def _again(self, _: Mapping[str, object]) -> Mapping[str, object]:
        """Whether there is a training that the page can go on with."""
        return {"found": bool(self._shown)}

    def _open(self, wish: Mapping[str, object]) -> Mapping[str, object]:
        self._end_job()
        self._show(*ready_made(str(wish.get("key"))))
        return {}

    def _open_file(self, _: Mapping[str, object]) -> Mapping[str, object]:
        content, self._upload = bytes(self._upload), bytearray()
        if len(content) > MAX_FILE:
            raise TrainError(N_("the file is larger than {most} MB"), most=MAX_FILE // 1_000_000)
        path = self._path("uploaded")
        try:
            path.write_bytes(content)
        except OSError as error:
            raise TrainError(N_("cannot be written: {reason}"), reason=Reason(error)) from None
        try:
            training = open_training(path)
        except MhaError as error:
            if path.name in error.place:
                error.place = ""  # it is our name of the visitor's file
            raise
        path = path.replace(self._path("opened"))  # a file that is refused takes no other's place
        self._end_job()
        self._show(Models.of(training), whole_message(training), path)
        return {}

    def _show(self, models: Models, message: bytes, file: Path | None = None) -> None:
        """Show a training that does not run."""
        self._models, self._file = models, file
        self._state = {"name": "ended", "why": "", "more": file is not None}
        begun = models.described(self.language, max(models.steps))
        self._shown = [{"begun": begun}, message]
        self._outbox = [*self._shown, {"state": self._state}]

    def _start(self, wish: Mapping[str, object]) -> Mapping[str, object]:
        steps = self._require_steps(wish.get("steps"), 0)
        order = replace(_order(wish), steps=steps, kept=self._path("kept"))
        described = Models.of(order.training()).described(self.language, steps)
        self._end_job()
        self._begin(order, described)
        return {}

    def _more(self, wish: Mapping[str, object]) -> Mapping[str, object]:
        models = self._require_models()
        if self._file is None:
            raise TrainError(N_("this recording cannot go on; start the training again"))
        steps = self._require_steps(wish.get("steps"), max(models.steps))
        self._end_job()
        order = Order(saved=self._file, steps=steps, kept=self._path("kept"))
        self._begin(order, {"steps": steps})
        return {}

    def _begin(self, order: Order, description: Mapping[str, object]) -> None:
        job = self._desk.start(order)
        self._is_paused = self._has_begun = False
        self._state, self._failed = {}, None
        if order.saved is None:
            self._models, self._file, self._shown = None, None, []
        self._outbox = [{"begun" if order.saved is None else "goes_on": description}]
        self._shown = [*self._shown, *self._outbox]
        self._job = job

    def _say(self, wish: Mapping[str, object]) -> Mapping[str, object]:
        model, task = self._model(wish), self._require_models().task
        prompt = prompt_of(task, str(wish.get("prompt", "")))
        tokens = [
            {
                "token": one.token,
                "probability": round(one.probability, 4),
                "looked": [[[round(weight, 4) for weight in row] for row in layer] for layer in one.looked],
            }
            for one in said(model, task, prompt, _heads(wish.get("off")))
        ]
        return {"prompt": prompt, "said": tokens}

    def _without(self, wish: Mapping[str, object]) -> Mapping[str, object]:
        """Shares of right tokens and answers: of all heads, without those that are off, and without each one alone."""
        model, batch, off = self._model(wish), self._require_models().tested(), _heads(wish.get("off"))
        return {
            "all": accuracy(model, batch),
            "off": accuracy(model, batch, off) if off else None,
            "alone": [
                [accuracy(model, batch, [(layer, head)])[0] for head in range(model.attentions[0].heads)]
                for layer in range(len(model.parts))
            ],
        }

    def _swap(self, wish: Mapping[str, object]) -> Mapping[str, object]:
        """The share of right tokens before and after two heads change places."""
        heads = _heads(wish.get("heads"))
        if len(heads) != 2 or heads[0] == heads[1]:
            raise TrainError(N_("choose two different heads"))
        models, swap = self._require_models(), Change(swapped=(heads[0], heads[1]))
        result = compared(self._model(wish), models.tested(), swap)
        return {"before": result.before.tokens, "after": result.after.tokens}

    def _example(self, wish: Mapping[str, object]) -> Mapping[str, object]:
        """An attention on the task's fixed line, with a goal for a head."""
        model, task = self._model(wish), self._require_models().task
        layer, head, step = (_number(wish.get(name)) for name in ("layer", "head", "step"))
        example = with_goal(
            example_of(model, task, task.shown.tokens, layer, step), model, task, (layer, head)
        )
        return {"example": dump(example)}

    def _size(self, wish: Mapping[str, object]) -> Mapping[str, object]:
        """How many numbers a model of these settings would learn."""
        return {"parameters": parameters(_order(wish).training().model)}

    def _judge(self, wish: Mapping[str, object]) -> Mapping[str, object]:
        """Whether a model reaches the goal of the exercise."""
        return asdict(judged(self._require_models().task, self._model(wish), Goal()))

    def _model(self, wish: Mapping[str, object]) -> Decoder:
        models, step = self._require_models(), _number(wish.get("step"))
        if step not in models.steps:
            known = ", ".join(map(str, sorted(models.steps)))
            raise TrainError(
                N_("of this training only the models of these steps can be asked: {known}"), known=known
            )
        return models.at(step)

    def _require_models(self) -> Models:
        if self._models is None and self._file is not None:
            self._models = Models.of(open_training(self._file))
        if self._models is None:
            raise TrainError(N_("there is no model to ask: the training has ended without handing it over"))
        return self._models

    def _require_steps(self, steps: object, taken: int) -> int:
        most = self._desk.budget.steps
        if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= most:
            raise TrainError(
                N_("expected a whole number from {low:g} to {high:g}"), place="steps", low=1, high=most
            )
        return taken + steps

    def _has(self, step: object) -> bool:
        return self._models is not None and step in self._models.steps

    def _end_job(self) -> None:
        job, self._job = self._job, None
        if job:
            job.close()

    def _path(self, name: str) -> Path:
        """A file of this page. Raises ``TrainError`` where there is no room for any."""
        try:
            self._folder = self._folder or TemporaryDirectory(prefix="mha-train-")
        except OSError as error:
            raise TrainError(N_("cannot be written: {reason}"), reason=Reason(error)) from None
        return Path(self._folder.name) / f"{name}.safetensors"


def _order(wish: Mapping[str, object]) -> Order:
    """What is to be trained. Raises ``TrainError`` for a task or a setting that there is not."""
    task, settings = str(wish.get("task")), wish.get("settings")
    settings_of(settings)  # which refuses other names
    lines = parse_lines(str(wish.get("lines", ""))) if task == OWN_LINES else ()
    return Order(task, dict(settings) if isinstance(settings, dict) else {}, lines)


def _heads(value: object) -> list[tuple[int, int]]:
    rows = value if isinstance(value, list) else []
    return [(_number(row[0]), _number(row[1])) for row in rows if isinstance(row, list) and len(row) == 2]


def _number(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TrainError(N_("expected a whole number"))
    return value
