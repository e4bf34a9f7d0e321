"""The description of all routes, and the statuses that it lists for a request."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

OPENAPI: Final[dict[str, Any]] = json.loads(
    (Path(__file__).resolve().parents[2] / "docs" / "openapi.json").read_text("utf-8")
)


def statuses(method: str, path: str) -> set[int]:
    """The statuses described for a request below ``/api``; only 404 if no route has this path."""
    for described, methods in OPENAPI["paths"].items():
        if re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(described)), path.partition("?")[0]):
            operation = methods.get(method.lower())
            return {*map(int, operation["responses"])} if operation else {405}
    return {404}
