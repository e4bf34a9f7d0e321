"""The contents of each slide of a walk, as plain data: its texts, and its matrices cut to what fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final
from unicodedata import category, east_asian_width

from mha_core.compute.derive import Cell, arithmetic, derive
from mha_core.compute.graph import formula
from mha_core.compute.operations import Step
from mha_core.example.model import key_tokens, text_in
from mha_core.numbers import fixed
from mha_core.walk.handout import Handout
from mha_core.walk.stages import Looked, Stage, layout_of, looked_at, operands_of, result_of
from mha_core.walk.text import Words

SIZES: Final = (32, 28, 24, 20, 18)
"""Font sizes of the numbers in points. The largest that fits is used; at the smallest, a matrix is cut."""
ROOM, HEIGHT = 12.1, 3.45
"""Inches for the tables of a slide, in width and in height."""
DIGIT: Final = 0.0078
"""Inches of a digit's width for each point of its size."""
ROW: Final = 0.0205
"""Inches of a row's height for each point."""
PADDING: Final = 0.16
NARROW: Final = 2
"""Width of the narrowest column, in digits."""
SIGN: Final = 0.45
"""Inches of the sign between two tables."""
MOST_TITLE: Final = 52
MOST_LABEL: Final = 12
MOST_NOTE: Final = 320
MOST_LINE: Final = 92
NOTED: Final = 12
"""Most cells of a step whose arithmetic is in the speaker's notes."""
MOST_TABLES: Final = 4
FOLDS: Final = ((12, 3), (7, 3), (4, 2))
"""Pairs of the longest label and the fewest columns of a table, tried one after another."""
GAP: Final = "…"


@dataclass(frozen=True, slots=True)
class Table:
    """A matrix on a slide: ``name`` identifies it (``weights|0``), ``symbol`` is above it.

    ``cells``: rows × columns of text, with the labels ``down`` and ``across``. ``shares``: the strength of each cell's
    colour, from 0 to 1; empty if numbers have no colour. ``before``: the sign between this table and the one on its
    left.
    """

    name: str
    symbol: str
    down: tuple[str, ...]
    across: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    shares: tuple[tuple[float, ...], ...] = ()
    before: str = ""

    def widths(self, points: int) -> tuple[float, ...]:
        """Inches of each column at a font size; the column of labels is first."""
        columns = zip(self.across, *self.cells, strict=True)
        texts = [self.down, *columns]
        return tuple(max(NARROW, *map(width, column)) * DIGIT * points + PADDING for column in texts)

    def room(self, points: int) -> float:
        """Inches of the table's width, or its symbol's, including the sign before it."""
        return bool(self.before) * SIGN + max(sum(self.widths(points)), width(self.symbol) * 0.17 + PADDING)

    def height(self, points: int) -> float:
        """Inches of its rows and of the labels of its columns."""
        return ROW * points * (1 + len(self.down))


@dataclass(frozen=True, slots=True)
class Sheet:
    """One slide: its title, a sentence, the formula and a line of arithmetic ("" for none), tables with their font size
    in ``points``, and the speaker's notes. ``note``: the example's note.
    """

    title: str
    sentence: str = ""
    note: str = ""
    formula: str = ""
    line: str = ""
    tables: tuple[Table, ...] = ()
    points: int = SIZES[-1]
    notes: str = ""


def sheets(handout: Handout) -> Iterator[Sheet]:
    """The slides of a walk: a title slide, then one for each step."""
    yield Sheet(
        shortened(handout.title, MOST_TITLE),
        note=shortened(handout.note, MOST_NOTE),
        notes=shortened(handout.source, MOST_NOTE),
    )
    for number, stage in enumerate(handout.stages, 1):
        first, *others = _stage_sheets(handout, handout.heading(number, stage), stage)
        yield replace(first, notes="\n\n".join([*_lecturer_notes(handout, stage), first.notes]))
        yield from others


def _stage_sheets(handout: Handout, heading: str, stage: Stage) -> Iterator[Sheet]:
    match stage.kind:
        case "step" | "head":
            for step, words in zip(stage.steps, stage.step_words, strict=True):
                title = f"{heading} · {handout.text(words.title)}" if stage.kind == "head" else heading
                yield _step_sheet(handout, title, step, stage.head, words)
        case _:
            yield _sheet(handout, heading, stage.words, _tables(handout, stage))


