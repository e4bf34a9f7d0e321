"""The walkthrough of the first example, and of one whose heads share keys."""

from typing import Any

from mha_ui.walkthrough.model import payload
from tests.js.dom.works import work


def payloads() -> dict[str, Any]:
    return {"walk": payload(work("first")), "walk with shared keys": payload(work("grouped-query"))}
