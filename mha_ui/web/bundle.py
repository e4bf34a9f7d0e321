"""A component's modules as one script, and its stylesheets as one, for a page that is opened by a whole hall at once.

It reads what the modules here are written in: an import names what it takes, an export stands before what it declares,
and no module imports one that imports it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import rjsmin

from mha_ui.web.modules import IMPORT, imported

_UI: Final = Path(__file__).resolve().parents[1]
_EXPORT: Final = re.compile(r"^export (?=(?:const|function|async function|class) (\w+))", re.MULTILINE)
_LEFT: Final = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_CSS: Final = re.compile(r'^@import "([^"]+)";\n', re.MULTILINE)


def script(module: str) -> str:
    """A served module, such as ``walkthrough/follow.js``, with all that it imports, as one module without comments.

    Raises ``ValueError`` where a module imports or exports in another way, or round about itself.
    """
    parts: dict[Path, str] = {}
    _gather(_served(module), parts, ())
    return str(rjsmin.jsmin("".join(parts.values())))


def style(sheet: str) -> str:
    """A served stylesheet with all that it imports."""
    path = _served(sheet)
    text = path.read_text("utf-8")
    return _CSS.sub(lambda found: style(f"{path.parents[1].name}/{found[1]}"), text)


def _served(name: str) -> Path:
    """``walkthrough/follow.js``, as it is served, in its folder."""
    page, _, file = name.partition("/")
    return _UI / page / "assets" / file


def _gather(path: Path, parts: dict[Path, str], importing: tuple[Path, ...]) -> None:
    """Put a module behind those that it imports."""
    if path in parts:
        return
    if path in importing:
        raise ValueError(f"{path.name} imports itself by way of {importing[-1].name}")
    text = path.read_text("utf-8")

    def taken(found: re.Match[str]) -> str:
        other = imported(path, found[2])
        _gather(other, parts, (*importing, path))
        return f"const {found[1].replace(' as ', ': ')} = {_name(other)};\n"

    inside = _EXPORT.sub("", IMPORT.sub(taken, text))
    if left := _LEFT.search(inside):
        raise ValueError(f"{path.name}: {left[0]}")
    given = ", ".join(_EXPORT.findall(text))
    parts[path] = f"const {_name(path)} = (() => {{\n{inside}\nreturn {{ {given} }};\n}})();\n"


def _name(path: Path) -> str:
    """What holds a module's exports: of the same name there is one in the kit, and one beside it."""
    return f"{path.parents[1].name}_{path.stem}"
