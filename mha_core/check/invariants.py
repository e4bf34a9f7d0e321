"""Checks of claimed numbers that need no reference: what is true whatever X and W are.

Tolerances allow for a few rounding errors of a library that computes in float32.
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
    "weight_range": N_("{place} is {value}. A weight is always between 0 and 1."),
    "row_sum": N_("{place}: the row sums to {value}. After softmax, every row sums to 1."),
    "sink_row_sum": N_("{place}: the row sums to {value}. With a sink, no row sums to more than 1."),
    "output_range": N_(
        "{place} is {value}. An output is a weighted average of V's rows, so it lies between {low} and {high}."
    ),
    "sink_output_range": N_(
        "{place} is {value}. The weights of V's rows sum to at most 1, so it lies between {low} and {high}."
    ),
    "copy": N_("{place} is a copy of head {other}, number for number."),
    "rotation": N_("{place} is head {other} rotated by 180°: its rows and columns are reversed."),
    "row_permutation": N_("{place} has the rows of head {other} in a different order."),
}
"""The sentence of each check, by id."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something impossible at ``cell``; ``values`` fill the sentence ``MESSAGES[id]``."""

    id: str
    cell: Cell
    whole: str
    """What it is about: "cell", "row" or "matrix"."""
    values: Mapping[str, object] = field(default_factory=dict)


def invariants(computed: Trace) -> tuple[Finding, ...]:
    """Everything impossible in ``computed.example.claimed``: weights, then outputs, then heads that are alike.

    A copy, rotation or permutation of another head counts only if the right matrices are not that way themselves.
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
            has_sink = computed.example.heads[head].sink is not None
            apart = total - wanted if has_sink else abs(total - wanted)
            if apart > within and total != 0 + wanted:
                label = "sink_row_sum" if has_sink else "row_sum"
                yield Finding(label, Cell(name, head, i, 0), "row", {"value": round(total, 6)})


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
        has_sink = computed.example.heads[head].sink is not None
        if has_sink:
            low, high = low.clamp(max=0), high.clamp(min=0)
        within = unit + (values.shape[0] + 8) * UNIT * values.abs().amax(0)
        outside = given & ((numbers < low - within) | (numbers > high + within))
        for i, j in outside.nonzero().tolist():
            if not computed.fully_masked[head][i]:
                bounds = {"value": float(numbers[i, j]), "low": float(low[j]), "high": float(high[j])}
                label = "sink_output_range" if has_sink else "output_range"
                yield Finding(label, Cell(name, head, i, j), "cell", bounds)


def _alike(claims: Mapping[Key, Printed], computed: Trace) -> Iterator[Finding]:
    full = {
        key: claim for key, claim in claims.items() if bool(claim.given.all()) and _is_computed(key, computed)
    }
    for (first, (_, a, units, *_)), (second, (_, b, *_)) in combinations(full.items(), 2):
        unit = float(units.max())
        if first[0] != second[0]:
            continue
        right = [torch.tensor(computed.matrix(*key), dtype=torch.float64) for key in (first, second)]
        for label, same in (("copy", _same), ("rotation", _rotated), ("row_permutation", _permuted)):
            if same(a, b, unit / 2) and len(set(a.flatten().tolist())) > 1:
                if not same(right[0], right[1], unit):
                    yield Finding(label, Cell(*second, 0, 0), "matrix", {"other": (first[1] or 0) + 1})
                break


def _is_computed(key: Key, computed: Trace) -> bool:
    """Whether a head has this step: one that starts from given weights has no scores."""
    values, head = computed.values.get(key[0]), key[1]
    return values is not None and head is not None and values[head] is not None


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
