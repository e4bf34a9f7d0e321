"""Rooms: missing permissions, limits, and malformed requests."""

import asyncio
import json
from random import Random
from typing import Any

import pytest
from anyio import CapacityLimiter

from mha_api import rooms
from mha_api.rooms import limits, room, store
from mha_api.rooms.limits import Buckets
from mha_api.rooms.room import _PLACE
from mha_api.rooms.store import InProcess
from mha_core.example.share_link import MAX_TOKEN
from mha_core.messages import LANGUAGES
from mha_view.language import words_in
from tests.api.asgi import post, run
from tests.api.rooms import CELL, CHOICES, FIRST, Lecture, error, law, parts, scene
from tests.sizes import shortened

# --- permissions ----------------------------------------------------------------------------------------------------

PRESENTED = [
    ("PUT", "/place", FIRST),
    ("POST", "/questions", CHOICES),
    ("DELETE", "/questions/1", None),
    ("DELETE", "", None),
]


@pytest.mark.parametrize(("method", "path", "body"), PRESENTED)
@pytest.mark.parametrize(
    "key", ["", "Bearer", "Bearer ", "Bearer x", "Basic {key}", "{key}", "Bearer {key}x", "Bearer é"]
)
def test_a_presenter_s_requests_need_the_key(method, path, body, key):
    async def act():
        lecture = await Lecture().opened(FIRST)
        header = key.format(key=lecture.key)
        answer = await lecture.request(method, f"/{lecture.code}{path}", body, authorization=header)
        assert (answer.status, error(answer)) == (403, "this is not the key of the room")
        async with lecture.listen() as listener:
            assert (await listener.next()).data["step"] == "q"

    run(act())


@pytest.mark.parametrize("number", ["2", "-1", "01", "1e0", "x", "9" * 5000], ids=lambda text: text[:4])
def test_a_question_that_does_not_exist_is_not_closed(number):
    async def act():
        lecture = await Lecture().opened(FIRST)
        key = f"Bearer {lecture.key}"
        await lecture.request("POST", f"/{lecture.code}/questions", CHOICES, authorization=key)
        answer = await lecture.request("DELETE", f"/{lecture.code}/questions/{number}", authorization=key)
        assert (answer.status, error(answer)) == (404, "there is no such question")

    run(act())


@law
async def test_the_key_of_another_room_is_refused():
    lecture = await Lecture().opened(FIRST)
    other = await Lecture(lecture.store).opened(FIRST)
    answer = await lecture.request("DELETE", f"/{lecture.code}", authorization=f"Bearer {other.key}")
    assert answer.status == 403


@pytest.mark.parametrize(
    "code", ["222222", "K7QF2", "K7QF2MM", "K7QF1M", "..", "%00", "思考思考思考", "K7QF2M" * 99]
)
def test_there_is_no_room_of_a_code_that_nobody_opened(code):
    async def act():
        lecture = Lecture()
        for method, path in [
            ("GET", "/events"),
            ("PUT", "/place"),
            ("POST", "/answers"),
            ("GET", "/walks/x"),
        ]:
            answer = await lecture.request(method, f"/{code}{path}", FIRST)
            assert (answer.status, error(answer)) == (404, "there is no room with this code, or it has ended")

    run(act())


@law
async def test_a_code_may_be_typed_in_small_letters():
    lecture = await Lecture().opened(FIRST)
    lecture.code = lecture.code.lower()
    async with lecture.listen() as listener:
        assert (await listener.next()).data["step"] == "q"


@pytest.fixture
def few(monkeypatch):
    """An address may try ten codes and open ten rooms."""
    for name in ("MISSES", "OPENED"):
        monkeypatch.setattr(rooms, name, (0.0, 10))


