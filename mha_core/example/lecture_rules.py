"""The rules for an example's lecture."""

from __future__ import annotations

from collections.abc import Iterator

from mha_core.errors import N_
from mha_core.example.lecture import (
    MAX_CHOICE,
    MAX_CHOICES,
    MAX_MINUTES,
    MAX_QUESTION,
    Lecture,
    LectureStep,
    is_step,
)
from mha_core.example.model import MAX_TEXT, Text
from mha_core.example.readers import fail
from mha_core.example.texts import in_languages, require_text
from mha_core.quoted import quoted


def require_lecture(lecture: Lecture) -> None:
    """Known steps, each once, with texts and minutes within their limits."""
    _require_minutes("lecture.minutes", lecture.minutes)
    names = set()
    for index, step in enumerate(lecture.steps):
        place = f"lecture.steps[{index}]"
        if not is_step(step.step):
            raise fail(f"{place}.step", N_("there is no step {name}"), name=quoted(step.step))
        if step.step in names:
            raise fail(f"{place}.step", N_("the step {name} appears here twice"), name=quoted(step.step))
        names.add(step.step)
        _require_minutes(f"{place}.minutes", step.minutes)
        if len(step.choices) > MAX_CHOICES:
            raise fail(
                f"{place}.choices",
                N_("expected at most {most} choices, got {count}"),
                most=MAX_CHOICES,
                count=len(step.choices),
            )
        for name, text, most in _texts_of(step):
            for where, part in in_languages(f"{place}.{name}", text):
                require_text(where, part, most)


def _texts_of(step: LectureStep) -> Iterator[tuple[str, Text | None, int]]:
    """The lecturer's own texts of a step: name, text, and most characters."""
    yield "note", step.note, MAX_TEXT
    yield "question", step.question, MAX_QUESTION
    for index, choice in enumerate(step.choices):
        yield f"choices[{index}]", choice, MAX_CHOICE


def _require_minutes(place: str, minutes: float | None) -> None:
    if minutes is not None and not 0 < minutes <= MAX_MINUTES:
        raise fail(
            place,
            N_("expected more than 0 and at most {most}, got {number}"),
            most=MAX_MINUTES,
            number=minutes,
        )
