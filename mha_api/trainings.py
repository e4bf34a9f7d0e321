"""``/api/train``, the websocket of the page Train: a training as it runs, and what can be asked of its model.

The browser sends text, one JSON object a message, and bytes, which are parts of a file that it wants to open:

    {"id": 6, "do": "again"}                                        whether the training of this ticket is here
    {"id": 7, "do": "open", "key": "induction"}                     a ready-made recording
    {"id": 8, "do": "start", "task", "settings", "lines", "steps"}  a new training; an earlier one ends
    {"id": 9, "do": "more", "steps"}                                so many further steps
    {"do": "pause"}, "resume", "step", "stop"; {"do": "language", "lang": "zh"}
    {"id": 10, "do": "say", "step", "prompt", "off"}                an answer, token by token
    {"id": 11, "do": "without", "step", "off"}                      what is right with heads switched off
    {"id": 15, "do": "swap", "step", "heads"}                       what is right with two heads swapped
    {"id": 12, "do": "example", "step", "layer", "head"}            an attention as an example file, a head with a goal
    {"id": 16, "do": "judge", "step"}                               whether a model reaches the exercise's goal
    {"id": 17, "do": "size", "task", "settings", "lines"}           how many numbers such a model would learn
    {"id": 13, "do": "save", "light": true}                         a file, here without its recordings
    {"id": 14, "do": "file"}                                        open the file that was sent

An answer is ``{"id": 7, …}``, or ``{"id": 7, "error": "one sentence", "place": …}``; a file comes before it, in binary
messages whose header has its ``part``. Steps and maps come without being asked for, as binary messages, and so does
``{"state": …}`` (``training_session``).

A socket has one training at most. When it closes, the training's process ends, unless the page has a ticket: a random
text in the socket's address, ``?ticket=…``. Then the training goes on for ``KEPT`` seconds, and a socket with that
ticket is sent everything once more. Where a page shows that training already, its socket is closed with ``TAKEN``.
"""

from __future__ import annotations

import json
import logging
import re
from asyncio import TimerHandle, get_running_loop
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Final

from anyio import CancelScope, create_task_group, sleep, to_thread
from starlette.websockets import WebSocket, WebSocketDisconnect

from mha_api import ready
from mha_api.headers import same_origin
from mha_api.turns import in_turn
from mha_core.errors import N_, MhaError
from mha_core.messages import language_of
from mha_view.language import words_in

if TYPE_CHECKING:
    from mha_api.training_session import Session

LOG: Final = logging.getLogger(__name__)
MAX_SOCKETS: Final = 500
MAX_MESSAGE: Final = 200_000
"""Characters of a message: 500 own lines of 16 words on each side."""
KEPT: Final = 120.0
"""Seconds in which a page may come back to its training."""
TAKEN: Final = 4001
"""Why a socket is closed: another page shows its training now."""
_TICKET: Final = re.compile("[0-9a-f]{32}")
EVERY: Final = 0.1
"""Seconds between two looks at what the training has sent."""

_OF_A_MODEL: Final = ("say", "without", "swap", "example", "judge", "save", "more")
"""These need the model of a step; the last two that of the newest."""

_open: set[int] = set()


@dataclass(eq=False)
class _Seat:
    """A page's session. ``socket``: None while the page is closed."""

    session: Session
    socket: WebSocket | None
    ticket: str
    ending: TimerHandle | None = None


_seats: dict[str, _Seat] = {}
"""By ticket."""


async def train(socket: WebSocket) -> None:
    """Serve one page until it closes."""
    is_same = same_origin(socket.headers)
    if not is_same or len(_open) >= MAX_SOCKETS:
        await socket.close(1013 if is_same else 1008)
        return
    await socket.accept()
    _open.add(id(socket))
    try:
        await ready.imported()
        seat = await _seated(socket)
        try:
            await _served(socket, seat)
        finally:
            with CancelScope(shield=True):  # the process ends even where this socket is cancelled
                await _leave(seat, socket)
    finally:
        _open.discard(id(socket))


