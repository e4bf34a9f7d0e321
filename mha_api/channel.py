"""What the live channel answers: an example and edits in, the numbers that change out.

The browser sends text, one JSON object a message, and waits for its answer before it sends the next:

    {"id": 7, "from": {"s": TOKEN} or {"example": NAME} or 4, "edits": […], "since": 6, "lang": "en",
     "about": true, "lens": {"name": "gradient", …} or 5,
     "figures": {"names": ["weights"], "theme": "light", "query": 0}}

``from`` is the example that the edits (``mha_core.edit``, as the page applies them) are made to: an address, or the
``id`` of an answer on this socket. ``since`` is the answer whose numbers the page shows now; without it all numbers
come, and with ``"numbers": false`` none. ``about`` asks for the sentences above the bench, ``lens`` for what the
tables show besides the numbers (``mha_view.lenses``): which one, as the page was given it in ``asks``, or the ``id`` of
the last answer that was given it. ``figures`` asks for pictures. ``quiet`` asks for nothing: example and lens are only
got ready. The answer is a binary message, little-endian:

    uint32 length of the header · the header, JSON · spaces up to a multiple of 8 bytes · float64 numbers

Header: ``{"id": 7, "blocks": [[name, head, first row, rows, columns], …]}``, in the order of the numbers, with
``dead``, ``shifts``, ``constants`` and ``captions`` where they differ from those of ``since``; ``about``, where each
head ``looks`` and ``seen``, what the lens shows, where they were asked for. Pictures follow in a message of their own,
``{"id": 7, "figures": {…}}``, so that no number waits for them. Or ``{"id": 7, "error": "one sentence"}``. Or
``{"id": 7, "gone": true}``: what ``from``, ``since`` or ``lens`` names is no longer at hand, and ``from`` must be an
address, ``lens`` the lens itself.

The server keeps nothing but the last few answers of each open socket, and its lens. The page's own answer to the same
edits holds the same numbers, bit for bit, and stands for the history, the address and the files.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeGuard

from mha_api.changes import changes, laid_out
from mha_api.message import LiveAnswer, LiveMessage, framed
from mha_core import Example, MhaError, Trace, built_in, trace
from mha_core.edit.edit import SetBlock, SetScale, read_edit
from mha_core.edit.removed import edited
from mha_core.errors import N_, ExampleError
from mha_core.example.decoding import decoded
from mha_core.example.share_link import unpacked
from mha_view.about import about_example
from mha_view.figures import FIGURES
from mha_view.figures.figure import Drawn
from mha_view.language import LANGUAGES, words_in
from mha_view.lenses import look
from mha_view.lenses.lens import Lens
from mha_view.lenses.lens import read as read_lens
from mha_view.palette import Theme
from mha_view.tables import captions, constants

LOG: Final = logging.getLogger(__name__)

MAX_MESSAGE: Final = 1_000_000
"""Characters of a message: the largest example that can be edited, which no link holds, or a pasted matrix."""
MAX_EDITS: Final = 1_000
MAX_SECONDS: Final = 2
"""How long the edits of one message may take."""
LIGHT: Final = 20_000
"""Up to here an answer takes no time: characters of its message, and cells of its example × edits (``is_light``)."""
LEAST_CELLS: Final = 1_000
"""Cells whose computing takes as long as what any edit takes, however small the example is."""


class Asked(NamedTuple):
    """A message that was read."""

    id: int
    base: Mapping[str, str] | int
    edits: list[Mapping[str, Any]]
    since: int | None
    quiet: bool
    numbers: bool
    about: bool
    language: str
    lens: Mapping[str, Any] | int | None
    figures: Mapping[str, Any]


class GoneError(Exception):
    """An earlier answer is asked for that is no longer at hand."""


class Channel:
    """One socket's answers: ``answer(text)`` is a pure function of the messages so far, and so is ``pictures()``."""

    def __init__(self) -> None:
        self._kept: dict[int, Trace] = {}
        self._lens: tuple[int, Lens] | None = None
        self.drawing: Asked | None = None
        """The message whose pictures are still to be drawn."""

    def is_light(self, text: str) -> bool:
        """Whether the answer to a message takes no time: a few milliseconds, before any of it is computed.

        What takes time is work: the cells of the example, once for each edit and once for the numbers. So the example
        must be one of the last answers, and no edit may change its size. A lens may have to search.
        """
        if len(text) > LIGHT:
            return False
        try:
            asked = read(text)
        except MhaError:
            return True  # it gets a sentence
        if asked.lens is not None or not isinstance(asked.base, int) or not all(map(_is_steady, asked.edits)):
            return False
        cells = [self._kept[at].cells for at in (asked.base, asked.since) if at in self._kept]
        return (1 + len(asked.edits)) * max([LEAST_CELLS, *cells]) <= LIGHT

    def answer(self, text: str) -> bytes:
        """The answer to one message; whatever is wrong with it is answered in one sentence, and changes nothing."""
        self.drawing = None
        return self._answer(text)

    def pictures(self) -> bytes:
        """The pictures that the last message asked for, where ``drawing`` says that it did; it is answered before."""
        asked, self.drawing = self.drawing, None
        drawn: dict[str, Drawn] = {}
        try:
            if asked:
                drawn = figures(self._kept[asked.id], asked)
        except Exception:
            LOG.exception("a picture of the live channel could not be drawn")
        return _framed({"id": asked.id if asked else 0, "figures": drawn})

    def _answer(self, text: str) -> bytes:
        number, language = 0, LANGUAGES[0]
        try:
            asked = read(text)
            number, language = asked.id, asked.language
            return self._computed(asked)
        except GoneError:
            return _framed({"id": number, "gone": True})
        except MhaError as error:
            return _framed({"id": number, "error": error.sentence(words_in(language))})
        except Exception:
            LOG.exception("a message of the live channel failed")
            return _framed({"id": number, "error": words_in(language)(_FAILED)})

    def _computed(self, asked: Asked) -> bytes:
        shown = None if asked.since is None else self._at(asked.since)
        base = self._at(asked.base) if isinstance(asked.base, int) else trace(opened(asked.base))
        history = [base.example]
        until = time.monotonic() + MAX_SECONDS
        for edit in asked.edits:
            if time.monotonic() > until:
                raise ExampleError(
                    N_("these edits take longer than {most} seconds"), place="edits", most=MAX_SECONDS
                )
            example = edited(history, read_edit(edit))
            if example != history[-1]:  # −0 in place of 0 is no edit to the page either
                history.append(example)
        now = base if len(history) == 1 else trace(history[-1])
        lens = self._looked_through(asked)
        answer = _framed({"id": asked.id}) if asked.quiet else _packed_answer(asked, shown, now, lens)
        needed = {at: self._kept[at] for at in (asked.base, asked.since) if isinstance(at, int)}
        self._kept = needed | {asked.id: now}
        if lens and isinstance(asked.lens, Mapping):
            self._lens = asked.id, lens
        self.drawing = asked if asked.figures and not asked.quiet else None
        return answer

    def _looked_through(self, asked: Asked) -> Lens | None:
        """The lens that a message asks for: a new one, or the last one that was asked for by this socket."""
        if not isinstance(asked.lens, int):
            return None if asked.lens is None else read_lens(asked.lens)
        if self._lens is None or self._lens[0] != asked.lens:
            raise GoneError
        return self._lens[1]

    def _at(self, number: int) -> Trace:
        if number not in self._kept:
            raise GoneError
        return self._kept[number]


