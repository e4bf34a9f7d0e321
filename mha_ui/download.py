"""A button that gives a file to keep, without running the page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import Any, Final

import streamlit as st

_TYPES: Final = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}


def downloader(label: str, data: bytes | Callable[[], bytes], file: str, *, key: str, **options: Any) -> None:
    """Streamlit's button for the file of this name, of the type that its suffix says; what none is known for is plain
    text. ``data`` may be a function, which is called at the click, outside any session's context.
    """
    mime = _TYPES.get(PurePath(file).suffix, "text/plain")
    st.download_button(label, data, file, mime, key, on_click="ignore", **options)
