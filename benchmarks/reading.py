"""Reading articles: the shares of matrices, examples and wrong numbers that are found in folders of texts.

``python -m benchmarks reading`` measures ``tests/reading/corpus`` and what ``MHA_READING`` names (folders, separated by
``:``), which may lie outside of the repository; ``python -m benchmarks.reading FOLDER`` prints what was not read right.
``tools.reading`` says what such a folder has.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import torch

from benchmarks.table import Line
from tools.reading import Case, cases, measured

CORPUS = Path(__file__).parents[1] / "tests" / "reading" / "corpus"


def report(folder: Path, *, verbose: bool = False) -> list[Case]:
    """Every case of a folder; prints what was not read right in the half for tuning if ``verbose``.

    Every second text, in alphabetical order, is kept apart: nobody looks at it while the reader is improved.
    """
    torch.set_num_threads(1)
    found = [measured(text, expected) for text, expected in cases(folder)]
    for case in found[::2] if verbose else ():
        print(
            f"{case.name}: {case.placed}/{case.matrices}, example {case.example}, {case.found} wrong found {case.error}"
        )
        for kind in ("unplaced", "certain_but_wrong", "missed", "invented"):
            for one in getattr(case, kind)[:6]:
                print(f"    {kind}: {one}")
    return found


def measure() -> list[Line]:
    """The shares over all texts of each folder."""
    folders = [CORPUS, *(Path(name) for name in os.environ.get("MHA_READING", "").split(":") if name)]
    return [line for folder in folders if folder.is_dir() for line in lines(folder.name, report(folder))]


def lines(name: str, found: list[Case]) -> list[Line]:
    """A table's lines for one folder."""
    if len(found) < 2:
        return []
    complete = [100.0 * case.example for case in found if case.example is not None]
    share = 100 * sum(case.placed for case in found) / max(1, sum(case.matrices for case in found))
    errors = sum(case.found + len(case.missed) for case in found)
    return [
        Line(f"{name}: matrices with name, head and place", [share, share], "%"),
        Line(f"{name}: examples complete", [sum(complete) / max(1, len(complete))] * 2, "%"),
        Line(
            f"{name}: wrong readings taken for certain",
            [float(sum(len(c.certain_but_wrong) for c in found))] * 2,
            "",
        ),
        Line(
            f"{name}: wrong numbers found",
            [100 * sum(case.found for case in found) / max(1, errors)] * 2,
            "%",
        ),
        Line(f"{name}: wrong numbers invented", [float(sum(len(case.invented) for case in found))] * 2, ""),
        Line(f"{name}: one text", [1000 * case.seconds for case in found], "ms"),
    ]


if __name__ == "__main__":
    for name in sys.argv[1:] or [str(CORPUS)]:
        found = report(Path(name), verbose=True)
        for half, part in (("tuned", found[::2]), ("apart", found[1::2]), ("all", found)):
            for line in lines(half, part):
                print(f"{line.what}: {line.median:.1f} {line.unit}")
