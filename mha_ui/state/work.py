"""One visitor's work: the example at hand, its history, and what is looked at of it. It knows no Streamlit.

A change goes through ``attempt``: what is refused, or fails, leaves the work as it was, and a message that says why.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, TypeGuard

from mha_core import (
    Backend,
    Cell,
    Example,
    MhaError,
    Trace,
    built_in,
    library,
    opens_first,
    parse,
    trace,
)
from mha_core.compare.variant import AS_IT_IS, Variant
from mha_core.errors import N_
from mha_core.example.model import same_numbers, text_in
from mha_core.example.share_link import packed
from mha_core.vocabulary import AXES
from mha_view.language import LANGUAGES, Words, sentence, words_in
from mha_view.lenses.lens import Baseline, Exercise

UNDO_STEPS = 100
DECIMALS = 4
LENSES = ("change", "gradient")
"""What the bench's colours may show in place of the values."""
VIEWS = ("projector", "presenter")
LOG: Final = logging.getLogger(__name__)


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
class Work:
    """One visitor's work. ``origin`` is what reset returns to, ``name`` the built-in example it is, if one.

    ``applied`` counts the bench's edits, ``revision`` the examples shown, ``opened`` the origins. ``lens``: what the
    bench's colours show: "" for the values, or one of ``LENSES``; there is a ``pinned_baseline`` where it is "change".
    ``worked``: by part of a page, the last state that it could draw; ``shown``: the part whose tables show that state
    now, because they could not draw this one. ``walked``: the revision and the message that the walkthrough was told
    last, ``named``: the ``names`` that the frame shows; ``listed``: the built-in that its menu
    shows, if any, and how often that came from elsewhere. ``plain``: the session was opened at an address that asks
    for nothing in particular; ``starts``: how often its visitor has asked for the first steps. ``numbers``: of the
    examples of the history, by their ids, and ``held`` the last of them that the browser keeps (``history``).
    ``undone``: the exercises that redo leads back into, each with its origin.
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
    named: tuple[object, ...] | None = None
    listed: tuple[str | None, int] | None = None
    experiment: str = ""
    sides: dict[str, Sides] = field(default_factory=dict)
    lens: str = ""
    pinned_baseline: Baseline | None = None
    session: str = field(default_factory=lambda: secrets.token_hex(8))
    applied: int = 0
    revision: int = 0
    opened: int = 0
    too_large: bool = False
    plain: bool = False
    starts: int = 0
    message: Message | None = None
    linked: tuple[Example, str] | None = None
    held: int = 0
    numbers: dict[int, tuple[int, Example]] = field(default_factory=dict)
    past: list[Version] = field(default_factory=list)
    future: list[Version] = field(default_factory=list)
    undone: list[tuple[Example, Exercise]] = field(default_factory=list)
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
    def names(self) -> tuple[object, ...]:
        """What the work is called by: where any of it differs, the frame names it anew."""
        return self.opened, self.untouched, self.example.title or self.example.tokens

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
    def backend(self) -> Backend:
        """Where the numbers are computed."""
        return self.trace.backend


# --- what a page does ------------------------------------------------------------------------------------------


def opening_title(language: str) -> str:
    """The title of the example that opens first."""
    return text_in(built_in(opens_first(language)).title, language)


def open_built_in(current: Work, name: str) -> None:
    """Start from a built-in example; what was at hand can be had back by undo."""
    current.message = None
    attempt(current, lambda: start_from(current, built_in(name), name))


def open_example(current: Work, example: Example) -> None:
    """Start from an example that a page has made; what was at hand can be had back by undo."""
    current.message = None
    attempt(current, lambda: start_from(current, example))


def open_file(current: Work, text: bytes) -> None:
    """Start from a file's text, which undo takes back; a message where the format refuses it."""
    current.message = None
    attempt(current, lambda: start_from(current, parse(text)))


def choose_language(current: Work, language: str) -> None:
    """Speak this language from now on, in the link too; so do the tokens that nobody has asked for or touched."""
    if language not in LANGUAGES:
        return
    at_opening = current.plain and current.name == opens_first(current.language)
    current.language, current.language_chosen, current.message = language, True, None
    if at_opening and len(versions(current)) == 1 and not current.exercise:
        _open_first(current)


def _open_first(current: Work) -> None:
    """The example that opens first in this language, at the same place of the walk and with nothing to undo."""
    name, walk = opens_first(current.language), current.walk
    if name != current.name:
        example = built_in(name)
        _show(current, Version(example, example, name), trace(example, current.backend))
        current.walk = walk


def choose_experiment(current: Work, name: str, sides: Sides | None = None) -> None:
    """Turn to an experiment, with these sides where they are given."""
    current.experiment = name
    if sides is not None:
        current.sides[name] = sides


def pin_baseline(current: Work, example: Example | None = None) -> None:
    """Keep an example, or else the one at hand, to compare with. Raises ``NumberRangeError`` as ``trace`` does."""
    kept = replace(example or current.example, claimed=None, lecture=None)
    computed = current.trace if kept == current.example else trace(kept, current.backend)
    current.pinned_baseline = Baseline(computed, packed(kept))


def attempt(current: Work, change: Callable[[], None]) -> None:
    """Change the work; where that is refused, or fails unexpectedly, it stays as it was and the message says why."""
    before, refused = dict(current.__dict__), ""
    try:
        change()
    except MhaError as error:
        refused = sentence(error, current.language)
    except Exception:
        LOG.exception("a change of the work failed")
        refused = current.words(NOT_CHANGED)
    if refused:
        current.__dict__.update(before | {"message": Message(refused)})


