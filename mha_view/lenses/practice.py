"""What a learner sees of an exercise: the progress, what is wrong where, the requested hint, and the result."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache, reduce
from typing import Final

from mha_core.check.outcome import Verdict
from mha_core.check.remarks import puzzling
from mha_core.check.report import cause_message, remark_message
from mha_core.check.summary import summary
from mha_core.compute.derive import Cell
from mha_core.errors import N_
from mha_core.example.model import key_tokens
from mha_core.exercise.hints import (
    blank_cells,
    coarse_cells,
    exercise_cells,
    exercise_tables,
    hints,
    open_cells,
    table_title,
    wrong_cells,
)
from mha_core.walk.summary import findings, where_heads_look
from mha_view import payloads
from mha_view.figures.labels import labels
from mha_view.language import Words, words_in
from mha_view.lenses.lens import Exercise
from mha_view.payloads import cell_data

_UI: Final = {
    "practice": N_("Exercise"),
    "progress": N_("Progress"),
    "step_of": N_("Step {step} of {steps}"),
    "right_of": N_("{right} of {cells} numbers right"),
    "whole": N_("Show all steps"),
    "single": N_("One step at a time"),
    "end": N_("End the exercise"),
    "given": N_("Given"),
    "yours": N_("Fill in"),
    "next": N_("Next step"),
    "step_done": N_("Correct. This step is done."),
    "done": N_("done"),
    "left": N_("{count} left"),
    "hint": N_("Hint"),
    "own": N_("wrong"),
    "follows": N_("carried over"),
    "doubtful": N_("rounding error"),
    "coarse": N_("needs more digits"),
    "nearly": N_("last digit off"),
    "finished": N_("All correct"),
    "another": N_("New exercise"),
    "for_class": N_("Link for my class"),
    "for_class_about": N_("Each student who opens it gets new numbers:"),
    "copied": N_("Copied."),
}
RUNGS: Final = {
    "idea": N_("Idea"),
    "formula": N_("Formula"),
    "numbers": N_("With numbers"),
    "answer": N_("Answer"),
}
"""What a hint is called, by how much it gives away."""
CLIMB: Final = {
    "formula": N_("Hint: formula"),
    "numbers": N_("Hint: formula with numbers"),
    "answer": N_("Show the answer"),
}
"""Labels of the button for the next hint."""
_START: Final = N_(
    "Work out the blank numbers step by step. Each one is checked as soon as you enter "
    "it. Two decimals are enough."
)


def practice(exercise: Exercise, verdict: Verdict, language: str) -> payloads.Check:
    """``check`` for the page, while there is an exercise: no number that has not been asked for is in it."""
    left, asked = open_cells(verdict, exercise.asked), exercise.asked
    begun = any(step.given for step in verdict.steps.values())
    words = words_in(language)
    done = ui_words(language)["finished"]
    return {
        "state": "empty" if verdict.ok and left else "wrong" if left else "ok",
        "summary": done if not left else summary(verdict, language, asked) if begun else words(_START),
        "practice": {
            "texts": ui_words(language),
            "tables": _tables(verdict, asked, words),
            "explanations": _explanations(verdict, language) if left else [],
            "hint": _hint(exercise, verdict, left, language),
            "end": None if left else _end(exercise, verdict, language),
        },
    }


@lru_cache(maxsize=4)
def ui_words(language: str) -> dict[str, str]:
    """The exercise's own words in one language."""
    words = words_in(language)
    return {name: words(text) for name, text in _UI.items()}


def _tables(verdict: Verdict, asked: tuple[str, ...], words: Words) -> list[payloads.PracticeTable]:
    """Every table to be filled in: how many cells it has, and how many of them are right, or wrong."""
    example = verdict.trace.example
    blank = Counter(cell[:2] for cell in blank_cells(example, asked))
    wrong = Counter(cell[:2] for cell in wrong_cells(verdict))
    coarse = Counter(cell[:2] for cell in coarse_cells(verdict))
    tables: list[payloads.PracticeTable] = []
    for name, head in exercise_tables(example, asked):
        rows, cols = example.dims.shape(name)
        bad = wrong[name, head]
        right = rows * cols - blank[name, head] - coarse[name, head] - bad
        tables.append(
            {
                "name": name,
                "head": head,
                "label": table_title(example, name, head, words),
                "cells": rows * cols,
                "right": right,
                "wrong": bad,
            }
        )
    return tables


def _explanations(verdict: Verdict, language: str) -> list[payloads.Remark]:
    """The known mistakes that explain a wrong number, each at the first number that it explains; in rows of which none
    is explained, what the first wrong number tells of itself.
    """
    texts: dict[Cell, str] = {}
    for step in verdict.steps.values():
        for cause in step.causes:
            texts.setdefault(cause.cell, cause_message(verdict, cause, language))
        rows = {cell[:3] for cell in texts}
        for wrong in puzzling(step):
            if wrong.cell[:3] not in rows:
                rows.add(wrong.cell[:3])
                texts[wrong.cell] = remark_message(verdict, wrong, language)
    return [{"cell": cell_data(cell), "text": text} for cell, text in texts.items()]


def _hint(exercise: Exercise, verdict: Verdict, left: list[Cell], language: str) -> payloads.ShownHint | None:
    """The hint that was asked for, as long as its cell is still blank or wrong."""
    cells, words = exercise_cells(verdict.trace.example, exercise.asked), words_in(language)
    at = exercise.hinted
    if at is None or at >= len(cells) or cells[at] not in left:
        return None
    cell_hints = hints(verdict, cells[at], language, left)
    count = max(1, min(exercise.hints.get(at, 1), len(cell_hints)))
    rung, text = cell_hints[count - 1]
    more = words(CLIMB[cell_hints[count].rung]) if count < len(cell_hints) else ""
    return {"cell": cell_data(cells[at]), "rung": words(RUNGS[rung]), "text": text, "more": more}


def _end(exercise: Exercise, verdict: Verdict, language: str) -> payloads.PracticeEnd:
    """How it went, and what has been worked out: who attends to whom, and where each head looks."""
    example = verdict.trace.example
    queries, keys = labels(example.tokens).names, labels(key_tokens(example)).names
    return {
        "result": _result(exercise, verdict, language),
        "weights": verdict.trace.values["weights"],
        "looks": findings(where_heads_look(verdict.trace), queries, keys, language),
        "queries": queries,
        "keys": keys,
    }


def _result(exercise: Exercise, verdict: Verdict, language: str) -> str:
    cells, words = exercise_cells(verdict.trace.example, exercise.asked), words_in(language)
    given = {
        at
        for at, count in exercise.hints.items()
        if at < len(cells) and count >= len(hints(verdict, cells[at], language))
    }
    hinted = sum(exercise.hints.values()) - len(given)
    first = len(set(range(len(cells))) - exercise.missed - given)
    say = {name: words(text) for name, text in RESULTS.items()}
    sentences = [say["first_try"].format(right=first, cells=len(cells))]
    sentences.append(say["hints" if hinted else "no_hints"].format(count=hinted))
    if given:
        sentences.append(say["answers"].format(count=len(given)))
    return reduce(
        lambda text, sentence: words(N_("{one} {other}")).format(one=text, other=sentence), sentences
    )


RESULTS: Final = {
    "first_try": N_("{right} of {cells} right on the first try."),
    "no_hints": N_("No hints."),
    "hints": N_("{count} {count:hint|hints}."),
    "answers": N_("{count} {count:answer|answers} shown."),
}
"""How an exercise went, in sentences."""
