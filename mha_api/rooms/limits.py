"""How much one address may do: how often, by a bucket of tokens for each, and how many streams it may have open."""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Final

MOST: Final = 20_000
"""Addresses that are remembered; the least used are forgotten."""
SETTING: Final = "MHA_STREAMS"
STREAMS: Final = 1_500
"""Event streams that one address may have open, unless it is set: a campus is one address."""


def streams(settings: Mapping[str, str] = os.environ) -> int:
    """How many the setting allows. Raises ``ValueError`` where it is no whole number from 1 on."""
    text = settings.get(SETTING, "").strip()
    if text and not (text.isascii() and text.isdigit() and int(text)):
        raise ValueError(f"{SETTING}: expected a whole number from 1 on, got {ascii(text)[:40]}")
    return int(text or STREAMS)


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
