"""Our stylesheet in the page itself: without it, Streamlit's own layout would show until the script has run."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_BODY_ENDS = b"</body>"


class FirstStyle:
    """ASGI middleware that writes a stylesheet into every page.

    It is put at the end of the body, so it overrides what Streamlit writes into the head as it runs.

    ``style``: the text of the stylesheet.
    """

    def __init__(self, app: ASGIApp, style: str) -> None:
        self.app = app
        self.ending = f"<style>{style}</style>".encode() + _BODY_ENDS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on. A page is collected until it is complete, and sent with the style."""
        if scope["type"] != "http" or "text/html" not in Headers(scope=scope).get("accept", ""):
            await self.app(scope, receive, send)
            return
        plain = [
            pair for pair in scope["headers"] if pair[0] != b"accept-encoding"
        ]  # so that the page arrives uncompressed
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
                page = body.replace(_BODY_ENDS, self.ending, 1)
                MutableHeaders(scope=start)["content-length"] = str(len(page))
                await send(start)
                await send({"type": "http.response.body", "body": page})

        await self.app({**scope, "headers": plain}, receive, send_with_style)


def _is_page(start: Message) -> bool:
    """Whether an answer contains a page: one to a HEAD request, or to a cached page, does not."""
    headers = Headers(raw=start["headers"])
    return start["status"] == 200 and headers.get("content-type", "").startswith("text/html")
