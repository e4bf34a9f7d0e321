"""Which head finds the word that decides a hidden one, and what becomes of the guess without that head."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, get_args

import torch
from torch import Tensor

from mha_core.models.jobs import Job, JobKind
from training.corpus import MASK, Corpus, Texts
from training.model import Bert, Place

JOB: Final = 0.8
"""A head does what it finds in so large a share of the texts."""


@dataclass(frozen=True, slots=True)
class Needed:
    """A head in texts of one kind. ``found``: the share of the texts in which it gives the deciding word the largest of
    its weights; ``weight``: the mean of that weight; ``right`` and ``chance``: the share of hidden words that are
    guessed at once, and their mean probability; ``right_off`` and ``chance_off``: the same without the head.
    """

    found: float
    weight: float
    right: float
    chance: float
    right_off: float
    chance_off: float


@torch.no_grad()
def needed(model: Bert, corpus: Corpus) -> Mapping[str, Mapping[Place, Needed]]:
    """For each kind of text and each head, the mean over all texts, in each of which the decided word is hidden."""
    shape = model.shape
    places = [(layer, head) for layer in range(shape.layers) for head in range(shape.heads)]
    rows: dict[str, dict[Place, list[Tensor]]] = defaultdict(lambda: defaultdict(list))
    for texts in corpus.values():
        hidden = (texts.decided > 0).float().argmax(1)
        whole, weights = _guessed(model, texts, hidden)
        for layer, head in places:
            without, _ = _guessed(model, texts, hidden, [(layer, head)])
            at = torch.arange(len(hidden))
            given, deciding = weights[layer][at, head, hidden], texts.decided[at, hidden]
            on = given[at, deciding]
            told = torch.stack(((given.argmax(-1) == deciding).float(), on, *whole, *without), -1)
            for kind, one in zip(texts.kinds, told, strict=True):
                rows[kind][layer, head].append(one)
    return {
        kind: {place: Needed(*torch.stack(told).mean(0).tolist()) for place, told in found.items()}
        for kind, found in rows.items()
    }


def _guessed(
    model: Bert, texts: Texts, hidden: Tensor, off: Collection[Place] = ()
) -> tuple[tuple[Tensor, Tensor], Mapping[int, Tensor]]:
    """Whether the hidden word of each text is guessed at once, and its probability; and all weights."""
    at = torch.arange(len(hidden))
    ids = texts.ids.clone()
    ids[at, hidden] = MASK
    states, weights = model.watched(
        ids, texts.segments, torch.arange(ids.shape[1]).expand_as(ids), range(model.shape.layers), off
    )
    chances = model.guess(states[at, hidden]).softmax(-1)
    words = texts.ids[at, hidden]
    return ((chances.argmax(-1) == words).float(), chances[at, words]), weights


def jobs(corpus: Corpus, found: Mapping[str, Mapping[Place, Needed]]) -> Iterator[Job]:
    """For each kind the head that finds the deciding word most often, if it is a head's job."""
    texts = Counter(kind for one in corpus.values() for kind in one.kinds)
    for kind in get_args(JobKind):
        layer, head = best = max(found[kind], key=lambda place: found[kind][place].found)
        if found[kind][best].found >= JOB:
            yield Job(kind, layer, head, round(found[kind][best].found, 3), texts[kind])


def table(before: Mapping[str, Mapping[Place, Needed]], after: Mapping[str, Mapping[Place, Needed]]) -> str:
    """Markdown: for each kind the head that finds the deciding word most often, before and after the second course."""
    lines = [
        "| hidden word | course | layer, head | finds it | guessed right | without the head | p | without the head |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for kind in sorted(after):
        for course, found in (("first", before[kind]), ("second", after[kind])):
            layer, head = best = max(found, key=lambda place: found[place].found)
            one = found[best]
            numbers = (one.found, one.right, one.right_off, one.chance, one.chance_off)
            cells = (kind, course, f"{layer + 1}, {head + 1}", *(f"{number:.2f}" for number in numbers))
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
