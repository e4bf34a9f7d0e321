"""What the live channel answers while a number is dragged: what only the server can say, an example and edits in.

The browser itself works out the numbers. It sends text, one JSON object a message, and waits for the answer before it
sends the next:

    {"id": 7, "from": {"s": TOKEN} or {"example": NAME} or 4, "edits": […], "lang": "en",
     "lens": {"name": "gradient", …} or 5, "figures": {"names": ["weights"], "theme": "light", "query": 0}}

- ``from``: the example that is edited: an address, or the ``id`` of an earlier answer on this socket.
- ``edits``: as the page applies them (``mha_core.edit``).
- ``lens``: what the tables show besides their numbers (``mha_view.lenses``), in the form in which the page received it
  under ``asks``; or the ``id`` of the answer to the last message that had a lens.
- ``figures``: the pictures to draw.
- ``quiet``: only prepare the example and the lens; send nothing.

The answer is ``{"id": 7}``, with ``seen``, what the lens shows, where it was requested. Pictures follow in a second
message, ``{"id": 7, "figures": {…}}``. An error is ``{"id": 7, "error": "one sentence"}``. If what ``from`` or ``lens``
refers to is no longer stored, the answer is ``{"id": 7, "gone": true}``; the browser then sends an address as ``from``,
and the lens itself.

The server stores only the last few answers of each open socket, and its lens. The page's own answer to the same edits
shows the same; the history, the address and files are made from that one.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple, NotRequired, TypeAlias, TypedDict, TypeGuard

from mha_core import Example, MhaError, Trace, built_in, trace
from mha_core.edit.edit import SetBlock, SetScale, read_edit
from mha_core.edit.removed import edited
from mha_core.errors import N_, ExampleError
from mha_core.example.decoding import decoded
from mha_core.example.share_link import unpacked
from mha_view.figures import FIGURES
from mha_view.figures.figure import Drawn
from mha_view.language import LANGUAGES, words_in
from mha_view.lenses import look
from mha_view.lenses.lens import Lens
from mha_view.lenses.lens import read as read_lens
from mha_view.palette import Theme
from mha_view.payloads import Seen

LOG: Final = logging.getLogger(__name__)

MAX_MESSAGE: Final = 1_000_000
"""Characters of a message: the largest example that can be edited, which no link holds, or a pasted matrix."""
MAX_EDITS: Final = 1_000
MAX_SECONDS: Final = 2
"""How long the edits of one message may take."""
LIGHT: Final = 20_000
"""The largest light message (``is_light``), in characters and in cells of the example × edits."""
LEAST_CELLS: Final = 1_000
"""An edit of a smaller example takes as long as one of this many cells."""


class LiveAnswer(TypedDict):
    """The live channel's answer; ``seen``: what the lens shows, where there is one."""

    id: int
    seen: NotRequired[Seen]


class LivePictures(TypedDict):
    """The pictures that a message of the live channel asked for, by name."""

    id: int
    figures: Mapping[str, Drawn]


class LiveRefusal(TypedDict):
    """Why the live channel refuses a message, in a sentence."""

    id: int
    error: str


class LiveGone(TypedDict):
    """The live channel no longer has what a message starts from."""

    id: int
    gone: Literal[True]


LiveMessage: TypeAlias = LiveAnswer | LivePictures | LiveRefusal | LiveGone


class LiveRequest(NamedTuple):
    """A message from the browser, checked."""

    id: int
    base: Mapping[str, str] | int
    edits: Sequence[Mapping[str, object]]
    quiet: bool
    language: str
    lens: Mapping[str, object] | int | None
    figures: Mapping[str, object]


class GoneError(Exception):
    """A message refers to an earlier answer that is no longer stored."""


