"""The lens "check": which claimed numbers are right, which only follow, and what explains the others."""

from __future__ import annotations

from itertools import islice
from typing import Final

from mha_core import Example
from mha_core.check.check import check as checked
from mha_core.check.invariants import invariants
from mha_core.check.outcome import Verdict
from mha_core.check.remarks import explains, puzzling, remark
from mha_core.check.report import (
    cause_kind,
    cause_lines,
    cause_told,
    finding_message,
    right_line,
    unexplained_message,
)
from mha_core.check.summary import summary
from mha_core.compute.derive import Cell
from mha_core.compute.graph import symbol
from mha_core.compute.trace import Trace
from mha_core.edit.claims import claimed_rows
from mha_core.errors import N_
from mha_core.exercise.judged import judged
from mha_core.vocabulary import PER_HEAD, noun
from mha_view import payloads
from mha_view.language import Words, words_in
from mha_view.lenses.lens import Lens
from mha_view.lenses.practice import practice
from mha_view.payloads import cell_data

MOST_NOTES: Final = 400
"""Most wrong cells whose right calculation is sent; for more there is the report."""


def check(lens: Lens, computed: Trace, language: str) -> payloads.Seen:
    """``marks`` of the claimed cells, ``kinds`` of the mistakes made there, ``notes``, the right calculation of the
    wrong ones, and ``check``, in words.

    In an exercise no calculation is sent before it is requested.
    """
    if lens.exercise is None:
        verdict = checked(computed.example)
        notes, kinds, report = _notes(verdict), _kinds(verdict, language), check_in_words(verdict, language)
    else:
        verdict = judged(computed.example)
        notes, kinds, report = {}, {}, practice(lens.exercise, verdict, language)
    return {"marks": _marks(verdict), "kinds": kinds, "notes": notes, "check": report, "matrices": {}}


def _key(cell: Cell) -> str:
    return f"{cell.name}|{'' if cell.head is None else cell.head}|{cell.row}|{cell.col}"


def _marks(verdict: Verdict) -> dict[str, str]:
    """Every filled-in cell: right, own, follows, doubtful, coarse or nearly."""
    example, marks = verdict.trace.example, {}
    for name, step in verdict.steps.items():
        heads = [None] if name not in PER_HEAD else range(len(example.heads))
        for head in heads if step.given else ():
            for i, row in enumerate(claimed_rows(example, name, head) or ()):
                for j, claim in enumerate(row):
                    if claim is not None:
                        marks[_key(Cell(name, head, i, j))] = "right"
        marks |= {_key(wrong.cell): "own" if wrong.own else "follows" for wrong in step.wrong}
        marks |= {_key(wrong.cell): "doubtful" for wrong in step.doubtful}
        marks |= {_key(right.cell): "coarse" for right in step.coarse}
        marks |= {_key(right.cell): "nearly" for right in step.nearly}
    return marks


def _notes(verdict: Verdict) -> dict[str, str]:
    """The right calculation of every wrong cell."""
    wrong = [claim.cell for step in verdict.steps.values() for claim in step.wrong + step.doubtful]
    return {_key(cell): right_line(verdict, cell) for cell in wrong[:MOST_NOTES]}


def _kinds(verdict: Verdict, language: str) -> dict[str, str]:
    """The mistake in every wrong cell where it is known; for the others, a remark about the number itself."""
    steps = verdict.steps.values()
    known = {
        _key(wrong.cell): cause_kind(verdict, cause, language)
        for step in steps
        for wrong in step.wrong
        if wrong.own and (cause := next((each for each in step.causes if explains(each, wrong.cell)), None))
    }
    others = islice((wrong for step in steps for wrong in puzzling(step)), MOST_NOTES)
    return known | {_key(wrong.cell): remark(verdict, wrong, language) for wrong in others}


def check_in_words(verdict: Verdict, language: str) -> payloads.Check:
    """What a check found, as the page shows it above the numbers."""
    words, example = words_in(language), verdict.trace.example
    causes: list[payloads.Cause] = []
    for name, step in verdict.steps.items():
        for cause in step.causes:
            right, yours = cause_lines(verdict, cause, language)
            causes.append(
                {
                    "step": _letter(name, example, words),
                    "cell": cell_data(cause.cell),
                    "text": cause_told(verdict, cause, language),
                    "walk": name,
                    "right": right,
                    "yours": yours,
                }
            )
    unexplained = [name for name, step in verdict.steps.items() if step.unexplained]
    if unexplained:
        name = unexplained[0]
        first = puzzling(verdict.steps[name])[0].cell
        letters = words(N_(", ")).join(_letter(name, example, words) for name in unexplained)
        text = unexplained_message(verdict, name, language)
        causes.append({"step": letters, "cell": cell_data(first), "text": text, "walk": name})
        causes.sort(key=lambda cause: list(verdict.steps).index(cause["walk"]))
    findings: list[payloads.Remark] = [
        {"text": finding_message(verdict, finding, language), "cell": cell_data(finding.cell)}
        for finding in invariants(verdict.trace)
    ]
    given = any(step.given for step in verdict.steps.values())
    return {
        "state": _state(verdict) if given else "empty",
        "summary": summary(verdict, language) if given else words(_INVITATION),
        "first": verdict.first_wrong and cell_data(verdict.first_wrong),
        "causes": causes,
        "findings": findings,
    }


def _state(verdict: Verdict) -> str:
    steps = verdict.steps.values()
    if not verdict.ok or any(step.doubtful for step in steps):
        return "wrong"
    return "coarse" if any(step.coarse for step in steps) else "ok"


_INVITATION: Final = N_(
    "Enter your own numbers for any step, in any order. You can paste whole blocks. Mistakes are marked "
    "immediately."
)


def _letter(name: str, example: Example, words: Words) -> str:
    """What stands before a cause; “head” alone would be read as a number of one."""
    return noun(name, words) if name == "head_outputs" else symbol(name, example)
