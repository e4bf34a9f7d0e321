"""What the tables send: edits, and what else is done there, each applied once and in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from mha_core import Example, MhaError, built_in, from_token
from mha_core.compute.graph import symbol
from mha_core.edit.back import given_back
from mha_core.edit.edit import AddHead, Edit, SetBlock, as_data, read_edit
from mha_core.edit.edits import apply
from mha_core.errors import N_
from mha_core.models import OWN, example_of, load
from mha_ui.state.exercise import in_exercise, note_attempt
from mha_ui.state.history import recall
from mha_ui.state.url import place_in, work_at
from mha_ui.state.work import (
    Message,
    Offer,
    Version,
    Work,
    attempt,
    become,
    existing_cell,
    go_back,
    is_whole,
    keep,
    open_example,
    pin_baseline,
    redo,
    reset,
    step_back,
    step_forward,
    undo,
    undo_numbers,
)
from mha_view.lenses.lens import MOST_DECIMALS
from mha_view.places import place_and_sentence


def receive(current: Work, message: object) -> None:
    """Apply the edits that the bench sent: each once, in order, whatever was sent twice or merged.

    What no bench would send is passed over, or refused as any edit that does not fit.
    """
    if not isinstance(message, Mapping) or message.get("session") != current.session:
        return
    edits, before, held = message.get("edits"), current.applied, message.get("held")
    current.held = held if is_whole(held) else 0
    for edit in edits if isinstance(edits, list) else ():
        number = edit.get("seq") if isinstance(edit, Mapping) else None
        if is_whole(number) and number > current.applied:
            if current.applied == before:
                current.message = None  # it was about an edit before these
            current.applied = number
            attempt(current, partial(_one, current, edit))


def _one(current: Work, edit: Mapping[str, Any]) -> None:
    match edit:
        case {"op": "undo" | "undo_numbers" | "redo" | "reset" as asked}:
            _IN_HISTORY[asked](current)
        case {"op": "pin"}:
            _pin(current, edit.get("cell"))
        case {"op": "restore" | "follow" as asked, "address": Mapping() as query}:
            texts = {name: text for name, text in query.items() if isinstance(text, str)}
            way = _FOLLOWED.get(str(edit.get("way")), keep)
            attempt(
                current,
                lambda: _restore(current, texts) if asked == "restore" else _follow(current, texts, way),
            )
        case {"op": "recall", "history": kept}:
            recall(current, kept)
        case {"op": "hint" | "another_exercise" | "end_exercise"}:
            in_exercise(current, edit)
        case {"op": "learned_sentence", "text": str(text)}:
            open_example(current, _learned(text))
        case {"op": "place"}:
            current.walk = place_in(edit)
        case {"op": "lens" | "baseline"}:
            _through_a_lens(current, edit)
        case {"op": "decimals", "value": int(value)} if is_whole(value):
            current.decimals = min(MOST_DECIMALS, max(0, value))
        case _:
            _edit(current, edit)


def _learned(text: str) -> Example:
    """A sentence with the vectors of our own small model. Raises ``ModelError`` for one that it does not read."""
    return example_of(load(OWN), text)


def _edit(current: Work, edit: Mapping[str, Any]) -> None:
    """Edit the example as the tables show it, which is not the one at hand where they could not draw that.

    Where that is refused the message says why, and offers what would do.
    """
    if current.shown:
        go_back(current, current.shown)
    before, made = current.example, None
    try:
        made = read_edit(edit)
        back = given_back([version.example for version in (*current.past, current.version)], made)
        become(current, back or apply(before, made))
        note_attempt(current, before)
        text = _origin_message(current, made, back is not None)
        current.message = Message(text, kind="info") if text else current.message
    except MhaError as error:
        place, text = place_and_sentence(error, current.example, current.language)
        current.message = Message(text, place=place)
        if isinstance(made, SetBlock) and not made.grow:
            _offer_room(current, current.message, replace(made, grow=True))


def _origin_message(current: Work, edit: Edit, back: bool) -> str:
    """Where the numbers of what an edit has added come from; "" where there is nothing to say."""
    if back:
        return current.words(_BACK[edit.op])
    if isinstance(edit, AddHead) and edit.copy is None:
        return current.words(_NEW_HEAD).format(head=len(current.example.heads))
    return ""


_NEW_HEAD: Final = N_("Head {head} has new, made-up numbers.")
_BACK: Final = {
    "add_head": N_("The head that was removed last is back with its numbers."),
    "add_token": N_("The token that was removed last is back with its numbers."),
}


def _offer_room(current: Work, message: Message, larger: SetBlock) -> None:
    """Offer the size at which a pasted block fits, or say why it can have none."""
    words = current.words
    try:
        grown = apply(current.example, larger)
    except MhaError as error:
        reason = place_and_sentence(error, current.example, current.language)[1]
        if reason != message.text:
            message.text = words(N_("{one}. {other}.")).format(one=message.text, other=reason)
        return
    name, heads = larger.matrix, len(grown.heads)
    rows, cols = grown.dims.shape(name)
    label = N_("Make {name} {rows} × {cols} and paste")
    if larger.head is not None and heads > 1:
        label = N_("Make {name} {rows} × {cols} in every head and paste")
    message.offer = Offer(
        words(label).format(name=symbol(name, grown), rows=rows, cols=cols),
        as_data(larger),
    )


def _pin(current: Work, cell: object) -> None:
    """Hold a cell, or let it go where this is none."""
    parts = ("name", "head", "row", "col")
    held = isinstance(cell, Mapping) and existing_cell(current, *(cell.get(part) for part in parts))
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


def _restore(current: Work, query: Mapping[str, str]) -> None:
    """This server is new, and the page was at this address."""
    known = work_at(query, current.language)
    known.session, known.applied, known.listed = current.session, current.applied, current.listed
    known.revision, known.opened = current.revision + 1, current.opened + 1
    current.__dict__.update(known.__dict__)


def _follow(current: Work, query: Mapping[str, str], way: Callable[[Work, Version], None]) -> None:
    """Take over the numbers of another window, at the same place: a step of the history as it was one there."""
    name = query.get("example")
    example = built_in(name) if name else from_token(query.get("s", ""))
    if example != current.example:
        way(current, Version(example, current.origin, name or current.name))


_IN_HISTORY: Final = {"undo": undo, "undo_numbers": undo_numbers, "redo": redo, "reset": reset}
_FOLLOWED: Final[dict[str, Callable[[Work, Version], None]]] = {"back": step_back, "forward": step_forward}
