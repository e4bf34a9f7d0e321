"""Rooms: a presenter opens one, and every phone with its code shows the presenter's position in the walk.

``room`` reads what is sent, ``store`` stores it (``redis_store`` for several servers), ``stream`` sends it to the
listeners, ``walks`` computes the data of a walk, ``limits`` stops those who try codes, ``page`` is the page that a
phone opens. Listeners are anonymous: each receives an id with the stream, by which it may answer while the stream is
open. Only counts of answers are shown.

A presenter's requests need the room's key, a listener's only its code.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Sequence
from typing import Final, TypedDict

from anyio import CapacityLimiter, WouldBlock
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from mha_api import requests
from mha_api.requests import Handler, RefusedError
from mha_api.rooms import room
from mha_api.rooms.limits import Buckets
from mha_api.rooms.room import Numbers
from mha_api.rooms.store import AbsentError, ClosedError, CrowdedError, FullError, LostError, Message, Store
from mha_api.rooms.stream import Listening
from mha_api.rooms.walks import Walk, Walks
from mha_core.errors import N_

MOST_BODY: Final = 64_000
"""Bytes of a request's body: room for the longest token of a link."""
SECONDS: Final = 20.0
"""How long a body may take to arrive."""
BODIES: Final = CapacityLimiter(512)
"""Requests whose bodies are in memory at once."""
MISSES: Final = (5.0, 100)
"""Wrong codes that one address may try: per second in the long run, and at once. A lecture hall is one address."""
OPENED: Final = (1 / 60, 30)
"""Rooms that one address may open: per second in the long run, and at once."""


class QuestionMessage(TypedDict):
    """A question as listeners receive it, with its number and whether answers are accepted."""

    question: int
    open: bool
    text: str
    choices: Sequence[str]
    cell: room.Cell | None


