"""What a figure is, and the words that it is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias, TypedDict

Payload: TypeAlias = dict[str, Any]
"""Plotly's JSON, or a part of it, as plain data."""


class Drawn(TypedDict):
    """A picture as the browser is sent it: what Plotly draws, and the words to it."""

    figure: Annotated[Payload, "PlotFigure"]
    title: str
    alt: str


@dataclass(frozen=True, slots=True)
class Figure:
    """One picture of a trace.

    ``payload``: ``{"data": […], "layout": {…}}`` for Plotly. ``title``: one line. ``alt``: what the picture shows,
    with its numbers, for who cannot see it. Both are plain text with token text in it: show them as text.
    ``name``: the file name of a download, without its ending. ``min_width``: pixels below which numbers and labels
    no longer fit; a narrower page had better scroll the figure sideways than squeeze it.
    """

    payload: Payload
    title: str
    alt: str
    name: str
    min_width: int

    @property
    def drawn(self) -> Drawn:
        """What the browser draws and tells, for the page and the live channel alike."""
        return {"figure": self.payload, "title": self.title, "alt": self.alt}