async def _seated(socket: WebSocket) -> _Seat:
    """The seat of this page's ticket, or a new one."""
    from mha_api.training_session import Session  # noqa: PLC0415  # it imports torch, as in ``live``

    language, ticket = (
        language_of(socket.query_params.get("lang") or ""),
        socket.query_params.get("ticket", ""),
    )
    seat = _seats.get(ticket)
    if seat is None:
        seat = _Seat(Session(language), socket, ticket)
        if _TICKET.fullmatch(ticket):
            _seats[ticket] = seat
        return seat
    other, seat.socket = seat.socket, socket
    seat.session.show_again(language)
    if seat.ending:
        seat.ending.cancel()
    if other:
        with suppress(RuntimeError):  # it has just closed
            await other.close(TAKEN)
    return seat


async def _leave(seat: _Seat, socket: WebSocket) -> None:
    """End the training, or wait for the page to come back; nothing where another page shows it."""
    if seat.socket is not socket:
        return
    seat.socket = None
    if seat.session.is_training and seat.ticket in _seats:
        seat.ending = get_running_loop().call_later(KEPT, _end, seat)
    else:
        _seats.pop(seat.ticket, None)
        await to_thread.run_sync(seat.session.close)


def _end(seat: _Seat) -> None:
    del _seats[seat.ticket]
    Thread(target=seat.session.close, daemon=True).start()


async def _served(socket: WebSocket, seat: _Seat) -> None:
    session = seat.session
    try:
        async with create_task_group() as tasks:
            tasks.start_soon(_send_news, socket, seat)
            while (message := await socket.receive())["type"] == "websocket.receive":
                if (data := message.get("bytes")) is not None:
                    session.receive(data)
                elif answer := await _answered(socket, session, message.get("text") or ""):
                    await _send(socket, answer)
            tasks.cancel_scope.cancel()
    except* (WebSocketDisconnect, RuntimeError):
        pass  # it closed before something was sent


async def _send_news(socket: WebSocket, seat: _Seat) -> None:
    """Send what a training reports, as long as the page shows it."""
    while seat.socket is socket:
        for message in seat.session.news():
            await (socket.send_bytes(message) if isinstance(message, bytes) else _send(socket, message))
        await sleep(EVERY)


async def _send(socket: WebSocket, message: Mapping[str, object]) -> None:
    await socket.send_text(json.dumps(message, ensure_ascii=False, allow_nan=False))


async def _answered(socket: WebSocket, session: Session, text: str) -> Mapping[str, object] | None:
    """The answer to a message, None where there is nothing to say."""
    words, number = words_in(session.language), None
    try:
        wish = _read(text)
        number = wish.get("id")
        if session.obey(wish):
            return None
        return {"id": number, **await _done(socket, session, wish)}
    except MhaError as error:
        return {"id": number, "error": error.sentence(words), "place": error.place}
    except Exception:
        LOG.exception("a wish of the page Train could not be answered")
        return {"id": number, "error": words(_FAILED), "place": ""}


async def _done(socket: WebSocket, session: Session, wish: Mapping[str, object]) -> Mapping[str, object]:
    if wish.get("do") in _OF_A_MODEL:
        await session.fetch(wish.get("step"))
    if wish.get("do") != "save":
        return await in_turn(socket, session.answer, wish)
    for part in await in_turn(socket, partial(session.file_parts, is_light=wish.get("light") is True)):
        await socket.send_bytes(part)
    return {}


def _read(text: str) -> Mapping[str, object]:
    from mha_core.errors import TrainError  # noqa: PLC0415

    try:
        wish = json.loads(text) if len(text) <= MAX_MESSAGE else None
    except (ValueError, RecursionError):
        wish = None
    if not isinstance(wish, dict):
        raise TrainError(N_("expected a message of at most {most} characters as JSON"), most=MAX_MESSAGE)
    return wish


_FAILED: Final = N_("Something went wrong. Details are in the server's log.")
