"""What a figure consists of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias, TypedDict

Payload: TypeAlias = dict[str, object]
"""Plotly's JSON, or a part of it, as plain data."""


class Drawn(TypedDict):
    """A picture as it is sent to the browser: what Plotly draws, and its texts.

    ``figure``: None where the picture is out of view and the browser has one of the same size.
    """

    figure: Annotated[Payload, "PlotFigure"] | None
    title: str
    alt: str


@dataclass(frozen=True, slots=True)
class Figure:  # type: ignore[explicit-any]  # __init__ takes the payload
    """One picture of a trace.

    ``payload``: ``{"data": […], "layout": {…}}`` for Plotly. ``title``: one line. ``alt``: what the picture shows,
    with its numbers, for screen readers. Both are plain text that contains tokens: show them as text. ``name``: the
    file name of a download, without its extension. ``min_width``: pixels below which numbers and labels no longer fit;
    a narrower page should scroll the figure sideways.
    """

    payload: dict[str, Any]  # type: ignore[explicit-any]  # Plotly's JSON is open, and tests read it at any depth
    title: str
    alt: str
    name: str
    min_width: int

    @property
    def drawn(self) -> Drawn:
        """The picture for the browser, the same for the page and the live channel."""
        return {"figure": self.payload, "title": self.title, "alt": self.alt}
