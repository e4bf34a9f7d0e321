"""What a page looks like before its script has run: Streamlit has a layout of its own then, and all would move."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_BODY_ENDS = b"</body>"


class FirstStyle:
    """ASGI middleware that writes a style into every page that is asked for.

    It stands at the end of the body, and so outweighs what Streamlit writes into the head as it runs.

    ``style``: the text of a stylesheet of ours.
    """

    def __init__(self, app: ASGIApp, style: str) -> None:
        self.app = app
        self.written = f"<style>{style}</style>".encode() + _BODY_ENDS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass; a page is kept until it is there as a whole, and sent with the style."""
        if scope["type"] != "http" or "text/html" not in Headers(scope=scope).get("accept", ""):
            await self.app(scope, receive, send)
            return
        plain = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]  # to be read here
        start: Message | None = None
        body = b""

        async def send_with_style(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start" and _is_page(message):
                start = message
            elif start is None:
                await send(message)
            else:
                body += message.get("body", b"")
                if message.get("more_body"):
                    return
                page = body.replace(_BODY_ENDS, self.written, 1)
                MutableHeaders(scope=start)["content-length"] = str(len(page))
                await send(start)
                await send({"type": "http.response.body", "body": page})

        await self.app({**scope, "headers": plain}, receive, send_with_style)


def _is_page(start: Message) -> bool:
    """Whether an answer brings a page, which a HEAD or what the browser holds already does not."""
    headers = Headers(raw=start["headers"])
    return start["status"] == 200 and headers.get("content-type", "").startswith("text/html")
