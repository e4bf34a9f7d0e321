"""The palette as CSS variables, each a light-dark() pair, for the frame and the bench."""

from __future__ import annotations

from dataclasses import fields

from mha_ui.palette import DARK, LIGHT


def css_variables() -> str:
    """``:root { --mha-q: light-dark(#7c3aed, #b794f6); … --mha-head-0: …; }``; heads count from 0."""
    pairs = {
        field.name: (getattr(LIGHT, field.name), getattr(DARK, field.name))
        for field in fields(LIGHT)
        if field.name != "heads"
    }
    pairs |= {f"head-{index}": pair for index, pair in enumerate(zip(LIGHT.heads, DARK.heads, strict=True))}
    return ":root{" + "".join(f"--mha-{name}:light-dark({a},{b});" for name, (a, b) in pairs.items()) + "}"
