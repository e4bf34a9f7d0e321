"""``/api/live``, the websocket by which pictures, lenses and verdicts follow a drag (see ``channel``).

The messages of one socket are answered one after the other. A page of another host is refused, and so is a socket
beyond the limit.

A light message is answered on the event loop, every other one in a thread when it is the sender's turn (``turns``).
"""

from __future__ import annotations

import time
from typing import Final

from anyio import sleep
from starlette.websockets import WebSocket, WebSocketDisconnect

from mha_api import ready
from mha_api.headers import same_origin
from mha_api.histogram import Durations
from mha_api.turns import in_turn

RATE: Final = 120
"""Messages per second that one socket may send in the long run; faster ones wait."""
BURST: Final = 240
MAX_SOCKETS: Final = 2_000


class Pace:
    """A token bucket: ``wait()`` is how many seconds the next message must wait."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._tokens, self._updated = burst, time.monotonic()

    def wait(self) -> float:
        """Take a token; the seconds until it is there."""
        now = time.monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._updated) * self._rate) - 1
        self._updated = now
        return max(0.0, -self._tokens / self._rate)


ANSWERED: Final = Durations()
"""From a message to its answer."""
_open: set[int] = set()


def sockets() -> int:
    """How many are open."""
    return len(_open)


async def live(socket: WebSocket) -> None:
    """Answer one socket's messages, one after the other, until it closes."""
    is_same = same_origin(socket.headers)
    if not is_same or len(_open) >= MAX_SOCKETS:
        await socket.close(1013 if is_same else 1008)
        return
    await socket.accept()
    _open.add(id(socket))
    pace = Pace(RATE, BURST)
    try:
        await ready.imported()
        from mha_api.channel import Channel  # noqa: PLC0415  # it imports torch, which must not keep the port closed

        channel = Channel()
        while (text := await _text(socket)) is not None:
            if (wait := pace.wait()) > 0:
                await sleep(wait)
            begun = time.monotonic()
            if channel.is_light(text):
                answer = channel.answer(text)
            else:
                answer = await in_turn(socket, channel.answer, text)
            await socket.send_text(answer)
            ANSWERED.add(time.monotonic() - begun)
            if channel.drawing:
                await socket.send_text(await in_turn(socket, channel.pictures))
    except WebSocketDisconnect:
        pass  # it closed before its answer was sent
    finally:
        _open.discard(id(socket))


async def _text(socket: WebSocket) -> str | None:
    """The next message; None once the socket has closed. Bytes are not a message: they close it."""
    message = await socket.receive()
    text = message.get("text")
    if text is None and message["type"] == "websocket.receive":
        await socket.close(1003)
    return text
