"""Pictures of a trace: a ``Trace`` in, plain Plotly JSON out. Nothing here knows Streamlit.

Read in this order: ``figure`` (what comes out), ``labels`` and ``geometry`` (tokens, numbers, ranges), ``layout``
and ``pairs`` (the parts), then the pictures: ``weights``, ``scores``, ``outputs``, ``hulls``, ``saturation``.

The lessons have their own pictures: ``library``, ``scaling``, ``agreement``, ``ranges``.

``FIGURES`` has all pictures of a trace on the Explore page, in order; all are built in the same way:

    for name, picture in FIGURES.items():
        if picture.available(trace):
            figure = picture.build(trace, theme="light", words=gettext, query=0)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from mha_core.compute import gradients
from mha_core.compute.trace import Trace
from mha_core.errors import N_
from mha_core.example.model import has_values
from mha_view.figures.figure import Figure
from mha_view.figures.hulls import hulls_figure
from mha_view.figures.outputs import outputs_figure
from mha_view.figures.saturation import can_saturate, saturation_figure
from mha_view.figures.scores import heads_with_scores, scores_heatmaps
from mha_view.figures.weights import weights_bars, weights_heatmaps
from mha_view.language import Words
from mha_view.palette import Theme

__all__ = [
    "FIGURES",
    "Figure",
    "Picture",
    "Words",
    "hulls_figure",
    "outputs_figure",
    "saturation_figure",
    "scores_heatmaps",
    "weights_bars",
    "weights_heatmaps",
]


class Build(Protocol):
    """Draws a trace; ``query`` is the index of the selected query, which not every picture uses."""

    def __call__(self, trace: Trace, *, theme: Theme, words: Words, query: int) -> Figure:
        """The picture of this trace."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A kind of picture: its title in the menu, how it is built, and whether it is available for a trace.

    ``is_live``: it is quick to build, and redrawn while a number is dragged.
    """

    title: str
    build: Build
    available: Callable[[Trace], bool] = lambda trace: True
    is_live: bool = True


FIGURES: dict[str, Picture] = {
    "weights": Picture(
        N_("Attention weights"),
        lambda trace, *, theme, words, query: weights_heatmaps(trace, theme=theme, words=words),
    ),
    "bars": Picture(N_("One query, head by head"), weights_bars),
    "scores": Picture(
        N_("Scores"),
        lambda trace, *, theme, words, query: scores_heatmaps(trace, theme=theme, words=words),
        lambda trace: bool(heads_with_scores(trace)),
    ),
    "outputs": Picture(
        N_("Head outputs and Concat"), outputs_figure, lambda trace: has_values(trace.example)
    ),
    "hulls": Picture(
        N_("Outputs among V's rows"),
        lambda trace, *, theme, words, query: hulls_figure(trace, theme=theme, words=words),
        lambda trace: trace.example.dims.d_v == 2,
    ),
    "saturation": Picture(
        N_("Saturation"),
        lambda trace, *, theme, words, query: saturation_figure(
            trace, gradients.saturation(trace), theme=theme, words=words
        ),
        can_saturate,
        is_live=False,  # a gradient for each of many temperatures
    ),
}
"""Name → picture, in the order of the page."""
