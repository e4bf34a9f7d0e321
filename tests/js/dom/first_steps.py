"""The tables on a first visit, on one by a link, and once the first steps were requested."""

from dataclasses import replace
from typing import Any

from mha_ui.bench.model import payload
from mha_ui.state import Work, ask_for_first_steps
from tests.js.dom.works import work


def payloads() -> dict[str, Any]:
    by_link = work("programming")
    works = {
        "first visit": _first_visit(by_link),
        "first visit in Chinese": _first_visit(work("programming", "zh")),
        "by a link": by_link,
        "requested": ask_for_first_steps(by_link),
    }
    return {name: payload(work) for name, work in works.items()}


def _first_visit(opened: Work) -> Work:
    return replace(opened, browser=replace(opened.browser, plain=True))
