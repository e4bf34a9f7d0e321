"""What the tables send besides edits: a frozen dataclass for every operation, read as edits are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from mha_core import Cell
from mha_core.edit.edit import NO_EDIT
from mha_core.edit.fields import Whole, read_fields
from mha_core.errors import ExampleError
from mha_ui.state.history import is_whole


def _query(value: object, _: str) -> dict[str, str]:
    """An address; values that are not text are left out."""
    if not isinstance(value, Mapping):
        raise ExampleError(NO_EDIT)
    return {name: text for name, text in value.items() if isinstance(text, str)}


def _unread(value: object, _: str) -> object:
    """The value unchanged: the operation ignores what is wrong with it."""
    return value


def _text(value: object, _: str) -> str:
    """A text; an empty one in place of anything else."""
    return value if isinstance(value, str) else ""


def _flag(value: object, _: str) -> bool:
    """Whether this is JSON's true."""
    return value is True


def _cell(value: object, _: str) -> Cell | None:
    """A cell, which an example may or may not have; None in place of anything else."""
    if not isinstance(value, Mapping):
        return None
    name, head, row, col = (value.get(part) for part in Cell._fields)
    if not (isinstance(name, str) and (head is None or is_whole(head)) and is_whole(row) and is_whole(col)):
        return None
    return Cell(name, head, row, col)


def _lens(value: object, _: str) -> object:
    """The name of a lens; None where there is no such lens."""
    return value if value in ("", "change", "gradient") else None


LensName: TypeAlias = Annotated[Literal["", "change", "gradient"], _lens]
Query: TypeAlias = Annotated[Mapping[str, str], _query]
Text: TypeAlias = Annotated[str, _text]
Flag: TypeAlias = Annotated[bool, _flag]
AnyCell: TypeAlias = Annotated[Cell, _cell]
Anything: TypeAlias = Annotated[object, _unread]
"""A value of any type."""


@dataclass(frozen=True, kw_only=True)
class Action:
    """Something done at the tables other than an edit. ``op`` is the operation's name in JSON."""

    op: ClassVar[str]


@dataclass(frozen=True, kw_only=True)
class Undo(Action):
    """Go back a step."""

    op = "undo"


@dataclass(frozen=True, kw_only=True)
class UndoNumbers(Action):
    """Go back to the numbers before these."""

    op = "undo_numbers"


@dataclass(frozen=True, kw_only=True)
class Redo(Action):
    """Go forward again a step."""

    op = "redo"


@dataclass(frozen=True, kw_only=True)
class Reset(Action):
    """Go back to the numbers that were opened."""

    op = "reset"


@dataclass(frozen=True, kw_only=True)
class Pin(Action):
    """Pin a cell, or unpin it."""

    op = "pin"
    cell: AnyCell | None = None


@dataclass(frozen=True, kw_only=True)
class Restore(Action):
    """This server is new, and the page was at this address."""

    op = "restore"
    address: Query


@dataclass(frozen=True, kw_only=True)
class Follow(Action):
    """Another window has these numbers. ``way``: it went "back" or "forward" in its history, or else made a step."""

    op = "follow"
    address: Query
    way: Text = ""


@dataclass(frozen=True, kw_only=True)
class Recall(Action):
    """The history that the browser stored."""

    op = "recall"
    history: Anything | None = None


@dataclass(frozen=True, kw_only=True)
class Hint(Action):
    """A learner wants a hint, for this cell or for this table."""

    op = "hint"
    cell: Anything | None = None


@dataclass(frozen=True, kw_only=True)
class AnotherExercise(Action):
    """A learner wants another exercise like this one."""

    op = "another_exercise"


@dataclass(frozen=True, kw_only=True)
class EndExercise(Action):
    """A learner ends the exercise."""

    op = "end_exercise"


@dataclass(frozen=True, kw_only=True)
class OpenLearned(Action):
    """Open this sentence, with the vectors of our own small model."""

    op = "learned_sentence"
    text: str


@dataclass(frozen=True, kw_only=True)
class GoTo(Action):
    """The walk is at this place."""

    op = "place"
    step: Text = ""
    sub: Text = ""
    view: Text = ""
    predict: Flag = False


@dataclass(frozen=True, kw_only=True)
class ChooseLens(Action):
    """What the colours show."""

    op = "lens"
    value: LensName | None = None


@dataclass(frozen=True, kw_only=True)
class PinBaseline(Action):
    """Pin the current example to compare with it, or ``clear`` the pinned one."""

    op = "baseline"
    clear: Flag = False


@dataclass(frozen=True, kw_only=True)
class SetDecimals(Action):
    """How many digits are shown."""

    op = "decimals"
    value: Whole


ACTIONS: Final[dict[str, type[Action]]] = {action.op: action for action in Action.__subclasses__()}
"""Every action by its operation."""


def read_action(data: Mapping[str, object]) -> Action | None:
    """The action in plain data; None where its operation is not an action, such as an edit.

    Raises ``ExampleError`` where a field is wrong or missing.
    """
    op = data.get("op")
    kind = ACTIONS.get(op) if isinstance(op, str) else None
    return None if kind is None else read_fields(kind, data)
