"""Rooms: a presenter opens one, and every telephone that knows its code stands where the presenter's walk stands.

``room`` reads what is sent, ``store`` keeps it, ``stream`` sends it to who listens, ``walks`` computes what a walk
shows, ``limits`` holds off who tries codes, ``page`` is what a telephone opens. Nobody is asked for a name: a listener
is an id that comes with his stream, by which he may answer while that is open; only counts of answers are shown.

A key opens what a presenter does; a listener needs the code alone.
"""

from __future__ import annotations

import hmac
import json
from typing import Any, Final

from anyio import CapacityLimiter, WouldBlock
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from mha_api import requests
from mha_api.requests import Handler, RefusedError
from mha_api.rooms import room
from mha_api.rooms.limits import Buckets
from mha_api.rooms.room import Numbers
from mha_api.rooms.store import AbsentError, CrowdedError, FullError, Message, Store
from mha_api.rooms.stream import Listening
from mha_api.rooms.walks import Walk, Walks
from mha_core.errors import N_

MOST_BODY: Final = 64_000
"""Bytes of what a presenter or a listener sends: the longest token of a link, with room."""
SECONDS: Final = 20.0
"""How long a body may take to arrive."""
BODIES: Final = CapacityLimiter(512)
"""Requests whose bodies are read at once."""
MISSES: Final = (5.0, 100)
"""Codes that there are not, which one address may try: a second in the long run, and at once. A hall is one address."""
OPENED: Final = (1 / 60, 30)
"""Rooms that one address may open: a second in the long run, and at once."""


