"""The events that a listener receives, as server-sent events; only the latest of each kind.

    id: 7
    event: place
    data: {"walk": "…", "step": "scores", …}

The first event is ``listener``, the id by which a listener may answer while listening. The kinds after it are ``place``
and ``question``, and ``end``, the last one. A stream that counts answers has ``counts`` and no ``listener``. An event's
id is the room's revision: a listener who reconnects with it as ``Last-Event-ID`` receives only what is newer. A comment
every 15 seconds keeps the connection open and shows the browser that it is.

``lost`` says that the store cannot be reached, ``back`` that it can again; ``moved`` that this server stops and that
another one continues the stream.
"""

from __future__ import annotations

import asyncio
import json
from asyncio import Event
from collections.abc import AsyncIterator, Callable, Mapping
from functools import lru_cache
from typing import Final

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from mha_api.rooms.store import Counts, FullError, LostError, Message, Store

SILENCE: Final = 15.0
"""Seconds after which a comment is sent."""
PAUSE: Final = 0.25
"""Fewest seconds between two counts."""
MOST_COUNTED: Final = 500
"""The most frequent answers are counted one by one, up to this number; the rest are counted together."""
KINDS: Final = ("place", "question")
COMMENT: Final = b":\n\n"
END: Final = b"event: end\ndata: {}\n\n"
LOST: Final = b"event: lost\ndata: {}\n\n"
BACK: Final = b"event: back\ndata: {}\n\n"
MOVED: Final = b"event: moved\ndata: {}\n\n"


class Listening(Response):
    """The stream of events as a response; it counts as a listener for as long as it lasts.

    ``listener`` and ``address``: see ``Store.listening``. ``refused``: the response where no more listeners fit, or
    the store cannot be reached.
    """

    def __init__(
        self,
        store: Store,
        code: str,
        revision: int,
        *,
        listener: str | None,
        address: str,
        refused: Callable[[FullError | LostError], Response],
    ) -> None:
        super().__init__()
        self._store, self._code, self._revision = store, code, revision
        self._listener, self._address, self._refused = listener, address, refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the room ends or the listener leaves."""
        try:
            async with self._store.listening(self._code, self._listener, self._address) as woken:
                events = events_since(self._store, self._code, woken, self._revision, self._listener)
                await StreamingResponse(events, 200, _HEADERS, "text/event-stream")(scope, receive, send)
        except (FullError, LostError) as error:
            await self._refused(error)(scope, receive, send)


_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""A proxy must not buffer events."""


async def events_since(
    store: Store, code: str, woken: Event, revision: int, listener: str | None
) -> AsyncIterator[bytes]:
    """The messages of a room that are newer than ``revision``, until the room ends.

    ``woken`` is set whenever there may be something new (``Store.listening``).
    """
    sent_counts: Counts | None = None
    is_lost = False
    yield COMMENT if listener is None else _issued(listener)  # so that the response begins at once
    while not store.moving:
        woken.clear()
        read = await _read(store, code, counts=listener is None)
        if (read is None) != is_lost:
            is_lost = read is None
            yield LOST if is_lost else BACK
        if read is not None:
            latest, counts = read
            if latest is None:
                yield END
                return
            for message, event in _newer(latest, revision):
                revision = message.revision
                yield event
            if counts and counts != sent_counts:
                sent_counts = counts
                yield _counts(counts)
                await asyncio.sleep(PAUSE)
        try:
            async with asyncio.timeout(SILENCE):
                await woken.wait()
        except TimeoutError:
            yield COMMENT
    yield MOVED


async def _read(
    store: Store, code: str, *, counts: bool
) -> tuple[Mapping[str, Message] | None, Counts | None] | None:
    """The latest messages of a room, and its counts where they are wanted; None if the store cannot be reached."""
    try:
        return await store.latest(code), await store.counts(code) if counts else None
    except LostError:
        return None


def _newer(latest: Mapping[str, Message], revision: int) -> list[tuple[Message, bytes]]:
    newer = [(latest[kind], kind) for kind in KINDS if kind in latest and latest[kind].revision > revision]
    return [(message, _event(kind, message)) for message, kind in sorted(newer)]


@lru_cache(maxsize=256)
def _event(kind: str, message: Message) -> bytes:
    """Cached, since all listeners receive the same bytes."""
    return f"id: {message.revision}\nevent: {kind}\ndata: {message.text}\n\n".encode()


def _issued(listener: str) -> bytes:
    return f"event: listener\ndata: {json.dumps({'listener': listener})}\n\n".encode()


def _counts(counts: Counts) -> bytes:
    ranked = sorted(counts.answers.items(), key=lambda item: (-item[1], item[0]))
    data = {
        "listeners": counts.listeners,
        "answers": dict(ranked[:MOST_COUNTED]),
        "others": sum(count for _, count in ranked[MOST_COUNTED:]),
    }
    return f"event: counts\ndata: {json.dumps(data)}\n\n".encode()
