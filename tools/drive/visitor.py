"""A visitor without a browser: it opens a page as Streamlit's browser code does, over the websocket alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets import Subprotocol
from websockets.asyncio.client import connect


class Visitor:
    """Opens the home page at a query such as ``lang=zh``.

    ``html`` and ``components`` have what it has received: the texts of the page's HTML, and its components' names.
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
        request = BackMsg()
        request.rerun_script.query_string = self.query
        await self._socket.send(request.SerializeToString())
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
                self.components.append(element.bidi_component.component_name)
            if is_last(message):
                return
        raise ConnectionError("the server closed the socket before that")

    async def reads(self, text: str) -> None:
        """Wait for HTML that says this."""
        await self.until(lambda _: any(text in html for html in self.html))

    async def page(self) -> None:
        """Wait until the page's script has run to its end."""
        await self.until(
            lambda message: message.HasField("script_finished") and message.script_finished == _END
        )


_END = ForwardMsg.FINISHED_SUCCESSFULLY


async def open_page(port: int, query: str = "") -> Visitor:
    """Open a page, and leave when it is complete."""
    async with Visitor(port, query) as visitor:
        await visitor.page()
    return visitor


async def open_together(port: int, count: int) -> list[Visitor]:
    """Open the page for this many visitors at once."""
    return await asyncio.gather(*(open_page(port) for _ in range(count)))
