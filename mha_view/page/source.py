"""The script and the stylesheets of a page that shows Explore and the tour, from ``web/``."""

from __future__ import annotations

from functools import cache
from typing import Final

from mha_view import bundle
from mha_view.document import Styles
from mha_view.palette import css_variables

_PARTS: Final = ("explore", "walk")
"""Each has a stylesheet of its own, of which the script uses one at a time."""


@cache
def script(module: str) -> str:
    """A module with everything that it imports."""
    return bundle.script(module)


@cache
def styles(sheet: str) -> Styles:
    """The stylesheet of a page, and those of its parts."""
    texts = {"page": css_variables() + bundle.style(sheet)}
    texts |= {part: bundle.style(f"{part}/{part}.css") for part in _PARTS}
    return tuple((f"style-{part}", bundle.without_spaces(text)) for part, text in texts.items())
