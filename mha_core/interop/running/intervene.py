"""Heads, or parts of a module, switched off or replaced while the module runs, and what that changes.

A run finds the attentions. Another run computes the same ones, and where a chosen one is computed, other numbers are
written into its outputs before the module goes on with them:

    outputs_h = 0            head h is switched off (Michel et al. 2019)
    outputs_h = A · V_h      its weights are A (n_q × n_k), and V_h is that of the run
    outputs_h = O            its outputs are O (n_q × d_v)

Other q, k and v are written where the module computes its own (``new_scores.py``). All of these for some rows, or for
all. The output of a part of the module, such as an MLP, is changed in the same way.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import torch
from torch import Tensor

from mha_core.errors import N_, InteropError
from mha_core.interop.parameters.packed import shown_shape, wrong_shape
from mha_core.interop.running.attentions import Attentions
from mha_core.interop.running.call import Call, another_path
from mha_core.interop.running.captured import Captured
from mha_core.interop.running.changed import Changed, are_logits, output_of
from mha_core.interop.running.edits import By, Edit, Part, Patch, Without, edits_of
from mha_core.interop.running.found import Asked, Found, Site, found_in
from mha_core.interop.running.functions import running
from mha_core.interop.running.names import labels_of
from mha_core.interop.running.new_scores import (
    OF_SCORES,
    WRITTEN,
    Rewritten,
    also_written,
    located_in,
    require_known,
    shared,
)
from mha_core.interop.running.one_sample import (
    heads_by_scores,
    of_sample,
    verified,
    weights_of,
    with_heads_axis,
)
from mha_core.interop.running.padding import real_tokens
from mha_core.interop.running.recomputed import recomputed
from mha_core.interop.running.replay import Replay
from mha_core.interop.running.samples import four_axes
from mha_core.interop.running.second_run import tensors_in
from mha_core.interop.running.subject import Subject, outputs_of_parts
from mha_core.interop.running.watch import Watch

_OVER_MASK: Final = N_("Weights that were put in reach keys that the mask hides from their queries.")


def changed(subject: Subject, asked: Asked, without: Without, patch: Patch, by: By) -> Changed:
    """Run the module as it is and with these changes. Raises ``InteropError`` as ``capture`` does."""
    found = first_run(subject, asked)
    before = output_of(found.output)
    edits = edits_of(subject.module, found.attentions, without, patch, by)
    attentions, seen = list[Captured](), dict[int, tuple[Part, ...]]()

    def see(call: Call, own: Sequence[Edit], outputs: Tensor, weights: Mapping[int, Tensor]) -> None:
        index = len(attentions)
        one, first = verified(call, asked.sample), found.attentions[index]
        given = edits.heads.get(index, ())
        one = replace(
            one,
            read_again=first.read_again,
            remark=one.remark or (first.remark if first.read_again else ""),
            new_inputs=_heads_of(given, WRITTEN),
        )
        others = {number: replace(other, new_inputs=one.new_inputs) for number, other in one.batch.items()}
        batch = {number: _edited(other, own, outputs, weights, given) for number, other in others.items()}
        if not edits.parts and index == min(edits.heads, default=-1):
            seen[index] = _also_changed(one, first, given)
        attentions.append(replace(_edited(one, own, outputs, weights, given), batch=batch))

    with outputs_of_parts(
        subject.module, {name: _of_part(name, own, found) for name, own in edits.parts.items()}
    ):
        left, rewritten, elsewhere = _with_new_numbers(subject, found.sites, edits.heads)
        output = changed_run(subject, found.sites, left, see, rewritten)
    return Changed(
        Attentions(asked.named(attentions, [site.side for site in found.sites]), found.attentions.skipped),
        before,
        output_of(output),
        _names((subject.args, subject.named), asked, found.attentions),
        found.attentions,
        logits=are_logits(subject.module, found.output),
        done=edits.done(found.attentions),
        also=tuple(
            f"{found.attentions[index].name} ({', '.join(parts)})"
            for index, parts in sorted((elsewhere | seen).items())
            if parts
        ),
    )


def _names(inputs: Any, asked: Asked, attentions: Attentions) -> dict[int, str]:
    """The names of the ids in the first input of whole numbers, if there is one for each token, or for each that
    is not padding.
    """
    ids = next((part for part in tensors_in(inputs) if part.dim() and not part.is_floating_point()), None)
    if ids is None:
        return {}
    rows = ids.reshape(-1, ids.shape[-1])
    real = real_tokens(attentions, *rows.shape)
    names = dict[int, str]()
    for sample, texts in labels_of(asked.tokens, attentions[0].sample).texts.items():
        at = sample if sample < len(rows) else 0
        row = rows[at] if real is None or len(texts) == rows.shape[1] else rows[at][real[at].to(rows.device)]
        if len(row) == len(texts):
            names |= {int(number): text for number, text in zip(row.tolist(), texts, strict=True)}
    return names


def first_run(subject: Subject, asked: Asked) -> Found:
    """A run without changes, on copies of the inputs."""
    with subject.copies() as (args, named):
        return found_in(subject.module, args, named, asked, (subject.args, subject.named))


def changed_run(
    subject: Subject,
    sites: Sequence[Site],
    edits: Mapping[int, Sequence[Edit]],
    see: Callable[[Call, Sequence[Edit], Tensor, Mapping[int, Tensor]], None] | None = None,
    rewritten: Rewritten | None = None,
) -> Any:
    """What the module returns with these changes at these sites, on copies of the inputs.

    ``see`` is called with every attention as it was computed, its changes, its outputs after them, samples × heads ×
    n_q × d_v, and by head its new weights. Raises ``InteropError`` if the module does not compute the same attentions
    as in the run that found them.
    """
    count, new = itertools.count(), rewritten or Rewritten()

    def keep(call: Call) -> bool:
        index = next(count)
        seen = call.name, call.outputs.shape, call.v.shape[-2]
        if index >= len(sites) or seen != (*sites[index][:2], sites[index].keys):
            raise another_path(call.name)
        own = edits.get(index, ())
        if own or see or index in new.expected:
            split = sites[index].split
            call_of_heads = with_heads_axis(four_axes(call, split))
            new.require(index, call_of_heads)
            outputs, weights = recomputed(call_of_heads, own)
            if see:
                see(call_of_heads, own, outputs, weights)
            if own:
                _write(call.outputs, outputs, sites[index])
        return bool(own)

    output = subject.run(
        lambda inputs: Watch(subject.module, keep, dict.fromkeys(tensors_in(inputs)), writes=new.writes)
    )
    if (seen := next(count)) < len(sites):
        raise another_path(sites[seen].name)
    return output


def _with_new_numbers(
    subject: Subject, sites: Sequence[Site], edits: Mapping[int, Sequence[Edit]]
) -> tuple[dict[int, list[Edit]], Rewritten, dict[int, tuple[Part, ...]]]:
    """The edits without those of q, k and v that are written where the module computes these; and by attention, which
    of its parts are written for another one.

    Where several heads or samples use the same queries or keys, a run for the one alone gives the weights that it gets;
    of values that they share, the edit stays.
    """
    left = {index: [edit for edit in own if edit.part not in OF_SCORES] for index, own in edits.items()}
    new, wanted = Rewritten(), [n for n in sorted(edits) if any(edit.part in WRITTEN for edit in edits[n])]
    located = located_in(subject, sites, range(len(sites))) if wanted else {}
    for index in wanted:
        of = sites[index].matrices[1]
        for edit in [edit for edit in left[index] if edit.part == "v"]:
            if not any(shared([edit], located[index], of)):
                new.add(index, edit, located[index]["v"], of)
                left[index].remove(edit)
        of_scores = [edit for edit in edits[index] if edit.part in OF_SCORES and edit.head is not None]
        before = {other: own for other, own in left.items() if other < index}
        alone = list[Edit]()
        for head in dict.fromkeys(edit.head for edit in of_scores):
            own = [edit for edit in of_scores if edit.head == head]
            require_known(own, located[index], sites[index])
            are_shared, are_samples = shared(own, located[index], of)
            if not are_shared and not are_samples:
                for edit in own:
                    new.add(index, edit, located[index][edit.part], of)
                continue
            weights = list[Tensor]()
            for sample in range(sites[index].matrices[0]) if are_samples else [None]:
                once = new.copy()
                for edit in own:
                    once.add(index, edit, located[index][edit.part], of, sample)
                weights.append(
                    _weights_in(subject, sites, before, index, once)[
                        slice(None) if sample is None else [sample], head
                    ]
                )
            alone.append(Edit(head, "weights", torch.cat(weights)))
        left[index] = [*alone, *left[index]]
    return left, new, also_written(new, located)


def _weights_in(
    subject: Subject, sites: Sequence[Site], edits: Mapping[int, Sequence[Edit]], index: int, new: Rewritten
) -> Tensor:
    """The weights of an attention in a run, samples × heads × n_q × n_k."""
    weights: list[Tensor | None] = []

    def see(call: Call, *_: Any) -> None:
        weights.append(weights_of(call) if len(weights) == index else None)

    changed_run(subject, sites, edits, see, new)
    own = weights[index]
    assert own is not None  # noqa: S101  # every attention was seen
    return own


def with_outputs(subject: Subject, site: Site, edits: Sequence[Edit]) -> Any:
    """What the module returns with other outputs of heads of one attention. Nothing else of the run is looked at."""
    names, root = subject.names, type(subject.module).__name__

    def write(result: Any) -> None:
        part = running(names)
        name = root if part is None else names[id(part)] or root
        if (
            name != site.name
            or not isinstance(result, Tensor)
            or (result.size(), result.stride()) != site.result
        ):
            raise another_path(site.name)
        size, stride, offset = site.view
        outputs = result.as_strided(size, stride, result.storage_offset() + offset)
        samples, heads, *matrix = site.matrices
        first, second = (heads, samples) if site.split.heads_first else (samples, heads)
        own = outputs.reshape(first, second, *matrix)
        own = (own.transpose(0, 1) if site.split.heads_first else own).clone()
        for edit in edits:
            own[:, edit.head] = edit.written(own[:, edit.head])
        _write(outputs, own, site)

    replay = Replay({site.number: write})
    output = subject.run(replay)
    if replay.left:
        raise another_path(site.name)
    return output


def _write(outputs: Tensor, new: Tensor, site: Site) -> None:
    """Write outputs, samples × heads × n_q × d_v, in the module's own order of axes."""
    new = new.transpose(0, 1) if site.split.heads_first else new
    outputs.copy_(new.reshape(outputs.shape))


