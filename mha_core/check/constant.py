"""A large negative constant in a masked cell: it stands for −∞ where it lies far below what the row may attend to."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor

from mha_core.compute.printed import Printed
from mha_core.example.model import NEG_INF, AddMask, Example

FAR: Final = 40.0
"""e⁻⁴⁰ is 4·10⁻¹⁸: beside 1 that is nothing, in float64 as well."""


def far_below(numbers: Tensor, scores: Tensor, mask: Tensor, example: Example) -> Tensor:
    """Where a number lies so far below the row's largest score that its key gets no weight, of what the mask hides.

    ``scores``: the masked scores, … × n_q × n_k; of a row that is all hidden, any such number below 0 counts.
    """
    hidden = mask < -FAR if isinstance(example.mask, AddMask) else mask == 0
    largest = scores.masked_fill(hidden, NEG_INF).amax(-1, keepdim=True)
    return hidden & (numbers <= largest.masked_fill(largest == NEG_INF, 0.0) - FAR)


def as_constants(claim: Printed, mask: Tensor) -> Printed:
    """The claim with numbers in hidden cells that are exact: −1e5 there is no rounded −110000."""
    return claim._replace(unit=torch.where(mask == 0, claim.unit.clamp(max=1.0), claim.unit))


def stands_for_hidden(
    claim: Printed, exact: Tensor, scores: Tensor, mask: Tensor, example: Example
) -> Tensor:
    """Where somebody's number of a masked score hides the pair as the right one does, though it is another number; a
    score that only was left as it is, however low, hides nothing.
    """
    both = far_below(claim.numbers, exact, mask, example) & far_below(exact, exact, mask, example)
    return claim.given & both & ~claim.fits(exact) & ~claim.fits(scores)


def with_right(claim: Printed, exact: Tensor, where: Tensor) -> Printed:
    """The claim with the right numbers there."""
    return claim._replace(numbers=torch.where(where, exact, claim.numbers))
