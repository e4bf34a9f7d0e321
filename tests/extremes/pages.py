"""What Streamlit's pages show of an example, without a browser and without running Streamlit.

``shown_by(work, live)`` calls the function that draws a page and returns all that it shows: texts, figures, and the
data of the components. Every widget returns its default, as if nothing was clicked.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import streamlit as st

from mha_ui import bench, plot, state
from mha_ui.experiments import board, lenses
from mha_ui.state.session import KEY, Holder

_WIDGETS = ("pills", "segmented_control", "selectbox", "multiselect", "select_slider", "radio")
_FRAGMENTS = ("_painted_by_gradient", "_painted_by_change", "_saturation")
_COMPONENTS = ((bench, "component"), (board, "component"), (plot, "component"))


def shown_by(work: state.Work, live: Callable[[state.Work], None]) -> list[Any]:
    """Everything that ``live(work)`` shows."""
    page = _Page(work)
    with ExitStack() as stack:
        for name in ("html", "markdown", "caption", "code"):
            stack.enter_context(patch.object(st, name, page.text))
        for name in _WIDGETS:
            stack.enter_context(patch.object(st, name, page.widget))
        stack.enter_context(patch.object(st, "container", page.container))
        stack.enter_context(patch.object(st, "button", page.button))
        stack.enter_context(patch.object(st, "session_state", page.session))
        stack.enter_context(patch.object(st, "context", SimpleNamespace(theme=SimpleNamespace(type="light"))))
        for name in _FRAGMENTS:  # Streamlit skips a fragment if no page is running
            stack.enter_context(patch.object(lenses, name, getattr(lenses, name).__wrapped__))
        for module, name in _COMPONENTS:
            stack.enter_context(patch.object(module, name, lambda *_, **__: page.component))
        live(work)
    return page.shown


class _Page:
    """What has been shown so far, and the values of the widgets."""

    def __init__(self, work: state.Work) -> None:
        self.shown: list[Any] = []
        self.session: dict[str, Any] = {KEY: Holder(work)}

    def text(self, text: str, **_: Any) -> None:
        self.shown.append(text)

    def button(self, label: str, **_: Any) -> bool:
        self.shown.append(label)
        return False

    def component(self, *, key: str, data: Any, **_: Any) -> None:
        self.shown.append({key: data})

    def widget(self, label: str, options: Any, *, key: str, format_func: Any = str, **_: Any) -> Any:
        self.shown += [label, *map(format_func, options)]
        return self.session.get(key)

    @contextmanager
    def container(self, **_: Any) -> Iterator["_Page"]:
        yield self
