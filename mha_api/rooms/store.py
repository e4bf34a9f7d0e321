"""Where rooms are stored: the protocol, and the default store, in this process.

A store has texts and counts only, so several servers could share one (Redis: a hash for each room, a hash of answers
for each question, a message for every change). Only the latest message of each kind is stored: a listener who joins
late or comes back needs no more.
"""

from __future__ import annotations

import time
from asyncio import Event
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from math import inf
from typing import Final, NamedTuple, Protocol

from mha_api.rooms import limits

LIFETIME: Final = 12 * 3600.0
"""Seconds after which a room ends."""
MAX_ROOMS: Final = 500
MAX_LISTENERS: Final = 3_000
"""Streams that are open at once, in all rooms together."""
MAX_ANSWERS: Final = 5_000
"""Listeners whose answers to one question are stored."""
GRACE: Final = 30.0
"""Seconds for which a listener may still answer after losing the stream: most are about to come back."""


class FullError(Exception):
    """No more rooms, listeners or answers fit."""


class CrowdedError(FullError):
    """No more listeners or answers from this address are accepted."""


class AbsentError(Exception):
    """The sender of an answer is not listening."""


class Message(NamedTuple):
    """The latest message of one kind; ``revision`` counts all messages of a room."""

    revision: int
    text: str


class Counts(NamedTuple):
    """The number of listeners, and how often each answer was given to the last question."""

    listeners: int
    answers: Mapping[str, int]


class Store(Protocol):
    """Rooms by their code. For a room that does not exist or has ended, the result is None, or nothing happens."""

    async def open(self, code: str, key: str) -> bool:
        """Make a room; False if the code is taken. Raises ``FullError``."""

    async def key(self, code: str) -> str | None:
        """The presenter's key."""

    async def latest(self, code: str) -> Mapping[str, Message] | None:
        """The latest message of each kind."""

    async def publish(self, code: str, kind: str, text: str, *, drop_answers: bool = False) -> int:
        """Send a message to all listeners, unless it equals the latest of its kind. Returns its revision.

        ``drop_answers``: forget the answers to the last question.
        """

    async def answer(self, code: str, listener: str, text: str, address: str) -> None:
        """Store an answer, in place of this listener's last one. Raises ``FullError`` and ``AbsentError``."""

    async def counts(self, code: str) -> Counts:
        """How many are listening and what they answered."""

    def listening(self, code: str, listener: str | None, address: str) -> AbstractAsyncContextManager[Event]:
        """While somebody listens: an event that is set whenever there is a new message.

        ``listener``: the listener's id; None for a stream that counts answers, which is woken by new counts too. Raises
        ``FullError``.
        """

    async def end(self, code: str) -> None:
        """End the room and wake all its listeners."""

    def close(self) -> None:
        """End all rooms, since the server stops."""


@dataclass(eq=False)
class _Room:
    key: str
    until: float
    revision: int = 0
    latest: dict[str, Message] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    answered: Counter[str] = field(default_factory=Counter)
    """How many answers came from each address."""
    streams: Counter[str] = field(default_factory=Counter)
    """How many each listener has open: two, after coming back before the first is known to be lost."""
    left: dict[str, float] = field(default_factory=dict)
    """When each listener's last stream was closed, in this order."""
    listening: set[Event] = field(default_factory=set)
    counting: set[Event] = field(default_factory=set)


class InProcess:
    """Rooms in the memory of this process; they end with it.

    ``clock``: seconds. ``per_address``: streams that one address may have open, and answers to one question.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, per_address: int = limits.STREAMS
    ) -> None:
        self._clock, self._per_address = clock, per_address
        self._rooms: dict[str, _Room] = {}
        self._streams: Counter[str] = Counter()

    async def open(self, code: str, key: str) -> bool:
        """See ``Store``."""
        for other in [*self._rooms]:
            self._room(other)  # an expired room makes room for this one
        if code in self._rooms:
            return False
        if len(self._rooms) >= MAX_ROOMS:
            raise FullError
        self._rooms[code] = _Room(key, self._clock() + LIFETIME)
        return True

    async def key(self, code: str) -> str | None:
        """See ``Store``."""
        room = self._room(code)
        return room.key if room else None

    async def latest(self, code: str) -> Mapping[str, Message] | None:
        """See ``Store``."""
        room = self._room(code)
        return room.latest if room else None

    async def publish(self, code: str, kind: str, text: str, *, drop_answers: bool = False) -> int:
        """See ``Store``."""
        room = self._room(code)
        if room is None:
            return 0
        if drop_answers:
            room.answers.clear()
            room.answered.clear()
        last = room.latest.get(kind)
        if last is None or last.text != text:
            room.revision += 1
            room.latest[kind] = Message(room.revision, text)
            _wake(room.listening | room.counting)
        return room.latest[kind].revision

    async def answer(self, code: str, listener: str, text: str, address: str) -> None:
        """See ``Store``."""
        room = self._room(code)
        if room is None:
            return
        if not room.streams[listener] and self._clock() - room.left.get(listener, -inf) > GRACE:
            raise AbsentError
        if listener not in room.answers:
            if len(room.answers) >= MAX_ANSWERS:
                raise FullError
            if room.answered[address] >= self._per_address:
                raise CrowdedError
            room.answered[address] += 1
        room.answers[listener] = text
        _wake(room.counting)

    async def counts(self, code: str) -> Counts:
        """See ``Store``."""
        room = self._room(code)
        return Counts(len(room.streams), Counter(room.answers.values())) if room else Counts(0, {})

    @asynccontextmanager
    async def listening(self, code: str, listener: str | None, address: str) -> AsyncIterator[Event]:
        """See ``Store``."""
        if self._streams.total() >= MAX_LISTENERS:
            raise FullError
        if self._streams[address] >= self._per_address:
            raise CrowdedError
        news = Event()
        room = self._room(code) or _Room("", 0.0)
        events = room.counting if listener is None else room.listening
        events.add(news)
        self._streams[address] += 1
        self._join(room, listener)
        try:
            yield news
        finally:
            events.discard(news)
            _decrease(self._streams, address)
            self._leave(room, listener)

    def _join(self, room: _Room, listener: str | None) -> None:
        if listener is not None:
            room.streams[listener] += 1
            _wake(room.counting)

    def _leave(self, room: _Room, listener: str | None) -> None:
        if listener is None:
            return
        _decrease(room.streams, listener)
        now = self._clock()
        room.left.pop(listener, None)
        room.left[listener] = now
        while now - next(iter(room.left.values())) > GRACE:
            del room.left[next(iter(room.left))]
        _wake(room.counting)

    async def end(self, code: str) -> None:
        """See ``Store``."""
        self._end(code)

    def close(self) -> None:
        """See ``Store``."""
        for code in [*self._rooms]:
            self._end(code)

    def _end(self, code: str) -> None:
        room = self._rooms.pop(code, None)
        if room:
            _wake(room.listening | room.counting)

    def _room(self, code: str) -> _Room | None:
        room = self._rooms.get(code)
        if room and room.until < self._clock():
            self._end(code)
            return None
        return room


def _wake(listeners: set[Event]) -> None:
    for news in listeners:
        news.set()


def _decrease(counter: Counter[str], key: str) -> None:
    counter[key] -= 1
    if not counter[key]:
        del counter[key]
