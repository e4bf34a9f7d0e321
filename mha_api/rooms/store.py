"""Where rooms are stored: the protocol, and the default store, in this process.

A store has texts and counts only, so several servers can share one (``redis_store``). Only the latest message of each
kind is stored: a listener who joins late or comes back needs no more.
"""

from __future__ import annotations

import time
from asyncio import Event
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from math import inf
from typing import Final, NamedTuple, Protocol

from mha_api.requests import RefusedError
from mha_api.rooms import limits
from mha_core.errors import N_

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


class ClosedError(Exception):
    """The answer is to an earlier question."""


class LostError(RefusedError):
    """The store cannot be reached at present; nothing in it is lost."""

    def __init__(self) -> None:
        super().__init__(503, N_("the rooms cannot be reached at present; try again in a moment"))


class Message(NamedTuple):
    """The latest message of one kind; ``revision`` counts all messages of a room."""

    revision: int
    text: str


class Counts(NamedTuple):
    """The number of listeners, and how often each answer was given to the last question."""

    listeners: int
    answers: Mapping[str, int]


class Here(NamedTuple):
    """How much a store has in this process: rooms, and streams that are open."""

    rooms: int
    streams: int


class Store(Protocol):
    """Rooms by their code. For a room that does not exist or has ended, the result is None, or nothing happens.

    Every method but ``close`` and ``here`` may raise ``LostError`` where the store is not in this process.
    """

    moving: bool
    """Whether this server stops while its rooms go on: its streams end, and are opened again at another server."""

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

    async def answer(self, code: str, listener: str, text: str, address: str, *, question: int) -> None:
        """Store an answer, in place of this listener's last one.

        ``question``: the revision of the message with the question. Raises ``FullError``, ``AbsentError``, and
        ``ClosedError`` where another message with a question came since.
        """

    async def counts(self, code: str) -> Counts:
        """How many are listening and what they answered."""

    def listening(self, code: str, listener: str | None, address: str) -> AbstractAsyncContextManager[Event]:
        """While somebody listens: an event that is set whenever there is a new message.

        ``listener``: the listener's id; None for a stream that counts answers, which is woken by new counts too. Raises
        ``FullError``.
        """

    async def end(self, code: str) -> None:
        """End the room and wake all its listeners."""

    def here(self) -> Here:
        """How much is in this process; never raises ``LostError``."""

    def close(self) -> None:
        """The server stops: end all streams, and the rooms that end with it."""


class Streams:
    """The streams that are open in this process, all together and for each address."""

    def __init__(self, per_address: int) -> None:
        self._per_address = per_address
        self._open: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._open.total()

    @contextmanager
    def one_more(self, address: str) -> Iterator[None]:
        """While this address has one more open. Raises ``FullError``."""
        if len(self) >= MAX_LISTENERS:
            raise FullError
        if self._open[address] >= self._per_address:
            raise CrowdedError
        self._open[address] += 1
        try:
            yield
        finally:
            decrease(self._open, address)


@dataclass(eq=False)
class Audience:
    """The streams of a room that are open in this process."""

    streams: Counter[str] = field(default_factory=Counter)
    """How many each listener has open: two, after coming back before the first is known to be lost."""
    listening: set[Event] = field(default_factory=set)
    counting: set[Event] = field(default_factory=set)

    def wake(self) -> None:
        """There may be a new message."""
        for news in self.listening | self.counting:
            news.set()

    def wake_counting(self) -> None:
        """There may be new counts."""
        for news in self.counting:
            news.set()

    @contextmanager
    def event(self, listener: str | None) -> Iterator[Event]:
        """While a stream is open: the event that wakes it. ``listener``: see ``Store.listening``."""
        news = Event()
        events = self.counting if listener is None else self.listening
        events.add(news)
        try:
            yield news
        finally:
            events.discard(news)


@dataclass(eq=False)
class _Room(Audience):
    key: str = ""
    until: float = 0.0
    revision: int = 0
    latest: dict[str, Message] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    answered: Counter[str] = field(default_factory=Counter)
    """How many answers came from each address."""
    left: dict[str, float] = field(default_factory=dict)
    """When each listener's last stream was closed, in this order."""


class InProcess:
    """Rooms in the memory of this process; they end with it.

    ``clock``: seconds. ``per_address``: streams that one address may have open, and answers to one question.
    """

    moving = False

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, per_address: int = limits.STREAMS
    ) -> None:
        self._clock, self._per_address = clock, per_address
        self._rooms: dict[str, _Room] = {}
        self._streams = Streams(per_address)

    async def open(self, code: str, key: str) -> bool:
        """See ``Store``."""
        for other in [*self._rooms]:
            self._room(other)  # an expired room makes room for this one
        if code in self._rooms:
            return False
        if len(self._rooms) >= MAX_ROOMS:
            raise FullError
        self._rooms[code] = _Room(key=key, until=self._clock() + LIFETIME)
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
            room.wake()
        return room.latest[kind].revision

    async def answer(self, code: str, listener: str, text: str, address: str, *, question: int) -> None:
        """See ``Store``."""
        room = self._room(code)
        if room is None:
            return
        if room.latest["question"].revision != question:
            raise ClosedError
        if not room.streams[listener] and self._clock() - room.left.get(listener, -inf) > GRACE:
            raise AbsentError
        if listener not in room.answers:
            if len(room.answers) >= MAX_ANSWERS:
                raise FullError
            if room.answered[address] >= self._per_address:
                raise CrowdedError
            room.answered[address] += 1
        room.answers[listener] = text
        room.wake_counting()

    async def counts(self, code: str) -> Counts:
        """See ``Store``."""
        room = self._room(code)
        return Counts(len(room.streams), Counter(room.answers.values())) if room else Counts(0, {})

    @asynccontextmanager
    async def listening(self, code: str, listener: str | None, address: str) -> AsyncIterator[Event]:
        """See ``Store``."""
        room = self._room(code) or _Room()
        with self._streams.one_more(address), room.event(listener) as news:
            self._join(room, listener)
            try:
                yield news
            finally:
                self._leave(room, listener)

    def _join(self, room: _Room, listener: str | None) -> None:
        if listener is not None:
            room.streams[listener] += 1
            room.wake_counting()

    def _leave(self, room: _Room, listener: str | None) -> None:
        if listener is None:
            return
        decrease(room.streams, listener)
        now = self._clock()
        room.left.pop(listener, None)
        room.left[listener] = now
        while now - next(iter(room.left.values())) > GRACE:
            del room.left[next(iter(room.left))]
        room.wake_counting()

    async def end(self, code: str) -> None:
        """See ``Store``."""
        self._end(code)

    def here(self) -> Here:
        """See ``Store``."""
        return Here(len(self._rooms), len(self._streams))

    def close(self) -> None:
        """See ``Store``."""
        for code in [*self._rooms]:
            self._end(code)

    def _end(self, code: str) -> None:
        room = self._rooms.pop(code, None)
        if room:
            room.wake()

    def _room(self, code: str) -> _Room | None:
        room = self._rooms.get(code)
        if room and room.until < self._clock():
            self._end(code)
            return None
        return room


def decrease(counter: Counter[str], key: str) -> None:
    """One less; a key that has none left is removed."""
    counter[key] -= 1
    if not counter[key]:
        del counter[key]