def _lecturer_notes(handout: Handout, stage: Stage) -> Iterator[str]:
    """The lecturer's own note and question for a stage, which the speaker's notes begin with."""
    lecture = handout.example.lecture
    for step in lecture.steps if lecture else ():
        if step.step != stage.id:
            continue
        texts = (text_in(text, handout.language) for text in (step.note, step.question))
        yield from (shortened(text, MOST_NOTE) for text in texts if text)
        choices = zip("ABCD", (text_in(text, handout.language) for text in step.choices), strict=False)
        if lines := [f"{letter} · {text}" if text else letter for letter, text in choices]:
            yield "\n".join(lines)


def _sheet(handout: Handout, title: str, words: Words, tables: Sequence[Table]) -> Sheet:
    notes = (handout.text(sentence) for sentence in (words.note, words.why))
    fitting, points = fitted(tables)
    return Sheet(title, handout.text(words.what), tables=fitting, points=points, notes="\n\n".join(notes))


def _step_sheet(handout: Handout, title: str, step: Step, head: int | None, words: Words) -> Sheet:
    symbol = handout.symbol(step.name, head)
    rows = handout.trace.matrix(step.name, head)
    cells = [Cell(step.name, head, i, j) for i in range(len(rows)) for j in range(len(rows[0]))]
    lines = [
        f"{symbol}[{cell.row + 1}, {cell.col + 1}] = {arithmetic(derive(handout.trace, cell), handout.decimals)}"
        for cell in cells[:NOTED]
    ]
    more = [handout.say("first", count=len(cells) - NOTED)] if len(cells) > NOTED else []
    sheet = _sheet(handout, title, words, _operation(handout, step, head))
    return replace(
        sheet,
        formula=f"{symbol} = {formula(step, handout.example)}",
        line=lines[0] if width(lines[0]) <= MOST_LINE else "",
        notes="\n".join((sheet.notes, "", *lines, *more)),
    )


def _operation(handout: Handout, step: Step, head: int | None) -> list[Table]:
    """The operands and the result, with the signs between them."""
    product = layout_of(step) == "product"
    tables = [
        matrix(handout, operand.name, owner, transposed=product and operand.index == "jk")
        for operand, owner in operands_of(handout.trace, step, head)
    ]
    signs = ["", "·", *"+" * len(tables)] if product else ["", *" " * len(tables)]
    tables = [replace(table, before=sign) for table, sign in zip(tables, signs, strict=False)]
    result = matrix(handout, step.name, head, shares=step.op == "softmax")
    return [*tables, replace(result, before=handout.relation(step.name, head) if product else "→")]


def _tables(handout: Handout, stage: Stage) -> list[Table]:
    """The tables of a stage that computes nothing."""
    if stage.kind == "tokens":
        rows = [
            handout.example.tokens,
            *([] if handout.example.context is None else [key_tokens(handout.example)]),
        ]
        return [
            Table(
                "tokens",
                "",
                ("",),
                tuple(str(i + 1) for i in range(len(row))),
                (tuple(map(label, row)),),
                before=" " * bool(at),
            )
            for at, row in enumerate(rows)
        ]
    if stage.kind != "closing":
        named = dict.fromkeys((part.matrix, part.head) for part in stage.parts)
        return [replace(matrix(handout, *name), before=" " * bool(at)) for at, name in enumerate(named)]
    result = result_of(handout.example)
    return (
        [_looks(handout)]
        if result is None
        else [matrix(handout, result, None), replace(_looks(handout), before=" ")]
    )


def _looks(handout: Handout) -> Table:
    """The key with the largest weight of each query, head by head."""
    keys, heads = key_tokens(handout.example), looked_at(handout.trace)

    def look(looked: Looked | None) -> str:
        if looked is None:
            return handout.say("nothing")
        names = handout.tied([label(keys[key]) for key in looked.keys])
        return f"{names} {fixed(looked.weight, handout.decimals)}"

    return Table(
        "looks",
        handout.say("looks"),
        tuple(map(label, handout.example.tokens)),
        tuple(handout.head(head) for head in range(len(heads))),
        tuple(tuple(look(head[query]) for head in heads) for query in range(len(handout.example.tokens))),
    )


