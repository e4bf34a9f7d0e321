"""The rotation of each pair of columns by rotary positions, from the settings of a config.json."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log, pi, sqrt
from typing import Any, Final, TypeAlias

import torch
from torch import Tensor

from mha_core.errors import N_
from mha_core.interop.saved.settings import Settings

MAX_ORIGINAL = 100_000_000
"""The largest number of positions that a setting may have."""
_ORIGINAL: Final = "original_max_position_embeddings"
_MOST: Final = "max_position_embeddings"


@dataclass(frozen=True, slots=True)
class Linear:
    """All pairs turn more slowly: frequency ÷ ``factor`` ("linear")."""

    factor: float

    def slowed(self, plain: Tensor, _theta: float) -> Tensor:
        """The frequencies, from those without scaling."""
        return plain / self.factor


@dataclass(frozen=True, slots=True)
class Listed:
    """Each pair has a factor of its own: frequency_m ÷ ``factors``_m ("longrope", Ding et al. 2024)."""

    factors: tuple[float, ...]

    def slowed(self, plain: Tensor, _theta: float) -> Tensor:
        """The frequencies, from those without scaling."""
        return plain / torch.tensor(self.factors, dtype=plain.dtype)


@dataclass(frozen=True, slots=True)
class ByTurns:
    """Pairs that turn fewer than ``low`` times in ``original`` positions are slowed down, those that turn more than
    ``high`` times keep their frequency, and those between are interpolated by their turns ("llama3", as in the code of
    Llama 3.1).
    """

    factor: float
    low: float
    high: float
    original: int

    def slowed(self, plain: Tensor, _theta: float) -> Tensor:
        """The frequencies, from those without scaling."""
        turns = self.original * plain / (2 * pi)
        return _mixed(plain, self.factor, (turns - self.low) / (self.high - self.low))


@dataclass(frozen=True, slots=True)
class ByIndex:
    """The same, interpolated by the pair's index, from the pair that turns ``fast`` times in ``original`` positions to
    the one that turns ``slow`` times ("yarn", Peng et al. 2023). ``truncate``: whether these are whole indices.
    """

    factor: float
    fast: float
    slow: float
    original: int
    truncate: bool

    def slowed(self, plain: Tensor, theta: float) -> Tensor:
        """The frequencies, from those without scaling."""
        d = 2 * len(plain)
        first, last = (
            d * log(self.original / (turns * 2 * pi)) / (2 * log(theta)) for turns in (self.fast, self.slow)
        )
        if self.truncate:
            first, last = floor(first), ceil(last)
        first, last = max(first, 0), min(last, d - 1)
        width = last - first or 0.001  # as in transformers, so that nothing is divided by 0
        return _mixed(plain, self.factor, 1 - (torch.arange(len(plain), dtype=plain.dtype) - first) / width)


def _mixed(plain: Tensor, factor: float, kept: Tensor) -> Tensor:
    """Each frequency between its own (``kept`` of 1 and more) and that divided by the factor (0 and less)."""
    share = kept.clamp(0, 1)
    return (1 - share) * plain / factor + share * plain


Slowing: TypeAlias = Linear | Listed | ByTurns | ByIndex


@dataclass(frozen=True, slots=True)
class Rope:
    """Rotary positions (Su et al. 2021), pairs of columns half a head apart: pair m turns by position · frequency_m.

    frequency_m = theta^(−2m/d_head), or what ``slowing`` makes of it. ``factor``: what the rotated queries and keys are
    multiplied by, so that scores become factor² times as large ("yarn" and "longrope").
    """

    theta: float
    slowing: Slowing | None = None
    factor: float = 1.0


def rope_of(settings: Settings, given: Settings, theta: float, columns: int, most: int) -> Rope | None:
    """Rotary positions of texts of at most ``most`` tokens, as transformers computes them. ``given``: the settings of
    rotary positions in those of the model; ``columns``: how many columns of a head rotate.

    None for a type that is not known, and for one whose frequencies depend on the length of such texts. Raises
    ``ModelError``, which names the setting, for impossible values.
    """
    match given.given.get("rope_type", given.given.get("type", "default")):
        case "default":
            return Rope(theta)
        case "linear":
            return Rope(theta, Linear(given.number("factor")))
        case "dynamic":  # only texts beyond the model's maximum turn more slowly
            return Rope(theta) if settings.whole(_MOST, MAX_ORIGINAL) >= most else None
        case "llama3":
            return Rope(theta, _by_turns(settings, given))
        case "longrope" | "su":
            return _longrope(settings, given, theta, columns, most)
        case "yarn" if "short_factor" in given.given:  # in older files of Phi-3
            return _longrope(settings, given, theta, columns, most)
        case "yarn":
            return _yarn(settings, given, theta)
        case _:
            return None


def _by_turns(settings: Settings, given: Settings) -> ByTurns:
    low, high = given.number("low_freq_factor"), given.number("high_freq_factor")
    if high <= low:
        raise given.wrong("high_freq_factor", N_("expected more than low_freq_factor, got {got}"), high)
    return ByTurns(given.number("factor"), low, high, _original(settings, given))


def _yarn(settings: Settings, given: Settings, theta: float) -> Rope:
    original = _original(settings, given)
    factor = _factor(settings, given, original)
    fast, slow = given.number("beta_fast", 32.0), given.number("beta_slow", 1.0)
    slowing = ByIndex(factor, fast, slow, original, given.flag("truncate", absent=True))
    if given.given.get("attention_factor") is not None:
        return Rope(theta, slowing, given.number("attention_factor"))
    if given.given.get("mscale") and given.given.get("mscale_all_dim"):
        by, by_all = (_growth(factor, given.number(name)) for name in ("mscale", "mscale_all_dim"))
        return Rope(theta, slowing, by / by_all)
    return Rope(theta, slowing, _growth(factor, 1.0))


def _growth(factor: float, by: float) -> float:
    """0.1 · by · ln(factor) + 1, the paper's recommendation for texts that are ``factor`` times as long."""
    return 1.0 if factor <= 1 else 0.1 * by * log(factor) + 1


