"""What a notebook cell contains of the heads of a run, in one binary message (``mha_view.message``).

Attentions of the same heads, queries and keys are one part of a model, layers × heads. Of each part and each sample
there is one view: the glance at all heads, exact weights of all heads, and queries and keys for the arithmetic of a
pair. Of a changed run everything is there twice, before and after the change, as the page Models has two sentences, and
also the difference of the two. What would exceed ``MOST_BYTES`` is left out, and the header says so: in place of all
exact weights the largest of each query, and all weights as levels while there is room for these; of a sample
everything.

    [view]/0.maps, 0.keys, 0.tops, 0.measured, 0.chance    as the page Models is sent them (``mha_api.model_answers``)
    [view]/0.weights.[layer]                               h × n × m
    [view]/0.levels.[layer]                                h × n × m: round(255·√weight)
    [view]/0.largest.[layer], 0.largest_keys.[layer]       h × n × K, each query's K largest weights, and their keys
    [view]/0.q.[layer], 0.k.[layer]                        h × n × d, g × m × d
    [view]/0.mask.[layer]                                 n × m or h × n × m: 1 = may attend; or numbers to add
    [view]/1.…                                             the same after the change; 0 is then before it
    [view]/real/…                                         what the glance has, without padding
    [view]/differences                                     layers × h: the largest change of a weight
    [view]/shift_keys, shifts                              layers × h × n: each query's key whose weight changed most,
                                                           and by how much
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Final, TypedDict

import torch
from torch import Tensor

from mha_core.example.model import MAX_SIZE, NEG_INF
from mha_core.interop.running.attentions import Attentions
from mha_core.interop.running.captured import Captured
from mha_view.heads.glance import Sentences, block_of, header_and_arrays, levels
from mha_view.heads.names import short_names, tokens_of, visible
from mha_view.heads.places import Records, between, glances, is_causal, real_places, real_rows

MOST_BYTES: Final = 8_000_000
"""Most bytes of all numbers of a cell, before they are compressed."""
SIDE: Final = 64
"""Most pixels to a side of a head's small map."""
LARGEST: Final = (16, 8, 4, 2)
"""How many of each query's weights are exact where not all of them are: the first number that there is room for."""

Arrays = dict[str, Tensor]
Heads = list[tuple[int, int]]


class RunHeader(Sentences):
    """All heads of a view at a glance, as the page Models has them, and what was changed in them.

    ``change``: there are two sentences, before and after a change. ``first``: heads are counted from this. ``names``:
    of the attentions; ``labels``: what is different in these. ``off``, ``patched``: heads that were switched off, and
    those with a part replaced.
    """

    model: str
    layers: int
    heads: int
    d_model: int
    d_head: int
    causal: bool
    limit: int
    guesses: bool
    masks: list[list[int]]
    aligned: list[tuple[int, int]]
    change: bool
    first: int
    labels: list[str]
    names: list[str]
    off: Heads
    patched: Heads


class Real(TypedDict):
    """The glance without padding, and the numbers of the queries and keys that it leaves."""

    run: RunHeader
    rows: list[int]
    keys: list[int]


class Layer(TypedDict):
    """What the arithmetic of a pair needs besides numbers, and the Python that finds the attention.

    ``cut``: whether it is more than an example holds. ``root``: whether the divisor is √d_k. ``sinks``: of each head,
    None for a head without.
    """

    name: str
    code: str
    cut: bool
    divisor: float
    root: bool
    softcap: float | None
    sinks: Sequence[float | None]
    causal: bool


class View(TypedDict):
    """One part of one sample. ``weights``: whether all are here exactly, or else ``largest`` of each query, and whether
    all are here as ``levels``. ``factors``: whether queries and keys are here, or else how many ``factor_bytes`` they
    have; 0 where there are none. ``alone``: whether a cell of one attention has room for its own, which come first
    there. ``layers``: of each sentence. ``real``: None without padding.
    """

    part: int
    sample: int
    run: RunHeader
    real: Real | None
    layers: list[list[Layer]]
    weights: bool
    levels: bool
    largest: int
    factors: bool
    factor_bytes: int
    alone: bool


class HeadsHeader(TypedDict):
    """``parts``: the names of each part's attentions. ``samples``: how many the batch has."""

    views: list[View]
    parts: list[list[str]]
    samples: int


@dataclass(slots=True)
class Room:
    """The bytes that are left."""

    left: int = field(default_factory=lambda: MOST_BYTES)

    def takes(self, arrays: Mapping[str, Tensor]) -> bool:
        """Whether there is room for these; then it is taken."""
        size = _bytes(arrays)
        fits = self.has(size)
        self.left -= size * fits
        return fits

    def has(self, size: int) -> bool:
        """Whether there is room for so many bytes."""
        return size <= self.left


def _bytes(arrays: Mapping[str, Tensor]) -> int:
    return sum(array.numel() * array.element_size() for array in arrays.values())


