"""Extreme but legal examples through every route: only typed errors, and neither NaN nor ∞ is shown.

``python -m tests.extremes 10000`` sends more of them and prints the seed of every fault.
"""

from collections import Counter
from random import Random

import pytest

from mha_core import MhaError
from tests.extremes.draw import KINDS, drawn, kinds_of
from tests.extremes.routes import ROUTES, unsound
from tests.sizes import lengthened

EXAMPLES = lengthened(70)
EACH = 6
"""How many routes one example takes here: all routes in turn, each with about 9 examples."""


def taken_by(seed):
    names = list(ROUTES)
    return [names[(seed * EACH + step) % len(names)] for step in range(EACH)]


@pytest.mark.parametrize("first", range(0, EXAMPLES, 10))
def test_an_extreme_example_comes_through(first):
    for seed in range(first, first + 10):
        for route in taken_by(seed):
            try:
                shown = ROUTES[route](drawn(Random(seed)), Random(f"{seed} {route}"))
            except MhaError:
                continue  # one sentence that names the place
            except Exception as error:
                error.add_note(f"python -m tests.extremes --seed {seed} --route '{route}'")
                raise
            assert list(unsound(shown)) == [], (seed, route)


@pytest.mark.parametrize(
    ("seed", "route"),
    [
        pytest.param(2547, "check of the smallest numbers", id="a difference of two scores beyond float64"),
        pytest.param(3, "figure weights", id="a given weight so large that a billionth is lost beside it"),
    ],
)
def test_what_went_wrong_once(seed, route):
    """Found by 10,000 examples of ``tests.extremes``."""
    assert list(unsound(ROUTES[route](drawn(Random(seed)), Random(f"{seed} {route}")))) == []


def test_every_route_is_taken():
    taken = Counter(route for seed in range(EXAMPLES) for route in taken_by(seed))
    assert set(taken) == set(ROUTES)
    assert min(taken.values()) >= EXAMPLES * EACH // len(ROUTES) >= 8


def test_every_kind_of_example_is_drawn():
    drawn_kinds = Counter(kind for seed in range(500) for kind in kinds_of(drawn(Random(seed))))
    assert set(drawn_kinds) == KINDS
    assert min(drawn_kinds.values()) >= 5


def test_the_same_seed_draws_the_same_example():
    assert drawn(Random(7)) == drawn(Random(7))


@pytest.mark.parametrize(
    "shown",
    [float("nan"), float("inf"), [{"a": (1.0, float("nan"))}], "= nan", "x: NaN", "∑ = inf.", "−Infinity"],
    ids=repr,
)
def test_what_must_not_be_shown_is_seen(shown):
    assert list(unsound(shown))


@pytest.mark.parametrize(
    "shown", ["-inf", float("-inf"), [1e308], "banana", "information", "−∞", 'float("-inf")'], ids=repr
)
def test_what_may_be_shown_is_let_through(shown):
    assert not list(unsound(shown))
