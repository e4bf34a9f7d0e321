"""A room over two servers behind the proxy, and what its audience notices when a part of that fails.

``python -m benchmarks replicas``. The processes are real, and so is the proxy's configuration, ``deploy/haproxy.cfg``.
A phone does what its page does: it comes back after a pause, with its listener's id and the last event's, and sends its
answer until that has arrived.
"""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from itertools import cycle
from random import Random
from typing import TypeAlias

from benchmarks.rooms import PLACES
from benchmarks.table import Line
from tools.drive import proxy
from tools.drive.connection import Connection
from tools.drive.proxy import Replicas
from tools.drive.visitor import all_come_back

AUDIENCE, STUDENTS = 200, 300
STEPS = 20
EVERY = 0.5
"""Seconds between two steps of the presenter."""
SETTLED = 4.0
"""Seconds that the lecture goes on for after a part has failed, at least."""
AWAY = 5.0
"""Seconds without Redis."""
CHOICES = {"text": "Which?", "choices": ["a", "b"]}
LOST = (OSError, EOFError, ValueError, IndexError)


Fault: TypeAlias = Callable[[Replicas], Coroutine[None, None, None]]


@dataclass
class Lecture:
    """A room behind the proxy."""

    port: int
    code: str = ""
    key: str = ""
    sent: dict[str, float] = field(default_factory=dict)
    step: str = ""

    async def request(self, method: str, path: str, body: object = None) -> tuple[int, bytes]:
        """A presenter's request; it is sent again until a server has answered it."""
        for attempt in range(100):
            try:
                connection = await Connection(self.port).open()
                data = json.dumps(body).encode() if body else b""
                headers = {"Authorization": f"Bearer {self.key}", "Accept-Encoding": "identity"}
                answer = await connection.request(method, path, data, **headers)
                connection.close()
                if answer[0] < 500:
                    return answer
            except LOST:
                pass
            await asyncio.sleep(min(0.5 * 2**attempt, 2) / 2)
        raise TimeoutError(path)

    async def open(self) -> Lecture:
        """Open the room, ask a question, and go to the first step."""
        room = json.loads((await self.request("POST", "/api/rooms"))[1])
        self.code, self.key = room["code"], room["key"]
        await self.go("tokens", "")
        assert (await self.request("POST", f"/api/rooms/{self.code}/questions", CHOICES))[0] == 201
        return self

    async def go(self, step: str, sub: str) -> None:
        """Go to a place."""
        self.step = f"{step} {sub}"
        self.sent[self.step] = time.perf_counter()
        place = {"example": "first", "step": step, "sub": sub}
        assert (await self.request("PUT", f"/api/rooms/{self.code}/place", place))[0] == 204


@dataclass
class Phone:
    """A phone that follows through the proxy."""

    lecture: Lecture
    random: Random
    taken: list[float] = field(default_factory=list)
    revisions: list[int] = field(default_factory=list)
    away: list[float] = field(default_factory=list)
    """How long it was without a stream, or with one whose server had lost the rooms."""
    listener: str = ""
    step: str = ""
    cookie: str = ""
    lost_at: float = 0.0
    """Since when it is without a stream; 0 while it has one."""

    async def follow(self, ready: Callable[[], object]) -> None:
        """Follow until the task is cancelled."""
        attempt = 0
        while True:
            try:
                if await self._connect():
                    attempt = 0
                    ready()
                    await self._read()
            except LOST:
                pass
            self._lose()
            await asyncio.sleep(min(15, 0.5 * 2**attempt) * (0.5 + self.random.random() / 2))
            attempt += 1

    async def answer(self, seconds: float) -> None:
        """Answer the question within so many seconds from now, and until the answer has arrived."""
        await asyncio.sleep(self.random.random() * seconds)
        body = json.dumps({"question": 1, "listener": self.listener, "answer": 1}).encode()
        for attempt in range(100):
            try:
                connection = await Connection(self.lecture.port).open()
                path = f"/api/rooms/{self.lecture.code}/answers"
                status, _ = await connection.request("POST", path, body, Cookie=self.cookie)
                connection.close()
                if status == 204:
                    return
            except LOST:
                pass
            await asyncio.sleep(min(15, 0.5 * 2**attempt) * (0.5 + self.random.random() / 2))

    async def _connect(self) -> bool:
        self._connection = await Connection(self.lecture.port).open()
        path = f"/api/rooms/{self.lecture.code}/events?listener={self.listener}"
        last = str(self.revisions[-1]) if self.revisions else "0"
        self._connection.send("GET", path, Cookie=self.cookie, Last_Event_ID=last)
        status, answered = await self._connection.head()
        self.cookie = answered.get("set-cookie", self.cookie).partition(";")[0]
        return status == 200

    async def _read(self) -> None:
        event = ""
        while line := await self._connection.reader.readline():
            if line.startswith(b"id: "):
                self.revisions.append(int(line[4:]))
            elif line.startswith(b"event: "):
                event = line[7:].decode().strip()
                self._lose() if event == "lost" else self._find()
                if event == "moved":
                    break
            elif line.startswith(b"data: "):
                self._receive(event, json.loads(line[6:]))
        self._connection.close()

    def _receive(self, event: str, data: dict[str, str]) -> None:
        if event == "listener":
            self.listener = data["listener"]
        if event == "place":
            self.step = f"{data['step']} {data['sub']}"
            self.taken.append((time.perf_counter() - self.lecture.sent[self.step]) * 1000)

    def _lose(self) -> None:
        self.lost_at = self.lost_at or time.perf_counter()

    def _find(self) -> None:
        if self.lost_at:
            self.away.append((time.perf_counter() - self.lost_at) * 1000)
            self.lost_at = 0.0


