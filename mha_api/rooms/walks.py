"""What a walk shows, for those who follow it: computed once for all of them in one language, and compressed."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from anyio import CapacityLimiter, to_thread

from mha_api import ready
from mha_api.rooms.room import Numbers

Walk: TypeAlias = Callable[[Mapping[str, str], str, int], Mapping[str, Any]]
"""The example of an address, a language and decimals → what the walk shows. Raises ``MhaError``."""
KEPT: Final = 48
"""Walks that are kept, of all rooms and languages; those asked for last."""
COMPUTING: Final = CapacityLimiter(2)


class Shown(NamedTuple):
    """What a walk shows: as JSON, compressed by gzip; and the heads (0 where a matrix is of the whole layer), rows and
    columns of each matrix.
    """

    packed: bytes
    sizes: Mapping[str, tuple[int, int, int]]


class Walks:
    """What ``walk`` computes, kept."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._kept: OrderedDict[tuple[str, str], asyncio.Task[Shown]] = OrderedDict()

    async def packed(self, numbers: Numbers, language: str) -> bytes:
        """JSON, compressed by gzip. Raises ``MhaError`` as ``walk`` does."""
        return (await self._shown(numbers, language)).packed

    async def has(self, numbers: Numbers, language: str, cell: Mapping[str, Any]) -> bool:
        """Whether the walk shows this cell. Raises ``MhaError`` as ``walk`` does."""
        heads, rows, cols = (await self._shown(numbers, language)).sizes.get(cell["name"], (0, 0, 0))
        head = cell["head"]
        is_there = head < heads if head is not None else heads == 0
        return is_there and cell["row"] < rows and cell["col"] < cols

    async def _shown(self, numbers: Numbers, language: str) -> Shown:
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

    async def _computed(self, numbers: Numbers, language: str) -> Shown:
        await ready.imported()
        return await to_thread.run_sync(self._now, numbers, language, limiter=COMPUTING)

    def _now(self, numbers: Numbers, language: str) -> Shown:
        shown = self._walk(numbers.address, language, numbers.decimals)
        text = json.dumps(shown, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        sizes = {name: _size(matrix) for name, matrix in shown.get("matrices", {}).items()}
        return Shown(gzip.compress(text.encode(), 6, mtime=0), sizes)


def _size(matrix: Mapping[str, Any]) -> tuple[int, int, int]:
    values = matrix["values"]
    heads = values if matrix["perHead"] else [values]
    rows: Sequence[Sequence[float]] = next(filter(None, heads), [[]])  # keys that heads share are given once
    return len(heads) if matrix["perHead"] else 0, len(rows), len(rows[0])
