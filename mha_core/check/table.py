"""Many solutions side by side: one row each, where it first goes wrong and why, and how often each cause is named."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable
from io import StringIO

from mha_core.check.check import Checked, Verdict
from mha_core.check.report import cause_message, place, summary, unexplained_message
from mha_core.errors import N_, MhaError
from mha_core.messages import catalogue, in_words


def as_table(solutions: Iterable[tuple[str, Verdict | MhaError]], language: str) -> str:
    """CSV: file, outcome, the first wrong cell, the causes named there; then each cause and in how many files.

    A file that could not be checked has its error as the outcome.
    """
    say = catalogue(language).gettext
    out, count = StringIO(), Counter[str]()
    write = csv.writer(out, lineterminator="\n").writerow
    write([say(N_("file")), say(N_("outcome")), say(N_("first wrong")), say(N_("cause"))])
    for file, found in solutions:
        if isinstance(found, MhaError):
            write([_text(file), _text(in_words(found, language)), "", ""])
            continue
        first = found.first_wrong
        causes = [] if first is None else _causes(found, found.steps[first.name], language)
        count.update(_kinds(found))
        write(
            [
                _text(file),
                summary(found, language),
                place(found, first, say) if first else "",
                " / ".join(causes),
            ]
        )
    if count:
        write([])
        write([say(N_("cause")), say(N_("solutions"))])
        for kind, times in count.most_common():
            write([kind, times])
    return out.getvalue()


def _causes(verdict: Verdict, step: Checked, language: str) -> list[str]:
    told = [cause_message(verdict, cause, language) for cause in step.causes]
    return told + ([unexplained_message(language)] if step.unexplained else [])


def _kinds(verdict: Verdict) -> set[str]:
    """The ids of the causes at the first step that is wrong; "unexplained" where something there is not."""
    first = verdict.first_wrong
    if first is None:
        return set()
    step = verdict.steps[first.name]
    return {"+".join(cause.ids) for cause in step.causes} | ({"unexplained"} if step.unexplained else set())


def _text(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
