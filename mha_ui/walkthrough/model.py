"""What the walk is told of one state of the work."""

from __future__ import annotations

from typing import Any

from mha_ui.bench.model import payload as bench_payload
from mha_ui.state import Work
from mha_view.walk import walked
from mha_view.walk.lecture import lecture


def payload(work: Work) -> dict[str, Any]:
    """Everything that the walk shows, for one state of the work: it steps without asking for more."""
    bench = bench_payload(work)
    return {
        **bench,
        **walked(work.trace, work.language, bench["words"]),
        "lecture": lecture(work.trace, work.language),
        "place": work.walk._asdict(),
    }
