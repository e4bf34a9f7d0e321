"""A figure on a page: Plotly draws it in the browser, into an element that stays when the figure changes.

Plotly's script is the one in its Python package, served by ``mha_api.assets``; a page fetches it once a figure of its
comes near the view.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any, Final, NamedTuple

import streamlit as st

from mha_ui.component import component
from mha_view.figures import Figure
from mha_view.palette import Theme

_VERSION: Final = version("plotly")


class Follows(NamedTuple):
    """Which of the bench's pictures a figure is: ``name`` as in ``FIGURES``; ``revision`` of the example it is of.

    ``is_live``: the live channel draws it while numbers are dragged.
    """

    name: str
    theme: Theme
    query: int
    revision: int
    is_live: bool


def plot(figure: Figure, *, key: str, image: str = "png", follows: Follows | None = None) -> None:
    """Mount a figure, with its words for who cannot see it.

    ``image``: the format of the picture that the camera in its corner downloads.
    """
    camera = {"format": image, "filename": figure.name, "scale": 2}
    data = {
        "drawn": figure.drawn,
        "min_width": figure.min_width,
        "config": {
            "displaylogo": False,
            "displayModeBar": "hover",
            "modeBarButtons": [["toImage"]],
            "toImageButtonOptions": camera,
        },
        "version": _VERSION,
        "follows": follows and follows._asdict(),
    }
    _component()(key=key, data=data, on_dark_change=_noted)


def _noted() -> None:
    """The page runs again, in the colours that the system has now."""


@st.cache_resource(show_spinner=False)
def _component() -> Any:
    """Streamlit's mounting command; the page's own stylesheet reaches into the figure, and so do Plotly's rules."""
    return component("plot", "kit", "plot.js", isolate_styles=False)
