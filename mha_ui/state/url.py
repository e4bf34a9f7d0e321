"""The work in an address: the query parameters that restore it, and the work that an address opens."""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from mha_core import Cell, Example, MhaError, built_in, from_token, library, opens_first, trace
from mha_core.compare.variant import read, written
from mha_core.errors import N_, LinkError
from mha_core.example.share_link import MAX_TOKEN, fitting, packed
from mha_core.exercise.exercise import askable, exercise
from mha_ui.state.work import (
    DECIMALS,
    LENSES,
    VIEWS,
    Message,
    Sides,
    WalkPlace,
    Work,
    attempt,
    choose_experiment,
    existing_cell,
    opening_title,
    pin_baseline,
)
from mha_view.language import LANGUAGES, language_for, sentence, words_in
from mha_view.lenses.lens import MOST_DECIMALS, Exercise, with_tally

LOG: Final = logging.getLogger(__name__)
PAGE_KEYS = (
    *("example", "s", "lang", "cell", "decimals", "ask", "seed", "tally", "lesson"),
    *("experiment", "variant", "lens", "base"),
    *WalkPlace._fields,
    "lecture",
    *("model", "text", "second", "head", "token", "off", "guess", "by", "only", "drawn", "pair", "shows"),
    "hides",
)
"""Every query parameter that a page of ours writes; address.js lists them too."""
_STAGE = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_SUB = re.compile(r"[1-9][0-9]{0,3}(\.[1-9][0-9]{0,3})?")
_DIGITS = re.compile(r"[0-9]{1,6}")
_BETWEEN = "~~"
OWN_SEED = "own"
"""In a link: an exercise whose numbers are drawn anew for whoever opens it."""
SEEDS = 10**6


# --- the address -----------------------------------------------------------------------------------------------


def address(current: Work) -> dict[str, str]:
    """The query parameters that restore this work in a fresh browser."""
    query, too_large = _examples(current)
    if too_large and not current.too_large:  # said once, not at every edit
        current.message = current.message or Message(too_large, "info")
    current.too_large = bool(too_large)
    if current.lens and (current.lens != "change" or "base" in query):
        query["lens"] = current.lens
    if current.language_chosen:
        query["lang"] = current.language
    if current.decimals != DECIMALS:
        query["decimals"] = str(current.decimals)
    if current.pinned:
        query["cell"] = ".".join("" if part is None else str(part) for part in current.pinned)
    if current.exercise:
        query["ask"] = ".".join(current.exercise.asked)
        if current.exercise.tally:
            query["tally"] = current.exercise.tally
    for name, value in current.walk._asdict().items():
        if value:
            query[name] = "1" if value is True else value
    return query | _experiment_address(current)


def _experiment_address(current: Work) -> dict[str, str]:
    if not current.experiment:
        return {}
    chosen = current.sides.get(current.experiment, Sides())
    variant = {"variant": _BETWEEN.join(map(written, chosen))} if any(map(written, chosen)) else {}
    return {"experiment": current.experiment, **variant}


def lesson_address(current: Work, topic: str) -> dict[str, str]:
    """The query parameters that open a lesson with this work."""
    return address(current) | ({"lesson": topic} if topic else {})


def unsaved(current: Work) -> str:
    """Why a link cannot hold this work; "" where it can."""
    return _examples(current)[1]


def _examples(current: Work) -> tuple[dict[str, str], str]:
    """The example at hand and the pinned one, as far as a link can hold them, and why it cannot."""
    query: dict[str, str] = {}
    too_large = ""
    if current.name and current.example == library()[current.name]:
        query["example"] = current.name
    else:
        try:
            query["s"] = fitting(token(current))
        except LinkError:
            too_large = current.words(_TOO_LARGE)
    if current.pinned_baseline:
        base = current.pinned_baseline.token
        if len(base) + len(query.get("s", "")) <= MAX_TOKEN:
            query["base"] = base
        else:
            too_large = too_large or current.words(_BASELINE_TOO_LARGE)
    return query, too_large


_TOO_LARGE: Final = N_("This example is too large for a link: save it as a file, in the menu ⋯.")
_BASELINE_TOO_LARGE: Final = N_(
    "Together with its baseline this is too large for a link, which leaves the baseline out."
)


def token(current: Work) -> str:
    """The example at hand as a token of any length, made once for many links."""
    if current.linked is None or current.linked[0] is not current.example:
        current.linked = (current.example, packed(current.example))
    return current.linked[1]


def without_claims(current: Work) -> Work:
    """The same work with nothing filled in, as it is handed out: without a lecturer's own notes."""
    asked = current.exercise and Exercise(current.exercise.asked)
    copy = replace(current, past=[], future=[], lens="", pinned_baseline=None, exercise=asked)
    copy.trace = trace(replace(current.example, claimed=None, lecture=None, asked=None), current.backend)
    return copy


