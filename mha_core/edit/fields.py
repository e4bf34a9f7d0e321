"""The fields of every edit, read from plain data as a browser sends it.

``read_edit`` is the boundary: behind it an edit holds all its fields, each of its declared type, and whatever goes
wrong there is a fault of the program. A field that is left out is read as None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from mha_core.errors import N_, ExampleError
from mha_core.example.files import read_lecture
from mha_core.example.model import PAIRS, POSITIONS
from mha_core.quoted import quoted
from mha_core.vocabulary import SCORINGS

Edit: TypeAlias = Mapping[str, Any]

Read: TypeAlias = Callable[[object, str], Any]
"""A value and the name of its field → the value, typed; raises ``ExampleError`` naming the field."""

FILLS: Final = ("zeros", "identity", "integers", "random")


def _whole(value: object, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ExampleError(N_("expected a whole number, got {got}"), place=place, got=quoted(value))
    return value


def _index(value: object, place: str) -> int:
    """From 0 on: negative ones would count from the end."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ExampleError(N_("expected a whole number from 0 on, got {got}"), place=place, got=quoted(value))
    return value


def _text(value: object, place: str) -> str:
    if not isinstance(value, str):
        raise ExampleError(N_("expected text, got {got}"), place=place, got=quoted(value))
    return value


def _flag(value: object, place: str) -> bool:
    if not isinstance(value, bool):
        raise ExampleError(N_("expected true or false, got {got}"), place=place, got=quoted(value))
    return value


def _list(value: object, place: str) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise ExampleError(N_("expected a list in brackets, got {got}"), place=place, got=quoted(value))
    return list(value)


def _texts(value: object, place: str) -> list[str]:
    return [_text(text, f"{place}[{i}]") for i, text in enumerate(_list(value, place))]


def _order(value: object, place: str) -> list[int]:
    return [_index(index, f"{place}[{i}]") for i, index in enumerate(_list(value, place))]


def _block(value: object, place: str) -> list[list[Any]]:
    """Rows of cells, one at least; what a cell may be depends on where it goes."""
    rows = [_list(row, f"{place}[{i}]") for i, row in enumerate(_list(value, place))]
    if not rows:
        raise ExampleError(N_("expected at least one number, got none"), place=place)
    return rows


def _maybe(read: Read, default: Any = None) -> Read:
    """The default where it is left out."""
    return lambda value, place: default if value is None else read(value, place)


def _one_of(*known: str) -> Read:
    def read(value: object, place: str) -> str:
        if not isinstance(value, str) or value not in known:
            raise ExampleError(
                N_("expected {expected}, got {got}"),
                place=place,
                expected=", ".join(known),
                got=quoted(value),
            )
        return value

    return read


_PLACE: Final[dict[str, Read]] = {"matrix": _text, "head": _maybe(_index)}
_BLOCK: Final = {**_PLACE, "row": _index, "col": _index, "values": _block}
_AS_IT_COMES: Final[Read] = lambda value, _: value  # noqa: E731  # what a scale may be, its operation says
_TOKENS: Final = _one_of("tokens", "context_tokens")
RESIZABLE: Final = ("d_model", "d_context", "d_k", "d_v", "d_out", "d_a")

FIELDS: Final[dict[str, dict[str, Read]]] = {
    "set": {**_BLOCK, "grow": _maybe(_flag, False)},
    "fill": {**_PLACE, "with": _one_of(*FILLS), "seed": _maybe(_index, 0)},
    "rename_token": {"which": _TOKENS, "index": _index, "text": _text},
    "add_token": {"which": _TOKENS, "index": _maybe(_index), "text": _maybe(_text, "")},
    "remove_token": {"which": _TOKENS, "index": _index},
    "permute": {"order": _order},
    "sentence": {"which": _TOKENS, "tokens": _texts},
    "add_head": {"copy": _maybe(_index)},
    "remove_head": {"head": _maybe(_index)},
    "resize": {"axis": _one_of(*RESIZABLE), "by": _maybe(_whole), "size": _maybe(_index)},
    "w_o": {"on": _flag},
    "values": {"on": _flag},
    "biases": {"on": _flag},
    "mask": {"kind": _one_of("none", "causal", "painted")},
    "scale": {"value": _AS_IT_COMES},
    "context": {"on": _flag},
    "scoring": {"kind": _one_of(*SCORINGS), "scale": _AS_IT_COMES},
    "kv_heads": {"count": _whole},
    "positions": {"kind": _one_of("none", *POSITIONS), "pairs": _maybe(_one_of(*PAIRS))},
    "title": {"text": _text},
    "lecture": {"lecture": _maybe(read_lecture)},
    "claim": _BLOCK,
    "claim_text": {
        **_PLACE,
        "row": _maybe(_index, 0),
        "col": _maybe(_index, 0),
        "text": _text,
        "whole": _maybe(_flag, False),
    },
    "clear_claims": {"matrix": _maybe(_text), "head": _maybe(_index)},
}
"""By operation: its fields, and how each is read."""


def read_edit(edit: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The operation, and its fields. Raises ``ExampleError`` where there is no such operation or field."""
    op = edit.get("op")
    if not isinstance(op, str) or op not in FIELDS:
        raise ExampleError(N_("this is no edit"))
    return op, {name: read(edit.get(name), name) for name, read in FIELDS[op].items()}
