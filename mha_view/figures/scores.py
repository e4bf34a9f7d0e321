"""Scores before the softmax: raw, scaled, masked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from mha_core.compute.graph import symbol
from mha_core.compute.trace import Rows, Trace
from mha_core.example.model import NEG_INF
from mha_core.vocabulary import HIDES, SCORE_STEPS
from mha_view.figures.figure import Figure
from mha_view.figures.geometry import largest, nice
from mha_view.figures.labels import exact, named, number, prose, subscripts
from mha_view.figures.layout import Part, color_axis, compose, head_name, points_of
from mha_view.figures.pairs import Pairs, pairs
from mha_view.language import Words
from mha_view.palette import Theme, palette


def scores_heatmaps(trace: Trace, *, theme: Theme, words: Words) -> Figure:
    """scores, scaled, biased and masked scores (each h × n_q × n_k), those that the example has, side by side.

    All share one signed scale up to a nice number above every score before the mask. So it stays the same during small
    edits, and if a mask writes −10⁹. Heads that start from given weights have no scores and are left out.
    """
    colours = palette(theme)
    drawn, stages = heads_with_scores(trace), [name for name in SCORE_STEPS if name in trace.values]
    frame = pairs(trace, colours, words, len(drawn), len(stages))
    span = score_span(trace)
    title = words("Scores before and after scaling and masking")
    layout = frame.layout(title) | color_axis(colours.diverging, (-span, span), colours, words("score"))
    parts = [
        _stage_part(trace, head, stage, place, frame)
        for place, (head, stage) in enumerate(product(drawn, stages))
    ]
    return Figure(
        payload=compose(layout, parts),
        title=title,
        alt=_alt(trace, drawn, stages, frame),
        name="scores",
        min_width=frame.min_width,
    )


def heads_with_scores(trace: Trace) -> list[int]:
    """The heads that compute scores, by index."""
    return [head for head, rows in enumerate(trace.values.get("scores", ())) if rows is not None]


def score_span(trace: Trace) -> float:
    """The end of the colour scale: a nice number at or above every score before the mask."""
    stages = (trace.values.get(stage, ()) for stage in SCORE_STEPS if stage not in HIDES)
    return nice(largest(rows for stage in stages for rows in stage if rows is not None))


def _stage_part(trace: Trace, head: int, stage: str, place: int, frame: Pairs) -> Part:
    """One head's scores at one stage; a hidden pair has no colour, and the text −∞."""
    rows: Rows = trace.values[stage][head]
    z = [[None if v == NEG_INF else v for v in row] for row in rows]
    hover = [[exact(v) for v in row] for row in rows]
    cells = [[number(v) for v in row] for row in rows] if frame.numbered else None
    name = f"{head_name(frame.words, head)} · {subscripts(symbol(stage, trace.example))}"
    return frame.part(place, name, points_of(stage, head), frame.colours.heads[head], z, hover, cells)


def _alt(trace: Trace, drawn: Sequence[int], stages: Sequence[str], frame: Pairs) -> str:
    """For each head, its largest score, the range of scores at every stage, and how many pairs the mask hides."""
    words = frame.words
    sentences = [words("Scores of each head: queries in rows, keys in columns.")]
    for head in drawn:
        parts = [words("largest: {pair}").format(pair=_largest_pair(trace.values["scores"][head], frame))]
        parts += [_reach(symbol(stage, trace.example), trace.values[stage][head], words) for stage in stages]
        hidden = sum(row.count(NEG_INF) for row in trace.values[stages[-1]][head])
        if hidden:
            parts.append(words("masked: {count}").format(count=hidden))
        sentences.append(named(head_name(words, head), words(", ").join(parts), words))
    return prose(sentences)


def _largest_pair(rows: Rows, frame: Pairs) -> str:
    """The query and the key with the largest score."""
    cells = ((v, query, key) for query, row in enumerate(rows) for key, v in enumerate(row))
    _, query, key = max(cells, key=lambda cell: cell[0])
    return f"{frame.queries.names[query]} → {frame.keys.names[key]}"


def _reach(name: str, rows: Rows, words: Words) -> str:
    finite = [v for row in rows for v in row if v != NEG_INF]
    low, high = number(min(finite, default=NEG_INF)), number(max(finite, default=NEG_INF))
    return words("{symbol} from {low} to {high}").format(symbol=name, low=low, high=high)