def _of_part(name: str, edits: Sequence[Edit], found: Found) -> Callable[[Any], Any]:
    """What the output of a part of the module becomes. Of a tuple, its first entry."""

    def changed_output(output: Any) -> Any:
        is_tuple = isinstance(output, tuple) and type(output) is tuple and len(output) > 0
        tensor = output[0] if is_tuple else output
        if not isinstance(tensor, Tensor):
            raise InteropError(
                N_("expected a part that returns a tensor, or a tuple that begins with one, got {kind}"),
                place=name,
                kind=type(output).__name__,
            )
        for edit in edits:
            tensor = _part_written(name, edit, tensor, found.attentions)
        return (tensor, *output[1:]) if is_tuple else tensor

    return changed_output


def _part_written(name: str, edit: Edit, tensor: Tensor, attentions: Attentions) -> Tensor:
    samples, counts = attentions[0].samples, {one.weights.shape[1] for one in attentions}
    is_off = edit.values is not None and not edit.values.any() and edit.values.numel() == 1
    if edit.rows is None and is_off:
        return tensor.new_zeros(()).expand(tensor.shape).clone()
    matrices = tensor[None] if tensor.dim() == 2 and samples == 1 else tensor
    is_known = matrices.dim() == 3 and len(matrices) == samples and matrices.shape[1] in counts
    if not is_known or matrices.shape[1] == samples > 1:
        raise InteropError(
            N_(
                "rows, means and other numbers need an output of samples × tokens × columns, with more or fewer "
                "tokens than samples; this one is {shape}, with {samples} samples"
            ),
            place=name,
            shape=shown_shape(tensor),
            samples=samples,
        )
    count, columns = matrices.shape[1:]
    if edit.rows is not None:
        beyond = next((row for row in edit.rows if not -count <= row < count), None)
        if beyond is not None:
            raise InteropError(
                N_("expected rows from 0 to {last}, got {got}"), place=name, last=count - 1, got=beyond
            )
    if edit.values is not None and not is_off:
        rows = count if edit.rows is None else len(edit.rows)
        if tuple(edit.values.shape) not in ((rows, columns), (samples, rows, columns)):
            raise wrong_shape(name, f"{rows} × {columns} or {samples} × {rows} × {columns}", edit.values)
    near = max(attentions, key=lambda one: _shared_parts(one.name, name))
    real = (
        real_tokens(attentions, samples, count, of_context=near.of_context) if edit.values is None else None
    )
    return replace(edit, real=real).written(matrices).reshape(tensor.shape)


