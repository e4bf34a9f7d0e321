"""What a page without a server contains, as plain JSON data: the tables and the tour in every language."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, TypedDict

from mha_core.compute.trace import Trace
from mha_core.errors import N_
from mha_core.example.files import dump
from mha_core.example.model import (
    MAX_NUMBER,
    AddMask,
    AllowMask,
    Example,
    Scale,
    key_tokens,
    keys_are_queries,
)
from mha_core.exercise.exercise import askable
from mha_core.messages import LANGUAGE, LANGUAGES
from mha_core.vocabulary import SCORING, TARGETS
from mha_core.walk.summary import finding_templates
from mha_core.walk.text import NUMBER, WHY_NUMBER
from mha_view import page_words, payloads
from mha_view.about import About, about_example, is_ours, title_of
from mha_view.figures.labels import labels
from mha_view.follow import THEMES
from mha_view.language import words_in
from mha_view.lenses.practice import CLIMB, RESULTS, RUNGS
from mha_view.page.exercise import PageExercise, exercise_of
from mha_view.puzzle import changeable_first, only_allowed, puzzle_of
from mha_view.tables.backward import with_backward
from mha_view.walk import walked


class PageTables(payloads.LearningModel, About):
    """The tables, and the sentences above them."""

    about_ours: bool


class PageTokens(TypedDict):
    """What the sentences call the tokens. ``same``: whether queries and keys are the same tokens."""

    queries: Sequence[str]
    keys: Sequence[str]
    same: bool


class PageTexts(TypedDict):
    """The page in one language, before anything is changed.

    ``puzzle``: null also where the page could not change what it asks to be changed.
    """

    words: Mapping[str, str]
    explore: PageTables
    walk: payloads.Walked
    exercise: PageExercise | None
    puzzle: payloads.PuzzleData | None


class PageData(TypedDict):
    """A page without a server.

    ``first``: the language for a browser whose own is not one of ours. ``file``: the example as a file has it.
    ``temperature``: whether the divisor is one. ``most``: the largest number that may be entered. ``app``: the address
    of an app that opens the same numbers, "" for none. ``kept``: the edits in a copy that was saved with other numbers.
    """

    languages: Mapping[str, PageTexts]
    first: str
    tokens: PageTokens
    file: Mapping[str, object]
    scale: Scale
    temperature: bool
    most: float
    app: str
    kept: Sequence[Mapping[str, object]]


_WORDS: Final = {
    **THEMES,
    "parts": N_("Parts of this page"),
    "about_page": N_("This page shows how multi-head attention is computed, number by number."),
    "start": N_("New here? Start with the {count} steps"),
    "extras": N_("More"),
    "task": N_("Your turn:"),
    "task_link": N_("Your turn: a task in Explore"),
    "task_goal": N_("change one number of {weights} so that in head {head} “{query}” looks most at “{key}”."),
    "task_itself": N_(
        "change one number of {weights} so that in head {head} “{query}” looks most at itself."
    ),
    "task_now": N_("Now it looks most at “{now}” ({weight})."),
    "task_tie": N_("Now several tokens share its largest weight."),
    "task_reached": N_("✓ Done: “{query}” looks most at “{now}” ({weight})."),
    "task_hint": N_("Try the number in row {row}, column {col} of {weights}."),
    "task_help": N_("Hint"),
    "task_next": N_("Next task"),
    "last_task": N_("That was the last step. Explore has a task for you now."),
    "in_app": N_("Open in the app"),
    "no_room": N_(
        "This block is {got_rows} × {got_cols}, but only {rows} × {cols} fits from row {row}, column {col}."
    ),
    "uneven": N_(
        "Row {row} of the pasted block has {got} {got:number|numbers}, but the first row has {all}."
    ),
    "step_too_large": N_("With this η the numbers grow without bound. Try a smaller one."),
    "own_file": N_("Download your numbers"),
    "save_copy": N_("Save a copy"),
    "unreadable": N_("The numbers in this link could not be read. The page shows its own."),
    **{f"result {name}": text for name, text in RESULTS.items()},
    **{f"rung {name}": text for name, text in RUNGS.items()},
    **{f"climb {name}": text for name, text in CLIMB.items()},
    "divided": NUMBER,
    "divided_why": WHY_NUMBER,
    **{f"look {name}": text for name, text in finding_templates().items()},
}


def page_data(
    trace: Trace, language: str, decimals: int, app: str, languages: Sequence[str] = LANGUAGES
) -> PageData:
    """The data of an example's page, in these languages. What only its lecturer sees is left out."""
    example = replace(trace.example, lecture=None, claimed=None)
    return {
        "languages": {code: _texts(trace, code, decimals) for code in languages},
        "first": language,
        "tokens": {
            "queries": labels(example.tokens).names,
            "keys": labels(key_tokens(example)).names,
            "same": keys_are_queries(example),
        },
        "file": json.loads(dump(example)),
        "scale": example.scale,
        "temperature": SCORING[example.scoring].temperature is not None,
        "most": MAX_NUMBER,
        "app": app,
        "kept": [],
    }


