"""The outcome of a check in a sentence or two, and where a cell is, in either language."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import reduce
from math import prod
from typing import Any, Final, TypeAlias

from mha_core.check.catalogue import PROJECTIONS
from mha_core.check.check import Verdict, WrongCell
from mha_core.compute.derive import Cell
from mha_core.edit.claims import claimed_rows, tables
from mha_core.errors import N_
from mha_core.example.model import Example
from mha_core.messages import catalogue
from mha_core.numbers import significant, trimmed
from mha_core.vocabulary import NAMES

Say: TypeAlias = Callable[[str], str]


def place(verdict: Verdict, cell: Cell, say: Say, whole: str = "cell") -> str:
    """Where a cell is, counted from 1: ``attention weights, head 2, row 1, column 3``."""
    parts = [say(NAMES[cell.name])]
    if cell.head is not None and len(verdict.trace.example.heads) > 1:
        parts.append(say(N_("head {number}")).format(number=cell.head + 1))
    if whole in ("cell", "row"):
        parts.append(say(N_("row {number}")).format(number=cell.row + 1))
    if whole == "cell":
        parts.append(say(N_("column {number}")).format(number=cell.col + 1))
    return say(N_(", ")).join(parts)


def summary(verdict: Verdict, language: str, asked: Collection[str] | None = None) -> str:
    """The outcome in a sentence or two: how many numbers are right or wrong, and how many are still to be filled in.

    Blank are the cells of the steps ``asked`` for, here or in the example itself; where none are, those of the tables
    that have been begun.
    """
    asked = verdict.trace.example.asked if asked is None else asked
    given, blank = (
        sum(step.given for step in verdict.steps.values()),
        count_blank(verdict.trace.example, asked),
    )
    if not given:
        return catalogue(language).gettext(N_("No numbers have been filled in yet."))
    wrong = [cell for step in verdict.steps.values() for cell in step.wrong]
    doubtful = [cell for step in verdict.steps.values() for cell in step.doubtful]
    coarse = [cell for step in verdict.steps.values() for cell in step.coarse]
    messages = _of_wrong(given, wrong, one_cause=verdict.in_columns) if wrong else []
    if doubtful:
        messages.append(_of_doubtful(verdict, doubtful, language))
    if coarse:
        messages.append(_of_coarse(verdict, coarse, language))
    if not messages:
        messages.append(_of_right(given, blank, asked))
        messages += _of_last_digits(verdict, language)
    elif blank:
        messages.append(_counted(blank, _BLANK_BEGUN if asked is None else _BLANK))
    messages += _of_constants(verdict, language)
    say = catalogue(language).gettext
    sentences = [say(template).format(**values) for template, values in messages]
    return reduce(lambda one, other: say(N_("{one} {other}")).format(one=one, other=other), sentences)


_Message: TypeAlias = tuple[str, dict[str, Any]]
"""A sentence and the numbers in it."""
_ALL_RIGHT: Final = (N_("The one number filled in is right."), N_("All {count} numbers are right."))
_RIGHT_SO_FAR: Final = (
    N_("{count} of {cells} filled in so far, and it is right; {blank} to go."),
    N_("{count} of {cells} filled in so far, all right; {blank} to go."),
)
_RIGHT_BEGUN: Final = (
    N_("In the tables begun, {count} of {cells} filled in so far, and it is right; {blank} to go."),
    N_("In the tables begun, {count} of {cells} filled in so far, all right; {blank} to go."),
)
_WRONG: Final = (N_("{count} of {given} numbers is wrong."), N_("{count} of {given} numbers are wrong."))
_BY_ONE_CAUSE: Final = (
    N_("{count} of {given} numbers is wrong: every W is transposed."),
    N_("{count} of {given} numbers are wrong, all by one cause: every W is transposed."),
)
_ALL_WRONG: Final = (N_("The one number filled in is wrong."), N_("All {count} numbers are wrong."))
_ROUNDED: Final = (
    N_("It comes of rounding on the way."),
    N_("They come of rounding on the way."),
)
_REST_FOLLOWING: Final = (
    N_("One of them only follows from a number before it."),
    N_("{count} of them only follow from numbers before them."),
)
_REST_COPIED: Final = (
    N_("One of them is copied from the heads."),
    N_("{count} of them are copied from the heads."),
)
_DOUBTFUL: Final = (
    N_("One number is not what rounding gives, so it is wrong: {place}, where {number} stands."),
    N_("{count} numbers are not what rounding gives, so they are wrong."),
)
_COARSE: Final = (
    N_("{number} at {place} is right only as far as it is rounded: give at least two decimals to be sure."),
    N_("{count} numbers are right only as far as they are rounded: give at least two decimals to be sure."),
)
_NEARLY: Final = (
    N_("At {place} the last digit is off by one."),
    N_("Of {count} of them the last digit is off by one."),
)
_SINGLE: Final = (
    N_("At {place} the last digits are those of float32 arithmetic."),
    N_("Of {count} of them the last digits are those of float32 arithmetic."),
)
_CONSTANT: Final = (
    N_("{number} at {place} hides the pair as −∞ does."),
    N_("In {count} masked cells a large negative number, such as {number}, hides the pair as −∞ does."),
)
_BLANK: Final = (N_("One cell is still blank."), N_("{count} cells are still blank."))
_BLANK_BEGUN: Final = (
    N_("In the tables begun, one cell is still blank."),
    N_("In the tables begun, {count} cells are still blank."),
)


def _counted(count: int, messages: tuple[str, str], **more: Any) -> _Message:
    """The message for one, or the one for several."""
    return messages[count != 1], {"count": count, **more}


def _of_doubtful(verdict: Verdict, doubtful: Sequence[WrongCell], language: str) -> _Message:
    """How many whole numbers no rounding makes; a single one by its place."""
    first, say = doubtful[0], catalogue(language).gettext
    where, number = place(verdict, first.cell, say), trimmed(first.claimed, 10)
    return _counted(len(doubtful), _DOUBTFUL, place=where, number=number)


def _of_coarse(verdict: Verdict, coarse: Sequence[WrongCell], language: str) -> _Message:
    """How many numbers are rounded so that they tell too little; a single one by its place."""
    first = coarse[0]
    where = place(verdict, first.cell, catalogue(language).gettext)
    return _counted(len(coarse), _COARSE, place=where, number=trimmed(first.claimed, 10))


def _of_last_digits(verdict: Verdict, language: str) -> list[_Message]:
    """Of how many numbers the last digit is off by one, and of how many float32 arithmetic explains the last digits; a
    single one by its place.
    """
    messages = []
    for kind, sentences in (("nearly", _NEARLY), ("single", _SINGLE)):
        cells = [cell for step in verdict.steps.values() for cell in getattr(step, kind)]
        if cells:
            where = place(verdict, cells[0].cell, catalogue(language).gettext)
            messages.append(_counted(len(cells), sentences, place=where))
    return messages


def _of_constants(verdict: Verdict, language: str) -> list[_Message]:
    """In how many masked cells a large negative number stands for −∞, which is right; the first of these numbers."""
    cells = [cell for step in verdict.steps.values() for cell in step.constant]
    if not cells:
        return []
    where = place(verdict, cells[0].cell, catalogue(language).gettext)
    return [_counted(len(cells), _CONSTANT, place=where, number=significant(cells[0].claimed, 6))]


def _of_right(given: int, blank: int, asked: Collection[str] | None) -> _Message:
    if blank:
        so_far = _RIGHT_BEGUN if asked is None else _RIGHT_SO_FAR
        return _counted(given, so_far, cells=given + blank, blank=blank)
    return _counted(given, _ALL_RIGHT)


def _of_wrong(given: int, wrong: Sequence[WrongCell], *, one_cause: bool) -> list[_Message]:
    """How many are wrong, and how many of these only follow, or are copied into Concat; or that one cause explains all
    of them, the W in columns.
    """
    count, following = len(wrong), [one.cell.name for one in wrong if not one.own]
    if one_cause and not any(one.own and one.cell.name not in PROJECTIONS for one in wrong):
        return [_counted(count, _BY_ONE_CAUSE, given=given)]
    messages = [_counted(count, _ALL_WRONG) if count == given else _counted(count, _WRONG, given=given)]
    if len(following) == count:
        return [*messages, _counted(count, _ROUNDED)]
    copied = following.count("concat")
    for some, texts in ((len(following) - copied, _REST_FOLLOWING), (copied, _REST_COPIED)):
        if some:
            messages.append(_counted(some, texts))
    return messages


def count_blank(example: Example, asked: Collection[str] | None = None) -> int:
    """How many cells of the steps asked for, here or in the example, else of the tables begun, are blank."""
    asked, blank = example.asked if asked is None else asked, 0
    for name, head in tables(example):
        rows = claimed_rows(example, name, head)
        left = (
            [cell for row in rows or () for cell in row].count(None)
            if rows
            else prod(example.dims.shape(name))
        )
        if name in asked if asked is not None else left < prod(example.dims.shape(name)):
            blank += left
    return blank
