"""The rotation of each pair of columns by rotary positions, from the settings of a config.json."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import torch
from torch import Tensor

from mha_core.errors import N_
from mha_core.interop.saved.settings import Settings

MAX_ORIGINAL = 100_000_000
"""The largest ``original_max_position_embeddings``."""


@dataclass(frozen=True, slots=True)
class Rope:
    """Rotary positions (Su et al. 2021), pairs of columns half a head apart: pair m turns by position · frequency_m.

    frequency_m = theta^(−2m/d_head). ``factor``: frequencies are divided by it ("linear"). If ``original`` is given,
    only pairs that turn fewer than ``low`` times in ``original`` positions are slowed down, pairs that turn more than
    ``high`` times keep their frequency, and those between are interpolated linearly ("llama3", as in the code of
    Llama 3.1).
    """

    theta: float
    factor: float = 1.0
    low: float = 1.0
    high: float = 1.0
    original: int | None = None


def scaled_rope(given: Settings, theta: float) -> Rope | None:
    """Rotary positions of the kinds ``default``, ``linear`` and ``llama3``; None for any other kind."""
    match given.given.get("rope_type", given.given.get("type", "default")):
        case "default":
            return Rope(theta)
        case "linear":
            return Rope(theta, given.number("factor"))
        case "llama3":
            original = given.whole("original_max_position_embeddings", MAX_ORIGINAL)
            low, high = given.number("low_freq_factor"), given.number("high_freq_factor")
            if high <= low:
                raise given.wrong(
                    "high_freq_factor", N_("expected more than low_freq_factor, got {got}"), high
                )
            return Rope(theta, given.number("factor"), low, high, original)
        case _:
            return None


def frequencies(rope: Rope, d_head: int, dtype: torch.dtype) -> Tensor:
    """The angle by which each pair of columns turns from one token to the next, in radians: d_head/2 numbers."""
    plain = 1 / rope.theta ** (torch.arange(0, d_head, 2, dtype=dtype) / d_head)
    if rope.original is None:
        return plain / rope.factor
    turns = rope.original * plain / (2 * pi)
    kept = ((turns - rope.low) / (rope.high - rope.low)).clamp(0, 1)
    return (1 - kept) * plain / rope.factor + kept * plain
