"""A table of many solutions: how many numbers of each are right, its first wrong cell, the causes, and how often each
kind of cause occurs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from string import Formatter
from typing import Final, NamedTuple

from mha_core.check.catalogue import message_of
from mha_core.check.outcome import Checked, Verdict
from mha_core.check.report import cause_message, unexplained, unexplained_message
from mha_core.check.slips import SLIP
from mha_core.check.summary import count_blank, place, summary
from mha_core.compute.graph import divisor_text
from mha_core.errors import N_, MhaError
from mha_core.messages import catalogue, in_words
from mha_core.spreadsheet import csv_text
from mha_core.vocabulary import noun


class Counts(NamedTuple):
    """How many numbers of a solution are right and how many wrong.

    ``blank``: blank cells of the steps that its file asks for, or else of the tables that were begun.
    """

    right: int
    wrong: int
    blank: int


@dataclass(frozen=True, slots=True)
class Solution:
    """One row of the table: a file and its outcome.

    ``counts``: None if the file could not be checked. ``first``: the first wrong cell; ``causes``: what explains the
    wrong numbers, step by step; both empty if nothing is wrong. ``kinds``: the causes without the places and numbers
    of this file.
    """

    file: str
    outcome: str
    counts: Counts | None = None
    first: str = ""
    causes: tuple[str, ...] = ()
    kinds: frozenset[str] = field(default=frozenset())


def solution(file: str, outcome: Verdict | MhaError, language: str) -> Solution:
    """The row of one file; the outcome of a file that could not be checked is its error."""
    if isinstance(outcome, MhaError):
        return Solution(file, in_words(outcome, language))
    first = outcome.first_wrong
    if first is None:
        return Solution(file, summary(outcome, language), _counts(outcome))
    wrong = {name: step for name, step in outcome.steps.items() if step.causes or step.unexplained}
    kinds = (kind for step in wrong.values() for kind in _kinds(outcome, step, language))
    return Solution(
        file,
        summary(outcome, language),
        _counts(outcome),
        place(outcome, first, catalogue(language).gettext),
        tuple(cause for name in wrong for cause in _causes(outcome, name, language, first.name)),
        frozenset(kinds),
    )


def _counts(verdict: Verdict) -> Counts:
    given = sum(step.given for step in verdict.steps.values())
    wrong = sum(len(step.wrong) + len(step.doubtful) for step in verdict.steps.values())
    return Counts(given - wrong, wrong, count_blank(verdict.trace.example))


def _causes(verdict: Verdict, name: str, language: str, first: str) -> Iterator[str]:
    """What explains a step's wrong numbers, with the step's name unless it is the first that goes wrong."""
    say, step = catalogue(language).gettext, verdict.steps[name]
    messages = [cause_message(verdict, cause, language) for cause in step.causes]
    if name == first:
        yield from messages
        yield from [unexplained_message(verdict, name, language)] if step.unexplained else []
        return
    messages += [unexplained(step, language)] if step.unexplained else []
    for what in messages:
        yield say(N_("{place}: {what}")).format(place=noun(name, say), what=what)


def counts(solutions: Iterable[Solution]) -> list[tuple[str, int]]:
    """Each kind of cause with the number of solutions that have it, the most frequent first."""
    return Counter(kind for row in solutions for kind in sorted(row.kinds)).most_common()


def as_csv(solutions: Iterable[Solution], language: str) -> str:
    """The table as CSV, and below it each kind of cause with the number of solutions that have it."""
    rows = list(solutions)
    lines: list[Sequence[object]] = [headings(language)]
    lines += [
        [row.file, row.outcome, *(row.counts or _NO_COUNTS), row.first, " / ".join(row.causes)]
        for row in rows
    ]
    if counted := counts(rows):
        lines += [[], count_headings(language), *counted]
    return csv_text(lines)


def headings(language: str) -> list[str]:
    """The names of the columns."""
    say = catalogue(language).gettext
    counted = say(N_("right")), say(N_("wrong")), say(N_("blank"))
    return [say(N_("file")), say(N_("result")), *counted, say(N_("first wrong")), say(N_("cause"))]


_NO_COUNTS: Final = ("", "", "")


def count_headings(language: str) -> list[str]:
    """The names of the columns of the counts."""
    say = catalogue(language).gettext
    return [say(N_("cause")), say(N_("solutions"))]


def _kinds(verdict: Verdict, step: Checked, language: str) -> Iterable[str]:
    """Each cause of a step, a pair of causes as two, with … for what differs from solution to solution."""
    say = catalogue(language).gettext
    values = defaultdict(lambda: "…", divisor=divisor_text(verdict.trace.example))
    for cause in step.causes:
        for label in cause.ids:
            message = SLIP[label].message if label in SLIP else message_of(label, cause.cell.name)
            yield Formatter().vformat(say(message), (), values)
    if step.unexplained:
        yield unexplained(step, language)
