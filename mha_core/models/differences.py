"""Two sentences head by head: which token stands where which of the other does, and how far the weights differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from difflib import SequenceMatcher

import torch
from torch import Tensor

from mha_core.models.tokenizer import Tokens


def aligned(first: Tokens, second: Tokens) -> list[tuple[int, int]]:
    """Pairs of places, in order: equal tokens, and as many others that stand between the same equal ones.

    "too tired ." and "too wide ." give (0, 0), (1, 1), (2, 2): "wide" stands where "tired" does.
    """
    pairs: list[tuple[int, int]] = []
    matcher = SequenceMatcher(None, first.ids, second.ids, autojunk=False)
    for kind, start, end, there, there_end in matcher.get_opcodes():
        if kind == "equal" or (kind == "replace" and end - start == there_end - there):
            pairs += zip(range(start, end), range(there, there_end), strict=True)
    return pairs


def differences(first: Tensor, second: Tensor, pairs: Sequence[tuple[int, int]]) -> Tensor:
    """How far each head's weights differ between two sentences: L × h × n × n and L × h × m × m in, L × h out.

    The mean over the tokens that stand in both of the total variation ½ Σ_j |A_ij − B_ij|, where j runs over the tokens
    that stand in both and one place more, for the weight on all others. 0: they look alike; 1: nowhere in common. 0
    where no token stands in both.
    """
    if not pairs:
        return first.new_zeros(first.shape[:-2])
    ours, theirs = torch.tensor(pairs, device=first.device).unbind(-1)
    one, other = _on(first, ours), _on(second, theirs)
    return (one - other).abs().sum(-1).mean(-1) / 2


def shifts(first: Tensor, second: Tensor, pairs: Sequence[tuple[int, int]]) -> tuple[Tensor, Tensor]:
    """Where each token's weight changes most between two sentences: h × n × n and h × m × m in, keys and changes h × n.

    Of each token of the first sentence the key, also of the first, among those that stand in both, and by how much more
    weight goes to it in the second. Of a token that stands in one sentence alone the change is NaN.
    """
    keys = first.new_zeros(first.shape[:-1], dtype=torch.long)
    changes = first.new_full(first.shape[:-1], math.nan)
    if pairs:
        ours, theirs = torch.tensor(pairs, device=first.device).unbind(-1)
        by = second[..., theirs, :][..., theirs] - first[..., ours, :][..., ours]
        most = by.abs().argmax(-1)
        keys[..., ours] = ours[most]
        changes[..., ours] = by.gather(-1, most[..., None])[..., 0]
    return keys, changes


def _on(weights: Tensor, places: Tensor) -> Tensor:
    """The rows and columns of these places, and what each row leaves for others."""
    kept = weights[..., places, :][..., places]
    rest = weights[..., places, :].sum(-1, keepdim=True) - kept.sum(-1, keepdim=True)
    return torch.cat([kept, rest], -1)
