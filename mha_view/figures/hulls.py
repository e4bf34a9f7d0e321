"""For d_v = 2: V's rows as points in the plane, and every head output among them.

A head output is a weighted mean of V's rows with weights ≥ 0 that sum to 1, so it lies in their convex hull. The output
of a query for which a mask hides all keys is 0 and may lie outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import NamedTuple

from mha_core.compute.trace import Rows, Trace
from mha_core.example.model import key_tokens, kv_head_of
from mha_view.figures.figure import Figure, Payload
from mha_view.figures.geometry import (
    Box,
    Point,
    Range,
    around,
    contains,
    convex_hull,
    free_side,
    square_ranges,
)
from mha_view.figures.labels import Labels, exact, labels, listing, number, prose, width
from mha_view.figures.layout import (
    AXIS,
    FOOT,
    Panel,
    Part,
    balanced,
    base,
    compose,
    grid,
    head_name,
    heading,
    legend,
    number_axis,
    query_ticks,
)
from mha_view.language import Words
from mha_view.palette import Palette, Theme, palette

SIDE = 260
"""Pixels of a panel."""
NARROWEST = 160
"""Pixels of a panel's width."""
MOST_LABELS = 12
"""Points of one kind that are still labelled."""


def hulls_figure(trace: Trace, *, theme: Theme, words: Words) -> Figure:
    """v (h × n_k × 2) and head_outputs (h × n_q × 2), a panel for each head, all over the same square range."""
    colours, heads = palette(theme), range(len(trace.example.heads))
    across = balanced(len(heads), 4)
    panels, area = grid(len(heads), across, SIDE, AXIS, gap=0.05)
    ranges = square_ranges(
        [point for head in heads for point in (*values(trace, head), *outputs(trace, head))]
    )
    side = min(SIDE, max(NARROWEST, 2 * SIDE // across - 40))
    parts = [_head_part(trace, head, panels[head], ranges, side, colours, words) for head in heads]
    title = words("Head outputs lie among the rows of V")
    layout = base(colours, title, area=area, left=46, foot=FOOT) | {
        "legend": legend(),
        "showlegend": True,
    }
    return Figure(
        payload=compose(layout, parts),
        title=title,
        alt=_alt(trace, words),
        name="head-outputs-in-v",
        min_width=58 + NARROWEST * across,
    )


def values(trace: Trace, head: int) -> list[Point]:
    """V's rows as points; for a head that shares V, those of the first head of its group."""
    return _points(trace.values["v"][kv_head_of(trace.example, "v", head)])


def outputs(trace: Trace, head: int) -> list[Point]:
    """The head's outputs as points."""
    return _points(trace.values["head_outputs"][head])


def _points(rows: Rows) -> list[Point]:
    return [(x, y) for x, y in rows]


EDGE_STEP = 5
"""Pixels between the places of an edge that labels avoid."""


class Room(NamedTuple):
    """Free space for labels in a panel, in pixels of a narrow panel; the page may make it wider.

    ``taken`` are the boxes of marks and labels, ``edges`` those along the hull, which a label covers only where it has
    no other place.
    """

    scale: float
    page: Box
    taken: list[Box]
    edges: list[Box]

    @classmethod
    def of(cls, ranges: tuple[Range, Range], side: int) -> Room:
        """An empty panel over these ranges, ``side`` pixels wide and high."""
        x, y = ranges
        scale = side / (x[1] - x[0])
        return cls(scale, (x[0] * scale, y[0] * scale, x[1] * scale, y[1] * scale), [], [])

    def pixels(self, point: Point) -> Point:
        """A point of the plane, in pixels."""
        return point[0] * self.scale, point[1] * self.scale

    def avoid_edges(self, corners: Sequence[Point]) -> None:
        """Keep labels off the lines between these corners."""
        ends = [self.pixels(corner) for corner in corners]
        for (x, y), (to_x, to_y) in zip(ends, [*ends[1:], *ends[:1]], strict=True):
            steps = max(1, round(hypot(to_x - x, to_y - y) / EDGE_STEP))
            for step in range(steps):
                part = step / steps
                self.edges.append(around((x + part * (to_x - x), y + part * (to_y - y)), 1))

    def side(self, point: Point, label: str) -> str | None:
        """The side of a point on which a label is."""
        at, size = self.pixels(point), (width(label) + 4, 13)
        return free_side(at, size, self.page, self.taken, self.edges) or free_side(
            at, size, self.page, self.taken
        )


def _head_part(
    trace: Trace,
    head: int,
    panel: Panel,
    ranges: tuple[Range, Range],
    side: int,
    colours: Palette,
    words: Words,
) -> Part:
    queries, keys = labels(trace.example.tokens), labels(key_tokens(trace.example))
    v, out, dead = values(trace, head), outputs(trace, head), trace.fully_masked[head]
    nothing, accent = words("fully masked"), colours.heads[head]
    hover = [
        f"{name}<br>{nothing}" if is_dead else name for name, is_dead in zip(queries.full, dead, strict=True)
    ]
    room = Room.of(ranges, side)
    room.taken.extend(around(room.pixels(point), 5) for point in (*v, *out))
    corners = convex_hull(v)
    room.avoid_edges(corners)
    data = [
        _hull(corners, panel, colours),
        _marks(v, _shared(v, keys.ticks, "v"), keys.full, words("V, by key"), colours.v, room)
        | {
            "marker": {"symbol": "circle", "size": 9, "color": colours.v},
            "showlegend": head == 0,
            **panel.axes,
        },
        _marks(
            out,
            _shared(out, query_ticks(queries, trace), "o"),
            hover,
            words("head output, by query"),
            accent,
            room,
        )
        | {"marker": _diamonds(dead, accent, colours), "showlegend": head == 0, **panel.axes},
    ]
    is_leftmost = panel.x[0] == 0
    across, up = (words("column {number} of V").format(number=number) for number in (1, 2))
    x = number_axis(ranges[0], colours, across)
    y = number_axis(ranges[1], colours, up if is_leftmost else "")
    axes = panel.layout(
        x | {"nticks": 5}, y | {"scaleanchor": panel.id("x"), "showticklabels": is_leftmost, "nticks": 7}
    )
    return Part(data, axes, [heading(head_name(words, head), panel, accent)])


def _diamonds(dead: Sequence[bool], accent: str, colours: Palette) -> Payload:
    """Markers of the outputs; a cross for a query that may attend to nothing."""
    return {
        "symbol": ["x-thin" if is_dead else "diamond" for is_dead in dead],
        "size": 10,
        "color": accent,
        "line": {"width": 1.5, "color": [accent if is_dead else colours.background for is_dead in dead]},
    }


def _hull(corners: Sequence[Point], panel: Panel, colours: Palette) -> Payload:
    """The hull as a filled polygon; without area it is a line or invisible."""
    closed = [*corners, corners[0]]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [x for x, _ in closed],
        "y": [y for _, y in closed],
        **panel.axes,
        "fill": "toself",
        "fillcolor": colours.v + "1f",
        "line": {"color": colours.v, "width": 1, "dash": "dot"},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _marks(
    points: Sequence[Point],
    names: Sequence[str],
    full: Sequence[str],
    name: str,
    colour: str,
    room: Room,
) -> Payload:
    """Points, labelled where there is room; all have their name on hover."""
    sides = _sides(points, names, room)
    return {
        "type": "scatter",
        "name": name,
        "x": [x for x, _ in points],
        "y": [y for _, y in points],
        "mode": "markers+text",
        "text": [text if side else "" for text, side in zip(names, sides, strict=True)],
        "textposition": [side or "top center" for side in sides],
        "textfont": {"color": colour},
        "cliponaxis": False,
        "hoverinfo": "text",
        "hovertext": [
            f"{name}<br>({exact(x)}, {exact(y)})" for name, (x, y) in zip(full, points, strict=True)
        ],
    }


def _shared(points: Sequence[Point], ticks: Sequence[str], letter: str) -> list[str]:
    """One label for each position: the first point there has all names, as in ``v(I, love)``, the others none."""
    names: dict[Point, list[str]] = {}
    for point, tick in zip(points, ticks, strict=True):
        names.setdefault(point, []).append(tick)
    return [f"{letter}({', '.join(names.pop(point))})" if point in names else "" for point in points]


def _sides(points: Sequence[Point], names: Sequence[str], room: Room) -> list[str | None]:
    """The side of each label; None if it would cover something or if there are too many."""
    if len(points) > MOST_LABELS:
        return [None] * len(points)
    return [room.side(point, text) if text else None for point, text in zip(points, names, strict=True)]


def _alt(trace: Trace, words: Words) -> str:
    """For each head, its outputs, and whether they lie inside the hull."""
    queries, keys = labels(trace.example.tokens), labels(key_tokens(trace.example))
    sentences = [words("V's rows as points, their convex hull, and each head output.")]
    for head, dead in enumerate(trace.fully_masked):
        v, out = values(trace, head), outputs(trace, head)
        hull = convex_hull(v)
        sentence = words("{head}: V has {values}; the outputs are {outputs}.")
        nothing = words("fully masked")
        places = [
            f"{place}, {nothing}" if is_dead else place
            for place, is_dead in zip(_places(queries, out), dead, strict=True)
        ]
        sentences.append(
            sentence.format(
                head=head_name(words, head),
                values=listing(_places(keys, v), words),
                outputs=listing(places, words),
            )
        )
        if all(is_dead or contains(hull, point) for point, is_dead in zip(out, dead, strict=True)):
            sentences.append(words("Each output is a weighted average of V's rows, inside their hull."))
        else:
            sentences.append(words("Not all outputs lie inside the hull."))
    return prose(sentences)


def _places(names: Labels, points: Sequence[Point]) -> list[str]:
    return [f"{name} ({number(x)}, {number(y)})" for name, (x, y) in zip(names.names, points, strict=True)]
