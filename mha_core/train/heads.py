"""What becomes of a model when heads are switched off or change places."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

import torch
from torch import Tensor

from mha_core.errors import N_, TrainError
from mha_core.train.ask import accuracy, require_head
from mha_core.train.decoder import Attention, Decoder, Head
from mha_core.train.lines import Batch


@dataclass(frozen=True, slots=True)
class Change:
    """``without``: heads whose outputs become 0; ``swapped``: two heads whose weights change places first."""

    without: tuple[Head, ...] = ()
    swapped: tuple[Head, Head] | None = None


@dataclass(frozen=True, slots=True)
class Right:
    """The share of right tokens and of right answers."""

    tokens: float
    answers: float


@dataclass(frozen=True, slots=True)
class Compared:
    """What a model gets right as it is, and with a change."""

    before: Right
    after: Right


def compared(model: Decoder, batch: Batch, change: Change) -> Compared:
    """Accuracy before and after a change; the model stays as it is. Raises ``TrainError`` as ``swapped``."""
    after = model if change.swapped is None else swapped(model, *change.swapped)
    return Compared(Right(*accuracy(model, batch)), Right(*accuracy(after, batch, change.without)))


@torch.no_grad()
def swapped(model: Decoder, first: Head, second: Head) -> Decoder:
    """A copy in which two heads have each other's W_Q, W_K, W_V with their biases, rows of W_O, and numbers for
    distances. In one layer nothing changes but the order of a sum.

    Raises ``TrainError`` for a head that is not there, and for heads of two kinds, such as one that looks at the source
    and one that looks at the target: their inputs have nothing in common.
    """
    for layer, head in (first, second):
        require_head(model, layer, head)
    if model.parts[first[0]].kind != model.parts[second[0]].kind:
        raise TrainError(
            N_("only heads of one kind can be swapped: both encoder, both decoder or both cross-attention")
        )
    copy = deepcopy(model)
    ones, others = (_numbers(copy.attentions[layer], head) for layer, head in (first, second))
    for one, other in zip(ones, others, strict=True):
        kept = one.clone()
        one.copy_(other)
        other.copy_(kept)
    return copy


def _numbers(attention: Attention, head: int) -> Sequence[Tensor]:
    """Views of a head's parameters."""
    rows, heads = attention.qkv, attention.heads
    return [
        rows.weight.view(3, heads, -1, rows.in_features)[:, head],
        rows.bias.view(3, heads, -1)[:, head],
        attention.output.weight.view(rows.in_features, heads, -1)[:, head],
        *([] if attention.bias is None else [attention.bias[head]]),
    ]
