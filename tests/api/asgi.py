"""A request to an ASGI application, without a server: what it answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

from starlette.types import ASGIApp, Message

T = TypeVar("T")


def run(told: Coroutine[Any, Any, T]) -> T:
    """What a coroutine returns, in a thread of its own: Playwright keeps a loop running in that of the tests."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, told).result()


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


def ask(
    app: ASGIApp, path: str = "/", *, client: str = "127.0.0.1", query: str = "", **headers: str
) -> Answer:
    """The answer to a GET request; ``headers`` by name."""
    scope = {"type": "http", "method": "GET", "query_string": query.encode()}
    return _answer(run(_told(app, scope, path, client, headers, {"type": "http.request"})))


async def post(
    app: ASGIApp, address: str, body: AsyncIterator[Message], method: str = "POST", **headers: str
) -> Answer:
    """The answer to a request whose body comes message by message."""
    path, _, query = address.partition("?")
    scope = {"type": "http", "method": method, "query_string": query.encode()}
    return _answer(await _told(app, scope, path, headers.pop("client", "127.0.0.1"), headers, body))


def knock(app: ASGIApp, path: str = "/_stcore/stream", **headers: str) -> list[Message]:
    """What a websocket is told that asks to be opened."""
    scope = {"type": "websocket", "subprotocols": []}
    return run(_told(app, scope, path, "127.0.0.1", headers, {"type": "websocket.connect"}))


def _answer(told: list[Message]) -> Answer:
    start, *rest = told
    given = {name.decode(): value.decode() for name, value in start["headers"]}
    return Answer(start["status"], given, b"".join(message.get("body", b"") for message in rest))


async def _told(
    app: ASGIApp,
    scope: dict[str, Any],
    path: str,
    client: str,
    headers: dict[str, str],
    messages: Message | AsyncIterator[Message],
) -> list[Message]:
    """What an application sends to a client that sends these messages, or one over and over."""
    told: list[Message] = []

    async def receive() -> Message:
        return await anext(messages) if isinstance(messages, AsyncIterator) else messages

    async def send(message: Message) -> None:
        told.append(message)

    raw = [
        (name.replace("_", "-").encode(), value.encode())
        for name, value in ({"host": "localhost:8501"} | headers).items()
    ]
    await app({**scope, "path": path, "root_path": "", "headers": raw, "client": (client, 1)}, receive, send)
    return told
