"""The one module that touches ``st.session_state``: the example at hand, undo, view and language.

All pages share one ``Work`` a session. The URL is read once, when a session starts (a link, a reload, a server
that was restarted); after that the session leads, and the bench writes its address into the address bar.
"""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, NamedTuple, TypeGuard

import streamlit as st
import torch

from mha_core import (
    OPENS_FIRST,
    Cell,
    Example,
    MhaError,
    Place,
    Trace,
    built_in,
    from_token,
    library,
    parse,
    to_token,
    trace,
)
from mha_core.check.check import check
from mha_core.compare.variant import AS_IT_IS, Variant, read, written
from mha_core.compute.graph import symbol
from mha_core.edit.edits import apply
from mha_core.errors import N_, LinkError
from mha_core.example.model import same_numbers, text_in
from mha_core.example.share_link import MAX_TOKEN
from mha_core.exercise.exercise import askable, exercise, hints
from mha_core.vocabulary import AXES
from mha_ui.language import LANGUAGES, Words, language_for, sentence, words_in
from mha_ui.places import told

# Every run is a new thread, in which torch would first gather a team of threads: 10 ms, for matrices that one
# thread multiplies in microseconds.
torch.set_num_threads(1)

UNDO_STEPS = 100
DECIMALS = 4
MOST_DECIMALS = 10
OWN_SEED = "own"
"""In a link: an exercise whose numbers are drawn anew for whoever opens it."""
SEEDS = 10**6
VIEWS = ("projector", "presenter")
LENSES = ("change", "gradient")
"""What the bench's colours may show in place of the values."""
LOG: Final = logging.getLogger(__name__)
_STAGE = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_SUB = re.compile(r"[1-9][0-9]{0,3}(\.[1-9][0-9]{0,3})?")
_DIGITS = re.compile(r"[0-9]{1,6}")
_BETWEEN = "~~"
_KEY = "mha.work"


class Offer(NamedTuple):
    """An edit that would do what a refused one was meant to do, and what it is called."""

    label: str
    edit: dict[str, Any]


@dataclass
class Message:
    """A sentence to show once on the bench: ``kind`` is "error" or "info", ``place`` the name in it of a place."""

    text: str
    kind: str = "error"
    place: str = ""
    offer: Offer | None = None


class WalkPlace(NamedTuple):
    """Where the walkthrough stands: a stage by name, ``"3"`` or ``"3.2"`` in it (part and beat, from 1), and how.

    ``view`` is "", "projector" or "presenter"; ``predict``: results are hidden until they are revealed.
    """

    step: str = ""
    sub: str = ""
    view: str = ""
    predict: bool = False


NOWHERE = WalkPlace()


class Sides(NamedTuple):
    """The two sides of an experiment, each a variant of the example at hand."""

    left: Variant = AS_IT_IS
    right: Variant = AS_IT_IS


class Baseline(NamedTuple):
    """A pinned example, against which every step shows its change; ``token``: for the link, None where too large."""

    trace: Trace
    token: str | None


class Version(NamedTuple):
    """One step of the history: the example, what reset returns it to, and the built-in that this is, if one."""

    example: Example
    origin: Example
    name: str | None


class Worked(NamedTuple):
    """A state of the work that a part of a page could draw: a step of the history, and what was looked at of it."""

    version: Version
    view: dict[str, Any]


@dataclass
class Exercise:
    """Steps to be worked out: ``asked``, by name. ``checked``: the learner wants to know which numbers are right.

    ``hinted``: the cell that was asked about, and how many hints have been given for it. ``like``: where everybody
    draws numbers of his own, the address of the example like which they are drawn.
    """

    asked: tuple[str, ...]
    checked: bool = False
    hinted: tuple[Cell | None, int] = (None, 0)
    like: Mapping[str, str] | None = None


