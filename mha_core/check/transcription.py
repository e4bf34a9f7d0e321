"""What only the pen did: the step is right, what was written down is not."""

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
    """Whether the own errors are two cells that have changed places."""
    cells = own.nonzero().tolist()
    if len(cells) != 2:
        return False
    (a, b), (c, d) = cells
    swapped = expected.clone()
    swapped[a, b], swapped[c, d] = expected[c, d], expected[a, b]
    return bool(claim.all_fit(swapped))


def of_the_pen(claim: Printed, expected: Tensor, own: Tensor, example: Example) -> tuple[str, ...]:
    """The slips of the pen that explain the ``own`` errors of one matrix, by id; none where none does.

    ``expected``, ``own``: rows × columns. Of the numbers no more is known than what they ought to be.
    """
    rows, cells = own.any(-1).nonzero().flatten().tolist(), own.nonzero().tolist()
    ids = [EXCHANGED] if exchanged(claim, expected, own) else []
    for slip in SLIPS:
        if slip.pen and len(cells if slip.whole == "cell" else rows) == 1:
            i, j = cells[0]
            cols = [j] if slip.whole == "cell" else range(expected.shape[1])
            step = Step("weights", "copy", ())
            at = Place(
                example,
                step,
                Cell("weights", 0, i, j),
                (),
                (),
                0,
                0.0,
                expected.tolist(),
                claim.decimals,
                _none,
            )
            written = [float(claim.numbers[i, c]) if claim.given[i, c] else None for c in cols]
            if reproduced(slip.ways(at), written, [float(claim.unit[i, c]) for c in cols]):
                ids.append(slip.id)
    return tuple(ids)


def _none(name: str, head: int | None) -> None:
    """No other matrix is known."""
