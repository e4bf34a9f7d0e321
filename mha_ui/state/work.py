"""One visitor's work: the example at hand, its history, and what is looked at of it. It knows no Streamlit.

The work is frozen. A change is a function from the work to the next one; ``attempt`` makes one, and where that is
refused, or fails, the work is as it was, with a message that says why.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from mha_core import Backend, Cell, Example, MhaError, Trace, built_in, library, opens_first, parse, trace
from mha_core.compare.variant import AS_IT_IS, Variant
from mha_core.errors import N_
from mha_core.example.model import same_numbers, text_in
from mha_core.example.share_link import packed
from mha_core.vocabulary import AXES
from mha_ui.state.history import History, Version, added, shown, travelled
from mha_view.language import LANGUAGES, Words, sentence, words_in
from mha_view.lenses.lens import Baseline, Exercise

DECIMALS = 4
LENSES = ("change", "gradient")
"""What the bench's colours may show in place of the values."""
View: TypeAlias = Literal["", "projector", "presenter"]
LOG: Final = logging.getLogger(__name__)


class Offer(NamedTuple):
    """An edit that would do what a refused one was meant to do, and what it is called."""

    label: str
    edit: dict[str, Any]


class Message(NamedTuple):
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
    view: View = ""
    predict: bool = False


NOWHERE = WalkPlace()


def view_in(value: object) -> View:
    """How the walk is shown by this name: on its page, where there is no such way."""
    return next((view for view in get_args(View) if view == value), "")


class Sides(NamedTuple):
    """The two sides of an experiment, each a variant of the example at hand."""

    left: Variant = AS_IT_IS
    right: Variant = AS_IT_IS


@dataclass(frozen=True, eq=False)
class Looking:
    """What is looked at of the example.

    ``lens``: what the bench's colours show: "" for the values, or one of ``LENSES``; there is a ``pinned_baseline``
    where it is "change". ``sides``: by experiment, where they were chosen.
    """

    decimals: int = DECIMALS
    pinned: Cell | None = None
    query: int = 0
    lesson: str = ""
    experiment: str = ""
    sides: Mapping[str, Sides] = field(default_factory=dict)
    lens: str = ""
    pinned_baseline: Baseline | None = None


class Drawn(NamedTuple):
    """A state of the work that a part of a page could draw."""

    version: Version
    looking: Looking
    walk: WalkPlace
    exercise: Exercise | None


@dataclass(frozen=True, eq=False)
class Browser:
    """What the browser was sent last, and what it has sent.

    ``applied``: the number of its last edit; ``stored``: of the examples of the history, by their numbers, the last
    that it has. ``walked``: the revision and the message that the walkthrough was sent, ``named``: the ``names`` that
    the frame shows; ``listed``: the built-in that its menu shows, if any, and how often that came from elsewhere.
    ``too_large``: it was told that no link can hold this. ``plain``: the session was opened at an address that asks for
    nothing in particular; ``starts``: how often its visitor has asked for the first steps.
    """

    session: str = field(default_factory=lambda: secrets.token_hex(8))
    applied: int = 0
    stored: int = 0
    walked: tuple[int, Message | None] | None = None
    named: tuple[object, ...] | None = None
    listed: tuple[str | None, int] | None = None
    too_large: bool = False
    plain: bool = False
    starts: int = 0


@dataclass(frozen=True, eq=False)
class Work:
    """One visitor's work.

    ``undone``: the exercises that redo leads back into, each with its origin. ``worked``: by part of a page, the last
    state that it could draw; ``shown``: the part whose tables show that state now, as they could not draw this one.
    """

    history: History
    language: str
    language_chosen: bool = False
    looking: Looking = field(default_factory=Looking)
    walk: WalkPlace = NOWHERE
    exercise: Exercise | None = None
    undone: tuple[tuple[Example, Exercise], ...] = ()
    browser: Browser = field(default_factory=Browser)
    message: Message | None = None
    worked: Mapping[str, Drawn] = field(default_factory=dict)
    shown: str = ""

    @property
    def trace(self) -> Trace:
        """The example at hand, computed."""
        return self.history.trace

    @property
    def example(self) -> Example:
        """The example at hand."""
        return self.history.trace.example

    @property
    def untouched(self) -> bool:
        """Whether these are the numbers of the built-in example that the work started from."""
        name = self.history.name
        return name is not None and same_numbers(self.example, library()[name])

    @property
    def names(self) -> tuple[object, ...]:
        """What the work is called by: where any of it differs, the frame names it anew."""
        return self.history.opened, self.untouched, self.example.title or self.example.tokens

    @property
    def baseline(self) -> Example | None:
        """The example that was pinned to be compared with."""
        pinned = self.looking.pinned_baseline
        return pinned and pinned.trace.example

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


def open_built_in(work: Work, name: str) -> Work:
    """Start from a built-in example; what was at hand can be had back by undo."""
    return attempt(without_message(work), lambda work: start_from(work, built_in(name), name))


