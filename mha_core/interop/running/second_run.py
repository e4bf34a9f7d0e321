"""Finding the axis of samples when sizes do not show it: by another run with one sample of an input changed.

A sample's matrices depend on that sample alone, while every head depends on every sample. So the axis along which the
outputs changed at the changed sample, and nowhere else, is the axis of samples.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, Final

import torch
from torch import Tensor, nn

from mha_core.interop.parameters.packed import EXACT
from mha_core.interop.running.call import Call
from mha_core.interop.running.functions import as_written
from mha_core.interop.running.samples import Split
from mha_core.interop.running.subject import copied
from mha_core.interop.running.watch import Watch

_ROUNDING: Final = 1e-3
"""A change below this share of the largest one may come from summing in another order."""


def variants(inputs: Any, batch: int | None) -> Iterator[tuple[int, int, Any]]:
    """The index of the changed tensor, its number of samples, and the inputs with its first sample changed.

    The axis of samples is the first, or the second if tokens come first; if ``batch`` is known, one of that length.
    """
    dense = (tensor for tensor in tensors_in(inputs) if tensor.layout is torch.strided)
    for which, tensor in enumerate(dict.fromkeys(dense)):
        for axis, size in enumerate(tensor.shape[:2]):
            if size > 1 and batch in (None, size) and (changed := _changed(tensor, axis)) is not None:
                yield which, size, _swapped(inputs, tensor, changed)


def heads_come_first(split: Split, before: Tensor, after: Tensor, size: int) -> bool | None:
    """True for heads × samples, False for samples × heads: the order in which only the first of ``size`` samples moved.

    None if neither or both fit. ``before``, ``after``: … × tokens × columns, outputs of the same call in two runs.
    """
    if before.shape != after.shape or not before.numel() or split.samples % size:
        return None
    differ = _changes(before, after)
    moved = differ > differ.max() * _ROUNDING
    first = torch.arange(split.samples, device=moved.device) < split.samples // size
    samples_first = torch.equal(moved.view(split.samples, split.heads).any(1), first)
    heads_first = torch.equal(moved.view(split.heads, split.samples).any(0), first)
    return heads_first if samples_first != heads_first else None


def splits_a_sample(split: Split, before: Tensor, after: Tensor) -> bool:
    """Whether the change of one sample of an input moved some heads of a sample and left others exactly as they were,
    so that these are not the samples.
    """
    if before.shape != after.shape or not before.numel():
        return False
    differ = _changes(before, after)
    of_samples = (
        differ.view(split.heads, split.samples).T if split.heads_first else differ.view(split.samples, -1)
    )
    most, least = of_samples.amax(1), of_samples.amin(1)
    return bool(((most > differ.max() * _ROUNDING) & (least == 0)).any())


def _changes(before: Tensor, after: Tensor) -> Tensor:
    """The largest change of each matrix of outputs, along one axis."""
    return (after.to(EXACT) - before.to(EXACT)).abs().nan_to_num(0.0, 0.0, 0.0).amax((-2, -1)).flatten()


def outputs_of(
    module: nn.Module, args: Sequence[Any], named: Mapping[str, Any], wanted: Container[int]
) -> dict[int, Tensor]:
    """The outputs of these attentions of a run, counted from 0; empty if the module does not accept the inputs."""
    outputs: dict[int, Tensor] = {}
    count = itertools.count()

    def keep(call: Call) -> None:
        if (index := next(count)) in wanted:
            outputs[index] = call.outputs.detach().clone()

    try:
        with torch.no_grad(), as_written(), Watch(module, keep):
            own_args, own_named = copied((args, named))
            module(*own_args, **own_named)
    except Exception:  # noqa: BLE001  # whatever a module of somebody else raises
        return {}
    return outputs


def tensors_in(part: Any) -> Iterator[Tensor]:
    """The tensors among the inputs of a module, including those in lists and mappings."""
    if isinstance(part, Tensor):
        yield part
    elif isinstance(part, tuple | list | Mapping):
        for inner in part.values() if isinstance(part, Mapping) else part:
            yield from tensors_in(inner)


def _swapped(part: Any, old: Tensor, new: Tensor) -> Any:
    """The structure of plain tuples, lists and dictionaries with ``new`` in place of ``old``."""
    if part is old:
        return new
    if type(part) is dict:
        return {name: _swapped(inner, old, new) for name, inner in part.items()}
    return type(part)(_swapped(inner, old, new) for inner in part) if type(part) in (tuple, list) else part


def _changed(tensor: Tensor, axis: int) -> Tensor | None:
    """The tensor with the second sample in place of the first, so that the module accepts its numbers or token ids.

    If the two are equal, the first is reversed, or shifted if it is floating-point. None if nothing changes it.
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
