"""``/api/qr?link=…``: a link as a QR code, so that a telephone opens what stands on a screen."""

from __future__ import annotations

from io import BytesIO
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from mha_api.turns import in_turn

MOST_BYTES: Final = 2900
"""Longest link that is drawn; the largest code of all holds 2,953 bytes."""
_QUIET: Final = 4
"""Modules of blank paper around a code, without which it is not found."""


async def qr(request: Request) -> Response:
    """The code as SVG, dark on white; 422 for what is no link or too long for a code."""
    link = request.query_params.get("link", "")
    if not link.startswith(("http://", "https://")) or len(link.encode()) > MOST_BYTES:
        return PlainTextResponse(f"A link of at most {MOST_BYTES} bytes is wanted.\n", 422)
    code = await in_turn(request, drawn, link)  # the largest takes a third of a second
    return Response(code, media_type="image/svg+xml", headers={"Cache-Control": "no-store"})


def drawn(link: str) -> bytes:
    """A link as a QR code: an SVG of its modules, with a view box alone, so that it is as large as its place."""
    import segno  # noqa: PLC0415  # wanted now and then, and the port is to be open soon

    out = BytesIO()
    code = segno.make_qr(link, error="l")  # more is taken where it costs no larger code
    code.save(out, kind="svg", border=_QUIET, light="#fff", omitsize=True, xmldecl=False)
    return out.getvalue()
