"""Many solutions side by side: one row each, where it first goes wrong and why, and how often each cause is named."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from io import StringIO
from string import Formatter

from mha_core.check.catalogue import message_of
from mha_core.check.check import Checked, Verdict
from mha_core.check.report import cause_message, place, summary, unexplained, unexplained_message
from mha_core.check.slips import SLIP
from mha_core.compute.graph import divisor_text
from mha_core.errors import N_, MhaError
from mha_core.messages import catalogue, in_words


@dataclass(frozen=True, slots=True)
class Solution:
    """One row: a file and what came of it. ``first``: its first wrong cell, ``causes``: what explains the numbers
    there, both empty where none is wrong. ``kinds``: the causes without the places and numbers of this file.
    """

    file: str
    outcome: str
    first: str = ""
    causes: tuple[str, ...] = ()
    kinds: frozenset[str] = field(default=frozenset())


def solution(file: str, found: Verdict | MhaError, language: str) -> Solution:
    """The row of one file; one that could not be checked has its error as the outcome."""
    if isinstance(found, MhaError):
        return Solution(file, in_words(found, language))
    first = found.first_wrong
    if first is None:
        return Solution(file, summary(found, language))
    step = found.steps[first.name]
    rest = (unexplained_message(found, first.name, language),) if step.unexplained else ()
    kinds = (unexplained(step, language),) if step.unexplained else ()
    return Solution(
        file,
        summary(found, language),
        place(found, first, catalogue(language).gettext),
        tuple(cause_message(found, cause, language) for cause in step.causes) + rest,
        frozenset({*_kinds(found, step, language), *kinds}),
    )


def counts(solutions: Iterable[Solution]) -> list[tuple[str, int]]:
    """Each kind of cause and in how many solutions it is named where they first go wrong, the most frequent first."""
    return Counter(kind for one in solutions for kind in sorted(one.kinds)).most_common()


def as_csv(solutions: Iterable[Solution], language: str) -> str:
    """File, outcome, the first wrong cell, the causes named there; then each kind of cause and in how many files."""
    rows = list(solutions)
    out = StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    write(headings(language))
    for one in rows:
        write([_text(one.file), _text(one.outcome), one.first, " / ".join(one.causes)])
    if counted := counts(rows):
        write([])
        write(count_headings(language))
        for kind, times in counted:
            write([kind, times])
    return out.getvalue()


def headings(language: str) -> list[str]:
    """What the columns are called."""
    say = catalogue(language).gettext
    return [say(N_("file")), say(N_("outcome")), say(N_("first wrong")), say(N_("cause"))]


def count_headings(language: str) -> list[str]:
    """What the columns of the counts are called."""
    say = catalogue(language).gettext
    return [say(N_("cause")), say(N_("solutions"))]


def _kinds(found: Verdict, step: Checked, language: str) -> Iterable[str]:
    """Each cause of a step, two at once as two, with … for what differs from solution to solution."""
    say = catalogue(language).gettext
    values = defaultdict(lambda: "…", divisor=divisor_text(found.trace.example))
    for cause in step.causes:
        for label in cause.ids:
            message = SLIP[label].message if label in SLIP else message_of(label, cause.cell.name)
            yield Formatter().vformat(say(message), (), values)


def _text(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
