"""A learner's attempt in the file format: decoded JSON → ``Attempt`` and back."""

from __future__ import annotations

from mha_core.errors import N_
from mha_core.example.attempt import MOST_STUDENT, Attempt
from mha_core.example.readers import fail, read_count, read_list, read_object, read_string


def read_attempt(value: object, place: str) -> Attempt:
    """An attempt from decoded JSON; ``ExampleError`` where it breaks the format."""
    known = {"student": 0, "seed": 0, "missed": 0, "hints": 0}
    fields = {name: given for name, given in read_object(value, place, known).items() if given is not None}
    student = read_string(fields.get("student", ""), f"{place}.student")
    if len(student) > MOST_STUDENT:
        raise fail(f"{place}.student", N_("expected at most {most} characters"), most=MOST_STUDENT)
    missed = read_list(fields.get("missed", []), f"{place}.missed")
    hints = read_list(fields.get("hints", []), f"{place}.hints")
    return Attempt(
        student=" ".join(student.split()),
        seed=_index(fields["seed"], f"{place}.seed") if "seed" in fields else None,
        missed=tuple(_index(at, f"{place}.missed[{n}]") for n, at in enumerate(missed)),
        hints=dict(_pair(pair, f"{place}.hints[{at}]") for at, pair in enumerate(hints)),
    )


def _pair(value: object, place: str) -> tuple[int, int]:
    """A cell, and how many hints were given for it."""
    match read_list(value, place):
        case [cell, count]:
            return _index(cell, f"{place}[0]"), _index(count, f"{place}[1]")
    raise fail(place, N_("expected a cell and how many hints"))


def _index(value: object, place: str) -> int:
    """A whole number from 0 on."""
    number = read_count(value, place)
    if number < 0:
        raise fail(place, N_("expected 0 or more, got {got}"), got=number)
    return number


def attempt_json(attempt: Attempt) -> dict[str, object]:
    """An attempt as plain JSON data."""
    entries = {
        "student": attempt.student or None,
        "seed": attempt.seed,
        "missed": list(attempt.missed) or None,
        "hints": [list(pair) for pair in sorted(attempt.hints.items())] or None,
    }
    return {name: value for name, value in entries.items() if value is not None}
