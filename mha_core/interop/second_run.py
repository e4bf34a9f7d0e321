"""Which axis is the samples', where sizes do not say it: a run with one sample of an input changed shows it.

A sample's matrices depend on that sample alone, and those of every head on every sample. So the axis along which the
outputs moved at the changed sample, and nowhere else, is the axis of samples.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, Final

import torch
from torch import Tensor, nn

from mha_core.interop.packed import EXACT
from mha_core.interop.samples import Split
from mha_core.interop.watch import Call, Watch

_ROUNDING: Final = 1e-3
"""Of the largest change, as little as this is the rounding of a sum in another order."""


def variants(inputs: Any, batch: int | None) -> Iterator[tuple[int, int, Any]]:
    """Which tensor is changed, how many samples it has, and the inputs with its first sample changed.

    The axis of samples is the first, or the second where tokens come first; one of ``batch`` where that is known.
    """
    dense = (tensor for tensor in _tensors(inputs) if tensor.layout is torch.strided)
    for which, tensor in enumerate(dict.fromkeys(dense)):
        for axis, size in enumerate(tensor.shape[:2]):
            if size > 1 and batch in (None, size) and (other := _changed(tensor, axis)) is not None:
                yield which, size, _swapped(inputs, tensor, other)


def heads_come_first(split: Split, before: Tensor, after: Tensor, size: int) -> bool | None:
    """Whether heads × samples or samples × heads moved for the first of ``size`` samples alone; None: neither or both.

    ``before``, ``after``: … × tokens × columns, outputs of the same call in two runs.
    """
    if before.shape != after.shape or not before.numel() or split.samples % size:
        return None
    differ = (after.to(EXACT) - before.to(EXACT)).abs().nan_to_num(0.0, 0.0, 0.0).amax((-2, -1)).flatten()
    moved = differ > differ.max() * _ROUNDING
    first = torch.arange(split.samples, device=moved.device) < split.samples // size
    straight = torch.equal(moved.view(split.samples, split.heads).any(1), first)
    turned = torch.equal(moved.view(split.heads, split.samples).any(0), first)
    return turned if straight != turned else None


def outputs_of(
    module: nn.Module, args: Sequence[Any], named: Mapping[str, Any], wanted: Container[int]
) -> dict[int, Tensor]:
    """The outputs of these attentions of a run, counted from 0; of none where the module does not take the inputs."""
    found: dict[int, Tensor] = {}
    count = itertools.count()

    def keep(call: Call) -> None:
        if (at := next(count)) in wanted:
            found[at] = call.outputs.detach().clone()

    try:
        with torch.no_grad(), Watch(module, keep):
            module(*args, **named)
    except Exception:  # noqa: BLE001  # whatever a module of somebody else raises
        return {}
    return found


def _tensors(part: Any) -> Iterator[Tensor]:
    if isinstance(part, Tensor):
        yield part
    elif isinstance(part, tuple | list | Mapping):
        for inner in part.values() if isinstance(part, Mapping) else part:
            yield from _tensors(inner)


def _swapped(part: Any, old: Tensor, new: Tensor) -> Any:
    """With ``new`` in place of ``old``, in plain tuples, lists and dictionaries."""
    if part is old:
        return new
    if type(part) is dict:
        return {name: _swapped(inner, old, new) for name, inner in part.items()}
    return type(part)(_swapped(inner, old, new) for inner in part) if type(part) in (tuple, list) else part


def _changed(tensor: Tensor, axis: int) -> Tensor | None:
    """With the second sample in place of the first: numbers that the module takes, token ids too.

    Where the two are alike the first is turned round, or moved if it holds numbers that may be any.
    """
    first, second = tensor.select(axis, 0), tensor.select(axis, 1)
    if torch.equal(first, second) and second.dim():
        second = first.flip(-1)
    if torch.equal(first, second) and tensor.is_floating_point():
        second = first + torch.arange(first.numel(), device=first.device).cos().view_as(first).to(first.dtype)
    if torch.equal(first, second):
        return None
    changed = tensor.detach().clone()
    changed.select(axis, 0).copy_(second)
    return changed
