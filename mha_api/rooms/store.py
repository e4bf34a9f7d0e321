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
from math import inf
from typing import Final, NamedTuple, Protocol

from mha_api.rooms import limits

LIFETIME: Final = 12 * 3600.0
"""Seconds after which a room ends."""
MAX_ROOMS: Final = 500
MAX_LISTENERS: Final = 3_000
"""Streams that are open at once, of all rooms together."""
MAX_ANSWERS: Final = 5_000
"""Listeners whose answer to one question is kept."""
GRACE: Final = 30.0
"""Seconds for which a listener may answer whose stream was lost: he is about to come back."""


class FullError(Exception):
    """There is no room for another room, listener or answer."""


class CrowdedError(FullError):
    """There is none for another listener or answer from this address."""


class AbsentError(Exception):
    """Who answers does not listen."""


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

    async def answer(self, code: str, listener: str, text: str, address: str) -> None:
        """Keep an answer, in place of this listener's last. Raises ``FullError``, and ``AbsentError``."""

    async def counts(self, code: str) -> Counts:
        """How many listen and what they answered."""

    def listening(self, code: str, listener: str | None, address: str) -> AbstractAsyncContextManager[Event]:
        """While somebody listens: an event that is set whenever there is a new message.

        ``listener``: who it is; None for who counts the others, and hears of new counts too. Raises ``FullError``.
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
    answered: Counter[str] = field(default_factory=Counter)
    """How many answers came from an address."""
    streams: Counter[str] = field(default_factory=Counter)
    """How many a listener has open: two, where he comes back before the first is known to be lost."""
    left: dict[str, float] = field(default_factory=dict)
    """When a listener's last stream was closed; those who left first come first."""
    listening: set[Event] = field(default_factory=set)
    counting: set[Event] = field(default_factory=set)


class InProcess:
    """Rooms of this process; they end with it.

    ``clock`` tells seconds; ``per_address``: streams that one address may have open, and answers to one question.
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
        among = room.counting if listener is None else room.listening
        among.add(news)
        self._streams[address] += 1
        self._come(room, listener)
        try:
            yield news
        finally:
            among.discard(news)
            _less(self._streams, address)
            self._go(room, listener)

    def _come(self, room: _Room, listener: str | None) -> None:
        if listener is not None:
            room.streams[listener] += 1
            _wake(room.counting)

    def _go(self, room: _Room, listener: str | None) -> None:
        if listener is None:
            return
        _less(room.streams, listener)
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


def _less(counted: Counter[str], one: str) -> None:
    counted[one] -= 1
    if not counted[one]:
        del counted[one]
