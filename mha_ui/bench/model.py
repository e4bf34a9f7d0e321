"""What the bench component receives for one state of the work: what the tables show, and what belongs to the work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NotRequired, TypedDict

from mha_core.edit.fields import MASK_KINDS, RESIZABLE, MaskKind
from mha_core.edit.layer import mask_kind
from mha_core.example.band import Corner
from mha_core.example.model import (
    MAX_HEADS,
    MAX_NUMBER,
    MAX_SIZE,
    Scale,
    band_of,
    has_values,
    position_choice,
    setting,
)
from mha_core.vocabulary import (
    AXES,
    HEAD_BIASES,
    POSITION_CHOICES,
    SCORING,
    SCORING_CHOICES,
)
from mha_ui.state import HistoryState, Message, Work, address, can_undo, handed_out, history_of, unsaved
from mha_view import payloads
from mha_view.about import About, about_example, is_ours
from mha_view.lenses import laid_over, look
from mha_view.lenses.lens import Lens, sent
from mha_view.puzzle import PuzzleLink, changeable_first, only_allowed, puzzle_links, puzzle_of
from mha_view.tables.backward import with_backward


class Answer(TypedDict):
    """Which session answers, and the last edit that it has applied."""

    session: str
    ack: int
    address: Mapping[str, str]


class Controls(TypedDict):
    """What may be done with an example, and which of the menus' choices it has.

    ``changed``: the example differs from the one that was opened; ``baseline``: one is pinned. ``sizes``: the axes
    whose sizes can be changed. ``window``: of the mask, null where it has none; ``corner``: null where there is
    nothing to choose. ``head_masks``: which heads have their own; null where there is only one head.
    ``rate``: of the goal, null without one. ``lens``: the current one, "" for none; null where no choice is offered.
    ``fixed``: only numbers can be changed, and these of the layer's settings. ``norm``: the eps of the norm of Q and K.
    """

    undo: bool
    redo: bool
    changed: bool
    baseline: bool
    values: bool
    w_o: bool
    biases: bool
    context: bool
    sizes: Sequence[str]
    scale: Scale
    softcap: float | None
    sinks: bool
    norm: float | None
    temperature: bool
    is_product: bool
    scoring: str
    positions: str
    kv_heads: int
    mask: MaskKind
    window: int | None
    corner: Corner | None
    head_masks: Sequence[bool] | None
    rate: float | None
    lens: str | None
    fixed: NotRequired[Sequence[str]]


class Start(TypedDict):
    """What a visitor may begin with.

    ``first``: whether the address asked for nothing in particular; ``asked``: how often the first steps have been asked
    for; ``puzzles``: in their order, none where there is something to be worked out already.
    """

    first: bool
    asked: int
    puzzles: Sequence[PuzzleLink]


class OfferData(TypedDict):
    """An edit that would do what a refused one was meant to do, and what it is called."""

    label: str
    edit: payloads.EditData


class MessageData(TypedDict):
    """A sentence above the line; ``place`` is the name of a place in it, ``offer`` what can be done about it."""

    text: str
    kind: str
    place: str
    offer: OfferData | None


class Limits(TypedDict):
    """The largest number, and the most heads and tokens or dimensions, of an example that can be edited."""

    number: float
    size: int
    heads: int


class LiveRequest(TypedDict):
    """What the live channel is asked for after an edit; ``lens``: as ``mha_view.lenses.lens.read`` reads it."""

    lang: str
    lens: Mapping[str, object] | None


class ExploreModel(payloads.LearningModel, Answer, About):
    """Everything that the Explore page shows.

    ``puzzle``: null for an example without one. ``bar``: what the address bar holds where that is not the address of
    the work: the link to an exercise with numbers for each student. ``whole``: the example where no address holds it.
    ``choices``: by menu, each choice's edit by its name. ``asks``: null where there is no server.

    Of an exercise, ``class_link``: the query of a link for everybody, where there can be others like it; ``begun``:
    which of the examples shown it was set with, here; 0 where a link has brought it.
    """

    revision: int
    opened: int
    unsaved: bool
    start: Start
    bar: Mapping[str, str] | None
    history: HistoryState
    whole: str | None
    pinned: payloads.Cell | None
    decimals_chosen: bool
    message: MessageData | None
    about_ours: bool
    puzzle: payloads.PuzzleData | None
    choices: Mapping[str, Mapping[str, payloads.EditData]]
    controls: Controls
    limits: Limits
    asks: LiveRequest | None
    class_link: NotRequired[str]
    begun: NotRequired[int]


_CHOICES: Final[Mapping[str, Mapping[str, payloads.EditData]]] = {
    "scoring": {
        name: {"op": "scoring", "kind": choice.scoring, "scale": choice.scale}
        for name, choice in SCORING_CHOICES.items()
    },
    "positions": {
        name: {"op": "positions", "kind": choice.kind, "pairs": choice.pairs}
        for name, choice in POSITION_CHOICES.items()
    },
    "mask": {kind: {"op": "mask", "kind": kind} for kind in MASK_KINDS},
}
"""What each menu of the layer offers, and the edit that it then asks for; ``mha_view.tables.words`` names them."""


def payload(work: Work, *, lens: str | None = None) -> ExploreModel:
    """Everything that the bench shows, for one state of the work.

    ``lens``: what it shows besides the numbers whatever the work says, "" for nothing; the bench then offers no choice.
    ``asks``: what the browser is to ask the live channel for after an edit.
    """
    held_by, looking = address(work), work.looking
    through = _lens(work, looking.lens if lens is None else lens)
    data: ExploreModel = {
        "session": work.browser.session,
        "ack": work.browser.applied,
        "revision": work.history.revision,
        "opened": work.history.opened,
        "unsaved": bool(unsaved(work)),
        "start": {
            "first": work.browser.plain,
            "asked": work.browser.starts,
            "puzzles": [] if work.example.puzzle or work.exercise else puzzle_links(work.language),
        },
        "address": held_by,
        "bar": handed_out(work) or None,
        "history": history_of(work.history, work.browser.stored),
        "whole": None if {"s", "example"} & held_by.keys() else work.history.token,
        "pinned": looking.pinned and payloads.cell_data(looking.pinned),
        "decimals_chosen": looking.decimals_chosen,
        "message": _message(work.message),
        **about_example(work.trace, work.language),
        "about_ours": is_ours(work.example),
        "puzzle": puzzle_of(work.trace, work.history.origin, work.language),
        **with_backward(work.trace, work.language, work.looking.decimals),
        "choices": _CHOICES,
        "controls": _controls(work, looking.lens) if lens is None else _numbers_only(work),
        "limits": {"number": MAX_NUMBER, "size": MAX_SIZE, "heads": MAX_HEADS},
        "asks": {"lang": work.language, "lens": through and sent(through)},
    }
    only_allowed(data["matrices"], work.example)
    data["stages"] = changeable_first(data["stages"], work.example)
    return laid_over(data, look(through, work.trace, work.language)) if through else data


def _lens(work: Work, name: str) -> Lens | None:
    """A lens with what it needs of the work; None where no change is to be seen because no baseline is pinned."""
    looking = work.looking
    base = looking.pinned_baseline
    match name:
        case "change":
            return base and Lens(name, looking.decimals, baseline=base)
        case "gradient":
            pinned = looking.pinned
            return Lens(name, looking.decimals, pinned=pinned if pinned and pinned.name in AXES else None)
        case "check":
            return Lens(name, looking.decimals, exercise=work.exercise)
    return None


def _message(message: Message | None) -> MessageData | None:
    if message is None:
        return None
    offer = message.offer and OfferData(label=message.offer.label, edit=message.offer.edit)
    return {"text": message.text, "kind": message.kind, "place": message.place, "offer": offer}


def _controls(work: Work, lens: str | None) -> Controls:
    """What may be done. In a puzzle only what it allows to change is offered."""
    controls, puzzle = _all_controls(work, lens), work.example.puzzle
    if puzzle is None or not puzzle.change:
        return controls
    return {**controls, "fixed": [name for name in _SETTINGS if name in puzzle.change]}


def _numbers_only(work: Work) -> Controls:
    """What may be done where a page shows the tables through one lens: nothing but the numbers can be changed."""
    return {**_all_controls(work, None), "fixed": []}


_SETTINGS: Final = ("scale", "softcap", "mask")
"""What can be set besides matrices, by the names of puzzles and of the toolbar."""


def _all_controls(work: Work, lens: str | None) -> Controls:
    example = work.example
    scoring, band = SCORING[example.scoring], band_of(example.mask)
    fixed = {"d_context": example.context is None, "d_a": scoring.square}
    return {
        "undo": can_undo(work),
        "redo": bool(work.history.future),
        "changed": example != work.history.origin,
        "baseline": work.looking.pinned_baseline is not None,
        "values": has_values(example),
        "w_o": example.w_o is not None,
        "biases": example.b_o is not None
        or any(getattr(head, name) is not None for head in example.heads for name in HEAD_BIASES),
        "context": example.context is not None,
        "sizes": [axis for axis in ("h", *RESIZABLE) if getattr(example.dims, axis) and not fixed.get(axis)],
        "scale": example.scale,
        "softcap": example.softcap,
        "norm": setting(example, "eps"),
        "sinks": any(head.sink is not None for head in example.heads),
        "temperature": scoring.temperature is not None,
        "is_product": scoring.is_product,
        "scoring": "scaled_dot" if example.scoring == "dot" and example.scale != "none" else example.scoring,
        "positions": position_choice(example),
        "kv_heads": example.kv_heads or len(example.heads),
        "mask": mask_kind(example.mask),
        "head_masks": [head.mask is not None for head in example.heads] if len(example.heads) > 1 else None,
        "window": None if band is None else band.window,
        "corner": band.corner if band and example.dims.n_q != example.dims.n_k else None,
        "rate": None if example.learning is None else example.learning.rate,
        "lens": lens,
    }
