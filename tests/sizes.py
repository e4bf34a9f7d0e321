"""How much is tried: ``make test`` draws some cases of each law, ``make test-all`` (``pytest --long``) many."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any

import pytest
from hypothesis import settings

SHARE = {"short": 10, "long": 500}
"""Percent of the cases that a test asks for, by profile."""

EVERY_STAGE = (
    "alibi",
    "additive",
    "cosine",
    "rotary",
    "sinusoidal",
    "output-projection",
    "scaled",
    "translation",
)
"""Examples whose walks together show every stage that there is, and a context of its own."""


def tries(cases: int) -> settings:
    """Settings that let a law be tried on this many cases, or on the profile's share of them."""
    return settings(max_examples=cases * settings.default.max_examples // 100)


def shortened(values: Iterable[Any], kept: Container[Any]) -> list[Any]:
    """Parameters of which all but those kept are tried at length only: they repeat what these show."""
    return [value if value in kept else pytest.param(value, marks=pytest.mark.long) for value in values]


def in_turn(values: Iterable[Any], others: Sequence[Any]) -> list[Any]:
    """Every value with every one of the others; in short each value with one of them, and they take turns."""
    return [
        pytest.param(value, other, marks=() if at % len(others) == turn else pytest.mark.long)
        for at, value in enumerate(values)
        for turn, other in enumerate(others)
    ]


def turns(values: Iterable[Any], others: Sequence[Any]) -> list[tuple[Any, Any]]:
    """The same pairs for one test, which tries them all itself: those of the profile."""
    long = settings.default.max_examples == SHARE["long"]
    return [pair.values for pair in in_turn(values, others) if long or not pair.marks]


def first_seen(walks: dict[str, Sequence[tuple[Any, Any]]], name: str) -> set[Any]:
    """Of a walk's stages, each with its kind, those of a kind that no walk before it has; at length all of them."""
    if settings.default.max_examples == SHARE["long"]:
        return {stage for stage, _ in walks[name]}
    before = set[Any]()
    for other, stages in walks.items():
        new = {kind: stage for stage, kind in reversed(stages) if kind not in before}
        if other == name:
            return set(new.values())
        before |= new.keys()
    raise KeyError(name)


def share(cases: int) -> int:
    """The profile's share of this many cases, for a law that draws its own; at length all of them."""
    return min(cases, cases * settings.default.max_examples // 100)
