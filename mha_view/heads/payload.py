"""What a notebook cell contains of the heads of a run, in one binary message (``mha_view.message``).

Attentions of the same heads, queries and keys are one part of a model, layers × heads. Of each part and each sample
there is one view: the glance at all heads, exact weights of all heads, and queries and keys for the arithmetic of a
pair. What would exceed ``MOST_BYTES`` is left out, and the header says so: in place of all exact weights the largest of
each query, and all weights as levels while there is room for these; of a sample everything.

    [view]/0.maps, 0.keys, 0.tops, 0.measured, 0.chance    as the page Models is sent them (``mha_api.model_answers``)
    [view]/weights.[layer]                                 h × n × m
    [view]/levels.[layer]                                  h × n × m: round(255·√weight)
    [view]/largest.[layer], largest_keys.[layer]           h × n × K, each query's K largest weights, and their keys
    [view]/q.[layer], k.[layer]                            h × n × d, g × m × d
    [view]/mask.[layer]                                    n × m or h × n × m: 1 = may attend; or numbers that are added
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Final, TypedDict

import torch
from torch import Tensor

from mha_core.example.model import MAX_SIZE, NEG_INF
from mha_core.interop.running.attentions import Attentions
from mha_core.interop.running.captured import Captured
from mha_core.models.measures import Places
from mha_view.heads.glance import Glance, Sentences, block_of, header_and_arrays, levels
from mha_view.heads.names import tokens_of

MOST_BYTES: Final = 8_000_000
"""Most bytes of all numbers of a cell, before they are compressed."""
SIDE: Final = 64
"""Most pixels to a side of a head's small map."""
LARGEST: Final = (16, 8, 4, 2)
"""How many of each query's weights are exact where not all of them are: the first number that there is room for."""

Arrays = dict[str, Tensor]
Heads = list[tuple[int, int]]


class Run(Sentences):
    """All heads of a view at a glance, as the page Models has them, and what was changed in them.

    ``first``: heads are counted from this. ``numbers``, ``names``: of the attentions, the numbers as in Python.
    ``off``, ``patched``: heads that were switched off, and those with a part replaced.
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
    first: int
    numbers: list[int]
    names: list[str]
    off: Heads
    patched: Heads


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
    have; 0 where there are none.
    """

    part: int
    sample: int
    run: Run
    layers: list[Layer]
    weights: bool
    levels: bool
    largest: int
    factors: bool
    factor_bytes: int


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
class Part:
    """Attentions with the same heads, queries and keys.

    ``indices``: their numbers in the run. ``code``: how Python calls the run; "" for one attention without a run.
    """

    indices: tuple[int, ...]
    attentions: Attentions
    code: str

    def source(self, layer: int, sample: int) -> str:
        """The Python of an attention: ``found[3]``, or ``found.samples[2][3]`` for another sample."""
        if not self.code:
            return "attention" if sample == self.attentions[0].sample else f"attention.batch[{sample}]"
        of_sample = "" if sample == self.attentions[0].sample else f".samples[{sample}]"
        return f"{self.code}{of_sample}[{self.indices[layer]}]"


def parts_of(attentions: Attentions, code: str) -> list[Part]:
    """The parts of a run, or of a slice of one, in the order of computation."""
    parts: dict[object, list[int]] = {}
    for place, one in enumerate(attentions):
        parts.setdefault((one.weights.shape, one.tokens, one.context_tokens), []).append(place)

    def index(place: int) -> int:
        given = attentions[place].index
        return place if given is None else given

    return [
        Part(tuple(map(index, own)), Attentions(attentions[place] for place in own), code)
        for own in parts.values()
    ]


