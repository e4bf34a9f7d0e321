"""One run of a module, and every attention that was found in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor, nn

from mha_core.errors import N_, InteropError
from mha_core.interop.running.attentions import Attentions, numbered
from mha_core.interop.running.call import Call, failures_named, nested
from mha_core.interop.running.captured import Captured
from mha_core.interop.running.changed import found_tensor
from mha_core.interop.running.functions import as_written
from mha_core.interop.running.names import Names, labels_of, named, on_side
from mha_core.interop.running.one_sample import verified
from mha_core.interop.running.padding import truth_of, with_real
from mha_core.interop.running.samples import Batch, Split, four_axes, orders, undecided
from mha_core.interop.running.second_run import (
    heads_come_first,
    outputs_of,
    splits_a_sample,
    tensors_in,
    variants,
)
from mha_core.interop.running.sides import Inputs, Side, sides
from mha_core.interop.running.uses import Roots
from mha_core.interop.running.watch import Watch


@dataclass(frozen=True, slots=True)
class Asked:
    """What ``capture`` was asked for: the sample, the number of samples or None, names of tokens, and real ones."""

    sample: int = 0
    batch: int | None = None
    tokens: Names | None = None
    context_tokens: Names | None = None
    real: Tensor | None = None
    context_real: Tensor | None = None

    def with_real(self, real: Any, context_real: Any) -> Asked:
        """With what a caller gave as ``real`` and ``context_real``. Raises ``InteropError`` for other numbers."""
        own, context = (
            None if given is None else truth_of(given, place)
            for place, given in (("real", real), ("context_real", context_real))
        )
        return replace(self, real=own, context_real=context)

    def named(self, attentions: Sequence[Captured], sides: Sequence[Side]) -> list[Captured]:
        """The attentions with names of tokens and numbers. Raises ``InteropError`` for names, and for real tokens, that
        fit none.
        """
        sample = attentions[0].sample
        attentions = [on_side(one, side) for one, side in zip(attentions, sides, strict=True)]
        if self.real is not None:
            is_sure = any(side != "own" for side in sides) or not (
                self.context_tokens or self.context_real is not None
            )
            attentions = with_real(attentions, self.real, of_context=False, is_sure=is_sure)
        if self.context_real is not None:
            attentions = with_real(attentions, self.context_real, of_context=True)
        labels = (labels_of(names, sample) for names in (self.tokens, self.context_tokens))
        return numbered(named(attentions, *labels))


class Site(NamedTuple):
    """Where in a run an attention is computed: the part's name, its outputs' shape, and which axes are heads.

    ``keys``: how many there are. ``view``: size, stride and offset of the outputs in the result of function ``number``;
    ``result``: that result's size and stride. ``matrices``: samples, heads, n_q and d_v. ``side``: which text its
    queries and keys are of.
    """

    name: str
    shape: torch.Size
    split: Split
    keys: int
    number: tuple[int, ...]
    view: tuple[Any, Any, int]
    result: tuple[Any, Any]
    matrices: tuple[int, ...] = ()
    side: Side = "own"


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """One run: what the module returned, and its attentions in the order of computation, with their sites."""

    output: Any
    attentions: Attentions
    sites: tuple[Site, ...]


def found_in(
    module: nn.Module,
    args: tuple[Any, ...],
    named: Mapping[str, Any],
    asked: Asked,
    again: tuple[tuple[Any, ...], Mapping[str, Any]] | None = None,
) -> Found:
    """Run the module and find every attention. Raises ``InteropError`` as ``capture`` does.

    ``again``: the inputs for a second run, if the first one may write into those that it gets.
    """
    given = [part for part in (*args, *named.values()) if isinstance(part, Tensor)]
    if any(part.is_nested for part in given):
        raise nested()
    size = Batch(asked.batch, given[0].shape if given else (), bool(given) and given[0].is_floating_point())
    sites, calls = list[Site](), list[Captured | _Undecided]()
    sources, roots = list[tuple[Inputs, Inputs]](), list[Roots]()

    def keep(call: Call) -> None:
        result, outputs = call.result, call.outputs
        offset = int(outputs.storage_offset()) - int(result.storage_offset())
        view = outputs.size(), outputs.stride(), offset
        whole = result.size(), result.stride()
        keys = call.v.shape[-2]
        sites.append(Site(call.name, outputs.shape, size.split(call), keys, call.number, view, whole))
        sources.append(call.sources)
        roots.append(call.roots)
        calls.append(_captured(call, sites[-1].split, asked.sample))

    watch = Watch(module, keep, dict.fromkeys(tensors_in((args, named))))
    with torch.no_grad(), failures_named((*args, *named.values())), as_written(), watch:
        output = module(*args, **named)
    if not calls:
        raise _no_attention(watch.ends)
    again = again or (args, named)
    decided = _decide(calls, module, *again, asked.batch)
    if asked.batch not in (None, size.inferred):
        _require_batch(
            [split or site.split for site, (_, split) in zip(sites, decided, strict=True)],
            module,
            again,
            sites,
        )
    compared = found_tensor(output)
    readers = {} if compared is None else watch.uses.of(compared)
    decided = [
        (_read_again(one, [readers[root] for root in sorted(own) if root in readers]), split)
        for (one, split), own in zip(decided, roots, strict=True)
    ]
    names = {one.name for one, _ in decided}
    skipped = [
        _not_followed(*end) for end in watch.lost.items() if end[1][1] == "columns" or end[0] not in names
    ]
    own_sides = sides(sources)
    attentions = Attentions(asked.named([one for one, _ in decided], own_sides), skipped)
    own_sites = (
        site._replace(
            split=split or site.split,
            matrices=(one.samples, *one.weights.shape[:2], one.outputs.shape[-1]),
            side=side,
        )
        for site, side, (one, split) in zip(sites, own_sides, decided, strict=True)
    )
    return Found(output, attentions, tuple(own_sites))


_AGAIN: Final = N_(
    "The weights also go into {operation}, besides their product with V. The outputs here are without that part, and "
    "heads that are switched off, or given other weights or outputs, keep it."
)


def _read_again(one: Captured, readers: Sequence[str]) -> Captured:
    """With the remark that its weights reach the output by these functions too, if there are any."""
    return replace(one, read_again=readers[0], remark=one.remark or _AGAIN) if readers else one


def _require_batch(
    splits: Sequence[Split],
    module: nn.Module,
    inputs: tuple[tuple[Any, ...], Mapping[str, Any]],
    sites: Sequence[Site],
) -> None:
    """Raise ``InteropError`` if a number of samples that the first input does not have is wrong: if a change of one
    sample moves some heads of what would then be a sample, and not the others.
    """
    every = range(len(splits))
    other = next((changed for _, _, changed in variants(inputs, None)), None)
    if other is None:
        return
    before, after = (outputs_of(module, args, named, every) for args, named in (inputs, other))
    for index in before.keys() & after.keys():
        split, site = splits[index], sites[index]
        if splits_a_sample(split, before[index], after[index]):
            raise InteropError(
                N_(
                    "{samples} is not the number of samples of {lead} matrices in {name}: one sample of the inputs "
                    "reaches only some of the heads that a sample would then have"
                ),
                place="batch",
                samples=split.samples,
                lead=" × ".join(map(str, site.shape[:-2])),
                name=site.name,
            )


_OF_COLUMNS: Final = N_(
    "a softmax over the columns of a projection is not attention between tokens, but a feature map, "
    "as in linear attention, or weights between channels"
)


def _not_followed(name: str, end: tuple[str, str]) -> InteropError:
    """What happened to scores that did not become an attention."""
    operation, why = end
    if why == "columns":
        sentence = _OF_COLUMNS
    elif why == "rows":
        sentence = N_(
            "a factor of {operation} has rows that are ≥ 0 and sum to 1, as weights have, but softmax did not compute "
            "them, so these heads are not here"
        )
    elif operation.startswith("softmax("):
        sentence = N_("{operation} is not along the last axis, where keys are expected")
    elif operation == "getitem":
        sentence = N_(
            "the scores or weights were indexed, as in w[0] or w[:, None], and cannot be followed from there"
        )
    else:
        sentence = N_("the scores or weights went into {operation} and cannot be followed from there")
    return InteropError(sentence, place=name, operation=operation)


def _no_attention(ends: Mapping[str, tuple[str, str]]) -> InteropError:
    """The error where no attention was seen: it says which operation took the result of a softmax, if any did."""
    if not ends:
        return InteropError(
            N_(
                "no attention was found in this run: neither nn.MultiheadAttention, nor "
                "scaled_dot_product_attention, nor softmax was called. Scripted modules, "
                "flex_attention, custom kernels, and exp with a sum in place of softmax cannot be captured"
            )
        )
    name, (operation, why) = next((end for end in ends.items() if end[1][0]), next(iter(ends.items())))
    sentence = N_("no attention was found in this run: the result of softmax was never multiplied by values")
    if operation.startswith("softmax("):
        sentence = N_(
            "no attention was found in this run: {operation} is not along the last axis, where keys are expected"
        )
    elif why == "columns":
        sentence = N_(
            "no attention was found in this run: a softmax over the columns of a projection is not attention "
            "between tokens, but a feature map, as in linear attention, or weights between channels"
        )
    elif why == "gate":
        sentence = N_(
            "no attention was found in this run: the result of softmax was multiplied by a "
            "parameter of the module. That is a gate: its values do not come from tokens"
        )
    elif why == "scores":
        sentence = N_(
            "no attention was found in this run: the scores went into {operation}, and only softmax is followed"
        )
    elif operation == "getitem":
        sentence = N_(
            "no attention was found in this run: the result of softmax was indexed, as in w[0] or w[:, None], and "
            "cannot be followed from there; the product with V must be a @, bmm or einsum of all weights"
        )
    elif operation:
        sentence = N_(
            "no attention was found in this run: the result of softmax went into {operation} and "
            "cannot be followed from there to a product with V"
        )
    return InteropError(sentence, place=name, operation=operation)


@dataclass(frozen=True, slots=True)
class _Undecided:
    """A call whose order of samples and heads is not known. ``either``: by whether heads come first, the attention."""

    name: str
    split: Split
    outputs: Tensor
    either: Mapping[bool, Captured]


def _captured(call: Call, split: Split, sample: int) -> Captured | _Undecided:
    """One sample of a call; all its samples have been verified."""
    if split.sure:
        return verified(four_axes(call, split), sample)
    either = {
        heads_first: verified(four_axes(call, split._replace(heads_first=heads_first)), sample)
        for heads_first in orders(call, split)
    }
    return _Undecided(call.name, split, call.outputs.detach().clone(), either)


def _decide(
    calls: Sequence[Captured | _Undecided],
    module: nn.Module,
    args: tuple[Any, ...],
    named: Mapping[str, Any],
    batch: int | None,
) -> list[tuple[Captured, Split | None]]:
    """The attentions of all calls, each with its split where runs on changed inputs decided the order.

    The first input decides. If a change of it shows nothing, the others do, if they agree: an input with an axis of
    heads, such as a mask for each head, would show that axis.
    """
    left = {index: call for index, call in enumerate(calls) if isinstance(call, _Undecided)}
    orders_shown: dict[int, set[bool]] = {index: set() for index in left}
    decided: set[int] = set()
    for which, size, (changed_args, changed_named) in variants((args, named), batch) if left else ():
        if len(decided) == len(left):
            break
        outputs = outputs_of(module, changed_args, changed_named, left)
        for index in outputs.keys() - decided:
            heads_first = heads_come_first(left[index].split, left[index].outputs, outputs[index], size)
            if heads_first in left[index].either and heads_first is not None:
                orders_shown[index].add(heads_first)
                decided |= {index} if which == 0 else set()
    captured: list[tuple[Captured, Split | None]] = []
    for index, call in enumerate(calls):
        if isinstance(call, Captured):
            captured.append((call, None))
            continue
        if len(orders_shown[index]) != 1:
            raise undecided(call.name, call.outputs.shape[:-2])
        (order,) = orders_shown[index]
        captured.append((call.either[order], call.split._replace(heads_first=order)))
    return captured
