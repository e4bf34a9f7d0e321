"""The browser's modules and stylesheets in ``web/``: where they are, and how they are served.

Each folder of ``web/`` is a page, except ``kit``, from which all pages import; a page's folder has subfolders. A page's
modules are bundled into one script and the kit's into another: a whole lecture hall opens a page at once, and a browser
that discovers forty modules one by one sends forty requests. The address has a digest of all modules, so a browser
caches them for good. For development, modules are served as they are.

The bundler understands only the style of these modules: an import names what it imports, an export stands directly
before a declaration, and imports have no cycles.
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
"""In place of the digest, for development: the modules are read from the disk each time."""
_IMPORT: Final = re.compile(r'^import (\{[^{}]*\}) from "([^"]+)";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:const|function|async function|class) (\w+))", re.MULTILINE)
_DEFAULT_EXPORT: Final = re.compile(r"^export default ", re.MULTILINE)
_OTHER_SYNTAX: Final = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
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
    """A module such as ``kit/dom.js`` as it is; ``None`` if it does not exist."""
    path = WEB / module
    return path.read_text("utf-8") if path in _files() else None


def script(module: str) -> str:
    """A module such as ``audience/follow.js`` with everything that it imports, as one module without comments.

    Raises ``ValueError`` where a module imports or exports in another style, or in a cycle.
    """
    return _without_comments("".join(_gathered([WEB / module]).values()))


def bundled(page: str) -> str | None:
    """A page's default exports, with everything that they import except the kit, as one module without comments.

    For ``kit`` it is the whole kit. It exports each module by its ``name``, as an object of its exports. ``None`` if
    the page has no default export. Raises ``ValueError`` as ``script`` does.
    """
    kit = set(_modules_of(KIT)) if page != KIT else set()
    wanted = [path for path in _modules_of(page) if page == KIT or _mounts(path)]
    if not wanted:
        return None
    parts = _gathered(wanted, kit)
    kit_names = ", ".join(_name(path) for path in sorted(kit))
    first = f'import {{ {kit_names} }} from "./{KIT}.js";\n' if kit else ""
    last = f"export {{ {', '.join(map(_name, parts))} }};\n"
    return _without_comments("".join([first, *parts.values(), last]))


def name(module: str) -> str:
    """The variable with a module's exports in a bundle: ``kit_dom`` for ``kit/dom.js``."""
    return module.removesuffix(".js").replace("/", "_")


_SPACES: Final = re.compile(
    r"""(?P<text>"[^"]*")|(?P<none>/\*.*?\*/|(?<=:)\s+)|\s*(?P<sign>[{};,])\s*|\s+""", re.DOTALL
)


def style(sheet: str) -> str:
    """A stylesheet such as ``audience/follow.css`` with everything that it imports."""
    path = WEB / sheet
    text = path.read_text("utf-8")
    return _CSS.sub(lambda match: style(_place((path.parent / match[1]).resolve())), text)


def without_spaces(sheet: str) -> str:
    """A stylesheet without comments, and without the spaces that mean nothing; its strings stay as they are."""
    return _SPACES.sub(lambda match: match["text"] or match["sign"] or ("" if match["none"] else " "), sheet)


@cache
def _files() -> frozenset[Path]:
    return frozenset(WEB.rglob("*.js"))


def _modules_of(page: str) -> list[Path]:
    return sorted(path for path in _files() if path.is_relative_to(WEB / page))


def _place(path: Path) -> str:
    return path.relative_to(WEB).as_posix()


def _name(path: Path) -> str:
    return name(_place(path))


def _mounts(path: Path) -> bool:
    return bool(_DEFAULT_EXPORT.search(path.read_text("utf-8")))


def _gathered(modules: Iterable[Path], elsewhere: Container[Path] = ()) -> dict[Path, str]:
    """Modules in order, each after everything that it imports; without those that are ``elsewhere``."""
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

    def imported(match: re.Match[str]) -> str:
        other = (path.parent / match[2]).resolve()
        _gather(other, parts, (*importing, path), elsewhere)
        return f"const {match[1].replace(' as ', ': ')} = {_name(other)};\n"

    body = _DEFAULT_EXPORT.sub("const mounted_here = ", _EXPORT.sub("", _IMPORT.sub(imported, text)))
    if other := _OTHER_SYNTAX.search(body):
        raise ValueError(f"{path.name}: {other[0]}")
    exports = ", ".join([*_EXPORT.findall(text), *(["default: mounted_here"] if _mounts(path) else [])])
    parts[path] = f"const {_name(path)} = (() => {{\n{body}\nreturn {{ {exports} }};\n}})();\n"


def _without_comments(script: str) -> str:
    import rjsmin  # noqa: PLC0415  # only the app has it; a handout needs nothing but the stylesheets

    return str(rjsmin.jsmin(script))
