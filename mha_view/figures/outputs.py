"""Head outputs side by side, and what each head adds to the layer's output."""

from __future__ import annotations

from collections.abc import Sequence

from mha_core.compute.trace import Rows, Trace
from mha_view.figures.figure import Figure, Payload
from mha_view.figures.geometry import Range, largest, nice
from mha_view.figures.labels import Labels, escape, exact, labels, listing, named, number, prose, subscripts
from mha_view.figures.layout import (
    AXIS,
    FOOT,
    MOST_ACROSS,
    Panel,
    Part,
    bar_look,
    base,
    cells_width,
    color_axis,
    compose,
    head_name,
    heading,
    heatmap,
    index_axis,
    left_for,
    legend,
    matrix_height,
    number_axis,
    numbers_fit,
    points_of,
    query_ticks,
    spread,
    stack,
)
from mha_view.language import Words
from mha_view.palette import Palette, Theme, palette

SHARES_HEIGHT = 190
"""Pixels of the bars."""


def head_shares(head_outputs: Sequence[Sequence[float]], w_o: Rows) -> Rows:
    """What each head adds to one query's output, h × d_out: head_i · (its rows of W_O).

    ``head_outputs``: h × d_v, each head's row for the query; ``w_o``: (h·d_v) × d_out. The shares of all heads, and
    b_O, add up to the output: ``head_shares([[1], [2]], [[3], [4]])`` is ``[[3], [8]]``, and the output 11.
    """
    d_v = len(head_outputs[0])
    blocks = [w_o[i * d_v : (i + 1) * d_v] for i in range(len(head_outputs))]
    return [
        [sum(v * w for v, w in zip(head, column, strict=True)) for column in zip(*block, strict=True)]
        for head, block in zip(head_outputs, blocks, strict=True)
    ]