def heads_payload(attentions: Attentions, code: str) -> tuple[HeadsHeader, Arrays]:
    """The header's part about heads, and the arrays. The sample that was asked for comes first, with all its parts."""
    room, views, arrays = Room(), list[View](), Arrays()
    parts = parts_of(attentions, code)
    asked = attentions[0].sample
    kept = sorted(attentions.samples, key=lambda number: (number != asked, number))
    for sample in kept:
        for at, part in enumerate(parts):
            if made := _view(part, at, sample, room):
                view, own_arrays = made
                arrays |= {f"{len(views)}/{name}": array for name, array in own_arrays.items()}
                views.append(view)
    names = [[one.name for one in part.attentions] for part in parts]
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
    own = part.attentions.samples[sample]
    weights = [_weights(one) for one in own]
    run, arrays = _run(part, own, weights)
    if not room.takes(arrays) and sample != part.attentions[0].sample:
        return None
    exact = {f"weights.{layer}": layer_weights for layer, layer_weights in enumerate(weights)}
    has_weights, has_levels, largest = room.takes(exact), False, 0
    if not has_weights:
        has_levels = room.has(sum(map(Tensor.numel, weights)))
        all_levels = (
            {f"levels.{layer}": levels(part) for layer, part in enumerate(weights)} if has_levels else {}
        )
        room.takes(all_levels)
        choices = ((most, _largest(weights, most)) for most in LARGEST)
        largest, strongest = next((choice for choice in choices if room.takes(choice[1])), (0, {}))
        exact = all_levels | strongest
    factors = dict(_factors(own))
    has_factors = bool(factors) and room.takes(factors)
    view: View = {
        "part": at,
        "sample": sample,
        "run": run,
        "layers": [_layer(one, part.source(layer, sample)) for layer, one in enumerate(own)],
        "weights": has_weights,
        "levels": has_levels,
        "largest": largest,
        "factors": has_factors,
        "factor_bytes": _bytes(factors),
    }
    return view, {**arrays, **exact, **(factors if has_factors else {})}


def _run(part: Part, own: Attentions, weights: Sequence[Tensor]) -> tuple[Run, Arrays]:
    """All heads at a glance."""
    first, (h, n, m) = own[0], weights[0].shape
    tokens, causal = tokens_of(first.tokens), _is_causal(weights)
    side = next((side for side in (SIDE, SIDE // 2) if len(own) * h * side**2 <= MOST_BYTES // 4), SIDE // 4)
    places = Places.of(tokens, causal=causal) if first.context_tokens is None else None
    described, arrays = header_and_arrays(
        [tokens], [[Glance.of(layer, places, side) for layer in weights]], side
    )
    if first.context_tokens is not None:
        *_, rows, columns = arrays["0.maps"].shape
        keys, block = list(first.context_tokens), block_of(max(n, m), side)
        described["sentences"][0] |= {"keyTexts": keys, "side": rows, "width": columns, "block": block}
    changed = [
        (layer, head, head not in one.new_weights and not bool(one.outputs[head].any()))
        for layer, one in enumerate(own)
        for head in {*one.new_weights, *one.new_outputs}
    ]
    run: Run = {
        "model": "",
        "layers": len(own),
        "heads": h,
        "d_model": 0,
        "d_head": own[0].v.shape[-1],
        "causal": causal,
        "limit": n,
        "guesses": False,
        "masks": [[]],
        "aligned": [],
        "first": 0,
        "numbers": list(part.indices),
        "names": [one.name for one in own],
        "off": [(layer, head) for layer, head, is_off in changed if is_off],
        "patched": [(layer, head) for layer, head, is_off in changed if not is_off],
        **described,
    }
    return run, arrays


def _weights(one: Captured) -> Tensor:
    """h × n × m in float32; a row that is NaN, as of padding that may attend to nothing, is 0."""
    return one.weights.detach().float().nan_to_num(0.0).contiguous()


def _is_causal(weights: Sequence[Tensor]) -> bool:
    """Whether no query looks at a later key, in any head."""
    return all(not bool(layer.triu(1).any()) for layer in weights) and weights[0].shape[-1] > 1


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
        if one.q is None or one.k is None:
            continue
        yield f"q.{layer}", one.q.float()
        yield f"k.{layer}", one.k.float()
        if one.mask is not None:
            is_added = one.mask.is_floating_point()
            yield f"mask.{layer}", one.mask.float() if is_added else one.mask.to(torch.uint8)
