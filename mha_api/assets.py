"""``/api/plotly/VERSION.js``: Plotly's script, the one in its Python package, which a browser keeps for good.

The version in the address makes another release another address. The script is compressed once a process, when it is
first asked for; Streamlit's middleware lets through what is compressed already.
"""

from __future__ import annotations

import gzip
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

_LASTING: Final = "public, max-age=31536000, immutable"


async def plotly(request: Request) -> Response:
    """The script of the release that is installed; 404 for any other."""
    if request.path_params["version"] != version("plotly"):
        return PlainTextResponse("This server has another release of Plotly.\n", 404)
    headers = {"Cache-Control": _LASTING, "Vary": "Accept-Encoding"}
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(await to_thread.run_sync(_script), 200, headers, "text/javascript")
    compressed = await to_thread.run_sync(_compressed)
    return Response(compressed, 200, headers | {"Content-Encoding": "gzip"}, "text/javascript")


def _script() -> bytes:
    package = find_spec("plotly")  # not imported: the libraries may be on their way still
    if package is None or package.origin is None:
        raise FileNotFoundError("plotly is not installed")
    return (Path(package.origin).parent / "package_data" / "plotly.min.js").read_bytes()


@cache
def _compressed() -> bytes:
    return gzip.compress(_script(), mtime=0)
