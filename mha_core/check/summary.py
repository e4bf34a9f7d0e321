"""The outcome of a check in a sentence or two, and the place of a cell in words, in either language."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import reduce
from math import prod
from typing import Any, Final, TypeAlias

from mha_core.check.catalogue import PROJECTIONS
from mha_core.check.outcome import Kind, Verdict, WrongCell
from mha_core.compute.derive import Cell
from mha_core.edit.claims import claimed_rows, tables
from mha_core.errors import N_
from mha_core.example.model import Example
from mha_core.messages import catalogue
from mha_core.numbers import significant, trimmed
from mha_core.vocabulary import noun

Say: TypeAlias = Callable[[str], str]


def place(verdict: Verdict, cell: Cell, say: Say, whole: str = "cell") -> str:
    """The place of a cell, counted from 1: ``attention weights, head 2, row 1, column 3``."""
    parts = [noun(cell.name, say)]
    if cell.head is not None and len(verdict.trace.example.heads) > 1:
        parts.append(say(N_("head {number}")).format(number=cell.head + 1))
    if whole in ("cell", "row"):
        parts.append(say(N_("row {number}")).format(number=cell.row + 1))
    if whole == "cell":
        parts.append(say(N_("column {number}")).format(number=cell.col + 1))
    return say(N_(", ")).join(parts)


def summary(verdict: Verdict, language: str, requested: Collection[str] | None = None) -> str:
    """The outcome in a sentence or two: how many numbers are right or wrong, and how many are still to be filled in.

    Blank cells are counted in the ``requested`` steps, by default those that the example asks for; if it asks for
    none, in the tables that have been begun.
    """
    requested = verdict.trace.example.asked if requested is None else requested
    given = sum(step.given for step in verdict.steps.values())
    blank = count_blank(verdict.trace.example, requested)
    if not given:
        return catalogue(language).gettext(N_("You have not filled in any numbers yet."))
    wrong = verdict.cells("wrong")
    messages = _wrong_messages(given, wrong, one_cause=verdict.in_columns) if wrong else []
    messages += _placed_messages(verdict, ("doubtful", "coarse"), language)
    if not messages:
        messages.append(_right_message(given, blank, requested))
        messages += _placed_messages(verdict, ("nearly", "float32"), language)
    elif blank:
        messages.append((_BLANK_BEGUN if requested is None else _BLANK, {"count": blank}))
    messages += _placed_messages(verdict, ("constant",), language)
    say = catalogue(language).gettext
    sentences = [say(template).format(**values) for template, values in messages]
    return reduce(lambda first, second: say(N_("{one} {other}")).format(one=first, other=second), sentences)


_Message: TypeAlias = tuple[str, dict[str, Any]]
"""A sentence's template and its values."""
_ALL_RIGHT: Final = (N_("The one number filled in is right."), N_("All {count} numbers are right."))
_RIGHT_SO_FAR: Final = (
    N_("{count} of {cells} filled in so far, and it is right. {blank} left."),
    N_("{count} of {cells} filled in so far, all correct. {blank} left."),
)
_RIGHT_BEGUN: Final = (
    N_("In the tables you've started, {count} of {cells} is filled in, and it is right. {blank} left."),
    N_("In the tables you've started, {count} of {cells} are filled in, all correct. {blank} left."),
)
_WRONG: Final = N_("{count} of {given} numbers {count:is|are} wrong.")
_BY_ONE_CAUSE: Final = (
    N_("{count} of {given} numbers is wrong: every W is transposed."),
    N_("{count} of {given} numbers are wrong, all for one reason: every W is transposed."),
)
_ALL_WRONG: Final = (N_("The one number filled in is wrong."), N_("All {count} numbers are wrong."))
_ROUNDED: Final = (
    N_("It comes from rounding in an earlier step."),
    N_("They come from rounding in earlier steps."),
)
_REST_FOLLOWING: Final = (
    N_("One of them is wrong only because an earlier number is wrong."),
    N_("{count} of them are wrong only because earlier numbers are wrong."),
)
_REST_COPIED: Final = (
    N_("One of them is copied from the heads."),
    N_("{count} of them are copied from the heads."),
)
_PLACED: Final[dict[Kind, tuple[str, str]]] = {
    "doubtful": (
        N_("One number is rounded incorrectly: {number} at {place}."),
        N_("{count} numbers are rounded incorrectly."),
    ),
    "coarse": (
        N_(
            "{number} at {place} is rounded too much to be sure that it is right. Give two significant digits, or as "
            "many decimals as in the rest of its table."
        ),
        N_(
            "{count} numbers are rounded too much to be sure that they are right. Give two significant digits, or as "
            "many decimals as in the rest of the table."
        ),
    ),
    "nearly": (
        N_("At {place}, the last digit is off by one."),
        N_("In {count} of them, the last digit is off by one."),
    ),
    "float32": (
        N_("At {place}, the last digits are those of float32 arithmetic."),
        N_("In {count} of them, the last digits are those of float32 arithmetic."),
    ),
    "constant": (
        N_("{number} at {place} masks the pair just as −∞ does."),
        N_(
            "In {count} masked cells, a large negative number such as {number} masks the pair just as −∞ does."
        ),
    ),
}
"""Of cells of one kind: a single one with its place, and several."""
_BLANK: Final = N_("{count} {count:cell is|cells are} still blank.")
_BLANK_BEGUN: Final = N_("{count} {count:cell is|cells are} still blank in the tables you've started.")


