"""One visitor's work: the current example, its history, and what is looked at. No Streamlit is needed here.

The work is frozen. A change is a function from the work to the next one. ``attempt`` makes a change; if it is refused
or fails, the work stays as it was, with a message that says why.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from mha_core import Backend, Cell, Example, MhaError, Trace, built_in, library, opens_first, parse, trace
from mha_core.compare.variant import AS_IT_IS, Variant
from mha_core.errors import N_
from mha_core.example.model import same_numbers, text_in
from mha_core.example.share_link import packed
from mha_core.puzzle import after_solution
from mha_core.vocabulary import ENTRY
from mha_ui.state.history import History, Version, added, shown, travelled
from mha_view.language import LANGUAGES, Words, sentence, words_in
from mha_view.lenses.lens import Baseline, Exercise

DECIMALS = 4
LENSES = ("change", "gradient")
"""What the bench's colours may show in place of the values."""
View: TypeAlias = Literal["", "projector", "presenter"]
LOG: Final = logging.getLogger(__name__)


class Offer(NamedTuple):
    """An edit that would do what a refused one was meant to do, and the label of its button."""

    label: str
    edit: Mapping[str, object]


class Message(NamedTuple):
    """A sentence to show once on the bench. ``kind`` is "error" or "info"; ``place`` is a place that it names."""

    text: str
    kind: str = "error"
    place: str = ""
    offer: Offer | None = None


class WalkPlace(NamedTuple):
    """A place of the walkthrough: a stage by name, ``"3"`` or ``"3.2"`` in it (part and beat, from 1), and the view.

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
    """The two sides of an experiment, each a variant of the current example."""

    left: Variant = AS_IT_IS
    right: Variant = AS_IT_IS


@dataclass(frozen=True, eq=False)
class Looking:
    """What is looked at of the example.

    ``decimals_chosen``: whether the reader has chosen them; else tables may show fewer where columns are narrow.
    ``lens``: what the bench's colours show: "" for the values, or one of ``LENSES``. There is a ``pinned_baseline``
    where it is "change". ``sides``: those that were chosen, by experiment. ``left_lesson``: the example was opened from
    ``lesson``, so that a link leads back to it.
    """

    decimals: int = DECIMALS
    decimals_chosen: bool = False
    pinned: Cell | None = None
    query: int = 0
    lesson: str = ""
    left_lesson: bool = False
    experiment: str = ""
    sides: Mapping[str, Sides] = field(default_factory=dict)
    lens: str = ""
    pinned_baseline: Baseline | None = None


class WorkingState(NamedTuple):
    """A state of the work that a part of a page could draw."""

    version: Version
    looking: Looking
    walk: WalkPlace
    exercise: Exercise | None


@dataclass(frozen=True, eq=False)
class Browser:
    """What the browser was sent last, and what it has sent.

    ``applied``: the number of its last edit; ``stored``: the number of the last example of the history that it has;
    ``known``: the number of the bench's last answer that it has, 0 for none; ``unseen``: the pictures that are out of
    view, by name.
    ``walked``: the revision and the message that the walkthrough was sent; ``named``: the ``names`` in the frame.
    ``said``: the page that is shown, and the message that it shows.
    ``listed``: the built-in example that the menu shows, if any, and how often it was chosen outside the menu.
    ``too_large``: a message has said that no link can contain this. ``plain``: the session's first address named
    nothing but a language, if that; ``starts``: how often the visitor has requested the first steps.
    """

    session: str = field(default_factory=lambda: secrets.token_hex(8))
    applied: int = 0
    stored: int = 0
    known: int = 0
    unseen: frozenset[str] = frozenset()
    walked: tuple[int, Message | None] | None = None
    named: tuple[object, ...] | None = None
    said: tuple[str, Message | None] = ("", None)
    listed: tuple[str | None, int] | None = None
    too_large: bool = False
    plain: bool = False
    starts: int = 0


@dataclass(frozen=True, eq=False)
class Work:
    """One visitor's work.

    ``undone``: the exercises that redo returns to, each with its origin. ``worked``: by part of a page, the last state
    that it could draw; ``shown``: the part whose tables show that state now, since they could not draw this one.
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
    worked: Mapping[str, WorkingState] = field(default_factory=dict)
    shown: str = ""

    @property
    def trace(self) -> Trace:
        """The current example, computed."""
        return self.history.trace

    @property
    def example(self) -> Example:
        """The current example."""
        return self.history.trace.example

    @property
    def untouched(self) -> bool:
        """Whether these are the numbers of the built-in example that the work started from."""
        name = self.history.name
        return name is not None and same_numbers(self.example, library()[name])

    @property
    def names(self) -> tuple[object, ...]:
        """What identifies the work in the frame, which is drawn again when any of it changes."""
        example = self.example
        return self.history.opened, self.untouched, example.title or example.tokens, example.puzzle is None

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
    """Start from a built-in example; undo brings back the previous one."""
    return attempt(without_message(work), lambda work: start_from(work, built_in(name), name))


