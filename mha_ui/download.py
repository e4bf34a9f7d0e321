"""A button that downloads a file, without running the page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

import streamlit as st

if TYPE_CHECKING:
    from streamlit.elements.lib.layout_utils import Width

_TYPES: Final = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}


def downloader(
    label: str,
    data: bytes | Callable[[], bytes],
    file: str,
    *,
    key: str,
    width: Width = "content",
    disabled: bool = False,
    help: str | None = None,  # noqa: A002  # as Streamlit calls it
) -> None:
    """Streamlit's button for the file of this name, of the type that its suffix says, plain text where that is unknown.

    ``data`` may be a function, which is called at the click, outside any session's context.
    """
    mime = _TYPES.get(PurePath(file).suffix, "text/plain")
    st.download_button(
        label, data, file, mime, key, help=help, on_click="ignore", disabled=disabled, width=width
    )
