"""Variants: an example with one or several changes, to be compared with the original.

A ``Variant`` is plain data that fits into a link; ``varied`` applies it to an example. A change that is impossible
(rotary positions if d_k is odd) is refused with the same sentence as the edit in the app.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any, Final

from mha_core.edit.edit import Permute, SetKvHeads, SetMask, SetPositions, SetScoring
from mha_core.edit.edits import apply
from mha_core.edit.fields import MaskKind
from mha_core.errors import N_, ExampleError
from mha_core.example.model import MAX_HEADS, MAX_SIZE, Example, divisor, without_stale_note
from mha_core.example.validate import validate
from mha_core.vocabulary import POSITION_CHOICES, SCORING_CHOICES

POSITIONS: Final = tuple(POSITION_CHOICES)
MASKS: Final = ("none", "causal")
LEAST, MOST = 2.0**-10, 2.0**10
"""Sensible temperatures of a softmax."""


@dataclass(frozen=True, slots=True)
class Variant:
    """The changes; None or empty for what stays the same.

    ``order``: token i of the variant is token order[i] of the example. ``muted``: heads that attend to nothing.
    ``temperature`` T: scores are divided by T times the divisor. ``mistake``: a known one, ``step.id``, or the id of a
    built-in pair; it does not change the example but how it is computed (``mistaken``).
    """

    scoring: str | None = None
    positions: str | None = None
    mask: MaskKind | None = None
    kv_heads: int | None = None
    temperature: float | None = None
    order: tuple[int, ...] = ()
    muted: tuple[int, ...] = ()
    mistake: str | None = None


AS_IT_IS: Final = Variant()


def varied(example: Example, variant: Variant) -> Example:
    """The example with the variant's changes and without claims.

    Raises ``ExampleError`` if a change is impossible in this example.
    """
    before = example = replace(example, claimed=None)
    if variant.order:
        example = apply(example, Permute(order=variant.order))
    if variant.positions is not None:
        positions = POSITION_CHOICES[variant.positions]
        example = apply(example, SetPositions(kind=positions.kind, pairs=positions.pairs))
    if variant.mask is not None:
        example = apply(example, SetMask(kind=variant.mask))
    if variant.scoring is not None:
        scoring = SCORING_CHOICES[variant.scoring]
        example = apply(example, SetScoring(kind=scoring.scoring, scale=scoring.scale))
    if variant.kv_heads is not None:
        example = apply(example, SetKvHeads(count=variant.kv_heads))
    if variant.temperature is not None:
        example = validate(replace(example, scale=(divisor(example) or 1.0) * variant.temperature))
    if variant.muted:
        example = validate(_muted(example, variant.muted))
    return without_stale_note(example, before)


def _muted(example: Example, muted: tuple[int, ...]) -> Example:
    """The example with heads that start from weights of 0: they attend to nothing, so their outputs are 0."""
    if max(muted) >= len(example.heads):
        raise ExampleError(N_("there is no {name} here"), name=f"heads[{max(muted)}]")
    dims = example.dims
    nothing = ((0.0,) * dims.n_k,) * dims.n_q
    heads = (
        replace(head, weights=nothing) if index in muted else head for index, head in enumerate(example.heads)
    )
    return replace(example, heads=tuple(heads))


# --- in a link ---------------------------------------------------------------------------------------------------


def written(variant: Variant) -> str:
    """A variant as a short text for a link, such as ``scoring-cosine~muted-0_2``; "" for none."""
    return "~".join(
        f"{field.name}-{_text(value)}"
        for field in fields(variant)
        if (value := getattr(variant, field.name)) not in (None, ())
    )


def _text(value: object) -> str:
    return "_".join(map(str, value)) if isinstance(value, tuple) else str(value)


def read(text: str) -> Variant:
    """The variant of such a text. Unknown parts, as after a change by hand, are ignored."""
    return Variant(**dict(_read(text)))


def _read(text: str) -> Iterator[tuple[str, Any]]:
    for part in text[:2000].split("~"):
        name, _, value = part.partition("-")
        setting = _READERS[name](value) if name in _READERS else None
        if setting is not None:
            yield name, setting


def _one_of(*known: str) -> Callable[[str], str | None]:
    return lambda text: text if text in known else None


def _count(text: str) -> int | None:
    return int(text) if re.fullmatch(r"[0-9]{1,2}", text) and 1 <= int(text) <= MAX_HEADS else None


def _indices(most: int) -> Callable[[str], tuple[int, ...] | None]:
    def indices(text: str) -> tuple[int, ...] | None:
        if not re.fullmatch(r"[0-9]{1,2}(_[0-9]{1,2})*", text):
            return None
        order = tuple(map(int, text.split("_")))
        return order if len(set(order)) == len(order) and max(order) < most else None

    return indices


def _temperature(text: str) -> float | None:
    try:
        temperature = float(text)
    except ValueError:
        return None
    return temperature if isfinite(temperature) and LEAST <= temperature <= MOST else None


_READERS: Final[dict[str, Callable[[str], Any]]] = {
    "scoring": _one_of(*SCORING_CHOICES),
    "positions": _one_of(*POSITIONS),
    "mask": _one_of(*MASKS),
    "kv_heads": _count,
    "temperature": _temperature,
    "order": _indices(MAX_SIZE),
    "muted": _indices(MAX_HEADS),
    "mistake": lambda text: text if re.fullmatch(r"[a-z0-9_.-]{1,80}", text) else None,
}
