"""What a walk shows, for those who follow it: computed once for all of them in one language, and compressed."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from anyio import CapacityLimiter, to_thread

from mha_api import ready
from mha_api.rooms.room import Numbers

Walk: TypeAlias = Callable[[Mapping[str, str], str, int], Mapping[str, Any]]
"""The example of an address, a language and decimals → what the walk shows. Raises ``MhaError``."""
KEPT: Final = 48
"""Walks that are kept, of all rooms and languages; those asked for last."""
COMPUTING: Final = CapacityLimiter(2)


class Walks:
    """What ``walk`` computes, kept."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._kept: OrderedDict[tuple[str, str], asyncio.Task[bytes]] = OrderedDict()

    async def packed(self, numbers: Numbers, language: str) -> bytes:
        """JSON, compressed by gzip. Raises ``MhaError`` as ``walk`` does."""
        at = numbers.id, language
        if at not in self._kept:
            self._kept[at] = asyncio.create_task(self._computed(numbers, language))
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(at)
        try:
            return await asyncio.shield(self._kept[at])  # others wait for it too
        except Exception:
            self._kept.pop(at, None)
            raise

    async def _computed(self, numbers: Numbers, language: str) -> bytes:
        await ready.imported()
        return await to_thread.run_sync(self._now, numbers, language, limiter=COMPUTING)

    def _now(self, numbers: Numbers, language: str) -> bytes:
        shown = self._walk(numbers.address, language, numbers.decimals)
        text = json.dumps(shown, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return gzip.compress(text.encode(), 6, mtime=0)