def open_example(work: Work, example: Example) -> Work:
    """Start from an example that a page has made; what was at hand can be had back by undo."""
    return attempt(without_message(work), lambda work: start_from(work, example))


def open_file(work: Work, text: bytes) -> Work:
    """Start from a file's text, which undo takes back; a message where the format refuses it."""
    return attempt(without_message(work), lambda work: start_from(work, parse(text)))


def choose_language(work: Work, language: str) -> Work:
    """Speak this language from now on, in the link too; so do the tokens that nobody has asked for or touched."""
    if language not in LANGUAGES:
        return work
    at_opening = work.browser.plain and work.history.name == opens_first(work.language)
    work = replace(work, language=language, language_chosen=True, message=None)
    if at_opening and len(work.history.versions) == 1 and not work.exercise:
        return _open_first(work)
    return work


def _open_first(work: Work) -> Work:
    """The example that opens first in this language, at the same place of the walk and with nothing to undo."""
    name = opens_first(work.language)
    if name == work.history.name:
        return work
    example = built_in(name)
    return replace(_at(work, shown(work.history, Version(example, example, name), (), ())), walk=work.walk)


def choose_experiment(work: Work, name: str, sides: Sides | None = None) -> Work:
    """Turn to an experiment, with these sides where they are given."""
    work = replace(work, looking=replace(work.looking, experiment=name))
    return work if sides is None else choose_sides(work, name, sides)


def choose_sides(work: Work, name: str, sides: Sides) -> Work:
    """Choose the sides of an experiment."""
    return replace(work, looking=replace(work.looking, sides={**work.looking.sides, name: sides}))


def choose_query(work: Work, query: int) -> Work:
    """Look from this token."""
    return replace(work, looking=replace(work.looking, query=query))


def choose_lesson(work: Work, lesson: str) -> Work:
    """Read this lesson."""
    return replace(work, looking=replace(work.looking, lesson=lesson))


def say(work: Work, message: Message) -> Work:
    """Show this sentence, where there is none yet."""
    return work if work.message else replace(work, message=message)


def without_message(work: Work) -> Work:
    """The work with nothing to say."""
    return replace(work, message=None)


def pin_baseline(work: Work, example: Example | None = None) -> Work:
    """Keep an example, or else the one at hand, to compare with. Raises ``NumberRangeError`` as ``trace`` does."""
    pinned = replace(example or work.example, claimed=None, lecture=None)
    computed = work.trace if pinned == work.example else trace(pinned, work.backend)
    baseline = Baseline(computed, packed(pinned))
    return replace(work, looking=replace(work.looking, pinned_baseline=baseline))


def attempt(work: Work, change: Callable[[Work], Work]) -> Work:
    """The work after a change; as it was, with a message that says why, where that is refused or fails."""
    try:
        return change(work)
    except MhaError as error:
        refused = sentence(error, work.language)
    except Exception:
        LOG.exception("a change of the work failed")
        refused = work.words(NOT_CHANGED)
    return replace(work, message=Message(refused))


NOT_CHANGED: Final = N_(
    "Something unexpected happened, so this change was not made; the details are in the server's log."
)


# --- what the browser was sent ---------------------------------------------------------------------------------


def note_names(work: Work) -> Work:
    """The frame shows what the work is called by."""
    return replace(work, browser=replace(work.browser, named=work.names))


def note_listed(work: Work, name: str | None, elsewhere: int) -> Work:
    """The frame's menu shows this built-in, if any; it has come from elsewhere so often."""
    return replace(work, browser=replace(work.browser, listed=(name, elsewhere)))


def note_walked(work: Work) -> Work:
    """The walkthrough was sent this work."""
    return replace(work, browser=replace(work.browser, walked=(work.history.revision, work.message)))


def ask_for_first_steps(work: Work) -> Work:
    """The visitor wants to be shown the first steps, once more."""
    return replace(work, browser=replace(work.browser, starts=work.browser.starts + 1))


# --- history ---------------------------------------------------------------------------------------------------


def start_from(work: Work, example: Example, name: str | None = None) -> Work:
    """Begin with this example, which undo takes back."""
    return keep(work, Version(example, example, name))


def become(work: Work, example: Example) -> Work:
    """Put an edited example in place of the one at hand, as a step of the history."""
    origin, name = work.history.origin, work.history.name
    if same_numbers(example, origin):
        example = replace(example, note=origin.note, source=origin.source)
    return work if example == work.example else keep(work, Version(example, origin, name))


def keep(work: Work, version: Version) -> Work:
    """Show a version, as a new step of the history. Raises ``NumberRangeError`` as ``trace`` does."""
    return replace(_at(work, added(work.history, version)), undone=())


def can_undo(work: Work) -> bool:
    """Whether there is a step to undo; an exercise that a link has brought is ended, and not undone."""
    exercise, past = work.exercise, work.history.past
    handed_out = exercise is not None and not exercise.begun
    return bool(past) and not (handed_out and past[-1].origin is not work.history.origin)


