"""``/api/models``: a sentence through a trained model, for the page Models.

    GET  /api/models            the models on offer: {"models": [{"key", "title", "about", "languages"}, …]}
    POST /api/models/run        all heads of a sentence, or of two for comparison; binary
    POST /api/models/head       one head's exact numbers; binary
    POST /api/models/pooled     a part of one head's map, in at most as many blocks as a screen has points; binary
    POST /api/models/shuffled   what every head does on average when the words are shuffled; binary
    POST /api/models/guesses    the words that the model expects at a position, with all heads and without some

``model_answers`` has the fields of requests and answers. It computes in a few threads. Between two requests only the
models and their latest runs are stored, to save time.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import Response

from mha_api import requests

if TYPE_CHECKING:
    from mha_core.models import AnyModel, Card

COMPUTING: Final = CapacityLimiter(2)
"""Answers that are computed at once."""
LOADING: Final = CapacityLimiter(8)
"""Models that are loaded or downloaded at once; computations do not wait for them."""
_LOADING: Final[dict[str, asyncio.Task[AnyModel]]] = {}
"""By key, each model that is being loaded: all requests for it wait for the same task."""
BINARY: Final = "application/octet-stream"


async def cards(request: Request) -> Response:
    """``GET /api/models``: the models on offer."""
    return await _answered("cards", request, "application/json")


async def run(request: Request) -> Response:
    """``POST /api/models/run``: every head's weights and measures, of one sentence or two."""
    return await _answered("run", request, BINARY)


async def head(request: Request) -> Response:
    """``POST /api/models/head``: one head's weights, scores, queries and keys."""
    return await _answered("head", request, BINARY)


async def pooled(request: Request) -> Response:
    """``POST /api/models/pooled``: one head's map, or a part of it, in blocks."""
    return await _answered("pooled", request, BINARY)


async def shuffled(request: Request) -> Response:
    """``POST /api/models/shuffled``: what every head does on average when the words are shuffled."""
    return await _answered("shuffled", request, BINARY)


async def guesses(request: Request) -> Response:
    """``POST /api/models/guesses``: the likeliest words at a position, before and after heads are switched off."""
    return await _answered("guesses", request, "application/json")


async def _answered(name: str, request: Request, kind: str) -> Response:
    async def compute(body: bytes, language: str) -> Response:
        from mha_api import model_answers  # noqa: PLC0415  # it imports torch, which must not keep the port closed
        from mha_api.model_requests import NotLoadedError  # noqa: PLC0415  # so does it

        while True:
            try:
                content = await to_thread.run_sync(
                    model_answers.ANSWERS[name], body, language, limiter=COMPUTING
                )
            except NotLoadedError as missing:
                await _loaded(missing.card)
            else:
                return Response(content, media_type=kind)

    return await requests.computed(request, compute)


async def _loaded(card: Card) -> None:
    """Load a model, once for all requests that wait for it. Raises ``ModelError``."""
    from mha_core.models import load  # noqa: PLC0415  # as above

    if card.key not in _LOADING:
        loading = asyncio.create_task(to_thread.run_sync(load, card, limiter=LOADING))
        loading.add_done_callback(lambda _: _LOADING.pop(card.key, None))
        _LOADING[card.key] = loading
    await asyncio.shield(_LOADING[card.key])
