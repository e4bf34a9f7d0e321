"""The controls of a lesson's live part: drawn from their declaration, and written into the address."""

from __future__ import annotations

from math import isfinite
from typing import Final

import streamlit as st

from mha_ui import state
from mha_view.language import Words
from mha_view.lessons.lesson import Choice, Control, Lesson, Live, Setting, Slider

NAME: Final = "set"
"""The query parameter: ``attention:0.5~mlp:0``, for each control that is not as at first its name and value."""
_RESTORED: Final = "lessons.restored"


def key_of(topic: str, lesson: Lesson, control: Control) -> str:
    """The key of a control's widget."""
    return f"lessons.{topic}.{control.name}" if isinstance(lesson.live, Live) else f"lessons.{control.name}"


def prepare(key: str, start: Setting) -> None:
    """Set a widget to its first value where it has none. Streamlit would warn of a default beside a restored value."""
    if state.widget_value(key) is None:
        state.set_widget(key, start)


def draw_control(control: Control, key: str, words: Words) -> Setting:
    """Draw one control; returns what it is set to."""
    label = words(control.label)
    if isinstance(control, Slider):
        kind = int if _is_whole(control) else float
        prepare(key, kind(control.start))
        low, high, step = map(kind, (control.low, control.high, control.step))
        return st.slider(label, low, high, step=step, key=key)
    prepare(key, control.start)  # of a choice too: a click on the chosen one has cleared it
    if isinstance(control, Choice):
        chosen = st.segmented_control(
            label, list(control.options), format_func=lambda value: words(control.options[value]), key=key
        )
        return control.start if chosen is None else chosen
    return st.toggle(label, key=key)


def restore(topic: str, lesson: Lesson) -> None:
    """Set the controls as the address that the session was opened at says: once, and only for its own lesson."""
    restored = state.of_session(_RESTORED, set[str])
    if topic in restored:
        return
    restored.add(topic)
    if st.query_params.get("lesson") != topic:
        return
    parts = (part.partition(":") for part in st.query_params.get(NAME, "").split("~"))
    given = {name: text for name, _, text in parts}
    for control in lesson.controls:
        value = _read(control, given.get(control.name, ""))
        if value is not None:
            state.set_widget(key_of(topic, lesson, control), value)


def address(topic: str, lesson: Lesson) -> dict[str, str]:
    """The query parameter that restores the controls; none where all are as at first."""
    parts = [
        f"{control.name}:{_written(control, value)}"
        for control in lesson.controls
        if (value := state.widget_value(key_of(topic, lesson, control))) not in (None, control.start)
    ]
    return {NAME: "~".join(parts)} if parts else {}


def _is_whole(control: Slider) -> bool:
    return all(float(one).is_integer() for one in (control.step, control.start))


def _written(control: Control, value: Setting) -> str:
    """A choice is written as the place of its option, a toggle as 0 or 1."""
    if isinstance(control, Choice):
        return str(list(control.options).index(value))
    return f"{value:g}" if isinstance(control, Slider) else str(int(bool(value)))


def _read(control: Control, text: str) -> Setting | None:
    """What an address says of a control; None where that is none of its values."""
    try:
        number = float(text)
    except ValueError:
        return None
    if isinstance(control, Slider):
        kind = int if _is_whole(control) else float
        return kind(number) if isfinite(number) and control.low <= number <= control.high else None
    options = list(control.options) if isinstance(control, Choice) else [False, True]
    return dict(enumerate(options)).get(int(number)) if isfinite(number) and number >= 0 else None
