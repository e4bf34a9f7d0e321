"""The √d_k experiment: three curves over d_k, and one query's weights, without a divisor and with √d_k."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log, log10, sqrt
from typing import NamedTuple

from mha_core.compute.scaling import Comparison, Softmax
from mha_view.figures.figure import Figure, Payload
from mha_view.figures.geometry import Range
from mha_view.figures.labels import exact, number, prose, weight
from mha_view.figures.layout import (
    AXIS,
    FOOT,
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

HEIGHT = 112
BARS_HEIGHT = 150


class Way(NamedTuple):
    """One way to divide: its name and style, and its part of a comparison."""

    name: str
    colour: str
    marker: str
    dash: str
    pattern: str
    of: Callable[[Comparison], Softmax]


class Curve(NamedTuple):
    """One measure: its heading, its value of a softmax, its axis, and theory's value for every d_k."""

    name: str
    of: Callable[[Softmax], float]
    axis: Payload
    theory: Sequence[tuple[str, Sequence[float]]]


def ways(colours: Palette, words: Words) -> tuple[Way, Way]:
    """The undivided scores, and the divided ones."""
    return (
        Way(words("not divided"), colours.heads[1], "circle-open", "dash", "/", lambda row: row.plain),
        Way(words("divided by √dₖ"), colours.heads[0], "diamond", "solid", "", lambda row: row.scaled),
    )


def scaling_figure(
    rows: Sequence[Comparison], *, n_k: int, sigma: float, at: int, theme: Theme, words: Words
) -> Figure:
    """Spread, entropy and gradient (each a value for every d_k) as curves; ``at`` is the index of the chosen d_k.

    Dotted lines are theory: √d_k σ² and σ² for the spread, and the bounds ln n_k of the entropy and ½ of the gradient.
    """
    colours = palette(theme)
    curves = _curves(rows, n_k, sigma, colours, words)
    down, area = stack([HEIGHT] * len(curves), AXIS - 18)
    title = words("Scores and softmax as dₖ grows")
    layout = base(colours, title, area=area, left=52, foot=FOOT)
    layout |= {"legend": legend(), "showlegend": True}
    parts = [
        _curve_part(rows, curve, Panel(i, (0, 1), y), at, colours, words)
        for i, (curve, y) in enumerate(zip(curves, down, strict=True), start=1)
    ]
    return Figure(
        payload=compose(layout, parts),
        title=title,
        alt=_alt(rows, words),
        name="why-sqrt-d-k",
        min_width=320,
    )


def _curves(
    rows: Sequence[Comparison], n_k: int, sigma: float, colours: Palette, words: Words
) -> list[Curve]:
    spreads = [sqrt(row.d_k) * sigma**2 for row in rows]
    reached = [softmax.spread for row in rows for softmax in (row.plain, row.scaled)]
    low, high = min(*spreads, *reached), max(*spreads, *reached)
    span: Range = (log10(low) - 0.2, log10(high) + 0.2)
    most = log(n_k)
    return [
        Curve(
            words("Spread of the scores"),
            lambda softmax: softmax.spread,
            number_axis(span, colours) | {"type": "log", "tickvals": _decades(span)},
            ((words("theory: √dₖ · σ²"), spreads), (words("theory: σ²"), [sigma**2] * len(rows))),
        ),
        Curve(
            words("Entropy of the weights, in nats"),
            lambda softmax: softmax.entropy,
            number_axis((0, 1.12 * most), colours),
            ((words("at most ln nₖ = {number}").format(number=number(most)), [most] * len(rows)),),
        ),
        Curve(
            words("Size of softmax's gradient, ‖J‖"),
            lambda softmax: softmax.gradient,
            number_axis((0, 0.56), colours),
            ((words("at most ½"), [0.5] * len(rows)),),
        ),
    ]


def _decades(span: Range) -> list[float]:
    """1, 2 and 5 times the powers of ten within 10^span; for a wide span 1 and 3 times the powers."""
    steps = (1, 3) if span[1] - span[0] > 1.2 else (1, 2, 5)
    numbers = (step * 10.0**power for power in range(-4, 5) for step in steps)
    return [v for v in numbers if span[0] <= log10(v) <= span[1]]