def _shared_parts(first: str, second: str) -> int:
    """How many parts two names have in common, from the first on."""
    pairs = zip(first.split("."), second.split("."), strict=False)
    return len([*itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)])


def parts_of(subject: Subject, found: Found, part: Part) -> list[Tensor]:
    """The outputs or weights of all samples and heads in another run of the module, by attention.

    Samples × heads × n_q × d_v, or n_k. ``found``: the run that found the attentions.
    """
    parts: list[Tensor] = []

    def see(call: Call, _: Sequence[Edit], outputs: Tensor, __: Mapping[int, Tensor]) -> None:
        parts.append(outputs if part == "outputs" else weights_of(call))

    changed_run(subject, found.sites, {}, see)
    return parts


def _edited(
    one: Captured, edits: Sequence[Edit], outputs: Tensor, new: Mapping[int, Tensor], given: Sequence[Edit]
) -> Captured:
    """The attention with its changed weights and outputs, and with the q, k and v that were put in.

    ``edits``: with weights where a head alone got q or k; ``given``: as they were asked for.
    """
    asked = _heads_of(given, ("weights",))
    alone = {*_heads_of(edits, ("weights",))}.difference(asked)
    for edit in given:
        if (edit.part == "v" and edit in edits) or (edit.part in OF_SCORES and edit.head in alone):
            one = _with_part(one, edit)
    weights = one.weights.clone()
    for head, own in new.items():
        weights[head] = own[one.sample].to(weights)
    hidden = torch.isneginf(one.added).expand_as(weights)
    is_over = any(bool(weights[head][hidden[head]].any()) for head in new)
    one = replace(
        one,
        weights=weights,
        remark=one.remark or (_OVER_MASK if is_over else ""),
        outputs=of_sample(outputs, one.sample),
        new_outputs=_heads_of(edits, ("outputs",)),
    )
    follow = alone & heads_by_scores(one) if alone else alone
    return replace(one, new_weights=tuple(sorted({*asked, *alone - follow})))


