"""A course's own gradebook, as Moodle and Canvas export it: one column filled with marks, all else as it was.

A student is found by number, e-mail address, login or name. A file that fits no row, or several, fills none.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Final

from mha_core.errors import N_, ReadError
from mha_core.marks.marks import Paper, marked, total
from mha_core.marks.scheme import Scheme
from mha_core.marks.table import number
from mha_core.messages import catalogue

MAX_BYTES: Final = 5_000_000
_FIRST: Final = ("first name", "名", "名字")
_LAST: Final = ("surname", "last name", "姓", "姓氏")
_WHOLE: Final = ("student", "full name", "姓名", "学生")
_WHO: Final = {
    *(
        "id number",
        "username",
        "email address",
        "email",
        "id",
        "sis user id",
        "sis login id",
        "integration id",
    ),
    *("学号", "编号", "用户名", "电子邮件地址", "邮箱", "电子邮件"),
}
_FIXED: Final = {
    *(*_FIRST, *_LAST, *_WHOLE, *_WHO),
    *("section", "root account", "institution", "department", "group", "last downloaded from this course"),
    *("机构", "院系", "最近从本课程下载"),
}
_COMPUTED: Final = re.compile(
    r"(unposted )?(current|final) (score|grade|points)|course total.*|课程总分.*|.*\((read only|只读)\)", re.I
)
"""Columns that the course computes itself."""


@dataclass(frozen=True, slots=True)
class Gradebook:
    """``rows``: all lines with the headings first. ``students``: the indices of those that are about a student.
    ``begins``: the file's byte order mark, if it has one.
    """

    rows: tuple[tuple[str, ...], ...]
    students: tuple[int, ...]
    delimiter: str
    newline: str
    begins: str

    @property
    def headings(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.rows[0]

    @property
    def columns(self) -> list[str]:
        """The columns that may be filled with marks."""
        return [
            name
            for name in self.headings
            if name.strip() and _plain(name) not in _FIXED and not _COMPUTED.fullmatch(name.strip())
        ]


@dataclass(frozen=True, slots=True)
class Filled:
    """A gradebook with marks: ``text`` is the file. ``filled``: how many rows have a mark now. ``unmatched``: files
    that no row fits, ``unclear``: those that several rows fit, or whose student handed in several; ``without``: how
    many students handed in nothing.
    """

    text: str
    filled: int
    unmatched: tuple[str, ...]
    unclear: tuple[str, ...]
    without: int

    def sentences(self, language: str) -> list[str]:
        """What was filled in and what was not, with every file that no mark comes from."""
        say = catalogue(language).gettext
        comma = say(N_(", "))
        told = [say(_FILLED).format(count=self.filled)]
        if self.without:
            told.append(say(_WITHOUT).format(count=self.without))
        if self.unmatched:
            told.append(say(_UNMATCHED).format(files=comma.join(self.unmatched)))
        if self.unclear:
            told.append(say(_UNCLEAR).format(files=comma.join(self.unclear)))
        return told


_FILLED: Final = N_("{count} {count:student has|students have} a mark.")
_WITHOUT: Final = N_("{count} {count:student|students} handed in nothing.")
_UNMATCHED: Final = N_("In no row of the gradebook: {files}.")
_UNCLEAR: Final = N_("Not filled in, since several rows or several files fit: {files}.")


def read_gradebook(content: bytes) -> Gradebook:
    """The gradebook in a CSV file. Raises ``ReadError`` where there is none."""
    if len(content) > MAX_BYTES:
        raise ReadError(N_("the file is larger than {most} MB"), most=MAX_BYTES // 1_000_000)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        try:
            text = content.decode("gb18030")
        except UnicodeDecodeError:
            raise ReadError(N_("this is not a CSV file")) from None
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    try:
        rows = [tuple(row) for row in csv.reader(StringIO(text, newline=""), delimiter=delimiter) if row]
    except csv.Error:
        raise ReadError(N_("this is not a CSV file")) from None
    names = [_plain(name) for name in rows[0]] if rows else []
    if not any(name in (*_FIRST, *_LAST, *_WHOLE, *_WHO) for name in names):
        raise ReadError(N_("no column of this file says who a student is"))
    width = len(names)
    padded = tuple((*row, *[""] * (width - len(row))) for row in rows)
    begins = "\ufeff" if content.startswith(b"\xef\xbb\xbf") else ""
    newline = "\r\n" if first.endswith("\r") else "\n"
    students = tuple(at for at, row in enumerate(padded) if at and _is_student(row, names))
    return Gradebook(padded, students, delimiter, newline, begins)


def _is_student(row: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a row is about a student: Canvas begins with rows about the columns, and has a test student."""
    known = [cell for name, cell in zip(names, row, strict=False) if name in _WHO and cell.strip()]
    whole = [cell.strip() for name, cell in zip(names, row, strict=False) if name in _WHOLE]
    return (
        "Points Possible" not in whole
        and "Student, Test" not in whole
        and bool(known or any(_names(row, names)))
    )


