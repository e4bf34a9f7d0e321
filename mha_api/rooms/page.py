"""``/follow/CODE``, the page that a phone opens: the same for every code. Its script and its stylesheet.

Their contents are passed in (``Follower``). Script and stylesheet are compressed once a process; their address has a
digest of them, so that a browser may cache them for good.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from mha_api import requests
from mha_api.rooms.walks import Walk

_LASTING: Final = "public, max-age=31536000, immutable"
_TYPES: Final = {"js": "text/javascript", "css": "text/css"}


@dataclass(frozen=True)
class Follower:
    """What the audience's page consists of.

    ``page``: language, and the addresses of the server's root, of the script and of the stylesheet → HTML. ``walk``:
    see ``Walk``.
    """

    page: Callable[[str, str, str, str], str]
    script: Callable[[], str]
    style: Callable[[], str]
    walk: Walk


class Page:
    """The routes of the page."""

    def __init__(self, follower: Follower) -> None:
        self._follower = follower

    def routes(self, base: str) -> list[BaseRoute]:
        """The routes beside ``/api``, below ``base``. Without a code, the page has a field for it."""
        return [Route(f"{base}/follow{rest}", self.page) for rest in ("", "/", "/{code}")]

    def assets(self) -> list[BaseRoute]:
        """The routes below ``/api``."""
        return [Route("/follow/{name}.{ending}", self.asset)]

    async def page(self, request: Request) -> Response:
        """The page, in the language of the request."""
        root = "." if request.url.path.endswith("/follow") else ".."
        addresses = (f"api/follow/{_digest(packed)}.{ending}" for ending, packed in self._packed.items())
        text = self._follower.page(requests.language(request), f"{root}/", *addresses)
        return HTMLResponse(text, 200, {"Cache-Control": "no-cache", "Vary": "Accept-Language"})

    async def asset(self, request: Request) -> Response:
        """The script or the stylesheet; 404 for those of another release."""
        name, ending = request.path_params["name"], request.path_params["ending"]
        packed = self._packed.get(ending, b"")
        if name != _digest(packed):
            return PlainTextResponse("This server has another release of this page.\n", 404)
        return requests.compressed(request, packed, _TYPES[ending], {"Cache-Control": _LASTING})

    @cached_property
    def _packed(self) -> dict[str, bytes]:
        texts = {"js": self._follower.script(), "css": self._follower.style()}
        return {ending: gzip.compress(text.encode(), mtime=0) for ending, text in texts.items()}


def _digest(packed: bytes) -> str:
    return hashlib.sha256(packed).hexdigest()[:16]
