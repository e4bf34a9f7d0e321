"""JSON from outside, read so that other threads go on meanwhile: a server answers others in one of them.

Python's reader lets nobody else in before it has come to its end, and a few kB of a link unpack to megabytes. So each
number is read by a function of ours, between two of which others have their turn, and there is an end to the lists:
Python goes through all that there are, again and again, as they become more.
"""

from __future__ import annotations

import json
from typing import Any, Final

from mha_core.errors import N_, ExampleError

MAX_LISTS: Final = 50_000
"""Twice as many as the largest example has, with all that can be claimed of it."""


def decoded(text: str | bytes, **hooks: Any) -> Any:
    """The value; ``hooks`` as ``json.loads`` has them. Raises what that raises, and ``ExampleError``."""
    if text.count("[" if isinstance(text, str) else b"[") > MAX_LISTS:  # type: ignore[arg-type]
        raise ExampleError(N_("there are more than {most} lists"), most=MAX_LISTS)
    return json.loads(text, parse_int=_whole, parse_float=_decimal, **hooks)


def _whole(digits: str) -> int:
    return int(digits)


def _decimal(digits: str) -> float:
    return float(digits)
