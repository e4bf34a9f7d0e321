"""Where the loss of a goal has no derivative: at the length of a row of zeros, which cosine scoring divides by."""

from __future__ import annotations

from mha_core.compute.derive import Cell
from mha_core.compute.trace import Trace
from mha_core.vocabulary import ENTRY


def undefined_rows(computed: Trace) -> list[Cell]:
    """The lengths of 0 that the backward pass reaches; it uses 0 for the derivative by them.

    √(Σ x²) has a corner at x = 0, as |x| has. A root mean square has none, because its eps is above 0.
    """
    return [
        Cell(name, head, row, 0)
        for step, head in computed.declared_backward.places()
        if step.op == "norm_step"
        for name in (ENTRY[step.name].slope_of,)
        for row, (length,) in enumerate(computed.matrix(name, head))
        if length == 0
    ]
