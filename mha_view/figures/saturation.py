"""Saturation: with a smaller divisor softmax sharpens, and W_Q and W_K no longer move the output, while W_V does."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from math import ceil, floor, inf, log10
from statistics import fmean
from typing import NamedTuple

from mha_core.compute.gradients import AtTemperature, outputs
from mha_core.compute.trace import Trace
from mha_core.errors import N_
from mha_core.example.model import has_values, masks_of
from mha_core.vocabulary import SYMBOLS
from mha_view.figures.figure import Figure, Payload
from mha_view.figures.labels import exact, number, prose, subscripts, weight
from mha_view.figures.layout import (
    AXIS,
    FOOT,
    Panel,
    Part,
    base,
    compose,
    head_name,
    heading,
    legend,
    number_axis,
    stack,
)
from mha_view.language import Words
from mha_view.palette import Palette, Theme, palette

NORMS_HEIGHT = 190
LARGEST_HEIGHT = 84
MOST_OUTPUTS = 48
"""Most numbers of the layer's output; with more, two dozen Jacobians take too long for a picture."""
DECADES = 6
"""Most powers of ten of the norms' axis; what falls below is negligible."""
NEAR_ONE = 0.99
"""A largest weight above which softmax hardly moves any more."""
SAME = 1e-9
"""Norms that differ by less, relative to the largest, count as equal."""
TICKS = {1 / 32: "1/32", 1 / 8: "1/8", 1 / 2: "1/2", 1: "1", 2: "2", 8: "8", 32: "32"}


_COURSES = {
    (): N_("{norm} stays at {now}."),
    (False,): N_("{norm} falls steadily, from {now} to {cold}."),
    (True,): N_("{norm} rises steadily, from {now} to {cold}."),
    (True, False): N_("{norm} first rises, from {now} to {turn} at T = {at}, and then falls to {cold}."),
    (False, True): N_("{norm} first falls, from {now} to {turn} at T = {at}, and then rises to {cold}."),
}
"""Whether a norm rises in each stretch from T = 1 downwards → the sentence about it."""
_WAVERS = N_("{norm} rises and falls more than once, from {now} at T = 1 to {cold} at the end.")
_NEAR = N_(
    "A query's largest weight is {now} on average at T = 1 and {cold} at T = {coldest}: a single weight "
    "approaches 1 and hardly changes anymore."
)
_NOT_NEAR = N_(
    "A query's largest weight is {now} on average at T = 1 and {cold} at T = {coldest}. "
    "Even there, it is not near 1."
)


class Curve(NamedTuple):
    """One norm at every temperature (None where it is 0): of the gradient by ``matrix``; and the line's style."""

    matrix: str
    values: tuple[float | None, ...]
    colour: str
    marker: str
    dash: str

    @property
    def symbol(self) -> str:
        """The matrix's letter, such as ``W_Q``."""
        return SYMBOLS[self.matrix]


class _Ends(NamedTuple):
    """The picture's words for what the layer ends with, the output or the weights."""

    answers: str
    moved: str
    sizes: str


_OUTPUT = _Ends(
    N_("How strongly the output responds"),
    N_("‖∂output/∂{matrix}‖"),
    N_("The size of the output's gradient with respect to each matrix, with the divisor T times as large."),
)
_WEIGHTS = _Ends(
    N_("How strongly the weights respond"),
    "‖∂A ÷ ∂{matrix}‖",
    N_("The size of the weights' gradient with respect to each matrix, with the divisor T times as large."),
)


def _ends(trace: Trace) -> _Ends:
    return _OUTPUT if has_values(trace.example) else _WEIGHTS


def can_saturate(trace: Trace) -> bool:
    """Whether an example has a softmax, and is small enough to differentiate many times."""
    computed = any(head.weights is None for head in trace.example.heads)
    return computed and outputs(trace.example) <= MOST_OUTPUTS


def saturation_figure(
    trace: Trace,
    points: Sequence[AtTemperature],
    *,
    theme: Theme,
    words: Words,
    head: int | None = None,
    chosen: float | None = None,
) -> Figure:
    """Norms of ∂output / ∂W_Q, W_K, W_V (of ∂A without V), and the largest weight, by temperature: of one head, or
    the heads' mean.

    The temperature T multiplies the divisor: softmax(S ÷ (T · √d_k)). For heads that start from Q, K or V, the gradient
    is taken by these. ``points``: ``gradients.saturation(trace)``, for examples that ``can_saturate``. ``chosen``: a
    temperature to mark besides T = 1.
    """
    colours = palette(theme)
    curves = _curves(points, head, colours)
    largest = [_mean(point.largest, head) for point in points]
    (top, bottom), area = stack([NORMS_HEIGHT, LARGEST_HEIGHT], AXIS)
    of = words("mean of the heads") if head is None else head_name(words, head)
    title = words("Saturation")
    layout = base(
        colours, f"{title} ({of})" if len(trace.example.heads) > 1 else title, area=area, left=52, foot=FOOT
    )
    layout |= {"legend": legend(), "showlegend": True}
    temperatures = [point.temperature for point in points]
    panels = Panel(1, (0, 1), top), Panel(2, (0, 1), bottom)
    parts = [
        _norms(temperatures, curves, trace, panels[0], colours, words),
        _largest(temperatures, largest, trace, panels[1], colours, words),
    ]
    if chosen is not None:
        line = {"color": colours.muted, "width": 2, "dash": "dot"}
        parts += [Part((), {}, shapes=[_upright(panel, chosen, line)]) for panel in panels]
    return Figure(
        payload=compose(layout, parts),
        title=title,
        alt=_alt(points, curves, largest, trace, words),
        name="saturation",
        min_width=320,
    )


def saturation_sentences(
    trace: Trace, points: Sequence[AtTemperature], *, words: Words, head: int | None = None
) -> list[str]:
    """What the curves do as the temperature falls from 1: that of the largest weight, then those of the norms.

    Of one head or the heads' mean, as in ``saturation_figure``.
    """
    points = sorted((p for p in points if p.temperature <= 1), key=lambda p: p.temperature, reverse=True)
    temperatures = [_tick(point.temperature) for point in points]
    now, cold = (_mean(points[i].largest, head) for i in (0, -1))
    sentences: list[str] = []
    if now is not None and cold is not None:
        largest = words(_NEAR if cold >= NEAR_ONE else _NOT_NEAR)
        sentences.append(largest.format(coldest=temperatures[-1], now=weight(now), cold=weight(cold)))
    for curve in _curves(points, head, palette("light")):
        norm = words(_ends(trace).moved).format(matrix=curve.symbol)
        sentences.append(_course(norm, [value or 0.0 for value in curve.values], temperatures, words))
    return sentences


def _course(norm: str, values: Sequence[float], temperatures: Sequence[str], words: Words) -> str:
    """The stretches in which a norm rises and falls, and between which values."""
    same = SAME * max(values)
    steps = [after > before for before, after in pairwise(values) if abs(after - before) > same]
    printed_alike = len({number(value) for value in values}) == 1
    stretches = () if printed_alike else tuple(rises for rises, _ in groupby(steps))
    turn = (max if stretches[:1] == (True,) else min)(range(len(values)), key=values.__getitem__)
    return words(_COURSES.get(stretches, _WAVERS)).format(
        norm=norm,
        now=number(values[0]),
        cold=number(values[-1]),
        turn=number(values[turn]),
        at=temperatures[turn],
    )


def _tick(temperature: float) -> str:
    return TICKS.get(temperature) or number(temperature)


def _curves(points: Sequence[AtTemperature], head: int | None, colours: Palette) -> list[Curve]:
    looks = {
        "q": (colours.q, "circle", "solid"),
        "k": (colours.k, "diamond", "dash"),
        "v": (colours.v, "square", "dot"),
    }
    curves = []
    for letter, look in looks.items():
        for matrix in (f"w_{letter}", letter):
            norms = [_mean(getattr(point.sensitivity, matrix), head) for point in points]
            if any(norm is not None for norm in norms):
                curves.append(
                    Curve(matrix, tuple(norm if norm and norm < inf else None for norm in norms), *look)
                )
                break
    return curves


def _mean(numbers: Sequence[float | None], head: int | None) -> float | None:
    """One head's number, or the mean of those heads that have one."""
    present = [n for n in (numbers if head is None else numbers[head : head + 1]) if n is not None]
    return fmean(present) if present else None


def _temperature_axis(colours: Palette, title: str, *, shown: bool) -> Payload:
    return number_axis((-1.58, 1.58), colours, title) | {
        "type": "log",
        "tickvals": list(TICKS),
        "ticktext": list(TICKS.values()),
        "showticklabels": shown,
        "zeroline": False,
    }


def _norms(
    temperatures: list[float],
    curves: Sequence[Curve],
    trace: Trace,
    panel: Panel,
    colours: Palette,
    words: Words,
) -> Part:
    drawn = [v for curve in curves for v in curve.values if v]
    high = ceil(log10(max(drawn, default=1)) * 2 + 0.2) / 2
    low = max(high - DECADES, floor(log10(min(drawn, default=1)) * 2 - 0.2) / 2)
    every = 1 if high - low <= 4 else 2
    powers = [10.0**power for power in range(ceil(low), floor(high) + 1) if power % every == 0]
    y = number_axis((low, high), colours) | {
        "type": "log",
        "tickvals": powers,
        "ticktext": [number(power) for power in powers],
    }
    ends = _ends(trace)
    moved = words(ends.moved)
    data = [
        _line(temperatures, curve.values, panel, moved.format(matrix=subscripts(curve.symbol)), curve)
        for curve in curves
    ]
    return Part(
        data,
        panel.layout(_temperature_axis(colours, "", shown=False), y),
        [heading(words(ends.answers), panel, colours.text)],
        [_now(panel, colours)],
    )


def _largest(
    temperatures: list[float],
    largest: Sequence[float | None],
    trace: Trace,
    panel: Panel,
    colours: Palette,
    words: Words,
) -> Part:
    name = words("a query's largest weight, on average")
    look = Curve("weights", tuple(largest), colours.text, "circle-open", "solid")
    data = [_line(temperatures, largest, panel, name, look)]
    if not masks_of(trace.example):
        alike = 1 / trace.example.dims.n_k
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": [temperatures[0], temperatures[-1]],
                "y": [alike, alike],
                **panel.axes,
                "line": {"color": colours.muted, "width": 1, "dash": "dot"},
                "hoverinfo": "text",
                "hovertext": words("all keys equal: {weight}").format(weight=weight(alike)),
                "showlegend": False,
            }
        )
    title = words("T: the divisor is T times as large; T = 1 is the current example")
    axes = panel.layout(
        _temperature_axis(colours, title, shown=True), number_axis((0, 1.08), colours) | {"nticks": 3}
    )
    return Part(
        data, axes, [heading(words("The largest weight"), panel, colours.text)], [_now(panel, colours)]
    )


def _line(
    temperatures: list[float], values: Sequence[float | None], panel: Panel, name: str, look: Curve
) -> Payload:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": temperatures,
        "y": list(values),
        **panel.axes,
        "line": {"color": look.colour, "width": 2, "dash": look.dash},
        "marker": {"symbol": look.marker, "size": 6, "color": look.colour},
        "hoverinfo": "text",
        "hovertext": [
            f"T = {number(t)}<br>{name}<br>{exact(v or 0)}" for t, v in zip(temperatures, values, strict=True)
        ],
    }


def _now(panel: Panel, colours: Palette) -> Payload:
    """A broad line at T = 1, the example's own temperature."""
    return _upright(panel, 1.0, {"color": colours.line, "width": 9})


def _upright(panel: Panel, temperature: float, line: Payload) -> Payload:
    return {
        "type": "line",
        "layer": "below",
        "line": line,
        "xref": panel.id("x"),
        "x0": temperature,
        "x1": temperature,
        "yref": "paper",
        "y0": panel.y[0],
        "y1": panel.y[1],
    }


def _alt(
    points: Sequence[AtTemperature],
    curves: Sequence[Curve],
    largest: Sequence[float | None],
    trace: Trace,
    words: Words,
) -> str:
    """The numbers at the lowest temperature, at T = 1 and at the highest."""
    at = words("T = {temperature}: {norms}; the largest weight is {weight} on average.")
    sentences: list[str] = [words(_ends(trace).sizes)]
    for i in (0, len(points) // 2, -1):
        norms = words(", ").join(
            f"{curve.symbol.replace('_', '')} {number(curve.values[i] or 0)}" for curve in curves
        )
        temperature = number(points[i].temperature)
        sentences.append(at.format(temperature=temperature, norms=norms, weight=weight(largest[i] or 0)))
    return prose(sentences)
