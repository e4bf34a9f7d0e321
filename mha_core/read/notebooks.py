"""Notebooks: the sources of the cells and the texts that they printed, with their places in the file.

The standard library reads the JSON; its own scanner says where each string begins, which a notebook library does not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from mha_core.errors import N_, ReadError
from mha_core.read.document import Builder, Document, Region
from mha_core.read.markdown import regions_of

_ESCAPE: Final = re.compile(r"(?:\\u[dD][89abAB][0-9a-fA-F]{2})?\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Placed:
    """A string of the file as it is written, and where it begins."""

    text: str
    at: int


class _Pairs(list[Any]):
    """The keys and values of an object in the file's order, twice the same key included."""


def from_notebook(source: str) -> Document:
    """The document of a notebook. Raises ``ReadError`` where the file is none."""
    try:
        plain = json.loads(source, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError):
        raise ReadError(N_("this is not a notebook: it is not valid JSON")) from None
    strings = iter([_Placed(found[0], found.start()) for found in _STRING.finditer(source)])
    notebook = _with_places(plain, strings)
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise ReadError(N_("this is not a notebook: it has no cells"))
    builder = Builder()
    for kind, texts in _texts(notebook):
        _add(builder, source, kind, texts)
    return builder.document(source, "ipynb")


def _with_places(value: Any, strings: Iterator[_Placed]) -> Any:
    """The decoded value with a ``_Placed`` for every string; the file's strings come in the same order."""
    if isinstance(value, str):
        return next(strings)
    if isinstance(value, _Pairs):
        placed = {}
        for key, item in value:
            next(strings)
            placed[key] = _with_places(item, strings)
        return placed
    if isinstance(value, list):
        return [_with_places(item, strings) for item in value]
    return value


def _texts(notebook: dict[str, Any]) -> Iterator[tuple[str, list[_Placed]]]:
    """(markdown, code or output; the strings of it) of every cell and output, in order."""
    for cell in notebook["cells"]:
        if not isinstance(cell, dict):
            continue
        kind = cell.get("cell_type")
        name = kind.text.strip('"') if isinstance(kind, _Placed) else ""
        yield name, _strings(cell.get("source"))
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else ():
            if isinstance(output, dict):
                data = output.get("data")
                printed = output.get("text", data.get("text/plain") if isinstance(data, dict) else None)
                yield "output", _strings(printed)


def _strings(value: Any) -> list[_Placed]:
    parts = value if isinstance(value, list) else [value]
    return [part for part in parts if isinstance(part, _Placed)]


def _add(builder: Builder, source: str, kind: str, texts: list[_Placed]) -> None:
    start = len(builder.origin)
    for placed in texts:
        text, places = _decoded(source, placed)
        builder.add(text, places)
    builder.mark("\n\n", max(builder.origin[-1:], default=0))
    if kind == "markdown":
        text = "".join(builder.pieces[-len(texts) - 1 :])
        builder.regions += [Region(r.kind, start + r.start, start + r.end) for r in regions_of(text)]
    else:
        builder.region("output" if kind == "output" else "code" if kind == "code" else "prose", start)


def _decoded(source: str, placed: _Placed) -> tuple[str, list[int]]:
    """A string of the file, decoded, with the place of each character."""
    begin, end = placed.at + 1, placed.at + len(placed.text) - 1
    if "\\" not in placed.text:
        return placed.text[1:-1], list(range(begin, end))
    characters, places, at = list[str](), list[int](), begin
    for found in _ESCAPE.finditer(source, begin, end):
        decoded = json.loads(f'"{found[0]}"', strict=False)
        characters += (source[at : found.start()], decoded)
        places += (*range(at, found.start()), *[found.start()] * len(decoded))
        at = found.end()
    return "".join((*characters, source[at:end])), [*places, *range(at, end)]
