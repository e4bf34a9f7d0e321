"""Rows as CSV that a spreadsheet reads as text and numbers alone."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from io import StringIO


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """A line for each row; an empty row is an empty line.

    >>> csv_text([["=1+1", 2]])
    "'=1+1,2\\n"
    """
    out = StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    for row in rows:
        write([_text(cell) if isinstance(cell, str) else cell for cell in row])
    return out.getvalue()


def _text(text: str) -> str:
    """A cell's text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
