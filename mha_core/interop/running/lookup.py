"""Finding attentions, samples and heads of a run by their numbers, which count from the end if below 0, or by name."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Final, Protocol

import torch
from torch import Tensor

from mha_core.errors import N_, InteropError

ATTENTIONS: Final = N_("expected attentions from 0 to {last}, got {got}")
HEADS: Final = N_("expected heads from 0 to {last}, got {got}")
SAMPLES: Final = N_("expected samples from 0 to {last}, got {got}")
_MOST_NAMES: Final = 12
"""How many attentions an error lists."""


class NoSuchNumberError(InteropError, IndexError):
    """A number beyond the last; also an ``IndexError``, as Python's own sequences raise."""


class Named(Protocol):
    """What has a name, as attentions have."""

    @property
    def name(self) -> str:
        """The part of the module that computed it."""


def whole(number: Any) -> int | None:
    """A whole number as Python's own, also of a tensor with one; None for anything else, and for truth values."""
    if isinstance(number, bool) or (
        isinstance(number, Tensor) and (number.dim() or number.dtype == torch.bool)
    ):
        return None
    try:
        return operator.index(number)
    except TypeError:
        return None


def counted(number: Any, count: int, sentence: str, place: str) -> int:
    """A number from 0 to ``count`` − 1, or from the end if below 0. Raises ``InteropError`` for any other."""
    own = whole(number)
    if own is None or not -count <= own < count:
        got = repr(number)[:80] if own is None else own
        raise NoSuchNumberError(sentence, place=place, last=count - 1, got=got)
    return own % count


def index_of(found: Sequence[Named], name: Any, place: str) -> int:
    """The index of an attention by its name, by whole parts of its name that no other has, or by its number.

    "layer.1" is part of "encoder.layer.1.attention", but not of "encoder.layer.11.attention". Raises ``InteropError``
    for a name that fits none or several, and lists those that there are.
    """
    if not isinstance(name, str):
        return counted(name, len(found), ATTENTIONS, place)
    names = [one.name for one in found]
    fitting = [index for index, own in enumerate(names) if own == name]
    plain = [own.partition("#")[0] for own in names]  # without the numbers of those that have the same name
    fitting = fitting or [index for index, own in enumerate(plain) if f".{name}." in f".{own}."]
    if len(fitting) == 1:
        return fitting[0]
    sentence = N_(
        "no attention called “{name}” was seen in this run; scripted modules, flex_attention and "
        "custom kernels can hide theirs. Seen: {candidates}"
    )
    if fitting:
        sentence = N_("“{name}” fits {count} attentions; use more of the name, or its number: {candidates}")
    listed = ", ".join(f"{index}: {names[index]}" for index in (fitting or range(len(names)))[:_MOST_NAMES])
    more = len(fitting or names) > _MOST_NAMES
    raise InteropError(
        sentence, place=place, name=name, count=len(fitting), candidates=listed + (", …" if more else "")
    )
