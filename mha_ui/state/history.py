"""The history as the browser keeps it while its tab is open, so that undo and redo survive a reload.

Every example of the history has a number. An answer of the page names them all, in order, and brings the texts of those
that the browser lacks; after a reload the browser sends everything back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mha_core import Example, MhaError, library
from mha_core.example.share_link import packed, unpacked
from mha_ui.state.work import UNDO_STEPS, Version, Work, is_whole, versions

MOST_KEPT: Final = 1_000_000
"""Most characters that a browser keeps and may send back: web/explore/editing/history.js says the same."""
_BROKEN: Final = (MhaError, AttributeError, IndexError, KeyError, TypeError, ValueError)


def history_of(current: Work) -> dict[str, Any]:
    """The history by numbers: ``examples``, ``at`` which one the page shows, and the ``starts`` of its versions.

    A start is a place in the history, the number of the example that reset returns to from there on, and the built-in
    that it is, if one. ``texts``: those that the browser lacks, but for the one shown, which is in the address.
    """
    history = versions(current)
    numbers = _number(current, history)
    starts: list[tuple[int, int, str | None]] = []
    for place, (_, origin, name) in enumerate(history):
        if not starts or starts[-1][1:] != (numbers[id(origin)], name):
            starts.append((place, numbers[id(origin)], name))
    known = {numbers[id(current.example)]}
    texts = []
    for version in history:
        for example in (version.example, version.origin):
            number = numbers[id(example)]
            if number > current.held and number not in known:
                known.add(number)
                texts.append((number, _text(example, version.name)))
    return {
        "examples": [numbers[id(version.example)] for version in history],
        "at": len(current.past),
        "starts": starts,
        "texts": texts,
    }


def recall(current: Work, kept: object) -> None:
    """Take up the history that a browser kept, where it stood at the example that this session began with.

    What has been done since stays. Anything that is not such a history is passed over.
    """
    try:
        history, at = _read(kept)
    except _BROKEN:
        return
    first, *since = versions(current)
    here = history[at]
    if here.example != first.example:
        return

    def continued(version: Version) -> Version:
        is_same = version.origin is first.origin
        return Version(version.example, here.origin, here.name) if is_same else version

    current.origin, current.name = continued(current.version)[1:]
    current.past = [*history[:at], *map(continued, current.past)][-UNDO_STEPS:]
    current.future = [continued(version) for version in current.future] if since else history[:at:-1]
    current.revision += 1
    current.opened += 1


def _number(current: Work, history: list[Version]) -> dict[int, int]:
    """Each example's number by its id, which no other has while the work holds it; new ones are numbered on."""
    held = {id(example): example for version in history for example in version[:2]}
    before = current.numbers
    last = max((number for number, _ in before.values()), default=0)
    new = [key for key in held if key not in before]
    fresh = {key: (last + count, held[key]) for count, key in enumerate(new, 1)}
    current.numbers = {key: before.get(key) or fresh[key] for key in held}
    return {key: number for key, (number, _) in current.numbers.items()}


def _text(example: Example, name: str | None) -> str:
    """A built-in's name, or the example as a token, which begins with a digit."""
    return name if name is not None and example == library()[name] else packed(example)


def _read(kept: object) -> tuple[list[Version], int]:
    """The versions that a browser kept, and which of them it showed. Raises one of ``_BROKEN`` for what is none."""
    if not isinstance(kept, Mapping):
        raise TypeError
    texts, at = dict(kept["texts"]), kept["at"]
    size = sum(len(text) for text in texts.values())
    if size > MOST_KEPT or len(kept["examples"]) > 2 * UNDO_STEPS or not is_whole(at) or at < 0:
        raise ValueError
    examples = {
        number: library()[text] if text in library() else unpacked(text) for number, text in texts.items()
    }
    starts = {place: (examples[origin], name) for place, origin, name in kept["starts"]}
    if any(name is not None and name not in library() for _, name in starts.values()):
        raise ValueError
    history, start = [], starts[0]
    for place, number in enumerate(kept["examples"]):
        start = starts.get(place, start)
        history.append(Version(examples[number], *start))
    if at >= len(history):
        raise ValueError
    return history, at
