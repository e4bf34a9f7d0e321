"""Walkthroughs that together ask for every kind of step, with the divisor of their scores."""

from typing import Any

from mha_core import built_in, to_token
from mha_core.compare.variant import Variant, varied
from mha_core.example.model import divisor
from mha_ui.state.url import work_at
from mha_ui.walkthrough.model import payload

EXAMPLES = {
    "first": built_in("first"),
    "alibi": built_in("alibi"),
    "additive": built_in("additive"),
    "rotary, cosine": varied(built_in("rotary"), Variant(scoring="cosine")),
    "output-projection, sinusoidal": varied(built_in("output-projection"), Variant(positions="sinusoidal")),
}


def payloads() -> dict[str, Any]:
    walks = {name: payload(work_at({"s": to_token(example)}, "en")) for name, example in EXAMPLES.items()}
    return walks | {"divisors": {name: divisor(example) or 1 for name, example in EXAMPLES.items()}}
