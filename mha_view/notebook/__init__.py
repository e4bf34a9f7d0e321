"""An example in a notebook: its page in a cell, and a widget whose example follows the hand."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from mha_core.compute.trace import Trace, trace
from mha_core.errors import ExportError, MhaError, needs
from mha_core.example.model import Dims, Example
from mha_core.messages import in_words, shell_language
from mha_view.about import title_of
from mha_view.notebook.cell import cell

if TYPE_CHECKING:
    from mha_view.notebook.widget import Widget as Widget

__all__ = ["Widget", "page"]


def page(shown: Example | Trace) -> str:
    """What ``_repr_html_`` of an example or a trace shows: the page in a frame, in the shell's language.

    Of an example that is too large for a page, and where a package is missing, only the sizes, and the reason.
    """
    language = shell_language()
    try:
        with needs("rjsmin", "notebook", ExportError):
            return cell(shown if isinstance(shown, Trace) else trace(shown), language)
    except MhaError as error:
        example = shown.example if isinstance(shown, Trace) else shown
        return _sizes(example, language, in_words(error, language))


def _sizes(example: Example, language: str, reason: str) -> str:
    dims = example.dims
    cells = "".join(
        f"<tr><th>{name}</th><td>{getattr(dims, name)}</td></tr>"
        for name in Dims.__dataclass_fields__
        if getattr(dims, name)
    )
    title = escape(title_of(example, language))
    return f"<table><caption>{title}</caption>{cells}</table><p>{escape(reason)}</p>"


def __getattr__(name: str) -> Any:  # type: ignore[explicit-any]  # of a module: whatever it is asked for
    """Load ``Widget`` on first use: it requires a package of its own."""
    if name != "Widget":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with needs("anywidget", "notebook", ExportError):
        from mha_view.notebook.widget import Widget  # noqa: PLC0415
    return Widget
