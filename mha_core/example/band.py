"""Masks by positions: a causal mask of either corner, and sliding windows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from mha_core.errors import N_

MAX_WINDOW = 1_000_000
"""Largest window of a mask: more than any model has."""

Corner: TypeAlias = Literal["top_left", "bottom_right"]
CORNERS: tuple[Corner, ...] = get_args(Corner)


@dataclass(frozen=True, slots=True)
class BandMask:
    """The keys around a query's position that it may attend to; all other scores become −∞.

    Query i is at position p, counted like the keys: p = i with ``corner`` top_left, the first query at the first key,
    as with torch's ``is_causal``; p = i + n_k − n_q with bottom_right, the last query at the last key, as in decoding
    with a cache and in FlashAttention since 2.1. With as many queries as keys both are the same.

    causal, window None   j ≤ p
    causal, window w      p − w < j ≤ p   w keys, the last at its own position (Mistral, Gemma 2 and 3, gpt-oss)
    window w              |p − j| ≤ w     w keys on each side (Longformer; ModernBERT with w = local_attention // 2)

    The mask "causal" is ``BandMask(causal=True)``. ``window`` is at least 1 if it is causal, else at least 0.
    """

    window: int | None = None
    causal: bool = False
    corner: Corner = "top_left"

    def allow(self, n_q: int, n_k: int) -> tuple[tuple[bool, ...], ...]:
        """n_q × n_k: True where the query may attend to the key.

        >>> BandMask(2, causal=True).allow(3, 3)
        ((True, False, False), (True, True, False), (False, True, True))
        """
        shift = n_k - n_q if self.corner == "bottom_right" else 0
        return tuple(tuple(self._reaches(i + shift - j) for j in range(n_k)) for i in range(n_q))

    def _reaches(self, back: int) -> bool:
        """Whether a query may attend to the key this far before its position; after it, where this is negative."""
        if self.causal:
            return back >= 0 and (self.window is None or back < self.window)
        return self.window is None or abs(back) <= self.window


CAUSAL: Final = BandMask(causal=True)
"""What "causal" says."""


def simplest(band: BandMask) -> Literal["causal"] | BandMask:
    """The mask as a file writes it: "causal" where that says all of it."""
    return "causal" if band == CAUSAL else band


WINDOW: Final = {
    True: N_(
        "With a causal window of {window}, each query may attend to at most {window} {window:key|keys}: the one at "
        "its own position and those just before it. All other scores become −∞."
    ),
    False: N_(
        "With a window of {window}, each query may attend to the key at its own position and to at most {window} "
        "{window:key|keys} on each side. All other scores become −∞."
    ),
}
"""The sentence on a window, by whether it is causal."""

CORNER: Final = {
    ("top_left", True): N_(
        "The causal mask starts at the top left corner, as torch's is_causal does: query i "
        "may attend to keys 1 to i. There are {n_q} queries and {n_k} keys."
    ),
    ("top_left", False): N_(
        "The mask starts at the top left corner: the first query is at the position of the first key. "
        "There are {n_q} queries and {n_k} keys."
    ),
    ("bottom_right", False): N_(
        "The mask ends at the bottom right corner, as in decoding with a cache: the last query is at the "
        "position of the last key. There are {n_q} queries and {n_k} keys."
    ),
}
"""The sentence on the corner where n_q and n_k differ, by the corner and whether the mask is "causal"."""


ALL_OWN_MASKS: Final = N_("Each head has its own mask.")
ONE_OWN_MASK: Final = N_("Head {list} has its own mask. The other heads have the mask of the example.")
OWN_MASKS: Final = N_("Heads {list} have their own masks. The other heads have the mask of the example.")
"""The sentences where all heads have their own masks, where one has, and where some have."""


def band_sentences(band: BandMask, n_q: int, n_k: int) -> tuple[str, ...]:
    """What a mask by positions means, beyond being causal: its window, and its corner where that matters.

    Templates, for the values n_q, n_k and window.
    """
    window = () if band.window is None else (WINDOW[band.causal],)
    return (*window, CORNER[band.corner, band == CAUSAL]) if n_q != n_k else window
