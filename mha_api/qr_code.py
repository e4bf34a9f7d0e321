"""``/api/qr?link=…``: a link as a QR code, by which a phone opens the page on a screen."""

from __future__ import annotations

from io import BytesIO
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from mha_api.turns import in_turn

MOST_BYTES: Final = 2900
"""Longest link that is encoded; the largest QR code holds 2,953 bytes."""
_QUIET: Final = 4
"""Modules of blank margin around a code; a scanner needs them to find it."""


async def qr(request: Request) -> Response:
    """The code as SVG, dark on white; 422 if ``link`` is not a link or is too long."""
    link = request.query_params.get("link", "")
    if not link.startswith(("http://", "https://")) or len(link.encode()) > MOST_BYTES:
        return PlainTextResponse(f"A link of at most {MOST_BYTES} bytes is wanted.\n", 422)
    code = await in_turn(request, svg, link)  # the largest takes a third of a second
    return Response(code, media_type="image/svg+xml", headers={"Cache-Control": "no-store"})


def svg(link: str) -> bytes:
    """A link as a QR code in SVG. It has a view box but no size, so it fills the element that contains it."""
    import segno  # noqa: PLC0415  # rarely needed; the port should open soon

    out = BytesIO()
    code = segno.make_qr(link, error="l")  # segno raises the level where the code does not grow
    code.save(out, kind="svg", border=_QUIET, light="#fff", omitsize=True, xmldecl=False)
    return out.getvalue()
