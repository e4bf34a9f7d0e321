"""Scripts that a browser keeps for good, since their address holds their version: ``/api/plotly/VERSION.js``, Plotly's
as its Python package has it, and ``/api/modules/VERSION/mha.PAGE/NAME.js``, those of the pages.

A script is compressed once a process, when it is first asked for; Streamlit's middleware lets through what is
compressed already.
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

from mha_api import asked

_LASTING: Final = "public, max-age=31536000, immutable"
_KIND: Final = "text/javascript"


async def plotly(request: Request) -> Response:
    """The script of the release that is installed; 404 for any other."""
    if request.path_params["version"] != version("plotly"):
        return PlainTextResponse("This server has another release of Plotly.\n", 404)
    packed = await to_thread.run_sync(_compressed)
    return asked.compressed(request, packed, _KIND, {"Cache-Control": _LASTING})


@dataclass(frozen=True)
class Modules:
    """The pages' modules, from where they stand: page and name → text, or ``None`` where there is none.

    ``digest``: the version that stands in their address; ``packed``: what is served there; ``plain``: what is served
    at any other version's, to who edits the modules, and to a page that a former server has opened.
    """

    digest: Callable[[], str]
    packed: Callable[[str, str], str | None]
    plain: Callable[[str, str], str | None]


class Served:
    """The route of the modules."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._compressed: dict[tuple[str, str], bytes] = {}

    async def module(self, request: Request) -> Response:
        """A module; 404 where there is none of that name."""
        of = request.path_params["page"], request.path_params["name"]
        if request.path_params["version"] == self._modules.digest():
            packed, keep = self._packed(of), _LASTING
        else:
            text = self._modules.plain(*of)
            packed, keep = gzip.compress(text.encode(), mtime=0) if text else None, "no-cache"
        if not packed:
            return PlainTextResponse("There is no such module.\n", 404)
        return asked.compressed(request, packed, _KIND, {"Cache-Control": keep})

    def _packed(self, of: tuple[str, str]) -> bytes | None:
        if of not in self._compressed and (text := self._modules.packed(*of)):
            self._compressed[of] = gzip.compress(text.encode(), mtime=0)
        return self._compressed.get(of)


def _script() -> bytes:
    package = find_spec("plotly")  # not imported: the libraries may be on their way still
    if package is None or package.origin is None:
        raise FileNotFoundError("plotly is not installed")
    return (Path(package.origin).parent / "package_data" / "plotly.min.js").read_bytes()


@cache
def _compressed() -> bytes:
    return gzip.compress(_script(), mtime=0)