def open_example(work: Work, example: Example) -> Work:
    """Start from an example that a page has made; undo brings back the previous one."""
    return attempt(without_message(work), lambda work: start_from(work, example))


def open_file(work: Work, text: bytes) -> Work:
    """Start from a file's text; undo brings back the previous example. A message says why a file is refused."""

    def open_parsed(work: Work) -> Work:
        example = parse(text)
        after_solution(example)  # raises the error of a solution that cannot be shown
        return start_from(work, example)

    return attempt(without_message(work), open_parsed)


def choose_language(work: Work, language: str) -> Work:
    """Use this language from now on, in the link too.

    The example that opened by itself is replaced by that of the new language if it has not been edited.
    """
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
    """Choose an experiment, with these sides where they are given."""
    work = replace(work, looking=replace(work.looking, experiment=name))
    return work if sides is None else choose_sides(work, name, sides)


def choose_sides(work: Work, name: str, sides: Sides) -> Work:
    """Choose the sides of an experiment."""
    return replace(work, looking=replace(work.looking, sides={**work.looking.sides, name: sides}))


def choose_query(work: Work, query: int) -> Work:
    """Choose the query that pictures show."""
    return replace(work, looking=replace(work.looking, query=query))


def choose_lesson(work: Work, lesson: str) -> Work:
    """Choose this lesson."""
    return replace(work, looking=replace(work.looking, lesson=lesson, left_lesson=False))


def leave_lesson(work: Work) -> Work:
    """Note that the current example was opened from the lesson."""
    return replace(work, looking=replace(work.looking, left_lesson=True))


def say(work: Work, message: Message) -> Work:
    """Show this sentence, where there is none yet."""
    return work if work.message else replace(work, message=message)


def without_message(work: Work) -> Work:
    """The work without its message."""
    return replace(work, message=None)


def pin_baseline(work: Work, example: Example | None = None) -> Work:
    """Pin an example, by default the current one, to compare with. Raises ``NumberRangeError`` as ``trace`` does."""
    pinned = replace(example or work.example, claimed=None, lecture=None, puzzle=None)
    computed = work.trace if pinned == work.example else trace(pinned, work.backend)
    baseline = Baseline(computed, packed(pinned))
    return replace(work, looking=replace(work.looking, pinned_baseline=baseline))


def attempt(work: Work, change: Callable[[Work], Work]) -> Work:
    """The work after a change; if it is refused or fails, the work as it was with a message that says why."""
    try:
        return change(work)
    except MhaError as error:
        reason = sentence(error, work.language)
    except Exception:
        LOG.exception("a change of the work failed")
        reason = work.words(NOT_CHANGED)
    return replace(work, message=Message(reason))


NOT_CHANGED: Final = N_("Something went wrong, so this change was not made. Details are in the server's log.")


