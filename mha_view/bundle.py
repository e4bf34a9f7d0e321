"""The browser's modules and stylesheets in ``web/``: where they stand, and how they are served.

The folders of ``web/`` are pages, but for ``kit``, from which all of them import; a page's folder has folders of its
own. A page's modules are bundled into one script and the kit's into another, since a whole lecture hall opens a page
at once and a browser that learns of forty modules one by one asks forty times. Their address holds a digest of them
all, so that a browser keeps them for good. Whoever edits modules gets them as they are.

The bundler reads what the modules here are written in: an import names what it takes, an export stands before what it
declares, and no module imports one that imports it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Iterable
from functools import cache
from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).resolve().parent
WEB: Final = next(path for path in (_HERE / "web", _HERE.parent / "web") if path.is_dir())
"""Beside this file in an installed package, at the top of a checkout."""
KIT: Final = "kit"
AS_THEY_ARE: Final = "now"
"""In place of the digest, for whoever edits the modules: they are read anew each time."""
_IMPORT: Final = re.compile(r'^import (\{[^{}]*\}) from "([^"]+)";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:const|function|async function|class) (\w+))", re.MULTILINE)
_MOUNTED: Final = re.compile(r"^export default ", re.MULTILINE)
_LEFT: Final = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_CSS: Final = re.compile(r'^@import "([^"]+)";\n', re.MULTILINE)


@cache
def digest() -> str:
    """A version of all modules, which changes with any of them."""
    files = sorted(WEB.rglob("*.js"))
    texts = b"\0".join(_place(path).encode() + path.read_bytes() for path in files)
    return hashlib.sha256(texts).hexdigest()[:16]


def pages() -> list[str]:
    """The folders of ``web/``."""
    return sorted(path.name for path in WEB.iterdir() if path.is_dir())


def plain(module: str) -> str | None:
    """A module such as ``kit/dom.js`` as it is; ``None`` where there is none."""
    path = WEB / module
    return path.read_text("utf-8") if path in _files() else None


def script(module: str) -> str:
    """A module such as ``audience/follow.js`` with all that it imports, as one module without comments.

    Raises ``ValueError`` where a module imports or exports in another way, or imports itself by way of others.
    """
    return _without_comments("".join(_gathered([WEB / module]).values()))


def bundled(page: str) -> str | None:
    """What a page mounts, with all that it imports but the kit's, as one module without comments; the kit's: all of it.

    It exports each module by its ``name``, as an object of what that exports. ``None`` where a page mounts nothing.
    Raises ``ValueError`` as ``script`` does.
    """
    kit = set(_of_page(KIT)) if page != KIT else set()
    wanted = [path for path in _of_page(page) if page == KIT or _mounts(path)]
    if not wanted:
        return None
    parts = _gathered(wanted, kit)
    above = ", ".join(_name(path) for path in sorted(kit))
    first = f'import {{ {above} }} from "./{KIT}.js";\n' if kit else ""
    last = f"export {{ {', '.join(map(_name, parts))} }};\n"
    return _without_comments("".join([first, *parts.values(), last]))


def name(module: str) -> str:
    """What holds a module's exports in a bundle: ``kit_dom`` for ``kit/dom.js``."""
    return module.removesuffix(".js").replace("/", "_")


def style(sheet: str) -> str:
    """A stylesheet such as ``audience/follow.css`` with all that it imports."""
    path = WEB / sheet
    text = path.read_text("utf-8")
    return _CSS.sub(lambda match: style(_place((path.parent / match[1]).resolve())), text)


@cache
def _files() -> frozenset[Path]:
    return frozenset(WEB.rglob("*.js"))


def _of_page(page: str) -> list[Path]:
    return sorted(path for path in _files() if path.is_relative_to(WEB / page))


def _place(path: Path) -> str:
    return path.relative_to(WEB).as_posix()


def _name(path: Path) -> str:
    return name(_place(path))


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
        other = (path.parent / match[2]).resolve()
        _gather(other, parts, (*importing, path), elsewhere)
        return f"const {match[1].replace(' as ', ': ')} = {_name(other)};\n"

    inside = _MOUNTED.sub("const mounted_here = ", _EXPORT.sub("", _IMPORT.sub(taken, text)))
    if left := _LEFT.search(inside):
        raise ValueError(f"{path.name}: {left[0]}")
    given = ", ".join([*_EXPORT.findall(text), *(["default: mounted_here"] if _mounts(path) else [])])
    parts[path] = f"const {_name(path)} = (() => {{\n{inside}\nreturn {{ {given} }};\n}})();\n"


def _without_comments(script: str) -> str:
    import rjsmin  # noqa: PLC0415  # the app's; a handout, which takes the stylesheets from here, does without

    return str(rjsmin.jsmin(script))
