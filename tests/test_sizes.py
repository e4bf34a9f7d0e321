"""The long form tries more, and a run over its budget fails."""

import time
from inspect import signature
from types import SimpleNamespace

import pytest
from hypothesis import settings

from tests.conftest import OVER, STARTED, pytest_sessionfinish
from tests.sizes import CASES, FACTOR, at_length, each, in_turn, lengthened, shortened, tries, turns


def session(budget, minutes):
    config = SimpleNamespace(option=SimpleNamespace(budget=budget), stash=pytest.Stash())
    config.stash[STARTED] = time.monotonic() - 60 * minutes
    return SimpleNamespace(config=config, exitstatus=pytest.ExitCode.OK)


@pytest.mark.parametrize(("budget", "over"), [(12, False), (1, True), (None, False)])
def test_a_run_over_its_budget_fails(budget, over):
    run = session(budget, minutes=2)
    pytest_sessionfinish(run)
    assert run.exitstatus == (pytest.ExitCode.TESTS_FAILED if over else pytest.ExitCode.OK)
    assert (OVER in run.config.stash) == over


def test_a_long_run_multiplies_the_number_of_cases_of_a_short_one(pytestconfig):
    factor = FACTOR if pytestconfig.option.long else 1
    assert at_length() == pytestconfig.option.long
    assert lengthened(7) == tries(7).max_examples == 7 * factor
    assert settings.default.max_examples == CASES["short"] * factor


def test_values_that_are_not_representative_are_long():
    first, second = shortened("ab", "a")
    assert first == "a"
    assert second.values == ("b",)
    assert [mark.name for mark in second.marks] == ["long"]


def test_in_a_short_run_the_other_values_take_turns():
    pairs = {param.values: [mark.name for mark in param.marks] for param in in_turn("abc", ("en", "zh"))}
    assert list(pairs) == [(value, language) for value in "abc" for language in ("en", "zh")]
    assert [pair for pair, marks in pairs.items() if not marks] == [("a", "en"), ("b", "zh"), ("c", "en")]
    assert {*map(tuple, pairs.values())} == {(), ("long",)}


def test_one_test_takes_the_pairs_of_its_profile(pytestconfig):
    pairs = turns("abc", ("en", "zh"))
    assert pairs[0] == ("a", "en")
    assert len(pairs) == (6 if pytestconfig.option.long else 3)


def test_each_tries_every_value_and_names_those_that_fail():
    tried = []

    @each("number", [1, 2, 3, 4])
    @each("letter", "ab", ["first", "second"])
    def failing(number, letter, failures):
        tried.append((number, letter))
        assert (number, letter) not in failures

    with pytest.raises(AssertionError) as error:
        failing(failures=[(3, "b")])
    assert error.value.__notes__ == ["letter = second", "number = 3"]
    assert tried == [(number, letter) for number in (1, 2, 3, 4) for letter in "ab"]
    with pytest.raises(ExceptionGroup, match="2 of 4 cases") as group:
        failing(failures=[(1, "a"), (4, "a")])
    assert [error.__notes__[-1] for error in group.value.exceptions] == ["number = 1", "number = 4"]
    assert [*signature(failing).parameters] == ["failures"]
