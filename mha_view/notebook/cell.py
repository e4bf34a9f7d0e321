"""An example as a page in a notebook's cell: Explore and the step-by-step tour, in one language.

It is the page without a server (``mha_view.page``), except that it stores nothing and offers no downloads, which the
frame's sandbox forbids.
"""

from __future__ import annotations

import json
from typing import Final

from mha_core.compute.trace import Trace
from mha_core.errors import N_
from mha_core.walk.handout import require_size
from mha_view.about import title_of
from mha_view.document import document
from mha_view.language import words_in
from mha_view.notebook.frame import THEME, framed
from mha_view.page.data import page_data
from mha_view.page.source import script, styles

DECIMALS: Final = 4
_WAITING: Final = N_("Multi-head attention")
"""The title of a frame that shows no example yet."""


def cell(trace: Trace, language: str) -> str:
    """The frame of a trace. Raises ``ExportError`` where the example is too large for a page."""
    return _framed(language, title_of(trace.example, language), cell_data(trace, language))


def cell_data(trace: Trace, language: str) -> str:
    """What such a page shows, as JSON. Raises ``ExportError`` where the example is too large for it."""
    require_size(trace)
    data = page_data(trace, language, DECIMALS, app="", languages=[language])
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def empty_cell(language: str) -> str:
    """The frame of a page that waits for its data: a message ``{mha: {version, data, edits}}``."""
    return _framed(language, words_in(language)(_WAITING))


def _framed(language: str, title: str, data: str = "") -> str:
    texts = script("cell/cell.js"), styles("cell/cell.css")
    shown = document(language, title, *texts, first=[script(THEME)], data=data, packs_data=True)
    return framed(shown, title)