def _texts(trace: Trace, language: str, decimals: int) -> PageTexts:
    tables = with_backward(trace, language, decimals)
    for target in TARGETS.values():  # a page has no other goal
        if target in tables["matrices"]:
            tables["matrices"][target]["edit"] = False
    words, of_tour = words_in(language), walked(trace, language)
    of_walk = page_words.words_of("walk", language)
    if "mask" in tables["matrices"]:
        tables["matrices"]["mask"]["edit"] = _is_mask_of_its_own(trace.example)
    if "head_mask" in tables["matrices"]:
        tables["matrices"]["head_mask"]["edit"] = False
    only_allowed(tables["matrices"], trace.example)
    tables["stages"] = changeable_first(tables["stages"], trace.example)
    asked = tuple(step for step in trace.example.asked or () if step in askable(trace.example))
    return {
        "words": {
            **of_walk,
            **tables["own_words"],
            "stage_keys": _alone(of_walk["stage_keys"]),
            **{name: words(text) for name, text in _WORDS.items()},
            "name": LANGUAGE[language].name,
        },
        "explore": {
            **tables,
            **about_example(trace, language),
            "about_ours": is_ours(trace.example),
        },
        "exercise": exercise_of(trace, asked, language, decimals) if asked else None,
        "puzzle": None if asked else _puzzle(trace, tables["matrices"], language),
        "walk": {
            **of_tour,
            "title": title_of(trace.example, language),
            "stages": [{**stage, "lesson": None} for stage in of_tour["stages"]],
        },
    }


def _puzzle(
    trace: Trace, matrices: Mapping[str, payloads.Matrix], language: str
) -> payloads.PuzzleData | None:
    """The puzzle, which begins with the numbers of the page.

    It has no link, no puzzle follows it, and its solution is left out where the page cannot make its edits.
    """
    puzzle = puzzle_of(trace, trace.example, language)
    if puzzle is None or not all(name == "scale" or name in matrices for name in puzzle["change"]):
        return None
    if not all(matrices[name]["edit"] for name in puzzle["change"] if name != "scale"):
        return None
    solution = puzzle["solution"]
    if not all(edit["op"] in ("set", "scale") for edit in solution):
        solution = []
    return {**puzzle, "place": "", "next": "", "link": "", "solution": solution}


def _alone(keys: str) -> str:
    """The list of keys without those for an audience: its answers, its hands, its code."""
    return "\n".join(line for line in keys.split("\n") if not re.match("[AHC][:：]", line))


def _is_mask_of_its_own(example: Example) -> bool:
    """Whether the mask's pairs are numbers of the example. A causal mask stays causal."""
    return isinstance(example.mask, AllowMask | AddMask)