def test_an_address_that_tries_codes_is_stopped_and_learns_nothing(few):
    async def act():
        lecture = await Lecture().opened(FIRST)
        statuses = [(await lecture.request("GET", f"/{room.new_code()}/events")).status for _ in range(12)]
        assert statuses == [404] * 10 + [429] * 2
        assert (
            await lecture.request("GET", f"/{lecture.code}/events")
        ).status == 429  # the same as for a wrong code
        assert (
            await lecture.request("DELETE", f"/{lecture.code}", authorization="Bearer guessed")
        ).status == 429
        assert (await lecture.present("PUT", "/place", FIRST)).status == 204  # the right key is not a guess
        assert (await lecture.request("GET", f"/{room.new_code()}/events", client="10.0.0.7")).status == 404

    run(act())


def test_wrong_keys_count_as_guesses_too(few):
    async def act():
        lecture = await Lecture().opened(FIRST)
        answers = [
            await lecture.request("DELETE", f"/{lecture.code}", authorization="Bearer x") for _ in range(12)
        ]
        assert [answer.status for answer in answers] == [403] * 10 + [429] * 2

    run(act())


def test_one_address_opens_a_limited_number_of_rooms(few):
    async def act():
        lecture = Lecture()
        assert [(await lecture.request("POST", "")).status for _ in range(11)] == [201] * 10 + [429]
        assert (await lecture.request("POST", "", client="10.0.0.7")).status == 201

    run(act())


def test_a_bucket_fills_up_again_and_the_least_recently_used_is_forgotten(monkeypatch):
    now = 0.0
    buckets = Buckets(2, 3, lambda: now)
    for _ in range(3):
        assert buckets.may("one")
        buckets.take("one")
    assert not buckets.may("one")
    assert buckets.may("other")
    now = 0.5
    assert buckets.may("one")
    buckets.take("one")
    assert not buckets.may("one")
    now = 1000.0
    for _ in range(3):
        buckets.take("one")
    assert not buckets.may("one")
    monkeypatch.setattr(limits, "MOST", 2)
    for address in ("two", "three"):
        buckets.take(address)
    assert buckets.may("one")


@pytest.mark.parametrize("origin", ["http://elsewhere.example", "null", ""])
def test_a_page_of_another_host_is_refused(origin):
    async def act():
        lecture = await Lecture().opened(FIRST)
        for method, path, body in PRESENTED:
            answer = await lecture.present(method, path, body, origin=origin)
            assert (answer.status, error(answer)) == (
                403,
                ("pages on other hosts are not allowed to use this endpoint"),
            )
        assert (await lecture.request("POST", "", origin=origin)).status == 403
        assert (await lecture.present("PUT", "/place", FIRST, origin="http://localhost:8501")).status == 204

    run(act())


# --- limits ---------------------------------------------------------------------------------------------------------


def test_rooms_and_listeners_are_limited(monkeypatch):
    for name, most in (("MAX_ROOMS", 2), ("MAX_LISTENERS", 2)):
        monkeypatch.setattr(store, name, most)

    async def act():
        lecture = await Lecture().opened(FIRST)
        assert (await lecture.request("POST", "")).status == 201
        answer = await lecture.request("POST", "")
        assert (answer.status, error(answer)) == (503, "there are too many rooms; try again later")
        async with lecture.listen(), lecture.listen("?counts=1"), lecture.listen() as third:
            assert await third.status == 503
        async with lecture.listen() as again:
            assert await again.status == 200

    run(act())


def test_answers_are_limited(monkeypatch):
    monkeypatch.setattr(store, "MAX_ANSWERS", 2)

    async def act():
        lecture = await Lecture().opened(FIRST)
        await lecture.present("POST", "/questions", CHOICES)
        for name in ("a", "b", "a"):
            assert (await lecture.answer(1, 0, name)).status == 204
        answer = await lecture.answer(1, 0, "c")
        assert (answer.status, error(answer)) == (503, "this question has too many answers")

    run(act())


