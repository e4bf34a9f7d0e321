"""What the browser's side takes from Python: types of what is sent, and names. Python says them; this writes them down.

    python tools/declarations.py update     write the files
    python tools/declarations.py check      the same without writing: says what is out of date, exit status 1

An edit is a dataclass and an answer a ``TypedDict``; each becomes an interface in ``web/generated.d.ts``, under the
namespace ``Sent``. The names of the address's parameters become a module.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from json import dumps
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

from mha_api import message  # noqa: E402  # from this checkout
from mha_core import Cell  # noqa: E402
from mha_core.edit.edit import EDITS  # noqa: E402
from mha_core.edit.fields import Block, json_name  # noqa: E402
from mha_ui.state.actions import ACTIONS  # noqa: E402
from mha_ui.state.url import MODEL_KEYS, PAGE_KEYS  # noqa: E402
from mha_view.figures.figure import Payload  # noqa: E402

TYPES = ROOT / "web" / "generated.d.ts"
NAMES = ROOT / "web" / "kit" / "query_names.js"
ANSWERS = (message.LiveAnswer, message.LivePictures, message.LiveRefusal, message.LiveGone)
PLAIN = {str: "string", bool: "boolean", int: "number", float: "number", NoneType: "null", object: "unknown"}
WIDTH = 110
SPELT = {Cell: "Cell", Block: "(number | boolean | string | null)[][]", Payload: "object"}
"""What Python's type says less of than is known."""


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
        f"export const PAGE_KEYS = {_list(PAGE_KEYS)};\n"
    )


def _list(keys: Sequence[str]) -> str:
    """A list as Biome sets it."""
    line = f"[{', '.join(map(dumps, keys))}]"
    return line if len(line) < 60 else "[\n" + "".join(f"  {dumps(key)},\n" for key in keys) + "]"


# --- types ---------------------------------------------------------------------------------------------------------


def declarations() -> str:
    """All interfaces, each before what is built of it."""
    found: dict[str, str] = {}
    unions = {
        "Edit": [_interface(kind, found, {"op": f'"{op}"'}) for op, kind in EDITS.items()],
        "Action": [_interface(kind, found, {"op": f'"{op}"'}) for op, kind in ACTIONS.items()],
        "LiveMessage": [_interface(kind, found) for kind in ANSWERS],
    }
    unions["Operation"] = ["(Edit | Action) & { seq: number }"]
    head = "// What Python and the browser send each other, by the types in Python: tools/declarations.py writes it.\n"
    body = [*found.values(), *(_union(name, members) for name, members in unions.items())]
    return f"{head}\ndeclare namespace Sent {{\n" + "\n".join(body) + "}\n"


def _union(name: str, members: Sequence[str]) -> str:
    line = f"  type {name} = {' | '.join(members)};\n"
    if len(line) <= WIDTH:
        return line
    return f"  type {name} =\n" + "\n".join(f"    | {member}" for member in members) + ";\n"


def _interface(kind: type, found: dict[str, str], fixed: Mapping[str, str] | None = None) -> str:
    """The name of the interface of a dataclass or ``TypedDict``, which is put among those that were found."""
    if kind.__name__ not in found:
        lines = [f"    {name}: {value};" for name, value in (fixed or {}).items()]
        lines += [f"    {line};" for line in _members(kind, found)]
        doc = (kind.__doc__ or "").strip().split("\n")[0].replace("``", "`")
        found[kind.__name__] = (
            f"  /** {doc} */\n  interface {kind.__name__} {{\n" + "\n".join(lines) + "\n  }\n"
        )
    return kind.__name__


def _members(kind: type, found: dict[str, str]) -> Iterator[str]:
    hints = get_type_hints(kind, include_extras=True)
    if is_dataclass(kind):
        for field in fields(kind):
            has_default = field.default is not MISSING or field.default_factory is not MISSING
            yield f"{json_name(field.name)}{'?' if has_default else ''}: {_spelt(hints[field.name], found)}"
    else:
        for name, hint in hints.items():
            yield f"{name}{'?' if get_origin(hint) is NotRequired else ''}: {_spelt(hint, found)}"


def _spelt(hint: Any, found: dict[str, str]) -> str:
    """A type of Python's in TypeScript."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint in SPELT:
        return SPELT[hint]
    if hint in PLAIN:
        return PLAIN[hint]
    if is_dataclass(hint) or is_typeddict(hint):
        return _interface(hint, found)
    if origin in (Annotated, NotRequired):
        return _spelt(parts[0], found)
    if origin is Literal:
        return " | ".join(map(dumps, parts))
    if origin in (Union, UnionType):
        spelt = dict.fromkeys(_spelt(part, found) for part in parts)
        return "unknown" if "unknown" in spelt else " | ".join(spelt)
    return _spelt_many(hint, origin, parts, found)


def _spelt_many(hint: Any, origin: Any, parts: tuple[Any, ...], found: dict[str, str]) -> str:
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"Record<string, {_spelt(parts[1], found)}>"
    if origin is tuple and parts[-1] is not ...:
        return f"[{', '.join(_spelt(part, found) for part in parts)}]"
    if isinstance(origin, type) and issubclass(origin, Sequence):
        one = _spelt(parts[0], found)
        return f"({one})[]" if get_origin(parts[0]) in (Union, UnionType, Literal) else f"{one}[]"
    raise TypeError(f"no TypeScript is known for {hint}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
