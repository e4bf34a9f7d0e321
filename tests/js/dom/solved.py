"""What a lesson sends of its puzzle."""

from typing import Any


def payloads() -> dict[str, Any]:
    told = "solved with {count} {count:change|changes}"
    return {key: {"puzzle": key, "told": told} for key in ("book", "bank")}
