"""The panel of Plotly pictures: only those that are open are drawn."""

from __future__ import annotations

from typing import Final

import streamlit as st

from mha_core.errors import N_
from mha_ui import state
from mha_ui.plot import Follows, plot
from mha_view.figures import FIGURES, Figure
from mha_view.palette import Theme

_OPEN: Final = "pictures.open"
_QUERY: Final = "pictures.query"
_FORMAT: Final = "pictures.format"
_SENT: Final = "pictures.sent"
_FIRST: Final = ["weights"]
_BY_QUERY: Final = {"bars", "outputs"}
"""The pictures that show one chosen query."""


def pictures(work: state.Work) -> None:
    """Draw the chosen pictures of the current example."""
    names = [name for name, picture in FIGURES.items() if picture.available(work.trace)]
    with st.container(key="pictures"):
        with st.container(horizontal=True, vertical_alignment="center"):
            opened = _choice(work, names)
            query = _query(work) if _BY_QUERY & set(opened) else work.looking.query
            image = _image_format(work) if opened else "png"
        look = theme()
        sent = state.of_session(_SENT, dict[str, object])
        for name in opened:
            picture = FIGURES[name]
            figure = picture.build(work.trace, theme=look, words=work.words, query=query)
            size = figure.payload["layout"]["height"], figure.min_width
            is_seen = name not in work.browser.unseen or sent.get(name) != size
            sent[name] = size
            follows = Follows(name, look, query, work.history.revision, picture.is_live)
            draw(name, figure, image, follows, is_seen=is_seen)


def theme() -> Theme:
    """The reader's theme, for a figure."""
    return "dark" if st.context.theme.type == "dark" else "light"


def _choice(work: state.Work, names: list[str]) -> list[str]:
    words = work.words
    chosen = state.widget_value(_OPEN)
    state.set_widget(_OPEN, [name for name in (_FIRST if chosen is None else chosen) if name in names])
    return st.pills(
        words(N_("Pictures")),
        names,
        selection_mode="multi",
        format_func=lambda name: words(FIGURES[name].title),
        key=_OPEN,
        label_visibility="collapsed",
    )


def _query(work: state.Work) -> int:
    tokens = work.example.tokens
    state.set_widget(_QUERY, work.looking.query)
    chosen: int = st.selectbox(
        work.words(N_("Query")),
        range(len(tokens)),
        format_func=lambda index: f"{index + 1}  {tokens[index]}",
        key=_QUERY,
        on_change=_query_chosen,
        label_visibility="collapsed",
        width=160,
    )
    state.change(state.choose_query, chosen)
    return chosen


def _query_chosen() -> None:
    state.change(state.choose_query, state.widget_value(_QUERY))


def _image_format(work: state.Work) -> str:
    """The format of the picture that the camera in each figure's corner downloads."""
    return st.selectbox(
        work.words(N_("Download as")),
        ("png", "svg"),
        format_func=lambda image: f"⤓ {image.upper()}",
        key=_FORMAT,
        label_visibility="collapsed",
        width=100,
    )


def draw(
    name: str, figure: Figure, image: str = "png", follows: Follows | None = None, *, is_seen: bool = True
) -> None:
    """Draw one figure; ``name`` is the key of its place on the page."""
    with st.container(key=f"picture-{name}"):
        plot(figure, key=f"pictures.{name}", image=image, follows=follows, is_seen=is_seen)
