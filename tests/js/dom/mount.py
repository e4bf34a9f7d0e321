"""Nothing: the parts of this test are its own."""

from __future__ import annotations

from typing import Any


def payloads() -> dict[str, Any]:
    return {}
