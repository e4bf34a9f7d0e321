"""A connection to Redis that is made again whenever it is lost, and what is heard on it.

One task follows the channels on a connection of its own, and beats: at each beat it shows the others that this process
is alive, and learns whether Redis still answers. Redis counts as lost while that task has no connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Final, Protocol, cast

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.client import Pipeline, PubSub
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import OutOfMemoryError, ReadOnlyError, RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from mha_api.rooms.store import LostError

BEAT: Final = 2.0
"""Seconds between two beats."""
ALIVE: Final = 4 * BEAT
"""Seconds after its last beat for which a process counts as alive."""
TIMEOUT: Final = 2.0
"""Seconds in which Redis must answer."""
PATIENCE: Final = 1.0
"""Seconds for which a command waits until Redis is connected: nobody notices a shorter interruption."""
AGAIN: Final = 0.5
"""Seconds between two attempts to connect, on average."""
CONNECTIONS: Final = 32
"""Commands that are under way at once, from this process; more of them wait."""

_LOG: Final = logging.getLogger(__name__)
UNREACHABLE: Final = (RedisConnectionError, RedisTimeoutError, ReadOnlyError, OutOfMemoryError, OSError)
"""What a command raises where Redis is away, is starting, follows another one, or is full."""


class Listener(Protocol):
    """Who uses the link."""

    def received(self, channel: str, text: str) -> None:
        """A message came on a channel."""

    def changed(self) -> None:
        """Redis was lost, or is back."""

    async def beat(self) -> None:
        """Show that this process is alive."""


class Link:
    """Commands and messages; every command raises ``LostError`` while Redis cannot be reached."""

    def __init__(self, url: str, channels: Sequence[str], listener: Listener) -> None:
        self._channels, self._listener = channels, listener
        self._pool = BlockingConnectionPool.from_url(
            url,
            max_connections=CONNECTIONS,
            timeout=TIMEOUT,
            socket_timeout=TIMEOUT,
            socket_connect_timeout=TIMEOUT,
            decode_responses=True,
            retry=Retry(NoBackoff(), 0),
        )
        self._redis = Redis(connection_pool=self._pool)
        self._connected: asyncio.Event | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False

    async def script(self, text: str, keys: Sequence[str], *arguments: str | float) -> object:
        """The result of a script in Lua, which runs as a whole or not at all."""
        async with self._connection():
            return await self._redis.register_script(text)(keys, [*map(str, arguments)])

    async def hash(self, key: str) -> Mapping[str, str]:
        """A hash, empty where there is none."""
        async with self._connection():
            reading = cast(Awaitable[dict[str, str]], self._redis.hgetall(key))  # the pool decodes
            return await reading

    async def together(self, queue: Callable[[Pipeline], None]) -> None:
        """Run all the commands that ``queue`` adds, as one."""
        async with self._connection(), self._redis.pipeline() as pipeline:
            queue(pipeline)
            await pipeline.execute()

    @contextlib.asynccontextmanager
    async def _connection(self) -> AsyncIterator[None]:
        if self._is_closed:
            raise LostError
        if self._task is None:
            self._connected = asyncio.Event()
            self._task = asyncio.create_task(self._stay_connected(self._connected))
        try:
            if self._connected and not self._connected.is_set():
                async with asyncio.timeout(PATIENCE):
                    await self._connected.wait()
            yield
        except (*UNREACHABLE, TimeoutError):
            raise LostError from None

    async def _stay_connected(self, connected: asyncio.Event) -> None:
        is_known = False  # it is said once that Redis is away
        try:
            while True:
                try:
                    async with self._redis.pubsub() as pubsub:
                        await self._subscribe(pubsub)
                        is_known = False
                        await self._follow(pubsub, connected)
                except (RedisError, OSError, LostError) as error:
                    if not is_known:
                        _LOG.warning("Redis cannot be reached: %s", error)
                    is_known = True
                await asyncio.sleep(AGAIN * (0.5 + random.random()))
        finally:
            self._is_closed = True
            await self._redis.aclose()
            await self._pool.disconnect()

    async def _follow(self, pubsub: PubSub, connected: asyncio.Event) -> None:
        connected.set()
        self._listener.changed()
        clock = asyncio.get_running_loop().time
        received = due = clock()
        try:
            while clock() - received < ALIVE:
                if clock() >= due:
                    await self._listener.beat()
                    await pubsub.ping()
                    due = clock() + BEAT
                message = await pubsub.get_message(timeout=max(0.01, due - clock()))
                if message is not None:
                    received = clock()
                    if message["type"] == "message":
                        self._listener.received(message["channel"], message["data"])
        finally:  # at once, since a connection to a Redis that hangs takes long to close
            connected.clear()
            self._listener.changed()

    async def _subscribe(self, pubsub: PubSub) -> None:
        """Subscribe, and wait until Redis has confirmed it: nothing is missed from then on."""
        await pubsub.subscribe(*self._channels)
        for _ in self._channels:
            if await pubsub.get_message(timeout=TIMEOUT) is None:
                raise RedisTimeoutError
