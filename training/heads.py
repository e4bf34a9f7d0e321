"""What the heads of the finished model do: the page's own measures over new texts, and the probes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mha_core.models.forward import run
from mha_core.models.heads import measured
from mha_core.models.model import Model
from mha_core.models.runs import tokenize
from training.corpus import unmarked
from training.model import Place
from training.passages import Passage
from training.probes import Probe


@dataclass(frozen=True, slots=True)
class Shown:
    """How far a head does a thing: its ``share`` of the weight between words, what chance gives, and of how many."""

    share: float
    null: float
    places: int


def behaviours(model: Model, passages: Iterable[Passage]) -> Mapping[str, Mapping[Place, Shown]]:
    """Each measure of ``mha_core.models.measures``, the mean over all texts by how many places they have."""
    sums: dict[str, dict[Place, list[float]]] = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0, 0.0]))
    for passage in passages:
        texts = [unmarked(text)[0] for text in (passage.text, passage.second) if text]
        tokens = tokenize(model, *texts)
        if len(tokens) > model.architecture.max_tokens:
            continue
        for layer, heads in enumerate(measured(tokens, run(model, tokens))):
            for head, record in enumerate(heads):
                for name, one in record.measures.items():
                    for at, number in enumerate((one.value * one.places, one.null * one.places, one.places)):
                        sums[name][layer, head][at] += number
    return {
        name: {
            place: Shown(value / count, null / count, int(count))
            for place, (value, null, count) in found.items()
        }
        for name, found in sums.items()
    }


def probed(model: Model, probes: Sequence[Probe]) -> Mapping[Place, tuple[float, float]]:
    """For each head: the share of probes in which the asking word gives the answering one more weight than the other,
    and the mean weight that it gives it.
    """
    size = model.architecture
    better: dict[Place, int] = defaultdict(int)
    given: dict[Place, float] = defaultdict(float)
    for probe in probes:
        tokens = tokenize(model, probe.text, probe.second)
        asking, answering, other = (
            tokens.texts.index(word) for word in (probe.asking, probe.answering, probe.other)
        )
        for layer, kept in enumerate(run(model, tokens).layers):
            weights = kept.weights[:, asking]
            for head in range(size.heads):
                given[layer, head] += weights[head, answering].item()
                better[layer, head] += int(weights[head, answering] > weights[head, other])
    return {place: (better[place] / len(probes), given[place] / len(probes)) for place in given}


def best(found: Mapping[Place, Shown]) -> Place:
    """The head farthest from chance."""
    return max(found, key=lambda place: found[place].share - found[place].null)
