"""One attention of a run as it was computed, and the errors for what cannot be followed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from traceback import walk_tb
from typing import Any

from torch import Tensor

from mha_core.errors import N_, InteropError, MhaError
from mha_core.interop.running.folds import Fold
from mha_core.interop.running.functions import given
from mha_core.interop.running.scores import Place, Scores
from mha_core.interop.running.sides import Inputs
from mha_core.interop.running.uses import Roots


@dataclass(frozen=True, slots=True)
class Call:
    """One attention of a run, with the module's tensors … × heads × tokens × columns.

    ``name``: the part of the module that computed it. ``scores``: None if the computation of the weights is not known.
    ``weights``: the module's own, None if it did not compute any. ``groups``: how many consecutive heads share keys and
    values, from the module. ``folds``: the folds of axes of V, the newest first. ``layer``: torch's own layer computed
    it, so the axes are samples × heads. ``extra``: names of the last keys that are not tokens. ``result``: what the
    function returned, of which ``outputs`` are a view; ``number``: which function of the run it was, and within torch's
    own layer which function of that layer. ``sources``: the inputs of the module that queries and keys come from.
    ``roots``: its weights, as ``uses.py`` has them. ``after``: a function after softmax that may have changed the
    weights, so that the scores are not known.
    Where places are located: ``mixed``, whether a mask or divisor comes from the same inputs as q, and as k; ``v_at``,
    where V is computed, with its positions there and the plain factors after that.
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
    sources: tuple[Inputs, Inputs] = (frozenset(), frozenset())
    mixed: tuple[bool, bool] = (False, False)
    v_at: tuple[Place, Tensor, float] | None = None
    after: str = ""
    roots: Roots = frozenset()


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


def another_path(name: str = "") -> InteropError:
    """The error for a module that computes something else when it runs again."""
    sentence = N_(
        "the module did not compute the same attentions when it ran again, so heads cannot be "
        "switched off or replaced in it"
    )
    return InteropError(sentence, place=name)


class ModuleFailedError(InteropError):
    """The module itself raised an error, which is the cause."""


@contextmanager
def failures_named(inputs: Any) -> Iterator[None]:
    """Raise ``ModuleFailedError`` where a module fails on these inputs."""
    try:
        yield
    except MhaError:
        raise
    except Exception as error:
        sentence, ids = N_("the module failed on {given}: {error}"), _ids_beyond(error)
        if ids:
            sentence = N_("the module failed on {given}: it takes ids from 0 to {last}, and one is {got}")
        if any(isinstance(part, str) for part in inputs):
            sentence = N_(
                "the module does not take a text; give the numbers that it takes, such as a tensor of token ids"
            )
        raise ModuleFailedError(
            sentence,
            place="inputs",
            given=", ".join(map(_kind_of, inputs)) or "()",
            error=f"{type(error).__name__}: {error}",
            **ids,
        ) from error


def _ids_beyond(error: Exception) -> dict[str, int]:
    """The last id that an embedding has, and one that it was given and does not have, if that is why it failed."""
    for frame, _ in walk_tb(error.__traceback__):
        ids, table = frame.f_locals.get("input"), frame.f_locals.get("weight")
        if frame.f_code.co_name == "embedding" and isinstance(ids, Tensor) and isinstance(table, Tensor):
            beyond = ids[(ids < 0) | (ids >= len(table))]
            if beyond.numel():
                return {"last": len(table) - 1, "got": int(beyond[0])}
    return {}


def _kind_of(given: Any) -> str:
    """A tensor's dtype and shape, or a type's name."""
    if not isinstance(given, Tensor):
        return type(given).__name__
    return f"{str(given.dtype).removeprefix('torch.')} {' × '.join(map(str, given.shape)) or '()'}"


def nested() -> InteropError:
    """The error for nested tensors, which hold sequences of several lengths."""
    return InteropError(
        N_("nested tensors cannot be captured; give one padded tensor and a mask, or a single sentence")
    )
