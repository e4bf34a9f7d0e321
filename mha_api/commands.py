"""``POST /api/trace``, ``/api/explain`` and ``/api/check``: what the commands of these names print, over HTTP.

The body is an example file; the rest is in the parameters of the address (``docs/http.md``). ``command_answers``
computes the answer, in one of a few threads, so that pages are answered meanwhile.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from mha_api import requests

COMPUTING: Final = CapacityLimiter(2)
"""Answers that are computed at once."""
OPENAPI: Final = Path(__file__).with_name("openapi.json")


async def trace(request: Request) -> Response:
    """``POST /api/trace``: every step of an example, ``mha-trace/1``."""
    return await _answered("trace", request)


async def explain(request: Request) -> Response:
    """``POST /api/explain``: what one cell is computed from, and what it feeds, ``mha-explain/1``."""
    return await _answered("explain", request)


async def check(request: Request) -> Response:
    """``POST /api/check``: which claimed numbers are wrong, and why, ``mha-check/1``."""
    return await _answered("check", request)


async def openapi(_request: Request) -> Response:
    """``GET /api/openapi.json``: the description of all routes."""
    return FileResponse(OPENAPI, media_type="application/json")


async def _answered(command: str, request: Request) -> Response:
    parameters = request.query_params.multi_items()

    async def compute(body: bytes, language: str) -> Response:
        from mha_api import command_answers  # noqa: PLC0415  # it imports torch, which must not keep the port closed

        content = await to_thread.run_sync(
            command_answers.answer, command, body, parameters, language, limiter=COMPUTING
        )
        return Response(content, media_type="application/json")

    return await requests.computed(request, compute)
