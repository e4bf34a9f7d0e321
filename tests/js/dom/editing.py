"""The tables of the first example."""

from typing import Any

from mha_ui.bench.model import payload
from tests.js.dom.works import work


def payloads() -> dict[str, Any]:
    return {"explore": payload(work("first"))}
