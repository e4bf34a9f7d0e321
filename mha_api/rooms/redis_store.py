"""Rooms in Redis, or Valkey: several servers share them, and any of them serves any listener.

Redis has what a room is (``redis_scripts``) and who listens where (``presence``). A change is announced on a channel;
each server then wakes its own streams of that room, which read what is new. All streams that read a room at the same
moment share one reading.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from asyncio import Event, Task
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Final, NamedTuple, cast

from mha_api.rooms import limits, redis_scripts, store
from mha_api.rooms.presence import COUNTS, Presence
from mha_api.rooms.redis_link import Link
from mha_api.rooms.store import (
    LIFETIME,
    AbsentError,
    Audience,
    ClosedError,
    Counts,
    CrowdedError,
    FullError,
    Here,
    LostError,
    Message,
    Streams,
    decrease,
)

NEWS: Final = "news"
"""The channel on which servers hear that a room has a new message or has ended."""
_LATEST: Final = "latest:"
_REFUSED: Final = {
    "closed": ClosedError,
    "absent": AbsentError,
    "full": FullError,
    "crowded": CrowdedError,
}


class _Read(NamedTuple):
    """A room as it was read."""

    key: str
    latest: Mapping[str, Message]


class InRedis:
    """Rooms in the Redis at ``url``, which other servers use as well.

    ``per_address``: streams that one address may have open at this server, and answers to one question. ``prefix``
    begins every key.
    """

    def __init__(self, url: str, per_address: int = limits.STREAMS, prefix: str = "mha") -> None:
        self.moving = False
        self._per_address, self._prefix = per_address, prefix
        self._audiences: dict[str, Audience] = {}
        self._listeners: dict[str, Counter[str]] = {}
        self._reading: dict[str, Task[_Read | None]] = {}
        self._streams = Streams(per_address)
        self._news, self._counts = f"{prefix}:{NEWS}", f"{prefix}:{COUNTS}"
        self._link = Link(url, [self._news, self._counts], self)
        self._presence = Presence(self._link, prefix, secrets.token_hex(8), self._listeners)

    # --- what changes ------------------------------------------------------------------------------------------------

    async def open(self, code: str, key: str) -> bool:
        """See ``Store``."""
        keys = [*self._keys(code, "room"), f"{self._prefix}:rooms"]
        result = await self._link.script(redis_scripts.OPEN, keys, code, key, LIFETIME, store.MAX_ROOMS)
        if result == "full":
            raise FullError
        return result == "opened"

    async def publish(self, code: str, kind: str, text: str, *, drop_answers: bool = False) -> int:
        """See ``Store``."""
        keys = self._keys(code, "room", "answers", "tally", "answered")
        arguments = (code, kind, text, int(drop_answers), self._news)
        return cast(int, await self._link.script(redis_scripts.PUBLISH, keys, *arguments))

    async def answer(self, code: str, listener: str, text: str, address: str, *, question: int) -> None:
        """See ``Store``. Of the address only a digest is stored."""
        keys = self._keys(code, "room", "answers", "tally", "answered", "replicas", f"left:{listener}")
        digest = hashlib.sha256(f"{code} {address}".encode()).hexdigest()[:16]
        limited = (store.MAX_ANSWERS, self._per_address)
        arguments = (code, listener, text, digest, question, *limited, self._streams_of(code), self._counts)
        result = await self._link.script(redis_scripts.ANSWER, keys, *arguments)
        if refused := _REFUSED.get(str(result)):
            raise refused

    async def end(self, code: str) -> None:
        """See ``Store``."""
        keys = [*self._keys(code, "room"), f"{self._prefix}:rooms"]
        keys += self._keys(code, "answers", "tally", "answered", "replicas")
        await self._link.script(redis_scripts.END, keys, code, self._news)

    # --- what is read ------------------------------------------------------------------------------------------------

    async def key(self, code: str) -> str | None:
        """See ``Store``."""
        room = await self._read(code)
        return room.key if room else None

    async def latest(self, code: str) -> Mapping[str, Message] | None:
        """See ``Store``."""
        room = await self._read(code)
        return room.latest if room else None

    async def counts(self, code: str) -> Counts:
        """See ``Store``."""
        keys = self._keys(code, "tally", "replicas")
        result = await self._link.script(redis_scripts.COUNTS, keys, self._streams_of(code))
        listeners, tally = cast("tuple[int, list[str]]", result)
        answers = dict(zip(tally[::2], map(int, tally[1::2]), strict=True))
        return Counts(listeners, answers)

    async def _read(self, code: str) -> _Read | None:
        reading = self._reading.get(code)
        if reading is None:
            reading = self._reading[code] = asyncio.create_task(self._begin_to_read(code))
        return await asyncio.shield(reading)

    async def _begin_to_read(self, code: str) -> _Read | None:
        del self._reading[code]  # who comes later may know of something newer
        fields = await self._link.hash(*self._keys(code, "room"))
        if not fields:
            return None
        latest = {
            name.removeprefix(_LATEST): Message(int(revision), text)
            for name, (revision, _, text) in ((name, value.partition(" ")) for name, value in fields.items())
            if name.startswith(_LATEST)
        }
        return _Read(fields["key"], latest)

    # --- who listens -------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def listening(self, code: str, listener: str | None, address: str) -> AsyncIterator[Event]:
        """See ``Store``."""
        if self.moving:
            raise LostError
        audience = self._audiences.setdefault(code, Audience())
        self._listeners[code] = audience.streams
        try:
            with self._streams.one_more(address), audience.event(listener) as news:
                async with self._present(code, audience, listener):
                    yield news
        finally:
            if not audience.listening and not audience.counting:
                self._audiences.pop(code, None)
                self._listeners.pop(code, None)

    @asynccontextmanager
    async def _present(self, code: str, audience: Audience, listener: str | None) -> AsyncIterator[None]:
        if listener is None:
            yield
            return
        audience.streams[listener] += 1
        try:
            await self._presence.changed(code, listener)
            yield
        finally:
            decrease(audience.streams, listener)
            with suppress(LostError):
                await self._presence.changed(code, listener)

    def here(self) -> Here:
        """See ``Store``. Rooms are in Redis; here are those with a stream at this server."""
        return Here(len(self._audiences), len(self._streams))

    def close(self) -> None:
        """See ``Store``. The rooms go on at other servers."""
        self.moving = True
        self.changed()

    # --- what the link hears -----------------------------------------------------------------------------------------

    def received(self, channel: str, text: str) -> None:
        """A room, whose code is the text, has changed."""
        audience = self._audiences.get(text)
        if audience and channel == self._news:
            audience.wake()
        elif audience:
            audience.wake_counting()

    def changed(self) -> None:
        """Every stream looks whether Redis is there, and what it missed."""
        for audience in self._audiences.values():
            audience.wake()

    async def beat(self) -> None:
        """Renew who listens here; the counts may have changed by a server that died."""
        await self._presence.beat()
        for audience in self._audiences.values():
            audience.wake_counting()

    # --- keys --------------------------------------------------------------------------------------------------------

    def _keys(self, code: str, *names: str) -> list[str]:
        return [f"{self._prefix}:{code}:{name}" for name in names]

    def _streams_of(self, code: str) -> str:
        """What the keys with the listeners of each server begin with."""
        return f"{self._prefix}:{code}:streams:"
