"""How often an address may do something: a bucket of tokens for each, of which the least used are forgotten."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

MOST: Final = 20_000
"""Addresses that are remembered."""


class Buckets:
    """Each address may do something ``burst`` times at once, and ``rate`` times a second in the long run."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def may(self, address: str) -> bool:
        """Whether this address has a token left."""
        return self._now(address) >= 1

    def take(self, address: str) -> None:
        """Take one of its tokens, if it has one."""
        self._left[address] = max(0.0, self._now(address) - 1), self._clock()
        self._left.move_to_end(address)
        if len(self._left) > MOST:
            self._left.popitem(last=False)

    def _now(self, address: str) -> float:
        left, at = self._left.get(address, (self._burst, 0.0))
        return min(self._burst, left + (self._clock() - at) * self._rate)
