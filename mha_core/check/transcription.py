"""Errors in writing numbers down: the calculation is right, what was written is not."""

from __future__ import annotations

from torch import Tensor

from mha_core.check.place import Place
from mha_core.check.slips import SLIPS, reproduced
from mha_core.compute.derive import Cell
from mha_core.compute.operations import Step
from mha_core.compute.printed import Printed
from mha_core.example.model import Example

EXCHANGED = "cells_exchanged"


def exchanged(claim: Printed, expected: Tensor, own: Tensor) -> bool:
    """Whether the own errors are two cells whose numbers are swapped."""
    cells = own.nonzero().tolist()
    if len(cells) != 2:
        return False
    (a, b), (c, d) = cells
    swapped = expected.clone()
    swapped[a, b], swapped[c, d] = expected[c, d], expected[a, b]
    return bool(claim.all_fit(swapped))


def pen_slips(claim: Printed, expected: Tensor, own: Tensor, example: Example) -> tuple[str, ...]:
    """The ids of the slips in writing that explain the ``own`` errors of one matrix.

    ``expected``, ``own``: rows × columns. Only the expected numbers are known, not the terms that they are made of.
    """
    rows, cells = own.any(-1).nonzero().flatten().tolist(), own.nonzero().tolist()
    ids = [EXCHANGED] if exchanged(claim, expected, own) else []
    for slip in SLIPS:
        if slip.pen and len(cells if slip.whole == "cell" else rows) == 1:
            i, j = cells[0]
            cols = [j] if slip.whole == "cell" else range(expected.shape[1])
            step = Step("weights", "copy", ())
            place = Place(
                example,
                step,
                Cell("weights", 0, i, j),
                (),
                (),
                0,
                0.0,
                expected.tolist(),
                claim.decimals,
                _no_matrix,
            )
            written = [float(claim.numbers[i, c]) if claim.given[i, c] else None for c in cols]
            if reproduced(slip.ways(place), written, [float(claim.unit[i, c]) for c in cols]):
                ids.append(slip.id)
    return tuple(ids)


def _no_matrix(name: str, head: int | None) -> None:
    """A ``Look`` where no other matrix is known."""
