"""What a route is asked with: the language of the answer, whether it may be compressed, a body that has bounds, and how
a request is refused.

A refusal is one sentence in the asker's language, ``{"error": …, "place": …}``, whatever is wrong; ``fits`` beside it
says of a text that is too long how many of its characters are read.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping

from anyio import move_on_after
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from mha_core.errors import N_, MhaError
from mha_core.messages import language_of
from mha_core.quoted import quoted
from mha_view.language import words_in


class RefusedError(MhaError):
    """A request that is refused for what its example has no part in, with a status that says so."""

    def __init__(self, status: int, template: str, *, place: str = "", **values: object) -> None:
        super().__init__(template, place=place, **values)
        self.status = status


def language(request: Request) -> str:
    """The language of the parameter ``lang``, else of the header Accept-Language."""
    asked = request.query_params.get("lang") or request.headers.get("accept-language", "").strip()
    return language_of(asked)


def address(connection: HTTPConnection) -> str:
    """Who asks: the address of the machine, or of the network that it is behind."""
    return connection.client.host if connection.client else ""


def refusal(error: MhaError, language: str) -> Response:
    """What is wrong as one sentence; 422 where the error names no other status."""
    status = error.status if isinstance(error, RefusedError) else 422
    sentence = error.sentence(words_in(language))
    # What is left of a body that was not read to its end is none of the next request.
    headers = {"Connection": "close"} if status in (408, 413) else None
    fields: dict[str, object] = {"error": sentence, "place": error.place}
    if error.values.get("fits"):
        fields["fits"] = error.values["fits"]
    content = json.dumps(fields, ensure_ascii=False) + "\n"
    return Response(content, status, headers, "application/json")


def compressed(request: Request, packed: bytes, kind: str, headers: Mapping[str, str]) -> Response:
    """What was compressed by gzip beforehand, as it is where the asker can unpack it."""
    given = {"Vary": "Accept-Encoding", **headers}
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(gzip.decompress(packed), 200, given, kind)
    return Response(packed, 200, given | {"Content-Encoding": "gzip"}, kind)


async def body(request: Request, *, most: int, read: int, seconds: float, too_large: RefusedError) -> bytes:
    """The whole body, of the type JSON where there is one. Raises ``RefusedError``.

    One of more than ``most`` bytes is refused as ``too_large`` says; up to ``read`` of them are read and dropped
    first: many a sender listens only when it has sent all. Nothing is waited for longer than ``seconds``.
    """
    kept, size = bytearray(), 0
    with move_on_after(seconds):
        async for chunk in request.stream():
            size += len(chunk)
            if size <= most:
                kept += chunk
            elif size > read:
                break
        if size > most:
            raise too_large
        kind = request.headers.get("content-type", "")
        if kept and not _is_json(kind):
            raise RefusedError(
                415, N_("expected a body of the type application/json, got {got}"), got=quoted(kind)
            )
        return bytes(kept)
    raise RefusedError(408, N_("the body did not arrive within {most} seconds"), most=round(seconds))


def _is_json(kind: str) -> bool:
    kind = kind.partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))
