"""Pages to take away, as files."""

from typing import Any

from mha_core import built_in, trace
from mha_view.handout import as_html
from tools.examples import sized


def payloads() -> dict[str, Any]:
    first, water = (trace(built_in(name)) for name in ("first", "water"))
    return {
        "first": as_html(first, "en"),
        "first in Chinese": as_html(first, "zh"),
        "water": as_html(water, "en"),
        "large": as_html(trace(sized(9, 2, 1)), "en"),
        "weights": water.matrix("weights", 0)[0],
    }