@dataclass(frozen=True, slots=True)
class Run:
    """Attentions of a run, and how Python calls it; "" for one attention without a run."""

    attentions: Attentions
    code: str

    def of(self, places: Sequence[int]) -> Run:
        """Some of them."""
        return Run(Attentions(self.attentions[place] for place in places), self.code)

    def source(self, place: int, sample: int) -> str:
        """The Python of an attention: ``found["h.3.attn"]``, or ``found.samples[2]["h.3.attn"]`` for another sample."""
        is_asked = sample == self.attentions[0].sample
        if not self.code:
            return "attention" if is_asked else f"attention.batch[{sample}]"
        name = json.dumps(self.attentions[place].name, ensure_ascii=False)
        return f"{self.code}{'' if is_asked else f'.samples[{sample}]'}[{name}]"


@dataclass(frozen=True, slots=True)
class Part:
    """Attentions with the same heads, queries and keys; of a changed run those before the change and those after it."""

    sides: tuple[Run, ...]

    @property
    def last(self) -> Attentions:
        """The attentions, after a change."""
        return self.sides[-1].attentions


def parts_of(sides: Sequence[Run]) -> list[Part]:
    """The parts of a run, or of a slice of one, in the order of computation."""
    places: dict[object, list[int]] = {}
    for place, one in enumerate(sides[-1].attentions):
        places.setdefault((one.weights.shape, one.tokens, one.context_tokens), []).append(place)
    return [Part(tuple(side.of(own) for side in sides)) for own in places.values()]


def heads_payload(*sides: Run) -> tuple[HeadsHeader, Arrays]:
    """The header's part about heads, and the arrays; of a changed run the ``sides`` are before and after the change.

    The sample that was asked for comes first, with all its parts.
    """
    room, views, arrays = Room(), list[View](), Arrays()
    attentions, parts = sides[-1].attentions, parts_of(sides)
    asked = attentions[0].sample
    kept = sorted(attentions.samples.numbers, key=lambda number: (number != asked, number))
    for sample in kept:
        for at, part in enumerate(parts):
            if made := _view(part, at, sample, room):
                view, own_arrays = made
                arrays |= {f"{len(views)}/{name}": array for name, array in own_arrays.items()}
                views.append(view)
    names = [[one.name for one in part.last] for part in parts]
    return {"views": views, "parts": names, "samples": attentions[0].samples}, arrays


def _layer(one: Captured, code: str) -> Layer:
    d_k = one.v.shape[-1] if one.q is None else one.q.shape[-1]
    widest = max(*one.weights.shape[1:], one.v.shape[-1], d_k)
    return {
        "name": one.name,
        "code": code,
        "cut": widest > MAX_SIZE,
        "divisor": one.scale
        if isinstance(one.scale, float)
        else sqrt(d_k)
        if one.scale == "sqrt_dk"
        else 1.0,
        "root": one.scale == "sqrt_dk",
        "softcap": one.softcap,
        "sinks": _sinks(one),
        "causal": one.causal,
    }


def _sinks(one: Captured) -> list[float | None]:
    sinks = [NEG_INF] * len(one.weights) if one.sinks is None else one.sinks.tolist()
    return [None if sink == NEG_INF else sink for sink in sinks]


def _view(part: Part, at: int, sample: int, room: Room) -> tuple[View, Arrays] | None:
    """One part of one sample; None without room for the glance of a sample that was not asked for."""
    sides = [side.attentions.samples[sample] for side in part.sides]
    weights = [[_weights(one) for one in own] for own in sides]
    real, without, measured = _real(sides)
    run, arrays, _ = _run(sides, weights, measured)
    arrays |= without
    if not room.takes(arrays) and sample != part.last[0].sample:
        return None
    factors = _of_sides(dict(_factors(own)) for own in sides)
    size = (_bytes(factors) + _bytes(arrays)) // len(part.last)
    has_factors = bool(factors) and len(part.last) == 1 and room.takes(factors)
    exact = _of_sides(_by_layer("weights", own) for own in weights)
    has_weights, has_levels, largest = room.takes(exact), False, 0
    if not has_weights:
        has_levels = room.has(sum(layer.numel() for own in weights for layer in own))
        all_levels = _of_sides(_by_layer("levels", map(levels, own)) for own in weights) if has_levels else {}
        room.takes(all_levels)
        choices = ((most, _of_sides(_largest(own, most) for own in weights)) for most in LARGEST)
        largest, strongest = next((choice for choice in choices if room.takes(choice[1])), (0, {}))
        exact = all_levels | strongest
    has_factors = has_factors or (bool(factors) and room.takes(factors))
    view: View = {
        "part": at,
        "sample": sample,
        "run": run,
        "real": real,
        "layers": [
            [_layer(one, side.source(layer, sample)) for layer, one in enumerate(own)]
            for side, own in zip(part.sides, sides, strict=True)
        ],
        "weights": has_weights,
        "levels": has_levels,
        "largest": largest,
        "factors": has_factors,
        "factor_bytes": _bytes(factors),
        "alone": size <= MOST_BYTES,
    }
    return view, {**arrays, **exact, **(factors if has_factors else {})}


