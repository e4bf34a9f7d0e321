"""The browser's modules as they are served: at an address that holds a digest of them all, so that a browser keeps them
for good, and without their comments.

A browser learns what a module imports when it has the module, and what that imports when it has that: forty modules
would come in five rounds. So a module that no other imports names at once all that it leans on.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Final

import rjsmin

_UI: Final = Path(__file__).resolve().parents[1]
IMPORT: Final = re.compile(r'^import (\{[^{}]*\}) from "([^"]+)";\n', re.MULTILINE)
"""An import as the modules write it: what it takes, and from where."""
AS_THEY_ARE: Final = "now"
"""In place of the digest, for who edits them: they are read anew each time."""


@cache
def digest() -> str:
    """Another one for other modules."""
    texts = b"\0".join(path.name.encode() + path.read_bytes() for path in sorted(_files().values()))
    return hashlib.sha256(texts).hexdigest()[:16]


@cache
def packed(page: str, name: str) -> str | None:
    """The module ``name`` of a page's assets as a browser keeps it; ``None`` where there is none."""
    text = plain(page, name)
    return text and str(rjsmin.jsmin(text))


def plain(page: str, name: str) -> str | None:
    """The same with its comments."""
    path = _files().get((page, name))
    if path is None:
        return None
    first = (
        ""
        if path in _imported_by_others()
        else "".join(f'import "{_seen(path, of)}"; ' for of in _below(path))
    )
    return first + path.read_text("utf-8")


def imports(path: Path) -> list[Path]:
    """The modules that a module names, ``./place.js`` beside it and ``../mha.web/dom.js`` in the kit."""
    return [imported(path, module) for _, module in IMPORT.findall(path.read_text("utf-8"))]


def imported(path: Path, module: str) -> Path:
    """Where a module that another one names stands."""
    if module.startswith("./"):
        return path.parent / module.removeprefix("./")
    page, _, name = module.removeprefix("../mha.").partition("/")
    return _UI / page / "assets" / name


@cache
def _files() -> dict[tuple[str, str], Path]:
    return {(path.parents[1].name, path.name): path for path in _UI.glob("*/assets/*.js")}


@cache
def _imported_by_others() -> frozenset[Path]:
    return frozenset(of for path in _files().values() for of in imports(path))


def _below(path: Path) -> list[Path]:
    """All that a module leans on, each after what it leans on itself: the order in which they run."""
    found: dict[Path, None] = {}

    def visit(at: Path) -> None:
        for of in imports(at):
            if of not in found:
                visit(of)
                found[of] = None

    visit(path)
    return list(found)


def _seen(path: Path, of: Path) -> str:
    """How a module names another."""
    return f"./{of.name}" if of.parent == path.parent else f"../mha.{of.parents[1].name}/{of.name}"