def fill(book: Gradebook, column: str, papers: Iterable[Paper], scheme: Scheme) -> Filled:
    """The gradebook with the marks in this column, which is added at the end if there is none of its name."""
    readable = [paper for paper in papers if paper.tables]
    by_name: dict[str, set[int]] = defaultdict(set)
    names = [_plain(name) for name in book.headings]
    for at in book.students:
        for known in _known(book.rows[at], names):
            by_name[known].add(at)
    of_row: dict[int, list[Paper]] = defaultdict(list)
    unmatched: list[str] = []
    unclear: list[str] = []
    for paper in readable:
        rows = next((rows for name in _called(paper) if (rows := by_name.get(name))), set[int]())
        if len(rows) == 1:
            of_row[next(iter(rows))].append(paper)
        else:
            (unclear if rows else unmatched).append(paper.file)
    unclear += [paper.file for several in of_row.values() if len(several) > 1 for paper in several]
    marks = {
        at: str(number(total(marked(one[0], scheme), scheme).points))
        for at, one in of_row.items()
        if len(one) == 1
    }
    return Filled(
        _with_column(book, column, marks),
        len(marks),
        tuple(unmatched),
        tuple(unclear),
        len(set(book.students) - set(of_row)),
    )


def _with_column(book: Gradebook, column: str, marks: dict[int, str]) -> str:
    """The file's text; cells of the column without a mark stay as they were."""
    is_new = column not in book.headings
    where = len(book.headings) if is_new else book.headings.index(column)
    lines = []
    for at, row in enumerate(book.rows):
        cells = [*row, column if at == 0 else ""] if is_new else [*row]
        if at in marks:
            cells[where] = marks[at]
        lines.append(cells)
    out = StringIO()
    csv.writer(out, delimiter=book.delimiter, lineterminator=book.newline).writerows(lines)
    return book.begins + out.getvalue()


def _plain(text: str) -> str:
    """A heading or a name without what spelling varies in: case, blanks, commas."""
    return " ".join(text.casefold().replace(",", " ").replace("\u3000", " ").split())


def _names(row: Sequence[str], names: Sequence[str]) -> tuple[str, str]:
    """The first and the last name."""
    parts = [
        next((cell.strip() for name, cell in zip(names, row, strict=False) if name in which), "")
        for which in (_FIRST, _LAST)
    ]
    return parts[0], parts[1]


def _known(row: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """All that a student of this row may be called."""
    for name, cell in zip(names, row, strict=False):
        if name in _WHO and cell.strip():
            yield _plain(cell)
            if "@" in cell:
                yield _plain(cell.partition("@")[0])
        if name in _WHOLE and cell.strip():
            yield _plain(cell)
            yield _plain(" ".join(reversed(cell.split(",", 1))))
    first, last = _names(row, names)
    if first or last:
        yield from (_plain(f"{first} {last}"), _plain(f"{last} {first}"), _plain(f"{last}{first}"))


def _called(paper: Paper) -> Iterator[str]:
    """What a paper says of its student: the name in it, or a number beside it; without one, the file's name, or what it
    begins with.
    """
    known = _plain(paper.known_as)
    yield known
    if paper.student:
        yield from (word for word in known.split() if re.search(r"\d", word))
    else:
        yield known.split("_")[0]
