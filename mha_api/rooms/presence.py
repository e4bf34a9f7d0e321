"""Who listens at this server, as all servers see it in Redis.

One write at a time, so that none overtakes another. What changes meanwhile waits for the next write, which takes it all
at once: a thousand phones that join together cost a few writes.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from redis.asyncio.client import Pipeline

from mha_api.rooms.redis_link import ALIVE, Link
from mha_api.rooms.store import GRACE, LIFETIME

COUNTS: Final = "counts"
"""The channel on which servers hear that a room's counts have changed."""


class Presence:
    """The listeners of each room at this server.

    ``prefix`` begins every key. ``listeners``: for each room's code, how many streams each listener has open here. It
    is read at every write.
    """

    def __init__(self, link: Link, prefix: str, replica: str, listeners: Mapping[str, Counter[str]]) -> None:
        self._link, self._prefix, self._replica, self._listeners = link, prefix, replica, listeners
        self._changed: dict[str, set[str]] = {}
        self._writing = asyncio.Lock()

    async def changed(self, code: str, listener: str) -> None:
        """The listener came or left: write it. Raises ``LostError``; the next beat then tries again."""
        self._changed.setdefault(code, set()).add(listener)
        async with self._writing:
            if self._changed:
                await self._write(self._changed)

    async def beat(self) -> None:
        """Renew the listeners of every room, whatever became of them in Redis."""
        async with self._writing:
            await self._write({code: {*here} for code, here in self._listeners.items()} | self._changed, True)

    async def _write(self, changed: Mapping[str, Iterable[str]], is_beat: bool = False) -> None:
        written, self._changed = self._changed, {}
        try:
            await self._link.together(lambda pipeline: self._queue(pipeline, changed, is_beat))
        except BaseException:
            for code, listeners in written.items():
                self._changed.setdefault(code, set()).update(listeners)
            raise

    def _queue(self, pipeline: Pipeline, changed: Mapping[str, Iterable[str]], is_beat: bool) -> None:
        for code, listeners in changed.items():
            here = self._listeners.get(code, Counter())
            room = f"{self._prefix}:{code}"
            streams, replicas = f"{room}:streams:{self._replica}", f"{room}:replicas"
            for listener in listeners:
                if not here[listener]:
                    pipeline.hdel(streams, listener)
                    pipeline.set(f"{room}:left:{listener}", "", ex=round(GRACE))
            if is_beat:
                pipeline.delete(streams)
            joined = here if is_beat else [listener for listener in listeners if here[listener]]
            if joined:
                pipeline.hset(streams, mapping=dict.fromkeys(joined, ""))
                pipeline.expire(streams, round(ALIVE))
                pipeline.sadd(replicas, self._replica)
                pipeline.expire(replicas, round(LIFETIME))
            if not is_beat:
                pipeline.publish(f"{self._prefix}:{COUNTS}", code)
