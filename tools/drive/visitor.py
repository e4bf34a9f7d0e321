"""A visitor without a browser: it opens a page as Streamlit's browser code does, over the websocket alone."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Self, TypeAlias
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.BidiComponent_pb2 import BidiComponent
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets import ConnectionClosed, Subprotocol, WebSocketException
from websockets.asyncio.client import connect

from tools.drive.proxy import Replicas

Tables: TypeAlias = dict[str, Any]
EXPLORE = "mha.explore"


class Visitor:
    """Opens the home page at a query such as ``lang=zh``.

    ``html``, ``components`` and ``tables`` have what it has received: the texts of the page's HTML, its components'
    names, and the data of Explore's tables.
    """

    def __init__(self, port: int, query: str = "") -> None:
        self.query = query
        self.html: list[str] = []
        self.components: list[str] = []
        self.tables: Tables = {}
        self._id = ""
        self._connection = connect(
            f"ws://127.0.0.1:{port}/_stcore/stream",
            subprotocols=[Subprotocol("streamlit")],
            max_size=None,
            compression=None,
        )

    async def __aenter__(self) -> Self:
        self._socket = await self._connection.__aenter__()
        await self._rerun()
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self._connection.__aexit__(*exception)  # type: ignore[arg-type]

    async def until(self, is_last: Callable[[ForwardMsg], bool]) -> None:
        """Read what the server sends, up to the message for which ``is_last`` is true."""
        async for data in self._socket:
            message = ForwardMsg.FromString(data)
            element = message.delta.new_element
            if element.WhichOneof("type") == "html":
                self.html.append(element.html.body)
            elif element.WhichOneof("type") == "bidi_component":
                self._mount(element.bidi_component)
            if is_last(message):
                return
        raise ConnectionError("the server closed the socket before that")

    async def edit(self, *edits: Mapping[str, object]) -> None:
        """Send edits of Explore's tables, and wait for the page's answer, which has everything."""
        ack = self.tables["ack"]
        numbered = [{**edit, "seq": ack + count} for count, edit in enumerate(edits, 1)]
        sent = {"session": self.tables["session"], "edits": numbered, "held": 0, "known": 0, "unseen": []}
        await self._rerun({"edits": sent})
        while self.tables["ack"] < ack + len(edits):
            await self.page()

    async def _rerun(self, sent: Mapping[str, object] | None = None) -> None:
        request = BackMsg()
        request.rerun_script.query_string = self.query
        if sent:
            widget = request.rerun_script.widget_states.widgets.add()
            widget.id, widget.json_value = self._id, json.dumps(sent)
        await self._socket.send(request.SerializeToString())

    def _mount(self, component: BidiComponent) -> None:
        self.components.append(component.component_name)
        if component.component_name == EXPLORE:
            self.tables, self._id = json.loads(component.json)[0], component.id

    async def reads(self, text: str) -> None:
        """Wait for HTML that says this."""
        await self.until(lambda _: any(text in html for html in self.html))

    async def gone(self) -> None:
        """Wait until the server has closed the socket."""
        with suppress(ConnectionClosed, ConnectionError):
            await self.until(lambda _: False)

    async def page(self) -> None:
        """Wait until the page's script has run to its end."""
        await self.until(
            lambda message: message.HasField("script_finished") and message.script_finished == _END
        )


_END = ForwardMsg.FINISHED_SUCCESSFULLY


async def all_come_back(replicas: Replicas, count: int) -> list[tuple[Student, Tables, Tables]]:
    """So many students work at one server, which is killed, and come back to the other one.

    For each of them the student, the tables that the other server restores, and those after an undo there.
    """
    failing, other = replicas.servers
    other.kill()
    students = [Student(replicas.port, number) for number in range(10, 10 + count)]
    working = [asyncio.create_task(student.work()) for student in students]
    while not all(student.now for student in students):
        await asyncio.sleep(0.05)  # polling the tasks
    other.start()
    failing.kill()
    await asyncio.gather(*working)
    return await asyncio.gather(*(student.come_back() for student in students))


class Student:
    """Edits numbers of an example, and comes back to another server when its own has failed, as the page does.

    ``before`` and ``now`` have the tables before and after the last edit at the first server, ``away`` for how many
    seconds its work was not shown.
    """

    def __init__(self, port: int, number: int) -> None:
        self.port, self.number = port, number
        self.before: Tables = {}
        self.now: Tables = {}
        self.away = 0.0

    async def work(self) -> None:
        """Make two edits, pin a cell, and stay until the server is gone."""
        async with Visitor(self.port, "example=water&lang=zh") as visitor:
            await visitor.page()
            await visitor.edit(self._set(0))
            self.before = visitor.tables
            await visitor.edit(self._set(1), {"op": "pin", "cell": PINNED})
            self.now = visitor.tables
            await visitor.gone()

    async def come_back(self) -> tuple[Self, Tables, Tables]:
        """The student, and the tables of another server: once they show the work, and after an undo there."""
        left = time.perf_counter()
        while True:
            try:
                return (self, *await self._restored(left))
            except (OSError, WebSocketException):
                await asyncio.sleep(0.25)  # the page waits as well before it tries again

    async def _restored(self, left: float) -> tuple[Tables, Tables]:
        address = self.now["address"]
        async with Visitor(self.port, urlencode(address)) as visitor:
            await visitor.page()
            await visitor.edit({"op": "restore", "address": address, "history": self._history()})
            restored, self.away = visitor.tables, time.perf_counter() - left
            await visitor.edit({"op": "undo"})
            return restored, visitor.tables

    def _history(self) -> Tables:
        """The history as the page stores it: with the text of the example that is shown, which is in the address."""
        history = self.now["history"]
        shown = [history["examples"][history["at"]], self.now["address"]["s"]]
        return {**history, "texts": [*history["texts"], shown]}

    def _set(self, row: int) -> dict[str, object]:
        return {"op": "set", "matrix": "x", "row": row, "col": 0, "values": [[self.number]]}


PINNED = {"name": "x", "head": None, "row": 0, "col": 0}


async def open_page(port: int, query: str = "") -> Visitor:
    """Open a page, and leave when it is complete."""
    async with Visitor(port, query) as visitor:
        await visitor.page()
    return visitor


async def open_together(port: int, count: int) -> list[Visitor]:
    """Open the page for this many visitors at once."""
    return await asyncio.gather(*(open_page(port) for _ in range(count)))