def _also_changed(one: Captured, first: Captured, given: Sequence[Edit]) -> tuple[Part, ...]:
    """Which of q, k and v changed though they were not put in: the module computes them from what was."""
    put_in = {edit.part for edit in given}
    parts = [part for part in WRITTEN if part not in put_in] if put_in.intersection(WRITTEN) else []
    pairs = [(part, getattr(first, part), getattr(one, part)) for part in parts]
    return tuple(
        part
        for part, before, after in pairs
        if before is not None and after is not None and not torch.allclose(before, after, equal_nan=True)
    )


def _with_part(one: Captured, edit: Edit) -> Captured:
    """The attention with a head's new q, k or v. Heads that shared keys and values have each their own then."""
    h = len(one.weights)
    if one.k is not None and len(one.k) < h:
        one = replace(one, k=one.k.repeat_interleave(h // len(one.k), 0))
    if len(one.v) < h:
        one = replace(one, v=one.v.repeat_interleave(h // len(one.v), 0))
    matrices: Tensor | None = getattr(one, edit.part)
    assert matrices is not None  # noqa: S101  # a part that is not known cannot be replaced
    assert edit.values is not None  # noqa: S101
    values = edit.values if len(edit.values) == 1 else edit.values[one.sample : one.sample + 1]
    matrices = matrices.clone()
    matrices[edit.head] = replace(edit, values=values).written(matrices[edit.head][None])[0]
    parts: dict[str, Any] = {edit.part: matrices}
    return replace(one, **parts)


def _heads_of(edits: Sequence[Edit], parts: Sequence[Part]) -> tuple[int, ...]:
    """The heads of which one of these parts is changed."""
    return tuple(sorted({edit.head for edit in edits if edit.part in parts and edit.head is not None}))
