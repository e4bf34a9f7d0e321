"""The current example with undo and redo, and how the browser stores them while its tab is open.

Every example of the history has a number. An answer of the page lists the numbers in order, with the texts of those
examples that the browser lacks. After a reload the browser sends everything back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, NamedTuple, TypedDict, TypeGuard

from mha_core import Example, MhaError, Trace, library, trace
from mha_core.example.share_link import packed, unpacked

UNDO_STEPS: Final = 100
MOST_STORED: Final = 1_000_000
"""Most characters that a browser stores and may send back: web/explore/editing/history.js says the same."""
_BROKEN: Final = (MhaError, AttributeError, IndexError, KeyError, TypeError, ValueError)


class Version(NamedTuple):
    """One step of the history: the example, what reset returns it to, and its name if it is built in."""

    example: Example
    origin: Example
    name: str | None


@dataclass(frozen=True, eq=False)
class History:
    """The current example, computed, and the versions before and after it.

    ``origin`` is what reset returns to, ``name`` the origin's name if it is built in. ``past`` and ``future`` both end
    with the version next to the current one. ``revision`` counts the examples shown, ``opened`` the origins.
    ``numbers``: by the id of each example in the history, its number in the browser, and the example.
    """

    trace: Trace
    origin: Example
    name: str | None
    past: tuple[Version, ...] = ()
    future: tuple[Version, ...] = ()
    revision: int = 0
    opened: int = 0
    numbers: Mapping[int, tuple[int, Example]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Number the new examples, and drop the numbers of those that are no longer in the history."""
        examples = {id(example): example for version in self.versions for example in version[:2]}
        before = self.numbers
        last = max((number for number, _ in before.values()), default=0)
        new = [key for key in examples if key not in before]
        added = {key: (last + count, examples[key]) for count, key in enumerate(new, 1)}
        object.__setattr__(self, "numbers", {key: before.get(key) or added[key] for key in examples})

    @property
    def example(self) -> Example:
        """The current example."""
        return self.trace.example

    @property
    def version(self) -> Version:
        """What undo returns to after the next edit."""
        return Version(self.example, self.origin, self.name)

    @property
    def versions(self) -> tuple[Version, ...]:
        """Every version that undo and redo lead to, the oldest first; the current one is among them."""
        return (*self.past, self.version, *reversed(self.future))

    @cached_property
    def token(self) -> str:
        """The current example as a token of any length, made once for many links."""
        return packed(self.example)


def begun(example: Example, name: str | None = None) -> History:
    """The history of an example with nothing to undo. Raises ``NumberRangeError`` as ``trace`` does."""
    return History(trace(example), example, name)


def shown(
    history: History, version: Version, past: tuple[Version, ...], future: tuple[Version, ...]
) -> History:
    """The history with this version as the current one. Raises ``NumberRangeError`` as ``trace`` does."""
    return replace(
        history,
        trace=trace(version.example, history.trace.backend),
        origin=version.origin,
        name=version.name,
        past=past,
        future=future,
        revision=history.revision + 1,
        opened=history.opened + (version.origin is not history.origin),
    )


def added(history: History, version: Version) -> History:
    """The history with a version as a new step."""
    return shown(history, version, (*history.past[-UNDO_STEPS + 1 :], history.version), ())


def travelled(history: History, to: int) -> History:
    """The history at another place, counted from the oldest; unchanged where there is no such place."""
    versions = history.versions
    if not 0 <= to < len(versions):
        return history
    return shown(history, versions[to], versions[:to], versions[:to:-1])


# --- as the browser stores it ------------------------------------------------------------------------------------


class HistoryState(TypedDict):
    """The history as the browser stores it, by numbers of ``examples``; ``at``: the place of the current one.

    A start is a place in the history, the number of the example that reset returns to from there on, and that example's
    name if it is built in. A text belongs to the example of this number.
    """

    examples: Sequence[int]
    at: int
    starts: Sequence[tuple[int, int, str | None]]
    texts: Sequence[tuple[int, str]]


def history_of(history: History, stored: int) -> HistoryState:
    """The history as the browser is sent it, with the texts of examples after number ``stored``, the last it has.

    The text of the example that is shown is left out, since it is in the address.
    """
    numbers = {key: number for key, (number, _) in history.numbers.items()}
    starts: list[tuple[int, int, str | None]] = []
    for place, (_, origin, name) in enumerate(history.versions):
        if not starts or starts[-1][1:] != (numbers[id(origin)], name):
            starts.append((place, numbers[id(origin)], name))
    known = {numbers[id(history.example)]}
    texts: list[tuple[int, str]] = []
    for version in history.versions:
        for example in (version.example, version.origin):
            number = numbers[id(example)]
            if number > stored and number not in known:
                known.add(number)
                texts.append((number, _text(example, version.name)))
    return {
        "examples": [numbers[id(version.example)] for version in history.versions],
        "at": len(history.past),
        "starts": starts,
        "texts": texts,
    }


def recalled(history: History, stored: object, *, leads_further: bool = False) -> History:
    """The history that a browser stored, if its current example is the one that this history began with.

    ``leads_further``: this history may also have begun a step later. What has been done since then stays. Anything that
    is not such a history is ignored.
    """
    try:
        versions, at = _read(stored)
    except _BROKEN:
        return history
    first, *since = history.versions
    last = versions[at]
    is_further = last.example != first.example
    if is_further and not leads_further:
        return history

    is_opened = is_further and first.name is not None  # an example was opened since

    def continued(version: Version) -> Version:
        is_same = version.origin is first.origin and not is_opened
        return Version(version.example, last.origin, last.name) if is_same else version

    now = continued(history.version)
    future = tuple(map(continued, history.future)) if since or is_further else tuple(versions[:at:-1])
    return replace(
        history,
        origin=now.origin,
        name=now.name,
        past=(*versions[: at + is_further], *map(continued, history.past))[-UNDO_STEPS:],
        future=future,
        revision=history.revision + 1,
        opened=history.opened + 1,
    )


def is_whole(value: object) -> TypeGuard[int]:
    """Whether this is an integer, which True is not."""
    return isinstance(value, int) and not isinstance(value, bool)


def _text(example: Example, name: str | None) -> str:
    """A built-in's name, or the example as a token, which begins with a digit."""
    return name if name is not None and example == library()[name] else packed(example)


def _read(stored: object) -> tuple[list[Version], int]:
    """The versions that a browser stored, and which of them it showed. Raises one of ``_BROKEN`` if malformed."""
    if not isinstance(stored, Mapping):
        raise TypeError
    texts, at = dict(stored["texts"]), stored["at"]
    size = sum(len(text) for text in texts.values())
    if size > MOST_STORED or len(stored["examples"]) > 2 * UNDO_STEPS or not is_whole(at) or at < 0:
        raise ValueError
    examples = {
        number: library()[text] if text in library() else unpacked(text) for number, text in texts.items()
    }
    starts = {place: (examples[origin], name) for place, origin, name in stored["starts"]}
    if any(name is not None and name not in library() for _, name in starts.values()):
        raise ValueError
    history, start = [], starts[0]
    for place, number in enumerate(stored["examples"]):
        start = starts.get(place, start)
        history.append(Version(examples[number], *start))
    if at >= len(history):
        raise ValueError
    return history, at
