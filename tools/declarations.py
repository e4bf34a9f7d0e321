"""What the browser's side takes from Python: types of what is sent, and names. Python says them; this writes them down.

    python tools/declarations.py update     write the files
    python tools/declarations.py check      the same without writing: says what is out of date, exit status 1

An edit is a dataclass and an answer a ``TypedDict``; each becomes an interface in ``web/generated.d.ts``. A text in
``Annotated`` is the name of a type in TypeScript. The names of the address's parameters become a module.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from inspect import cleandoc, getsource
from json import dumps
from operator import attrgetter
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from mha_api.channel import LiveMessage  # noqa: E402  # from this checkout
from mha_core import Cell  # noqa: E402
from mha_core.edit.edit import EDITS  # noqa: E402
from mha_core.edit.fields import Block, json_name  # noqa: E402
from mha_core.example.model import Scale  # noqa: E402
from mha_core.example.puzzle import Puzzle  # noqa: E402
from mha_core.example.puzzle_file import PuzzleJson  # noqa: E402
from mha_ui.bench.answers import NextAnswer, WholeAnswer  # noqa: E402
from mha_ui.check.article import ArticleData  # noqa: E402
from mha_ui.state.actions import ACTIONS  # noqa: E402
from mha_ui.state.url import MODEL_KEYS, PAGE_KEYS  # noqa: E402
from mha_ui.walkthrough.model import WalkModel  # noqa: E402
from mha_view import payloads  # noqa: E402
from mha_view.page.data import PageData  # noqa: E402

TYPES = ROOT / "web" / "generated.d.ts"
NAMES = ROOT / "web" / "kit" / "query_names.js"
PLAIN = {str: "string", bool: "boolean", int: "number", float: "number", NoneType: "null", object: "unknown"}
WIDTH = 110
SPELT = {Cell: "Cell", Block: "(Value | null)[][]"}
"""What Python's type says less of than is known."""
WRITTEN: Mapping[Any, Any] = {Puzzle: PuzzleJson}
"""What has other fields in JSON than in Python."""
ALIASES = {
    "Scale": Scale,
    "Value": payloads.Value,
    "Rows": payloads.Rows,
    "LensRows": payloads.LensRows,
    "Matrix": payloads.Matrix,
    "LiveMessage": LiveMessage,
}
"""Types that are no classes: Python does not know their names."""


def main(command: str) -> int:
    """Write the files, or say which of them are out of date."""
    stale = 0
    for path, text in ((TYPES, declarations()), (NAMES, names())):
        if command == "update":
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path.relative_to(ROOT)} is out of date: python tools/declarations.py update")
            stale = 1
    return stale


# --- names ---------------------------------------------------------------------------------------------------------


def names() -> str:
    """The module with the address's parameters."""
    return (
        "// The query parameters of our addresses, from mha_ui/state/url.py. Written by tools/declarations.py.\n\n"
        "/** What an address says of models. */\n"
        f"export const MODEL_KEYS = {_list(MODEL_KEYS)};\n"
        "/** Every parameter that a page of ours writes. */\n"
        f"export const PAGE_KEYS = {_list([key for key in PAGE_KEYS if key not in MODEL_KEYS], '...MODEL_KEYS')};\n"
    )


def _list(keys: Sequence[str], *rest: str) -> str:
    """A list of these texts, and what else is in it, as Biome sets it."""
    items = [*map(dumps, keys), *rest]
    line = f"[{', '.join(items)}]"
    return line if len(line) < 60 else "[\n" + "".join(f"  {item},\n" for item in items) + "]"


# --- types ---------------------------------------------------------------------------------------------------------


def declarations() -> str:
    """All types, each before what is built of it."""
    found: dict[type, str] = {}
    operations = [_interface(kind, found, op) for op, kind in (EDITS | ACTIONS).items()]
    aliases = [_union(name, _members_of(hint, found)) for name, hint in ALIASES.items()]
    for kind in (WholeAnswer, NextAnswer, WalkModel, payloads.FollowedWalk, PageData, ArticleData):
        _interface(kind, found)
    doubled = [name for name, count in Counter(kind.__name__ for kind in found).items() if count > 1]
    if doubled:
        raise TypeError(f"two types of the same name: {', '.join(doubled)}")
    head = "// What Python and the browser send each other, by the types in Python: tools/declarations.py writes it.\n"
    return "\n".join([head, *found.values(), *aliases, _union("Operation", operations)])


