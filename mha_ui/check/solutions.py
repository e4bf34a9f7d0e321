"""A class's solutions: a table with a row for each file, where it first goes wrong and why, and the common causes.

A file is opened on the page only when its row is pressed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from html import escape

import streamlit as st

from mha_core.check.check import check
from mha_core.check.outcome import Verdict
from mha_core.check.table import Solution, as_csv, count_headings, counts, headings, solution
from mha_core.errors import N_, MhaError
from mha_core.example.files import MAX_BYTES, parse
from mha_ui import class_results, state


def solutions_button(work: state.Work) -> None:
    """The button that opens the table of a class."""
    class_results.class_button(work, "check", _solutions)


def _solutions(work: state.Work) -> None:
    words, language = work.words, work.language
    about = N_(
        "Open the files that your students filled in and saved on this page. They are "
        "checked here and not stored."
    )
    files = class_results.handed_in(
        work, "check", words(about), words(N_("Open *.mha.json files")), most=MAX_BYTES // 1_000_000
    )
    if not files:
        return
    rows = [solution(file.name, _checked(file.getvalue()), language) for file in files]
    causes = counts(rows)
    if causes:
        st.html(_table(count_headings(language), [(cause, str(times)) for cause, times in causes]))
    chosen = class_results.table("check", solutions_payload(work, rows))
    class_results.csv_button(work, "check", as_csv(rows, language), "attention-solutions.csv")
    if chosen is not None:
        state.change(state.open_file, files[chosen].getvalue())
        st.rerun()


def solutions_payload(work: state.Work, rows: list[Solution]) -> Mapping[str, object]:
    """The table of a class, as its component is sent it."""
    opens = N_("Open {file} on this page")
    return class_results.payload(work, headings(work.language), [_cells(row) for row in rows], opens)


@lru_cache(maxsize=2 * class_results.MOST_FILES)
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
