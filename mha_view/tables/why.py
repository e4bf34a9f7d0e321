"""Why the tables of a stage of the backward pass follow from those before: the chain rule, in a sentence or two."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from mha_core.errors import N_
from mha_core.vocabulary import ENTRY, TARGETS

_OF_GOAL: Final = {
    "output": N_(
        "The derivative of ½ · (O − T)² by O is O − T. W_O was multiplied by Concat, so dW_O is Concatᵀ · dO."
    ),
    "concat": N_("The derivative of ½ · (Concat − T)² by Concat is Concat − T."),
    "weights": N_("The derivative of −T · ln A by A is −T ÷ A. The softmax needs r, the row sum of A ∘ dA."),
}
_CHAIN: Final = {
    "concat": N_("Concat went into O through W_O, so dO comes back through W_O."),
    "head outputs": N_("Concat is the heads side by side, so each head gets its own columns of dConcat."),
    "weights": N_(
        "The weights were multiplied by V, so dhead comes back through V. The softmax needs r, the row sum of A ∘ dA; "
        "∘ multiplies element by element."
    ),
    "mask": N_("A masked pair sends nothing back."),
    "scores": N_("What was divided on the way forward is divided by the same number on the way back."),
    "linear": N_("The biases were added to the scores, so what comes back passes unchanged."),
    "directions": N_("Each row was divided by its length, so only what turns the row comes back."),
    "rotated": N_("Q and K were rotated, so what comes back is rotated back by the same angles."),
    "projections": N_(
        "Every weight was multiplied by numbers of the input, so what came back is multiplied by the input again. A "
        "step subtracts η times these numbers from the weights."
    ),
    "input": N_("By the chain rule, what comes back along all paths is added up."),
}
_SOFTMAX: Final = N_(
    "For the softmax, ∂a_j/∂s_k = a_j(1[j = k] − a_k), so it sends back A ∘ (dA − r), where r is the sum of each row "
    "of A ∘ dA."
)
_Q_AND_K: Final = N_(
    "Q and K were multiplied by each other, so dS comes back to Q through K, and to K through Q."
)
_VALUES: Final = N_("V was multiplied by the weights, so dhead comes back to V through A.")
_ANY: Final = N_(
    "By the chain rule, what came back is multiplied by the derivative of the step forward: the formulas above the "
    "tables say how."
)

_BETWEEN: Final = frozenset(
    f"d_{side}_{kind}" for side in "qk" for kind in ("a", "unit", "rotated", "normed")
)
"""What may come between Q or K and the scores."""


def why(stage: str, before: str, shown: Collection[str]) -> list[str]:
    """Sentences for a stage of the backward pass that comes after the stage ``before``, as templates; ``shown``: every
    matrix of the pass.
    """
    goal = next(step for step, target in TARGETS.items() if target in shown)
    if stage == ENTRY[goal].stage:
        return [_OF_GOAL[goal]]
    found = [_SOFTMAX] if before == "weights" else []
    if stage == "projected":
        found += [_Q_AND_K] if "d_q" in shown and _BETWEEN.isdisjoint(shown) else []
        found += [_VALUES] if "d_v" in shown else []
    elif stage in _CHAIN and (stage != "scores" or "d_scaled_scores" in shown):
        found.append(_CHAIN[stage])
    return found or [_ANY]
