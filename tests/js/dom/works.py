"""States of the work, as a visitor has them: with a built-in example, at an address, and after edits."""

from collections.abc import Mapping
from typing import Any

from mha_core import built_in
from mha_ui import state
from mha_ui.state.url import work_at


def work(name: str, language: str = "en") -> state.Work:
    return state.Work(state.begun(built_in(name), name), language)


def opened(language: str = "en", **query: str) -> state.Work:
    """The work of a visitor who opens a link."""
    return work_at(query, language)


def after(work: state.Work, *edits: Mapping[str, Any]) -> state.Work:
    """The work once the server has received these edits from the page."""
    first = work.browser.applied + 1
    numbered = [{**edit, "seq": first + index} for index, edit in enumerate(edits)]
    return state.receive(work, {"session": work.browser.session, "edits": numbered})


def claim(matrix: str, head: int | None, rows: list[list[str]], row: int = 0, col: int = 0) -> dict[str, Any]:
    """The edit that fills numbers of somebody's own into a table, from a cell on."""
    return {"op": "claim", "matrix": matrix, "head": head, "row": row, "col": col, "values": rows}


def written(work: state.Work, matrix: str, head: int | None, decimals: int = 2) -> list[list[str]]:
    """The right numbers of a table, as somebody writes them down."""
    return [[f"{number:.{decimals}f}" for number in row] for row in work.trace.matrix(matrix, head)]
