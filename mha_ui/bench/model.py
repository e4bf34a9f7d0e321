"""What the bench component is told of one state of the work: what the tables show, and what belongs to the work."""

from __future__ import annotations

from typing import Any, Final

from mha_core.edit.fields import RESIZABLE
from mha_core.example.model import (
    MAX_HEADS,
    MAX_NUMBER,
    MAX_SIZE,
    AddMask,
    AllowMask,
    has_values,
    position_choice,
)
from mha_core.vocabulary import (
    HEAD_BIASES,
    POSITION_CHOICES,
    SCORING,
    SCORING_CHOICES,
)
from mha_ui.notes import is_ours
from mha_ui.state import Message, Work, address, can_undo, handed_out, history_of, unsaved
from mha_view.about import about_example
from mha_view.lenses import laid_over, look
from mha_view.lenses.lens import Lens, sent
from mha_view.tables import numbers

_CHOICES: Final[dict[str, dict[str, dict[str, Any]]]] = {
    "scoring": {
        name: {"op": "scoring", "kind": choice.scoring, "scale": choice.scale}
        for name, choice in SCORING_CHOICES.items()
    },
    "positions": {
        name: {"op": "positions", "kind": choice.kind, "pairs": choice.pairs}
        for name, choice in POSITION_CHOICES.items()
    },
    "mask": {kind: {"op": "mask", "kind": kind} for kind in ("none", "causal", "painted")},
}
"""What each menu of the layer offers, and the edit that it then asks for; ``mha_view.tables.words`` names them."""


def payload(work: Work, *, lens: str | None = None) -> dict[str, Any]:
    """Everything that the bench shows, for one state of the work.

    ``lens``: what it shows besides the numbers whatever the work says, "" for nothing; the bench then offers no choice.
    ``asks``: what the browser is to ask the live channel for after an edit.
    """
    held_by, looking = address(work), work.looking
    through = _lens(work, looking.lens if lens is None else lens)
    data: dict[str, Any] = {
        "session": work.browser.session,
        "ack": work.browser.applied,
        "revision": work.history.revision,
        "opened": work.history.opened,
        "unsaved": bool(unsaved(work)),
        "start": {"first": work.browser.plain, "asked": work.browser.starts},
        "address": held_by,
        "bar": handed_out(work) or held_by,
        "history": history_of(work.history, work.browser.stored),
        "whole": None if {"s", "example"} & held_by.keys() else work.history.token,
        "pinned": looking.pinned and looking.pinned._asdict(),
        "message": _message(work.message),
        **about_example(work.trace, work.language),
        "about_ours": is_ours(work.example),
        **numbers(work.trace, work.language, looking.decimals),
        "choices": _CHOICES,
        "controls": _controls(work) | {"lens": looking.lens if lens is None else None},
        "limits": {"number": MAX_NUMBER, "size": MAX_SIZE, "heads": MAX_HEADS},
        "asks": {"lang": work.language, "about": True, "lens": through and sent(through)},
    }
    return laid_over(data, look(through, work.trace, work.language)) if through else data


def _lens(work: Work, name: str) -> Lens | None:
    """A lens with what it needs of the work; None where no change is to be seen because no baseline is pinned."""
    looking = work.looking
    base = looking.pinned_baseline
    match name:
        case "change":
            return base and Lens(name, looking.decimals, baseline=base)
        case "gradient":
            return Lens(name, looking.decimals, pinned=looking.pinned)
        case "check":
            return Lens(name, looking.decimals, exercise=work.exercise)
    return None


def _message(message: Message | None) -> dict[str, Any] | None:
    if message is None:
        return None
    offer = message.offer and message.offer._asdict()
    return {"text": message.text, "kind": message.kind, "place": message.place, "offer": offer}


def _controls(work: Work) -> dict[str, Any]:
    example = work.example
    scoring = SCORING[example.scoring]
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
        "temperature": scoring.temperature is not None,
        "is_product": scoring.is_product,
        "scoring": "scaled_dot" if example.scoring == "dot" and example.scale != "none" else example.scoring,
        "positions": position_choice(example),
        "kv_heads": example.kv_heads or len(example.heads),
        "mask": "none"
        if example.mask is None
        else "painted"
        if isinstance(example.mask, AllowMask | AddMask)
        else "causal",
    }
