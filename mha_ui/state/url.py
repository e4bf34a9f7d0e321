"""The work in an address: the query parameters that restore it, and the work that an address opens."""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from mha_core import Cell, MhaError, Trace, built_in, from_token, library, opens_first, trace
from mha_core.compare.variant import read, written
from mha_core.errors import N_, LinkError
from mha_core.example.share_link import MAX_TOKEN, fitting
from mha_core.exercise.exercise import askable, exercise
from mha_core.puzzle import after_solution, built_in_puzzle, in_language, start_of
from mha_ui.state.history import History, begun
from mha_ui.state.work import (
    DECIMALS,
    LENSES,
    Looking,
    Message,
    Sides,
    WalkPlace,
    Work,
    attempt,
    choose_experiment,
    existing_cell,
    opening_title,
    pin_baseline,
    say,
    view_in,
)
from mha_view.language import LANGUAGES, language_for, sentence, words_in
from mha_view.lenses.lens import MOST_DECIMALS, Exercise, with_tally
from mha_view.tables.words import WORDS

LOG: Final = logging.getLogger(__name__)
MODEL_KEYS: Final = (
    *("model", "text", "second", "head", "token", "off", "guess", "by", "only", "drawn", "pair", "shows"),
    *("hides", "next"),
)
"""What an address says of models."""
PAGE_KEYS: Final = (
    *("example", "puzzle", "s", "lang", "cell", "decimals", "ask", "seed", "seeded", "tally", "lesson"),
    *("from", "set"),
    *("experiment", "variant", "lens", "base"),
    *WalkPlace._fields,
    "lecture",
    "article",
    *MODEL_KEYS,
)
"""Every query parameter that a page of ours writes. tools/declarations.py writes this list for the browser's side."""
_STAGE = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_SUB = re.compile(r"[1-9][0-9]{0,3}(\.[1-9][0-9]{0,3})?")
_DIGITS = re.compile(r"[0-9]{1,6}")
_BETWEEN = "~~"
OWN_SEED = "own"
"""In a link: an exercise with newly drawn numbers for each student who opens it."""
SEEDS = 10**6


# --- the address -----------------------------------------------------------------------------------------------


def address(work: Work) -> dict[str, str]:
    """The query parameters that restore this work in a fresh browser."""
    query, _ = _examples(work)
    looking = work.looking
    if looking.lens and (looking.lens != "change" or "base" in query):
        query["lens"] = looking.lens
    if work.language_chosen:
        query["lang"] = work.language
    if looking.decimals_chosen:
        query["decimals"] = str(looking.decimals)
    if looking.pinned:
        query["cell"] = ".".join("" if part is None else str(part) for part in looking.pinned)
    if work.exercise:
        query |= _exercise_address(work.exercise)
    for name, value in work.walk._asdict().items():
        if value:
            query[name] = "1" if value is True else value
    if looking.left_lesson:
        query["from"] = looking.lesson
    return query | _experiment_address(looking)


def _exercise_address(current: Exercise) -> dict[str, str]:
    seeded = "" if current.seed is None else str(current.seed)
    query = {"ask": ".".join(current.asked), "tally": current.tally, "seeded": seeded}
    return {name: value for name, value in query.items() if value}


def _experiment_address(looking: Looking) -> dict[str, str]:
    if not looking.experiment:
        return {}
    chosen = looking.sides.get(looking.experiment, Sides())
    variant = {"variant": _BETWEEN.join(map(written, chosen))} if any(map(written, chosen)) else {}
    return {"experiment": looking.experiment, **variant}


def lesson_address(work: Work, topic: str) -> dict[str, str]:
    """The query parameters that open a lesson with this work."""
    return address(work) | ({"lesson": topic} if topic else {})


def unsaved(work: Work) -> str:
    """Why a link cannot contain this work; "" where it can."""
    return _examples(work)[1]


def say_whether_too_large(work: Work) -> Work:
    """The work with a message on why a link cannot contain it: once, and not after every edit."""
    too_large = unsaved(work)
    if bool(too_large) == work.browser.too_large:
        return work
    work = replace(work, browser=replace(work.browser, too_large=bool(too_large)))
    return say(work, Message(too_large, "info")) if too_large else work


def _examples(work: Work) -> tuple[dict[str, str], str]:
    """The current example and the pinned one, as far as a link can contain them, and why it cannot."""
    query: dict[str, str] = {}
    too_large = ""
    name, own = work.history.name, work.example.puzzle
    if name and work.example == library()[name]:
        query["example"] = name
    elif own and own.key and work.example == work.history.origin:
        query["puzzle"] = own.key
    else:
        try:
            query["s"] = fitting(work.history.token)
        except LinkError:
            too_large = work.words(_TOO_LARGE)
    if work.looking.pinned_baseline:
        base = work.looking.pinned_baseline.token
        if len(base) + len(query.get("s", "")) <= MAX_TOKEN:
            query["base"] = base
        else:
            too_large = too_large or work.words(_BASELINE_TOO_LARGE)
    return query, too_large


_TOO_LARGE: Final = WORDS["large"]
_BASELINE_TOO_LARGE: Final = N_(
    "With its baseline, this example is too large for a link. The link leaves the baseline out."
)


def without_claims(work: Work) -> Work:
    """The same work as it is given to students: without what was filled in, the lecturer's notes and
    the solution of a puzzle."""
    asked = work.exercise and Exercise(work.exercise.asked, seed=work.exercise.seed)
    looking = replace(work.looking, lens="", pinned_baseline=None)
    bare = replace(work.example, claimed=None, lecture=None, asked=None, attempt=None, puzzle=None)
    history = replace(work.history, trace=trace(bare, work.backend), past=(), future=())
    return replace(work, history=history, looking=looking, exercise=asked)


