"""Two sentences head by head: which token stands where which of the other does, and how far the weights differ."""

from __future__ import annotations

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


def _on(weights: Tensor, places: Tensor) -> Tensor:
    """The rows and columns of these places, and what each row leaves for others."""
    kept = weights[..., places, :][..., places]
    rest = weights[..., places, :].sum(-1, keepdim=True) - kept.sum(-1, keepdim=True)
    return torch.cat([kept, rest], -1)