class Rooms:
    """The routes of the rooms in a store; ``walk`` is what a walk of some numbers shows."""

    def __init__(self, store: Store, walk: Walk) -> None:
        self.store = store
        self._walks = Walks(walk)
        self._misses = Buckets(*MISSES)
        self._opened = Buckets(*OPENED)

    def routes(self) -> list[BaseRoute]:
        """As they stand below ``/api/rooms``."""
        routes: list[tuple[str, str, Handler]] = [
            ("POST", "/rooms", self.open),
            ("DELETE", "/rooms/{code}", self.end),
            ("PUT", "/rooms/{code}/place", self.place),
            ("GET", "/rooms/{code}/events", self.events),
            ("GET", "/rooms/{code}/walks/{walk}", self.walk),
            ("POST", "/rooms/{code}/questions", self.ask),
            ("DELETE", "/rooms/{code}/questions/{question}", self.close),
            ("POST", "/rooms/{code}/answers", self.answer),
        ]
        return [Route(path, requests.refusing(act), methods=[method]) for method, path, act in routes]

    # --- the presenter ---------------------------------------------------------------------------------------------

    async def open(self, request: Request) -> Response:
        """``POST /rooms``: a room of one's own; 201 with its code and key."""
        await self._body(request)
        address = requests.address(request)
        if not self._opened.may(address):
            raise RefusedError(429, N_("too many rooms were opened from here; try again in a minute"))
        key = room.new_key()
        try:
            while not await self.store.open(code := room.new_code(), key):
                pass
        except FullError:
            raise RefusedError(503, N_("there are too many rooms; try again later")) from None
        self._opened.take(address)
        return JSONResponse({"code": code, "key": key}, 201, _PRIVATE)

    async def end(self, request: Request) -> Response:
        """``DELETE /rooms/CODE``: it ends, and listeners hear of it."""
        code = await self._presented(request)
        await self.store.end(code)
        return Response(status_code=204)

    async def place(self, request: Request) -> Response:
        """``PUT /rooms/CODE/place``: where the walk stands; 204 once listeners have it."""
        code = await self._presented(request)
        numbers, place = room.read_place(await self._body(request))
        text = json.dumps(numbers)
        last = (await self._latest(code)).get("numbers")
        if last is None or last.text != text:  # it is looked at once, and is ready when listeners ask
            await self._walks.packed(numbers, requests.language(request))
            await self.store.publish(code, "numbers", text)
        await self.store.publish(code, "place", json.dumps({"walk": numbers.id} | place))
        return Response(status_code=204)

    async def ask(self, request: Request) -> Response:
        """``POST /rooms/CODE/questions``: a question in place of the last; 201 with its number."""
        code = await self._presented(request)
        question = room.read_question(await self._body(request))
        latest = await self._latest(code)
        numbers = _numbers(latest)
        if question.cell and not (
            numbers and await self._walks.has(numbers, requests.language(request), question.cell)
        ):
            raise RefusedError(422, N_("the example that the room shows has no such cell"), place="cell")
        last = _question(latest)
        number = last["question"] + 1 if last else 1
        message = {"question": number, "open": True} | question._asdict()
        await self.store.publish(code, "question", json.dumps(message), afresh=True)
        return JSONResponse({"question": number}, 201, _PRIVATE)

    async def close(self, request: Request) -> Response:
        """``DELETE /rooms/CODE/questions/QUESTION``: no more answers are taken."""
        code = await self._presented(request)
        last = _question(await self._latest(code))
        if last is None or str(last["question"]) != request.path_params["question"]:
            raise RefusedError(404, N_("there is no such question"))
        await self.store.publish(code, "question", json.dumps(last | {"open": False}))
        return Response(status_code=204)

    # --- a listener ------------------------------------------------------------------------------------------------

    async def events(self, request: Request) -> Response:
        """``GET /rooms/CODE/events``: what the presenter does, as it happens; with ``counts=1`` answers are counted.

        Who comes back says by ``listener`` who he is.
        """
        code = await self._known(request)
        key = await self.store.key(code) or ""
        revision = max((one.revision for one in (await self._latest(code)).values()), default=0)
        last = request.headers.get("last-event-id", "")
        seen = int(last) if last.isascii() and last.isdigit() and len(last) < 16 else 0
        if seen > revision:
            seen = 0  # of a room that had this code before
        issued = request.query_params.get("listener", "")
        listener = issued if room.is_listener(issued, key) else room.new_listener(key)
        who = None if request.query_params.get("counts") == "1" else listener

        def full(error: FullError) -> Response:
            return requests.refusal(_no_place(error), requests.language(request))

        return Listening(self.store, code, seen, listener=who, address=requests.address(request), full=full)

    async def walk(self, request: Request) -> Response:
        """``GET /rooms/CODE/walks/WALK``: what the walk shows that the last place names, in the asker's language."""
        code = await self._known(request)
        numbers = _numbers(await self._latest(code))
        if not numbers or numbers.id != request.path_params["walk"]:
            raise RefusedError(404, N_("the presenter has gone on to other numbers"))
        packed = await self._walks.packed(numbers, requests.language(request))
        headers = {"Cache-Control": "private, max-age=3600", "Vary": "Accept-Encoding, Accept-Language"}
        return requests.compressed(request, packed, "application/json", headers)

    async def answer(self, request: Request) -> Response:
        """``POST /rooms/CODE/answers``: an answer to the question that is open; the last one of a listener counts."""
        code = await self._known(request)
        number, listener, given = room.read_answer(await self._body(request))
        question = _question(await self._latest(code))
        if question is None or question["question"] != number or not question["open"]:
            raise RefusedError(409, N_("this question is closed"))
        text = room.read_choice(given, len(question["choices"]))
        try:
            await self.store.answer(code, listener, text, requests.address(request))
        except AbsentError:
            raise RefusedError(403, N_("only those who follow the room may answer")) from None
        except CrowdedError:
            raise RefusedError(429, N_("too many have answered from here")) from None
        except FullError:
            raise RefusedError(503, N_("too many have answered")) from None
        return Response(status_code=204)

    # --- who asks --------------------------------------------------------------------------------------------------

    async def _known(self, request: Request) -> str:
        """The code of a room that there is. Who tries too many others gets no answer any more."""
        address = requests.address(request)
        if not self._misses.may(address):
            raise RefusedError(429, N_("too many codes were tried from here; try again in a moment"))
        code = room.code_in(request.path_params["code"])
        if code is None or await self.store.key(code) is None:
            self._misses.take(address)
            raise RefusedError(404, _NO_ROOM)
        return code

    async def _presented(self, request: Request) -> str:
        """The same, where the presenter asks: his key is no guess, and a wrong one is."""
        code = room.code_in(request.path_params["code"])
        key = await self.store.key(code) if code else None
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        if (
            code
            and key
            and kind.lower() == "bearer"
            and hmac.compare_digest(given.strip().encode(), key.encode())
        ):
            return code
        await self._known(request)
        self._misses.take(requests.address(request))
        raise RefusedError(403, N_("this is not the key of the room"))

    async def _latest(self, code: str) -> dict[str, Message]:
        return dict(await self.store.latest(code) or {})

    async def _body(self, request: Request) -> bytes:
        too_large = RefusedError(413, N_("the body is larger than {most} kB"), most=MOST_BODY // 1000)
        try:
            BODIES.acquire_on_behalf_of_nowait(request)
        except WouldBlock:
            raise RefusedError(503, N_("too many ask at once; try again in a moment")) from None
        try:
            return await requests.read_body(
                request, most=MOST_BODY, read=4 * MOST_BODY, seconds=SECONDS, too_large=too_large
            )
        finally:
            BODIES.release_on_behalf_of(request)


_NO_ROOM: Final = N_("there is no room of this code, or it has ended")
_PRIVATE: Final = {"Cache-Control": "no-store"}


def _no_place(error: FullError) -> RefusedError:
    if isinstance(error, CrowdedError):
        return RefusedError(429, N_("too many listen from here already; try again in a moment"))
    return RefusedError(503, N_("too many listen here already; try again in a moment"))


def _numbers(latest: dict[str, Message]) -> Numbers | None:
    return Numbers(*json.loads(latest["numbers"].text)) if "numbers" in latest else None


def _question(latest: dict[str, Message]) -> dict[str, Any] | None:
    return json.loads(latest["question"].text) if "question" in latest else None
