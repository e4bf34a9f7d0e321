"""Matrices of another shape than their step's: what somebody did who got them.

A known mistake is named only where these very numbers come of it, so that a matrix that is merely too small is no more
than that.
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
        "expected {rows} × {cols}, got {got_rows} × {got_cols}: "
        "the heads are stacked below each other instead of side by side"
    ),
    "scores_times_v": N_(
        "expected {rows} × {cols}, got {got_rows} × {got_cols}: the scores are multiplied by V already"
    ),
    "matrix_transposed": N_(
        "expected {rows} × {cols}, got {got_rows} × {got_cols}: the matrix is transposed"
    ),
    "": N_("expected {rows} × {cols}, got {got_rows} × {got_cols}"),
}
"""The sentence on a matrix that does not fit, by the mistake that gives it; by "" where none is known to."""


def made_otherwise(example: Example, step: str, matrix: Claims) -> str:
    """The mistake that gives this matrix another shape than its step's; "" where none does, or the shape is right."""
    shape = (len(matrix), max((len(row) for row in matrix if row), default=0))
    if shape == example.dims.shape(step):
        return ""
    claim = printed(matrix, shape)
    for label, values in _otherwise(trace(example), step):
        if (
            tuple(values.shape) == shape
            and claim.given.any()
            and bool((claim.fits(values) | ~claim.given).all())
        ):
            return label
    return ""


def _otherwise(computed: Trace, step: str) -> Iterator[tuple[str, Tensor]]:
    """What comes of each mistake that gives a step another shape."""
    heads = computed.values.get("head_outputs")
    if step == "concat" and heads and all(heads):
        side_by_side = _tensor(heads)
        yield "heads_averaged", side_by_side.mean(0)
        yield "heads_summed", side_by_side.sum(0)
        yield "heads_stacked", side_by_side.flatten(0, 1)
    rows = computed.values.get(step) or []
    matrices = [(head, one) for head, one in enumerate([rows] if step in WHOLE_LAYER_STEPS else rows) if one]
    if step in ("scores", "scaled_scores") and "v" in computed.values:
        for head, scores in matrices:
            values = computed.matrix("v", kv_head_of(computed.example, "v", head))
            yield "scores_times_v", _tensor(scores) @ _tensor(values)
    for _, one in matrices:
        yield "matrix_transposed", _tensor(one).mT


def _tensor(rows: object) -> Tensor:
    return torch.tensor(rows, dtype=torch.float64)
