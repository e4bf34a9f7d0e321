"""Claimed numbers in the file format: decoded JSON → their digits as they are printed, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from mha_core.errors import N_
from mha_core.example.readers import NEG_INF_TEXT, fail, read_float, read_list, read_object
from mha_core.quoted import quoted_json
from mha_core.vocabulary import COMPUTED, PER_HEAD

MAX_PRINTED = 64
"""Longest printed number, in characters."""

_PRINTED_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z")


def read_claimed(value: object, place: str) -> dict[str, tuple[Any, ...]]:
    """Claimed numbers by step, in the order of the computation."""
    fields = read_object(value, place, dict.fromkeys(COMPUTED))
    claims = {}
    for step in COMPUTED:  # in the order of the computation, whatever order the file has
        if fields.get(step) is None:
            continue
        here = f"{place}.{step}"
        if step not in PER_HEAD:
            claims[step] = _claimed_matrix(fields[step], here)
        else:
            claims[step] = tuple(
                None if item is None else _claimed_matrix(item, f"{here}[{index}]")
                for index, item in enumerate(read_list(fields[step], here))
            )
    return claims


def _claimed_matrix(value: object, place: str) -> tuple[Any, ...]:
    rows = []
    for i, row in enumerate(read_list(value, place)):
        here = f"{place}[{i}]"
        rows.append(
            None
            if row is None
            else tuple(_claimed_cell(item, f"{here}[{j}]") for j, item in enumerate(read_list(row, here)))
        )
    return tuple(rows)


def _claimed_cell(value: object, place: str) -> float | str | None:
    """A claimed number; a string keeps its printed digits."""
    if value is None:
        return None
    if isinstance(value, str):
        printed = printed_number(value)
        if printed is None:
            raise fail(place, N_("expected a number, got {got}"), got=quoted_json(value))
        return printed
    number = read_float(value, place)
    if not isfinite(number):
        raise fail(place, N_("expected a number, got {got}"), got=quoted_json(value))
    return number


def printed_number(text: str) -> str | None:
    """A printed number with its digits as they are ("-inf" for −∞); None for any other text."""
    printed = text.strip().replace("−", "-")
    if printed in NEG_INF_TEXT:
        return "-inf"
    known = len(printed) <= MAX_PRINTED and _PRINTED_NUMBER.match(printed) and isfinite(float(printed))
    return printed if known else None


def claimed_json(claimed: Mapping[str, tuple[Any, ...]]) -> dict[str, object]:
    """Claimed numbers as plain JSON data."""
    return {step: _as_lists(claimed[step]) for step in COMPUTED if step in claimed}


def _as_lists(claim: object) -> object:
    return [_as_lists(item) for item in claim] if isinstance(claim, tuple) else claim
