"""The library, a picture of attention: how closely a reader reads each book, and what each adds to the output."""

from __future__ import annotations

from collections.abc import Sequence

from mha_core.compute.trace import Trace
from mha_core.example.model import key_tokens
from mha_view.figures.figure import Figure, Payload
from mha_view.figures.geometry import nice
from mha_view.figures.labels import Labels, exact, label, labels, listing, number, weight
from mha_view.figures.layout import (
    AXIS,
    FOOT,
    PATTERNS,
    Panel,
    Part,
    base,
    compose,
    heading,
    index_axis,
    legend,
    number_axis,
    stack,
)
from mha_view.language import Words
from mha_view.palette import Palette, Theme, palette

HEIGHT = 150


def library_figure(trace: Trace, *, columns: Sequence[str], theme: Theme, words: Words) -> Figure:
    """weights (n_k) of the only query of one head as bars, and its output (d_v) below, stacked from the books' shares.

    ``columns``: names of V's columns. A share is weight · value; the shares of a column add up to the output.
    """
    colours, books = palette(theme), labels(key_tokens(trace.example))
    rows, area = stack([HEIGHT, HEIGHT], AXIS)
    above, below = Panel(1, (0, 1), rows[0]), Panel(2, (0, 1), rows[1])
    title = words("What the reader reads and takes home")
    layout = base(colours, title, area=area, left=46, foot=FOOT - 10)
    layout |= {
        "barmode": "stack",
        "bargap": 0.4,
        "legend": legend() | {"traceorder": "normal"},
        "showlegend": True,
    }
    parts = [
        _weights(trace, above, books, colours, words),
        _output(trace, below, books, columns, colours, words),
    ]
    return Figure(
        payload=compose(layout, parts),
        title=title,
        alt=_alt(trace, books, columns, words),
        name="library",
        min_width=320,
    )


def _look(book: int, colours: Palette) -> Payload:
    """A book's colour and pattern, in both panels."""
    pattern = {"shape": PATTERNS[book], "fgcolor": colours.background, "size": 6, "solidity": 0.3}
    return {
        "color": colours.heads[book],
        "line": {"width": 0},
        "pattern": {"fillmode": "overlay", **pattern},
    }


def _weights(trace: Trace, panel: Panel, books: Labels, colours: Palette, words: Words) -> Part:
    row = trace.values["weights"][0][0]
    data = [
        {
            "type": "bar",
            "x": [book],
            "y": [share],
            **panel.axes,
            "marker": _look(book, colours),
            "text": [weight(share)],
            "textposition": "outside",
            "cliponaxis": False,
            "hoverinfo": "text",
            "hovertext": [f"{books.full[book]}<br>{exact(share)}"],
            "showlegend": False,
        }
        for book, share in enumerate(row)
    ]
    axes = panel.layout(index_axis(books.ticks), number_axis((0, 1), colours, words("weight")))
    return Part(data, axes, [heading(words("How closely each book is read (weights)"), panel, colours.text)])


def shares(trace: Trace) -> list[list[float]]:
    """What each book adds to the output, n_k × d_v: weight · value."""
    weights, values = trace.values["weights"][0][0], trace.values["v"][0]
    return [[share * number for number in row] for share, row in zip(weights, values, strict=True)]


def _output(
    trace: Trace, panel: Panel, books: Labels, columns: Sequence[str], colours: Palette, words: Words
) -> Part:
    output, size = trace.values["head_outputs"][0][0], max(map(max, trace.values["v"][0]))
    names = [label(column) for column in columns]
    data: list[Payload] = [
        {
            "type": "bar",
            "name": books.ticks[book],
            "x": list(range(len(names))),
            "y": parts,
            **panel.axes,
            "marker": _look(book, colours),
            "hoverinfo": "text",
            "hovertext": [
                f"{books.full[book]} → {name}<br>{exact(v)}" for name, v in zip(names, parts, strict=True)
            ],
        }
        for book, parts in enumerate(shares(trace))
    ]
    totals = [
        {
            "text": number(total),
            "showarrow": False,
            "xref": panel.id("x"),
            "x": column,
            "yref": panel.id("y"),
            "y": total,
            "yanchor": "bottom",
            "font": {"color": colours.text},
        }
        for column, total in enumerate(output)
    ]
    axes = panel.layout(index_axis(names), number_axis((0, nice(size)), colours, words("value")))
    return Part(data, axes, [heading(words("What the reader gets (output)"), panel, colours.text), *totals])


def _alt(trace: Trace, books: Labels, columns: Sequence[str], words: Words) -> str:
    weights, output = trace.values["weights"][0][0], trace.values["head_outputs"][0][0]
    read = [f"{book} {weight(share)}" for book, share in zip(books.names, weights, strict=True)]
    home = [f"{column} {number(v)}" for column, v in zip(columns, output, strict=True)]
    sentence = words("Weights: {weights}. Output: {output}.")
    return sentence.format(weights=listing(read, words), output=listing(home, words))
