"""The data of a walk for its audience: computed once for each language, and compressed."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from anyio import CapacityLimiter, to_thread

from mha_api import ready
from mha_api.rooms.room import Cell, Numbers

Walk: TypeAlias = Callable[[Mapping[str, str], str, int], Mapping[str, object]]
"""The address of an example, a language and decimals → the data of its walk. Raises ``MhaError``."""
STORED: Final = 48
"""Walks that are stored, of all rooms and languages: the latest requested ones."""
COMPUTING: Final = CapacityLimiter(2)


class PackedWalk(NamedTuple):
    """The data of a walk as JSON, compressed by gzip. ``sizes``: each matrix's heads (0 for the whole layer), rows and
    columns.
    """

    packed: bytes
    sizes: Mapping[str, tuple[int, int, int]]


class Walks:
    """A cache of what ``walk`` computes."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._tasks: OrderedDict[tuple[str, str], asyncio.Task[PackedWalk]] = OrderedDict()

    async def packed(self, numbers: Numbers, language: str) -> bytes:
        """JSON, compressed by gzip. Raises ``MhaError`` as ``walk`` does."""
        return (await self._packed_walk(numbers, language)).packed

    async def has(self, numbers: Numbers, language: str, cell: Cell) -> bool:
        """Whether the walk shows this cell. Raises ``MhaError`` as ``walk`` does."""
        heads, rows, cols = (await self._packed_walk(numbers, language)).sizes.get(cell["name"], (0, 0, 0))
        head = cell["head"]
        has_head = head < heads if head is not None else heads == 0
        return has_head and cell["row"] < rows and cell["col"] < cols

    async def _packed_walk(self, numbers: Numbers, language: str) -> PackedWalk:
        key = numbers.id, language
        if key not in self._tasks:
            self._tasks[key] = asyncio.create_task(self._compute(numbers, language))
            if len(self._tasks) > STORED:
                self._tasks.popitem(last=False)
        self._tasks.move_to_end(key)
        try:
            return await asyncio.shield(self._tasks[key])  # others wait for it too
        except Exception:
            self._tasks.pop(key, None)
            raise

    async def _compute(self, numbers: Numbers, language: str) -> PackedWalk:
        await ready.imported()
        return await to_thread.run_sync(self._pack, numbers, language, limiter=COMPUTING)

    def _pack(self, numbers: Numbers, language: str) -> PackedWalk:
        data = self._walk(numbers.address, language, numbers.decimals)
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        matrices = data.get("matrices")
        sizes = (
            {
                name: _size(
                    matrix["values"] if matrix["perHead"] else [matrix["values"]], per_head=matrix["perHead"]
                )
                for name, matrix in matrices.items()
            }
            if isinstance(matrices, Mapping)
            else {}
        )
        return PackedWalk(gzip.compress(text.encode(), 6, mtime=0), sizes)


def _size(heads: Sequence[Sequence[Sequence[float]] | None], *, per_head: bool) -> tuple[int, int, int]:
    rows: Sequence[Sequence[float]] = next(
        filter(None, heads), [[]]
    )  # shared keys are sent once, with their first head
    return len(heads) if per_head else 0, len(rows), len(rows[0])
