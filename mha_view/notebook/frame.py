"""A document in a notebook's cell: in a frame of its own, apart from the notebook."""

from __future__ import annotations

from html import escape
from typing import Final

HEIGHT: Final = "36em"


def framed(document: str, title: str, height: str = HEIGHT) -> str:
    """An ``iframe`` that shows a whole HTML document. Its height can be dragged.

    The sandbox lets the document run its scripts, and gives it an origin of its own: it reads and stores nothing of the
    notebook's, opens no window and downloads nothing. ``title``: what a screen reader calls the frame; plain text.

    Example: ``framed("<p>Hello</p>", "A greeting", height="4em")``.
    """
    looks = "box-sizing: border-box; width: 100%; resize: vertical; border: 1px solid #8888"
    return (
        f'<iframe sandbox="allow-scripts" title="{escape(title)}" style="{looks}; height: {height}" '
        f'srcdoc="{escape(document)}"></iframe>'
    )
