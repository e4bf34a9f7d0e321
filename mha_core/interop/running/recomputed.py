"""The outputs of heads after their weights, outputs, queries, keys or values were replaced."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Final

import torch
from torch import Tensor

from mha_core.interop.running.call import Call
from mha_core.interop.running.captured import Captured
from mha_core.interop.running.edits import Edit
from mha_core.interop.running.one_sample import attention_weights, one_sample

OF_WEIGHTS: Final = ("weights", "q", "k")
"""Parts of a head whose change gives other weights."""
_EVERY_QUERY: Final = ("k", "v")
"""Parts whose rows are keys, so that every query may change."""


def recomputed(call: Call, edits: Sequence[Edit]) -> tuple[Tensor, dict[int, Tensor]]:
    """The outputs with these changes, samples × heads × n_q × d_v, and by head its new weights, samples × n_q × n_k.

    ``call`` has four axes. Of a head, q and k are replaced first, then its weights, v and its outputs.
    """
    outputs, weights = call.outputs.clone(), dict[int, Tensor]()
    for head in dict.fromkeys(edit.head for edit in edits if edit.head is not None):
        own = [edit for edit in edits if edit.head == head]
        before = [edit for edit in own if edit.part != "outputs"]
        if before:
            new_weights, new_outputs = _of_head(call, head, before)
            every = any(edit.rows is None or edit.part in _EVERY_QUERY for edit in before)
            rows = slice(None) if every else sorted({row for edit in before for row in edit.rows or ()})
            outputs[:, head, rows] = new_outputs[:, rows].to(outputs)
            if any(edit.part in OF_WEIGHTS for edit in before):
                weights[head] = new_weights
        for edit in own:
            if edit.part == "outputs":
                outputs[:, head] = edit.written(outputs[:, head])
    return outputs, weights


def _of_head(call: Call, head: int, edits: Sequence[Edit]) -> tuple[Tensor, Tensor]:
    """The weights and outputs of a head in all samples."""
    samples = call.outputs.shape[:-3].numel()
    weights, outputs = list[Tensor](), list[Tensor]()
    for sample in range(samples):
        one = one_sample(call, sample, samples)
        parts = {part: _matrix(one, part, head) for part in ("q", "k", "v")}

        def changed(part: str, matrix: Tensor, sample: int = sample) -> Tensor:
            for edit in edits:
                if edit.part == part:
                    values = edit.values
                    own = values if values is None or len(values) == 1 else values[sample : sample + 1]
                    matrix = Edit(head, edit.part, own, edit.rows).written(matrix[None])[0]
            return matrix

        new = {part: changed(part, matrix) for part, matrix in parts.items() if matrix is not None}
        own_weights = one.weights[head]
        if any(edit.part in ("q", "k") for edit in edits):
            own_weights = _weights(one, head, new["q"], new["k"]).to(own_weights)
        weights.append(changed("weights", own_weights))
        outputs.append(weights[-1].to(call.outputs.dtype) @ new["v"].to(call.outputs.dtype))
    return torch.stack(weights), torch.stack(outputs)


def _matrix(one: Captured, part: str, head: int) -> Tensor | None:
    """A head's own matrix; heads of keys and values serve equally many consecutive heads of queries."""
    matrices: Tensor | None = getattr(one, part)
    return None if matrices is None else matrices[head // (len(one.weights) // len(matrices))]


def _weights(one: Captured, head: int, q: Tensor, k: Tensor) -> Tensor:
    """The weights of other queries and keys, by the scale, mask, softcap and sinks of the head."""
    divisor = {"none": 1.0, "sqrt_dk": sqrt(q.shape[-1])}.get(str(one.scale)) or float(one.scale)
    return attention_weights(
        q[None],
        k[None],
        1 / divisor,
        _of_one_head(one.mask, head),
        _of_one_head(one.bias, head),
        causal=one.causal,
        softcap=one.softcap,
        sinks=None if one.sinks is None else one.sinks[head : head + 1],
    )[0]


def _of_one_head(part: Tensor | None, head: int) -> Tensor | None:
    """n_q × n_k of a head, whether or not each head has its own."""
    return part if part is None or part.dim() == 2 else part[head]