@law
async def test_one_address_has_a_limited_number_of_streams():
    lecture = await Lecture(per_address=2).opened(FIRST)
    async with lecture.listen(), lecture.listen("?counts=1"), lecture.listen() as third:
        assert await third.status == 429
        async with lecture.listen(client="10.0.0.7") as other:
            assert await other.status == 200
    async with lecture.listen() as again:
        assert await again.status == 200


@law
async def test_one_address_cannot_use_up_the_answers_to_a_question():
    lecture = await Lecture(per_address=2).opened(FIRST)
    await lecture.present("POST", "/questions", CHOICES)
    for _ in range(2):
        async with lecture.listen() as one:
            assert (await lecture.answer_as(await one.id, 1, 0)).status == 204
            assert (await lecture.answer_as(await one.id, 1, 1)).status == 204  # in place of the first
    async with lecture.listen() as third:
        answer = await lecture.answer_as(await third.id, 1, 0)
        assert (answer.status, error(answer)) == (429, "too many answers came from your address")
        assert (await lecture.answer_as(await third.id, 1, 0, client="10.0.0.7")).status == 204
        await lecture.present("POST", "/questions", CHOICES)
        assert (await lecture.answer_as(await third.id, 2, 0)).status == 204


@pytest.mark.parametrize("text", ["0", "-1", "many", "1.5", "\u0661"])
def test_the_limit_of_streams_is_a_whole_number(text):
    assert limits.streams({}) == limits.streams({"MHA_STREAMS": " "}) == 1500
    assert limits.streams({"MHA_STREAMS": "300"}) == 300
    with pytest.raises(ValueError, match="MHA_STREAMS: expected a whole number from 1 on"):
        limits.streams({"MHA_STREAMS": text})


# --- who may answer -------------------------------------------------------------------------------------------------


@law
async def test_an_answer_with_a_forged_id_is_refused():
    lecture = await Lecture().opened(FIRST)
    await lecture.present("POST", "/questions", CHOICES)
    forged = room.new_listener("the key of another room")
    answer = await lecture.answer_as(forged, 1, 0)
    assert (answer.status, error(answer)) == (403, "only participants of the room can answer")
    async with lecture.listen(f"?listener={forged}") as listener:
        assert await listener.id != forged
        assert (await lecture.answer_as(forged, 1, 0)).status == 403


@law
async def test_a_listener_may_answer_while_the_stream_is_open_and_for_half_a_minute_after():
    lecture = await Lecture().opened(FIRST)
    await lecture.present("POST", "/questions", CHOICES)
    async with lecture.listen() as listener:
        issued = await listener.id
        await lecture.backing.elapse(600)
        assert (await lecture.answer_as(issued, 1, 0)).status == 204
    await lecture.backing.elapse(28)
    assert (await lecture.answer_as(issued, 1, 0)).status == 204
    await lecture.backing.elapse(3)
    assert (await lecture.answer_as(issued, 1, 0)).status == 403


@law
async def test_a_listener_who_comes_back_is_the_same_one_and_has_one_answer():
    lecture = await Lecture().opened(FIRST)
    await lecture.present("POST", "/questions", CHOICES)
    async with lecture.listen() as listener:
        issued = await listener.id
        await lecture.answer_as(issued, 1, 0)
        async with lecture.listen(f"?listener={issued}") as back:  # before the first is known to be lost
            assert await back.id == issued
            assert (await lecture.store.counts(lecture.code)).listeners == 1
    await lecture.backing.elapse(3600)
    async with lecture.listen(f"?listener={issued}") as late:
        assert await late.id == issued
        assert (await lecture.answer_as(issued, 1, 2)).status == 204
        assert (await lecture.store.counts(lecture.code)).answers == {"2": 1}


@scene
async def test_a_listener_who_left_long_ago_is_forgotten():
    now = 0.0
    store = InProcess(lambda: now)
    lecture = await Lecture(store).opened(FIRST)
    for _ in range(3):
        async with lecture.listen():
            now += 31
    assert len(store._rooms[lecture.code].left) == 1


