"""A document in a notebook's cell: in a frame of its own, apart from the notebook."""

from __future__ import annotations

from html import escape
from typing import Final

HEIGHT: Final = "570px"
THEME: Final = "cell/theme.js"
"""The module in ``web/`` by which a document follows the colors of the notebook: light or dark."""
_LOOKS: Final = (
    "box-sizing: border-box; width: 100%; resize: vertical; border: 1px solid #8888; transition: color 1ms"
)
_TELL: Final = "this.contentWindow?.postMessage({ink: getComputedStyle(this).color}, '*')"
_ONLOAD: Final = f"(this.ontransitionend = this.ontransitioncancel = () => {_TELL})()"
"""Tells the frame the color of the notebook's text, and again after another color, which is a transition."""


def framed(document: str, title: str, height: str = HEIGHT) -> str:
    """An ``iframe`` that shows a whole HTML document. Its height can be dragged.

    The sandbox lets the document run its scripts, and gives it an origin of its own: it reads and stores nothing of the
    notebook's, opens no window and downloads nothing. ``title``: what a screen reader calls the frame; plain text.

    Example: ``framed("<p>Hello</p>", "A greeting", height="4em")``.
    """
    return (
        f'<iframe sandbox="allow-scripts" title="{escape(title)}" style="{_LOOKS}; height: {height}" '
        f'onload="{escape(_ONLOAD)}" srcdoc="{escape(document)}"></iframe>'
    )