def measure() -> list[Line]:
    """Every line about several servers."""
    lines: list[Line] = []
    for what, fail in FAULTS.items():
        with proxy.running(MHA_DRAIN="6") as replicas:
            lines += asyncio.run(measured(replicas, what, fail))
    with proxy.running() as replicas:
        away = [1000 * student.away for student, *_ in asyncio.run(all_come_back(replicas, STUDENTS))]
    return [
        *lines,
        Line(f"a server is killed: {STUDENTS} students' work is back at another one", away, by="p95"),
    ]


async def measured(replicas: Replicas, what: str, fail: Fault) -> list[Line]:
    """How fast a step arrives, and how long phones are without a stream as a part fails.

    Raises ``AssertionError`` if an answer is lost, or an event comes twice.
    """
    lecture = await Lecture(replicas.port).open()
    ready = asyncio.Semaphore(0)
    phones = [Phone(lecture, Random(at)) for at in range(AUDIENCE)]
    following = [asyncio.create_task(phone.follow(ready.release)) for phone in phones]
    for _ in phones:
        await ready.acquire()
    await asyncio.sleep(1)
    places = cycle(PLACES)
    for phone in phones:
        phone.taken.clear()  # the place that it received first
    for _ in range(STEPS):
        await lecture.go(*next(places))
        await asyncio.sleep(EVERY)
    before = [taken for phone in phones for taken in phone.taken]
    failing = asyncio.create_task(fail(replicas))
    answers = [asyncio.create_task(phone.answer(SETTLED / 2)) for phone in phones]
    until = time.monotonic() + SETTLED
    while time.monotonic() < until or not all(task.done() for task in [failing, *answers]):
        await lecture.go(*next(places))
        await asyncio.sleep(EVERY)
    await lecture.go("output", "")
    while any(phone.step != lecture.step or phone.lost_at for phone in phones):
        await asyncio.sleep(EVERY)
    votes, listeners = await _counts(lecture)
    for task in following:
        task.cancel()
    repeated = sum(len(phone.revisions) - len(set(phone.revisions)) for phone in phones)
    lost = AUDIENCE - votes
    print(f"{what}: {votes} of {AUDIENCE} answers counted, {listeners} listeners, {repeated} events twice")
    assert (lost, repeated) == (0, 0)
    away = [time for phone in phones for time in phone.away] or [0.0, 0.0]
    return [
        Line(f"two servers, {AUDIENCE} follow, before {what}: sent → received", before, by="p95"),
        Line(f"{what}: a phone is without its stream", away, goal=(LIMITS[what], ""), by="p95"),
    ]


async def _counts(lecture: Lecture) -> tuple[int, int]:
    connection = await Connection(lecture.port).open()
    connection.send("GET", f"/api/rooms/{lecture.code}/events?counts=1")
    while not (line := await connection.reader.readline()).startswith(b'data: {"listeners"'):
        pass
    connection.close()
    data = json.loads(line[6:])
    return sum(data["answers"].values()), data["listeners"]


# --- what fails ------------------------------------------------------------------------------------------------------


async def _killed(replicas: Replicas) -> None:
    replicas.servers[0].kill()


async def _hung(replicas: Replicas) -> None:
    replicas.servers[0].process.send_signal(signal.SIGSTOP)


async def _stopped(replicas: Replicas) -> None:
    replicas.servers[0].process.send_signal(signal.SIGTERM)


async def _restarted(replicas: Replicas) -> None:
    replicas.redis.kill()
    await asyncio.sleep(AWAY)
    replicas.redis.start()


async def _suspended(replicas: Replicas) -> None:
    replicas.redis.suspend()
    await asyncio.sleep(AWAY)
    replicas.redis.resume()


FAULTS: dict[str, Fault] = {
    "a server is killed": _killed,
    "a server hangs": _hung,
    "a server is stopped by SIGTERM": _stopped,
    f"Redis is killed, and started {AWAY:g} s later": _restarted,
    f"Redis hangs for {AWAY:g} s": _suspended,
}
LIMITS = dict(zip(FAULTS, (2000, 5000, 2000, 1000 * (AWAY + 2), 1000 * (AWAY + 2)), strict=True))
"""Milliseconds."""