_EXPLORE: Final = "pages/bench.py"

# --- what the browser was sent ---------------------------------------------------------------------------------


def note_names(work: Work) -> Work:
    """Note the names that the frame shows."""
    return replace(work, browser=replace(work.browser, named=work.names))


def note_listed(work: Work, name: str | None, elsewhere: int) -> Work:
    """Note the built-in example that the frame's menu shows, and how often it was chosen outside the menu."""
    return replace(work, browser=replace(work.browser, listed=(name, elsewhere)))


def come_to(work: Work, page: str) -> Work:
    """Note the page that is shown. A message that another page has shown stays there: it is about what was done on it.

    One that no page has shown yet says why something that was to be opened here is not, unless it is about an edit: the
    last edits of a page may come with the request for the next page.
    """
    before, seen = work.browser.said
    message = work.message
    is_of_edit = before == _EXPLORE and message is not None and message.kind == "info"
    if page != before and (message is seen or is_of_edit):
        work = without_message(work)
    return note_said(work, page)


def note_said(work: Work, page: str = "") -> Work:
    """Note the message that the page shows now; by default the page that is shown already."""
    return replace(work, browser=replace(work.browser, said=(page or work.browser.said[0], work.message)))


def note_walked(work: Work) -> Work:
    """Note that the walkthrough was sent this work."""
    return replace(work, browser=replace(work.browser, walked=(work.history.revision, work.message)))


def ask_for_first_steps(work: Work) -> Work:
    """Note that the visitor wants to see the first steps again."""
    return replace(work, browser=replace(work.browser, starts=work.browser.starts + 1))


# --- history ---------------------------------------------------------------------------------------------------


def start_from(work: Work, example: Example, name: str | None = None) -> Work:
    """Start from this example; undo brings back the previous one."""
    return keep(work, Version(example, example, name))


def become(work: Work, example: Example) -> Work:
    """Replace the current example by an edited one, as a step of the history."""
    origin, name = work.history.origin, work.history.name
    if same_numbers(example, origin):
        example = replace(example, note=origin.note, source=origin.source)
    return work if example == work.example else keep(work, Version(example, origin, name))


def keep(work: Work, version: Version) -> Work:
    """Show a version, as a new step of the history. Raises ``NumberRangeError`` as ``trace`` does."""
    return replace(_at(work, added(work.history, version)), undone=())


def can_undo(work: Work) -> bool:
    """Whether there is a step to undo. An exercise from a link can be ended, but not undone."""
    exercise, past = work.exercise, work.history.past
    handed_out = exercise is not None and not exercise.begun
    return bool(past) and not (handed_out and past[-1].origin is not work.history.origin)


def undo(work: Work) -> Work:
    """Go back a step, if there is one; from the beginning of an exercise, to the example that it replaced."""
    if not can_undo(work):
        return work
    exercise, origin = work.exercise, work.history.origin
    work_before = travel(work, len(work.history.past) - 1)
    if exercise is None or work_before.history.origin is origin:
        return work_before
    return replace(work_before, exercise=exercise.instead, undone=(*work.undone, (origin, exercise)))


def undo_numbers(work: Work) -> Work:
    """Go back to the previous numbers, with the current lecture; ``redo`` returns here."""
    history = work.history
    others = [
        at for at, version in enumerate(history.past) if not same_numbers(version.example, work.example)
    ]
    if not others or history.past[others[-1]].origin is not history.origin:
        return work
    at = others[-1]
    example = replace(history.past[at].example, lecture=work.example.lecture)
    version = history.past[at]._replace(example=example)
    return _at(work, shown(history, version, history.past[:at], (*history.future, history.version)))


def redo(work: Work) -> Work:
    """Go forward a step, if there is one, and into the exercise that was set there."""
    work = travel(work, len(work.history.past) + 1)
    if work.undone and work.undone[-1][0] is work.history.origin:
        *undone, (_, exercise) = work.undone
        return replace(work, undone=tuple(undone), exercise=exercise)
    return work


