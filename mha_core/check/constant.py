"""A large negative constant in a masked cell: it counts as −∞ where it is far below the scores that the row may use."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor

from mha_core.compute.printed import Printed
from mha_core.example.model import NEG_INF, Example, adds_numbers

FAR: Final = 40.0
"""e⁻⁴⁰ is 4·10⁻¹⁸: added to 1 it vanishes, in float64 as well."""


def far_below(numbers: Tensor, scores: Tensor, mask: Tensor, example: Example) -> Tensor:
    """The hidden cells whose number is so far below the row's largest visible score that the key gets no weight.

    ``scores``: the masked scores, … × n_q × n_k. In a row that is hidden entirely the number is compared with 0.
    """
    hidden = mask < -FAR if adds_numbers(example) else mask == 0
    largest = scores.masked_fill(hidden, NEG_INF).amax(-1, keepdim=True)
    return hidden & (numbers <= largest.masked_fill(largest == NEG_INF, 0.0) - FAR)


def as_constants(claim: Printed, mask: Tensor) -> Printed:
    """The claim with numbers in hidden cells taken as exact: −1e5 there is not a rounded −110000."""
    return claim._replace(unit=torch.where(mask == 0, claim.unit.clamp(max=1.0), claim.unit))


def counts_as_hidden(claim: Printed, exact: Tensor, scores: Tensor, mask: Tensor, example: Example) -> Tensor:
    """Where a claimed masked score differs from the right one and still hides the pair.

    A score that was only left as it is, however low, hides nothing.
    """
    both = far_below(claim.numbers, exact, mask, example) & far_below(exact, exact, mask, example)
    return claim.given & both & ~claim.fits(exact) & ~claim.fits(scores)
