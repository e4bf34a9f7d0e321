"""Panels of query–key pairs, which the pictures of weights and of scores share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from mha_core.compute.trace import Trace
from mha_core.example.model import key_tokens
from mha_view.figures.figure import Payload
from mha_view.figures.geometry import Range
from mha_view.figures.labels import Labels, labels
from mha_view.figures.layout import (
    Panel,
    Part,
    balanced,
    base,
    below_for,
    cells_width,
    grid,
    hatched,
    heading,
    heatmap,
    index_axis,
    left_for,
    matrix_height,
    numbers_fit,
    query_ticks,
)
from mha_view.language import Words
from mha_view.palette import Palette

HEADING_WIDTH = 60
"""Pixels of ``Head 12``…"""
STAGE_HEADING_WIDTH = 112
"""…and of ``Head 12 · S/√d_k``."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """A grid of panels, n_q × n_k cells each: queries down, keys across.

    ``across`` panels make a row; each is at least ``narrowest`` pixels wide. ``numbered``: cells show their numbers.
    """

    colours: Palette
    words: Words
    queries: Labels
    keys: Labels
    ticks: Sequence[str]
    panels: Sequence[Panel]
    area: int
    across: int
    narrowest: int
    numbered: bool

    @property
    def left(self) -> int:
        """Pixels left of the panels."""
        return left_for(self.ticks)

    @property
    def min_width(self) -> int:
        """Pixels that the figure needs."""
        cells = cells_width(len(self.keys.ticks) * self.across, numbers=self.numbered)
        return self.left + 24 + max(cells, self.narrowest * self.across)

    def layout(self, title: str) -> Payload:
        """The figure's layout; its background has the colour of the lines between cells."""
        layout = base(self.colours, title, area=self.area, left=self.left)
        return layout | {"plot_bgcolor": self.colours.line}

    def part(
        self,
        place: int,
        name: str,
        source: Payload,
        accent: str,
        z: Sequence[Sequence[float | None]],
        hover: Sequence[Sequence[str]],
        cells: Sequence[Sequence[str]] | None,
    ) -> Part:
        """The panel at ``place``: values, their ``source`` (``points_of``), and the texts on hover and in the cells."""
        panel, is_leftmost = self.panels[place], place % self.across == 0
        is_lowest = place + self.across >= len(self.panels)
        return Part(
            [heatmap(panel, z, self._hover(hover), cells, self.colours, source)],
            panel.layout(
                index_axis(self.keys.ticks, self.words("key") if is_lowest else ""),
                index_axis(
                    self.ticks, self.words("query") if is_leftmost else "", downwards=True, shown=is_leftmost
                ),
            ),
            [heading(name, panel, accent)],
            hatches=[*hatched(panel, _gaps(z), self.colours), *self._signs(panel, z, cells)],
        )

    def _signs(
        self, panel: Panel, z: Sequence[Sequence[float | None]], cells: Sequence[Sequence[str]] | None
    ) -> list[Payload]:
        """The texts of the hatched cells, which would cover those of the heatmap."""
        signs = [
            (key, query, text)
            for query, (row, texts) in enumerate(zip(z, cells or [], strict=False))
            for key, (number, text) in enumerate(zip(row, texts, strict=True))
            if number is None
        ]
        if not signs:
            return []
        across, down, texts = map(list, zip(*signs, strict=True))
        sign = {"type": "scatter", "mode": "text", "x": across, "y": down, "text": texts, **panel.axes}
        return [sign | {"textfont": {"color": self.colours.text}, "hoverinfo": "skip", "showlegend": False}]

    def _hover(self, texts: Sequence[Sequence[str]]) -> list[list[str]]:
        return [
            [f"{query} → {key}<br>{text}" for key, text in zip(self.keys.full, row, strict=True)]
            for query, row in zip(self.queries.full, texts, strict=True)
        ]


def _gaps(z: Sequence[Sequence[float | None]]) -> list[tuple[Range, Range]]:
    """Where a matrix has no number: a box for each run of such cells in a row."""
    boxes = []
    for row, numbers in enumerate(z):
        at = 0
        for is_gap, run in groupby(number is None for number in numbers):
            end = at + len(list(run))
            if is_gap:
                boxes.append(((at - 0.5, end - 0.5), (row - 0.5, row + 0.5)))
            at = end
    return boxes


def pairs(trace: Trace, colours: Palette, words: Words, heads: int, stages: int = 1) -> Pairs:
    """Panels for this many heads, each with this many stages side by side."""
    dims = trace.example.dims
    queries, keys = labels(trace.example.tokens), labels(key_tokens(trace.example))
    most = 4 if dims.n_k <= 4 else 3 if dims.n_k == 5 else 2  # so that a key keeps a legible width
    across = balanced(heads, max(1, most // stages)) * stages
    panels, area = grid(
        heads * stages, across, matrix_height(dims.n_q), below_for(keys.ticks, dims.n_k * across)
    )
    return Pairs(
        colours=colours,
        words=words,
        queries=queries,
        keys=keys,
        ticks=query_ticks(queries, trace),
        panels=panels,
        area=area,
        across=across,
        narrowest=HEADING_WIDTH if stages == 1 else STAGE_HEADING_WIDTH,
        numbered=numbers_fit(dims.n_q, dims.n_k, dims.n_k * across),
    )