class Rooms:
    """The routes of the rooms in a store; ``walk`` computes the data of a walk."""

    def __init__(self, store: Store, walk: Walk) -> None:
        self.store = store
        self._walks = Walks(walk)
        self._misses = Buckets(*MISSES)
        self._opened = Buckets(*OPENED)

    def routes(self) -> list[BaseRoute]:
        """The routes below ``/api``."""
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
        """``POST /rooms``: open a room; 201 with its code and key."""
        await self._body(request)
        address = requests.address(request)
        if not self._opened.may(address):
            raise RefusedError(429, N_("too many rooms were opened from your address; try again in a minute"))
        key = room.new_key()
        try:
            while not await self.store.open(code := room.new_code(), key):
                pass
        except FullError:
            raise RefusedError(503, N_("there are too many rooms; try again later")) from None
        self._opened.take(address)
        return JSONResponse({"code": code, "key": key}, 201, _PRIVATE)

    async def end(self, request: Request) -> Response:
        """``DELETE /rooms/CODE``: end the room, for its listeners too."""
        code = await self._presenter_code(request)
        await self.store.end(code)
        return Response(status_code=204)

    async def place(self, request: Request) -> Response:
        """``PUT /rooms/CODE/place``: set the position in the walk; 204 once it is published."""
        code = await self._presenter_code(request)
        numbers, place = room.read_place(await self._body(request))
        text = json.dumps(numbers)
        last = (await self._latest(code)).get("numbers")
        if last is None or last.text != text:  # compute it now, so that it is ready when listeners request it
            await self._walks.packed(numbers, requests.language(request))
            await self.store.publish(code, "numbers", text)
        await self.store.publish(code, "place", json.dumps({"walk": numbers.id, **place}))
        return Response(status_code=204)

    async def ask(self, request: Request) -> Response:
        """``POST /rooms/CODE/questions``: replace the question; 201 with its number."""
        code = await self._presenter_code(request)
        question = room.read_question(await self._body(request))
        latest = await self._latest(code)
        numbers = _numbers(latest)
        if question.cell and not (
            numbers and await self._walks.has(numbers, requests.language(request), question.cell)
        ):
            raise RefusedError(422, N_("the example in this room has no such cell"), place="cell")
        last = _question(latest)
        number = last["question"] + 1 if last else 1
        message: QuestionMessage = {
            "question": number,
            "open": True,
            "text": question.text,
            "choices": question.choices,
            "cell": question.cell,
        }
        await self.store.publish(code, "question", json.dumps(message), drop_answers=True)
        return JSONResponse({"question": number}, 201, _PRIVATE)

    async def close(self, request: Request) -> Response:
        """``DELETE /rooms/CODE/questions/QUESTION``: accept no more answers."""
        code = await self._presenter_code(request)
        last = _question(await self._latest(code))
        if last is None or str(last["question"]) != request.path_params["question"]:
            raise RefusedError(404, N_("there is no such question"))
        await self.store.publish(code, "question", json.dumps({**last, "open": False}))
        return Response(status_code=204)

    # --- a listener ------------------------------------------------------------------------------------------------

    async def events(self, request: Request) -> Response:
        """``GET /rooms/CODE/events``: what the presenter does, as it happens; with ``counts=1`` also counts of answers.

        A listener who reconnects sends the id as ``listener``.
        """
        code = await self._room_code(request)
        key = await self.store.key(code) or ""
        newest = max((message.revision for message in (await self._latest(code)).values()), default=0)
        last_id = request.headers.get("last-event-id", "")
        revision = int(last_id) if last_id.isascii() and last_id.isdigit() and len(last_id) < 16 else 0
        if revision > newest:
            revision = 0  # from an earlier room with the same code
        previous_id = request.query_params.get("listener", "")
        listener = previous_id if room.is_listener(previous_id, key) else room.new_listener(key)
        counts_answers = request.query_params.get("counts") == "1"

        def refused(error: FullError | LostError) -> Response:
            refusal = error if isinstance(error, LostError) else _crowded(error)
            return requests.refusal(refusal, requests.language(request))

        return Listening(
            self.store,
            code,
            revision,
            listener=None if counts_answers else listener,
            address=requests.address(request),
            refused=refused,
        )

    async def walk(self, request: Request) -> Response:
        """``GET /rooms/CODE/walks/WALK``: the data of the latest place's walk, in the language of the request."""
        code = await self._room_code(request)
        numbers = _numbers(await self._latest(code))
        if not numbers or numbers.id != request.path_params["walk"]:
            raise RefusedError(404, N_("the presenter has moved on to other numbers"))
        packed = await self._walks.packed(numbers, requests.language(request))
        headers = {"Cache-Control": "private, max-age=3600", "Vary": "Accept-Encoding, Accept-Language"}
        return requests.compressed(request, packed, "application/json", headers)

    async def answer(self, request: Request) -> Response:
        """``POST /rooms/CODE/answers``: answer the open question; a listener's last answer counts."""
        code = await self._room_code(request)
        number, listener, answer = room.read_answer(await self._body(request))
        latest = await self._latest(code)
        question = _question(latest)
        if question is None or question["question"] != number or not question["open"]:
            raise RefusedError(409, _CLOSED)
        text = room.read_choice(answer, len(question["choices"]))
        try:
            revision = latest["question"].revision
            await self.store.answer(code, listener, text, requests.address(request), question=revision)
        except ClosedError:
            raise RefusedError(409, _CLOSED) from None
        except AbsentError:
            raise RefusedError(403, N_("only participants of the room can answer")) from None
        except CrowdedError:
            raise RefusedError(429, N_("too many answers came from your address")) from None
        except FullError:
            raise RefusedError(503, N_("this question has too many answers")) from None
        return Response(status_code=204)

    # --- permissions -----------------------------------------------------------------------------------------------

    async def _room_code(self, request: Request) -> str:
        """The code of an existing room. An address that has tried too many wrong codes gets no answer."""
        address = requests.address(request)
        if not self._misses.may(address):
            raise RefusedError(429, N_("too many codes were tried from your address; try again in a moment"))
        code = room.code_in(request.path_params["code"])
        if code is None or await self.store.key(code) is None:
            self._misses.take(address)
            raise RefusedError(404, _NO_ROOM)
        return code

    async def _presenter_code(self, request: Request) -> str:
        """The same for a presenter's request; a wrong key counts as a wrong code does."""
        code = room.code_in(request.path_params["code"])
        key = await self.store.key(code) if code else None
        kind, _, sent_key = request.headers.get("authorization", "").partition(" ")
        if (
            code
            and key
            and kind.lower() == "bearer"
            and hmac.compare_digest(sent_key.strip().encode(), key.encode())
        ):
            return code
        await self._room_code(request)
        self._misses.take(requests.address(request))
        raise RefusedError(403, N_("this is not the key of the room"))

    async def _latest(self, code: str) -> dict[str, Message]:
        return dict(await self.store.latest(code) or {})

    async def _body(self, request: Request) -> bytes:
        too_large = RefusedError(413, N_("the body is larger than {most} kB"), most=MOST_BODY // 1000)
        try:
            BODIES.acquire_on_behalf_of_nowait(request)
        except WouldBlock:
            raise RefusedError(503, N_("too many requests at once; try again in a moment")) from None
        try:
            return await requests.read_body(
                request, most=MOST_BODY, read=4 * MOST_BODY, seconds=SECONDS, too_large=too_large
            )
        finally:
            BODIES.release_on_behalf_of(request)


_CLOSED: Final = N_("this question is closed")
_NO_ROOM: Final = N_("there is no room with this code, or it has ended")
_PRIVATE: Final = {"Cache-Control": "no-store"}


def _crowded(error: FullError) -> RefusedError:
    if isinstance(error, CrowdedError):
        return RefusedError(429, N_("too many people have joined from your address; try again in a moment"))
    return RefusedError(503, N_("too many people have joined; try again in a moment"))


def _numbers(latest: dict[str, Message]) -> Numbers | None:
    return Numbers(*json.loads(latest["numbers"].text)) if "numbers" in latest else None


def _question(latest: dict[str, Message]) -> QuestionMessage | None:
    if "question" not in latest:
        return None
    message: QuestionMessage = json.loads(latest["question"].text)
    return message
