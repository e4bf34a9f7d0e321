"""A lecture in the file format: decoded JSON → ``Lecture`` and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mha_core.errors import N_
from mha_core.example.lecture import Lecture, LectureStep
from mha_core.example.readers import (
    fail,
    number_json,
    read_bool,
    read_float,
    read_list,
    read_object,
    read_string,
    read_text,
    read_texts,
    text_json,
)


def read_lecture(value: object, place: str) -> Lecture:
    """A lecture from decoded JSON, before ``validate``; ``ExampleError`` where it breaks the format."""
    fields = read_object(value, place, {"minutes": 0, "steps": 0})
    steps = [] if fields.get("steps") is None else read_list(fields["steps"], f"{place}.steps")
    return Lecture(
        minutes=None if fields.get("minutes") is None else read_float(fields["minutes"], f"{place}.minutes"),
        steps=tuple(_lecture_step(step, f"{place}.steps[{index}]") for index, step in enumerate(steps)),
    )


_LECTURE_STEP: dict[str, Callable[[object, str], Any]] = {
    "step": read_string,
    "note": read_text,
    "question": read_text,
    "choices": read_texts,
    "minutes": read_float,
    "hidden": read_bool,
}


def _lecture_step(value: object, place: str) -> LectureStep:
    fields = read_object(value, place, _LECTURE_STEP)
    if fields.get("step") is None:
        raise fail(f"{place}.step", N_("missing"))
    given = {name: item for name, item in fields.items() if item is not None}
    return LectureStep(**{name: _LECTURE_STEP[name](item, f"{place}.{name}") for name, item in given.items()})


def lecture_json(lecture: Lecture) -> dict[str, object]:
    """A lecture as plain JSON data."""
    minutes = None if lecture.minutes is None else number_json(lecture.minutes)
    entries = {"minutes": minutes, "steps": [_lecture_step_json(step) for step in lecture.steps] or None}
    return {name: value for name, value in entries.items() if value is not None}


def _lecture_step_json(step: LectureStep) -> dict[str, object]:
    entries = {
        "step": step.step,
        "note": text_json(step.note),
        "question": text_json(step.question),
        "choices": [text_json(choice) for choice in step.choices] or None,
        "minutes": None if step.minutes is None else number_json(step.minutes),
        "hidden": step.hidden or None,
    }
    return {name: value for name, value in entries.items() if value is not None}
