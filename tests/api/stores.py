"""The stores in which rooms are tested: each makes stores that share their rooms, and lets time pass in them."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Protocol

from redis.asyncio import Redis

from mha_api.rooms import limits
from mha_api.rooms.redis_store import InRedis
from mha_api.rooms.store import InProcess, Store


class Backing(Protocol):
    """Where the rooms of one test are."""

    def store(self, per_address: int = limits.STREAMS) -> Store:
        """A store; another server's, where that is possible."""

    async def elapse(self, seconds: float) -> None:
        """Let time pass in all of them."""

    async def close(self) -> None:
        """The test is over."""


class Memory:
    """Rooms in this process."""

    def __init__(self) -> None:
        self.now = 0.0

    def store(self, per_address: int = limits.STREAMS) -> Store:
        return InProcess(lambda: self.now, per_address)

    async def elapse(self, seconds: float) -> None:
        self.now += seconds

    async def close(self) -> None:
        pass


class Shared:
    """Rooms in a Redis, which is empty at first."""

    def __init__(self, url: str) -> None:
        self.url = url

    def store(self, per_address: int = limits.STREAMS) -> InRedis:
        return InRedis(self.url, per_address)

    async def elapse(self, seconds: float) -> None:
        """Shorten the life of every key. The servers that are alive go on renewing their listeners."""
        async with Redis.from_url(self.url, decode_responses=True) as redis:
            async for key in redis.scan_iter():
                rest = await redis.pttl(key) - round(seconds * 1000)
                if ":streams:" not in key and await redis.pttl(key) > 0:
                    await (redis.pexpire(key, rest) if rest > 0 else redis.delete(key))

    async def close(self) -> None:
        async with Redis.from_url(self.url) as redis:
            await redis.flushall()


BACKING: ContextVar[Backing] = ContextVar("BACKING")
"""Where the rooms of the test that runs are; in memory where none is set."""


def backing() -> Backing:
    """That of this test."""
    return BACKING.get(None) or Memory()