def outputs_figure(trace: Trace, *, theme: Theme, words: Words, query: int) -> Figure:
    """concat (n_q × (h·d_v)), its columns bracketed by head, and with a W_O the output beside it.

    Below these, for one query, what each head (and b_O) adds to every column of the output.
    """
    colours = palette(theme)
    names = [name for name in ("concat", "output") if name in trace.values]
    queries = labels(trace.example.tokens)
    left = left_for(query_ticks(queries, trace))
    widths = [len(trace.values[name][0]) for name in names]
    heights = [matrix_height(len(queries.ticks)), SHARES_HEIGHT][: len(names)]
    down, area = stack(heights, AXIS + FOOT + 10)
    panels = [Panel(i, x, down[0]) for i, x in enumerate(spread(widths), start=1)]
    parts = [
        _matrix(trace, name, panel, queries, colours, words)
        for name, panel in zip(names, panels, strict=True)
    ]
    if len(names) > 1:
        parts.append(_shares(trace, query, Panel(3, (0, 1), down[1]), colours, words))
    span = nice(largest(trace.values[name] for name in names))
    title = (
        words("Head outputs and the layer's output") if len(names) > 1 else words("Head outputs side by side")
    )
    layout = base(colours, title, area=area, left=left, foot=20 * ((len(trace.example.heads) + 1) // 4))
    layout |= color_axis(
        colours.diverging, (-span, span), colours, words("value"), y=down[0][0] - AXIS / area
    )
    layout |= {"barmode": "relative", "bargap": 0.4, "legend": legend() | {"y": (FOOT + 10) / area}}
    return Figure(
        payload=compose(layout, parts),
        title=title,
        alt=_alt(trace, query, queries, words),
        name="head-outputs",
        min_width=left + 24 + cells_width(sum(widths), numbers=sum(widths) <= MOST_ACROSS),
    )


def _matrix(trace: Trace, name: str, panel: Panel, queries: Labels, colours: Palette, words: Words) -> Part:
    """Concat or the output as a heatmap; a backdrop is visible between its cells."""
    rows: Rows = trace.values[name]
    concat, d_v = name == "concat", trace.example.dims.d_v
    columns = [
        (head_name(words, c // d_v), c % d_v + 1) if concat else ("O", c + 1) for c in range(len(rows[0]))
    ]
    hover = [
        [f"{query}<br>{owner} [{c}]<br>{exact(v)}" for (owner, c), v in zip(columns, row, strict=True)]
        for query, row in zip(queries.full, rows, strict=True)
    ]
    across = sum(len(trace.values[step][0]) for step in ("concat", "output") if step in trace.values)
    fits = numbers_fit(len(rows), len(columns), across)
    cells = [[number(v) for v in row] for row in rows] if fits else None
    marks = (
        _brackets(trace, panel, colours, words)
        if concat
        else Part([], {}, [heading("O", panel, colours.text)])
    )
    ticks = query_ticks(queries, trace)
    return Part(
        [heatmap(panel, rows, hover, cells, colours, points_of(name))],
        panel.layout(
            index_axis([str(c) for _, c in columns], "Concat" if concat else ""),
            index_axis(ticks, words("query") if concat else "", downwards=True, shown=concat),
        ),
        marks.annotations,
        [_backdrop(panel, colours), *marks.shapes],
    )


def _backdrop(panel: Panel, colours: Palette) -> Payload:
    return {
        "type": "rect",
        "layer": "below",
        "line": {"width": 0},
        "fillcolor": colours.line,
        "xref": "paper",
        "x0": panel.x[0],
        "x1": panel.x[1],
        "yref": "paper",
        "y0": panel.y[0],
        "y1": panel.y[1],
    }


def _brackets(trace: Trace, panel: Panel, colours: Palette, words: Words) -> Part:
    """A bracket in the head's accent over its columns, its name above, and a gap between heads."""
    h, d_v = trace.example.dims.h, trace.example.dims.d_v
    shapes, names = [], []
    for head in range(h):
        start, end, accent = head * d_v - 0.5, (head + 1) * d_v - 0.5, colours.heads[head]
        inset = 0.02 * h * d_v / 2
        shapes.append(_line(panel, (start + inset, end - inset), (panel.y[1], panel.y[1]), accent, 3))
        if head:
            shapes.append(_line(panel, (start, start), panel.y, colours.background, 5))
        text = head_name(words, head) if h <= 6 else str(head + 1)
        at = {"x": (start + end) / 2, "xref": panel.id("x"), "xanchor": "center"}
        names.append(heading(text, panel, accent) | at | {"yshift": 4})
    return Part([], {}, names, shapes)


def _line(panel: Panel, x: Range, y: Range, colour: str, thickness: int) -> Payload:
    return {
        "type": "line",
        "line": {"color": colour, "width": thickness},
        "xref": panel.id("x"),
        "x0": x[0],
        "x1": x[1],
        "yref": "paper",
        "y0": y[0],
        "y1": y[1],
    }


def _shares(trace: Trace, query: int, panel: Panel, colours: Palette, words: Words) -> Part:
    """For every column of the output, the heads' shares and b_O stacked, and a mark at their sum."""
    output = trace.values["output"][query]
    columns = list(range(len(output)))
    shares, bias = query_shares(trace, query)
    looks = [(head_name(words, head), bar_look(head, colours)) for head in range(len(shares))]
    if bias:
        shares, looks = [*shares, bias], [*looks, (subscripts("b_O"), {"color": colours.muted})]
    data: list[Payload] = [
        {
            "type": "bar",
            "name": name,
            "x": columns,
            "y": share,
            **panel.axes,
            "marker": look,
            "hoverinfo": "text",
            "hovertext": [f"{name} → O [{c + 1}]<br>{exact(v)}" for c, v in enumerate(share)],
        }
        for share, (name, look) in zip(shares, looks, strict=True)
    ]
    data.append(_totals(output, query, panel, colours))
    query_name = labels(trace.example.tokens).names[query]
    title = escape(words("Contributions to the output of “{query}”").format(query=query_name))
    return Part(
        data,
        panel.layout(
            index_axis([str(c + 1) for c in columns], "O"), number_axis(_stacked_range(shares), colours)
        ),
        [heading(title, panel, colours.text)],
    )


def query_shares(trace: Trace, query: int) -> tuple[Rows, list[float] | None]:
    """``head_shares`` of one query, and b_O if there is one."""
    rows = [matrix[query] for matrix in trace.values["head_outputs"]]
    bias = trace.example.b_o
    return head_shares(rows, trace.matrix("w_o")), None if bias is None else list(bias)


def _totals(output: Sequence[float], query: int, panel: Panel, colours: Palette) -> Payload:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "O",
        "x": list(range(len(output))),
        "y": output,
        **points_of("output", row=query),
        **panel.axes,
        "marker": {
            "symbol": "diamond",
            "size": 10,
            "color": colours.text,
            "line": {"width": 2, "color": colours.background},
        },
        "hoverinfo": "text",
        "hovertext": [f"O [{c}]<br>{exact(v)}" for c, v in enumerate(output, start=1)],
    }


def _stacked_range(shares: Rows) -> Range:
    """A range with nice ends that contains the stacks of negative and of positive shares."""
    low = min(sum(v for v in column if v < 0) for column in zip(*shares, strict=True))
    high = max(sum(v for v in column if v > 0) for column in zip(*shares, strict=True))
    return (-nice(-low) if low < 0 else 0, nice(high) if high > 0 or low == 0 else 0)


def _alt(trace: Trace, query: int, queries: Labels, words: Words) -> str:
    """The query's head outputs, and its output with each head's share."""
    sentences = [words("Head outputs side by side, one row per query.")]
    sentences.append(words("For the query {query}:").format(query=queries.names[query]))
    for head, rows in enumerate(trace.values["head_outputs"]):
        sentences.append(named(head_name(words, head), _vector(rows[query], words), words))
    if "output" in trace.values:
        shares, bias = query_shares(trace, query)
        parts = [f"{head_name(words, head)} {_vector(share, words)}" for head, share in enumerate(shares)]
        parts += [f"b_O {_vector(bias, words)}"] if bias else []
        total = _vector(trace.values["output"][query], words)
        sentences.append(
            words("Output {total}, the sum of {shares}.").format(total=total, shares=words(", ").join(parts))
        )
    return prose(sentences)


def _vector(row: Sequence[float], words: Words) -> str:
    return f"({listing([number(v) for v in row], words)})"
