"""How each known mistake would show: how much it changes, and what a check would call it.

``diagnoses(trace(example), 2)`` plants them all at once: the hypotheses with which a check explains wrong numbers are
compared with each other, as if each had been written down at 2 decimals. All steps before are taken as written
rightly.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor

from mha_core.check.catalogue import at_step
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


def diagnoses(computed: Trace, decimals: int) -> Iterator[tuple[Key, Diagnoses]]:
    """For every step's matrix, in order: what would be made of each known mistake that can be made there.

    ``decimals``: how many digits are written down.
    """
    steps = Search(computed)
    for key in sorted((key for key in steps.steps if key[0] in STEPS), key=_in_order):
        with torch.inference_mode():
            family, exact = steps.family(key, 1), steps.exact(key)
            assert exact is not None  # noqa: S101  # it has been computed
            steps.carried[key] = Family([()], exact[None])
            found = _of_one(key[0], family, exact, decimals, computed.example)
        yield key, found


def _in_order(key: Key) -> tuple[int, int]:
    """Every head's values come before any head's output: a mistake may reach for another head's."""
    return STEPS.index(key[0]), key[1] or 0


def _of_one(step: str, family: Family, exact: Tensor, decimals: int, example: Example) -> Diagnoses:
    family = family.chosen([n for n, blame in enumerate(family.blames) if blame and blame[0][1] is None])
    labels = [blame[0][0] for blame in family.blames]
    here = {mistake.id for mistake in at_step(step)}
    every = torch.ones_like(exact, dtype=torch.bool)
    unit = torch.full_like(exact, 10.0**-decimals)
    written = torch.round(family.values, decimals=decimals)
    claims = Printed(every, written[:, None], unit, decimals)  # each against each
    own, fitting = ~claims.fits(exact)[:, 0], claims.all_fit(family.values).tolist()
    found: dict[str, list[Diagnosis]] = {}
    for n, changed in enumerate(own.flatten(1).sum(1).tolist()):
        if changed and labels[n] in here:
            names = {label for label, fits in zip(labels, fitting[n], strict=True) if fits}
            slipped = of_the_pen(Printed(every, written[n], unit, decimals), exact, own[n], example)
            found.setdefault(labels[n], []).append(Diagnosis(changed, frozenset(names | set(slipped))))
    return {label: tuple(sorted(ways, key=lambda way: way.changed)) for label, ways in found.items()}
