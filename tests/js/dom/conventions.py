"""The sections of the page Notation, each of an example that shows something of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mha_core import AddMask, Example, built_in, library
from mha_core.example.model import NEG_INF
from mha_core.notation import demonstrate, pairings
from mha_ui import state
from mha_ui.conventions.model import (
    dead_payload,
    masks_payload,
    numbers,
    packed_payload,
    pairs_payload,
    rows_payload,
)
from tests.apply import apply
from tests.sizes import at_length

VARIED = ("output-projection", "translation", "rotary", "additive")
"""Examples that together have biases, a context, positions, and parameters of a scoring."""


def payloads() -> dict[str, Any]:
    varied = library() if at_length() else VARIED
    examples = {name: _of(built_in(name)) for name in {*varied, "water", "grouped-query", "scaled"}}
    return {
        "varied": list(varied),
        **{f"rows {name}": rows_payload(*example) for name, example in examples.items()},
        **{f"packed {name}": packed_payload(*example) for name, example in examples.items()},
        "packed large": packed_payload(*_of(_large())),
        "masks padding": masks_payload(*_of(built_in("padding"))),
        "masks added": masks_payload(*_of(_added())),
        "dead padding": dead_payload(*_of(built_in("padding")), demonstrate(built_in("padding"), 0, 2)),
        "pairs": pairs_payload(*_of(_rotated()), pairings(_rotated())),
        "pairs in Chinese": pairs_payload(*_of(_rotated(), "zh"), pairings(_rotated())),
    }


def _of(example: Example, language: str = "en") -> tuple[state.Work, Mapping[str, object]]:
    work = state.Work(state.begun(example, None), language)
    return work, numbers(work)


def _large() -> Example:
    """64 columns of X, 4 heads of 64: a packed matrix of 16,384 numbers."""
    example = built_in("first")
    for axis in ("d_model", "d_k", "d_v"):
        example = apply(example, {"op": "resize", "axis": axis, "size": 64})
    for _ in range(2):
        example = apply(example, {"op": "add_head"})
    return example


def _added() -> Example:
    """A mask that adds numbers to the scores."""
    example = built_in("water")
    mask = AddMask(((0.5, NEG_INF, 0.0), (0.0, -2.0, 1.0), (0.0, 0.25, 0.0)))
    fields = {name: getattr(example, name) for name in type(example).__dataclass_fields__}
    return type(example)(**fields | {"mask": mask})


def _rotated() -> Example:
    """Four columns, which are two pairs; the tokens are at positions 1, 2 and 3."""
    example = apply(built_in("water"), {"op": "resize", "axis": "d_k", "size": 4})
    for name in ("w_q", "w_k"):
        fill = {"op": "fill", "matrix": name, "head": 0, "with": "integers", "seed": 5}
        example = apply(example, fill)
    example = apply(example, {"op": "positions", "kind": "rotary", "pairs": "half"})
    ids = {"op": "set", "matrix": "position_ids", "row": 0, "col": 0, "values": [[1], [2], [3]]}
    return apply(example, ids)