def _message(count: int, messages: tuple[str, str], **more: Any) -> _Message:
    """The singular or the plural sentence."""
    return messages[count != 1], {"count": count, **more}


def _placed_messages(verdict: Verdict, kinds: Sequence[Kind], language: str) -> list[_Message]:
    """How many cells there are of each kind, with the number of the first; a single one with its place."""
    messages = []
    for kind in kinds:
        cells = verdict.cells(kind)
        if cells:
            where = place(verdict, cells[0].cell, catalogue(language).gettext)
            number = significant(cells[0].claimed, 6) if kind == "constant" else trimmed(cells[0].claimed, 10)
            messages.append(_message(len(cells), _PLACED[kind], place=where, number=number))
    return messages


def _right_message(given: int, blank: int, requested: Collection[str] | None) -> _Message:
    if blank:
        so_far = _RIGHT_BEGUN if requested is None else _RIGHT_SO_FAR
        return _message(given, so_far, cells=given + blank, blank=blank)
    return _message(given, _ALL_RIGHT)


def _wrong_messages(given: int, wrong: Sequence[WrongCell], *, one_cause: bool) -> list[_Message]:
    """How many are wrong, and how many of these only follow or are copied into Concat; or, if every W is transposed,
    that this one cause explains them all.
    """
    count, following = len(wrong), [cell.cell.name for cell in wrong if not cell.own]
    if one_cause and not any(cell.own and cell.cell.name not in PROJECTIONS for cell in wrong):
        return [_message(count, _BY_ONE_CAUSE, given=given)]
    numbers = {"count": count, "given": given}
    messages = [_message(count, _ALL_WRONG) if count == given else (_WRONG, numbers)]
    if len(following) == count:
        return [*messages, _message(count, _ROUNDED)]
    copied = following.count("concat")
    for number, sentences in ((len(following) - copied, _REST_FOLLOWING), (copied, _REST_COPIED)):
        if number:
            messages.append(_message(number, sentences))
    return messages


def count_blank(example: Example, requested: Collection[str] | None = None) -> int:
    """How many cells are blank in the ``requested`` steps, or those of the example, or else in the tables begun."""
    requested, blank = example.asked if requested is None else requested, 0
    for name, head in tables(example):
        rows = claimed_rows(example, name, head)
        size = prod(example.dims.shape(name))
        blank_here = sum(row.count(None) for row in rows) if rows else size
        if name in requested if requested is not None else blank_here < size:
            blank += blank_here
    return blank
