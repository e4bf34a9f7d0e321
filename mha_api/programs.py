"""``POST /api/trace``, ``/api/explain`` and ``/api/check``: what the commands of these names print, for programs.

The body is an example file, the parameters of the address say the rest, as ``docs/http.md`` has it. ``queries``
computes the answer, in a thread, a few at once; pages are answered meanwhile. What is refused has one sentence,
``{"error": …, "place": …}``, in the language of the parameter ``lang``, else of the header Accept-Language.

A body is read as it comes, and no more of it is kept than a file may hold; there is an end to how long it may take
and to how many are kept at once. A page of another host is refused, and no CORS header allows one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from anyio import CapacityLimiter, WouldBlock, move_on_after, to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response

from mha_api import ready
from mha_api.headers import same_origin
from mha_core.errors import N_, MhaError
from mha_core.example.files import MAX_BYTES
from mha_core.messages import language_of
from mha_ui.language import words_in

MOST_READ: Final = 4 * MAX_BYTES
"""Bytes of a body, after which the connection is closed."""
SECONDS: Final = 60.0
"""How long a body may take to arrive."""
ROOM: Final = CapacityLimiter(64)
"""Requests whose bodies are kept at once."""
COMPUTING: Final = CapacityLimiter(2)
"""Answers that are computed at once."""
OPENAPI: Final = Path(__file__).with_name("openapi.json")


class RefusedError(MhaError):
    """A request that is turned away for what its example has no part in, with a status that says so."""

    def __init__(self, status: int, template: str, **values: object) -> None:
        super().__init__(template, place="", **values)
        self.status = status


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
    """``GET /api/openapi.json``: all of this as a program can read it."""
    return FileResponse(OPENAPI, media_type="application/json")


async def _answered(command: str, request: Request) -> Response:
    language = language_of(
        request.query_params.get("lang") or request.headers.get("accept-language", "").strip()
    )
    try:
        return Response(await _answer(command, request, language), media_type="application/json")
    except RefusedError as error:
        return _refusal(error, language, error.status)
    except MhaError as error:
        return _refusal(error, language, 422)
    except ClientDisconnect:
        return Response(status_code=400)  # it went; nobody reads this


def _refusal(error: MhaError, language: str, status: int) -> Response:
    sentence = error.sentence(words_in(language)(error.template))
    # What is left of a body that was not read to its end is none of the next request.
    headers = {"Connection": "close"} if status in (408, 413) else None
    content = json.dumps({"error": sentence, "place": error.place}, ensure_ascii=False) + "\n"
    return Response(content, status, headers, "application/json")


async def _answer(command: str, request: Request, language: str) -> bytes:
    if not same_origin(request.headers):
        raise RefusedError(403, N_("a page of another host may not ask here"))
    try:
        ROOM.acquire_nowait()
    except WouldBlock:
        raise RefusedError(503, N_("too many ask at once; try again in a moment")) from None
    try:
        body = await _body(request)
        kind = request.headers.get("content-type", "")
        if body and not _is_json(kind):
            raise RefusedError(
                415, N_("expected a body of the type application/json, got {got}"), got=ascii(kind[:40])
            )
        await ready.imported()
        from mha_api import queries  # noqa: PLC0415  # it imports torch, which must not keep the port closed

        given = request.query_params.multi_items()
        return await to_thread.run_sync(queries.answer, command, body, given, language, limiter=COMPUTING)
    finally:
        ROOM.release()


async def _body(request: Request) -> bytes:
    """The whole body. Raises ``RefusedError`` where it is larger than a file may be, or takes too long.

    One that is too large is read on for a while, and dropped: many a sender listens only when it has sent all.
    """
    body, size = bytearray(), 0
    with move_on_after(SECONDS):
        async for chunk in request.stream():
            size += len(chunk)
            if size <= MAX_BYTES:
                body += chunk
            elif size > MOST_READ:
                break
        if size <= MAX_BYTES:
            return bytes(body)
        raise RefusedError(413, N_("the file is larger than {most} MB"), most=MAX_BYTES // 1_000_000)
    raise RefusedError(408, N_("the body did not arrive within {most} seconds"), most=round(SECONDS))


def _is_json(kind: str) -> bool:
    kind = kind.partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))