class Channel:
    """One socket's answers: ``answer(text)`` and ``pictures()`` are pure functions of the messages so far."""

    def __init__(self) -> None:
        self._stored: dict[int, Trace] = {}
        self._lens: tuple[int, Lens] | None = None
        self.drawing: LiveRequest | None = None
        """The message whose pictures have not been drawn yet."""

    def is_light(self, text: str) -> bool:
        """Whether the answer takes a few milliseconds at most; decided before anything is computed.

        The work is the cells of the example, once for each edit and once for its trace. So the example must be one of
        the last answers, and no edit may change its size. A lens is never light, since it may have to search.
        """
        if len(text) > LIGHT:
            return False
        try:
            request = read(text)
        except MhaError:
            return True  # its answer is a sentence
        if (
            request.lens is not None
            or not isinstance(request.base, int)
            or not all(map(_keeps_size, request.edits))
        ):
            return False
        stored = self._stored.get(request.base)
        return (1 + len(request.edits)) * max(LEAST_CELLS, stored.cells if stored else 0) <= LIGHT

    def answer(self, text: str) -> str:
        """The answer to one message. A wrong message is answered in one sentence and changes nothing."""
        self.drawing = None
        return self._answer(text)

    def pictures(self) -> str:
        """The pictures that the last message requested, if ``drawing`` is set. Call ``answer`` first."""
        request, self.drawing = self.drawing, None
        pictures: dict[str, Drawn] = {}
        try:
            if request:
                pictures = figures(self._stored[request.id], request)
        except Exception:
            LOG.exception("a picture of the live channel could not be drawn")
        return _written({"id": request.id if request else 0, "figures": pictures})

    def _answer(self, text: str) -> str:
        number, language = 0, LANGUAGES[0]
        try:
            request = read(text)
            number, language = request.id, request.language
            return _written(self._computed(request))
        except GoneError:
            return _written({"id": number, "gone": True})
        except MhaError as error:
            return _written({"id": number, "error": error.sentence(words_in(language))})
        except Exception:
            LOG.exception("a message of the live channel failed")
            return _written({"id": number, "error": words_in(language)(_FAILED)})

    def _computed(self, request: LiveRequest) -> LiveAnswer:
        base = (
            self._stored_trace(request.base)
            if isinstance(request.base, int)
            else trace(example_at(request.base))
        )
        history = [base.example]
        deadline = time.monotonic() + MAX_SECONDS
        for edit in request.edits:
            if time.monotonic() > deadline:
                raise ExampleError(
                    N_("these edits take more than {most} seconds"), place="edits", most=MAX_SECONDS
                )
            example = edited(history, read_edit(edit))
            if example != history[-1]:  # the page does not count −0 in place of 0 as an edit either
                history.append(example)
        now = base if len(history) == 1 else trace(history[-1])
        lens = self._lens_of(request)
        answer: LiveAnswer = {"id": request.id}
        if lens and not request.quiet:
            answer["seen"] = look(lens, now, request.language)
        self._stored = ({request.base: base} if isinstance(request.base, int) else {}) | {request.id: now}
        if lens and isinstance(request.lens, Mapping):
            self._lens = request.id, lens
        self.drawing = request if request.figures and not request.quiet else None
        return answer

    def _lens_of(self, request: LiveRequest) -> Lens | None:
        """The lens of a message: a new one, or the last one of this socket."""
        if not isinstance(request.lens, int):
            return None if request.lens is None else read_lens(request.lens)
        if self._lens is None or self._lens[0] != request.lens:
            raise GoneError
        return self._lens[1]

    def _stored_trace(self, number: int) -> Trace:
        if number not in self._stored:
            raise GoneError
        return self._stored[number]


def _written(message: LiveMessage) -> str:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def figures(computed: Trace, request: LiveRequest) -> dict[str, Drawn]:
    """The requested pictures that this example has and that are quick to draw, by name, as plain Plotly data."""
    wanted = request.figures
    theme: Theme = "dark" if wanted.get("theme") == "dark" else "light"
    query, last = wanted.get("query"), len(computed.example.tokens) - 1
    chosen = min(query, last) if _is_index(query) else 0
    pictures: dict[str, Drawn] = {}
    for name, picture in FIGURES.items():
        if picture.is_live and name in _list(wanted.get("names")) and picture.available(computed):
            figure = picture.build(computed, theme=theme, words=words_in(request.language), query=chosen)
            pictures[name] = figure.drawn
    return pictures


# --- messages ----------------------------------------------------------------------------------------------------


def read(text: str) -> LiveRequest:
    """A message. Raises ``ExampleError`` for an invalid one."""
    if len(text) > MAX_MESSAGE:
        raise ExampleError(N_("a message can have at most {most} characters"), most=MAX_MESSAGE)
    try:
        data: object = decoded(text)
    except ExampleError:
        raise
    except (ValueError, RecursionError):
        raise ExampleError(N_("this message is not valid JSON")) from None
    if not isinstance(data, dict) or not _is_index(data.get("id")):
        raise ExampleError(N_("a message must be an object with an id, a whole number from 0 up"))
    base = data.get("from")
    if not _is_index(base) and not _is_address(base):
        raise ExampleError(N_("expected an address or the id of an answer"), place="from")
    edits = _list(data.get("edits"))
    if len(edits) > MAX_EDITS or not _are_objects(edits):
        raise ExampleError(N_("expected at most {most} edits, each an object"), place="edits", most=MAX_EDITS)
    language, pictures, lens = data.get("lang"), data.get("figures"), data.get("lens")
    if lens is not None and not _is_index(lens) and not isinstance(lens, dict):
        raise ExampleError(N_("expected a lens or the id of an answer"), place="lens")
    return LiveRequest(
        id=data["id"],
        base=base,
        edits=edits,
        quiet=data.get("quiet") is True,
        language=language if language in LANGUAGES else LANGUAGES[0],
        lens=lens,
        figures=pictures if isinstance(pictures, dict) else {},
    )


def _keeps_size(data: Mapping[str, object]) -> bool:
    """Whether this is an edit that only writes numbers into an example."""
    try:
        edit = read_edit(data)
    except MhaError:
        return False  # the edits before it still have to be computed
    return isinstance(edit, SetScale) or (isinstance(edit, SetBlock) and not edit.grow)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _are_objects(values: list[object]) -> TypeGuard[list[Mapping[str, object]]]:
    return all(isinstance(value, dict) for value in values)


def _is_index(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _is_address(value: object) -> TypeGuard[Mapping[str, str]]:
    return isinstance(value, dict) and isinstance(value.get("s", value.get("example")), str)


def example_at(address: Mapping[str, str]) -> Example:
    """The example of an address. Raises ``MhaError`` as ``unpacked`` and ``built_in`` do."""
    if "s" in address:
        return unpacked(address["s"])
    return built_in(address["example"])


_FAILED: Final = N_("Something went wrong. Details are in the server's log.")
