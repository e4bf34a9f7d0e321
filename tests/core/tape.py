"""The tape of torch's autograd through an example's forward pass: what the declared derivatives are compared with."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import torch
from torch import Tensor

from mha_core import Cell
from mha_core.compute.trace import Inputs, Trace, load, run
from mha_core.example.model import adds_numbers, kv_head_of
from mha_core.vocabulary import LAYER_INPUTS, PER_HEAD, WHOLE_LAYER_STEPS


class Entry(NamedTuple):
    """A tensor of a matrix: of these heads, g × rows × columns, or (``members`` None) the layer's, rows × columns."""

    name: str
    members: tuple[int, ...] | None
    tensor: Tensor


def tape(computed: Trace) -> tuple[Trace, dict[str, Tensor]]:
    """The trace computed again with autograd, and the layer's given matrices, rows × columns, by name."""
    inputs = load(computed.example, computed.backend)
    shared = {name: tensor.requires_grad_() for name, tensor in inputs.layer.items()}
    groups = []
    for members, steps, given in inputs.groups:
        group: dict[str, Tensor] = {}
        for name, tensor in given.items():
            if name in LAYER_INPUTS:
                leaf = shared.get(name)
                shared[name] = leaf = tensor[0].requires_grad_() if leaf is None else leaf
                group[name] = leaf.expand(len(members), -1, -1)
            else:
                group[name] = tensor.requires_grad_()
        groups.append((members, steps, group))
    taped: Inputs = replace(inputs, groups=tuple(groups))
    with torch.enable_grad():
        return run(taped), shared


def tensors(taped: Trace, given: Mapping[str, Tensor]) -> Iterator[Entry]:
    """Every matrix that has a derivative, each once: what heads share, only for the head that owns it. Of a mask that
    heads share each has a copy.
    """
    example = taped.example
    for name, tensor in given.items():
        if name != "mask" or adds_numbers(example):
            yield Entry(name, None, tensor)
    for members, tensors in taped.groups:
        for name, tensor in tensors.items():
            owned = kv_head_of(example, name, members[0]) == members[0]
            if name in PER_HEAD and (adds_numbers(example) if name == "head_mask" else owned):
                yield Entry(name, members, tensor)
    for name, tensor in taped.layer.items():
        if name in WHOLE_LAYER_STEPS:
            yield Entry(name, None, tensor)


def autograd_of(computed: Trace, cell: Cell) -> dict[tuple[str, int | None], Any]:
    """The derivative of a cell by every matrix of every head, by torch. Of what heads share: summed over them."""
    taped, given = tape(computed)
    entries = list(tensors(taped, given))
    if cell.head is None:
        target = taped.layer[cell.name][cell.row, cell.col]
    else:
        members, steps = next(group for group in taped.groups if cell.head in group[0])
        target = steps[cell.name][members.index(cell.head), cell.row, cell.col]
    slopes = torch.autograd.grad(
        target, [entry.tensor for entry in entries], allow_unused=True, materialize_grads=True
    )
    found: dict[tuple[str, int | None], Any] = {}
    for entry, slope in zip(entries, slopes, strict=True):
        for at, head in enumerate(entry.members or (None,)):
            owner = None if head is None else kv_head_of(computed.example, entry.name, head)
            own = slope if head is None else slope[at]
            found[entry.name, owner] = own + found.get((entry.name, owner), 0.0)
    return found
