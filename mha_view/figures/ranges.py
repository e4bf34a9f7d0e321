"""Column by column: the range of V's numbers, and the head outputs inside it, for any d_v."""

from __future__ import annotations

from collections.abc import Sequence

from mha_core.compute.trace import Rows, Trace
from mha_core.example.model import key_tokens, kv_head_of
from mha_view.figures.figure import Figure, Payload
from mha_view.figures.geometry import Range, nice
from mha_view.figures.labels import exact, labels, listing, named, number, prose
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
    index_axis,
    legend,
    number_axis,
)
from mha_view.language import Words
from mha_view.palette import Palette, Theme, palette

HEIGHT = 190
BAR = 0.36
"""Half the width of a column's range, where columns are 1 apart."""
_SLACK = 1e-9


def ranges_figure(trace: Trace, *, theme: Theme, words: Words) -> Figure:
    """v (h × n_k × d_v): each column from its smallest to its largest number; head_outputs (h × n_q × d_v) inside.

    One panel for each head, all over the same range of numbers.
    """
    colours, heads = palette(theme), range(len(trace.example.heads))
    d_v = trace.example.dims.d_v
    across = balanced(len(heads), 3 if d_v <= 4 else 2 if d_v <= 8 else 1)
    panels, area = grid(len(heads), across, HEIGHT, AXIS, gap=0.06)
    span = _span(trace)
    title = words("Head outputs lie within V's columns")
    layout = base(colours, title, area=area, left=46, foot=FOOT) | {"legend": legend(), "showlegend": True}
    parts = [_head_part(trace, head, panels[head], span, across, colours, words) for head in heads]
    return Figure(
        payload=compose(layout, parts),
        title=title,
        alt=_alt(trace, words),
        name="head-outputs-in-columns",
        min_width=58 + across * max(120, 18 * d_v),
    )


def column_ranges(rows: Rows) -> list[Range]:
    """Each column's smallest and largest number: ``column_ranges([[1, 5], [3, 2]])`` is ``[(1, 3), (2, 5)]``."""
    return [(min(column), max(column)) for column in zip(*rows, strict=True)]


def values_of(trace: Trace, head: int) -> Rows:
    """V as a head uses it: its own, or that of the first head of its group."""
    return trace.matrix("v", kv_head_of(trace.example, "v", head))


def inside(row: Sequence[float], ranges: Sequence[Range]) -> bool:
    """Whether every number of a row lies in its column's range, within rounding."""
    slack = _SLACK * max((abs(end) for ends in ranges for end in ends), default=0.0)
    return all(low - slack <= v <= high + slack for v, (low, high) in zip(row, ranges, strict=True))


def _span(trace: Trace) -> Range:
    """A range with nice ends around all of V and all outputs; it always contains 0."""
    numbers = [
        v
        for step in ("v", "head_outputs")
        for rows in trace.values[step]
        for row in rows or ()  # a group shares the V of its first head
        for v in row
    ]
    low, high = min(0.0, *numbers), max(0.0, *numbers)
    size = nice(max(-low, high)) / 10
    return (low - size / 2 if low < 0 else 0.0, high + size / 2)


def _head_part(
    trace: Trace, head: int, panel: Panel, span: Range, across: int, colours: Palette, words: Words
) -> Part:
    queries, keys = labels(trace.example.tokens), labels(key_tokens(trace.example))
    v, out, accent = values_of(trace, head), trace.values["head_outputs"][head], colours.heads[head]
    nothing, dead = words("fully masked"), trace.fully_masked[head]
    hover = [
        f"{name}<br>{nothing}" if is_dead else name for name, is_dead in zip(queries.full, dead, strict=True)
    ]
    is_leftmost = (panel.number - 1) % across == 0
    data = [
        _points(v, -0.17, keys.full, words("V, by key"), panel)
        | {"marker": {"symbol": "circle", "size": 7, "color": colours.v}, "showlegend": head == 0},
        _points(out, 0.17, hover, words("head output, by query"), panel)
        | {"marker": _diamonds(out, dead, accent, colours), "showlegend": head == 0},
    ]
    axes = panel.layout(
        index_axis([str(c + 1) for c in range(len(v[0]))], words("column of V")),
        number_axis(span, colours, words("value") if is_leftmost else "") | {"showticklabels": is_leftmost},
    )
    boxes = [_box(c, ends, panel, colours) for c, ends in enumerate(column_ranges(v))]
    return Part(data, axes, [heading(head_name(words, head), panel, accent)], boxes)


def _points(rows: Rows, shift: float, full: Sequence[str], legend_name: str, panel: Panel) -> Payload:
    """All numbers of a matrix over their columns, shifted sideways."""
    return {
        "type": "scatter",
        "mode": "markers",
        "name": legend_name,
        "x": [c + shift for row in rows for c in range(len(row))],
        "y": [v for row in rows for v in row],
        **panel.axes,
        "hoverinfo": "text",
        "hovertext": [
            f"{name} [{c}]<br>{exact(v)}"
            for name, row in zip(full, rows, strict=True)
            for c, v in enumerate(row, start=1)
        ],
    }


def _diamonds(out: Rows, dead: Sequence[bool], accent: str, colours: Palette) -> Payload:
    """Markers of the outputs; a cross for a query that may attend to nothing."""
    dead_cells = [is_dead for is_dead, row in zip(dead, out, strict=True) for _ in row]
    return {
        "symbol": ["x-thin" if is_dead else "diamond" for is_dead in dead_cells],
        "size": 9,
        "color": accent,
        "line": {
            "width": 1.5,
            "color": [accent if is_dead else colours.background for is_dead in dead_cells],
        },
    }


def _box(column: int, ends: Range, panel: Panel, colours: Palette) -> Payload:
    """A column's range; a line if all its numbers are equal."""
    return {
        "type": "rect",
        "layer": "below",
        "fillcolor": colours.v + "1f",
        "line": {"color": colours.v, "width": 1, "dash": "dot"},
        "xref": panel.id("x"),
        "x0": column - BAR,
        "x1": column + BAR,
        "yref": panel.id("y"),
        "y0": ends[0],
        "y1": ends[1],
    }


def _alt(trace: Trace, words: Words) -> str:
    """For each head, each column's range and its outputs', and whether all lie inside."""
    sentences = [words("The range of each column of V, and the head outputs in it.")]
    for head, dead in enumerate(trace.fully_masked):
        ranges = column_ranges(values_of(trace, head))
        out = [
            row for row, is_dead in zip(trace.values["head_outputs"][head], dead, strict=True) if not is_dead
        ]
        columns = [
            words("column {number}: V from {low} to {high}").format(
                number=c, low=number(low), high=number(high)
            )
            for c, (low, high) in enumerate(ranges, start=1)
        ]
        sentences.append(named(head_name(words, head), listing(columns, words), words))
        if all(inside(row, ranges) for row in out):
            sentences.append(words("All outputs lie within this range."))
        else:
            sentences.append(words("Not all outputs lie within this range."))
    return prose(sentences)