# --- bodies ---------------------------------------------------------------------------------------------------------


@law
async def test_a_listener_who_leaves_is_no_longer_counted():
    lecture = await Lecture().opened(FIRST)
    async with lecture.listen("?counts=1") as projector:
        for _ in range(3):
            async with lecture.listen():
                while (await projector.next("counts")).data["listeners"] != 1:
                    pass
            while (await projector.next("counts")).data["listeners"] != 0:
                pass


@law
async def test_the_size_of_a_body_is_limited():
    lecture = await Lecture().opened(FIRST)
    answer = await lecture.present("PUT", "/place", b" " * 70_000)
    assert (answer.status, error(answer)) == (413, "the body is larger than 64 kB")
    largest = {"token": "1" + "A" * (MAX_TOKEN - 1)}
    assert error(await lecture.present("PUT", "/place", largest)).startswith("the link is damaged")


def test_too_many_bodies_at_once_are_refused(monkeypatch):
    monkeypatch.setattr(rooms, "BODIES", CapacityLimiter(1))
    monkeypatch.setattr(rooms, "SECONDS", 0.05)

    async def act():
        lecture = await Lecture().opened(FIRST)

        async def silent():
            yield {"type": "http.request", "body": b"{", "more_body": True}
            await asyncio.Event().wait()

        address = f"/api/rooms/{lecture.code}/answers"
        slow = asyncio.create_task(post(lecture.app, address, silent(), content_type="application/json"))
        await asyncio.sleep(0)
        answer = await post(lecture.app, address, parts(b"{}"), content_type="application/json")
        assert answer.status == 503
        assert (await slow).status == 408

    run(act())


