"""The browser's modules: where they stand, what they import, and the version that their address holds.

They are served bundled (``bundle``), a page's as one script and the kit's as another, at an address that holds a digest
of them all, so that a browser keeps them for good; and as they are to who edits them.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Final

_UI: Final = Path(__file__).resolve().parents[1]
KIT: Final = "web"
"""The page whose modules all others import from."""
IMPORT: Final = re.compile(r'^import (\{[^{}]*\}) from "([^"]+)";\n', re.MULTILINE)
"""An import as the modules write it: what it takes, and from where."""
AS_THEY_ARE: Final = "now"
"""In place of the digest, for who edits them: they are read anew each time."""


@cache
def digest() -> str:
    """Another one for other modules."""
    texts = b"\0".join(path.name.encode() + path.read_bytes() for path in sorted(_files().values()))
    return hashlib.sha256(texts).hexdigest()[:16]


def plain(page: str, name: str) -> str | None:
    """The module ``name`` of a page's assets as it is; ``None`` where there is none."""
    path = _files().get((page, name))
    return path.read_text("utf-8") if path else None


def of_page(page: str) -> list[Path]:
    """All modules of a page's assets."""
    return sorted(path for (owner, _), path in _files().items() if owner == page)


def page_of(path: Path) -> str:
    """The page whose assets a module belongs to."""
    return path.parents[1].name


def imported(path: Path, module: str) -> Path:
    """Where a module that another one names stands, ``./place.js`` beside it and ``../mha.web/dom.js`` in the kit."""
    if module.startswith("./"):
        return path.parent / module.removeprefix("./")
    page, _, name = module.removeprefix("../mha.").partition("/")
    return _UI / page / "assets" / name


@cache
def _files() -> dict[tuple[str, str], Path]:
    return {(page_of(path), path.name): path for path in _UI.glob("*/assets/*.js")}
