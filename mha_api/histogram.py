"""Durations as Prometheus counts them."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from prometheus_client import Metric

BOUNDS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Upper bounds of a histogram's buckets, in seconds."""


class Durations:
    """A histogram of durations in seconds: how many are in each bucket, and their sum."""

    def __init__(self) -> None:
        self._counts = [0] * (len(BOUNDS) + 1)
        self._sum = 0.0

    def add(self, seconds: float) -> None:
        """One more."""
        self._counts[bisect_left(BOUNDS, seconds)] += 1
        self._sum += seconds

    def metric(self, name: str, what: str) -> Metric:
        """As Prometheus has it: each bucket counts all that is not longer than its bound."""
        from prometheus_client.metrics_core import HistogramMetricFamily  # noqa: PLC0415  # optional

        bounds = [*map(str, BOUNDS), "+Inf"]
        buckets = [*zip(bounds, accumulate(self._counts), strict=True)]
        return HistogramMetricFamily(name, what, buckets=buckets, sum_value=self._sum)
