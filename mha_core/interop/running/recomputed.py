"""The outputs of heads after their weights, values or outputs were replaced."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from mha_core.interop.running.call import Call
from mha_core.interop.running.edits import Edit
from mha_core.interop.running.one_sample import one_sample


def recomputed(call: Call, edits: Sequence[Edit]) -> tuple[Tensor, dict[int, Tensor]]:
    """The outputs with these changes, samples × heads × n_q × d_v, and by head its new weights, samples × n_q × n_k.

    ``call`` has four axes. Of a head, weights and v are replaced first, then its outputs.
    """
    outputs, weights = call.outputs.clone(), dict[int, Tensor]()
    for head in dict.fromkeys(edit.head for edit in edits if edit.head is not None):
        own = [edit for edit in edits if edit.head == head]
        before = [edit for edit in own if edit.part != "outputs"]
        if before:
            new_weights, new_outputs = _of_head(call, head, before)
            every = any(edit.rows is None or edit.part == "v" for edit in before)
            rows = slice(None) if every else sorted({row for edit in before for row in edit.rows or ()})
            outputs[:, head, rows] = new_outputs[:, rows].to(outputs)
            if any(edit.part == "weights" for edit in before):
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

        def changed(part: str, matrix: Tensor, sample: int = sample) -> Tensor:
            for edit in edits:
                if edit.part == part:
                    values = edit.values
                    own = values if values is None or len(values) == 1 else values[sample : sample + 1]
                    matrix = Edit(head, edit.part, own, edit.rows).written(matrix[None])[0]
            return matrix

        v = one.v[
            head // (len(one.weights) // len(one.v))
        ]  # heads of values serve consecutive heads of queries
        weights.append(changed("weights", one.weights[head]))
        outputs.append(weights[-1].to(call.outputs.dtype) @ changed("v", v).to(call.outputs.dtype))
    return torch.stack(weights), torch.stack(outputs)
