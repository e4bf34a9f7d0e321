"""The server's own routes beside Streamlit's pages, and what every request passes. Starlette; never Streamlit.

Nothing that an answer depends on is kept between two requests, but for rooms. ``ready`` (the libraries are imported
while the port is open already), ``headers`` (who may ask, and what a browser may do with the answers), ``first_style``
(a page looks right from the start), ``live`` (the socket by which numbers follow an edit at once), ``channel`` (what it
answers), ``changes`` (what differs between two computations), ``requests`` (what is refused), ``bodies`` (what every
route that computes does with them), ``programs`` (the same by plain HTTP, for programs), ``queries`` (what they are
answered), ``models`` (a sentence through a trained model), ``heads`` (what is answered of it), ``runs`` (the last of
them), ``message`` (numbers on their way to a browser), ``codes`` (a link as a QR code), ``assets`` (what a browser
keeps), ``rooms`` (those who follow a lecture).

A route is one line of ``ROUTES``. Its module is imported before the libraries are there: what it computes with it
imports in its functions, after ``await ready.imported()``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Final

from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute

from mha_api import assets, codes, live, models, programs, ready
from mha_api.first_style import FirstStyle
from mha_api.headers import FRAME_ANCESTORS, Guard
from mha_api.rooms import Rooms
from mha_api.rooms.page import Follower, Page
from mha_api.rooms.store import Store

ROUTES: Final[list[BaseRoute]] = [
    Route("/ready", ready.answer),
    WebSocketRoute("/live", live.live),
    Route("/trace", programs.trace, methods=["POST"]),
    Route("/explain", programs.explain, methods=["POST"]),
    Route("/check", programs.check, methods=["POST"]),
    Route("/openapi.json", programs.openapi),
    Route("/qr", codes.qr),
    Route("/plotly/{version}.js", assets.plotly),
    Route("/models", models.cards),
    Route("/models/run", models.run, methods=["POST"]),
    Route("/models/head", models.head, methods=["POST"]),
    Route("/models/pooled", models.pooled, methods=["POST"]),
    Route("/models/shuffled", models.shuffled, methods=["POST"]),
    Route("/models/guesses", models.guesses, methods=["POST"]),
]
"""What is served below ``/api`` whoever asks; rooms come to it."""


def routes(
    base: str = "",
    follower: Follower | None = None,
    store: Store | None = None,
    modules: assets.Modules | None = None,
    words: Callable[[str], tuple[str, str] | None] | None = None,
) -> list[BaseRoute]:
    """Every route, below ``base`` (Streamlit's ``server.baseUrlPath``).

    ``modules``: those that the pages load; ``words``: those of a page, as ``assets.Words`` serves them; ``follower``:
    what those see who follow a lecture, in the rooms of a ``store``; without them there are no rooms.
    """
    served = [*ROUTES]
    beside: list[BaseRoute] = []
    if modules:
        scripts = assets.Served(modules)
        served += [
            Route("/modules/{version}/{page}.js", scripts.page),
            Route("/modules/{version}/{place:path}", scripts.module),
        ]
    if words:
        served.append(Route("/words/{version}/{page}.js", assets.Words(words).page))
    if follower and store:
        page = Page(follower)
        served += [*Rooms(store, follower.walk).routes(), *page.assets()]
        beside = page.routes(_below(base))
    return [Mount(f"{_below(base)}/api", routes=served), *beside]


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
