"""Examples that together have every kind of step that moves."""

from typing import Any

from mha_ui.walkthrough.model import payload
from tests.js.dom.works import work

NAMES = ("first", "causal", "additive", "rotary")


def payloads() -> dict[str, Any]:
    walks: dict[str, Any] = {name: payload(work(name)) for name in NAMES}
    return walks
