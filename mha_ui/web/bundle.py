"""Modules as one script, and stylesheets as one: a page is opened by a whole hall at once, and a browser that learns of
forty modules one by one asks forty times.

It reads what the modules here are written in: an import names what it takes, an export stands before what it declares,
and no module imports one that imports it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from functools import cache
from pathlib import Path
from typing import Final

import rjsmin

from mha_ui.web.modules import IMPORT, KIT, imported, of_page, page_of

_UI: Final = Path(__file__).resolve().parents[1]
_EXPORT: Final = re.compile(r"^export (?=(?:const|function|async function|class) (\w+))", re.MULTILINE)
_MOUNTED: Final = re.compile(r"^export default ", re.MULTILINE)
_LEFT: Final = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_CSS: Final = re.compile(r'^@import "([^"]+)";\n', re.MULTILINE)


def script(module: str) -> str:
    """A served module, such as ``walkthrough/follow.js``, with all that it imports, as one module without comments.

    Raises ``ValueError`` where a module imports or exports in another way, or round about itself.
    """
    return str(rjsmin.jsmin("".join(_gathered([_served(module)]).values())))


@cache
def bundled(page: str) -> str | None:
    """What a page mounts, with all that it imports but the kit's, as one module without comments; the kit's: all of it.

    It exports each module by its ``name``, as an object of what that exports. ``None`` where a page has no modules.
    Raises ``ValueError`` as ``script`` does.
    """
    kit = set(of_page(KIT)) if page != KIT else set()
    wanted = of_page(page) if page == KIT else [path for path in of_page(page) if _mounts(path)]
    if not wanted:
        return None
    parts = _gathered(wanted, kit)
    above = ", ".join(name(path) for path in sorted(kit))
    first = f'import {{ {above} }} from "./mha.{KIT}.js";\n' if kit else ""
    last = f"export {{ {', '.join(map(name, parts))} }};\n"
    return str(rjsmin.jsmin("".join([first, *parts.values(), last])))


def name(path: Path) -> str:
    """What holds a module's exports: of the same name there is one in the kit, and one beside it."""
    return f"{page_of(path)}_{path.stem}"


def style(sheet: str) -> str:
    """A served stylesheet with all that it imports."""
    path = _served(sheet)
    text = path.read_text("utf-8")
    return _CSS.sub(lambda match: style(f"{page_of(path)}/{match[1]}"), text)


def _served(module: str) -> Path:
    """``walkthrough/follow.js``, as it is served, in its folder."""
    page, _, file = module.partition("/")
    return _UI / page / "assets" / file


def _mounts(path: Path) -> bool:
    return bool(_MOUNTED.search(path.read_text("utf-8")))


def _gathered(modules: Iterable[Path], elsewhere: Container[Path] = ()) -> dict[Path, str]:
    """Modules, each behind all that it imports, but for what stands ``elsewhere``."""
    parts: dict[Path, str] = {}
    for path in modules:
        _gather(path, parts, (), elsewhere)
    return parts


def _gather(
    path: Path, parts: dict[Path, str], importing: tuple[Path, ...], elsewhere: Container[Path]
) -> None:
    if path in parts or path in elsewhere:
        return
    if path in importing:
        raise ValueError(f"{path.name} imports itself by way of {importing[-1].name}")
    text = path.read_text("utf-8")

    def taken(match: re.Match[str]) -> str:
        other = imported(path, match[2])
        _gather(other, parts, (*importing, path), elsewhere)
        return f"const {match[1].replace(' as ', ': ')} = {name(other)};\n"

    inside = _MOUNTED.sub("const mounted_here = ", _EXPORT.sub("", IMPORT.sub(taken, text)))
    if left := _LEFT.search(inside):
        raise ValueError(f"{path.name}: {left[0]}")
    given = ", ".join([*_EXPORT.findall(text), *(["default: mounted_here"] if _mounts(path) else [])])
    parts[path] = f"const {name(path)} = (() => {{\n{inside}\nreturn {{ {given} }};\n}})();\n"
