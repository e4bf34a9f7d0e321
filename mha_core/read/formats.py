"""Which format a text is in, what of it is read, and the limits of what is read."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Final

from mha_core.errors import N_, ReadError
from mha_core.read.document import Document, Region, tidied

MAX_BYTES: Final = 5_000_000
"""The largest file. Notebooks with pictures are much larger than their texts."""
MAX_TEXT: Final = 1_000_000
"""The longest text, in characters, once pictures and markup are left out."""
FORMATS: Final = ("md", "tex", "html", "ipynb", "txt", "py", "pdf")
_SUFFIXES: Final = {"markdown": "md", "htm": "html", "xhtml": "html", "text": "txt", "rmd": "md", "qmd": "md"}
_COMMENT: Final = re.compile(r"(?<!\\)%[^\n]*")


def read_document(content: bytes | str, name: str = "") -> Document:
    """The document in a file of this name; without a known suffix the text says what it is.

    Raises ``ReadError`` where the content is too large or is not a text.
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    if len(data) > MAX_BYTES:
        raise ReadError(N_("the file is larger than {most} MB"), most=MAX_BYTES // 1_000_000)
    format_name = _format(data, name)
    if format_name == "pdf":
        from mha_core.read.pdf import from_pdf

        return _within_limit(from_pdf(data))
    return _within_limit(_from_text(_decoded(data), format_name))


def _within_limit(document: Document) -> Document:
    if len(document.text) > MAX_TEXT:
        raise ReadError(N_("the text is longer than {most} characters"), most=f"{MAX_TEXT:,}")
    return document


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig").replace("\x00", " ")
    except UnicodeDecodeError:
        raise ReadError(N_("this is not a text in UTF-8")) from None


def _format(data: bytes, name: str) -> str:
    suffix = PurePath(name).suffix.lower().removeprefix(".")
    known = _SUFFIXES.get(suffix, suffix)
    if known in FORMATS:
        return known
    start = data[:2000].lstrip()
    if start.startswith(b"%PDF"):
        return "pdf"
    if start.startswith(b"{") and b'"cells"' in data:
        return "ipynb"
    if re.match(rb"(?i)<!doctype html|<html", start):
        return "html"
    return "tex" if b"\\documentclass" in start or b"\\begin{document}" in data else "md"


def _from_text(text: str, format_name: str) -> Document:
    if format_name == "ipynb":
        from mha_core.read.notebooks import from_notebook

        return from_notebook(text)
    if format_name == "html":
        from mha_core.read.pages import from_html

        return from_html(text)
    if format_name == "md":
        from mha_core.read.markdown import from_markdown

        return from_markdown(text)
    shown, origin = tidied(text)
    shown = _COMMENT.sub(lambda found: " " * len(found[0]), shown) if format_name == "tex" else shown
    kind = Region("code" if format_name == "py" else "prose", 0, len(shown))
    return Document(text, shown, origin, (kind,), format_name)
