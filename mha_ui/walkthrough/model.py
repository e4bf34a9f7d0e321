"""What the walk receives for one state of the work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired, TypedDict, cast

from mha_ui.bench.model import payload as bench_payload
from mha_ui.state import View, Work
from mha_view import payloads
from mha_view.walk import walked
from mha_view.walk.lecture import lecture


class WalkPosition(TypedDict):
    """Where a walk stands, and how it is shown."""

    step: str
    sub: str
    view: View
    predict: bool


class WalkModel(payloads.Model, payloads.Walked):
    """What the walk reads of what it is sent; only a lecturer has a ``lecture``."""

    address: Mapping[str, str]
    session: str
    opened: int
    revision: int
    place: WalkPosition
    lecture: NotRequired[payloads.LecturePlan]


def payload(work: Work) -> WalkModel:
    """Everything that the walk shows, for one state of the work: it steps without asking for more."""
    bench = bench_payload(work)
    data = {
        **bench,
        **walked(work.trace, work.language),
        "lecture": lecture(work.trace, work.language),
        "place": work.walk._asdict(),
    }
    return cast("WalkModel", data)
