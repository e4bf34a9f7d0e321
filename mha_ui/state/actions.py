"""What the tables send besides edits: a frozen dataclass for every operation, read as edits are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeAlias

from mha_core import Cell
from mha_core.edit.edit import NO_EDIT
from mha_core.edit.fields import Instruction, Whole, by_op, read_instruction
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


class Action(Instruction):
    """Something done at the tables other than an edit."""


class Undo(Action, op="undo"):
    """Go back a step."""


class UndoNumbers(Action, op="undo_numbers"):
    """Go back to the numbers before these."""


class Redo(Action, op="redo"):
    """Go forward again a step."""


class Reset(Action, op="reset"):
    """Go back to the numbers that were opened."""


class Pin(Action, op="pin"):
    """Pin a cell, or unpin it."""

    cell: AnyCell | None = None


class MakePuzzle(Action, op="make_puzzle"):
    """Make a puzzle of what has been changed: this cell is to reach its number again."""

    cell: AnyCell


class Restore(Action, op="restore"):
    """This server is new, and the page was at this address, to which this history led."""

    address: Query
    history: Anything | None = None


class Follow(Action, op="follow"):
    """Another window has these numbers. ``way``: it went "back" or "forward" in its history, or else made a step."""

    address: Query
    way: Text = ""


class Recall(Action, op="recall"):
    """The history that the browser stored."""

    history: Anything | None = None


class Resume(Action, op="resume"):
    """Open the work that the browser stored because no link could hold it."""

    text: Text


class Hint(Action, op="hint"):
    """A learner wants a hint, for this cell or for this table."""

    cell: Anything | None = None


class AnotherExercise(Action, op="another_exercise"):
    """A learner wants another exercise like this one."""


class EndExercise(Action, op="end_exercise"):
    """A learner ends the exercise."""


class OpenLearned(Action, op="learned_sentence"):
    """Open this sentence, with the vectors of our own small model."""

    text: str


class GoTo(Action, op="place"):
    """The walk is at this place."""

    step: Text = ""
    sub: Text = ""
    view: Text = ""
    predict: Flag = False


class ChooseLens(Action, op="lens"):
    """What the colours show."""

    value: LensName | None = None


class PinBaseline(Action, op="baseline"):
    """Pin the current example to compare with it, or ``clear`` the pinned one."""

    clear: Flag = False


class SetDecimals(Action, op="decimals"):
    """How many digits are shown; None: as many as fit."""

    value: Whole | None = None


ACTIONS: Final = by_op(Action)


def read_action(data: Mapping[str, object]) -> Action | None:
    """The action in plain data; None where its operation is not an action, such as an edit.

    Raises ``ExampleError`` where a field is wrong or missing.
    """
    return read_instruction(ACTIONS, data)