def matrix(
    handout: Handout, name: str, head: int | None, *, transposed: bool = False, shares: bool = False
) -> Table:
    """A matrix of the trace with its labels, its numbers in the handout's format."""
    rows = handout.trace.matrix(name, head)
    show = handout.show(rows, given=handout.given(name, head))
    down, across = (handout.labels(name, axis, len(rows[0]) if axis else len(rows)) for axis in (0, 1))
    if transposed:
        rows, down, across = [list(column) for column in zip(*rows, strict=True)], across, down
    return Table(
        f"{name}|{'' if head is None else head}",
        handout.symbol(name, head) + ("ᵀ" if transposed else ""),
        tuple(map(label, down)),
        tuple(map(label, across)),
        tuple(tuple(map(show, row)) for row in rows),
        tuple(map(tuple, rows)) if shares else (),
    )


# --- what fits -----------------------------------------------------------------------------------------------------


def fitted(tables: Sequence[Table]) -> tuple[tuple[Table, ...], int]:
    """The tables and the largest font size at which they fit whole; if there is none, cut at the smallest."""
    for points in SIZES:
        if _fit(tables, points):
            return tuple(tables), points
    return _cut_to_fit(tables), SIZES[-1]


def _fit(tables: Sequence[Table], points: int) -> bool:
    wide = sum(table.room(points) for table in tables)
    return wide <= ROOM and all(table.height(points) <= HEIGHT for table in tables)


def _cut_to_fit(tables: Sequence[Table]) -> tuple[Table, ...]:
    """As many rows and columns as fit on a slide, with … for the others.

    With more than ``MOST_TABLES`` tables, … may replace those in the middle; if they still do not fit, labels are
    shortened.
    """
    points = SIZES[-1]
    rows = int(HEIGHT / (ROW * points)) - 1
    fitting: tuple[Table, ...] = ()
    for longest, least in FOLDS:
        for most in range(len(tables), min(len(tables), MOST_TABLES) - 1, -1):
            shown = [_LEFT_OUT if at is None else tables[at] for at in kept(len(tables), most)]
            for columns in range(max(least, *(len(table.across) for table in shown)), least - 1, -1):
                fitting = tuple(_cut(table, rows, columns, longest) for table in shown)
                if _fit(fitting, points):
                    return fitting
    return fitting


_LEFT_OUT: Final = Table("", "", (GAP,), (), ((),), before=" ")


def kept(count: int, most: int) -> list[int | None]:
    """Which of ``count`` places are shown if ``most`` fit, with None for those left out.

    ``kept(9, 4)`` is ``[0, 1, None, 8]``, ``kept(9, 2)`` is ``[0, None]``.
    """
    if count <= most:
        return list(range(count))
    return [0, None] if most == 2 else [*range(most - 2), None, count - 1]


def _cut(table: Table, rows: int, columns: int, longest: int) -> Table:
    down, across = kept(len(table.down), rows), kept(len(table.across), columns)
    return replace(
        table,
        down=tuple(GAP if i is None else shortened(table.down[i], longest) for i in down),
        across=tuple(GAP if j is None else shortened(table.across[j], longest) for j in across),
        cells=tuple(
            tuple(GAP if i is None or j is None else table.cells[i][j] for j in across) for i in down
        ),
        shares=tuple(
            tuple(0.0 if i is None or j is None else table.shares[i][j] for j in across) for i in down
        )
        if table.shares
        else (),
    )


# --- a visitor's words ---------------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """A text in one line; characters that XML does not allow, and unassigned ones, become �."""
    characters = (
        " " if sign.isspace() else "\ufffd" if category(sign) in ("Cc", "Cs", "Cn") else sign for sign in text
    )
    return " ".join("".join(characters).split())


def shortened(text: str, most: float) -> str:
    """A text of at most this width in digits, ending in … if it is cut."""
    text = plain(text)
    if width(text) <= most:
        return text
    start, room = [], most - 1
    for sign in islice(text, int(most)):
        room -= width(sign)
        if room < 0:
            break
        start.append(sign)
    return "".join(start).rstrip() + GAP


def label(text: str) -> str:
    """A token or another label, shortened for a table."""
    return shortened(text, MOST_LABEL)


def width(text: str) -> float:
    """The approximate width of a text in digits; a Chinese character takes nearly two, an accent none."""
    return sum(
        0.0 if category(sign) == "Mn" else 1.8 if east_asian_width(sign) in "WF" else 1.0 for sign in text
    )
