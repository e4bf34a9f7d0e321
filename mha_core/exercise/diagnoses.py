"""How each known mistake would show: how many cells it changes, and what a check would call it.

``diagnoses(trace(example), 2)`` plants them all at once: each hypothesis with which a check explains wrong numbers is
rounded to 2 decimals, as if somebody had written it down, and compared with all the others. All earlier steps are
right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor

from mha_core.check.catalogue import ROUNDED_EARLY, at_step
from mha_core.check.search import Family, Search
from mha_core.check.transcription import pen_slips
from mha_core.compute.printed import Key, Printed
from mha_core.compute.trace import Trace
from mha_core.example.model import Example
from mha_core.vocabulary import STEPS


class Diagnosis(NamedTuple):
    """One way of making a mistake: how many cells of the matrix it changes, and the names that a check gives it."""

    changed: int
    names: frozenset[str]


Diagnoses: TypeAlias = dict[str, tuple[Diagnosis, ...]]
"""By mistake: one for each way of making it that changes a cell, those that change least first."""


def diagnoses(
    computed: Trace, decimals: int, hidden: Mapping[Key, int] | None = None
) -> Iterator[tuple[Key, Diagnoses]]:
    """The diagnoses of each known mistake, for the matrix of every step.

    ``decimals``: how many digits are written down. ``hidden``: matrices with the highest counts come first, so that
    the caller may stop early.
    """
    steps = Search(computed)
    right = {key: exact for key in steps.steps if key[0] in STEPS and (exact := steps.exact(key)) is not None}
    steps.carry({key: Family([()], exact[None]) for key, exact in right.items()})
    for key in sorted(right, key=lambda key: (hidden or {}).get(key, 0), reverse=True):
        with torch.inference_mode():
            rounded = [values for _, values in steps.roundings(key)]
            by_mistake = _diagnoses_of(
                key[0], steps.family(key, 1), rounded, right[key], decimals, computed.example
            )
        yield key, by_mistake


def _diagnoses_of(
    step: str, family: Family, rounded: list[Tensor], exact: Tensor, decimals: int, example: Example
) -> Diagnoses:
    family = family.chosen([n for n, blame in enumerate(family.blames) if blame and blame[0][1] is None])
    labels = [blame[0][0] for blame in family.blames]
    named, explanations = (
        [*labels, *(ROUNDED_EARLY for _ in rounded)],
        torch.cat([family.values, *rounded]),
    )
    made_here = {mistake.id for mistake in at_step(step)}
    given = torch.ones_like(exact, dtype=torch.bool)
    unit = torch.full_like(exact, 10.0**-decimals)
    written = torch.round(family.values, decimals=decimals)
    claims = Printed(given, written[:, None], unit, decimals)  # each against each
    own, fitting = ~claims.fits(exact)[:, 0], claims.all_fit(explanations).tolist()
    by_mistake: dict[str, list[Diagnosis]] = {}
    for n, changed in enumerate(own.flatten(1).sum(1).tolist()):
        if changed and labels[n] in made_here:
            names = {label for label, fits in zip(named, fitting[n], strict=True) if fits}
            slips = pen_slips(Printed(given, written[n], unit, decimals), exact, own[n], example)
            by_mistake.setdefault(labels[n], []).append(Diagnosis(changed, frozenset(names | set(slips))))
    return {label: tuple(sorted(ways, key=lambda way: way.changed)) for label, ways in by_mistake.items()}
