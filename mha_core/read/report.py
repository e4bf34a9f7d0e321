"""What was read and what is wrong with it, as data (``mha-read/1``) and as a readable text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

from mha_core.check.report import as_json as check_as_json
from mha_core.check.report import cause_told, following_messages, unexplained_message
from mha_core.check.summary import place
from mha_core.compute.graph import symbol
from mha_core.errors import N_, ReadError
from mha_core.example.files import to_json
from mha_core.messages import catalogue
from mha_core.read.choices import AS_READ, Choices
from mha_core.read.document import Document
from mha_core.read.formats import read_document
from mha_core.read.reading import Found, Read, read_examples
from mha_core.read.verdict import Judged, Mark, cause_of, corrected, judge
from mha_core.vocabulary import NAMES, PER_HEAD

FORMAT: Final = "mha-read/1"
MAX_EXAMPLES: Final = 10
MAX_SECONDS: Final = 20.0
"""How long the examples of one text may take to be checked."""

REASONS: Final = {
    "operand": N_("part of a product"),
    "name": N_("named in the text"),
    "formula": N_("the formula before it"),
    "sentence": N_("the sentence before it"),
    "heading": N_("the heading above it"),
    "numbers": N_("its numbers"),
    "shape": N_("its place and its shape"),
    "repeated": N_("printed before"),
    "taken": N_("another matrix has this name"),
    "doubted": N_("most of its numbers do not come out, so they are not judged"),
    "misfit": N_("its shape does not fit"),
    "unnamed": N_("nothing names it"),
    "chosen": N_("your choice"),
    "set aside": N_("set aside by you"),
}
"""Why a matrix was taken for what it is, or for nothing."""

NOTHING_TO_CHECK: Final = N_("The text prints no results that could be checked.")
ALL_RIGHT: Final = N_("Every printed number is right.")
RIGHT_AS_FAR: Final = N_("Every printed number that could be judged is right.")

OTHERS: Final = {
    "form": N_("with transposed matrices"),
    "scale": N_("with another divisor"),
    "mask": N_("with another mask"),
}
"""In what other readings of the same numbers differ."""


@dataclass(frozen=True)
class Article:
    """A text that has been read. ``examples``: those that are complete; ``incomplete``: what makes no example."""

    document: Document
    examples: tuple[Judged, ...]
    incomplete: tuple[Read, ...]

    @property
    def ok(self) -> bool | None:
        """Whether every printed number is right; None where there is none to check, or where that is in doubt."""
        verdicts = [one.verdict for one in self.examples if one.verdict is not None]
        ok = all(verdict.ok for verdict in verdicts)
        in_doubt = any(found.why == "doubted" for one in self.examples for found in one.read.found)
        return None if not verdicts or (ok and in_doubt) else ok

    @property
    def corrected(self) -> str:
        """The text with every wrong number replaced."""
        return corrected(self.document, self.examples)


def read_article(content: bytes | str, name: str = "") -> Article:
    """Read a file's content; ``name`` says its format by its suffix.

    Raises ``ReadError`` where it cannot be read, is too large, or contains no example.
    """
    article = read_all(content, name)
    if not article.examples:
        raise ReadError(nothing_in(article.incomplete))
    return article


def read_all(content: bytes | str, name: str = "", choices: Choices = AS_READ) -> Article:
    """The same for a text with or without an example. ``choices``: what its reader has said of its matrices.

    Raises ``ReadError`` where it cannot be read or is too large.
    """
    began = monotonic()
    document = read_document(content, name)
    reads = read_examples(document, choices)
    examples, incomplete = list[Judged](), list[Read]()
    for read in reads:
        if monotonic() - began > MAX_SECONDS:
            raise ReadError(
                N_("checking this text takes longer than {most} seconds"), most=f"{MAX_SECONDS:g}"
            )
        judged = judge(document, read) if len(examples) < MAX_EXAMPLES else None
        if judged is None:
            incomplete.append(read)
        else:
            examples.append(judged)
    return Article(document, tuple(examples), tuple(incomplete))


def nothing_in(reads: Sequence[Read]) -> str:
    """Why there is no example, as a sentence to translate."""
    if not any(read.found for read in reads):
        return N_("this text contains no matrix of numbers")
    return N_(
        "the matrices in this text are not enough for an example, which needs Q, K and V, or X, W_Q, W_K and W_V"
    )


# --- data -------------------------------------------------------------------------------------------------------


def as_json(article: Article, language: str = "en") -> dict[str, Any]:
    """What ``mha read --json`` prints. Heads, rows and columns count from 0, lines from 1."""
    return {
        "format": FORMAT,
        "text": article.document.format,
        "ok": article.ok,
        "examples": [_example(article.document, one, language) for one in article.examples],
        "unused": [
            _matrix(article.document, found, language)
            for read in (*(one.read for one in article.examples), *article.incomplete)
            for found in read.found
            if found.key is None or read.assembled is None
        ],
    }


def _example(document: Document, one: Judged, language: str) -> dict[str, Any]:
    say = catalogue(language).gettext
    return {
        "example": to_json(one.example),
        "certain": one.read.certain,
        "also": [say(OTHERS[other.partition(":")[0]]) for other in one.read.also],
        "matrices": [_matrix(document, found, language) for found in one.read.found if found.key is not None],
        "wrong": [_mark(mark) | {"cause": mark_cause(one, mark, language)} for mark in one.marks],
        "check": None if one.verdict is None else check_as_json(one.verdict, language),
    }


def _matrix(document: Document, found: Found, language: str) -> dict[str, Any]:
    grid = found.guess.grid
    start, end = document.span(grid.start, grid.end)
    name, head = found.key or (None, None)
    return {
        "name": name,
        "head": head,
        "line": document.line(grid.start),
        "start": start,
        "end": end,
        "certain": found.sure,
        "why": catalogue(language).gettext(REASONS[found.why]),
        "rows": [[cell.text for cell in row] for row in grid.rows],
    }


def _mark(mark: Mark) -> dict[str, Any]:
    return {
        "name": mark.place.name,
        "head": mark.place.head,
        "row": mark.place.row,
        "col": mark.place.col,
        "line": mark.line,
        "start": mark.start,
        "end": mark.end,
        "printed": mark.printed,
        "right": mark.right,
        "own": mark.own,
    }


def mark_cause(one: Judged, mark: Mark, language: str) -> str:
    """The sentence of what explains a wrong number."""
    assert one.verdict is not None  # noqa: S101  # it has marks
    step = one.verdict.steps[mark.place.name]
    if not mark.own:
        return next(iter(following_messages(one.verdict, mark.place.name, language)), "")
    cause = cause_of(step, mark.place.head, mark.place.row)
    if cause is not None:
        return cause_told(one.verdict, cause, language)
    return unexplained_message(one.verdict, mark.place.name, language) if step.unexplained else ""


def mark_line(one: Judged, mark: Mark, language: str) -> str:
    """The sentence that says where a wrong number is, what is printed there and what is right."""
    assert one.verdict is not None  # noqa: S101  # it has marks
    say = catalogue(language).gettext
    template = N_("Line {line}, {place}: {printed}, right is {right}.")
    where = place(one.verdict, mark.place, say)
    return say(template).format(line=mark.line, place=where, printed=mark.printed, right=mark.right)


def other_readings(one: Judged, language: str) -> str:
    """The sentence on readings under which as many numbers are right; "" where there is none."""
    say = catalogue(language).gettext
    others = [say(OTHERS[other.partition(":")[0]]) for other in one.read.also]
    listed = say(N_(", ")).join(dict.fromkeys(others))
    return say(N_("As many numbers are right {others}.")).format(others=listed) if others else ""


# --- a text to read ---------------------------------------------------------------------------------------------


def as_text(article: Article, language: str = "en") -> str:
    """What was read, and each wrong number with its line, the right one and the cause."""
    lines: list[str] = []
    for number, one in enumerate(article.examples, 1):
        lines += _lines(article, one, number, language)
    return "\n".join(lines)


def _lines(article: Article, one: Judged, number: int, language: str) -> list[str]:
    say = catalogue(language).gettext
    lines = [say(N_("Example {number}: {title}")).format(number=number, title=one.example.title), ""]
    lines += [
        _read_line(article.document, one, found, language) for found in one.read.found if not found.again
    ]
    others = other_readings(one, language)
    lines += [others] if others else []
    lines.append("")
    if one.verdict is None:
        return [*lines, say(NOTHING_TO_CHECK), ""]
    if one.verdict.ok:
        doubted = any(found.why == "doubted" for found in one.read.found)
        right = say(RIGHT_AS_FAR if doubted else ALL_RIGHT)
        return [*lines, right, ""]
    said = set[str]()
    for mark in one.marks:
        cause = mark_cause(one, mark, language)
        line = mark_line(one, mark, language)
        lines.append(f"{line} {cause}" if cause and cause not in said else line)
        said.add(cause)
    return [*lines, ""]


def _read_line(document: Document, one: Judged, found: Found, language: str) -> str:
    say = catalogue(language).gettext
    reason, at = say(REASONS[found.why]), document.line(found.guess.grid.start)
    if found.key is None:
        return say(N_("Line {line}: a matrix that is not used ({reason})")).format(line=at, reason=reason)
    name, head = found.key
    noun = say(NAMES[name])
    what = f"{noun} {symbol(name, one.example)}"
    if head is not None and name in PER_HEAD and len(one.example.heads) > 1:
        what = say(N_(", ")).join((what, say(N_("head {number}")).format(number=head + 1)))
    template = (
        N_("Line {line}: {what} ({reason})") if found.sure else N_("Line {line}: {what}, a guess ({reason})")
    )
    return say(template).format(line=at, what=what, reason=reason)
