"""What all figures share: theme, panels, axes, heatmaps and their colour bar, as plain dictionaries.

Vertical sizes are pixels, since a figure knows its height; horizontal sizes are shares of the width, which the page
decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from mha_core.compute.trace import Trace
from mha_view.figures.figure import Payload
from mha_view.figures.geometry import Range
from mha_view.figures.labels import Labels, escape, width
from mha_view.language import Words
from mha_view.palette import ColourScale, Palette

FONT = (
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', "
    "'Noto Sans SC', sans-serif"
)
CLEAR = "rgba(0,0,0,0)"

TOP = 34
"""Pixels for the figure's title."""
HEADING = 26
"""Pixels for the heading above a panel."""
AXIS = 46
"""Pixels below a panel for horizontal labels and the axis's title."""
FOOT = 40
"""Pixels for a colour bar or a row of names below the last panel."""
GAP = 0.035
"""Share of the width between panels."""
MOST_TICKS = 32
"""Labels along an axis…"""
MOST_SLANTED = 16
"""…and how many of them are slanted, if they are too long for horizontal ones; more are vertical."""
MOST_GAPS = 32
"""Rows or columns of a matrix that are still separated by lines."""
MOST_NUMBERS = 144
"""Cells of a matrix that still has its numbers written into them…"""
MOST_ACROSS = 24
"""…and how many of them may be side by side in all panels of a row."""
DEAD = "∅"
"""Marks a query that may attend to nothing."""
PATTERNS = ("", "/", "x", ".", "\\", "+", "-", "|")
"""Fill patterns, which tell the heads' bars apart without colour."""


class Panel(NamedTuple):
    """One set of axes: its ``number`` from 1, and its ranges of the figure's width and height, from bottom left."""

    number: int
    x: Range
    y: Range

    @property
    def axes(self) -> Payload:
        """A trace's references to this panel's axes."""
        return {"xaxis": self.id("x"), "yaxis": self.id("y")}

    def id(self, letter: str) -> str:
        """Plotly's name of an axis: ``x``, ``x2``, ``x3`` …"""
        return letter if self.number == 1 else f"{letter}{self.number}"

    def layout(self, x: Payload, y: Payload) -> Payload:
        """The panel's two axes, as a part of the layout."""
        return {
            self.id("x").replace("x", "xaxis"): {"domain": self.x, "anchor": self.id("y"), **x},
            self.id("y").replace("y", "yaxis"): {"domain": self.y, "anchor": self.id("x"), **y},
        }


class Part(NamedTuple):
    """What one panel adds to a figure. ``hatches``: what is hatched in it."""

    data: Sequence[Payload]
    axes: Payload
    annotations: Sequence[Payload] = ()
    shapes: Sequence[Payload] = ()
    hatches: Sequence[Payload] = ()


def compose(layout: Payload, parts: Sequence[Part]) -> Payload:
    """Plotly's JSON from the figure's own layout and its panels."""
    for part in parts:
        layout = layout | part.axes
    layout["annotations"] = [annotation for part in parts for annotation in part.annotations]
    layout["shapes"] = [shape for part in parts for shape in part.shapes]
    traces = [trace for part in parts for trace in part.data]
    return {"data": traces + [hatch for part in parts for hatch in part.hatches], "layout": layout}


def base(colours: Palette, title: str, *, area: int, left: int, foot: int = FOOT) -> Payload:
    """The layout of every figure: theme, title, margins and height; ``area`` is the plotting area's pixels."""
    return {
        "title": {
            "text": escape(title),
            "font": {"size": 14, "weight": 600, "color": colours.text},
            "x": 0,
            "xanchor": "left",
            "xref": "container",
            "y": 1,
            "yanchor": "top",
            "yref": "container",
            "pad": {"l": 4, "t": 8},
        },
        "height": TOP + area + foot,
        "margin": {"l": left, "r": 12, "t": TOP, "b": foot, "pad": 0},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "font": {"family": FONT, "size": 12, "color": colours.muted},
        "hoverlabel": {
            "bgcolor": colours.surface,
            "bordercolor": colours.line,
            "font": {"family": FONT, "size": 12, "color": colours.text},
            "align": "left",
        },
        "dragmode": False,
        "hovermode": "closest",
    }


