"""What must be so whatever X and W are: checks of claimed numbers that need no reference. A library that computes in
float32 is off by a few of its roundings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import torch
from torch import Tensor

from mha_core.check.float32 import UNIT
from mha_core.compute.derive import Cell
from mha_core.compute.printed import Key, Printed, claimed
from mha_core.compute.trace import Trace
from mha_core.errors import N_
from mha_core.example.model import kv_head_of

MESSAGES: Final = {
    "weight_range": N_("{place} is {value}: a weight lies between 0 and 1."),
    "row_sum": N_("{place}: the row sums to {value}; softmax makes every row sum to 1."),
    "output_range": N_(
        "{place} is {value}: an output is a weighted mean of V's rows, so it lies between {low} and {high}."
    ),
    "copy": N_("{place} is a copy of head {other}, number for number."),
    "rotation": N_("{place} is head {other} turned around: its rows and columns run backwards."),
    "row_permutation": N_("{place} has the rows of head {other} in another order."),
}
"""The finding of each check, in a sentence, by id."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that cannot be: ``cell`` is where, ``values`` fill the sentence of ``MESSAGES[id]``."""

    id: str
    cell: Cell
    whole: str
    """How much of the matrix it is about: "cell", "row" or "matrix"."""
    values: Mapping[str, object] = field(default_factory=dict)


def invariants(computed: Trace) -> tuple[Finding, ...]:
    """Everything in ``computed.example.claimed`` that cannot be so, in the order of the computation.

    A copy, rotation or permutation counts only where the right matrices are none.
    """
    claims = claimed(computed.example)
    findings = [*_weights(claims, computed), *_outputs(claims, computed), *_alike(claims, computed)]
    return tuple(findings)


def _weights(claims: Mapping[Key, Printed], computed: Trace) -> Iterator[Finding]:
    for (name, head), (given, numbers, units, *_) in claims.items():
        if name != "weights" or head is None:
            continue
        unit = float(units.max())
        outside = given & ((numbers < -unit / 2) | (numbers > 1 + unit / 2))
        for i, j in outside.nonzero().tolist():
            yield Finding("weight_range", Cell(name, head, i, j), "cell", {"value": float(numbers[i, j])})
        for i in given.all(1).nonzero().flatten().tolist():
            total, keys = float(numbers[i].sum()), numbers.shape[1]
            wanted = 0.0 if computed.fully_masked[head][i] else 1.0
            within = (keys + 1) * unit / 2 + (keys + 8) * UNIT + 1e-9
            if abs(total - wanted) > within and total != 0 + wanted:
                yield Finding("row_sum", Cell(name, head, i, 0), "row", {"value": round(total, 6)})


def _outputs(claims: Mapping[Key, Printed], computed: Trace) -> Iterator[Finding]:
    for (name, head), (given, numbers, units, *_) in claims.items():
        if name != "head_outputs" or head is None:
            continue
        values = torch.tensor(
            computed.matrix("v", kv_head_of(computed.example, "v", head)), dtype=torch.float64
        )
        written, unit = claims.get(("v", kv_head_of(computed.example, "v", head))), float(units.max())
        if written is not None:
            values = torch.where(written.given, written.numbers, values)
        low, high = values.amin(0), values.amax(0)
        within = unit + (values.shape[0] + 8) * UNIT * values.abs().amax(0)
        outside = given & ((numbers < low - within) | (numbers > high + within))
        for i, j in outside.nonzero().tolist():
            if not computed.fully_masked[head][i]:
                bounds = {"value": float(numbers[i, j]), "low": float(low[j]), "high": float(high[j])}
                yield Finding("output_range", Cell(name, head, i, j), "cell", bounds)


def _alike(claims: Mapping[Key, Printed], computed: Trace) -> Iterator[Finding]:
    full = {key: claim for key, claim in claims.items() if bool(claim.given.all()) and key[1] is not None}
    for (one, (_, a, units, *_)), (other, (_, b, *_)) in combinations(full.items(), 2):
        unit = float(units.max())
        if one[0] != other[0]:
            continue
        right = [torch.tensor(computed.matrix(*key), dtype=torch.float64) for key in (one, other)]
        for label, same in (("copy", _same), ("rotation", _rotated), ("row_permutation", _permuted)):
            if same(a, b, unit / 2) and len(set(a.flatten().tolist())) > 1:
                if not same(right[0], right[1], unit):
                    yield Finding(label, Cell(*other, 0, 0), "matrix", {"other": (one[1] or 0) + 1})
                break


def _same(a: Tensor, b: Tensor, within: float) -> bool:
    return a.shape == b.shape and bool(((a - b).abs() <= within).all() | (a == b).all())


def _rotated(a: Tensor, b: Tensor, within: float) -> bool:
    return _same(a.flip(0, 1), b, within)


def _permuted(a: Tensor, b: Tensor, within: float) -> bool:
    if a.shape != b.shape:
        return False
    left = list(range(b.shape[0]))
    for row in a:
        match = next((n for n in left if bool(((row - b[n]).abs() <= within).all())), None)
        if match is None:
            return False
        left.remove(match)
    return True