def undo(work: Work) -> Work:
    """Go back a step, where there is one; from the beginning of an exercise to what it was set in place of."""
    if not can_undo(work):
        return work
    exercise, origin = work.exercise, work.history.origin
    before = travel(work, len(work.history.past) - 1)
    if exercise is None or before.history.origin is origin:
        return before
    return replace(before, exercise=exercise.instead, undone=(*work.undone, (origin, exercise)))


def undo_numbers(work: Work) -> Work:
    """Go back to the numbers before these, with the lecture that there is now; ``redo`` leads here again."""
    history = work.history
    before = [at for at, one in enumerate(history.past) if not same_numbers(one.example, work.example)]
    if not before or history.past[before[-1]].origin is not history.origin:
        return work
    at = before[-1]
    example = replace(history.past[at].example, lecture=work.example.lecture)
    version = history.past[at]._replace(example=example)
    return _at(work, shown(history, version, history.past[:at], (*history.future, history.version)))


def redo(work: Work) -> Work:
    """Go forward again a step, where there is one, and into the exercise that was set there."""
    work = travel(work, len(work.history.past) + 1)
    if work.undone and work.undone[-1][0] is work.history.origin:
        *undone, (_, exercise) = work.undone
        return replace(work, undone=tuple(undone), exercise=exercise)
    return work


def step_back(work: Work, version: Version) -> Work:
    """Go back to what another window has gone back to. Redo leads here again, as it does there."""
    history = work.history
    before = [at for at, one in enumerate(history.past) if one.example == version.example]
    if before:
        return travel(work, before[-1])
    future = (*history.future, history.version)  # it is from before this window had it
    return _at(work, shown(history, version, history.past, future))


def step_forward(work: Work, version: Version) -> Work:
    """Go forward again to what another window has gone forward to."""
    history = work.history
    ahead = [at for at, one in enumerate(reversed(history.future), 1) if one.example == version.example]
    return travel(work, len(history.past) + ahead[0]) if ahead else keep(work, version)


def reset(work: Work) -> Work:
    """Go back to the numbers that were opened, with the lecture that there is now; undo leads here again."""
    return become(work, replace(work.history.origin, lecture=work.example.lecture))


def travel(work: Work, to: int) -> Work:
    """Go to another place of the history, counted from the oldest; nowhere where there is none."""
    history = travelled(work.history, to)
    return work if history is work.history else _at(work, history)


def _at(work: Work, history: History) -> Work:
    """The work at this place of its history. What is looked at stays, as far as it is there."""
    looking, is_same = work.looking, history.origin is work.history.origin
    pinned = existing_cell(history.trace, looking.pinned) if looking.pinned else None
    query = min(looking.query, len(history.example.tokens) - 1)
    return replace(
        work,
        history=history,
        looking=replace(looking, query=query, pinned=pinned),
        exercise=work.exercise if is_same else None,  # it was about another example
        walk=work.walk if is_same else work.walk._replace(step="", sub=""),
        shown="",
    )


def existing_cell(computed: Trace, cell: Cell) -> Cell | None:
    """The cell, where the trace has one there."""
    if cell.name not in AXES:
        return None
    try:
        rows = computed.matrix(cell.name, cell.head)
    except MhaError:
        return None
    return cell if 0 <= cell.row < len(rows) and 0 <= cell.col < len(rows[0]) else None


def show_as(work: Work, view: object) -> Work:
    """Show pages as this view has them, or plainly."""
    return replace(work, walk=work.walk._replace(view=view_in(view)))


# --- what worked -----------------------------------------------------------------------------------------------


def worked(work: Work, part: str) -> Work:
    """Part of a page has drawn the work as it is now."""
    drawn = Drawn(work.history.version, work.looking, work.walk, work.exercise)
    return replace(work, worked={**work.worked, part: drawn})


def as_it_worked(work: Work, part: str) -> Work:
    """The work in the last state that this part could draw, to be shown in place of what is at hand."""
    version, looking, walk, exercise = work.worked[part]
    computed = trace(version.example, work.backend)
    history = replace(work.history, trace=computed, origin=version.origin, name=version.name)
    return replace(work, history=history, looking=looking, walk=walk, exercise=exercise, shown=part)


def go_back(work: Work, part: str) -> Work:
    """Return to the last state that this part could draw, by undo or redo; where none is known, to what opens first."""
    if part not in work.worked:
        return open_built_in(work, opens_first(work.language))
    version, looking, walk, exercise = work.worked[part]
    history = work.history
    indices = [at for at, one in enumerate(history.versions) if one.example is version.example]
    if indices:
        nearest = min(indices, key=lambda at: abs(at - len(history.past)))
        work = travel(work, nearest)
    else:  # beyond the steps that are kept
        work = keep(work, version)
    return replace(work, looking=looking, walk=walk, exercise=exercise, message=None)