def step_back(work: Work, version: Version) -> Work:
    """Go back to what another window has gone back to. Redo returns here, as it does there."""
    history = work.history
    places = [at for at, past in enumerate(history.past) if past.example == version.example]
    if places:
        return travel(work, places[-1])
    future = (*history.future, history.version)  # this window opened after that version
    return _at(work, shown(history, version, history.past, future))


def step_forward(work: Work, version: Version) -> Work:
    """Go forward to what another window has gone forward to."""
    history = work.history
    future = enumerate(reversed(history.future), 1)
    distances = [distance for distance, next_ in future if next_.example == version.example]
    return travel(work, len(history.past) + distances[0]) if distances else keep(work, version)


def reset(work: Work) -> Work:
    """Go back to the numbers that were opened, with the current lecture; undo returns here.

    A visitor's own puzzle keeps the title that he gave it.
    """
    origin, puzzle = work.history.origin, work.example.puzzle
    title = work.example.title if puzzle and not puzzle.key else origin.title
    return become(work, replace(origin, lecture=work.example.lecture, title=title))


def travel(work: Work, to: int) -> Work:
    """Go to another place of the history, counted from the oldest, if there is such a place."""
    history = travelled(work.history, to)
    return work if history is work.history else _at(work, history)


def _at(work: Work, history: History) -> Work:
    """The work at this place of its history. What is looked at stays, as far as the example has it."""
    looking, is_same = work.looking, history.origin is work.history.origin
    pinned = existing_cell(history.trace, looking.pinned) if looking.pinned else None
    query = min(looking.query, len(history.example.tokens) - 1)
    return replace(
        work,
        history=history,
        looking=replace(looking, query=query, pinned=pinned),
        exercise=work.exercise if is_same else None,  # which belongs to another example
        walk=work.walk if is_same else work.walk._replace(step="", sub=""),
        shown="",
    )


def existing_cell(computed: Trace, cell: Cell) -> Cell | None:
    """The cell, where the trace has one there."""
    if cell.name not in ENTRY:
        return None
    try:
        rows = computed.matrix(cell.name, cell.head)
    except MhaError:
        return None
    return cell if 0 <= cell.row < len(rows) and 0 <= cell.col < len(rows[0]) else None


def show_as(work: Work, view: object) -> Work:
    """Choose the view of the pages, plain if there is no such view."""
    return replace(work, walk=work.walk._replace(view=view_in(view)))


# --- what worked -----------------------------------------------------------------------------------------------


def worked(work: Work, part: str) -> Work:
    """Note that a part of a page could draw the work in its current state."""
    state = WorkingState(work.history.version, work.looking, work.walk, work.exercise)
    return replace(work, worked={**work.worked, part: state})


def as_it_worked(work: Work, part: str) -> Work:
    """The work in the last state that this part could draw, to be shown in place of the current one."""
    version, looking, walk, exercise = work.worked[part]
    computed = trace(version.example, work.backend)
    history = replace(work.history, trace=computed, origin=version.origin, name=version.name)
    return replace(work, history=history, looking=looking, walk=walk, exercise=exercise, shown=part)


def go_back(work: Work, part: str) -> Work:
    """Return to the last state that this part could draw, by undo or redo; or to the example that opens first."""
    if part not in work.worked:
        return open_built_in(work, opens_first(work.language))
    version, looking, walk, exercise = work.worked[part]
    history = work.history
    indices = [at for at, candidate in enumerate(history.versions) if candidate.example is version.example]
    if indices:
        nearest = min(indices, key=lambda at: abs(at - len(history.past)))
        work = travel(work, nearest)
    else:  # beyond the stored steps
        work = keep(work, version)
    return replace(work, looking=looking, walk=walk, exercise=exercise, message=None)
