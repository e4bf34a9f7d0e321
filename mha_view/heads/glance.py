"""All heads of a text at a glance: a small map of each, the key that each query looks at most, and its measures.

The page Models is sent this of a trained model's layers, and a notebook cell contains it of any attention.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NotRequired, TypedDict

import torch
from torch import Tensor
from torch.nn import functional

from mha_core.models import MEASURES, Record, Tokens, label, unsure
from mha_core.models.jobs import Job, JobKind
from mha_core.models.measures import Places, records

SIDE: Final = 128
"""Most pixels to a side of a map; a pixel stands for several pairs of a longer text."""
UNMEASURED: Final = Record(0.0, {})
"""Of a head whose queries and keys are different tokens."""


class Sentence(TypedDict):
    """What the header says of one sentence. ``keyTexts``, ``width``: of keys that are not the queries."""

    texts: list[str]
    unknown: list[bool]
    words: Sequence[int | None]
    special: Sequence[bool]
    labels: list[str]
    unsure: list[str]
    places: list[int]
    block: int
    side: int
    keyTexts: NotRequired[list[str]]
    width: NotRequired[int]


class Sentences(TypedDict):
    """The part of the header about sentences."""

    measures: list[str]
    sentences: list[Sentence]


@dataclass(frozen=True, slots=True)
class Glance:
    """What is sent of one layer's weights over a sentence. maps: h × side × width; keys, tops: h × n."""

    maps: Tensor
    keys: Tensor
    tops: Tensor
    records: tuple[Record, ...]

    @classmethod
    def of(cls, weights: Tensor, places: Places | None, side: int = SIDE) -> Glance:
        """weights: h × n × m; ``places``: where measures are taken, None if queries and keys are different tokens."""
        tops, keys = weights.max(-1)
        measured = records(weights, places) if places else (UNMEASURED,) * len(weights)
        return cls(levels(pooled(weights, side)), keys.to(torch.uint16), tops.float(), measured)


def pooled(weights: Tensor, side: int) -> Tensor:
    """The largest weight of each block of pairs, at most ``side`` × ``side``."""
    return functional.max_pool2d(weights, block_of(max(weights.shape[-2:]), side), ceil_mode=True)


def header_and_arrays(
    sentences: Sequence[Tokens],
    layers: Sequence[Sequence[Glance]],
    side: int = SIDE,
    jobs: Sequence[Job] = (),
) -> tuple[Sentences, dict[str, Tensor]]:
    """The part of the header about sentences, and their arrays; ``layers`` are those of each sentence.

    ``jobs``: what heads were trained to do, which names those that no measure names.
    """
    names = [name for name in MEASURES if any(name in glances[0].records[0].measures for glances in layers)]
    described: list[Sentence] = []
    arrays: dict[str, Tensor] = {}
    for number, (tokens, glances) in enumerate(zip(sentences, layers, strict=True)):
        heads = [record for glance in glances for record in glance.records]
        trained = {job.layer * len(glances[0].records) + job.head: job.kind for job in jobs}
        described.append(_sentence(tokens, heads, names, side, trained))
        parts = {
            "maps": torch.stack([glance.maps for glance in glances]),
            "keys": torch.stack([glance.keys for glance in glances]),
            "tops": torch.stack([glance.tops for glance in glances]),
            "measured": _measured(heads, names, "value"),
            "chance": _measured(heads, names, "null"),
        }
        arrays |= {f"{number}.{name}": array for name, array in parts.items()}
    return {"measures": names, "sentences": described}, arrays


def _sentence(
    tokens: Tokens, heads: Sequence[Record], names: Sequence[str], side: int, trained: Mapping[int, JobKind]
) -> Sentence:
    block = block_of(len(tokens), side)
    return {
        "texts": [
            text if unknown is None else f"{text} {unknown}"
            for text, unknown in zip(tokens.texts, tokens.unknown, strict=True)
        ],
        "unknown": [unknown is not None for unknown in tokens.unknown],
        "words": tokens.words,
        "special": tokens.special,
        "labels": [_label(record, trained.get(at)) for at, record in enumerate(heads)],
        "unsure": [unsure(record) or "" for record in heads],
        "places": [heads[0].measures[name].places if name in heads[0].measures else 0 for name in names],
        "block": block,
        "side": math.ceil(len(tokens) / block),
    }


def _label(record: Record, job: JobKind | None) -> str:
    """What a head does in this text; else what it was trained to do."""
    return label(record) or job or "none"


def _measured(heads: Sequence[Record], names: Sequence[str], part: Literal["value", "null"]) -> Tensor:
    """heads × measures; NaN where the text has no place to measure."""
    return torch.tensor(
        [
            [getattr(record.measures[name], part) if name in record.measures else math.nan for name in names]
            for record in heads
        ]
    )


def block_of(n: int, side: int = SIDE) -> int:
    """How many tokens each pixel covers in a map of n tokens."""
    return math.ceil(n / side)


def levels(weights: Tensor) -> Tensor:
    """255·√weight, rounded; the root makes small weights visible. Weights that were replaced may exceed 0 to 1."""
    return (255 * weights.clamp(0, 1).sqrt()).round().to(torch.uint8)
