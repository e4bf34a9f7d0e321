"""Scripts that a browser caches for good, since their address contains their version.

- ``/api/plotly/VERSION.js``: Plotly's script, from its Python package.
- ``/api/modules/VERSION/PAGE.js``: all modules of a page.
- ``/api/modules/VERSION/PAGE/NAME.js``: a single module, for development.

A script is compressed at its first request, once a process. Streamlit's middleware leaves compressed answers alone.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from mha_api import ready, requests

_LASTING: Final = "public, max-age=31536000, immutable"
_KIND: Final = "text/javascript"


async def plotly(request: Request) -> Response:
    """The script of the installed release; 404 for any other release."""
    if request.path_params["version"] != version("plotly"):
        return PlainTextResponse("This server has another release of Plotly.\n", 404)
    packed = await to_thread.run_sync(_compressed)
    return requests.compressed(request, packed, _KIND, {"Cache-Control": _LASTING})


@dataclass(frozen=True)
class Modules:
    """The pages' modules; ``None`` for a page or module that does not exist.

    ``digest``: the version in their address. ``bundled``: all modules of a page as one script. ``plain``: a single
    module by its path, such as ``kit/dom.js``, for development.
    """

    digest: Callable[[], str]
    bundled: Callable[[str], str | None]
    plain: Callable[[str], str | None]


class Served:
    """The routes of the modules."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._compressed: dict[str, bytes] = {}

    async def page(self, request: Request) -> Response:
        """A page's modules. An address with another version (of an earlier server) gets them too, without caching."""
        packed = await to_thread.run_sync(self._packed, request.path_params["page"])
        is_lasting = request.path_params["version"] == self._modules.digest()
        return _module(request, packed, _LASTING if is_lasting else "no-cache")

    async def module(self, request: Request) -> Response:
        """A single module, read from the disk each time."""
        text = self._modules.plain(request.path_params["place"])
        return _module(request, gzip.compress(text.encode(), mtime=0) if text else None, "no-cache")

    def _packed(self, page: str) -> bytes | None:
        if page not in self._compressed and (text := self._modules.bundled(page)):
            self._compressed[page] = gzip.compress(text.encode(), mtime=0)
        return self._compressed.get(page)


class Words:
    """The route of the pages' words; ``served`` has a page's version and module, ``None`` where there is none."""

    def __init__(self, served: Callable[[str], tuple[str, str] | None]) -> None:
        self._served = served
        self._compressed: dict[str, bytes] = {}

    async def page(self, request: Request) -> Response:
        """A page's words; kept for good by the browser, but where a page that a former server has opened asks."""
        await ready.imported()
        page = request.path_params["page"]
        found = await to_thread.run_sync(self._served, page)
        if found is None:
            return _module(request, None, "no-cache")
        version, script = found
        if page not in self._compressed:
            self._compressed[page] = gzip.compress(script.encode(), mtime=0)
        is_lasting = request.path_params["version"] == version
        return _module(request, self._compressed[page], _LASTING if is_lasting else "no-cache")


def _module(request: Request, packed: bytes | None, cache_control: str) -> Response:
    if packed is None:
        return PlainTextResponse("There is no such module.\n", 404)
    return requests.compressed(request, packed, _KIND, {"Cache-Control": cache_control})


def _script() -> bytes:
    package = find_spec("plotly")  # not imported: the libraries may still be loading
    if package is None or package.origin is None:
        raise FileNotFoundError("plotly is not installed")
    return (Path(package.origin).parent / "package_data" / "plotly.min.js").read_bytes()


@cache
def _compressed() -> bytes:
    return gzip.compress(_script(), mtime=0)
