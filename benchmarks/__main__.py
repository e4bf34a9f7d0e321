"""All measurements, a table for each part: ``python -m benchmarks``, or some of them by the names in ``PARTS``."""

from __future__ import annotations

import sys
from collections.abc import Callable

from benchmarks import (
    browser,
    check,
    command,
    core,
    heads,
    large,
    live,
    models,
    motion,
    notebook,
    openings,
    peers,
    pooled,
    reading,
    replicas,
    rooms,
    spreadsheet,
    train,
    walk,
)
from benchmarks.table import Line, show

PARTS: dict[str, Callable[[], list[Line] | str]] = {
    "command": command.measure,
    "core": core.measure,
    "check": check.measure,
    "browser": browser.measure,
    "walk": walk.measure,
    "motion": motion.measure,
    "openings": openings.measure,
    "live": live.measure,
    "hostile": live.hostile,
    "rooms": rooms.measure,
    "replicas": replicas.measure,
    "heads": heads.measure,
    "large": large.measure,
    "pooled": pooled.measure,
    "reading": reading.measure,
    "peers": peers.measure,
    "notebook": notebook.measure,
    "spreadsheet": spreadsheet.measure,
    "models": models.measure,
    "train": train.measure,
}

if __name__ == "__main__":
    wanted = sys.argv[1:] or list(PARTS)
    for part in wanted:  # each is printed once it is there, so that a later one that fails loses nothing
        found = PARTS[part]()
        print(found if isinstance(found, str) else show(found), flush=True)
