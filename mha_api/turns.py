"""What takes long is computed in threads, so that only those who requested it wait.

One computation at a time for each address, and a few in all: an address with many requests waits for itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar, TypeVarTuple
from weakref import WeakValueDictionary

from anyio import CapacityLimiter, to_thread
from starlette.requests import HTTPConnection

from mha_api.requests import address

COMPUTING: Final = CapacityLimiter(2)
"""Computations that run at once."""
_TURNS: Final[WeakValueDictionary[str, CapacityLimiter]] = WeakValueDictionary()
"""One for each address for which something is computed."""

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")


async def in_turn(sender: HTTPConnection, compute: Callable[[*Arguments], T], *arguments: *Arguments) -> T:
    """What ``compute`` returns, run in a thread when it is this address's turn."""
    # The dictionary is weak: an entry lives as long as somebody waits for it.
    turn = _TURNS.setdefault(address(sender), CapacityLimiter(1))
    async with turn:
        return await to_thread.run_sync(compute, *arguments, limiter=COMPUTING)
