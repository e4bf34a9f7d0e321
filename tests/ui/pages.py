"""A page as Streamlit runs it, without a browser: opened at a query in a fresh session, and read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.testing.v1 import AppTest

from mha_ui.exchange import MENU
from mha_ui.state.session import KEY

APP = Path(__file__).resolve().parents[2] / "pages" / "navigation.py"


def opened(page: str, query: dict[str, str], *, locale: str | None = None, theme: str = "light") -> AppTest:
    """The page after its first run."""
    st.cache_resource.clear()
    app = AppTest.from_file(APP, default_timeout=60).switch_page(page)
    app.query_params.update(query)
    app.context.update(locale=locale, theme=theme)
    return sound(app.run())


def sound(app: AppTest) -> AppTest:
    """The same page, which has raised no exception."""
    assert not app.exception
    return app


def menu_opened(app: AppTest) -> AppTest:
    """The same page with its menu open."""
    app.session_state[MENU] = True
    return sound(app.run())


def work(app: AppTest) -> Any:
    """The session's work."""
    return app.session_state[KEY].work


def change(app: AppTest, function: Any, *args: Any) -> None:
    """Replace the session's work by ``function`` of it."""
    app.session_state[KEY].change(function, *args)


def html(app: AppTest) -> str:
    """All HTML of the page."""
    return "".join(element.proto.body for element in app.html)


def pictures(app: AppTest) -> list[str]:
    """The names of the figures on the page, in order."""
    keys = [element.key or "" for element in app.get("bidi_component")]
    return [key.removeprefix("pictures.") for key in keys if key.startswith("pictures.")]


def drawn(app: AppTest, name: str) -> dict[str, Any]:
    """A figure's data as the browser gets it."""
    data: dict[str, Any] = json.loads(app.get_by_key(f"pictures.{name}").proto.json)[0]["drawn"]
    return data
