"""Two sentences compared head by head: which of their tokens correspond, and how far the weights differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from difflib import SequenceMatcher

import torch
from torch import Tensor

from mha_core.models.tokenizer import Tokens


def aligned(first: Tokens, second: Tokens) -> list[tuple[int, int]]:
    """Pairs of corresponding places, in order: equal tokens, and equally many others between the same equal ones.

    "too tired ." and "too wide ." give (0, 0), (1, 1), (2, 2): "wide" is in the place of "tired".
    """
    pairs: list[tuple[int, int]] = []
    matcher = SequenceMatcher(None, first.ids, second.ids, autojunk=False)
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        if kind == "equal" or (kind == "replace" and end - start == other_end - other_start):
            pairs += zip(range(start, end), range(other_start, other_end), strict=True)
    return pairs


def differences(first: Tensor, second: Tensor, pairs: Sequence[tuple[int, int]]) -> Tensor:
    """How far each head's weights differ between two sentences: L × h × n × n and L × h × m × m in, L × h out.

    The mean, over the tokens in both sentences, of the total variation ½ Σ_j |A_ij − B_ij|, where j runs over the
    tokens in both and one more place for the weight on all others. 0: the same weights; 1: no weight on the same
    tokens. 0 where no token is in both.
    """
    if not pairs:
        return first.new_zeros(first.shape[:-2])
    first_places, second_places = torch.tensor(pairs, device=first.device).unbind(-1)
    return (_weights_on(first, first_places) - _weights_on(second, second_places)).abs().sum(-1).mean(-1) / 2


def shifts(first: Tensor, second: Tensor, pairs: Sequence[tuple[int, int]]) -> tuple[Tensor, Tensor]:
    """Where each token's weight changes most between two sentences: h × n × n and h × m × m in, keys and changes h × n.

    For each token of the first sentence: the key, of the first sentence and in both, whose weight changes most, and by
    how much more weight it gets in the second. The change is NaN for a token that is only in one sentence.
    """
    keys = first.new_zeros(first.shape[:-1], dtype=torch.long)
    changes = first.new_full(first.shape[:-1], math.nan)
    if pairs:
        first_places, second_places = torch.tensor(pairs, device=first.device).unbind(-1)
        by = (
            second[..., second_places, :][..., second_places] - first[..., first_places, :][..., first_places]
        )
        most = by.abs().argmax(-1)
        keys[..., first_places] = first_places[most]
        changes[..., first_places] = by.gather(-1, most[..., None])[..., 0]
    return keys, changes


def _weights_on(weights: Tensor, places: Tensor) -> Tensor:
    """The weights between these places, and in one more column each row's weight on all others."""
    rows = weights[..., places, :]
    shared = rows[..., places]
    rest = rows.sum(-1, keepdim=True) - shared.sum(-1, keepdim=True)
    return torch.cat([shared, rest], -1)
