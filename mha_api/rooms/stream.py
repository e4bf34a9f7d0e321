"""What a listener is sent: server-sent events, of each kind the latest alone.

    id: 7
    event: place
    data: {"walk": "…", "step": "scores", …}

First comes ``listener``, the id by which he who listens may answer while he does; not for who counts the answers. Other
kinds are ``place`` and ``question``; ``counts`` for who counts; ``end``, the last one. The id is the
room's revision: who comes back with it as ``Last-Event-ID`` is sent what is newer. A comment every 15 seconds keeps
the connection open, and tells a listener that it is.
"""

from __future__ import annotations

import asyncio
import json
from asyncio import Event
from collections.abc import AsyncIterator, Callable
from functools import lru_cache
from typing import Final

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from mha_api.rooms.store import Counts, FullError, Message, Store

SILENCE: Final = 15.0
"""Seconds after which a comment is sent."""
PAUSE: Final = 0.25
"""Seconds between two counts at least."""
MOST_COUNTED: Final = 500
"""Different answers that are counted one by one, those given most often; the rest are counted together."""
KINDS: Final = ("place", "question")
COMMENT: Final = b":\n\n"
END: Final = b"event: end\ndata: {}\n\n"


class Listening(Response):
    """The events as an answer, which takes a listener's place for as long as it lasts.

    ``listener`` and ``address``: who listens (``Store.listening``); ``full``: what is said where there is no place.
    """

    def __init__(
        self,
        store: Store,
        code: str,
        seen: int,
        *,
        listener: str | None,
        address: str,
        full: Callable[[FullError], Response],
    ) -> None:
        super().__init__()
        self._store, self._code, self._seen = store, code, seen
        self._listener, self._address, self._full = listener, address, full

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the room ends or the listener goes."""
        try:
            async with self._store.listening(self._code, self._listener, self._address) as woken:
                events = listened(self._store, self._code, woken, self._seen, self._listener)
                await StreamingResponse(events, 200, _HEADERS, "text/event-stream")(scope, receive, send)
        except FullError as error:
            await self._full(error)(scope, receive, send)


_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""No proxy is to keep events back."""


async def listened(
    store: Store, code: str, woken: Event, seen: int, listener: str | None
) -> AsyncIterator[bytes]:
    """The messages of a room that are newer than the revision ``seen``, until the room ends.

    ``woken`` is set whenever there may be something new (``Store.listening``).
    """
    counted: Counts | None = None
    yield COMMENT if listener is None else _issued(listener)  # the answer begins at once
    while True:
        woken.clear()
        latest = await store.latest(code)
        if latest is None:
            yield END
            return
        news = sorted((one.revision, kind, one) for kind, one in latest.items() if kind in KINDS)
        for revision, kind, one in news:
            if revision > seen:
                seen = revision
                yield _event(kind, one)
        if listener is None and (now := await store.counts(code)) != counted:
            counted = now
            yield _counts(now)
            await asyncio.sleep(PAUSE)
        try:
            async with asyncio.timeout(SILENCE):
                await woken.wait()
        except TimeoutError:
            yield COMMENT


@lru_cache(maxsize=256)
def _event(kind: str, message: Message) -> bytes:
    """The same bytes for everybody."""
    return f"id: {message.revision}\nevent: {kind}\ndata: {message.text}\n\n".encode()


def _issued(listener: str) -> bytes:
    return f"event: listener\ndata: {json.dumps({'listener': listener})}\n\n".encode()


def _counts(now: Counts) -> bytes:
    often = sorted(now.answers.items(), key=lambda item: (-item[1], item[0]))
    counts = {
        "listeners": now.listeners,
        "answers": dict(often[:MOST_COUNTED]),
        "others": sum(count for _, count in often[MOST_COUNTED:]),
    }
    return f"event: counts\ndata: {json.dumps(counts)}\n\n".encode()