@dataclass
class Work:
    """One visitor's work. ``origin`` is what reset returns to, ``name`` the built-in example it is, if one.

    ``applied`` counts the bench's edits, ``revision`` the examples shown, ``opened`` the origins. ``lens``: what the
    bench's colours show: "" for the values, or one of ``LENSES``; there is a ``pinned_baseline`` where it is "change".
    ``worked``: by part of a page, the last state that it could draw; ``shown``: the part whose tables show that state
    now, because they could not draw this one. ``walked``: the revision and the message that the walkthrough was told
    last.
    """

    origin: Example
    name: str | None
    language: str
    language_chosen: bool = False
    decimals: int = DECIMALS
    pinned: Cell | None = None
    query: int = 0
    exercise: Exercise | None = None
    lesson: str = ""
    walk: WalkPlace = NOWHERE
    walked: tuple[int, Message | None] | None = None
    experiment: str = ""
    sides: dict[str, Sides] = field(default_factory=dict)
    lens: str = ""
    pinned_baseline: Baseline | None = None
    session: str = field(default_factory=lambda: secrets.token_hex(8))
    applied: int = 0
    revision: int = 0
    opened: int = 0
    too_large: bool = False
    message: Message | None = None
    linked: tuple[Example, str | LinkError] | None = None
    past: list[Version] = field(default_factory=list)
    future: list[Version] = field(default_factory=list)
    worked: dict[str, Worked] = field(default_factory=dict)
    shown: str = ""
    trace: Trace = None  # type: ignore[assignment]  # set below, from origin

    def __post_init__(self) -> None:
        self.trace = trace(self.origin)

    @property
    def example(self) -> Example:
        """The example at hand."""
        return self.trace.example

    @property
    def untouched(self) -> bool:
        """Whether these are the numbers of the built-in example that the work started from."""
        return self.name is not None and same_numbers(self.example, library()[self.name])

    @property
    def baseline(self) -> Example | None:
        """The example that was pinned to be compared with."""
        return self.pinned_baseline and self.pinned_baseline.trace.example

    @property
    def version(self) -> Version:
        """What undo returns to after the next edit."""
        return Version(self.example, self.origin, self.name)

    @property
    def words(self) -> Words:
        """The translator into the visitor's language."""
        return words_in(self.language)

    @property
    def place(self) -> Place:
        """Where the numbers are computed."""
        return self.trace.place


