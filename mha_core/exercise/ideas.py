"""The idea of a step in a sentence, the first hint: of the forward pass from the walk, backward by operation."""

from __future__ import annotations

from typing import Final

from mha_core.compute.operations import Step
from mha_core.errors import N_
from mha_core.example.model import Example
from mha_core.messages import catalogue
from mha_core.vocabulary import STEPS
from mha_core.walk.text import of_step

_BACKWARD: Final = {
    "squared_error": N_(
        "Square the differences between the row and its target, add them up, and halve the sum."
    ),
    "cross_entropy": N_(
        "Multiply each target by the logarithm of its weight, add them up, and flip the sign."
    ),
    "subtract": N_("The derivative of ½·(result − target)² by the result is the result minus the target."),
    "cross_step": N_("The derivative of −T·ln A by A is −T ÷ A."),
    "matmul": N_("The gradient by one factor of a product is the product's gradient times the other factor."),
    "total": N_("The same number goes into all of these, so what comes back from each is added up."),
    "row_sums": N_("Multiply each weight by its gradient, and add up the row."),
    "softmax_step": N_(
        "A score changes every weight of its row: subtract the row's r from dA, then multiply by A."
    ),
    "unmask": N_("A masked pair sends nothing back: its gradient is 0. All others pass unchanged."),
    "divide": N_("What was divided on the way forward has its gradient divided by the same number."),
    "block": N_("Concat is the heads side by side, so a head's gradient is its own columns of dConcat."),
    "add_up": N_("There are several paths to the loss. The gradients that come back along them are added."),
    "sum": N_("Every head reads this matrix, so the gradients that come back through the heads are added."),
    "copy": N_("Adding changes nothing on the way back: the gradient passes unchanged."),
    "rotate_back": N_("What was rotated on the way forward is rotated back by the same angle."),
}
_LOSS: Final = N_("Add up the losses.")
_ANY: Final = N_("What comes back is multiplied by the derivative of this step.")


def idea_of(step: Step, example: Example, language: str) -> str:
    """What a step does, in a sentence."""
    if step.name in STEPS:
        width = example.dims.shape(step.name)[1]
        return of_step(step, example, width).what.translated(language)
    idea = _LOSS if step.name in ("loss", "head_loss") else _BACKWARD.get(step.op, _ANY)
    return catalogue(language).gettext(idea)
