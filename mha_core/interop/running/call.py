"""One attention of a run as it was computed, and the errors for what cannot be followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from mha_core.errors import N_, InteropError
from mha_core.interop.running.folds import Fold
from mha_core.interop.running.functions import given
from mha_core.interop.running.scores import Scores


@dataclass(frozen=True, slots=True)
class Call:
    """One attention of a run, with the module's tensors … × heads × tokens × columns.

    ``name``: the part of the module that computed it. ``scores``: None if the computation of the weights is not known.
    ``weights``: the module's own, None if it did not compute any. ``groups``: how many consecutive heads share keys and
    values, from the module. ``folds``: the folds of axes of V, the newest first. ``layer``: torch's own layer computed
    it, so the axes are samples × heads. ``extra``: names of the last keys that are not tokens. ``result``: what the
    function returned, of which ``outputs`` are a view; ``number``: which function of the run it was, and within torch's
    own layer which function of that layer.
    """

    name: str
    groups: int
    scores: Scores | None
    v: Tensor
    outputs: Tensor
    weights: Tensor | None
    folds: tuple[Fold, ...]
    result: Tensor
    number: tuple[int, ...]
    layer: bool = False
    extra: tuple[str, ...] = ()


def refuse_dropout(args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Refuse ``functional.dropout(input, p=0.5, training=True)``; ``torch.dropout`` has other defaults."""
    share = given(args, kwargs, 1, "p", 0.5)
    training = given(args, kwargs, 2, "training", kwargs.get("train", True))
    if share and training:
        raise dropped(share)


def dropped(share: float) -> InteropError:
    """The error for dropout of weights: a run's outputs do not follow from its weights."""
    return InteropError(
        N_("dropout is active on the weights (p = {share:g}); call module.eval() first"), share=share
    )


def compiled() -> InteropError:
    """The error for a module that torch compiles while it runs: none of its functions can be seen."""
    return InteropError(
        N_(
            "this module is compiled while it runs, as with flex_attention, so its attention cannot be followed; "
            "load it with eager attention or with scaled_dot_product_attention"
        )
    )


def nested() -> InteropError:
    """The error for nested tensors, which hold sequences of several lengths."""
    return InteropError(
        N_("nested tensors cannot be captured; give one padded tensor and a mask, or a single sentence")
    )