def _packed_answer(asked: Asked, shown: Trace | None, now: Trace, lens: Lens | None) -> bytes:
    """The answer to a message about a computation, to who shows another one, or none."""
    header: LiveAnswer = {"id": asked.id}
    numbers = b""
    if asked.numbers:
        header["blocks"], numbers = laid_out(list(changes(shown, now)))
        _mark(header, shown, now)
    if asked.about:
        said = about_example(now, asked.language)
        header["about"], header["looks"] = said["about"], said["looks"]
    if lens:
        header["seen"] = look(lens, now, asked.language)
    return _framed(header, numbers)


def _framed(header: LiveMessage, numbers: bytes = b"") -> bytes:
    return framed(header, numbers)


def _mark(header: LiveAnswer, shown: Trace | None, now: Trace) -> None:
    """Put in what the browser marks in the tables besides their numbers, as far as it is not as it was."""
    dead, constants_now = _dead(now), constants(now.example)
    if shown is None or dead != _dead(shown):
        header["dead"] = dead
    if shown is None or now.shifts != shown.shifts:
        header["shifts"] = now.shifts
    if shown is None or constants_now != constants(shown.example):
        header["constants"] = constants_now
    if shown is None or _captioned(shown) != _captioned(now):
        header["captions"] = captions(now.example)


