"""All colours, light and dark: figures read them here, pages from CSS variables.

Each colour has one meaning on every page. What is not data is drawn in ink: buttons, links, focus and selection.

- Q, K and V have one hue each everywhere.
- Signed values: a diverging scale from teal to amber, ``negative`` – ``background`` (zero) – ``positive``. Neither end
  is red, and colour-blind readers can tell them apart.
- Weights: a sequential scale, ``background`` (zero) – ``weight`` (one), in violet.
- ``wrong`` is red, and no other colour is: only a mistake or an error has it. ``right`` is green.
- Heads: a label and an accent each, which is neither red nor an end of the signs' scale. The first four can be told
  apart by colour-blind readers; figures in which heads share one set of axes add a pattern.

Scales are linear in sRGB between their stops, as in Plotly and in CSS ``color-mix(in srgb, …)``. Their ends are chosen
so that ``text`` is legible on each of their colours: a number in a cell never changes its colour.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, TypeAlias

Theme: TypeAlias = Literal["light", "dark"]
ColourScale: TypeAlias = list[list[float | str]]
"""Plotly's colour scale: [position from 0 to 1, colour], in order."""


@dataclass(frozen=True, slots=True)
class Palette:
    """One theme's colours, each as ``#rrggbb``.

    ``surface`` is a panel on the background; ``muted`` is secondary text; ``line`` separates cells and fills those that
    a mask hides; ``chosen`` is the background of a selected element and ``edge`` its outline; ``heads`` are the
    accents, one for each of at most 16 heads.
    """

    background: str
    surface: str
    text: str
    muted: str
    line: str
    q: str
    k: str
    v: str
    negative: str
    positive: str
    weight: str
    right: str
    wrong: str
    chosen: str
    edge: str
    heads: tuple[str, ...]

    @property
    def diverging(self) -> ColourScale:
        """Signed values: negative, zero, positive."""
        return [[0, self.negative], [0.5, self.background], [1, self.positive]]

    @property
    def sequential(self) -> ColourScale:
        """Weights: zero, one."""
        return [[0, self.background], [1, self.weight]]


LIGHT = Palette(
    background="#ffffff",
    surface="#f6f7f9",
    text="#1c2430",
    muted="#566171",
    line="#dfe3ea",
    q="#7c3aed",
    k="#8a5a00",
    v="#047857",
    negative="#2b9fb5",
    positive="#d9802a",
    weight="#9a86e8",
    right="#1a7f37",
    wrong="#c62828",
    chosen="#e6e9ef",
    edge="#1c2430",
    heads=(
        "#1d4ed8",
        "#6b1064",
        "#5a6100",
        "#0b6e78",
        "#6f2f12",
        "#1774b5",
        "#8a6503",
        "#2b2f3a",
        "#884652",
        "#065539",
        "#2f6f1e",
        "#3f4a1a",
        "#4a5a70",
        "#021c49",
        "#7d6a52",
        "#1e3a5f",
    ),
)

DARK = Palette(
    background="#12161c",
    surface="#1b212a",
    text="#e6eaf0",
    muted="#9aa5b5",
    line="#2c3440",
    q="#b794f6",
    k="#f0b060",
    v="#4fd1a5",
    negative="#0d7089",
    positive="#985411",
    weight="#6652bd",
    right="#5cc978",
    wrong="#ff7a70",
    chosen="#2a323e",
    edge="#e6eaf0",
    heads=(
        "#85aaff",
        "#cb62b9",
        "#c3cf45",
        "#2cc9d6",
        "#f5d6b0",
        "#4a9ae0",
        "#d8ab45",
        "#b0886c",
        "#109d7b",
        "#79ecb7",
        "#9be08a",
        "#a9b06e",
        "#b3c2d6",
        "#a08f96",
        "#8b8c27",
        "#8fb8e0",
    ),
)


def palette(theme: Theme) -> Palette:
    """The colours of one theme."""
    return DARK if theme == "dark" else LIGHT


def css_variables() -> str:
    """The palette for stylesheets, each colour a light-dark() pair; heads count from 0.

    ``:root { --mha-q: light-dark(#7c3aed, #b794f6); … --mha-head-0: …; }``
    """
    pairs = {
        field.name: (getattr(LIGHT, field.name), getattr(DARK, field.name))
        for field in fields(LIGHT)
        if field.name != "heads"
    }
    pairs |= {f"head-{index}": pair for index, pair in enumerate(zip(LIGHT.heads, DARK.heads, strict=True))}
    # A cell with the largest number: in light its colour is pale, in dark it is the whole end of the scale.
    for name in ("positive", "negative"):
        light, dark = pairs[name]
        pairs[f"{name}-cell"] = (f"color-mix(in srgb,{light} 55%,{LIGHT.background})", dark)
    return ":root{" + "".join(f"--mha-{name}:light-dark({a},{b});" for name, (a, b) in pairs.items()) + "}"
