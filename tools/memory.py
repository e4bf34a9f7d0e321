"""The most memory that a process has used."""

from __future__ import annotations

import sys
from pathlib import Path
from resource import RUSAGE_SELF, getrusage


def peak() -> int:
    """The most bytes that this process has used since it began.

    On Linux ``getrusage`` starts from the parent's peak, which hides any growth below it.
    """
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = [line for line in status.read_text("ascii").splitlines() if line.startswith("VmHWM:")]
        return int(line.split()[1]) * 1024
    return getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
