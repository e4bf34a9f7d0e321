"""JSON from outside, decoded so that other threads of a server can run meanwhile.

Python's decoder blocks other threads until it returns, and a few kB of a link unpack to megabytes. So each number is
converted by a Python function, since between two calls other threads can run. The number of lists is limited, since the
garbage collector scans all of them again and again as they become more.
"""

from __future__ import annotations

import json
from typing import Any, Final

from mha_core.errors import N_, ExampleError

MAX_LISTS: Final = 50_000
"""Twice as many as the largest example has, with everything claimed that can be."""


def decoded(text: str | bytes, **hooks: Any) -> Any:
    """The decoded value; ``hooks`` as for ``json.loads``. Raises the errors of ``json.loads``, and ``ExampleError``."""
    if text.count("[" if isinstance(text, str) else b"[") > MAX_LISTS:  # type: ignore[arg-type]
        raise ExampleError(N_("the file contains more than {most:,} lists"), most=MAX_LISTS)
    return json.loads(text, parse_int=_whole, parse_float=_decimal, **hooks)


def _whole(digits: str) -> int:
    return int(digits)


def _decimal(digits: str) -> float:
    return float(digits)
