"""The server's own routes beside Streamlit's pages, and what every request passes. Starlette; never Streamlit.

Nothing is kept between two requests. ``ready`` (the libraries are imported while the port is open already),
``headers`` (who may ask, and what a browser may do with the answers), ``first_style`` (a page looks right from the
start), ``live`` (the socket by which numbers follow an edit at once), ``channel`` (what it answers), ``changes`` (what
differs between two computations), ``programs`` (the same by plain HTTP, for programs), ``queries`` (what they are
answered), ``codes`` (a link as a QR code), ``assets`` (what a browser keeps).

A route is one line of ``ROUTES``. Its module is imported before the libraries are there: what it computes with it
imports in its functions, after ``await ready.imported()``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute

from mha_api import assets, codes, live, programs, ready
from mha_api.first_style import FirstStyle
from mha_api.headers import FRAME_ANCESTORS, Guard

ROUTES: Final[list[BaseRoute]] = [
    Route("/ready", ready.answer),
    WebSocketRoute("/live", live.live),
    Route("/trace", programs.trace, methods=["POST"]),
    Route("/explain", programs.explain, methods=["POST"]),
    Route("/check", programs.check, methods=["POST"]),
    Route("/openapi.json", programs.openapi),
    Route("/qr", codes.qr),
    Route("/plotly/{version}.js", assets.plotly),
]
"""What is served below ``/api``."""


def routes(base: str = "") -> list[BaseRoute]:
    """Every route, below ``base`` (Streamlit's ``server.baseUrlPath``)."""
    return [Mount(f"{_below(base)}/api", routes=ROUTES)]


def middleware(settings: Mapping[str, str] = os.environ, style: str = "") -> list[Middleware]:
    """What stands before every request; ``MHA_HOSTS`` and ``MHA_FRAME_ANCESTORS`` set it, ``headers`` says how.

    ``style``: a stylesheet that every page is given to begin with.
    """
    hosts = [host for host in settings.get("MHA_HOSTS", "").replace(",", " ").split() if host]
    ancestors = settings.get("MHA_FRAME_ANCESTORS", "").strip() or FRAME_ANCESTORS
    guard = Middleware(Guard, hosts=hosts, frame_ancestors=ancestors)
    return [guard, Middleware(FirstStyle, style=style)] if style else [guard]


def _below(base: str) -> str:
    return f"/{base.strip('/')}" if base.strip("/") else ""
