"""A visitor without a browser: it opens a page as Streamlit's browser code does, by the websocket alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets import Subprotocol
from websockets.asyncio.client import connect


class Visitor:
    """Opens the home page at a query such as ``lang=zh``.

    ``html`` and ``components`` hold what it has been told: the texts of the page's HTML, and its components' names.
    """

    def __init__(self, port: int, query: str = "") -> None:
        self.query = query
        self.html: list[str] = []
        self.components: list[str] = []
        self._connection = connect(
            f"ws://127.0.0.1:{port}/_stcore/stream",
            subprotocols=[Subprotocol("streamlit")],
            max_size=None,
            compression=None,
        )

    async def __aenter__(self) -> Self:
        self._socket = await self._connection.__aenter__()
        asked = BackMsg()
        asked.rerun_script.query_string = self.query
        await self._socket.send(asked.SerializeToString())
        return self

    async def __aexit__(self, *exception: Any) -> None:
        await self._connection.__aexit__(*exception)

    async def until(self, seen: Callable[[ForwardMsg], bool]) -> None:
        """Read what the server sends, up to a message."""
        async for data in self._socket:
            told = ForwardMsg.FromString(data)
            element = told.delta.new_element
            if element.WhichOneof("type") == "html":
                self.html.append(element.html.body)
            elif element.WhichOneof("type") == "bidi_component":
                self.components.append(element.bidi_component.component_name)
            if seen(told):
                return
        raise ConnectionError("the server closed the socket before that")

    async def reads(self, text: str) -> None:
        """Wait for HTML that says this."""
        await self.until(lambda _: any(text in html for html in self.html))

    async def page(self) -> None:
        """Wait until the page's script has run to its end."""
        await self.until(
            lambda told: told.script_finished == _END if told.HasField("script_finished") else False
        )


_END = ForwardMsg.FINISHED_SUCCESSFULLY


async def open_page(port: int, query: str = "") -> Visitor:
    """Open a page and leave when it is there."""
    async with Visitor(port, query) as visitor:
        await visitor.page()
    return visitor


async def open_together(port: int, count: int) -> list[Visitor]:
    """So many visitors at once."""
    return await asyncio.gather(*(open_page(port) for _ in range(count)))
