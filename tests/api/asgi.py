"""A request to an ASGI application, without a server: what it answers."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

from starlette.types import ASGIApp, Message


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


def ask(app: ASGIApp, path: str = "/", *, client: str = "127.0.0.1", **headers: str) -> Answer:
    """The answer to a GET request; ``headers`` by name."""
    start, *rest = _told(app, {"type": "http", "method": "GET", "query_string": b""}, path, client, headers)
    given = {name.decode(): value.decode() for name, value in start["headers"]}
    return Answer(start["status"], given, b"".join(message.get("body", b"") for message in rest))


def knock(app: ASGIApp, path: str = "/_stcore/stream", **headers: str) -> list[Message]:
    """What a websocket is told that asks to be opened."""
    return _told(app, {"type": "websocket", "subprotocols": []}, path, "127.0.0.1", headers)


def _told(
    app: ASGIApp, scope: dict[str, Any], path: str, client: str, headers: dict[str, str]
) -> list[Message]:
    told: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request" if scope["type"] == "http" else "websocket.connect"}

    async def send(message: Message) -> None:
        told.append(message)

    async def asked() -> None:
        await app(
            {**scope, "path": path, "root_path": "", "headers": raw, "client": (client, 1)}, receive, send
        )

    raw = [(name.encode(), value.encode()) for name, value in ({"host": "localhost:8501"} | headers).items()]
    asyncio.run(asked())
    return told
