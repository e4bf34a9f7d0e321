"""A figure on a page: Plotly draws it in the browser, into an element that stays when the figure changes.

Plotly's script comes from its Python package and is served by ``mha_api.assets``. A page fetches it once one of its
figures comes near the view.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Final, NamedTuple

from mha_ui.component import component, send_value
from mha_view.figures import Figure
from mha_view.figures.figure import Drawn
from mha_view.palette import Theme

_VERSION: Final = version("plotly")


class Follows(NamedTuple):
    """Which of the bench's pictures a figure is: ``name`` as in ``FIGURES``, ``revision`` of its example.

    ``is_live``: the live channel draws it while numbers are dragged.
    """

    name: str
    theme: Theme
    query: int
    revision: int
    is_live: bool


def plot(
    figure: Figure, *, key: str, image: str = "png", follows: Follows | None = None, is_seen: bool = True
) -> None:
    """Mount a figure, with its description for screen readers.

    ``image``: the format of the picture that the camera in its corner downloads. Where it is not seen, only its texts
    are sent; the browser asks for the rest when it comes into view.
    """
    camera = {"format": image, "filename": figure.name, "scale": 2}
    data = {
        "drawn": figure.drawn if is_seen else Drawn(figure=None, title=figure.title, alt=figure.alt),
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
    mount = component("plot", "kit", "plot.js", isolate_styles=False)
    # When the system's colours change, the page runs again and draws in the new ones.
    mount(key=key, data=data, on_dark_change=send_value)
