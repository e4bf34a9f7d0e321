"""What every route that computes does with a request: who may ask, how much of it is read, and how many at once.

What is refused has one sentence (``requests``). A body is read as it comes, and no more of it is kept than may be.
How long it may take is bounded, and so is how many are kept at once. A page of another host is refused, and no CORS
header allows one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from anyio import CapacityLimiter, WouldBlock
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from mha_api import ready, requests
from mha_api.headers import same_origin
from mha_api.requests import RefusedError
from mha_core.errors import N_, MhaError
from mha_core.example.files import MAX_BYTES

MOST_READ: Final = 4 * MAX_BYTES
"""Bytes of a body, after which the connection is closed."""
SECONDS: Final = 60.0
"""How long a body may take to arrive."""
ROOM: Final = CapacityLimiter(64)
"""Requests whose bodies are kept at once."""


async def answered(request: Request, compute: Callable[[bytes, str], Awaitable[Response]]) -> Response:
    """What ``compute`` makes of the body and the language once the libraries are there, or one sentence."""
    language = requests.language(request)
    try:
        return await _answer(request, compute, language)
    except MhaError as error:
        return requests.refusal(error, language)
    except ClientDisconnect:
        return Response(status_code=400)  # it went; nobody reads this


async def _answer(
    request: Request, compute: Callable[[bytes, str], Awaitable[Response]], language: str
) -> Response:
    if not same_origin(request.headers):
        raise RefusedError(403, N_("a page of another host may not ask here"))
    try:
        ROOM.acquire_nowait()
    except WouldBlock:
        raise RefusedError(503, N_("too many ask at once; try again in a moment")) from None
    try:
        too_large = RefusedError(413, N_("the file is larger than {most} MB"), most=MAX_BYTES // 1_000_000)
        body = await requests.body(
            request, most=MAX_BYTES, read=MOST_READ, seconds=SECONDS, too_large=too_large
        )
        await ready.imported()
        return await compute(body, language)
    finally:
        ROOM.release()
