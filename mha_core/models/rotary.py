"""Rotary positions as in Llama: column m of a head and column m + d_head/2 turn together (Su et al. 2021)."""

from __future__ import annotations

from typing import TypeAlias

import torch
from torch import Tensor

from mha_core.interop.saved.rope import Rope, frequencies

Turn: TypeAlias = tuple[Tensor, Tensor]
"""Cosines and sines of the angles, times the factor of the positions: n × d_head/2 each."""


def turn_of(rope: Rope, d_head: int, n: int, like: Tensor) -> Turn:
    """The turn of each of n tokens, on the device and in the dtype of ``like``."""
    places = torch.arange(n, dtype=like.dtype)
    angles = torch.outer(places, frequencies(rope, d_head, like.dtype)).to(like.device)
    return angles.cos() * rope.factor, angles.sin() * rope.factor


def rotated(x: Tensor, turn: Turn) -> Tensor:
    """(a, b) → (a·cos − b·sin, b·cos + a·sin) for each pair of columns. x: h × n × d_head."""
    cos, sin = turn
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)
