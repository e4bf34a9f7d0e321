"""How far heads agree: the share of attention that each pair of heads spends on the same keys."""

from __future__ import annotations

from mha_core.compute.metrics import agreement
from mha_core.compute.trace import Trace
from mha_view.figures.figure import Figure
from mha_view.figures.labels import exact, labels, listing, weight
from mha_view.figures.layout import (
    AXIS,
    Part,
    base,
    cells_width,
    color_axis,
    compose,
    grid,
    head_name,
    heatmap,
    index_axis,
    left_for,
    matrix_height,
    numbers_fit,
)
from mha_view.language import Words
from mha_view.palette import Theme, palette


def agreement_figure(trace: Trace, *, theme: Theme, words: Words, query: int | None = None) -> Figure:
    """``agreement`` (h × h) as a heatmap from 0 to 1, of one query or of all."""
    colours, h = palette(theme), len(trace.example.heads)
    rows = agreement(trace, query)
    names = [head_name(words, head) for head in range(h)]
    (panel,), area = grid(1, 1, matrix_height(h), AXIS)
    if query is None:
        title = words("Overlap of the heads, over all queries")
    else:
        name = labels(trace.example.tokens).names[query]
        title = words("Overlap of the heads for “{query}”").format(query=name)
    layout = base(colours, title, area=area, left=left_for(names)) | {"plot_bgcolor": colours.line}
    layout |= color_axis(colours.sequential, (0, 1), colours, words("overlap"))
    hover = [
        [f"{a} – {b}<br>{exact(v)}" for b, v in zip(names, row, strict=True)]
        for a, row in zip(names, rows, strict=True)
    ]
    cells = [[weight(v) for v in row] for row in rows] if numbers_fit(h, h, h) else None
    ticks = names if h <= 4 else [str(head + 1) for head in range(h)]
    part = Part(
        [heatmap(panel, rows, hover, cells, colours)],
        panel.layout(index_axis(ticks, "" if h <= 4 else words("head")), index_axis(names, downwards=True)),
    )
    pairs = [
        words("{name}: {text}").format(name=f"{names[b]} – {names[a]}", text=weight(rows[a][b]))
        for a in range(h)
        for b in range(a)
    ]
    sentence = words("The share of attention that two heads spend on the same keys: {pairs}.")
    return Figure(
        payload=compose(layout, [part]),
        title=title,
        alt=sentence.format(pairs=listing(pairs, words)) if pairs else words("There is only one head."),
        name="agreement",
        min_width=left_for(names) + 24 + cells_width(h, numbers=cells is not None),
    )