def spread(widths: Sequence[float], gap: float = GAP) -> list[Range]:
    """Shares of the width for panels side by side, in proportion to ``widths``, with gaps between."""
    room = 1 - gap * (len(widths) - 1)
    ends = [room * end / sum(widths) for end in accumulate(widths)]
    starts = [0.0, *ends[:-1]]
    return [(start + gap * i, end + gap * i) for i, (start, end) in enumerate(zip(starts, ends, strict=True))]


def stack(heights: Sequence[int], below: int) -> tuple[list[Range], int]:
    """Rows of panels from top to bottom, each with a heading above and ``below`` pixels for labels.

    Returns the range of the plotting area that each covers, and the area's pixels.
    """
    bottoms = list(accumulate(HEADING + height + below for height in heights))
    total = bottoms[-1]
    return [
        (1 - (bottom - below) / total, 1 - (bottom - below - height) / total)
        for bottom, height in zip(bottoms, heights, strict=True)
    ], total


def grid(count: int, columns: int, height: int, below: int, gap: float = GAP) -> tuple[list[Panel], int]:
    """``count`` equal panels in rows of ``columns``, and the plotting area's pixels."""
    across = spread([1] * columns, gap)
    down, total = stack([height] * -(-count // columns), below)
    return [Panel(i + 1, across[i % columns], down[i // columns]) for i in range(count)], total


def balanced(count: int, most: int) -> int:
    """Panels in a row, at most ``most``, so that the last row is as full as possible: 4 in rows of 3 become 2 and 2."""
    return -(-count // -(-count // most))


def matrix_height(rows: int) -> int:
    """Pixels of a matrix; rows are lower where there are many."""
    return rows * max(6, min(36, 400 // rows))


def numbers_fit(rows: int, columns: int, across: int) -> bool:
    """Whether a matrix's numbers fit into its cells, with ``across`` cells side by side in all panels."""
    return rows * columns <= MOST_NUMBERS and across <= MOST_ACROSS


def cells_width(across: int, *, numbers: bool) -> int:
    """Pixels that this many cells side by side need to be legible."""
    return across * (32 if numbers else 12 if across <= 64 else 5)


def left_for(ticks: Sequence[str]) -> int:
    """Pixels left of the panels for the labels of their rows and the axis's title."""
    return 34 + max(map(width, ticks))


def below_for(ticks: Sequence[str], across: int) -> int:
    """Pixels below a panel for its labels and its axis's title; ``across`` labels must fit a phone's width."""
    longest = max(map(width, ticks))
    if longest <= max(36 if len(ticks) <= MOST_SLANTED else 0, 320 // across):
        return AXIS
    return AXIS + int(longest * (0.7 if len(ticks) <= MOST_SLANTED else 0.9))


def index_axis(
    ticks: Sequence[str], title: str = "", *, downwards: bool = False, shown: bool = True
) -> Payload:
    """An axis of tokens or dimensions at 0, 1, 2 …, so that equal labels stay separate; of many only some are shown."""
    end = len(ticks) - 0.5
    positions = range(0, len(ticks), -(-len(ticks) // MOST_TICKS))
    return {
        "range": [end, -0.5] if downwards else [-0.5, end],
        "tickmode": "array",
        "tickvals": list(positions),
        "ticktext": [ticks[i] for i in positions],
        "autotickangles": [0, -45] if len(ticks) <= MOST_SLANTED else [0, -90],
        "ticklabeloverflow": "allow",
        "showticklabels": shown,
        "ticks": "",
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "title": {"text": title, "standoff": 6, "font": {"size": 12}},
    }


def number_axis(span: Range, colours: Palette, title: str = "") -> Payload:
    """An axis of numbers over a fixed range."""
    return {
        "range": list(span),
        "ticks": "",
        "gridcolor": colours.line,
        "zerolinecolor": colours.muted,
        "zerolinewidth": 1,
        "fixedrange": True,
        "nticks": 6,
        "title": {"text": title, "standoff": 6, "font": {"size": 12}},
    }


def query_ticks(queries: Labels, trace: Trace) -> list[str]:
    """Labels of the queries; those that may attend to nothing are marked."""
    dead = [any(column) for column in zip(*trace.fully_masked, strict=True)]
    return [f"{DEAD} {tick}" if is_dead else tick for tick, is_dead in zip(queries.ticks, dead, strict=True)]


def hatched(panel: Panel, boxes: Sequence[tuple[Range, Range]], colours: Palette) -> list[Payload]:
    """Boxes, each its ranges of x and y, hatched as the tables hatch what a mask hides."""
    if not boxes:
        return []
    corners = [
        corner
        for (left, right), (low, high) in boxes
        for corner in ((left, low), (right, low), (right, high), (left, high), (left, low), (None, None))
    ]
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [x for x, _ in corners],
            "y": [y for _, y in corners],
            **panel.axes,
            "fill": "toself",
            "fillcolor": colours.line,
            "fillpattern": {
                "shape": "/",
                "bgcolor": colours.line,
                "fgcolor": f"{colours.muted}66",
                "size": 7,
                "solidity": 0.2,
            },
            "line": {"width": 0},
            "hoverinfo": "skip",
            "showlegend": False,
        }
    ]


def points_of(name: str, head: int | None = None, row: int | None = None) -> Payload:
    """Says which cells a figure's points show: those of a matrix, or of one of its rows."""
    return {"meta": {"matrix": name, "head": head, **({} if row is None else {"row": row})}}


def heatmap(
    panel: Panel,
    z: Sequence[Sequence[float | None]],
    hover: Sequence[Sequence[str]],
    cells: Sequence[Sequence[str]] | None,
    colours: Palette,
    source: Payload | None = None,
) -> Payload:
    """A matrix as coloured cells on the figure's one colour scale; a cell of None is transparent.

    ``cells`` are the texts in the cells; ``source``: the matrix whose cells they are (``points_of``).
    """
    gap = int(max(len(z), len(z[0])) <= MOST_GAPS)
    trace: Payload = {
        "type": "heatmap",
        "z": z,
        **panel.axes,
        "coloraxis": "coloraxis",
        "xgap": gap,
        "ygap": gap,
        "hoverinfo": "text",
        "hovertext": hover,
        **(source or {}),
    }
    if cells is not None:
        trace |= {"text": cells, "texttemplate": "%{text}", "textfont": {"color": colours.text, "size": 12}}
    return trace


def color_axis(scale: ColourScale, span: Range, colours: Palette, title: str, y: float = 0) -> Payload:
    """One colour scale for the whole figure, over a fixed range, its bar below ``y``: below all panels."""
    low, high = span
    bar = {
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        "xpad": 0,
        "y": y,
        "yanchor": "top",
        "ypad": 0,
        "len": 170,
        "lenmode": "pixels",
        "thickness": 8,
        "outlinewidth": 1,
        "outlinecolor": colours.line,
        "ticks": "",
        "tickvals": [low, (low + high) / 2, high],
        "title": {"text": title, "side": "top", "font": {"size": 12}},
    }
    return {"coloraxis": {"cmin": low, "cmax": high, "colorscale": scale, "colorbar": bar}}


def legend() -> Payload:
    """A legend below all panels; clicking it does nothing."""
    return {
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        "y": 0,
        "yanchor": "top",
        "itemclick": False,
        "itemdoubleclick": False,
    }


def heading(text: str, panel: Panel, colour: str) -> Payload:
    """The line above a panel."""
    return {
        "text": text,
        "font": {"color": colour, "size": 12, "weight": 600},
        "showarrow": False,
        "xref": "paper",
        "x": panel.x[0],
        "xanchor": "left",
        "yref": "paper",
        "y": panel.y[1],
        "yanchor": "bottom",
        "yshift": 1,
    }


def head_name(words: Words, head: int) -> str:
    """``Head 1``: indices count from 1 on screen."""
    return words("Head {number}").format(number=head + 1)


def bar_look(head: int, colours: Palette) -> Payload:
    """A head's accent, and a pattern, so that colour is not the only difference."""
    return {
        "color": colours.heads[head],
        "line": {"width": 0},
        "pattern": {
            "shape": PATTERNS[head % len(PATTERNS)],
            "fillmode": "overlay",
            "fgcolor": colours.background,
            "size": 6,
            "solidity": 0.3,
        },
    }
