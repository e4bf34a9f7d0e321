"""Where rooms are kept: the protocol, and the store in this process, which is the default.

A store keeps texts and counts, and waits for nothing but itself: one that many servers share (Redis: a hash a room, a
hash of answers a question, a message for every change) offers the same. Of each kind of message only the
latest is kept: whoever joins late, or comes back, needs no more than that.
"""

from __future__ import annotations

import time
from asyncio import Event
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

LIFETIME: Final = 12 * 3600.0
"""Seconds after which a room ends."""
MAX_ROOMS: Final = 500
MAX_LISTENERS: Final = 3_000
"""Streams that are open at once, of all rooms together."""
MAX_ANSWERS: Final = 5_000
"""Listeners whose answer to one question is kept."""


class FullError(Exception):
    """There is no room for another room, listener or answer."""


class Message(NamedTuple):
    """The latest message of one kind; ``revision`` counts the messages of a room, of whatever kind."""

    revision: int
    text: str


class Counts(NamedTuple):
    """How many listen, and how often each answer was given to the last question."""

    listeners: int
    answers: Mapping[str, int]


class Store(Protocol):
    """Rooms by their code. One that is not there, no longer, or never was, is None, or nothing happens."""

    async def open(self, code: str, key: str) -> bool:
        """Make a room; False where there is one of this code. Raises ``FullError``."""

    async def key(self, code: str) -> str | None:
        """The presenter's key."""

    async def latest(self, code: str) -> Mapping[str, Message] | None:
        """The latest message of each kind."""

    async def publish(self, code: str, kind: str, text: str, *, afresh: bool = False) -> int:
        """Send a message to all who listen, unless it is its kind's latest; its revision. ``afresh`` drops answers."""

    async def answer(self, code: str, listener: str, text: str) -> None:
        """Keep an answer, in place of this listener's last. Raises ``FullError``."""

    async def counts(self, code: str) -> Counts:
        """How many listen and what they answered."""

    def listening(self, code: str, *, counting: bool) -> AbstractAsyncContextManager[Event]:
        """While somebody listens: an event that is set whenever there is a new message.

        Who is ``counting`` hears of new counts too, and is none of those who are counted. Raises ``FullError``.
        """

    async def end(self, code: str) -> None:
        """The room is no more; all who listen are woken."""

    def close(self) -> None:
        """The server stops: nobody listens any more."""


@dataclass(eq=False)
class _Room:
    key: str
    until: float
    revision: int = 0
    latest: dict[str, Message] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    listening: set[Event] = field(default_factory=set)
    counting: set[Event] = field(default_factory=set)


class InProcess:
    """Rooms of this process; they end with it. ``clock`` tells seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._rooms: dict[str, _Room] = {}
        self._listeners = 0

    async def open(self, code: str, key: str) -> bool:
        """See ``Store``."""
        for other in [*self._rooms]:
            self._room(other)  # those whose time is over make room
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

    async def publish(self, code: str, kind: str, text: str, *, afresh: bool = False) -> int:
        """See ``Store``."""
        room = self._room(code)
        if room is None:
            return 0
        if afresh:
            room.answers.clear()
        last = room.latest.get(kind)
        if last is None or last.text != text:
            room.revision += 1
            room.latest[kind] = Message(room.revision, text)
            _wake(room.listening | room.counting)
        return room.latest[kind].revision

    async def answer(self, code: str, listener: str, text: str) -> None:
        """See ``Store``."""
        room = self._room(code)
        if room is None:
            return
        if listener not in room.answers and len(room.answers) >= MAX_ANSWERS:
            raise FullError
        room.answers[listener] = text
        _wake(room.counting)

    async def counts(self, code: str) -> Counts:
        """See ``Store``."""
        room = self._room(code)
        return Counts(len(room.listening), Counter(room.answers.values())) if room else Counts(0, {})

    @asynccontextmanager
    async def listening(self, code: str, *, counting: bool) -> AsyncIterator[Event]:
        """See ``Store``."""
        if self._listeners >= MAX_LISTENERS:
            raise FullError
        news = Event()
        room = self._room(code)
        among = (room.counting if counting else room.listening) if room else set()
        among.add(news)
        self._listeners += 1
        if room:
            _wake(room.counting)
        try:
            yield news
        finally:
            self._listeners -= 1
            among.discard(news)
            if room:
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
