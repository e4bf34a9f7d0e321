"""Mistakes that give a matrix another shape than its step has.

A mistake is named only where it gives exactly these numbers. A matrix may also just be too small.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import torch
from torch import Tensor

from mha_core.compute.printed import Claims, printed
from mha_core.compute.trace import Trace, trace
from mha_core.errors import N_
from mha_core.example.model import Example, kv_head_of
from mha_core.vocabulary import WHOLE_LAYER_STEPS

NOT_FITTING: Final = {
    "heads_averaged": N_(
        "expected {rows} × {cols}, got {got_rows} × {got_cols}: the heads are averaged instead of concatenated"
    ),
    "heads_summed": N_(
        "expected {rows} × {cols}, got {got_rows} × {got_cols}: the heads are summed instead of concatenated"
    ),
    "heads_stacked": N_(
        "expected {rows} × {cols}, got {got_rows} × {got_cols}: the heads are stacked on top "
        "of each other instead of side by side"
    ),
    "scores_times_v": N_(
        "expected {rows} × {cols}, got {got_rows} × {got_cols}: the scores are already multiplied by V"
    ),
    "matrix_transposed": N_(
        "expected {rows} × {cols}, got {got_rows} × {got_cols}: the matrix is transposed"
    ),
    "": N_("expected {rows} × {cols}, got {got_rows} × {got_cols}"),
}
"""The sentence on a matrix that does not fit, by the mistake that gives it; "" for no known mistake."""


def shape_mistake(example: Example, step: str, matrix: Claims) -> str:
    """The mistake that gives this matrix another shape than its step's; "" where none does, or the shape is right."""
    shape = (len(matrix), max((len(row) for row in matrix if row), default=0))
    if shape == example.dims.shape(step):
        return ""
    claim = printed(matrix, shape)
    for label, values in _mistakes(trace(example), step):
        if tuple(values.shape) == shape and claim.given.any() and claim.all_fit(values):
            return label
    return ""


def _mistakes(computed: Trace, step: str) -> Iterator[tuple[str, Tensor]]:
    """The result of each mistake that gives a step another shape."""
    heads = computed.values.get("head_outputs")
    if step == "concat" and heads and all(heads):
        side_by_side = _tensor(heads)
        yield "heads_averaged", side_by_side.mean(0)
        yield "heads_summed", side_by_side.sum(0)
        yield "heads_stacked", side_by_side.flatten(0, 1)
    rows = computed.values.get(step) or []
    matrices = [(head, m) for head, m in enumerate([rows] if step in WHOLE_LAYER_STEPS else rows) if m]
    if step in ("scores", "scaled_scores") and "v" in computed.values:
        for head, scores in matrices:
            values = computed.matrix("v", kv_head_of(computed.example, "v", head))
            yield "scores_times_v", _tensor(scores) @ _tensor(values)
    for _, matrix in matrices:
        yield "matrix_transposed", _tensor(matrix).mT


def _tensor(rows: object) -> Tensor:
    return torch.tensor(rows, dtype=torch.float64)