def work() -> Work:
    """This session's work; at its first call, what the URL says."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = _opened_somehow(st.query_params, st.context.locale)
    return st.session_state[_KEY]  # type: ignore[no-any-return]


def widget_value(key: str) -> Any:
    """What a widget or component of ours holds, before it is mounted in this run."""
    return st.session_state.get(key)


def set_widget(key: str, value: Any) -> None:
    """Give a widget a value, before it is mounted in this run."""
    st.session_state[key] = value


# --- the URL ---------------------------------------------------------------------------------------------------


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


def _examples(current: Work) -> tuple[dict[str, str], str]:
    """The example at hand and the pinned one, as far as a link can hold them, and why it cannot."""
    query: dict[str, str] = {}
    too_large = ""
    if current.name and current.example == library()[current.name]:
        query["example"] = current.name
    else:
        try:
            query["s"] = _token(current)
        except LinkError as error:
            too_large = sentence(error, current.language)
    if current.pinned_baseline:
        token = current.pinned_baseline.token
        if token and len(token) + len(query.get("s", "")) <= MAX_TOKEN:
            query["base"] = token
        else:
            too_large = too_large or current.words(_BASELINE_TOO_LARGE)
    return query, too_large


def unsaved(current: Work) -> str:
    """Why a link cannot hold this work; "" where it can."""
    return _examples(current)[1]


_BASELINE_TOO_LARGE: Final = N_(
    "Together with its baseline this is too large for a link, which leaves the baseline out."
)


def without_claims(current: Work) -> Work:
    """The same work with nothing filled in, as it is handed out."""
    copy = replace(current, past=[], future=[], lens="", pinned_baseline=None)
    copy.trace = trace(replace(current.example, claimed=None), current.place)
    return copy


def _token(current: Work) -> str:
    """The example at hand as a token, made once for many links. Raises ``LinkError`` where it is too large."""
    if current.linked is None or current.linked[0] is not current.example:
        try:
            current.linked = (current.example, to_token(current.example))
        except LinkError as error:
            current.linked = (current.example, error)
    token = current.linked[1]
    if isinstance(token, LinkError):
        raise token
    return token


PAGE_KEYS = (
    *("example", "s", "lang", "cell", "decimals", "ask", "seed", "lesson"),
    *("experiment", "variant", "lens", "base"),
    *WalkPlace._fields,
)
"""Every query parameter that a page of ours writes; address.js lists them too."""


def lesson(current: Work, topics: Sequence[str]) -> str:
    """The lesson that the address asks for, else the one read last, else the first."""
    asked = st.query_params.get("lesson", "")
    current.lesson = next((topic for topic in (asked, current.lesson) if topic in topics), topics[0])
    return current.lesson


def lesson_address(current: Work, topic: str) -> dict[str, str]:
    """The query parameters that open a lesson with this work."""
    return address(current) | ({"lesson": topic} if topic else {})


def _opened_somehow(query: Mapping[str, str], locale: str | None) -> Work:
    """The work that an address holds; where reading it meets what nobody expected, the example that opens first."""
    try:
        return _opened(query, locale)
    except Exception:
        LOG.exception("an address could not be opened")
        opened = _opened({"lang": query.get("lang", "")}, locale)
        opened.message = Message(opened.words(_NOT_OPENED).format(title=opening_title(opened.language)))
        return opened


_NOT_OPENED: Final = N_(
    "Something unexpected happened while this link was opened (the details are in the server's log). Here is "
    "“{title}” instead."
)


def opening_title(language: str) -> str:
    """The title of the example that opens first."""
    return text_in(built_in(OPENS_FIRST).title, language)


def _opened(query: Mapping[str, str], locale: str | None) -> Work:
    """The work that an address holds; the example that opens first, and a message, where it holds none."""
    asked = query.get("lang", "")
    language = asked if asked in LANGUAGES else language_for(locale)
    message = None
    try:
        name = None if "s" in query else query.get("example", OPENS_FIRST)
        example = from_token(query["s"]) if name is None else built_in(name)
        opened = Work(example, name, language, language_chosen=asked in LANGUAGES)
    except MhaError as error:
        template = words_in(language)(N_("{reason}. Here is “{title}” instead."))
        message = Message(template.format(reason=sentence(error, language), title=opening_title(language)))
        opened = Work(built_in(OPENS_FIRST), OPENS_FIRST, language, language_chosen=asked in LANGUAGES)
    opened.message = message
    if query.get("decimals", "") in map(str, range(MOST_DECIMALS + 1)):
        opened.decimals = int(query["decimals"])
    opened.pinned = _cell_in(opened, query.get("cell", ""))
    if message is None:
        _set_exercise(opened, query.get("ask", ""), query.get("seed", ""))
    opened.walk = place_in(query)
    _set_lens(opened, query.get("lens", ""), query.get("base", ""))
    asked = query.get("experiment", "")
    if _STAGE.fullmatch(asked):
        left, _, right = query.get("variant", "").partition(_BETWEEN)
        choose_experiment(opened, asked, Sides(read(left), read(right)) if left or right else None)
    return opened


def choose_experiment(current: Work, name: str, sides: Sides | None = None) -> None:
    """Turn to an experiment, with these sides where they are given."""
    current.experiment = name
    if sides is not None:
        current.sides[name] = sides


def _set_lens(current: Work, lens: str, base: str) -> None:
    """The lens and the baseline of a link; a baseline that cannot be read is left out, and told."""
    if base:
        try:
            pin_baseline(current, from_token(base))
        except MhaError as error:
            template = current.words(N_("The baseline of this link was left out: {reason}."))
            told = Message(template.format(reason=sentence(error, current.language)))
            current.message = current.message or told
    current.lens = lens if lens in LENSES and (lens != "change" or current.pinned_baseline) else ""


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


def _set_exercise(current: Work, ask: str, seed: str) -> None:
    """The exercise of a link: its steps, and the numbers that its seed gives, or each learner's own (``seed=own``).

    The work's own address then holds the numbers drawn, no seed: what is opened again is what was begun.
    """
    asked = tuple(name for name in askable(current.example) if name in ask.split("."))
    if not asked:
        return
    if seed == OWN_SEED or _DIGITS.fullmatch(seed):
        drawn = secrets.randbelow(SEEDS) if seed == OWN_SEED else int(seed)
        attempt(current, lambda: _start(current, exercise(current.example, drawn)))
    current.exercise = Exercise(asked)


def _start(current: Work, example: Example) -> None:
    """Start from an example, with nothing to undo."""
    current.origin, current.name, current.trace = example, None, trace(example, current.place)


def _cell_in(current: Work, text: str) -> Cell | None:
    """A cell from ``weights.1.0.2`` (an empty head for the whole layer); None where there is no such cell."""
    name, *numbers = text.split(".")
    try:
        head, row, col = (int(number) if number else None for number in numbers)
    except ValueError:
        return None
    return _existing(current, name, head, row, col)


def _existing(current: Work, name: object, head: object, row: object, col: object) -> Cell | None:
    """The cell, where the trace has one there."""
    if not (isinstance(name, str) and name in AXES and _is_whole(row) and _is_whole(col)):
        return None
    if not (head is None or _is_whole(head)):
        return None
    try:
        rows = current.trace.matrix(name, head)
    except MhaError:
        return None
    here = 0 <= row < len(rows) and 0 <= col < len(rows[0])
    return Cell(name, head, row, col) if here else None


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


# --- edits -----------------------------------------------------------------------------------------------------


def receive(current: Work, message: object) -> None:
    """Apply the edits that the bench sent: each once, in order, whatever was sent twice or merged.

    What no bench would send is passed over, or refused as any edit that does not fit.
    """
    if not isinstance(message, Mapping) or message.get("session") != current.session:
        return
    edits, before = message.get("edits"), current.applied
    for edit in edits if isinstance(edits, list) else ():
        number = edit.get("seq") if isinstance(edit, Mapping) else None
        if _is_whole(number) and number > current.applied:
            if current.applied == before:
                current.message = None  # it was about an edit before these
            current.applied = number
            attempt(current, partial(_one, current, edit))


def _one(current: Work, edit: Mapping[str, Any]) -> None:
    match edit:
        case {"op": "undo"}:
            _travel(current, len(current.past) - 1)
        case {"op": "redo"}:
            _travel(current, len(current.past) + 1)
        case {"op": "reset"}:
            _become(current, current.origin)
        case {"op": "pin"}:
            _pin(current, edit.get("cell"))
        case {"op": "restore" | "follow" as asked, "address": Mapping() as query}:
            texts = {name: text for name, text in query.items() if isinstance(text, str)}
            attempt(current, lambda: _TO_ADDRESS[asked](current, texts))
        case {"op": "check" | "hint" | "end_exercise" as asked}:
            _in_exercise(current, asked)
        case {"op": "place"}:
            current.walk = place_in(edit)
        case {"op": "lens" | "baseline"}:
            _through_a_lens(current, edit)
        case {"op": "decimals", "value": int(value)} if _is_whole(value):
            current.decimals = min(MOST_DECIMALS, max(0, value))
        case _:
            _edit(current, edit)


def _edit(current: Work, edit: Mapping[str, Any]) -> None:
    """Edit the example as the tables show it, which is not the one at hand where they could not draw that.

    Where that is refused the message says why, and offers what would do.
    """
    if current.shown:
        go_back(current, current.shown)
    try:
        _become(current, apply(current.example, edit))
    except MhaError as error:
        place, text = told(error, current.example, current.language)
        current.message = Message(text, place=place)
        if edit.get("op") == "set" and not edit.get("grow"):
            _offer_room(current, current.message, {**edit, "grow": True})


def _offer_room(current: Work, message: Message, larger: dict[str, Any]) -> None:
    """Offer the size at which a pasted block fits, or say why it can have none."""
    words = current.words
    try:
        grown = apply(current.example, larger)
    except MhaError as error:
        reason = told(error, current.example, current.language)[1]
        if reason != message.text:
            message.text = words(N_("{one}. {other}.")).format(one=message.text, other=reason)
        return
    name, heads = larger["matrix"], len(grown.heads)
    rows, cols = grown.dims.shape(name)
    label = N_("Make {name} {rows} × {cols} and paste")
    if larger.get("head") is not None and heads > 1:
        label = N_("Make {name} {rows} × {cols} in every head and paste")
    larger.pop("seq", None)
    message.offer = Offer(
        words(label).format(name=symbol(name, grown), rows=rows, cols=cols),
        larger,
    )


def _pin(current: Work, cell: object) -> None:
    """Hold a cell, or let it go where this is none."""
    parts = ("name", "head", "row", "col")
    held = isinstance(cell, Mapping) and _existing(current, *(cell.get(part) for part in parts))
    current.pinned = held or None


def _through_a_lens(current: Work, edit: Mapping[str, Any]) -> None:
    """What the colours show, and what they compare with: no change without a baseline, which is pinned then."""
    match edit:
        case {"op": "lens", "value": "" | "change" | "gradient" as lens}:
            if lens == "change" and not current.pinned_baseline:
                pin_baseline(current)
            current.lens = lens
        case {"op": "baseline", "clear": True}:
            current.pinned_baseline = None
            current.lens = "" if current.lens == "change" else current.lens
        case {"op": "baseline"}:
            pin_baseline(current)
            current.lens = current.lens or "change"


def pin_baseline(current: Work, example: Example | None = None) -> None:
    """Keep an example, or else the one at hand, to compare with. Raises ``NumberRangeError`` as ``trace`` does."""
    kept = replace(example or current.example, claimed=None)
    computed = current.trace if kept == current.example else trace(kept, current.place)
    try:
        token = to_token(kept)
    except LinkError:
        token = None
    current.pinned_baseline = Baseline(computed, token)


def _in_exercise(current: Work, asked: str) -> None:
    """What a learner asks for while he works on an exercise: which numbers are right, a hint, an end."""
    at_work = current.exercise
    if at_work is None:
        return
    if asked == "check":
        at_work.checked = True
    elif asked == "hint":
        cell, _ = hints(check(current.example), at_work.asked, current.language)
        before, count = at_work.hinted
        at_work.hinted = (cell, count + 1 if cell == before else 1)
    else:
        current.exercise = None


def attempt(current: Work, change: Callable[[], None]) -> None:
    """Change the work; where that is refused, or fails unexpectedly, it stays as it was and the message says why."""
    before, refused = dict(current.__dict__), ""
    try:
        change()
    except MhaError as error:
        refused = sentence(error, current.language)
    except Exception:
        LOG.exception("a change of the work failed")
        refused = current.words(_NOT_CHANGED)
    if refused:
        current.__dict__.update(before | {"message": Message(refused)})


_NOT_CHANGED: Final = N_(
    "Something unexpected happened, so this change was not made; the details are in the server's log."
)


def _become(current: Work, example: Example) -> None:
    if same_numbers(example, current.origin):
        example = replace(example, note=current.origin.note)
    if example != current.example:
        _keep(current, Version(example, current.origin, current.name))


def _restore(current: Work, query: Mapping[str, str]) -> None:
    """This server is new, and the page was at this address."""
    known = _opened(query, current.language)
    known.session, known.applied = current.session, current.applied
    known.revision, known.opened = current.revision + 1, current.opened + 1
    current.__dict__.update(known.__dict__)


def _follow(current: Work, query: Mapping[str, str]) -> None:
    """Take over the numbers of another window, at the same place: a step of the history as any edit is."""
    name = query.get("example")
    example = built_in(name) if name else from_token(query.get("s", ""))
    if example != current.example:
        _keep(current, Version(example, current.origin, name))


_TO_ADDRESS: Final = {"restore": _restore, "follow": _follow}


def _open(current: Work, example: Example, name: str | None) -> None:
    _keep(current, Version(example, example, name))


def _keep(current: Work, version: Version) -> None:
    computed = trace(version.example, current.place)
    current.past = [*current.past[-UNDO_STEPS + 1 :], current.version]
    current.future = []
    _show(current, version, computed)


def _travel(current: Work, to: int) -> None:
    """Go to another place of the history, counted from the oldest; nowhere where there is none."""
    history = _history(current)
    if 0 <= to < len(history):
        computed = trace(history[to].example, current.place)
        current.past, current.future = history[:to], history[:to:-1]
        _show(current, history[to], computed)


def _history(current: Work) -> list[Version]:
    """Every version that undo and redo lead to, the oldest first; the one at hand is among them."""
    return [*current.past, current.version, *reversed(current.future)]


def _show(current: Work, version: Version, computed: Trace) -> None:
    current.trace = computed
    current.shown = ""
    current.revision += 1
    if version.origin is not current.origin:
        current.opened += 1
        current.exercise = None  # it was about another example
        current.walk = current.walk._replace(step="", sub="")
    current.origin, current.name = version.origin, version.name
    current.query = min(current.query, len(computed.example.tokens) - 1)
    if current.pinned:
        current.pinned = _existing(current, *current.pinned)


# --- what worked --------------------------------------------------------------------------------------------------

_VIEW: Final = (
    *("exercise", "pinned", "query", "walk", "lesson", "experiment", "sides", "lens", "pinned_baseline"),
    "decimals",
)
"""What a page shows of the example besides itself."""


def worked(current: Work, part: str) -> None:
    """Part of a page has drawn the work as it is now."""
    view = {name: getattr(current, name) for name in _VIEW}
    current.worked[part] = Worked(current.version, view | _own(view))


def as_it_worked(current: Work, part: str) -> Work:
    """The work in the last state that this part could draw, to be shown in place of what is at hand."""
    before = copy(current)
    before.shown = part
    version, view = current.worked[part]
    before.__dict__.update(view | _own(view))
    before.trace = trace(version.example, current.place)
    before.origin, before.name, before.linked = version.origin, version.name, None
    return before


def tables_show(shown: Work) -> None:
    """The tables to edit show this work: the session's own, or how it was when a part of the page could draw it."""
    current = work()
    current.shown = "" if shown is current else shown.shown


