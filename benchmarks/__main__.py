"""The table: ``python -m benchmarks``, or some of it: ``core``, ``check``, ``browser``, ``walk``, ``openings``."""

from __future__ import annotations

import sys

from benchmarks import browser, check, core, live, openings, walk
from benchmarks.table import show

PARTS = {
    "core": core.measure,
    "check": check.measure,
    "browser": browser.measure,
    "walk": walk.measure,
    "openings": openings.measure,
    "live": live.measure,
}

if __name__ == "__main__":
    wanted = sys.argv[1:] or list(PARTS)
    print(show([line for part in wanted for line in PARTS[part]()]))