def _curve_part(
    rows: Sequence[Comparison], curve: Curve, panel: Panel, at: int, colours: Palette, words: Words
) -> Part:
    data = [_theory(name, values, panel, colours) for name, values in curve.theory]
    data += [_line(rows, curve, way, panel) for way in ways(colours, words)]
    ticks = [f"{row.d_k}" for row in rows]
    ticks[0] = f"dₖ = {ticks[0]}"
    axes = panel.layout(index_axis(ticks) | {"range": [-0.5, len(rows) - 0.5]}, curve.axis)
    mark = {
        "type": "line",
        "layer": "below",
        "line": {"color": colours.line, "width": 9},
        "xref": panel.id("x"),
        "x0": at,
        "x1": at,
        "yref": "paper",
        "y0": panel.y[0],
        "y1": panel.y[1],
    }
    return Part(data, axes, [heading(curve.name, panel, colours.text)], [mark])


def _line(rows: Sequence[Comparison], curve: Curve, way: Way, panel: Panel) -> Payload:
    values = [curve.of(way.of(row)) for row in rows]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": way.name,
        "x": list(range(len(rows))),
        "y": values,
        **panel.axes,
        "line": {"color": way.colour, "width": 2, "dash": way.dash},
        "marker": {"symbol": way.marker, "size": 8, "color": way.colour},
        "hoverinfo": "text",
        "hovertext": [
            f"dₖ = {row.d_k}<br>{way.name}<br>{exact(v)}" for row, v in zip(rows, values, strict=True)
        ],
        "showlegend": panel.number == 1,
    }


def _theory(name: str, values: Sequence[float], panel: Panel, colours: Palette) -> Payload:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": list(range(len(values))),
        "y": list(values),
        **panel.axes,
        "line": {"color": colours.muted, "width": 1, "dash": "dot"},
        "hoverinfo": "text",
        "hovertext": [f"{name}<br>{exact(v)}" for v in values],
        "showlegend": False,
    }


def _alt(rows: Sequence[Comparison], words: Words) -> str:
    """The numbers for the first and the last d_k."""
    sentence = words(
        "dₖ = {d_k}: not divided, standard deviation {a}, entropy {b}, gradient {c}; divided by "
        "√dₖ, standard deviation {d}, entropy {e}, gradient {f}."
    )
    sentences = [
        words("Spread of the scores, entropy of the weights and size of the gradient for dₖ from 1 to 512.")
    ]
    for row in (rows[0], rows[-1]):
        values = [
            getattr(way, name)
            for way in (row.plain, row.scaled)
            for name in ("spread", "entropy", "gradient")
        ]
        sentences.append(
            sentence.format(d_k=row.d_k, **dict(zip("abcdef", map(number, values), strict=True)))
        )
    return prose(sentences)


def one_query_figure(row: Comparison, *, theme: Theme, words: Words) -> Figure:
    """One query's weights (n_k) by falling score, as bars: without a divisor, and with √d_k."""
    colours = palette(theme)
    (y,), area = stack([BARS_HEIGHT], AXIS)
    panel = Panel(1, (0, 1), y)
    n_k = len(row.plain.first)
    title = words("One query's weights at dₖ = {d_k}").format(d_k=row.d_k)
    layout = base(colours, title, area=area, left=52, foot=FOOT)
    layout |= {"barmode": "group", "bargap": 0.2, "legend": legend(), "showlegend": True}
    data: list[Payload] = [
        {
            "type": "bar",
            "name": way.name,
            "x": list(range(n_k)),
            "y": list(way.of(row).first),
            **panel.axes,
            "marker": {
                "color": way.colour,
                "line": {"width": 0},
                "pattern": {
                    "shape": way.pattern,
                    "fillmode": "overlay",
                    "fgcolor": colours.background,
                    "size": 6,
                    "solidity": 0.3,
                },
            },
            "hoverinfo": "text",
            "hovertext": [f"{i}. {way.name}<br>{exact(v)}" for i, v in enumerate(way.of(row).first, 1)],
        }
        for way in ways(colours, words)
    ]
    axes = panel.layout(
        index_axis([str(i + 1) for i in range(n_k)], words("keys, the largest score first")),
        number_axis((0, 1), colours, words("weight")),
    )
    return Figure(
        payload=compose(layout, [Part(data, axes)]),
        title=title,
        alt=_one_query_alt(row, words),
        name=f"weights-at-d-k-{row.d_k}",
        min_width=320,
    )


def _one_query_alt(row: Comparison, words: Words) -> str:
    sentence = words(
        "The key with the largest score gets {plain} without dividing, and {scaled} after dividing by √dₖ."
    )
    return sentence.format(plain=weight(row.plain.first[0]), scaled=weight(row.scaled.first[0]))