def go_back(current: Work, part: str) -> None:
    """Return to the last state that this part could draw, by undo or redo; where none is known, to what opens first."""
    if part not in current.worked:
        open_built_in(current, OPENS_FIRST)
        return
    version, view = current.worked[part]
    history = _history(current)
    found = [at for at, one in enumerate(history) if one.example is version.example]
    if found:
        _travel(current, min(found, key=lambda at: abs(at - len(current.past))))
    else:  # beyond the steps that are kept
        _keep(current, version)
    current.__dict__.update(view | _own(view))
    current.message = None


def _own(view: Mapping[str, Any]) -> dict[str, Any]:
    """Copies of what is changed in place."""
    return {"exercise": copy(view["exercise"]), "sides": dict(view["sides"])}


def open_built_in(current: Work, name: str) -> None:
    """Start from a built-in example; what was at hand can be had back by undo."""
    current.message = None
    attempt(current, lambda: _open(current, built_in(name), name))


def set_exercise(current: Work, asked: tuple[str, ...], seed: int | str | None) -> None:
    """Blank these steps out, of this example or (with a seed) of one like it with other numbers.

    ``OWN_SEED``: everybody draws his own; those drawn here are one such draw.
    """
    current.message = None
    own = seed == OWN_SEED

    def start() -> None:
        like = like_of(current) if own else None
        drawn = secrets.randbelow(SEEDS) if own else seed
        example = current.example if drawn is None else exercise(current.example, int(drawn))
        _open(current, replace(example, claimed=None), None)
        current.exercise = Exercise(asked, like=like)

    attempt(current, start)


def like_of(current: Work) -> Mapping[str, str]:
    """The address of the example like which everybody's own numbers are drawn: set once, it stays what it is."""
    if current.exercise and current.exercise.like:
        return current.exercise.like
    return address(without_claims(current))


def open_example(current: Work, example: Example) -> None:
    """Start from an example that a page has made; what was at hand can be had back by undo."""
    current.message = None
    attempt(current, lambda: _open(current, example, None))


def open_file(current: Work, text: bytes) -> None:
    """Start from a file's text, which undo takes back; a message where the format refuses it."""
    current.message = None
    attempt(current, lambda: _open(current, parse(text), None))


def choose_language(current: Work, language: str) -> None:
    """Speak this language from now on, in the link too."""
    if language in LANGUAGES:
        current.language, current.language_chosen, current.message = language, True, None
