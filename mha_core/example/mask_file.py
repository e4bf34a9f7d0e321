"""A mask in the file format: decoded JSON → ``Mask`` and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from mha_core.errors import N_
from mha_core.example.band import CORNERS, BandMask, simplest
from mha_core.example.model import NEG_INF, AddMask, AllowMask, Mask
from mha_core.example.readers import (
    fail,
    number_json,
    one_of,
    read_bool,
    read_count,
    read_float_or_neg_inf,
    read_object,
    read_table,
    rows_json,
)
from mha_core.quoted import quoted_json

_BAND: dict[str, Callable[[object, str], Any]] = {
    "window": read_count,
    "causal": read_bool,
    "corner": one_of(CORNERS),
}
"""The keys of a mask by positions, and their readers."""


def mask_from_json(value: object, place: str) -> Mask:
    """A mask from decoded JSON; ``ExampleError`` where it breaks the format."""
    if isinstance(value, str):
        if value != "causal":
            raise fail(
                place,
                N_(
                    'expected null, "causal", or an object with "window", "causal", "allow" or "add", got {got}'
                ),
                got=quoted_json(value),
            )
        return "causal"
    fields = read_object(value, place, dict.fromkeys((*_BAND, "allow", "fill", "add")))
    if not fields.keys().isdisjoint(_BAND):
        return _band(fields, place)
    if ("allow" in fields) == ("add" in fields) or ("add" in fields and "fill" in fields):
        raise fail(place, N_("expected either allow (optionally with fill), add, or window and causal"))
    if "add" in fields:
        return AddMask(read_table(fields["add"], f"{place}.add", read_float_or_neg_inf))
    fill = fields.get("fill")
    return AllowMask(
        allow=read_table(fields["allow"], f"{place}.allow", read_bool),
        fill=NEG_INF if fill is None else read_float_or_neg_inf(fill, f"{place}.fill"),
    )


def _band(fields: Mapping[str, object], place: str) -> Mask:
    """A window, causal or not, or a causal mask of a given corner."""
    for name in fields:
        if name not in _BAND:
            raise fail(f"{place}.{name}", N_("is not used with window or causal"))
    given = {name: item for name, item in fields.items() if item is not None}
    return simplest(BandMask(**{name: _BAND[name](item, f"{place}.{name}") for name, item in given.items()}))


def mask_json(mask: Mask | Literal["none"]) -> object:
    """A mask as plain JSON data."""
    if isinstance(mask, AllowMask):
        fill = {} if mask.fill == NEG_INF else {"fill": number_json(mask.fill)}
        return {"allow": [list(row) for row in mask.allow], **fill}
    if isinstance(mask, BandMask):
        given = {name: getattr(mask, name) for name in _BAND}
        return {name: value for name, value in given.items() if value != getattr(BandMask(), name)}
    return {"add": rows_json(mask.add)} if isinstance(mask, AddMask) else mask
