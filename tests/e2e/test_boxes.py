"""Explore with 3 to 16 tokens: nothing lies over anything else or is cut off; up to three heads stand side by side."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

from mha_core import Example, to_token
from mha_core.example.model import Head
from tests.sizes import at_length

BOXES = Path(__file__).with_name("boxes.js").read_text(encoding="utf-8").rstrip().removesuffix(";")
SENTENCES = {
    "en": "The girl lent the boy her book because he had lost his umbrella yesterday afternoon again".split(),
    "zh": "小明 把 书 还给 了 图书馆 因为 它 太厚 了 但是 老师 说 必须 今天 交作业".split(),
}
SIZES = ((390, 844), (1280, 800), (1440, 900), (1920, 1080))
LONG = [
    (language, count, heads, ("causal", None)[(count + heads) % 2])
    for language, count, heads in product(SENTENCES, range(3, 17), range(1, 7))
]
SHORT = [
    ("en", 3, 6, None),
    ("zh", 6, 3, "causal"),
    ("en", 8, 1, "causal"),
    ("zh", 10, 2, None),
    ("en", 12, 3, "causal"),
    ("zh", 16, 6, None),
]
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def example(language, count, heads, mask):
    """Fractions of either sign, so that every table has decimals and scores of two digits."""
    draw = Random(100 * count + heads)

    def drawn(rows, cols, most):
        return tuple(tuple(round(draw.uniform(-most, most), 1) for _ in range(cols)) for _ in range(rows))

    made = tuple(Head(*(drawn(4, 3, 2) for _ in range(3))) for _ in range(heads))
    tokens = tuple(SENTENCES[language][:count])
    return Example("", tokens, made, drawn(count, 4, 3), mask=mask, w_o=drawn(3 * heads, 4, 2))


def test_nothing_lies_over_anything_else_and_three_heads_stand_side_by_side(visit, server):
    """Measured by boxes, at every width of one page."""
    bench = visit("?example=programming")
    page, faults = bench.page, []
    for language, count, heads, mask in LONG if at_length() else SHORT:
        page.set_viewport_size({"width": 1280, "height": 800})
        token = to_token(example(language, count, heads, mask))
        bench.open(f"{server.url}?lang={language}&s={token}")
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate(TWO_FRAMES)
            measured = page.evaluate(BOXES)
            beside = min(3, heads) if width >= 1280 else 1
            found = measured["found"] + ["heads left out"] * (measured["heads"] < beside)
            faults += [f"{language} {count} × {heads} {mask} {width}: {fault}" for fault in found]
    assert faults == [], "\n".join(faults)