NOT_CHANGED: Final = N_(
    "Something unexpected happened, so this change was not made; the details are in the server's log."
)


# --- history ---------------------------------------------------------------------------------------------------


def start_from(current: Work, example: Example, name: str | None = None) -> None:
    """Begin with this example, which undo takes back."""
    keep(current, Version(example, example, name))


def become(current: Work, example: Example) -> None:
    """Put an edited example in place of the one at hand, as a step of the history."""
    if same_numbers(example, current.origin):
        example = replace(example, note=current.origin.note, source=current.origin.source)
    if example != current.example:
        keep(current, Version(example, current.origin, current.name))


def keep(current: Work, version: Version) -> None:
    """Show a version, as a new step of the history. Raises ``NumberRangeError`` as ``trace`` does."""
    computed = trace(version.example, current.backend)
    current.past = [*current.past[-UNDO_STEPS + 1 :], current.version]
    current.future, current.undone = [], []
    _show(current, version, computed)


def can_undo(current: Work) -> bool:
    """Whether there is a step to undo; an exercise that a link has brought is ended, and not undone."""
    at_work = current.exercise
    handed_out = at_work is not None and not at_work.begun
    return bool(current.past) and not (handed_out and current.past[-1].origin is not current.origin)


def undo(current: Work) -> None:
    """Go back a step, where there is one; from the beginning of an exercise to what it was set in place of."""
    if not can_undo(current):
        return
    at_work, origin = current.exercise, current.origin
    travel(current, len(current.past) - 1)
    if at_work and current.origin is not origin:
        current.exercise = at_work.instead
        current.undone = [*current.undone, (origin, at_work)]


def undo_numbers(current: Work) -> None:
    """Go back to the numbers before these, with the lecture that there is now; ``redo`` leads here again."""
    before = [at for at, one in enumerate(current.past) if not same_numbers(one.example, current.example)]
    if not before or current.past[before[-1]].origin is not current.origin:
        return
    at = before[-1]
    example = replace(current.past[at].example, lecture=current.example.lecture)
    computed = trace(example, current.backend)
    version = current.past[at]._replace(example=example)
    current.past, current.future = current.past[:at], [*current.future, current.version]
    _show(current, version, computed)


def redo(current: Work) -> None:
    """Go forward again a step, where there is one, and into the exercise that was set there."""
    travel(current, len(current.past) + 1)
    if current.undone and current.undone[-1][0] is current.origin:
        *current.undone, (_, current.exercise) = current.undone


def step_back(current: Work, version: Version) -> None:
    """Go back to what another window has gone back to. Redo leads here again, as it does there."""
    before = [at for at, one in enumerate(current.past) if one.example == version.example]
    if before:
        return travel(current, before[-1])
    computed = trace(version.example, current.backend)  # of before this window had it
    current.future = [*current.future, current.version]
    return _show(current, version, computed)


def step_forward(current: Work, version: Version) -> None:
    """Go forward again to what another window has gone forward to."""
    ahead = [at for at, one in enumerate(reversed(current.future), 1) if one.example == version.example]
    if ahead:
        travel(current, len(current.past) + ahead[0])
    else:
        keep(current, version)


def reset(current: Work) -> None:
    """Go back to the numbers that were opened, with the lecture that there is now; undo leads here again."""
    become(current, replace(current.origin, lecture=current.example.lecture))


def travel(current: Work, to: int) -> None:
    """Go to another place of the history, counted from the oldest; nowhere where there is none."""
    history = versions(current)
    if 0 <= to < len(history):
        computed = trace(history[to].example, current.backend)
        current.past, current.future = history[:to], history[:to:-1]
        _show(current, history[to], computed)


def versions(current: Work) -> list[Version]:
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
        current.pinned = existing_cell(current, *current.pinned)


def existing_cell(current: Work, name: object, head: object, row: object, col: object) -> Cell | None:
    """The cell, where the trace has one there."""
    if not (isinstance(name, str) and name in AXES and is_whole(row) and is_whole(col)):
        return None
    if not (head is None or is_whole(head)):
        return None
    try:
        rows = current.trace.matrix(name, head)
    except MhaError:
        return None
    here = 0 <= row < len(rows) and 0 <= col < len(rows[0])
    return Cell(name, head, row, col) if here else None


def show_as(current: Work, view: object) -> None:
    """Show pages as this view has them, or plainly."""
    current.walk = current.walk._replace(view=view if isinstance(view, str) and view in VIEWS else "")


def is_whole(value: object) -> TypeGuard[int]:
    """Whether this is an integer, which True is not."""
    return isinstance(value, int) and not isinstance(value, bool)


# --- what worked -----------------------------------------------------------------------------------------------


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
    before.trace = trace(version.example, current.backend)
    before.origin, before.name, before.linked = version.origin, version.name, None
    return before


def go_back(current: Work, part: str) -> None:
    """Return to the last state that this part could draw, by undo or redo; where none is known, to what opens first."""
    if part not in current.worked:
        open_built_in(current, opens_first(current.language))
        return
    version, view = current.worked[part]
    history = versions(current)
    indices = [at for at, one in enumerate(history) if one.example is version.example]
    if indices:
        travel(current, min(indices, key=lambda at: abs(at - len(current.past))))
    else:  # beyond the steps that are kept
        keep(current, version)
    current.__dict__.update(view | _own(view))
    current.message = None


def _own(view: Mapping[str, Any]) -> dict[str, Any]:
    """Copies of what is changed in place."""
    return {"exercise": copy(view["exercise"]), "sides": dict(view["sides"])}
