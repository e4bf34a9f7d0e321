"""Rows of a table: what, median, 95th percentile, and how it compares with the goal."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median, quantiles
from typing import Literal


@dataclass(frozen=True)
class Line:
    """One measured quantity. ``goal``: (factor, the line that it is a factor of), or (limit, "") in the line's unit.

    ``by``: whether the goal is for the median or the 95th percentile, in this line and in the line it refers to.
    """

    what: str
    samples: list[float]
    unit: str = "ms"
    goal: tuple[float, str] | None = None
    by: Literal["median", "p95"] = "median"

    @property
    def median(self) -> float:
        """The middle sample."""
        return median(self.samples)

    @property
    def p95(self) -> float:
        """95 % of the samples are no larger."""
        return quantiles(self.samples, n=20)[-1]


def show(lines: list[Line]) -> str:
    """The table as Markdown."""
    by_name = {line.what: line for line in lines}
    rows = ["| what | median | p95 | n | goal | reached |", "| --- | ---: | ---: | ---: | --- | --- |"]
    for line in lines:
        goal = reached = ""
        if line.goal:
            factor, reference = line.goal
            base = getattr(by_name[reference], line.by) if reference else 1.0
            measured = getattr(line, line.by)
            ratio = measured / base
            goal = f"≤ {factor:g}× {reference}" if reference else f"≤ {factor:g} {line.unit}"
            goal += " (p95)" if line.by == "p95" else ""
            reached = (
                f"{ratio:.2f}{'×' if reference else ' ' + line.unit} {'yes' if ratio <= factor else 'NO'}"
            )
        digits = 0 if line.unit == "bytes" else 1
        rows.append(
            f"| {line.what} | {line.median:,.{digits}f} {line.unit} | {line.p95:,.{digits}f} {line.unit} "
            f"| {len(line.samples)} | {goal} | {reached} |"
        )
    return "\n".join(rows)