def _longrope(settings: Settings, given: Settings, theta: float, columns: int, most: int) -> Rope | None:
    original = _original(settings, given)
    if original < most:
        return None  # longer texts turn by another list of factors
    factors: Any = given.given.get("short_factor")
    is_list = isinstance(factors, list) and all(
        isinstance(one, int | float) and not isinstance(one, bool) and one > 0 for one in factors
    )
    if not is_list or len(factors) != columns // 2:
        template = N_("expected a list of {count} numbers above 0, one for each pair of columns, got {got}")
        raise given.wrong("short_factor", template, factors, count=columns // 2)
    slowing = Listed(tuple(map(float, factors)))
    if given.given.get("attention_factor") is not None:
        return Rope(theta, slowing, given.number("attention_factor"))
    factor = _factor(settings, given, original)
    return Rope(theta, slowing, sqrt(1 + log(factor) / log(original)) if factor > 1 else 1.0)


def _original(settings: Settings, given: Settings) -> int:
    """How many positions the model was first trained with: its own setting counts before that of its positions."""
    for place in (settings, given):
        if place.given.get(_ORIGINAL) is not None:
            return place.whole(_ORIGINAL, MAX_ORIGINAL)
    return settings.whole(_MOST, MAX_ORIGINAL)


def _factor(settings: Settings, given: Settings, original: int) -> float:
    """How many times as long texts are as those that the model was first trained with."""
    if given.given.get("factor") is not None:
        return given.number("factor")
    return settings.whole(_MOST, MAX_ORIGINAL) / original


def frequencies(rope: Rope, d_head: int, dtype: torch.dtype) -> Tensor:
    """The angle by which each pair of columns turns from one token to the next, in radians: d_head/2 numbers."""
    plain = 1 / rope.theta ** (torch.arange(0, d_head, 2, dtype=dtype) / d_head)
    return plain if rope.slowing is None else rope.slowing.slowed(plain, rope.theta)
