"""The server's own routes beside Streamlit's pages, and the middleware of every request. Starlette; never Streamlit.

- ``ready``: the libraries are imported while the port is already open.
- ``headers``: who may send requests, and what a browser may do with the answers.
- ``first_style``: a page has its layout before its script has run.
- ``requests``: what all HTTP routes have in common: language, body, refusals.
- ``turns``: what takes long is computed in threads, in turn.
- ``live``: the websocket by which numbers follow an edit at once. ``channel`` answers its messages, ``changes`` finds
  the rows that differ between two computations, ``message`` packs numbers for the browser.
- ``commands``: the command line's answers over HTTP; ``command_answers`` computes them.
- ``models``: a sentence through a trained model. ``model_requests`` reads a request, ``model_answers`` computes the
  answer, ``model_runs`` stores the latest runs.
- ``trainings``: the websocket of the page Train; ``training_session`` has the training that it shows.
- ``rooms``: the audience of a lecture.
- ``qr_code``: a link as a QR code.
- ``metrics``: what Prometheus reads, at a port of its own; ``histogram`` counts durations. ``logs``: the log as JSON.
- ``assets``: scripts that a browser caches.

No answer depends on an earlier request, except in rooms and on the websockets.

A route is one line of ``ROUTES``. Its module is imported before the libraries are, so it imports what it computes with
inside its functions, after ``await ready.imported()``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Final

from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute

from mha_api import assets, commands, live, models, qr_code, ready, trainings
from mha_api.first_style import FirstStyle
from mha_api.headers import FRAME_ANCESTORS, Guard
from mha_api.rooms import Rooms
from mha_api.rooms.page import Follower, Page
from mha_api.rooms.store import Store

ROUTES: Final[list[BaseRoute]] = [
    Route("/ready", ready.answer),
    WebSocketRoute("/live", live.live),
    WebSocketRoute("/train", trainings.train),
    Route("/trace", commands.trace, methods=["POST"]),
    Route("/explain", commands.explain, methods=["POST"]),
    Route("/check", commands.check, methods=["POST"]),
    Route("/openapi.json", commands.openapi),
    Route("/qr", qr_code.qr),
    Route("/plotly/{version}.js", assets.plotly),
    Route("/models", models.cards),
    Route("/models/run", models.run, methods=["POST"]),
    Route("/models/head", models.head, methods=["POST"]),
    Route("/models/pooled", models.pooled, methods=["POST"]),
    Route("/models/shuffled", models.shuffled, methods=["POST"]),
    Route("/models/guesses", models.guesses, methods=["POST"]),
]
"""The routes below ``/api`` that every server has; rooms and scripts are added."""


def routes(
    base: str = "",
    follower: Follower | None = None,
    store: Store | None = None,
    modules: assets.Modules | None = None,
    words: Callable[[str], tuple[str, str] | None] | None = None,
) -> list[BaseRoute]:
    """Every route, below ``base`` (Streamlit's ``server.baseUrlPath``).

    ``modules``: the browser's modules, which the pages load. ``words``: the words of a page, as ``assets.Words`` serves
    them. ``follower``: the page of a lecture's audience; ``store``: its rooms. Without both there are no rooms.
    """
    below_api = [*ROUTES]
    beside_api: list[BaseRoute] = []
    if modules:
        scripts = assets.Served(modules)
        below_api += [
            Route("/modules/{version}/{page}.js", scripts.page),
            Route("/modules/{version}/{place:path}", scripts.module),
        ]
    if words:
        below_api.append(Route("/words/{version}/{page}.js", assets.Words(words).page))
    if follower and store:
        page = Page(follower)
        below_api += [*Rooms(store, follower.walk).routes(), *page.assets()]
        beside_api = page.routes(_below(base))
    return [Mount(f"{_below(base)}/api", routes=below_api), *beside_api]


def middleware(
    settings: Mapping[str, str] = os.environ, style: str = "", *, keeps_styles: bool = False
) -> list[Middleware]:
    """What every request passes; set by ``MHA_HOSTS`` and ``MHA_FRAME_ANCESTORS`` (see ``headers``).

    ``style``: a stylesheet that is written into every page. ``keeps_styles``: a browser may keep those of components,
    which are not being edited.
    """
    hosts = [host for host in settings.get("MHA_HOSTS", "").replace(",", " ").split() if host]
    ancestors = settings.get("MHA_FRAME_ANCESTORS", "").strip() or FRAME_ANCESTORS
    guard = Middleware(Guard, hosts=hosts, frame_ancestors=ancestors, keeps_styles=keeps_styles)
    return [guard, Middleware(FirstStyle, style=style)] if style else [guard]


def _below(base: str) -> str:
    return f"/{base.strip('/')}" if base.strip("/") else ""
