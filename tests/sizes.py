"""How many cases a test tries. The tests have the numbers for ``make test``; ``make test-long`` (``pytest --long``)
multiplies them all by one factor, and also runs the tests marked ``long``.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from functools import wraps
from inspect import signature
from typing import Any

import pytest
from hypothesis import settings

FACTOR = 50
"""The factor between a short run and a long one."""
CASES = {"short": 10, "long": 10 * FACTOR}
"""Cases of a law without a number of its own, by hypothesis profile."""

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
"""Examples whose walks together show every stage, and a separate context."""


def at_length() -> bool:
    """Whether this run was started with ``--long``."""
    return settings.get_current_profile_name() == "long"


def lengthened(count: int) -> int:
    """This many cases in ``make test``, and ``FACTOR`` times as many in a long run."""
    return count * FACTOR if at_length() else count


def tries(cases: int) -> settings:
    """Settings for this many cases of a law, and ``FACTOR`` times as many in a long run."""
    return settings(max_examples=lengthened(cases))


def shortened(values: Iterable[Any], representative: Container[Any]) -> list[Any]:
    """Parameters; all but the representative ones, which show the same, are marked ``long``."""
    return [
        value if value in representative else pytest.param(value, marks=pytest.mark.long) for value in values
    ]


def in_turn(values: Iterable[Any], others: Sequence[Any]) -> list[Any]:
    """Parameters: every value with each of the others. All pairs but one for each value are marked ``long``; in that
    one the others take turns.
    """
    return [
        pytest.param(value, other, marks=() if at % len(others) == turn else pytest.mark.long)
        for at, value in enumerate(values)
        for turn, other in enumerate(others)
    ]


def turns(values: Iterable[Any], others: Sequence[Any]) -> list[tuple[Any, Any]]:
    """The same pairs for a test that loops over them itself; without ``--long`` only those that are not marked."""
    return [pair.values for pair in in_turn(values, others) if at_length() or not pair.marks]


def first_seen(walks: dict[str, Sequence[tuple[Any, Any]]], name: str) -> set[Any]:
    """The stages of one walk whose kind no earlier walk has; in a long run, all its stages."""
    if at_length():
        return {stage for stage, _ in walks[name]}
    earlier_kinds = set[Any]()
    for other, stages in walks.items():
        new = {kind: stage for stage, kind in reversed(stages) if kind not in earlier_kinds}
        if other == name:
            return set(new.values())
        earlier_kinds |= new.keys()
    raise KeyError(name)


def each(
    names: str, values: Iterable[Any], ids: Iterable[Any] | None = None
) -> Callable[[Callable], Callable]:
    """Like ``pytest.mark.parametrize``, but as one test: for values that all show the same.

    All values are tried even if one fails, and a failure names its value (by ``ids`` where they are given).
    """
    arguments, cases = names.split(", "), list(values)
    labels = cases if ids is None else list(ids)

    def decorate(test: Callable) -> Callable:
        @wraps(test)
        def loop(**fixtures: Any) -> None:
            failures = []
            for case, label in zip(cases, labels, strict=True):
                try:
                    test(
                        **fixtures,
                        **dict(zip(arguments, case if len(arguments) > 1 else [case], strict=True)),
                    )
                except Exception as error:  # noqa: BLE001  # raised below
                    error.add_note(f"{names} = {str(label)[:80]}")
                    failures.append(error)
            if len(failures) == 1:
                raise failures[0]
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(cases)} cases", failures)

        of_test = signature(test)
        fixtures = [parameter for name, parameter in of_test.parameters.items() if name not in arguments]
        loop.__signature__ = of_test.replace(parameters=fixtures)  # type: ignore[attr-defined]  # pytest passes fixtures
        return loop

    return decorate
