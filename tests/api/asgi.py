"""Requests to an ASGI application without a server, and its answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

from starlette.types import ASGIApp, Message

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine, in a separate thread, since Playwright runs an event loop in the tests' own."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


def get(
    app: ASGIApp, path: str = "/", *, client: str = "127.0.0.1", query: str = "", **headers: str
) -> Answer:
    """The answer to a GET request; ``headers`` by name."""
    scope = {"type": "http", "method": "GET", "query_string": query.encode()}
    return _answer(run(_exchange(app, scope, path, client, headers, {"type": "http.request"})))


async def post(
    app: ASGIApp, address: str, body: AsyncIterator[Message], method: str = "POST", **headers: str
) -> Answer:
    """The answer to a request whose body arrives message by message."""
    path, _, query = address.partition("?")
    scope = {"type": "http", "method": method, "query_string": query.encode()}
    return _answer(await _exchange(app, scope, path, headers.pop("client", "127.0.0.1"), headers, body))


def open_websocket(app: ASGIApp, path: str = "/_stcore/stream", **headers: str) -> list[Message]:
    """The messages in answer to the request to open a websocket."""
    scope = {"type": "websocket", "subprotocols": []}
    return run(_exchange(app, scope, path, "127.0.0.1", headers, {"type": "websocket.connect"}))


def _answer(messages: list[Message]) -> Answer:
    start, *rest = messages
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    return Answer(start["status"], headers, b"".join(message.get("body", b"") for message in rest))


async def _exchange(
    app: ASGIApp,
    scope: dict[str, Any],
    path: str,
    client: str,
    headers: dict[str, str],
    received: Message | AsyncIterator[Message],
) -> list[Message]:
    """What an application sends while it receives these messages, or one message again and again."""
    sent: list[Message] = []

    async def receive() -> Message:
        return await anext(received) if isinstance(received, AsyncIterator) else received

    async def send(message: Message) -> None:
        sent.append(message)

    raw = [
        (name.replace("_", "-").encode(), value.encode())
        for name, value in ({"host": "localhost:8501"} | headers).items()
    ]
    await app({**scope, "path": path, "root_path": "", "headers": raw, "client": (client, 1)}, receive, send)
    return sent
