"""What the live parts of lessons have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Concatenate, ParamSpec

import streamlit as st

from mha_core import Trace, built_in, library, trace
from mha_core.errors import N_
from mha_core.example.model import text_in
from mha_ui import shell, state
from mha_ui.notes import status_line

P = ParamSpec("P")


def open_on_bench(work: state.Work, name: str) -> None:
    """A button that opens a built-in example on the bench; undo there brings back the previous one."""
    of_language = f"{name}-{work.language}"
    opened = of_language if of_language in library() else name
    title = text_in(library()[opened].title, work.language)
    label = work.words(N_("Open in Explore: {title}")).format(title=title)
    if st.button(label, key=f"lessons.open.{name}"):
        explore(state.open_built_in, opened)


def explore(
    open_it: Callable[Concatenate[state.Work, P], state.Work], *args: P.args, **named: P.kwargs
) -> None:
    """Open something in Explore, from where a link leads back to this lesson."""
    state.change(open_it, *args, **named)
    work = state.change(state.leave_lesson)
    st.switch_page(shell.BENCH, query_params=state.address(work))


def shown(work: state.Work, topic: str, example: str, shows: Callable[[Trace], bool]) -> Trace:
    """The trace that the lesson's picture shows: of the current example, where the lesson's point can be seen on it.

    Otherwise of ``example``, the lesson's built-in example, unless the reader chooses the current one.
    """
    if shows(work.trace):
        return work.trace
    words, title = work.words, text_in(library()[example].title, work.language)
    names = {"own": title, "current": words(N_("The current example"))}
    chosen = st.segmented_control(
        words(N_("The picture shows")),
        tuple(names),
        default="own",
        format_func=names.__getitem__,
        key=f"lessons.shown.{topic}",
    )
    if chosen == "current":
        return work.trace
    sentence = words(N_("The current example does not show this well, so the picture shows “{title}”."))
    status_line(sentence.format(title=title))
    return trace(built_in(example), work.backend)


def heading(text: str) -> None:
    """The heading of one part of a lesson."""
    st.html(f"<h3>{escape(text)}</h3>")


def table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], caption: str, chosen: int | None = None
) -> None:
    """A small table: the first cell of each row is its heading; all texts are plain. ``chosen``: a row to mark."""
    top = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    body = "".join(
        f'<tr{" class=chosen" if index == chosen else ""}><th scope="row" dir="auto">{escape(first)}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        + "</tr>"
        for index, (first, *cells) in enumerate(rows)
    )
    st.html(
        f'<div class="mha-table" role="region" tabindex="0" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )
