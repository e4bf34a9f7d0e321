"""Attention weights: every head as a heatmap, and one query's weights as bars."""

from __future__ import annotations

from collections.abc import Sequence

from mha_core.compute.trace import Rows, Trace
from mha_core.example.model import key_tokens
from mha_view.figures.figure import Figure, Payload
from mha_view.figures.geometry import Range, nice
from mha_view.figures.labels import Labels, exact, labels, listing, named, prose, weight
from mha_view.figures.layout import (
    DEAD,
    FOOT,
    Panel,
    Part,
    bar_look,
    base,
    below_for,
    color_axis,
    compose,
    hatched,
    head_name,
    index_axis,
    legend,
    number_axis,
    points_of,
    stack,
)
from mha_view.figures.pairs import Pairs, pairs
from mha_view.language import Words
from mha_view.palette import Palette, Theme, palette

HIDDEN = "·"
"""Marks a pair that the mask hides."""
BARS_HEIGHT = 220
MOST_BAR_NUMBERS = 24


def weights_heatmaps(trace: Trace, *, theme: Theme, words: Words) -> Figure:
    """weights (h × n_q × n_k): a panel for each head, all on one scale from 0 to 1."""
    colours = palette(theme)
    frame = pairs(trace, colours, words, len(trace.example.heads))
    title = words("Attention weights of every head")
    layout = frame.layout(title) | color_axis(colours.sequential, (0, 1), colours, words("weight"))
    parts = [_head_part(trace, head, frame) for head in range(len(trace.example.heads))]
    return Figure(
        payload=compose(layout, parts),
        title=title,
        alt=_heatmaps_alt(trace, frame, words),
        name="attention-weights",
        min_width=frame.min_width,
    )


def _head_part(trace: Trace, head: int, frame: Pairs) -> Part:
    """One head's weights; a pair that the mask hides has a sign instead of a colour."""
    masked, nothing = frame.words("masked: −∞ before softmax"), frame.words("fully masked")
    z: list[list[float | None]] = []
    hover, cells = [], []
    for row, hidden, dead in zip(
        trace.values["weights"][head], trace.hidden[head], trace.fully_masked[head], strict=True
    ):
        sign, reason = (DEAD, nothing) if dead else (HIDDEN, masked)
        z.append([None if hides else v for v, hides in zip(row, hidden, strict=True)])
        hover.append([reason if hides else exact(v) for v, hides in zip(row, hidden, strict=True)])
        cells.append([sign if hides else weight(v) for v, hides in zip(row, hidden, strict=True)])
    name, accent = head_name(frame.words, head), frame.colours.heads[head]
    return frame.part(
        head, name, points_of("weights", head), accent, z, hover, cells if frame.numbered else None
    )


def _heatmaps_alt(trace: Trace, frame: Pairs, words: Words) -> str:
    """For each head, which key each query looks at most."""
    sentences = [
        words("Attention weights from 0 to 1, one matrix per head: queries in rows, keys in columns.")
    ]
    nothing = words("fully masked")
    for head, rows in enumerate(trace.values["weights"]):
        most = [
            f"{query} → {nothing if dead else _most(row, frame.keys, words)}"
            for query, row, dead in zip(frame.queries.names, rows, trace.fully_masked[head], strict=True)
        ]
        sentence = words("In head {number}, each query looks most at: {pairs}.")
        sentences.append(sentence.format(number=head + 1, pairs=listing(most, words)))
    return prose(sentences)


def _most(row: Sequence[float], keys: Labels, words: Words) -> str:
    """The key with the largest weight, or several equal ones, and the weight."""
    top = max(row)
    tied = [key for key, v in zip(keys.names, row, strict=True) if v >= top - 1e-9]
    if len(tied) == len(row) > 1:
        names = words("all keys equal")
    else:
        names = words("{keys} equally").format(keys=listing(tied, words)) if len(tied) > 1 else tied[0]
    return f"{names} ({weight(top)})"


def weights_bars(trace: Trace, *, theme: Theme, words: Words, query: int) -> Figure:
    """One query's weights (h × n_k): a group of bars for each key, a bar for each head, from 0 to 1."""
    colours, dims = palette(theme), trace.example.dims
    queries, keys = labels(trace.example.tokens), labels(key_tokens(trace.example))
    (y,), area = stack([BARS_HEIGHT], below_for(keys.ticks, dims.n_k))
    title = words("What “{query}” looks at, head by head").format(query=queries.names[query])
    layout = base(colours, title, area=area, left=46, foot=FOOT + 20 * ((dims.h - 1) // 4)) | {
        "barmode": "group",
        "bargap": 0.25,
        "uniformtext": {"mode": "hide", "minsize": 12},
        "legend": legend(),
        "showlegend": True,
    }
    return Figure(
        payload=compose(layout, [_bars(trace, query, Panel(1, (0, 1), y), queries, keys, colours, words)]),
        title=title,
        alt=_bars_alt(trace, query, queries, keys, words),
        name=f"weights-of-query-{query + 1}",
        min_width=min(1600, 70 + dims.n_k * max(12, 6 * dims.h)),
    )


def _bars(
    trace: Trace, query: int, panel: Panel, queries: Labels, keys: Labels, colours: Palette, words: Words
) -> Part:
    rows = [matrix[query] for matrix in trace.values["weights"]]
    hidden = [trace.hidden[head][query] for head in range(len(rows))]
    numbered = len(rows) * len(keys.ticks) <= MOST_BAR_NUMBERS
    masked = words("masked: −∞ before softmax")
    query_name = queries.full[query]
    data: list[Payload] = []
    for head, (row, hides) in enumerate(zip(rows, hidden, strict=True)):
        name = head_name(words, head)
        data.append(
            {
                "type": "bar",
                "name": name,
                "x": list(range(len(row))),
                "y": row,
                **points_of("weights", head, query),
                **panel.axes,
                "marker": bar_look(head, colours),
                "hoverinfo": "text",
                "hovertext": [
                    f"{name}<br>{query_name} → {key}<br>{masked if is_hidden else exact(v)}"
                    for key, v, is_hidden in zip(keys.full, row, hides, strict=True)
                ],
                **(_bar_text(row, hides) if numbered else {}),
            }
        )
    strips = [key for key, column in enumerate(zip(*hidden, strict=True)) if all(column)]
    span = _weight_range(rows)
    return Part(
        data,
        panel.layout(index_axis(keys.ticks, words("key")), number_axis(span, colours, words("weight"))),
        _notes(strips, len(keys.ticks), panel, colours, words),
        hatches=hatched(panel, [((key - 0.5, key + 0.5), span) for key in strips], colours),
    )


def _bar_text(row: Sequence[float], hidden: Sequence[bool]) -> Payload:
    return {
        "text": [HIDDEN if hides else weight(v) for v, hides in zip(row, hidden, strict=True)],
        "textposition": "outside",
        "textangle": 0,
        "cliponaxis": False,
    }


def _notes(strips: Sequence[int], n_k: int, panel: Panel, colours: Palette, words: Words) -> list[Payload]:
    """One note about the hatched keys, which are hidden from the query in every head, in the middle of them."""
    if not strips:
        return []
    text = words("fully masked") if len(strips) == n_k else words("masked")
    middle = strips[len(strips) // 2] if len(strips) < n_k else (n_k - 1) / 2
    at = {"xref": panel.id("x"), "x": middle, "yref": "paper", "y": (panel.y[0] + panel.y[1]) / 2}
    return [{"text": text, "showarrow": False, "bgcolor": colours.line, "borderpad": 4, **at}]


def _weight_range(rows: Rows) -> Range:
    """0 to 1, or more if a head starts from given weights outside that range."""
    low, high = min(map(min, rows)), max(map(max, rows))
    return (0 if low >= 0 else -nice(-low), 1 if high <= 1 + 1e-9 else nice(high))


def _bars_alt(trace: Trace, query: int, queries: Labels, keys: Labels, words: Words) -> str:
    """Each head's weights for the query, largest first."""
    sentences = [words("Weights of the query {query} in each head.").format(query=queries.names[query])]
    for head, matrix in enumerate(trace.values["weights"]):
        if trace.fully_masked[head][query]:
            shares = words("fully masked")
        else:
            ranked = sorted(zip(matrix[query], keys.names, strict=True), key=lambda pair: -pair[0])
            shares = listing([f"{key} {weight(v)}" for v, key in ranked], words)
        sentences.append(named(head_name(words, head), shares, words))
    return prose(sentences)
