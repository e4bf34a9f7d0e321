"""How each known mistake would show: how much it changes, and what a check would call it.

``diagnoses(trace(example), 2)`` plants them all at once: the hypotheses with which a check explains wrong numbers are
compared with each other, as if each had been written down at 2 decimals. All steps before are taken as written
rightly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor

from mha_core.check.catalogue import ROUNDED_EARLY, at_step
from mha_core.check.search import Family, Search
from mha_core.check.transcription import of_the_pen
from mha_core.compute.printed import Key, Printed
from mha_core.compute.trace import Trace
from mha_core.example.model import Example
from mha_core.vocabulary import STEPS


class Diagnosis(NamedTuple):
    """One way of making a mistake: how many cells of the matrix it changes, and all that a check would call it."""

    changed: int
    names: frozenset[str]


Diagnoses: TypeAlias = dict[str, tuple[Diagnosis, ...]]
"""By mistake, one for each way of making it that changes a cell; those first that change least."""


def diagnoses(
    computed: Trace, decimals: int, hidden: Mapping[Key, int] | None = None
) -> Iterator[tuple[Key, Diagnoses]]:
    """For every step's matrix: what would be made of each known mistake that can be made there.

    Those come first at which most were ``hidden`` before: who counts may stop early. ``decimals``: how many digits are
    written down.
    """
    steps = Search(computed)
    every = {key: exact for key in steps.steps if key[0] in STEPS and (exact := steps.exact(key)) is not None}
    steps.carry({key: Family([()], exact[None]) for key, exact in every.items()})
    for key in sorted(every, key=lambda key: (hidden or {}).get(key, 0), reverse=True):
        with torch.inference_mode():
            rounded = [values for _, values in steps.roundings(key)]
            by_mistake = _of_one(
                key[0], steps.family(key, 1), rounded, every[key], decimals, computed.example
            )
        yield key, by_mistake


def _of_one(
    step: str, family: Family, rounded: list[Tensor], exact: Tensor, decimals: int, example: Example
) -> Diagnoses:
    family = family.chosen([n for n, blame in enumerate(family.blames) if blame and blame[0][1] is None])
    labels = [blame[0][0] for blame in family.blames]
    named, explaining = [*labels, *(ROUNDED_EARLY for _ in rounded)], torch.cat([family.values, *rounded])
    here = {mistake.id for mistake in at_step(step)}
    every = torch.ones_like(exact, dtype=torch.bool)
    unit = torch.full_like(exact, 10.0**-decimals)
    written = torch.round(family.values, decimals=decimals)
    claims = Printed(every, written[:, None], unit, decimals)  # each against each
    own, fitting = ~claims.fits(exact)[:, 0], claims.all_fit(explaining).tolist()
    by_mistake: dict[str, list[Diagnosis]] = {}
    for n, changed in enumerate(own.flatten(1).sum(1).tolist()):
        if changed and labels[n] in here:
            names = {label for label, fits in zip(named, fitting[n], strict=True) if fits}
            slipped = of_the_pen(Printed(every, written[n], unit, decimals), exact, own[n], example)
            by_mistake.setdefault(labels[n], []).append(Diagnosis(changed, frozenset(names | set(slipped))))
    return {label: tuple(sorted(ways, key=lambda way: way.changed)) for label, ways in by_mistake.items()}
