"""What the tables send: edits and other actions, each applied once and in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Final, TypeGuard

from mha_core import Cell, Example, MhaError, built_in, from_token
from mha_core.compute.graph import symbol
from mha_core.edit.edit import AddHead, Edit, Learn, SetBlock, SetLearning, as_data, read_edit
from mha_core.edit.edits import apply, finished
from mha_core.edit.removed import restored
from mha_core.errors import N_
from mha_core.example.model import absent_steps
from mha_core.example.share_link import unpacked
from mha_core.learn.descent import descend_fully, remark
from mha_core.models import OWN, example_of, load
from mha_core.puzzle import after_solution
from mha_core.quoted import isolated
from mha_ui.state import actions
from mha_ui.state.actions import Action, read_action
from mha_ui.state.exercise import another_exercise, end_exercise, give_hint, note_attempt
from mha_ui.state.history import Version, is_whole, recalled
from mha_ui.state.url import place_in, work_at
from mha_ui.state.work import (
    DECIMALS,
    Browser,
    Message,
    Offer,
    Work,
    attempt,
    become,
    existing_cell,
    go_back,
    keep,
    open_example,
    pin_baseline,
    redo,
    reset,
    step_back,
    step_forward,
    undo,
    undo_numbers,
    without_message,
)
from mha_view.cell_names import place_and_sentence
from mha_view.lenses.lens import MOST_DECIMALS
from mha_view.puzzle import made_puzzle

_OF_THE_PAGE: Final = ("restore", "recall")
"""What a page sends by itself when it opens: a message about its address stays."""


def receive(work: Work, message: object) -> Work:
    """Apply the edits that the bench sent: each once and in order, even where some were sent twice or merged.

    A message that the bench would not send is ignored, or refused as any edit that does not fit.
    """
    if not isinstance(message, Mapping) or message.get("session") != work.browser.session:
        return work
    edits, unseen = message.get("edits"), message.get("unseen")
    stored, known = message.get("held"), message.get("known")
    work = replace(
        work,
        browser=replace(
            work.browser,
            stored=stored if is_whole(stored) else 0,
            known=known if is_whole(known) else 0,
            unseen=frozenset(filter(_is_text, unseen)) if isinstance(unseen, list) else frozenset(),
        ),
    )
    before = work.browser.applied
    for edit in edits if isinstance(edits, list) else ():
        number = edit.get("seq") if isinstance(edit, Mapping) else None
        if is_whole(number) and number > work.browser.applied:
            if work.browser.applied == before and edit.get("op") not in _OF_THE_PAGE:
                work = without_message(work)  # it was about an edit before these
            work = replace(work, browser=replace(work.browser, applied=number))
            work = attempt(work, partial(_applied, data=edit))
    return work


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str)


def _applied(work: Work, data: Mapping[str, object]) -> Work:
    action = read_action(data)
    return _edited(work, data) if action is None else _acted(work, action)


def _acted(work: Work, action: Action) -> Work:
    change = _CHANGES.get(type(action))
    if change:
        return change(without_message(work))  # it may be about the step that is taken back
    match action:
        case actions.Restore(address=query, history=stored):
            return _restored(work, query, stored)
        case actions.Follow(address=query, way=way):
            return _followed(work, query, _WAYS.get(way, keep))
        case actions.Recall(history=stored):
            return replace(work, history=recalled(work.history, stored))
        case actions.Resume(text=text):
            return open_example(work, _stored(text))
        case actions.OpenLearned(text=text):
            opened = open_example(work, example_of(load(OWN), text))
            return replace(opened, message=Message(opened.words(_LEARNED), kind="info"))
        case actions.MakePuzzle(cell=Cell() as cell):
            return open_example(work, made_puzzle(work.history.origin, work.example, cell))
        case actions.Hint(cell=cell):
            return give_hint(work, cell)
    return _view_changed(work, action)


def _view_changed(work: Work, action: Action) -> Work:
    """The work after an action that changes no number but what is looked at, and how."""
    looking = work.looking
    match action:
        case actions.GoTo():
            return replace(work, walk=place_in(asdict(action)))
        case actions.Pin(cell=cell):
            return replace(work, looking=replace(looking, pinned=cell and existing_cell(work.trace, cell)))
        case actions.SetDecimals(value=None):
            return replace(work, looking=replace(looking, decimals=DECIMALS, decimals_chosen=False))
        case actions.SetDecimals(value=int(value)):
            decimals = min(MOST_DECIMALS, max(0, value))
            return replace(work, looking=replace(looking, decimals=decimals, decimals_chosen=True))
        case actions.ChooseLens(value=str(lens)):
            work = pin_baseline(work) if lens == "change" and not looking.pinned_baseline else work
            return replace(work, looking=replace(work.looking, lens=lens))
        case actions.PinBaseline(clear=True):
            remaining = "" if looking.lens == "change" else looking.lens
            return replace(work, looking=replace(looking, pinned_baseline=None, lens=remaining))
        case actions.PinBaseline():
            looking = pin_baseline(work).looking
            return replace(work, looking=replace(looking, lens=looking.lens or "change"))
    return work


def _edited(work: Work, data: Mapping[str, object]) -> Work:
    """Edit the example that the tables show, which is not the current one where they could not draw that.

    Where the edit is refused, the message says why and offers a larger matrix if that would do.
    """
    work = go_back(work, work.shown) if work.shown else work
    edit = None
    try:
        edit = read_edit(data)
        back = restored([version.example for version in (*work.history.past, work.history.version)], edit)
        changed, learned = (back, "") if back else _changed(work, edit)
        edited = note_attempt(become(work, changed), work.example)
    except MhaError as error:
        place, text = place_and_sentence(error, work.example, work.language)
        message = Message(text, place=place)
        if isinstance(edit, SetBlock) and not edit.grow:
            message = _with_larger(work, message, replace(edit, grow=True))
        return replace(work, message=message)
    notes = (learned or _origin_message(edited, edit, back is not None), _goal_message(work, edited, edit))
    text = " ".join(filter(None, notes))
    return replace(edited, message=Message(text, kind="info")) if text else edited


def _changed(work: Work, edit: Edit) -> tuple[Example, str]:
    """The example after an edit, and how its loss has changed where the edit was steps of gradient descent."""
    example = work.example
    if not isinstance(edit, Learn):
        return apply(example, edit), ""
    descent = descend_fully(example, edit.steps)
    template, values = remark(example, descent)
    return finished(descent.example, example), work.words(template).format(**values)


def _origin_message(work: Work, edit: Edit, is_restored: bool) -> str:
    """Where the numbers of an added head or token come from; "" where there is nothing to say."""
    if is_restored:
        return work.words(_BACK[edit.op])
    if isinstance(edit, AddHead) and edit.copy is None:
        return work.words(_NEW_HEAD).format(head=len(work.example.heads))
    return ""


def _goal_message(before: Work, after: Work, edit: Edit) -> str:
    """That an edit has removed the goal, with what it was about; "" where it has not, or where that was its purpose."""
    example, words = before.example, before.words
    goal = example.learning
    if goal is None or after.example.learning is not None or isinstance(edit, SetLearning):
        return ""
    if goal.step in absent_steps(after.example):
        return words(_GOAL_STEP).format(step=symbol(goal.step, example))
    heads = range(len(example.heads)) if goal.step == "weights" else [None]
    places = [
        (token, head)
        for head in heads
        for token, row in zip(example.tokens, goal.of_head(head) or (), strict=False)
        if row is not None
    ]
    if len(places) > 1:
        return words(_GOAL_ROWS).format(count=len(places))
    [(token, head)] = places
    told = _GOAL_ROW if head is None else _GOAL_PAIR
    return words(told).format(token=isolated(token), head=(head or 0) + 1)


_GOAL_STEP: Final = N_(
    "The goal was about {step}, which this example no longer has, so the goal was removed."
)
_GOAL_ROWS: Final = N_("The {count} rows that the goal was about are gone, so the goal was removed.")
_GOAL_ROW: Final = N_("The goal was about “{token}”, so it was removed.")
_GOAL_PAIR: Final = N_("The goal was about “{token}” in head {head}, so it was removed.")
_LEARNED: Final = N_(
    "These are our small model's own numbers for your sentence: it has learned the vectors and the heads from text. "
    "Real models shows all its heads."
)
_NEW_HEAD: Final = N_("Head {head} has new numbers, made up by the app.")
_BACK: Final = {
    "add_head": N_("The head you removed last is back, with its numbers."),
    "add_token": N_("The token you removed last is back, with its numbers."),
}


def _with_larger(work: Work, message: Message, larger: SetBlock) -> Message:
    """The message with an offer of the size at which a pasted block fits, or with the reason why there is none."""
    words = work.words
    try:
        grown = apply(work.example, larger)
    except MhaError as error:
        reason = place_and_sentence(error, work.example, work.language)[1]
        if reason == message.text:
            return message
        return message._replace(text=words(N_("{one}. {other}.")).format(one=message.text, other=reason))
    name, heads = larger.matrix, len(grown.heads)
    rows, cols = grown.dims.shape(name)
    label = N_("Resize {name} to {rows} × {cols} and paste")
    if larger.head is not None and heads > 1:
        label = N_("Resize {name} to {rows} × {cols} in every head and paste")
    text = words(label).format(name=symbol(name, grown), rows=rows, cols=cols)
    return message._replace(offer=Offer(text, as_data(larger)))


def _restored(work: Work, query: Mapping[str, str], stored: object) -> Work:
    """The work of a page that was at this address, with this history, when its server was replaced."""
    opened, browser = work_at(query, work.language), work.browser
    history = replace(opened.history, revision=work.history.revision + 1, opened=work.history.opened + 1)
    history = recalled(history, stored, leads_further=True)
    same_browser = Browser(browser.session, browser.applied, listed=browser.listed)
    return replace(opened, history=history, browser=same_browser)


def _stored(text: str) -> Example:
    """The example that a browser stored. Raises ``MhaError`` where it has been altered."""
    example = unpacked(text)
    after_solution(example)  # raises the error of a solution that cannot be shown
    return example


def _followed(work: Work, query: Mapping[str, str], way: Callable[[Work, Version], Work]) -> Work:
    """Take over the numbers of another window, by the same step in the history (``way``) as there."""
    name = query.get("example")
    example = built_in(name) if name else from_token(query.get("s", ""))
    if example == work.example:
        return work
    return way(work, Version(example, work.history.origin, name or work.history.name))


_CHANGES: Final[dict[type[Action], Callable[[Work], Work]]] = {
    actions.Undo: undo,
    actions.UndoNumbers: undo_numbers,
    actions.Redo: redo,
    actions.Reset: reset,
    actions.AnotherExercise: another_exercise,
    actions.EndExercise: end_exercise,
}
"""The actions that have no fields."""
_WAYS: Final[dict[str, Callable[[Work, Version], Work]]] = {"back": step_back, "forward": step_forward}
