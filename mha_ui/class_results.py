"""A class's results: files that were handed in, a table with a row for each, and that table as CSV. Nothing is stored.

``page`` begins the keys of what a page draws with these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import streamlit as st

from mha_core.errors import N_
from mha_ui import state
from mha_ui.component import component, send_value
from mha_ui.download import downloader
from mha_ui.panel import panel
from mha_ui.upload import uploader

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

MOST_FILES: Final = 300
RESULTS: Final = N_("Class results")


def class_button(work: state.Work, page: str, draw: Callable[[state.Work], None]) -> None:
    """The button that opens the table of a class, which ``draw`` shows."""
    if st.button(work.words(RESULTS), key=f"{page}.class"):
        st.dialog(work.words(RESULTS), width="large")(panel)(f"{page}.class", draw, back=False)


def handed_in(work: state.Work, page: str, about: str, label: str, *, most: int) -> list[UploadedFile]:
    """The files of a class, each of at most ``most`` MB."""
    st.caption(about)
    uploads = uploader(work, label, key=f"{page}.files", most=most, many=True)
    if len(uploads) > MOST_FILES:
        st.warning(work.words(N_("Only the first {most} files are shown.")).format(most=MOST_FILES))
    return uploads[:MOST_FILES]


def table(page: str, data: Mapping[str, object]) -> int | None:
    """Show ``payload``; returns which row has been pressed, if any."""
    mount = component("check", "check", "solutions.js", css="solutions.css")
    pressed = mount(key=f"{page}.rows", data=data, on_open_change=send_value).open
    rows = data["rows"]
    return (
        pressed if isinstance(pressed, int) and isinstance(rows, list) and 0 <= pressed < len(rows) else None
    )


def payload(
    work: state.Work, columns: Sequence[str], rows: Sequence[Sequence[str | float | None]], opens: str = ""
) -> Mapping[str, object]:
    """A table as its component is sent it: each row begins with its file. ``opens``: what pressing a row does."""
    words = {"solutions": work.words(RESULTS), "open": work.words(opens) if opens else ""}
    return {"words": words, "columns": list(columns), "rows": [list(row) for row in rows]}


def csv_button(work: state.Work, page: str, text: str, file: str) -> None:
    """The button that downloads the table as CSV."""
    content = text.encode("utf-8-sig")  # a spreadsheet knows the encoding by its mark
    downloader(work.words(N_("Table as CSV")), content, file, key=f"{page}.csv")
