"""A room without a server: the requests of a presenter and of listeners, and what they receive."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, NamedTuple, Self

from starlette.applications import Starlette
from starlette.types import Message

import mha_api
from mha_api.rooms import limits
from mha_api.rooms.page import Follower
from mha_api.rooms.store import Store
from mha_view import follow
from tests.api.asgi import Answer, post, run
from tests.api.openapi import statuses
from tests.api.stores import BACKING, Backing, backing

FOLLOWER = Follower(follow.page, follow.script, follow.style, follow.walk)
FIRST = {"example": "first", "step": "q", "sub": "2"}
CHOICES = {"text": "Which key?", "choices": ["思考", "计算机", "程序"]}
CELL = {"cell": {"name": "weights", "head": 0, "row": 1, "col": 2}}
WAIT = 20.0
"""Seconds after which something expected counts as missing."""


class Event(NamedTuple):
    """A server-sent event; a comment has no kind."""

    kind: str
    id: str
    data: Any


def event_of(block: str) -> Event:
    """An event from its text in the stream."""
    lines = dict(line.partition(": ")[::2] for line in block.split("\n"))
    return Event(lines.get("event", ""), lines.get("id", ""), json.loads(lines.get("data", "null")))


class Listener:
    """A listener, who receives events in order. ``id``: its id for answers; a stream that counts answers has none."""

    def __init__(self, app: Starlette, address: str, client: str = "127.0.0.1", **headers: str) -> None:
        self._app, self._address, self._client, self._headers = app, address, client, headers
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._left = asyncio.Event()
        self.id: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.status: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.headers: dict[str, str] = {}

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        await self.status
        return self

    async def __aexit__(self, *exception: Any) -> None:
        self._left.set()
        await asyncio.wait_for(self._task, WAIT)

    async def _run(self) -> None:
        path, _, query = self._address.partition("?")
        headers = {"host": "localhost:8501"} | self._headers
        scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "query_string": query.encode(),
            "root_path": "",
        }
        raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        await self._app({**scope, "headers": raw, "client": (self._client, 1)}, self._receive, self._send)

    async def _receive(self) -> Message:
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            self.status.set_result(message["status"])
        for block in message.get("body", b"").decode().split("\n\n")[:-1]:
            event = event_of(block)
            if event.kind == "listener":
                self.id.set_result(event.data["listener"])
            else:
                self._events.put_nowait(event)

    async def next(self, kind: str = "") -> Event:
        """The next event, of this kind if one is named; comments are skipped."""
        while True:
            event = await asyncio.wait_for(self._events.get(), WAIT)
            if event.kind and kind in ("", event.kind):
                return event

    async def ended(self) -> None:
        """Wait until the server has ended the stream."""
        await asyncio.wait_for(self._task, WAIT)

    @property
    def waiting(self) -> int:
        """Events that have arrived and were not taken by ``next``."""
        return self._events.qsize()


async def parts(*chunks: bytes) -> AsyncIterator[Message]:
    """A body in these parts."""
    for number, chunk in enumerate(chunks, start=1):
        yield {"type": "http.request", "body": chunk, "more_body": number < len(chunks)}


class Lecture:
    """A presenter, a room and its listeners, at a server of their own."""

    def __init__(self, store: Store | None = None, *, per_address: int = limits.STREAMS) -> None:
        self.backing = backing()
        self.store = store or self.backing.store(per_address)
        self.app = Starlette(routes=mha_api.routes("", FOLLOWER, self.store))
        self.code = self.key = ""
        self._phones: dict[str, Listener] = {}

    async def request(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """The answer to a request below ``/api/rooms``; a body that is not bytes is sent as JSON."""
        text = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        headers = {"content_type": "application/json"} | headers
        answer = await post(self.app, f"/api/rooms{path}", parts(text), method, **headers)
        assert answer.status in statuses(method, f"/rooms{path}"), (method, path, answer.status)
        return answer

    async def present(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """The same for the presenter's requests: in the open room, with its key."""
        return await self.request(
            method, f"/{self.code}{path}", body, authorization=f"Bearer {self.key}", **headers
        )

    async def opened(self, place: object = None) -> Self:
        """Open a room, and set its place."""
        opened = json.loads((await self.request("POST", "")).body)
        self.code, self.key = opened["code"], opened["key"]
        if place is not None:
            assert (await self.present("PUT", "/place", place)).status == 204
        return self

    def listen(self, query: str = "", **headers: str) -> Listener:
        """Listen in the room."""
        return Listener(self.app, f"/api/rooms/{self.code}/events{query}", **headers)

    async def phone(self, name: str) -> Listener:
        """The listener of this name, who stays until the end of the test."""
        if name not in self._phones:
            self._phones[name] = await self.listen().__aenter__()
            assert await self._phones[name].status == 200
        return self._phones[name]

    async def answer(self, question: int, answer: object, name: str = "somebody") -> Answer:
        """The listener of this name answers a question."""
        return await self.answer_as(await (await self.phone(name)).id, question, answer)

    async def answer_as(self, listener: object, question: int, answer: object, **headers: str) -> Answer:
        """An answer by a listener's id."""
        body = {"question": question, "listener": listener, "answer": answer}
        return await self.request("POST", f"/{self.code}/answers", body, **headers)

    def at_another_server(self) -> Lecture:
        """The same room, with the same presenter, at another server that shares its rooms."""
        other = Lecture()
        other.code, other.key = self.code, self.key
        return other

    async def move_to(self, **place: Any) -> None:
        """The presenter moves to a place."""
        answer = await self.present("PUT", "/place", FIRST | place)
        assert answer.status == 204, answer.body


def scene(act):
    """A test from a coroutine."""

    def test():
        run(act())

    test.__name__, test.__doc__ = act.__name__, act.__doc__
    return test


def law(act):
    """A test from a coroutine, for the rooms in each store (the fixture ``rooms_in``)."""

    def test(rooms_in):
        run(_played(act, rooms_in))

    test.__name__, test.__doc__ = act.__name__, act.__doc__
    return test


async def _played(act, rooms_in: Backing) -> None:
    BACKING.set(rooms_in)
    try:
        await act()
    finally:
        await rooms_in.close()


def error(answer: Answer) -> str:
    """The sentence of a refusal."""
    assert answer.headers["content-type"] == "application/json"
    content = json.loads(answer.body)
    assert list(content) == ["error", "place"]
    assert content["error"].isprintable()
    assert content["error"].startswith(content["place"])
    return content["error"]
