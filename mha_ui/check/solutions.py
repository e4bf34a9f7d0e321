"""A class's solutions: a table with a row for each file, where it first goes wrong and why, and the common causes.

The files are not stored. One is opened on the page only when its row is pressed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from html import escape
from typing import Final

import streamlit as st

from mha_core.check.check import Verdict, check
from mha_core.check.table import Solution, as_csv, count_headings, counts, headings, solution
from mha_core.errors import N_, MhaError
from mha_core.example.files import MAX_BYTES, parse
from mha_ui import state
from mha_ui.component import component, send_value
from mha_ui.download import downloader
from mha_ui.panel import panel
from mha_ui.upload import uploader

_FILES: Final = "check.files"
MOST_FILES: Final = 300


def solutions_button(work: state.Work) -> None:
    """The button that opens the table of a class."""
    if st.button(work.words(N_("Class results")), key="check.class"):
        st.dialog(work.words(N_("Class results")), width="large")(panel)(
            "check.class", _solutions, back=False
        )


def _solutions(work: state.Work) -> None:
    words, language = work.words, work.language
    st.caption(
        words(
            N_(
                "Open the files that your students filled in and saved on this page. They are "
                "checked here and not stored."
            )
        )
    )
    uploads = uploader(
        work, words(N_("Open *.mha.json files")), key=_FILES, most=MAX_BYTES // 1_000_000, many=True
    )
    if not uploads:
        return
    if len(uploads) > MOST_FILES:
        st.warning(words(N_("Only the first {most} files are shown.")).format(most=MOST_FILES))
    files = uploads[:MOST_FILES]
    rows = [solution(file.name, _checked(file.getvalue()), language) for file in files]
    causes = counts(rows)
    if causes:
        st.html(_table(count_headings(language), [(cause, str(times)) for cause, times in causes]))
    chosen = _rows(work, rows)
    downloader(
        words(N_("Table as CSV")),
        as_csv(rows, language).encode("utf-8-sig"),  # a spreadsheet knows the encoding by its mark
        "attention-solutions.csv",
        key="check.csv",
    )
    if chosen is not None:
        state.change(state.open_file, files[chosen].getvalue())
        st.rerun()


def _rows(work: state.Work, rows: list[Solution]) -> int | None:
    """Show a row for each solution; returns which one has been pressed, if any."""
    mount = component("check", "check", "solutions.js", css="solutions.css")
    pressed = mount(key="check.rows", data=solutions_payload(work, rows), on_open_change=send_value).open
    return pressed if isinstance(pressed, int) and 0 <= pressed < len(rows) else None


def solutions_payload(work: state.Work, rows: list[Solution]) -> Mapping[str, object]:
    """The table of a class, as its component is sent it."""
    words = {name: work.words(text) for name, text in _WORDS.items()}
    return {"words": words, "columns": headings(work.language), "rows": [_cells(row) for row in rows]}


_WORDS: Final = {
    "solutions": N_("Class results"),
    "open": N_("Open {file} on this page"),
}


@lru_cache(maxsize=2 * MOST_FILES)
def _checked(content: bytes) -> Verdict | MhaError:
    """The verdict on a file, which is not checked again while its table is shown."""
    try:
        return check(parse(content))
    except MhaError as error:
        return error


def _cells(row: Solution) -> tuple[str | int | None, ...]:
    return row.file, row.outcome, *(row.counts or (None,) * 3), row.first, "\n".join(row.causes)


def _table(columns: list[str], rows: list[tuple[str, ...]]) -> str:
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in columns)
    body = "".join(f"<tr>{_row(row)}</tr>" for row in rows)
    table = f'<table class="mha-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return f'<div class="mha-scroller" role="group" tabindex="0">{table}</div>'


def _row(row: tuple[str, ...]) -> str:
    return "".join(f'<td dir="auto">{escape(text)}</td>' for text in row)