def _dead(computed: Trace) -> tuple[tuple[bool, ...], ...] | None:
    return computed.fully_masked if computed.example.mask is not None else None


def _captioned(computed: Trace) -> tuple[Any, ...]:
    """What the captions depend on."""
    return computed.example.scale, computed.steps


def figures(computed: Trace, asked: Asked) -> dict[str, Drawn]:
    """The pictures asked for that this example has and that are drawn in no time, by name, as plain Plotly data."""
    wanted = asked.figures
    theme: Theme = "dark" if wanted.get("theme") == "dark" else "light"
    query, last = wanted.get("query"), len(computed.example.tokens) - 1
    chosen = min(query, last) if _is_index(query) else 0
    drawn: dict[str, Drawn] = {}
    for name, picture in FIGURES.items():
        if picture.is_live and name in _list(wanted.get("names")) and picture.available(computed):
            figure = picture.build(computed, theme=theme, words=words_in(asked.language), query=chosen)
            drawn[name] = figure.drawn
    return drawn


# --- messages ----------------------------------------------------------------------------------------------------


def read(text: str) -> Asked:
    """A message. Raises ``ExampleError`` where it is none."""
    if len(text) > MAX_MESSAGE:
        raise ExampleError(N_("a message has at most {most} characters"), most=MAX_MESSAGE)
    try:
        data = decoded(text)
    except ExampleError:
        raise
    except (ValueError, RecursionError):
        raise ExampleError(N_("this message is no JSON")) from None
    if not isinstance(data, dict) or not _is_index(data.get("id")):
        raise ExampleError(N_("a message is an object with an id, a whole number from 0 on"))
    base, edits, since = data.get("from"), _list(data.get("edits")), data.get("since")
    if not _is_index(base) and not _is_address(base):
        raise ExampleError(N_("expected an address or the id of an answer"), place="from")
    if since is not None and not _is_index(since):
        raise ExampleError(N_("expected the id of an answer"), place="since")
    if len(edits) > MAX_EDITS or not all(isinstance(edit, dict) for edit in edits):
        raise ExampleError(N_("expected at most {most} edits, each an object"), place="edits", most=MAX_EDITS)
    language, pictures, lens = data.get("lang"), data.get("figures"), data.get("lens")
    if lens is not None and not _is_index(lens) and not isinstance(lens, dict):
        raise ExampleError(N_("expected a lens or the id of an answer"), place="lens")
    return Asked(
        id=data["id"],
        base=base,
        edits=edits,
        since=since,
        quiet=data.get("quiet") is True,
        numbers=data.get("numbers") is not False,
        about=data.get("about") is True,
        language=language if language in LANGUAGES else LANGUAGES[0],
        lens=lens,
        figures=pictures if isinstance(pictures, dict) else {},
    )


def _is_steady(data: Mapping[str, Any]) -> bool:
    """Whether this is an edit that writes numbers into an example and keeps its size."""
    try:
        edit = read_edit(data)
    except MhaError:
        return False  # the edits before it are made all the same
    return isinstance(edit, SetScale) or (isinstance(edit, SetBlock) and not edit.grow)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_index(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _is_address(value: object) -> TypeGuard[Mapping[str, str]]:
    return isinstance(value, dict) and isinstance(value.get("s", value.get("example")), str)


def opened(address: Mapping[str, str]) -> Example:
    """The example of an address. Raises ``MhaError`` as ``unpacked`` and ``built_in`` do."""
    if "s" in address:
        return unpacked(address["s"])
    return built_in(address["example"])


_FAILED: Final = N_("Something unexpected happened; the details are in the server's log.")
