"""What a browser sends, as frozen data: how an instruction and each type of its fields is read from plain data.

A field's type determines how it is read: an ``Annotated`` type names the function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cache
from types import NoneType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    TypeAlias,
    TypeVar,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from mha_core.edit.matrices import cell_value
from mha_core.errors import N_, ExampleError
from mha_core.example.learning import Learning
from mha_core.example.learning_file import read_learning
from mha_core.example.lecture import Lecture
from mha_core.example.lecture_file import read_lecture
from mha_core.example.model import Scale
from mha_core.example.puzzle import Puzzle
from mha_core.example.puzzle_file import read_puzzle
from mha_core.quoted import quoted
from mha_core.vocabulary import SCORINGS, ScoringName

Read: TypeAlias = Callable[[object, str], Any]
"""A value and the name of its field → the value with its declared type; raises ``ExampleError`` naming the field."""


def _whole(value: object, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ExampleError(N_("expected a whole number, got {got}"), place=place, got=quoted(value))
    return value


def _index(value: object, place: str) -> int:
    """From 0 on: a negative index would count from the end."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ExampleError(
            N_("expected a whole number, 0 or more, got {got}"), place=place, got=quoted(value)
        )
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


def _sequence_of(read: Read) -> Read:
    return lambda value, place: tuple(
        read(item, f"{place}[{i}]") for i, item in enumerate(_list(value, place))
    )


def _block(value: object, place: str) -> Block:
    """Rows of cells, at least one. Which cells are valid depends on the matrix that they go to."""
    rows = tuple(tuple(_list(row, f"{place}[{i}]")) for i, row in enumerate(_list(value, place)))
    if not rows:
        raise ExampleError(N_("expected at least one number, got none"), place=place)
    return rows


def _scale(value: object, _: str) -> Scale:
    """The divisor of the scores. Errors name it "scale", whatever the field is called."""
    if value == "sqrt_dk":
        return "sqrt_dk"
    return "none" if value == "none" else float(cell_value("scale", value, "scale"))


def _softcap(value: object, _: str) -> float:
    return float(cell_value("softcap", value, "softcap"))


def _eps(value: object, _: str) -> float:
    return float(cell_value("norm.eps", value, "norm.eps"))


@dataclass(frozen=True)
class OneOf:
    """Reads one of these names."""

    names: tuple[str, ...]

    def __call__(self, value: object, place: str) -> str:
        """The name. Raises ``ExampleError`` for any other value."""
        if not isinstance(value, str) or value not in self.names:
            raise ExampleError(
                N_("expected {expected}, got {got}"),
                place=place,
                expected=", ".join(self.names),
                got=quoted(value),
            )
        return value


FillKind: TypeAlias = Literal["zeros", "identity", "integers", "random"]
FILLS: Final[tuple[FillKind, ...]] = get_args(FillKind)
Axis: TypeAlias = Literal["d_model", "d_context", "d_k", "d_v", "d_out", "d_a"]
RESIZABLE: Final[tuple[Axis, ...]] = get_args(Axis)
Which: TypeAlias = Literal["tokens", "context_tokens"]
"""Whose tokens: the queries', or those of the context."""
Whole: TypeAlias = Annotated[int, _whole]
Index: TypeAlias = Annotated[int, _index]
Block: TypeAlias = Annotated[Sequence[Sequence[object]], _block]
"""Rows of cells, each a number, true or false, a printed number or None, depending on the matrix that they go to."""
Texts: TypeAlias = Annotated[tuple[str, ...], _sequence_of(_text)]
Order: TypeAlias = Annotated[tuple[int, ...], _sequence_of(_index)]
AnyScale: TypeAlias = Annotated[Scale, _scale]
AnyEps: TypeAlias = Annotated[float, _eps]
AnySoftcap: TypeAlias = Annotated[float, _softcap]
AnyScoring: TypeAlias = Annotated[ScoringName, OneOf(SCORINGS)]
AnyLecture: TypeAlias = Annotated[Lecture, read_lecture]
AnyLearning: TypeAlias = Annotated[Learning, read_learning]
AnyPuzzle: TypeAlias = Annotated[Puzzle, read_puzzle]
MaskKind: TypeAlias = Literal["none", "causal", "causal_window", "window", "painted"]
MASK_KINDS: Final[tuple[MaskKind, ...]] = get_args(MaskKind)

_PLAIN: Final[dict[object, Read]] = {str: _text, bool: _flag}


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Instruction:
    """Something that a browser can send. ``op`` is its name in JSON; every class with one is a frozen dataclass."""

    op: ClassVar[str]

    def __init_subclass__(cls, op: str = "") -> None:
        if op:
            cls.op = op
            dataclass(frozen=True, kw_only=True)(cls)


T = TypeVar("T", bound=Instruction)


def by_op(base: type[T]) -> dict[str, type[T]]:
    """Every kind of instruction with this base, by its operation."""
    return {kind.op: kind for kind in base.__subclasses__()}


def read_instruction(kinds: Mapping[str, type[T]], data: Mapping[str, Any]) -> T | None:
    """The instruction in plain data, None for an unknown operation. A field that is left out, or null, has its default.

    Raises ``ExampleError`` where a field is wrong or missing.
    """
    op = data.get("op")
    kind: Any = kinds.get(op) if isinstance(op, str) else None
    if kind is None:
        return None
    given = {}
    for name, key, read, is_required in _fields(kind):
        value = data.get(key)
        if value is not None or is_required:
            given[name] = read(value, key)
    instruction: T = kind(**given)
    return instruction


def json_name(name: str) -> str:
    """A field's name in JSON: ``with_`` has an underscore since ``with`` is a keyword of Python."""
    return name.rstrip("_")


@cache
def _fields(kind: type[Any]) -> tuple[tuple[str, str, Read, bool], ...]:
    """Each field's name, its name in JSON, how it is read, and whether it is required."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(
        (field.name, json_name(field.name), _reader(hints[field.name]), field.default is MISSING)
        for field in fields(kind)
    )


def _reader(hint: Any) -> Read:
    """How a field of this type is read. For one that may be None, how a given value is read."""
    if NoneType in get_args(hint):
        return _reader(get_args(hint)[0])
    if get_origin(hint) is Annotated:
        read: Read = get_args(hint)[1]
        return read
    if get_origin(hint) is Literal:
        return OneOf(get_args(hint))
    return _PLAIN[hint]
