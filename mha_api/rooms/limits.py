"""Limits for each address: how often it may do something (a token bucket), and how many streams it may have open."""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Final

MOST: Final = 20_000
"""Addresses that are remembered; the least recently used are forgotten."""
SETTING: Final = "MHA_STREAMS"
STREAMS: Final = 1_500
"""Event streams that one address may have open by default; a whole campus can be one address."""


def streams(settings: Mapping[str, str] = os.environ) -> int:
    """How many streams the setting allows. Raises ``ValueError`` if it is not a whole number from 1 on."""
    text = settings.get(SETTING, "").strip()
    if text and not (text.isascii() and text.isdigit() and int(text)):
        raise ValueError(f"{SETTING}: expected a whole number from 1 on, got {ascii(text)[:40]}")
    return int(text or STREAMS)


class Buckets:
    """Each address may do something ``burst`` times at once, and ``rate`` times a second in the long run."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def may(self, address: str) -> bool:
        """Whether this address has a token left."""
        return self._tokens(address) >= 1

    def take(self, address: str) -> None:
        """Take one of its tokens, if it has one."""
        self._levels[address] = max(0.0, self._tokens(address) - 1), self._clock()
        self._levels.move_to_end(address)
        if len(self._levels) > MOST:
            self._levels.popitem(last=False)

    def _tokens(self, address: str) -> float:
        tokens, updated = self._levels.get(address, (self._burst, 0.0))
        return min(self._burst, tokens + (self._clock() - updated) * self._rate)
