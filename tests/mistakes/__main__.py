"""Plant mistakes and print how the check names them: ``python -m tests.mistakes known|slips|exercises [count]``."""

from __future__ import annotations

import argparse

from tests.mistakes import exercises, known, slips

REPORTS = {"known": (known.report, 200), "slips": (slips.report, 300), "exercises": (exercises.report, 1000)}
"""By name: the function that writes the report line by line, and its default count."""

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.mistakes")
    parser.add_argument("report", choices=REPORTS)
    parser.add_argument(
        "count", nargs="?", type=int, help="of each known mistake, of drawn examples, of seeds"
    )
    given = parser.parse_args()
    write, usual = REPORTS[given.report]
    for line in write(given.count or usual):
        print(line, flush=True)
