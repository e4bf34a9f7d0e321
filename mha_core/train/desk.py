"""Where trainings are started: so many at once, the others wait in order and know their place.

desk = Desk(at_once=2)
job = desk.start(Order("induction"))
for message in job.messages():   # what has come since the last look
    ...
job.send(Command("pause"))
job.close()
"""

from __future__ import annotations

import atexit
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from threading import Lock, Thread
from types import ModuleType, TracebackType
from typing import Final

from mha_core.errors import N_, Reason, TrainError
from mha_core.train.messages import Budget, Command, Ended, Failed, Message, Order
from mha_core.train.worker import work

MOST_WAITING: Final = 100
_SPAWN: Final = get_context("spawn")
"""A process of its own from the first line on: one that is forked from a program with threads can hang."""
_STARTING: Final = Lock()
_GRACE: Final = 2.0
"""Seconds in which a process may end by itself before it is killed."""


@contextmanager
def _without_script() -> Iterator[None]:
    """A process that is started here does not run this one's script again, which may be Streamlit's page."""
    with _STARTING:
        script = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = script


class Job:
    """One training: it waits, runs, or has ended. Its messages are collected as they come."""

    def __init__(self, order: Order, budget: Budget, done: Callable[[Job], None]) -> None:
        self.order, self.budget = order, budget
        self.ended: Ended | None = None
        self._done = done
        self._messages: deque[Message] = deque()
        self._commands: list[Command] = []
        self._lock = Lock()
        self._pipe: Connection | None = None
        self._process: SpawnProcess | None = None
        self._collector: Thread | None = None

    @property
    def pid(self) -> int | None:
        """Of its process; None while it waits."""
        return self._process.pid if self._process else None

    def messages(self) -> list[Message]:
        """What has come since the last call, in order."""
        found = []
        while self._messages:
            found.append(self._messages.popleft())
        return found

    def send(self, command: Command) -> None:
        """Send a command; while the job waits it is kept. Nothing happens where it has ended."""
        with self._lock:
            if self._pipe is None:
                if self.ended is None:
                    self._commands.append(command)
                return
            try:
                self._pipe.send(command)
            except OSError:  # it has just ended; its last message says so
                return

    def close(self) -> None:
        """End it, whatever it does, and wait until its process is gone."""
        self.send(Command("stop"))
        with self._lock:
            process, collector = self._process, self._collector
        if process is None or collector is None:
            self._end(Ended())
            return
        collector.join(_GRACE)
        if collector.is_alive():
            process.kill()
            collector.join()

    def begin(self) -> None:
        """Start its process, unless it was closed while it waited."""
        try:
            with self._lock:
                if self.ended is None:
                    self._start()
        except OSError as error:
            failed = TrainError(N_("no process can be started: {reason}"), reason=Reason(error))
            self._end(Ended(Failed.of(failed)))

    def _start(self) -> None:
        ours, theirs = _SPAWN.Pipe()
        with theirs:
            process = _SPAWN.Process(target=work, args=(theirs, self.order, self.budget), daemon=True)
            with _without_script():
                process.start()
        for command in self._commands:
            ours.send(command)
        self._process, self._pipe = process, ours
        self._collector = Thread(target=self._collect, args=(ours, process), daemon=True)
        self._collector.start()

    def _collect(self, pipe: Connection, process: SpawnProcess) -> None:
        """Until the last message has come, or the process has gone without one."""
        ended = Ended(Failed.of(TrainError(N_("the training's process was ended from outside"))))
        with suppress(EOFError, OSError):
            while not isinstance(message := pipe.recv(), Ended):
                self._messages.append(message)
            ended = message
        with self._lock:
            self._pipe = None
        pipe.close()
        process.join(_GRACE)
        if process.is_alive():
            process.kill()
            process.join()
        self._end(ended)

    def _end(self, ended: Ended) -> None:
        with self._lock:
            if self.ended is not None:
                return
            self.ended = ended
        self._messages.append(ended)
        self._done(self)


class Desk:
    """Starts jobs, at most ``at_once`` of them; each gets the same budget."""

    def __init__(self, at_once: int = 2, budget: Budget | None = None) -> None:
        self.at_once, self.budget = at_once, budget or Budget()
        self._running: set[Job] = set()
        self._waiting: deque[Job] = deque()
        self._lock = Lock()
        atexit.register(self.close)

    def start(self, order: Order) -> Job:
        """A new job; it runs at once where there is room. Raises ``TrainError`` where too many wait already, and for a
        task or a setting that there is not.
        """
        order.require_known()
        job = Job(order, self.budget, self._next)
        with self._lock:
            if len(self._waiting) >= MOST_WAITING:
                raise TrainError(
                    N_("{count} trainings are waiting already; try again later"), count=MOST_WAITING
                )
            self._waiting.append(job)
        self._next()
        return job

    def place(self, job: Job) -> int:
        """0 where the job runs or has ended, else how many places away from its turn it is."""
        with self._lock:
            return self._waiting.index(job) + 1 if job in self._waiting else 0

    def close(self) -> None:
        """End every job."""
        atexit.unregister(self.close)
        with self._lock:
            jobs = [*self._waiting, *self._running]
            self._waiting.clear()
        for job in jobs:
            job.close()

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def _next(self, ended: Job | None = None) -> None:
        """Jobs begin in turn, as far as there is room."""
        with self._lock:
            if ended is not None:
                self._running.discard(ended)
                if ended in self._waiting:
                    self._waiting.remove(ended)
            room = max(0, self.at_once - len(self._running))
            beginning = [self._waiting.popleft() for _ in range(min(room, len(self._waiting)))]
            self._running.update(beginning)
        for job in beginning:
            job.begin()