# --- what an address opens -------------------------------------------------------------------------------------


def is_plain(query: Mapping[str, str]) -> bool:
    """Whether an address asks for nothing in particular, whatever language it is in."""
    return not query.keys() & (set(PAGE_KEYS) - {"lang"})


def work_at_or_first(query: Mapping[str, str], locale: str | None) -> Work:
    """The work that an address holds; where reading it meets what nobody expected, the example that opens first."""
    try:
        return work_at(query, locale)
    except Exception:
        LOG.exception("an address could not be opened")
        opened = work_at({"lang": query.get("lang", "")}, locale)
        opened.message = Message(opened.words(NOT_OPENED).format(title=opening_title(opened.language)))
        return opened


NOT_OPENED: Final = N_(
    "Something unexpected happened while this link was opened (the details are in the server's log). Here is "
    "“{title}” instead."
)


def work_at(query: Mapping[str, str], locale: str | None) -> Work:
    """The work that an address holds; the example that opens first, and a message, where it holds none."""
    asked = query.get("lang", "")
    language = asked if asked in LANGUAGES else language_for(locale)
    message = None
    try:
        name = None if "s" in query else query.get("example", opens_first(language))
        example = from_token(query["s"]) if name is None else built_in(name)
        opened = Work(example, name, language, language_chosen=asked in LANGUAGES)
    except MhaError as error:
        template = words_in(language)(N_("{reason}. Here is “{title}” instead."))
        message = Message(template.format(reason=sentence(error, language), title=opening_title(language)))
        first = opens_first(language)
        opened = Work(built_in(first), first, language, language_chosen=asked in LANGUAGES)
    opened.message = message
    if query.get("decimals", "") in map(str, range(MOST_DECIMALS + 1)):
        opened.decimals = int(query["decimals"])
    opened.pinned = _cell_in(opened, query.get("cell", ""))
    if message is None:
        _set_exercise(opened, query.get("ask", ""), query.get("seed", ""), query.get("tally", ""))
    opened.walk = place_in(query)
    _set_lens(opened, query.get("lens", ""), query.get("base", ""))
    asked = query.get("experiment", "")
    if _STAGE.fullmatch(asked):
        left, _, right = query.get("variant", "").partition(_BETWEEN)
        choose_experiment(opened, asked, Sides(read(left), read(right)) if left or right else None)
    return opened


def place_in(query: Mapping[str, object]) -> WalkPlace:
    """A place of the walkthrough from an address or a message; what could be none is left out.

    Whether this example has such a stage only the walk knows: it goes to the nearest that there is.
    """
    step, sub, view = (str(query.get(name, "")) for name in ("step", "sub", "view"))
    return WalkPlace(
        step if _STAGE.fullmatch(step) else "",
        sub if _SUB.fullmatch(sub) else "",
        view if view in VIEWS else "",
        query.get("predict") in ("1", True),
    )


def _cell_in(current: Work, text: str) -> Cell | None:
    """A cell from ``weights.1.0.2`` (an empty head for the whole layer); None where there is no such cell."""
    name, *numbers = text.split(".")
    try:
        head, row, col = (int(number) if number else None for number in numbers)
    except ValueError:
        return None
    return existing_cell(current, name, head, row, col)


def _set_lens(current: Work, lens: str, base: str) -> None:
    """The lens and the baseline of a link; a baseline that cannot be read is left out, and told."""
    if base:
        try:
            pin_baseline(current, from_token(base))
        except MhaError as error:
            template = current.words(N_("The baseline of this link was left out: {reason}."))
            message = Message(template.format(reason=sentence(error, current.language)))
            current.message = current.message or message
    current.lens = lens if lens in LENSES and (lens != "change" or current.pinned_baseline) else ""


def _set_exercise(current: Work, ask: str, seed: str, tally: str) -> None:
    """The exercise of a link: its steps, and the numbers that its seed gives, or each learner's own (``seed=own``).

    The work's own address then holds the numbers drawn, no seed, and a tally of what was missed and told: what is
    opened again is what was begun.
    """
    asked = tuple(name for name in askable(current.example) if name in ask.split("."))
    if not asked:
        return
    if seed == OWN_SEED or _DIGITS.fullmatch(seed):
        drawn = secrets.randbelow(SEEDS) if seed == OWN_SEED else int(seed)
        attempt(current, lambda: _start(current, exercise(current.example, drawn)))
    current.exercise = with_tally(asked, tally)


def _start(current: Work, example: Example) -> None:
    """Start from an example, with nothing to undo."""
    current.origin, current.name, current.trace = example, None, trace(example, current.backend)
