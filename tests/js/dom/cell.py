"""What a widget sends the page in its cell."""

from typing import Any

from mha_core import built_in, trace
from mha_view.notebook.cell import cell_data


def payloads() -> dict[str, Any]:
    return {name: cell_data(trace(built_in(name)), "en") for name in ("first", "causal")}
