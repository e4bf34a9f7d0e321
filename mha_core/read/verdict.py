"""The check in the text: every wrong number where it is printed, the right one in its digits, and a corrected copy."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mha_core.check.check import check
from mha_core.check.outcome import Cause, Checked, Verdict
from mha_core.compute.derive import Cell as Place
from mha_core.compute.printed import Key, claimed, decimals
from mha_core.example.model import NEG_INF, Example
from mha_core.read.assemble import assemble
from mha_core.read.document import Document
from mha_core.read.grids import Cell
from mha_core.read.reading import Found, Read


@dataclass(frozen=True, slots=True)
class Mark:
    """A wrong number: its place in the example and in the source, what is printed there and what is right.

    ``own``: it does not only follow from an earlier wrong number. ``at``: where it begins in the document's text.
    """

    place: Place
    start: int
    end: int
    line: int
    printed: str
    right: str
    own: bool
    at: int


@dataclass(frozen=True, slots=True)
class Judged:
    """One example of a text with its verdict (None where it claims nothing) and the marks of its wrong numbers."""

    read: Read
    example: Example
    verdict: Verdict | None
    marks: tuple[Mark, ...] = ()


def judge(document: Document, read: Read) -> Judged | None:
    """The verdict on one example of a text; None where its matrices make no example."""
    if read.assembled is None:
        return None
    example = replace(read.assembled.example, title=title_of(document))
    if not claimed(example):
        return Judged(read, example, None)
    verdict = check(example)
    said = {one.key for one in read.found if one.guess.chosen}
    doubted = (_guessed(read, verdict, example) or _doubted(verdict, example)) - said
    if doubted:
        return judge(document, _unjudged(read, doubted))
    return Judged(read, example, verdict, tuple(_marks(document, read, verdict)))


def _doubted(verdict: Verdict, example: Example) -> set[Key]:
    """Matrices that were hardly read right: nothing explains why most of their numbers are wrong, and no number that is
    printed later follows from them.
    """
    wrong: dict[Key, int] = {}
    for step in verdict.steps.values():
        for one in step.wrong if step.unexplained else ():
            if one.own and cause_of(step, one.cell.head, one.cell.row) is None:
                key = (one.cell.name, one.cell.head)
                wrong[key] = wrong.get(key, 0) + 1
    given = {key: int(claim.given.sum()) for key, claim in claimed(example).items()}
    order = list(verdict.steps)
    led_on = max((order.index(one.cell.name) for one in verdict.cells("wrong") if not one.own), default=-1)
    return {key for key, count in wrong.items() if 2 * count > given[key] and order.index(key[0]) >= led_on}


def _guessed(read: Read, verdict: Verdict, example: Example) -> set[Key]:
    """Matrices most of whose numbers are wrong where an input is only a guess and so are most numbers of them all: that
    guess may be what is wrong.
    """
    given = claimed(example)
    if all(one.sure or one.key is None or one.key in given for one in read.found):
        return set()
    wrong = Counter((one.cell.name, one.cell.head) for one in verdict.cells("wrong"))
    if 2 * wrong.total() <= sum(int(claim.given.sum()) for claim in given.values()):
        return set()
    return {key for key, count in wrong.items() if 2 * count > int(given[key].given.sum())}


def cause_of(step: Checked, head: int | None, row: int) -> Cause | None:
    """What explains the wrong numbers of a row, if anything does."""
    for cause in step.causes:
        if (cause.heads is None or head in cause.heads) and (cause.rows is None or row in cause.rows):
            return cause
    return None


def _unjudged(read: Read, doubted: set[Key]) -> Read:
    """The reading without a verdict on these matrices. They are only guesses, and so are inputs that no other needs."""
    doubted = doubted | {
        (name, None) for name, _ in doubted
    }  # also where it is printed for all heads side by side
    grids = {key: grid for key, grid in read.reading.grids.items() if key not in doubted}
    reading = replace(read.reading, grids=grids)
    assembled = assemble(reading)
    heads = {head for _, head in (claimed(assembled.example) if assembled else ())}

    def judged(one: Found) -> Found:
        if one.key in doubted:
            return replace(one, sure=False, why="doubted")
        needed = bool(heads) and (None in heads or one.key is None or one.key[1] in {None, *heads})
        return replace(one, sure=one.sure and (needed or one.guess.chosen))

    return replace(read, reading=reading, assembled=assembled, found=tuple(map(judged, read.found)))


def title_of(document: Document) -> str:
    """The first heading or line."""
    found = re.search(
        r"^\s*(?:#+|\\(?:title|section)\*?\{|title:)\s*(.+?)\}?\s*$", document.text, re.MULTILINE
    )
    return " ".join(found[1].split())[:200] if found else document.format


def _marks(document: Document, read: Read, verdict: Verdict) -> Iterable[Mark]:
    """The wrong numbers in the order of the computation, also where a matrix is printed again."""
    assert read.assembled is not None  # noqa: S101  # its verdict has been made
    again: dict[tuple[str, int | None], list[Found]] = {}
    for one in read.found:
        if one.again and one.key is not None:
            again.setdefault(one.key, []).append(one)
    for wrong in verdict.cells("wrong"):
        key = (wrong.cell.name, wrong.cell.head)
        rows = read.assembled.cells.get(key)
        if rows is None:
            continue
        cell = rows[wrong.cell.row][wrong.cell.col]
        for place in (cell, *_repeated(read, key, cell, again.get(key, []))):
            start, end = document.span(place.start, place.end)
            printed = document.source[start:end]
            right = written(
                wrong.correct, place, printed, percent=document.source[end : end + 2].strip("\\")[:1] == "%"
            )
            yield Mark(
                wrong.cell, start, end, document.line(place.start), printed, right, wrong.own, place.start
            )


def _repeated(read: Read, key: tuple[str, int | None], cell: Cell, found: Sequence[Found]) -> Iterable[Cell]:
    """The same cell where its matrix is printed again."""
    grid = read.reading.grids.get(key)
    if grid is None:
        return
    places = [(i, j) for i, row in enumerate(grid.rows) for j, one in enumerate(row) if one is cell]
    for one in found:
        for i, j in places:
            if one.guess.grid.shape == grid.shape and one.guess.grid.rows[i][j].text == cell.text:
                yield one.guess.grid.rows[i][j]


def written(number: float, cell: Cell, printed: str, *, percent: bool) -> str:
    """A number with as many digits as were printed, and with the text's own minus sign and exponent."""
    if number == NEG_INF:
        return next((text for text in (r"-\infty", "−∞", "-∞") if text[-1] in printed), "-inf")
    digits = 4 if cell.exact or cell.text in (None, "-inf") else decimals(cell.text)
    if percent:
        number, digits = number * 100, max(0, digits - 2)
    exponent = re.search(r"[eE]", printed)
    if exponent and not cell.exact:
        mantissa = printed[: exponent.start()].partition(".")[2]
        text = f"{number:.{len(mantissa)}e}"
    else:
        text = f"{number:.{max(0, digits)}f}"
        text = text[1:] if text.startswith("-") and not float(text) else text
    if printed.endswith(".") and "." not in text:
        text += "."
    return text.replace("-", "−") if "−" in printed else text


def corrected(document: Document, judged: Sequence[Judged]) -> str:
    """The source with every wrong number replaced by the right one."""
    text = document.source
    edits = {(mark.start, mark.end): mark.right for one in judged for mark in one.marks}
    for (start, end), right in sorted(edits.items(), reverse=True):
        text = text[:start] + right + text[end:]
    return text
