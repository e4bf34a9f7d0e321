"""What takes time is computed in threads, so that nobody waits for it but those who asked.

One piece at a time of one address, and a few of all: who asks for much waits for his own turns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar
from weakref import WeakValueDictionary

from anyio import CapacityLimiter, to_thread
from starlette.requests import HTTPConnection

from mha_api.requests import address

COMPUTING: Final = CapacityLimiter(2)
"""Threads that compute at once."""
_TURNS: Final[WeakValueDictionary[str, CapacityLimiter]] = WeakValueDictionary()
"""Of each address for which something is computed."""

T = TypeVar("T")


async def in_turn(asker: HTTPConnection, compute: Callable[..., T], *given: object) -> T:
    """What a function returns, computed in a thread once it is the turn of who asks."""
    turn = _TURNS.setdefault(
        address(asker), CapacityLimiter(1)
    )  # it is kept as long as somebody waits for it
    async with turn:
        return await to_thread.run_sync(compute, *given, limiter=COMPUTING)
