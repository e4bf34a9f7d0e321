"""Examples to draw, and helpers that look into a drawn figure."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from mha_core import AllowMask, Example, Head, Trace, library, trace, validate
from mha_view.figures import FIGURES, Figure
from mha_view.language import words_in
from mha_view.palette import Theme

WORDS = words_in("en")
NASTY = ("<img onerror=x>", "$x$", "**b**", "{{}}", "🙂", "שלום", "a" * 200, "same", "same", "%{z}<br>")
"""Tokens that would do harm if text were interpreted as markup."""


def sample(
    n: int = 3,
    h: int = 2,
    d: int = 2,
    *,
    tokens: Sequence[str] | None = None,
    mask: Any = None,
    d_out: int = 0,
    seed: int = 0,
) -> Trace:
    """n tokens, h heads, d_model = d + 1, d_k = d_v = d, small whole numbers."""
    numbers = random.Random(seed)

    def matrix(rows: int, columns: int) -> tuple[tuple[float, ...], ...]:
        return tuple(tuple(float(numbers.randint(-2, 2)) for _ in range(columns)) for _ in range(rows))

    heads = tuple(
        Head(w_q=matrix(d + 1, d), w_k=matrix(d + 1, d), w_v=matrix(d + 1, d), b_v=matrix(1, d)[0])
        for _ in range(h)
    )
    return trace(
        validate(
            Example(
                title="sample",
                tokens=tuple(tokens or (f"token{i}" for i in range(n))),
                x=matrix(n, d + 1),
                heads=heads,
                mask=mask,
                w_o=matrix(h * d, d_out) if d_out else None,
                b_o=matrix(1, d_out)[0] if d_out else None,
            )
        )
    )


def partly_masked() -> Trace:
    """Query ``sat`` may attend to nothing, the others to themselves and earlier tokens."""
    allow = tuple(tuple(i != 2 and j <= i for j in range(4)) for i in range(4))
    return sample(4, 3, tokens=("the", "cat", "sat", "down"), mask=AllowMask(allow=allow))


TRACES: dict[str, Trace] = {
    **{name: trace(example) for name, example in library().items()},
    "nasty": sample(len(NASTY), 2, tokens=NASTY, d_out=3),
    "partly masked": partly_masked(),
    "one of each": sample(1, 1, 1),
    "wide": sample(8, 4, 8, d_out=8),
    "long": sample(64, 2, 3, mask="causal"),
}


def draw(computed: Trace, name: str, *, theme: Theme = "light", query: int = 0) -> Figure:
    """One picture, in English."""
    return FIGURES[name].build(computed, theme=theme, words=WORDS, query=query)


def every_figure(computed: Trace, *, theme: Theme = "light", query: int = 0) -> dict[str, Figure]:
    """All available pictures of a trace."""
    return {
        name: draw(computed, name, theme=theme, query=query)
        for name, picture in FIGURES.items()
        if picture.available(computed)
    }


def drawn(figure: Figure, kind: str) -> list[dict[str, Any]]:
    """The traces of one type, in order."""
    return [part for part in figure.payload["data"] if part["type"] == kind]


def texts(value: object) -> list[str]:
    """Every text in a payload."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for part in value.values() for text in texts(part)]
    if isinstance(value, list | tuple):
        return [text for part in value for text in texts(part)]
    return []


def hatched_boxes(
    figure: Figure,
) -> dict[tuple[str, str], list[tuple[tuple[float, float], tuple[float, float]]]]:
    """What is hatched in a figure: the ranges of x and y of each box, by its panel's axes."""
    found = {}
    for hatch in figure.payload["data"]:
        if "fillpattern" in hatch:
            corners = list(zip(hatch["x"], hatch["y"], strict=True))
            boxes = [corners[at : at + 5] for at in range(0, len(corners), 6)]
            assert all(box[0] == box[-1] for box in boxes)
            found[hatch["xaxis"], hatch["yaxis"]] = [((a[0], c[0]), (a[1], c[1])) for a, _, c, *_ in boxes]
    return found