# --- malformed requests ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"", "this is not valid JSON"),
        (b"{", "this is not valid JSON"),
        (b"\xff", "this is not valid JSON"),
        (b"[" * 60_000, "this is not valid JSON"),
        (b'{"step":NaN}', "this is not valid JSON"),
        (b"9" * 6000, "this is not valid JSON"),
        (b"null", "expected a JSON object, got None"),
        (b"{}", "expected either a token or an example"),
        ({"token": "1", "example": "first"}, "expected either a token or an example"),
        ({"token": 7}, f"token: expected text of at most {MAX_TOKEN} characters"),
        ({"token": "1" * (MAX_TOKEN + 1)}, f"token: expected text of at most {MAX_TOKEN} characters"),
        ({"token": "1AAAA"}, "the link is damaged or incomplete"),
        ({"example": "../../etc/passwd"}, "example: '../../etc/passwd' is not allowed here"),
        (FIRST | {"step": "<b>"}, "step: '<b>' is not allowed here"),
        (FIRST | {"step": 7}, "step: 7 is not allowed here"),
        (FIRST | {"sub": "0"}, "sub: '0' is not allowed here"),
        (FIRST | {"sub": "1.2.3"}, "sub: '1.2.3' is not allowed here"),
        (FIRST | {"predict": 1}, "predict: expected true or false, got 1"),
        (FIRST | {"dark": 1}, "dark: expected true or false, got 1"),
        (FIRST | {"away": 1}, "away: expected true or false, got 1"),
        (FIRST | {"revealed": "all"}, "revealed: expected a list of at most 200"),
        (FIRST | {"revealed": ["x"] * 201}, "revealed: expected a list of at most 200"),
        (FIRST | {"revealed": ["\ud800"]}, "revealed: '\\ud800' is not allowed here"),
        (FIRST | {"decimals": 11}, "decimals: expected a whole number from 0 to 10, got 11"),
        (FIRST | {"decimals": True}, "decimals: expected a whole number from 0 to 10, got True"),
        (FIRST | {"exercise": "weights;x"}, "exercise: 'weights;x' is not allowed here"),
        (FIRST | {"link": "/" * 4001}, "link: expected text of at most 4000 characters"),
        (FIRST | {"link": "https://elsewhere.example/?ask=q"}, "link: this is not a link to an exercise"),
        (FIRST | {"link": "example=first"}, "link: this is not a link to an exercise"),
        (FIRST | {"link": "example=first&s=1eJy&ask=q"}, "link: this is not a link to an exercise"),
        (FIRST | {"link": "example=first&ask=q&ask=k"}, "link: this is not a link to an exercise"),
        (FIRST | {"link": "example=first&ask=<b>"}, "link: '<b>' is not allowed here"),
        (FIRST | {"name": "me"}, f"the keys here are {', '.join(_PLACE)}, got 'name'"),
    ],
    ids=lambda value: repr(value)[-40:],
)  # fmt: skip
def test_invalid_places(body, sentence):
    async def act():
        lecture = await Lecture().opened(FIRST)
        answer = await lecture.present("PUT", "/place", body)
        assert (answer.status, error(answer)) == (422, sentence)
        async with lecture.listen() as listener:
            assert (await listener.next()).data["sub"] == "2"

    run(act())


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({}, "a question needs either choices or a cell"),
        ({**CHOICES, **CELL}, "a question needs either choices or a cell"),
        ({"choices": ["one"]}, "choices: expected 2 to 6 choices"),
        ({"choices": ["x"] * 7}, "choices: expected 2 to 6 choices"),
        ({"choices": "ab"}, "choices: expected 2 to 6 choices"),
        ({"choices": ["a", 2]}, "choices: expected text of at most 200 characters"),
        ({"choices": ["a", "b"], "text": "x" * 201}, "text: expected text of at most 200 characters"),
        ({"cell": {"name": "q"}}, "cell: expected a cell with name, head, row and col"),
        ({"cell": CELL["cell"] | {"row": -1}}, "cell: expected a whole number from 0 to 9999, got -1"),
        ({"cell": CELL["cell"] | {"name": "__class__"}}, "cell: '__class__' is not allowed here"),
    ],
    ids=lambda value: repr(value)[-40:],
)
def test_invalid_questions(body, sentence):
    async def act():
        lecture = await Lecture().opened(FIRST)
        answer = await lecture.present("POST", "/questions", body)
        assert (answer.status, error(answer)) == (422, sentence)

    run(act())


@pytest.mark.parametrize(
    "change",
    [{"head": 99}, {"head": None}, {"row": 3}, {"col": 3}, {"name": "no_such"}, {"name": "concat"}],
    ids=str,
)
def test_a_question_about_a_cell_that_the_room_s_example_lacks_is_refused(change):
    async def act():
        lecture = await Lecture().opened(FIRST)
        answer = await lecture.present("POST", "/questions", {"cell": CELL["cell"] | change})
        assert (answer.status, error(answer)) == (
            422,
            "cell: the example in this room has no such cell",
        )

    run(act())


@pytest.mark.parametrize(
    ("example", "cell"),
    [
        ("first", {"name": "concat", "head": None, "row": 2, "col": 0}),
        ("grouped-query", {"name": "k", "head": 1, "row": 0, "col": 0}),
    ],
)
def test_a_question_may_be_about_any_cell_that_is_shown(example, cell):
    async def act():
        lecture = await Lecture().opened(FIRST | {"example": example})
        assert (await lecture.present("POST", "/questions", {"cell": cell})).status == 201

    run(act())


@law
async def test_before_an_example_is_shown_a_question_cannot_be_about_a_cell():
    lecture = await Lecture().opened()
    assert (await lecture.present("POST", "/questions", CELL)).status == 422
    assert (await lecture.present("POST", "/questions", CHOICES)).status == 201