# --- what an address opens -------------------------------------------------------------------------------------


def is_plain(query: Mapping[str, str]) -> bool:
    """Whether an address names nothing but a language, if that."""
    return not query.keys() & (set(PAGE_KEYS) - {"lang"})


def work_at_or_first(query: Mapping[str, str], locale: str | None) -> Work:
    """The work that an address contains; the example that opens first where reading it fails unexpectedly."""
    try:
        return work_at(query, locale)
    except Exception:
        LOG.exception("an address could not be opened")
        opened = work_at({"lang": query.get("lang", "")}, locale)
        title = opening_title(opened.language)
        return replace(opened, message=Message(opened.words(NOT_OPENED).format(title=title)))


NOT_OPENED: Final = N_(
    "Something went wrong while opening this link (details are in the server's log). Showing “{title}” instead."
)


def work_at(query: Mapping[str, str], locale: str | None) -> Work:
    """The work that an address contains; where it is malformed, the example that opens first and a message."""
    named = query.get("lang", "")
    language = named if named in LANGUAGES else language_for(locale)
    message = None
    try:
        history = _history_at(query, language)
    except MhaError as error:
        template = words_in(language)(N_("{reason}. Showing “{title}” instead."))
        message = Message(template.format(reason=sentence(error, language), title=opening_title(language)))
        first = opens_first(language)
        history = begun(built_in(first), first)
    opened = Work(history, language, named in LANGUAGES, walk=place_in(query), message=message)
    if message is None:
        opened = _with_exercise(opened, query)
    return _with_experiment(_with_lens(_with_view(opened, query), query), query)


def _history_at(query: Mapping[str, str], language: str) -> History:
    """The history of the example that an address names; that of a built-in puzzle begins with the puzzle's own numbers.

    Raises ``MhaError`` where there is no such example.
    """
    if "s" in query:
        example = from_token(query["s"])
        start = start_of(example)
        after_solution(start or example)  # raises the error of a solution that cannot be shown
        return begun(example) if start is None else replace(begun(example), origin=start)
    if "puzzle" in query:
        return begun(in_language(built_in_puzzle(query["puzzle"]), language))
    name = query.get("example", opens_first(language))
    return begun(built_in(name), name)


def _with_view(work: Work, query: Mapping[str, str]) -> Work:
    """The work with the decimals, the pinned cell and the lesson left behind of a link, where they are valid."""
    decimals = query.get("decimals", "")
    chosen = decimals in map(str, range(MOST_DECIMALS + 1))
    looking = replace(
        work.looking,
        decimals=int(decimals) if chosen else DECIMALS,
        decimals_chosen=chosen,
        pinned=_cell_in(work.trace, query.get("cell", "")),
    )
    left = query.get("from", "")
    if _STAGE.fullmatch(left):
        looking = replace(looking, lesson=left, left_lesson=True)
    return replace(work, looking=looking)


def _with_experiment(work: Work, query: Mapping[str, str]) -> Work:
    name = query.get("experiment", "")
    if not _STAGE.fullmatch(name):
        return work
    left, _, right = query.get("variant", "").partition(_BETWEEN)
    return choose_experiment(work, name, Sides(read(left), read(right)) if left or right else None)


def place_in(query: Mapping[str, object]) -> WalkPlace:
    """A place of the walkthrough from an address or a message; malformed parts are left out.

    Whether the example has this stage is not checked: the walk goes to the nearest one that it has.
    """
    step, sub, view = (str(query.get(name, "")) for name in ("step", "sub", "view"))
    return WalkPlace(
        step if _STAGE.fullmatch(step) else "",
        sub if _SUB.fullmatch(sub) else "",
        view_in(view),
        query.get("predict") in ("1", True),
    )


def _cell_in(computed: Trace, text: str) -> Cell | None:
    """A cell from ``weights.1.0.2`` (an empty head for the whole layer); None where there is no such cell."""
    name, *numbers = text.split(".")
    try:
        head, row, col = numbers
        cell = Cell(name, int(head) if head else None, int(row), int(col))
    except ValueError:
        return None
    return existing_cell(computed, cell)


def _with_lens(work: Work, query: Mapping[str, str]) -> Work:
    """The work with the lens and the baseline of a link. A message says so if the baseline cannot be read."""
    lens, base = query.get("lens", ""), query.get("base", "")
    if base:
        try:
            work = pin_baseline(work, from_token(base))
        except MhaError as error:
            template = work.words(N_("The baseline in this link was not used: {reason}."))
            work = say(work, Message(template.format(reason=sentence(error, work.language))))
    is_known = lens in LENSES and (lens != "change" or work.looking.pinned_baseline)
    return replace(work, looking=replace(work.looking, lens=lens if is_known else ""))


def _with_exercise(work: Work, query: Mapping[str, str]) -> Work:
    """The exercise of a link: its steps, and the numbers of its seed, or new ones (``seed=own``).

    The work's address then contains the drawn numbers, their seed (``seeded``), and a tally of mistakes and hints, so
    that the same exercise opens again.
    """
    ask, seed, drawn_of = (query.get(name, "") for name in ("ask", "seed", "seeded"))
    asked = tuple(name for name in askable(work.example) if name in ask.split("."))
    if not asked:
        return work
    if seed == OWN_SEED or _DIGITS.fullmatch(seed):
        drawn = secrets.randbelow(SEEDS) if seed == OWN_SEED else int(seed)
        before = work
        work = attempt(work, lambda work: replace(work, history=begun(exercise(work.example, drawn))))
        drawn_of = "" if work.history is before.history else str(drawn)
    seeded = int(drawn_of) if _DIGITS.fullmatch(drawn_of) else None
    return replace(work, exercise=replace(with_tally(asked, query.get("tally", "")), seed=seeded))