def _real(sides: Sequence[Attentions]) -> tuple[Real | None, Arrays, Sequence[Records] | None]:
    """The glance without padding, if there is any, and what its heads do: padding changes nothing about that."""
    places = real_places(sides[-1])
    if places is None:
        return None, {}, None
    rows, keys = places
    own = [between(side, rows, keys) for side in sides]
    run, arrays, measured = _run(own, [[_weights(one) for one in side] for side in own])
    real: Real = {"run": run, "rows": rows.tolist(), "keys": keys.tolist()}
    return real, {f"real/{name}": array for name, array in arrays.items()}, measured


def _of_sides(sides: Iterable[Mapping[str, Tensor]]) -> Arrays:
    """The arrays of each side, named by it."""
    return {f"{at}.{name}": array for at, side in enumerate(sides) for name, array in side.items()}


def _by_layer(name: str, layers: Iterable[Tensor]) -> Arrays:
    return {f"{name}.{layer}": array for layer, array in enumerate(layers)}


def _run(
    sides: Sequence[Attentions],
    weights: Sequence[Sequence[Tensor]],
    measured: Sequence[Records] | None = None,
) -> tuple[RunHeader, Arrays, Sequence[Records]]:
    """All heads at a glance, and what was ``measured`` of them unless that is known."""
    own = sides[-1]
    names = [one.name for one in own]
    first, (h, n, m) = own[0], weights[0][0].shape
    tokens = tokens_of(first.tokens)
    maps = len(sides) * len(own) * h
    side = next((side for side in (SIDE, SIDE // 2) if maps * side**2 <= MOST_BYTES // 4), SIDE // 4)
    layers = [
        list(glances(own, of, side, measured[at] if measured else None))
        for at, (own, of) in enumerate(zip(sides, weights, strict=True))
    ]
    described, arrays = header_and_arrays([tokens] * len(sides), layers, side)
    for sentence in described["sentences"]:
        sentence["texts"] = visible(sentence["texts"])
    if first.context_tokens is not None:
        *_, rows, columns = arrays["0.maps"].shape
        keys, block = visible(first.context_tokens), block_of(max(n, m), side)
        for sentence in described["sentences"]:
            sentence |= {"keyTexts": keys, "side": rows, "width": columns, "block": block}
    changed = [
        (layer, head, head not in one.new_weights and not bool(one.outputs[head].any()))
        for layer, one in enumerate(own)
        for head in {*one.new_weights, *one.new_inputs, *one.new_outputs}
    ]
    run: RunHeader = {
        "model": "",
        "layers": len(own),
        "heads": h,
        "d_model": 0,
        "d_head": own[0].v.shape[-1],
        "causal": is_causal(weights[-1]),
        "limit": n,
        "guesses": False,
        "masks": [[]] * len(sides),
        "aligned": [(at, at) for at in range(n)] if len(sides) > 1 else [],
        "change": len(sides) > 1,
        "first": 0,
        "labels": short_names(names),
        "names": names,
        "off": [(layer, head) for layer, head, is_off in changed if is_off],
        "patched": [(layer, head) for layer, head, is_off in changed if not is_off],
        **described,
    }
    if len(weights) == 2:
        real = [real_rows(*layer) for layer in zip(own, weights[-1], strict=True)]
        arrays |= _differences(weights[0], weights[1], real)
    return run, arrays, [[glance.records for glance in own] for own in layers]


def _differences(before: Sequence[Tensor], after: Sequence[Tensor], real: Sequence[Tensor]) -> Arrays:
    """How far each head's weights of ``real`` queries changed, and of each query the key whose weight changed most."""
    by = torch.stack([new - old for old, new in zip(before, after, strict=True)])
    keys = by.abs().argmax(-1, keepdim=True)
    return {
        "differences": torch.stack(
            [layer[:, rows].abs().amax((-2, -1)) for layer, rows in zip(by, real, strict=True)]
        ),
        "shift_keys": keys[..., 0].to(torch.uint16),
        "shifts": by.gather(-1, keys)[..., 0],
    }


def _weights(one: Captured) -> Tensor:
    """h × n × m in float32; a row that is NaN, as of padding that may attend to nothing, is 0."""
    return one.weights.detach().float().nan_to_num(0.0).contiguous()


def _largest(weights: Sequence[Tensor], most: int) -> Arrays:
    """The largest weights of each query and their keys, the largest first."""
    arrays = Arrays()
    for layer, layer_weights in enumerate(weights):
        values, keys = layer_weights.topk(min(most, layer_weights.shape[-1]), dim=-1)
        arrays |= {f"largest.{layer}": values, f"largest_keys.{layer}": keys.to(torch.uint16)}
    return arrays


def _factors(own: Attentions) -> Iterator[tuple[str, Tensor]]:
    """Queries, keys and masks of the layers that have them."""
    for layer, one in enumerate(own):
        if (q := one.scaled_q) is None or one.k is None:
            continue
        yield f"q.{layer}", q.float()
        yield f"k.{layer}", one.k.float()
        if one.bias is not None:
            yield f"mask.{layer}", one.added.float()
        elif one.mask is not None:
            yield f"mask.{layer}", one.mask.to(torch.uint8)
