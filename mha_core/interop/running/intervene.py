"""Heads switched off, or their weights or outputs replaced, while a module runs, and what that changes.

A run finds the attentions. Another run computes the same ones, and where a chosen one is computed, other numbers are
written into its outputs before the module goes on with them:

    outputs_h = 0            head h is switched off (Michel et al. 2019)
    outputs_h = A · V_h      its weights are A (n_q × n_k), and V_h is that of the run
    outputs_h = O            its outputs are O (n_q × d_v)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from mha_core.errors import N_, InteropError
from mha_core.interop.running.attentions import Attentions
from mha_core.interop.running.call import Call
from mha_core.interop.running.captured import Captured
from mha_core.interop.running.changed import Changed, output_of
from mha_core.interop.running.edits import Edit, Part, Patch, Without, edits_of
from mha_core.interop.running.found import Asked, Found, Site, found_in
from mha_core.interop.running.one_sample import of_sample, verified, weights_of, with_heads_axis
from mha_core.interop.running.samples import four_axes
from mha_core.interop.running.second_run import tensors_in
from mha_core.interop.running.watch import Watch


def changed(
    module: nn.Module,
    args: tuple[Any, ...],
    named: Mapping[str, Any],
    asked: Asked,
    without: Without,
    patch: Patch,
) -> Changed:
    """Run the module as it is and with these changes. Raises ``InteropError`` as ``capture`` does."""
    found = first_run(module, args, named, asked)
    before = output_of(found.output)
    edits = edits_of(found.attentions, without, patch)
    attentions: list[Captured] = []

    def see(call: Call, own: Sequence[Edit], outputs: Tensor) -> None:
        one = verified(call, asked.sample, asked.labels)
        batch = {number: _edited(other, own, outputs) for number, other in one.batch.items()}
        edited = replace(_edited(one, own, outputs), batch=batch)
        attentions.append(edited.numbered(len(attentions)))

    output = changed_run(module, args, named, found.sites, edits, see)
    return Changed(
        Attentions(attentions, found.attentions.skipped),
        before,
        output_of(output),
        _names((args, named), asked),
        found.attentions,
    )


def _names(inputs: Any, asked: Asked) -> dict[int, str]:
    """The names of the ids in the first input of whole numbers, if there is one for each of its tokens."""
    ids = next((part for part in tensors_in(inputs) if part.dim() and not part.is_floating_point()), None)
    texts = asked.labels.queries
    if ids is None or not texts or ids.shape[-1] != len(texts):
        return {}
    rows = ids.reshape(-1, len(texts))
    row = rows[asked.sample if len(rows) > asked.sample else 0].tolist()
    return {int(number): text for number, text in zip(row, texts, strict=True)}


def first_run(module: nn.Module, args: tuple[Any, ...], named: Mapping[str, Any], asked: Asked) -> Found:
    """A run without changes, on copies of the inputs."""
    args, named = _copied((args, named))
    with restored(module):
        return found_in(module, args, named, asked)


def changed_run(
    module: nn.Module,
    args: tuple[Any, ...],
    named: Mapping[str, Any],
    sites: Sequence[Site],
    edits: Mapping[int, Sequence[Edit]],
    see: Callable[[Call, Sequence[Edit], Tensor], None] | None = None,
) -> Any:
    """What the module returns with these changes at these sites, on copies of the inputs.

    ``see`` is called with every attention as it was computed, its changes, and its outputs after them, samples × heads
    × n_q × d_v. Raises ``InteropError`` if the module does not compute the same attentions as in the run that found
    them.
    """
    args, named = _copied((args, named))
    count = itertools.count()

    def keep(call: Call) -> bool:
        index = next(count)
        if index >= len(sites) or (call.name, call.outputs.shape) != sites[index][:2]:
            raise _another_path(call.name)
        own = edits.get(index, ())
        if own or see:
            split = sites[index].split
            call_of_heads = with_heads_axis(four_axes(call, split))
            outputs = _with(call_of_heads, own)
            if see:
                see(call_of_heads, own, outputs)
            if own:
                outputs = outputs.transpose(0, 1) if split.heads_first else outputs
                call.outputs.copy_(outputs.reshape(call.outputs.shape))
        return bool(own)

    with torch.no_grad(), restored(module), Watch(module, keep):
        output = module(*args, **named)
    if (seen := next(count)) < len(sites):
        raise _another_path(sites[seen].name)
    return output


def parts_of(
    module: nn.Module, args: tuple[Any, ...], named: Mapping[str, Any], found: Found, part: Part
) -> list[Tensor]:
    """The outputs or weights of all samples and heads in another run of the module, by attention.

    Samples × heads × n_q × d_v, or n_k. ``found``: the run that found the attentions.
    """
    parts: list[Tensor] = []

    def see(call: Call, _: Sequence[Edit], outputs: Tensor) -> None:
        parts.append(outputs if part == "outputs" else weights_of(call))

    changed_run(module, args, named, found.sites, {}, see)
    return parts


def _with(call: Call, edits: Sequence[Edit]) -> Tensor:
    """The outputs with these changes, samples × heads × n_q × d_v. ``call`` has four axes."""
    outputs = call.outputs.clone()
    v = call.v.reshape(*(1,) * (4 - call.v.dim()), *call.v.shape)
    for edit in edits:
        values = edit.values.to(outputs)
        if edit.part == "weights":
            values = values @ v[:, edit.head // (outputs.shape[1] // v.shape[1])]
        outputs[:, edit.head] = values
    return outputs


def _edited(one: Captured, edits: Sequence[Edit], outputs: Tensor) -> Captured:
    """The attention with its changed weights and outputs."""
    heads = {edit.head: edit.part for edit in edits}
    weights = one.weights.clone()
    for edit in edits:
        if edit.part == "weights":
            weights[edit.head] = edit.values[one.sample if len(edit.values) > 1 else 0]
    return replace(
        one,
        weights=weights,
        outputs=of_sample(outputs, one.sample),
        new_weights=tuple(sorted(head for head, part in heads.items() if part == "weights")),
        new_outputs=tuple(sorted(head for head, part in heads.items() if part == "outputs")),
    )


def _another_path(name: str) -> InteropError:
    return InteropError(
        N_(
            "the module did not compute the same attentions when it ran again, so heads cannot be "
            "switched off or replaced in it"
        ),
        place=name,
    )


@contextmanager
def restored(module: nn.Module) -> Iterator[None]:
    """After this, the module's buffers and torch's random state are as before, whatever happens meanwhile."""
    devices = sorted({part.device.index or 0 for part in module.parameters() if part.device.type == "cuda"})
    kept = [(buffer, buffer.detach().clone()) for buffer in module.buffers()]
    with torch.random.fork_rng(devices):
        try:
            yield
        finally:
            for buffer, values in kept:
                if not torch.equal(buffer, values):
                    buffer.detach().copy_(values)


def _copied(inputs: Any) -> Any:
    """Copies of the inputs, so that a module that writes into them, such as into a cache of keys, can run again."""
    copies = {id(tensor): tensor.detach().clone() for tensor in tensors_in(inputs)}
    try:
        return deepcopy(inputs, copies)
    except (TypeError, RuntimeError):  # something in them cannot be copied
        return inputs
