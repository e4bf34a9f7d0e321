"""What all HTTP routes have in common: the language and the sender of a request, its body, and how it is refused.

A refusal is one sentence in the sender's language, ``{"error": …, "place": …}``. Where a text is too long, ``fits`` is
the number of its characters that would be read. A page of another host is refused, and no CORS header allows one.

A body is read as it arrives, and never more of it than allowed. The time that it may take is limited, and so is the
number of bodies in memory.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias

from anyio import CapacityLimiter, WouldBlock, move_on_after
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import Response

from mha_api import ready
from mha_api.headers import same_origin
from mha_core.errors import N_, MhaError
from mha_core.example.files import MAX_BYTES
from mha_core.messages import language_of
from mha_core.quoted import quoted
from mha_view.language import words_in

MAX_READ: Final = 4 * MAX_BYTES
"""Bytes of a body, after which the connection is closed."""
BODY_SECONDS: Final = 60.0
"""How long a body may take to arrive."""
BODIES: Final = CapacityLimiter(64)
"""Requests whose bodies are in memory at once."""

Handler: TypeAlias = Callable[[Request], Awaitable[Response]]


class RefusedError(MhaError):
    """A request that is refused for a reason other than its example, with the status of the answer."""

    def __init__(self, status: int, template: str, *, place: str = "", **values: object) -> None:
        super().__init__(template, place=place, **values)
        self.status = status


def language(request: Request) -> str:
    """The language of the parameter ``lang``, else of the header Accept-Language."""
    wanted = request.query_params.get("lang") or request.headers.get("accept-language", "").strip()
    return language_of(wanted)


def address(connection: HTTPConnection) -> str:
    """The address of the sender's machine, or of the network that it is behind."""
    return connection.client.host if connection.client else ""


def refusing(handler: Handler) -> Handler:
    """A route that answers a ``MhaError`` with its sentence, and refuses a page of another host."""

    async def answer(request: Request) -> Response:
        try:
            if not same_origin(request.headers):
                raise RefusedError(403, N_("pages on other hosts are not allowed to use this endpoint"))
            return await handler(request)
        except MhaError as error:
            return refusal(error, language(request))
        except ClientDisconnect:
            return Response(status_code=400)  # nobody is left to read this

    return answer


async def computed(request: Request, compute: Callable[[bytes, str], Awaitable[Response]]) -> Response:
    """What ``compute`` makes of the body and the language once the libraries are imported, or a refusal."""
    return await refusing(lambda request: _computed(request, compute))(request)


async def _computed(request: Request, compute: Callable[[bytes, str], Awaitable[Response]]) -> Response:
    try:
        BODIES.acquire_nowait()
    except WouldBlock:
        raise RefusedError(503, N_("too many requests at once; try again in a moment")) from None
    try:
        too_large = RefusedError(413, N_("the file is larger than {most} MB"), most=MAX_BYTES // 1_000_000)
        body = await read_body(
            request, most=MAX_BYTES, read=MAX_READ, seconds=BODY_SECONDS, too_large=too_large
        )
        await ready.imported()
        return await compute(body, language(request))
    finally:
        BODIES.release()


def refusal(error: MhaError, language: str) -> Response:
    """What is wrong as one sentence; the status is 422 where the error has no other."""
    status = error.status if isinstance(error, RefusedError) else 422
    sentence = error.sentence(words_in(language))
    # The rest of a body that was not read to its end must not be taken for the next request.
    headers = {"Connection": "close"} if status in (408, 413) else None
    fields: dict[str, object] = {"error": sentence, "place": error.place}
    if error.values.get("fits"):
        fields["fits"] = error.values["fits"]
    content = json.dumps(fields, ensure_ascii=False) + "\n"
    return Response(content, status, headers, "application/json")


def compressed(request: Request, packed: bytes, kind: str, headers: Mapping[str, str]) -> Response:
    """Data compressed by gzip beforehand; it is unpacked here if the client does not accept gzip."""
    headers = {"Vary": "Accept-Encoding", **headers}
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(gzip.decompress(packed), 200, headers, kind)
    return Response(packed, 200, headers | {"Content-Encoding": "gzip"}, kind)


async def read_body(
    request: Request, *, most: int, read: int, seconds: float, too_large: RefusedError
) -> bytes:
    """The whole body, whose type must be JSON unless it is empty. Raises ``RefusedError``.

    A body of more than ``most`` bytes is refused with ``too_large``. Up to ``read`` of its bytes are read and dropped
    first, since many clients read the answer only after they have sent everything. It may take ``seconds`` to arrive.
    """
    body, size = bytearray(), 0
    with move_on_after(seconds):
        async for chunk in request.stream():
            size += len(chunk)
            if size <= most:
                body += chunk
            elif size > read:
                break
        if size > most:
            raise too_large
        kind = request.headers.get("content-type", "")
        if body and not _is_json(kind):
            raise RefusedError(
                415, N_("expected a body of type application/json, got {got}"), got=quoted(kind)
            )
        return bytes(body)
    raise RefusedError(408, N_("the body did not arrive within {most} seconds"), most=round(seconds))


def _is_json(kind: str) -> bool:
    kind = kind.partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))