@pytest.mark.parametrize(
    ("question", "answer", "sentence"),
    [
        (CHOICES, 3, "answer: expected a whole number from 0 to 2, got 3"),
        (CHOICES, "1", "answer: expected a whole number from 0 to 2, got '1'"),
        (CHOICES, True, "answer: expected a whole number from 0 to 2, got True"),
        (CHOICES, None, "answer: expected a whole number from 0 to 2, got None"),
        (CELL, 0.5, "answer: expected a number, got 0.5"),
        (CELL, "one half", "answer: expected a number, got 'one half'"),
        (CELL, "1e9999", "answer: expected a number, got '1e9999'"),
        (CELL, "nan", "answer: expected a number, got 'nan'"),
        (CELL, "", "answer: expected a number, got ''"),
        (CELL, "9" * 5000, f"answer: expected a number, got '{'9' * 20}…' (5,000 digits)"),
    ],
    ids=lambda value: repr(value)[-40:],
)
def test_invalid_answers(question, answer, sentence):
    async def act():
        lecture = await Lecture().opened(FIRST)
        await lecture.present("POST", "/questions", question)
        response = await lecture.answer(1, answer)
        assert (response.status, error(response)) == (422, sentence)

    run(act())


@pytest.mark.parametrize("listener", ["", "short", "a" * 41, "<script>", "名字名字名字名字", 7])
def test_a_listener_s_id_is_not_free_text(listener):
    async def act():
        lecture = await Lecture().opened(FIRST)
        await lecture.present("POST", "/questions", CHOICES)
        assert (await lecture.answer_as(listener, 1, 0)).status == 422

    run(act())


@pytest.mark.parametrize("text", ["0.5", "-0.5", "5", ".5", "5.", "1e-3", "2.5e+10", "-inf", "0.50"])
def test_numbers_as_they_are_typed(text):
    assert room.read_choice(text, 0) == text


@pytest.mark.parametrize("kind", ["text/plain", "", "multipart/form-data"])
def test_a_body_of_another_type(kind):
    async def act():
        lecture = await Lecture().opened(FIRST)
        assert (await lecture.present("PUT", "/place", FIRST, content_type=kind)).status == 415

    run(act())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_refusal_is_in_the_language_of_the_request(language):
    async def act():
        lecture = Lecture()
        answer = await lecture.request("GET", "/222222/events", accept_language=language)
        assert error(answer) == words_in(language)("there is no room with this code, or it has ended")
        answer = await lecture.request("GET", f"/222222/events?lang={language}")
        assert error(answer) == words_in(language)("there is no room with this code, or it has ended")

    run(act())


VALUES = [
    None,
    True,
    0,
    -1,
    1.5,
    1e308,
    10**30,
    "",
    "q",
    "first",
    "1AAAA",
    "\x00",
    "\ud800",
    "思考",
    [],
    [[]],
    {},
]
ANSWER = {"question": 1, "listener": "0123456789abcdef" * 2, "answer": 1}
SENT: list[tuple[str, dict[str, Any]]] = [
    ("/place", {**FIRST}),
    ("/questions", {**CELL}),
    ("/answers", ANSWER),
]


@pytest.mark.parametrize("seed", shortened(range(20), range(4)))
def test_malformed_requests_are_refused_and_change_nothing(seed):
    """For a place, a question and an answer alike."""
    random = Random(seed)

    async def act():
        lecture = await Lecture().opened(FIRST)
        await lecture.present("POST", "/questions", CHOICES)
        refused = 0
        for _ in range(250):
            path, valid = random.choice(SENT)
            body = dict(valid)
            body[random.choice([*body, "key", "__proto__"])] = random.choice(VALUES)
            sent = json.dumps(body).encode()
            if random.random() < 0.3:
                sent = sent[: random.randrange(len(sent))]
            answer = await lecture.present("PUT" if path == "/place" else "POST", path, sent)
            assert answer.status in (201, 204, 403, 409, 415, 422), (path, body, answer)
            if answer.status >= 400:
                assert error(answer)
                refused += 1
        assert refused > 100
        async with lecture.listen() as listener:
            assert (await listener.next()).kind in ("place", "question")

    run(act())
