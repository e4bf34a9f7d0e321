"""A line that counts what takes long, for whoever waits at a terminal or in a notebook."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from time import monotonic
from typing import Final, TextIO, TypeVar

_Run = TypeVar("_Run")
_EVERY: Final = 0.5
"""Seconds between two lines, and before the first: what is done by then needs none."""


def counted_out(runs: Sequence[_Run], name: str) -> Iterator[_Run]:
    """The runs one by one. On stderr one line says how many are done, "sweep: 37 / 144", and goes when all are.

    A file, a pipe or a log receives nothing.
    """
    watched = sys.stderr if _is_watched(sys.stderr) else None
    last, line = monotonic(), ""
    try:
        for done, run in enumerate(runs):
            if watched and monotonic() - last >= _EVERY:
                last, line = monotonic(), f"{name}: {done} / {len(runs)}"
                print(f"\r{line}", end="", file=watched, flush=True)
            yield run
    finally:
        if watched and line:
            print(f"\r{' ' * len(line)}\r", end="", file=watched, flush=True)


def _is_watched(stream: TextIO | None) -> bool:
    """Whether somebody sees the stream while it is written: at a terminal, or below a notebook's cell."""
    return stream is not None and (stream.isatty() or type(stream).__module__.startswith("ipykernel"))