def _members_of(hint: Any, found: dict[type, str]) -> list[str]:
    """The members of a union, or the one type that this is."""
    is_union = get_origin(hint) in (Union, UnionType)
    return [_composed(part, found) for part in (get_args(hint) if is_union else [hint])]


def _union(name: str, members: Sequence[str]) -> str:
    line = f"type {name} = {' | '.join(members)};\n"
    if len(line) <= WIDTH:
        return line
    return f"type {name} =\n" + "\n".join(f"  | {member}" for member in members) + ";\n"


def _interface(kind: Any, found: dict[type, str], op: str = "") -> str:
    """The name of the interface of a dataclass or ``TypedDict``, which is put among those that were found."""
    if kind not in found:
        bases = _bases(kind)
        above = [_interface(base, found) for base in bases]
        lines = [f'  op: "{op}";'] if op else []
        lines += [f"  {line};" for line in _members(kind, bases, found)]
        extended = f" extends {', '.join(above)}" if above else ""
        found[kind] = f"{_comment(kind)}interface {kind.__name__}{extended} {{\n" + "\n".join([*lines, "}\n"])
    return str(kind.__name__)


def _bases(kind: Any) -> list[Any]:
    """Those of a ``TypedDict``, which Python 3.11 forgets."""
    (definition,) = ast.parse(getsource(kind)).body
    names = [ast.unparse(base) for base in definition.bases] if isinstance(definition, ast.ClassDef) else []
    return list(filter(is_typeddict, (attrgetter(name)(sys.modules[kind.__module__]) for name in names)))


def _comment(kind: Any) -> str:
    lines = cleandoc(kind.__doc__ or "").replace("``", "`").split("\n")
    if len(lines) == 1:
        return f"/** {lines[0]} */\n"
    return "\n".join(["/**", *(f" * {line}".rstrip() for line in lines), " */\n"])


def _members(kind: Any, bases: Sequence[Any], found: dict[type, str]) -> Iterator[str]:
    hints = get_type_hints(kind, include_extras=True)
    if is_dataclass(kind):
        for field in fields(kind):
            has_default = field.default is not MISSING or field.default_factory is not MISSING
            yield f"{json_name(field.name)}{'?' if has_default else ''}: {_spelt(hints[field.name], found)}"
    else:
        above = {name for base in bases for name in get_type_hints(base)}
        for name, hint in hints.items():
            if name not in above:
                yield f"{name}{'?' if get_origin(hint) is NotRequired else ''}: {_spelt(hint, found)}"


def _spelt(hint: Any, found: dict[type, str]) -> str:
    """A type of Python's in TypeScript."""
    alias = next((name for name, known in ALIASES.items() if known == hint), None)
    return alias or _composed(hint, found)


def _composed(hint: Any, found: dict[type, str]) -> str:
    origin, parts = get_origin(hint), get_args(hint)
    if hint in SPELT:
        return SPELT[hint]
    if hint in PLAIN:
        return PLAIN[hint]
    if hint in WRITTEN:
        return _spelt(WRITTEN[hint], found)
    if is_dataclass(hint) or is_typeddict(hint):
        return _interface(hint, found)
    if isinstance(hint, type) and hasattr(hint, "_fields"):  # a named tuple, which is a list in JSON
        members = [_spelt(part, found) for part in get_type_hints(hint).values()]
        return f"[{', '.join(members)}]"
    if origin is Annotated and isinstance(hint.__metadata__[0], str):
        return str(hint.__metadata__[0])
    if origin in (Annotated, NotRequired):
        return _spelt(parts[0], found)
    if origin is Literal:
        return " | ".join(map(dumps, parts))
    if origin in (Union, UnionType):
        spelt = dict.fromkeys(_spelt(part, found) for part in parts)
        return "unknown" if "unknown" in spelt else " | ".join(spelt)
    return _spelt_many(hint, origin, parts, found)


def _spelt_many(hint: Any, origin: Any, parts: tuple[Any, ...], found: dict[type, str]) -> str:
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"Record<string, {_spelt(parts[1], found)}>"
    if origin is tuple and parts[-1] is not ...:
        return f"[{', '.join(_spelt(part, found) for part in parts)}]"
    if isinstance(origin, type) and issubclass(origin, Sequence):
        member = _spelt(parts[0], found)
        is_union = get_origin(parts[0]) in (Union, UnionType, Literal) and " | " in member
        return f"({member})[]" if is_union else f"{member}[]"
    raise TypeError(f"no TypeScript is known for {hint}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
