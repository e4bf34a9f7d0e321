"""A training in a process of its own, which ends when its owner does.

The process computes with one thread. It reads commands between two steps; while it is paused, it waits for one. When
the owner has gone, even if it was killed, its end of the pipe is closed, so that sending and waiting fail and the
process ends.
"""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic
from typing import Final

import torch

from mha_core.errors import N_, MhaError, TrainError
from mha_core.train.heads import Change, compared
from mha_core.train.lines import Batch
from mha_core.train.messages import (
    Budget,
    Command,
    Ended,
    Failed,
    Message,
    Order,
    Recorded,
    Saved,
    Stepped,
    Tried,
)
from mha_core.train.saved import save

_MEASURED: Final = 50
"""Steps between two looks at the memory that is used."""
_SCORED: Final = 64
"""Lines on which heads are scored at each recording: few, so that a recording costs less than a step."""


def work(pipe: Connection, order: Order, budget: Budget) -> None:
    """The process: train until the budget is used up, or until it is stopped."""
    torch.set_num_threads(1)
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # a terminal interrupts the owner too, which then ends this process
    try:
        pipe.send(Ended(_why(pipe, order, budget)))
    except (EOFError, OSError):  # the owner has gone
        sys.exit(0)


def _why(pipe: Connection, order: Order, budget: Budget) -> Failed | None:
    """Train; returns why it ended, None where it was stopped or has taken the steps of its order."""
    worker, why = None, None
    try:
        worker = _Worker(order, pipe, budget)
        for message in worker.messages():
            pipe.send(message)
    except MhaError as error:
        why = Failed.of(error)
    except MemoryError:
        why = Failed.of(TrainError(N_("there is not enough memory")))
    if worker is not None and order.kept is not None:
        pipe.send(worker.saved(order.kept))
    return why


class _Worker:
    """``paused``: waits for commands. ``single``: one step is to be taken all the same."""

    def __init__(self, order: Order, pipe: Connection, budget: Budget) -> None:
        self.order, self.pipe, self.budget = order, pipe, budget
        self.training = order.training()
        self.tested = self.training.tested()
        self.scored = Batch(*(part[:_SCORED] for part in self.tested))
        self.began = monotonic()
        self.paused = self.single = self.stopped = False

    def messages(self) -> Iterator[Message]:
        """All messages but the last. Raises ``TrainError`` where a budget is used up or the training fails."""
        yield self.recorded()
        while self.order.steps is None or self.training.step < self.order.steps:
            yield from self.obey()
            if self.stopped:
                return
            if self.paused and not self.single:
                continue
            self.require_budget()
            yield Stepped(self.training.take_step())
            if self.single or self.training.step in self.training.recordings:
                yield self.recorded()
            self.single = False

    def obey(self) -> Iterator[Message]:
        """Follow every command that has come, up to the next step that is wanted; while paused, wait for one, but not
        beyond the budget.
        """
        while not self.stopped and not self.single and self.pipe.poll(self.wait()):
            command: Command = self.pipe.recv()
            if command.name in ("save", "try"):
                yield self.answered(command)
            else:
                self.stopped = command.name == "stop"
                self.single = command.name == "step"
                self.paused = command.name != "resume"
        if self.paused and not self.single and not self.stopped:
            self.require_time()

    def wait(self) -> float:
        """How long to wait for a command."""
        waits = self.paused and not self.single and not self.stopped
        return max(0.0, self.budget.seconds - (monotonic() - self.began)) if waits else 0.0

    def answered(self, command: Command) -> Message:
        """A file is written, or a change tried."""
        if command.path is not None:
            return self.saved(command.path)
        training, change = self.training, command.change or Change()
        try:
            return Tried(training.step, change, compared(training.model, self.tested, change))
        except MhaError as error:
            return Failed.of(error)

    def saved(self, path: Path) -> Message:
        try:
            save(self.training, path)
        except MhaError as error:
            return Failed.of(error)
        return Saved(path)

    def recorded(self) -> Recorded:
        training = self.training
        steps = tuple(dict.fromkeys([*training.recordings, training.step]))
        return replace(Recorded.of(training.step, training.model, training.task, self.scored), steps=steps)

    def require_budget(self) -> None:
        self.require_time()
        if self.training.step >= self.budget.steps:
            raise TrainError(
                N_("the training has taken all of its {most} {most:step|steps}"), most=self.budget.steps
            )
        if self.training.step % _MEASURED == 0 and (used := _megabytes()) > self.budget.megabytes:
            raise TrainError(
                N_("the training needs {used} MB of memory; it may use {most} MB"),
                used=used,
                most=self.budget.megabytes,
            )

    def require_time(self) -> None:
        if monotonic() - self.began >= self.budget.seconds:
            raise TrainError(
                N_("the training has used its {most:g} seconds, pauses included"), most=self.budget.seconds
            )


def _megabytes() -> int:
    """The most memory that this process has used; 0 where the system does not say.

    Linux counts in ``ru_maxrss`` what the owner had used before it started this process, so there its own is read.
    """
    with suppress(OSError):
        most = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text("utf-8"))
        return int(most[1]) // 2**10 if most else 0
    try:
        import resource  # noqa: PLC0415  # not on Windows
    except ImportError:
        return 0
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(used // (2**20 if sys.platform == "darwin" else 2**10))
