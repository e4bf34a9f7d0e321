"""An example in a notebook: its walk as a page in a frame."""

from __future__ import annotations

from html import escape

from mha_core.compute.trace import trace
from mha_core.errors import ExportError
from mha_core.example.model import Dims, Example, text_in
from mha_core.messages import in_words, shell_language
from mha_view.handout import as_html
from mha_view.notebook.frame import framed


def page(example: Example) -> str:
    """What ``Example._repr_html_`` shows: self-contained HTML, with text escaped; for a large example only its sizes.

    The frame keeps the page's style out of the notebook.
    """
    language = shell_language()
    try:
        html = as_html(trace(example), language)
    except ExportError as error:
        return _sizes(example, language, in_words(error, language))
    return framed(html, text_in(example.title, language))


def _sizes(example: Example, language: str, reason: str) -> str:
    dims = example.dims
    cells = "".join(
        f"<tr><th>{name}</th><td>{getattr(dims, name)}</td></tr>"
        for name in Dims.__dataclass_fields__
        if getattr(dims, name)
    )
    title = escape(text_in(example.title, language))
    return f"<table><caption>{title}</caption>{cells}</table><p>{escape(reason)}</p>"
