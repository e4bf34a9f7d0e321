"""Who may send requests, and what a browser may do with the answers.

- If ``MHA_HOSTS`` is set (``course.example *.school.example``), every other ``Host`` is refused, except this machine's
  own names. A websocket that a page of another host opens is refused too.
- While the server stops, no websocket is opened.
- ``/_stcore/metrics`` is answered to this machine only.
- A browser must not guess another type for an answer, nor send our addresses as the referrer to another host.
- A component's stylesheets may be kept for five minutes. Streamlit lets a browser ask for them again at every change of
  the page, which waits for them. Their addresses have no version, so they are not kept for longer.
- The content security policy lets a page load from this server only, and run no inline script. Besides our own pages,
  only those in ``MHA_FRAME_ANCESTORS`` (in the policy's notation: ``https://course.example``) may embed ours.

Streamlit needs these exceptions to that policy:

- the one inline script in its page, by its hash; it tells crawlers that the page is not rendered yet;
- scripts from ``blob:``, since it turns a component's text into a module that way;
- inline styles: its own (emotion writes them as it runs), a component's, and those of its theme;
- images and fonts from ``data:`` and ``blob:``: its icons, and pictures that Plotly downloads.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mha_api import ready

FRAME_ANCESTORS: Final = "'self'"
STREAMLITS_SCRIPT: Final = "sha256-THxz9J9+wf7rhwR2YkXJoSZ13UCmYyC+3lNDv2+8ugA="
_POLICY: Final = {
    "default-src": "'self'",
    "script-src": f"'self' blob: '{STREAMLITS_SCRIPT}'",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
}
_STYLES: Final = "/_stcore/bidi-components/"
_KEPT: Final = "public, max-age=300"
_METRICS: Final = "/_stcore/metrics"
_REFUSED: Final = 1008
"""The websocket close code "policy violation"."""


class Guard:
    """ASGI middleware that enforces the rules above."""

    def __init__(
        self,
        app: ASGIApp,
        hosts: Sequence[str] = (),
        frame_ancestors: str = FRAME_ANCESTORS,
        *,
        keeps_styles: bool = False,
    ) -> None:
        self.app = app
        self.keeps_styles = keeps_styles
        self.hosts = tuple(host.lower() for host in hosts)
        policy = _POLICY | {"frame-ancestors": frame_ancestors}
        self.headers = {
            "Content-Security-Policy": "; ".join(f"{name} {sources}" for name, sources in policy.items()),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "same-origin",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on and add the headers to the answer."""
        if scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        if ready.is_stopping():  # a proxy tries another server
            await send({"type": "websocket.http.response.start", "status": 503, "headers": []})
            await send({"type": "websocket.http.response.body", "body": b""})
            return
        headers = Headers(scope=scope)
        is_same = same_origin(headers)
        if not self._is_known(headers.get("host", "")) or not (
            is_same or self._is_listed(_name(headers.get("origin", "")))
        ):
            await send({"type": "websocket.close", "code": _REFUSED})
            return
        if not is_same:
            # Streamlit would ask another host for this machine's address to compare it with the origin.
            scope = {**scope, "headers": [pair for pair in scope["headers"] if pair[0] != b"origin"]}
        await self.app(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(self.headers)
                if self.keeps_styles and message["status"] == 200 and _STYLES in scope["path"]:
                    headers["Cache-Control"] = _KEPT
            await send(message)

        app = self.app
        if not self._is_known(Headers(scope=scope).get("host", "")):
            app = PlainTextResponse(
                "This server does not go by that name; MHA_HOSTS has those that it goes by.\n", 421
            )
        elif scope["path"].rstrip("/").endswith(_METRICS) and not _is_from_here(scope):
            app = PlainTextResponse("Only for the machine that this server runs on.\n", 403)
        await app(scope, receive, send_with_headers)

    def _is_known(self, host: str) -> bool:
        """Whether the server answers under this name."""
        name = _name(f"//{host}")
        return not self.hosts or _is_this_machine(name) or self._is_listed(name)

    def _is_listed(self, name: str) -> bool:
        return any(_matches(name, host) for host in self.hosts)


def same_origin(headers: Headers) -> bool:
    """Whether a request comes from a page of this host, or from a program, which sends no origin."""
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2] == headers.get("host", "") != ""


def _name(url: str) -> str:
    """The host of an address without its port; "" where it has none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _matches(name: str, host: str) -> bool:
    return name.endswith(host[1:]) if host.startswith("*.") else name == host


def _is_this_machine(name: str) -> bool:
    try:
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False


def _is_from_here(scope: Scope) -> bool:
    """Whether the request comes from this machine; a proxy here names the client whose request it passes on."""
    return bool(scope["client"]) and _is_this_machine(scope["client"][0])
