"""``/api/live``, the websocket by which numbers follow a hand: text in, binary answers out, as ``channel`` says.

One socket's messages are answered one after the other. A page of another host is refused, and so is a socket beyond
those that there is room for.

What takes no time is answered at once, and everything else when it is the sender's turn (``turns``).
"""

from __future__ import annotations

import time
from typing import Final

from anyio import sleep
from starlette.websockets import WebSocket, WebSocketDisconnect

from mha_api import ready
from mha_api.headers import same_origin
from mha_api.turns import in_turn

RATE: Final = 120
"""Messages a second that one socket is answered in the long run; what comes faster waits."""
BURST: Final = 240
MAX_SOCKETS: Final = 2_000


class Pace:
    """A bucket of tokens: ``wait()`` is how long the next message must, in seconds."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._at = burst, time.monotonic()

    def wait(self) -> float:
        """Take one, and say how long to sleep for it."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate) - 1
        self._at = now
        return max(0.0, -self._left / self._rate)


_open: set[int] = set()


async def live(socket: WebSocket) -> None:
    """Answer one socket's messages, one after the other, until it closes."""
    same = same_origin(socket.headers)
    if not same or len(_open) >= MAX_SOCKETS:
        await socket.close(1013 if same else 1008)
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
            if channel.is_light(text):
                answer = channel.answer(text)
            else:
                answer = await in_turn(socket, channel.answer, text)
            await socket.send_bytes(answer)
            if channel.drawing:
                await socket.send_bytes(await in_turn(socket, channel.pictures))
    except WebSocketDisconnect:
        pass  # it went while it was answered
    finally:
        _open.discard(id(socket))


async def _text(socket: WebSocket) -> str | None:
    """The next message; None where the socket has closed, or has sent bytes, which are none and close it."""
    message = await socket.receive()
    text = message.get("text")
    if text is None and message["type"] == "websocket.receive":
        await socket.close(1003)
    return text
