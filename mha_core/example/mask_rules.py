"""The rules for masks: the example's, and those of single heads."""

from __future__ import annotations

from math import isfinite

from mha_core.errors import N_
from mha_core.example.band import CAUSAL, MAX_WINDOW, BandMask
from mha_core.example.model import NEG_INF, AddMask, AllowMask, Dims, Example, Mask
from mha_core.example.readers import fail
from mha_core.example.rules import either, wrong_shape


def require_masks(example: Example, dims: Dims) -> None:
    """Masks of the right shape, and a head's own only where something is masked with it."""
    _require_one_mask("mask", example.mask, dims)
    for index, head in enumerate(example.heads):
        if head.mask is None:
            continue
        place = f"heads[{index}].mask"
        if head.weights is not None:
            raise fail(place, N_("is not used, since the head starts from its weights"))
        if head.mask != "none":
            _require_one_mask(place, head.mask, dims)
        for where, mask in (("mask", example.mask), (place, head.mask)):
            if isinstance(mask, AllowMask) and mask.fill != NEG_INF:
                raise fail(
                    f"{where}.fill", N_("is not used where a head has its own mask: hidden scores become −∞")
                )


def _require_one_mask(at: str, mask: Mask, dims: Dims) -> None:
    if isinstance(mask, BandMask):
        _require_band(at, mask)
    if not isinstance(mask, AllowMask | AddMask):
        return
    name = "allow" if isinstance(mask, AllowMask) else "add"
    rows: tuple = getattr(mask, name)  # type: ignore[type-arg]  # of bools or of floats
    widths = {len(row) for row in rows}
    if len(rows) != dims.n_q or widths != {dims.n_k}:
        raise wrong_shape(f"{at}.{name}", dims.shape("mask"), (len(rows), either(widths)))
    numbers = [(f"{at}.fill", mask.fill)] if isinstance(mask, AllowMask) else []
    if isinstance(mask, AddMask):
        numbers = [(f"{at}.add[{i}][{j}]", v) for i, row in enumerate(rows) for j, v in enumerate(row)]
    for place, number in numbers:
        if not (isfinite(number) or number == NEG_INF):
            raise fail(place, N_('expected a number or "-inf", got {number}'), number=number)


def _require_band(at: str, mask: BandMask) -> None:
    """A window of a whole number of keys, or a causal mask. That of the top left corner is "causal"."""
    if mask.window is None:
        if not mask.causal:
            raise fail(at, N_("expected a window, or causal with true"))
        if mask == CAUSAL:
            raise fail(at, N_('write "causal" for this mask'))
    elif not int(mask.causal) <= mask.window <= MAX_WINDOW:
        raise fail(
            f"{at}.window",
            N_("expected a whole number from {least} to {most}, got {got}"),
            least=int(mask.causal),
            most=MAX_WINDOW,
            got=mask.window,
        )
