"""Rooms: what the presenter sends is what listeners receive, also those who come late or come back."""

import asyncio
import gzip
import json
import re
from unittest.mock import patch

import pytest

from mha_api.rooms import room, stream, walks
from mha_core import MhaError, built_in, to_token, trace
from mha_core.messages import LANGUAGES
from mha_core.walk.stages import walk as stages_of
from mha_view.language import words_in
from tests.api.asgi import run
from tests.api.rooms import CELL, CHOICES, FIRST, Lecture, error, law, scene

# --- what listeners receive -----------------------------------------------------------------------------------------


@law
async def test_a_room_has_a_code_that_can_be_read_aloud_and_a_key():
    lecture = await Lecture().opened()
    assert re.fullmatch(r"[234679CDFHJKMNPQRTVWXY]{6}", lecture.code)
    assert len(lecture.key) >= 32
    other = await Lecture(lecture.store).opened()
    assert other.code != lecture.code
    assert other.key != lecture.key


@law
async def test_listeners_receive_where_the_presenter_goes():
    lecture = await Lecture().opened()
    async with lecture.listen() as one, lecture.listen() as other:
        assert await one.status == 200
        assert one.headers["content-type"].startswith("text/event-stream")
        assert one.headers["cache-control"] == "no-store"
        assert one.headers["x-accel-buffering"] == "no"
        for sub in ("1", "2.1", ""):
            await lecture.move_to(
                sub=sub, predict=sub == "", dark=sub == "1", away=sub == "", revealed=["3|null|null"]
            )
            for listener in (one, other):
                kind, _, data = await listener.next()
                assert kind == "place"
                assert data.pop("walk")
                place = {"step": "q", "sub": sub, "predict": sub == "", "revealed": ["3|null|null"]}
                assert data == place | {"dark": sub == "1", "away": sub == "", "exercise": "", "link": ""}


@law
async def test_a_late_listener_receives_the_latest_place_and_the_open_question_at_once():
    lecture = await Lecture().opened(FIRST)
    for step in ("k", "v", "scores"):
        await lecture.move_to(step=step)
    assert (await lecture.present("POST", "/questions", CHOICES)).status == 201
    async with lecture.listen() as late:
        place, question = await late.next(), await late.next()
        assert (place.kind, place.data["step"]) == ("place", "scores")
        assert question.kind == "question"
        assert question.data == {"question": 1, "open": True, "cell": None, **CHOICES}
        assert int(question.id) > int(place.id)


@law
async def test_a_listener_who_comes_back_receives_only_newer_events_and_nothing_twice():
    lecture = await Lecture().opened(FIRST)
    async with lecture.listen() as listener:
        last_id = (await listener.next()).id
    async with lecture.listen(last_event_id=last_id) as back:
        await lecture.present("POST", "/questions", CHOICES)
        assert (await back.next()).kind == "question"  # and not the place once more
        await lecture.move_to(step="k")
        assert (await back.next()).data["step"] == "k"
        assert back.waiting == 0
    for unknown in ("999", "-1", "x", "", "١", "9" * 400):
        async with lecture.listen(last_event_id=unknown) as other:
            assert (await other.next("place")).data["step"] == "k"


@law
async def test_the_same_place_is_sent_once():
    lecture = await Lecture().opened(FIRST)
    async with lecture.listen() as listener:
        await listener.next()
        await lecture.move_to()
        await lecture.move_to(step="k")
        assert (await listener.next()).data["step"] == "k"


@law
async def test_a_slow_listener_receives_only_the_latest_place():
    lecture = await Lecture().opened(FIRST)
    async with lecture.store.listening(lecture.code, "somebody", "") as woken:
        events = stream.events_since(lecture.store, lecture.code, woken, 0, "somebody")
        assert await anext(events) == b'event: listener\ndata: {"listener": "somebody"}\n\n'
        assert b'"step": "q"' in await anext(events)
        for step in ("k", "v", "scores"):
            await lecture.move_to(step=step)
        assert b'"step": "scores"' in await anext(events)


def test_without_events_a_listener_receives_comments(monkeypatch):
    assert stream.SILENCE == 15
    monkeypatch.setattr(stream, "SILENCE", 0.01)

    async def silent():
        lecture = await Lecture().opened()
        async with lecture.store.listening(lecture.code, None, "") as woken:
            events = stream.events_since(lecture.store, lecture.code, woken, 0, None)
            await anext(events), await anext(events)  # the first comment, and counts of nobody
            assert [await anext(events) for _ in range(3)] == [b":\n\n"] * 3

    run(silent())


@law
async def test_the_end_of_a_room_reaches_its_listeners_and_it_is_not_found_again():
    lecture = await Lecture().opened(FIRST)
    async with lecture.listen() as listener, lecture.listen("?counts=1") as projector:
        assert (await lecture.present("DELETE", "")).status == 204
        assert (await listener.next("end")).data == {}
        await listener.ended()
        await projector.next("end")
    assert (await lecture.present("PUT", "/place", FIRST)).status == 404
    assert (await lecture.request("GET", f"/{lecture.code}/events")).status == 404


@law
async def test_rooms_end_after_twelve_hours():
    lecture = await Lecture().opened(FIRST)
    await lecture.backing.elapse(12 * 3600 - 2)
    assert (await lecture.present("PUT", "/place", FIRST)).status == 204
    with patch.object(stream, "SILENCE", 0.05):
        async with lecture.listen() as listener:
            await lecture.backing.elapse(3)
            assert (await lecture.present("PUT", "/place", FIRST)).status == 404
            await listener.next("end")


@scene
async def test_when_the_server_stops_all_streams_end():
    lecture = await Lecture().opened(FIRST)
    async with lecture.listen() as listener:
        lecture.store.close()
        await listener.next("end")
        await listener.ended()


# --- the data of a walk --------------------------------------------------------------------------------------------


async def walk_answer(lecture, query="", **headers):
    async with lecture.listen() as listener:
        walk_id = (await listener.next("place")).data["walk"]
    return await lecture.request(
        "GET", f"/{lecture.code}/walks/{walk_id}{query}", accept_encoding="gzip", **headers
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_walk_has_the_numbers_of_the_trace_and_words_in_the_language_of_the_request(language):
    async def act():
        lecture = await Lecture().opened(FIRST | {"decimals": 2})
        data = json.loads(gzip.decompress((await walk_answer(lecture, f"?lang={language}")).body))
        computed = trace(built_in("first"))
        assert data["matrices"]["weights"]["values"] == computed.values["weights"]
        assert [stage["id"] for stage in data["stages"]] == [stage.id for stage in stages_of(computed)]
        assert data["words"]["next"] == words_in(language)("Next (→)")
        assert data["decimals"] == 2
        assert data["address"] == {"example": "first"}

    run(act())


@scene
async def test_a_walk_is_computed_once_for_all_listeners():
    computed = []

    def walk(address, language, decimals):
        computed.append((address, language, decimals))
        return {"walk": len(computed)}

    cache = walks.Walks(walk)
    first, causal = room.Numbers({"example": "first"}, 4), room.Numbers({"example": "causal"}, 4)
    answers = await asyncio.gather(*(cache.packed(first, language) for language in ["en", "zh"] * 20))
    assert len(computed) == 2
    assert len(set(answers)) == 2
    await cache.packed(causal, "en")
    await cache.packed(first._replace(decimals=2), "en")
    assert len(computed) == 4


@scene
async def test_a_walk_that_failed_is_computed_again():
    def walk(address, _language, _decimals):
        if not failed:
            failed.append(address)
            raise MhaError("no")
        return {}

    failed = []
    cache = walks.Walks(walk)
    with pytest.raises(MhaError):
        await cache.packed(room.Numbers({}, 4), "en")
    assert json.loads(gzip.decompress(await cache.packed(room.Numbers({}, 4), "en"))) == {}


def test_few_walks_are_stored(monkeypatch):
    monkeypatch.setattr(walks, "STORED", 2)

    async def act():
        cache = walks.Walks(lambda address, language, decimals: {})
        for decimals in range(5):
            await cache.packed(room.Numbers({}, decimals), "en")
        assert len(cache._tasks) == 2

    run(act())


@law
async def test_listeners_receive_edited_numbers():
    lecture = await Lecture().opened(FIRST)
    first = (await walk_answer(lecture)).body
    edited = built_in("causal")
    await lecture.present("PUT", "/place", {"token": to_token(edited), "step": "scores"})
    data = json.loads(gzip.decompress((await walk_answer(lecture)).body))
    assert data["matrices"]["scores"]["values"] == trace(edited).values["scores"]
    assert data["address"] == {"s": to_token(edited)}
    assert gzip.decompress(first) != gzip.decompress((await walk_answer(lecture)).body)


@law
async def test_the_walk_of_earlier_numbers_is_refused():
    lecture = await Lecture().opened(FIRST)
    answer = await lecture.request("GET", f"/{lecture.code}/walks/0123456789abcdef")
    assert (answer.status, error(answer)) == (404, "the presenter has moved on to other numbers")


@law
async def test_a_client_without_gzip_gets_a_walk_uncompressed():
    lecture = await Lecture().opened(FIRST)
    packed = await walk_answer(lecture)
    assert packed.headers["content-encoding"] == "gzip"
    walk_id = room.Numbers({"example": "first"}, 4).id
    plain = await lecture.request("GET", f"/{lecture.code}/walks/{walk_id}")
    assert "content-encoding" not in plain.headers
    assert plain.body == gzip.decompress(packed.body)


# --- questions ------------------------------------------------------------------------------------------------------


async def counts(projector, answers):
    """Wait until the projector receives these counts of answers."""
    while (data := (await projector.next("counts")).data)["answers"] != answers:
        pass
    return data


@law
async def test_answers_are_counted_and_a_listener_s_last_answer_counts():
    lecture = await Lecture().opened(FIRST)
    async with lecture.listen("?counts=1") as projector, lecture.listen() as listener:
        assert (await lecture.present("POST", "/questions", CHOICES)).status == 201
        assert (await lecture.answer(1, 0, "listener-a")).status == 204
        await counts(projector, {"0": 1})
        await lecture.answer(1, 2, "listener-b")
        await lecture.answer(1, 2, "listener-a")
        data = await counts(projector, {"2": 2})
        assert (data["listeners"], data["others"]) == (3, 0)
        assert {(await listener.next()).kind for _ in range(2)} == {"place", "question"}
        assert listener.waiting == 0  # counts are sent to the projector only


@law
async def test_only_counts_of_answers_leave_the_server():
    lecture = await Lecture().opened(FIRST)
    async with lecture.listen("?counts=1") as projector:
        await lecture.present("POST", "/questions", CHOICES)
        await lecture.answer(1, 1, "somebody")
        data = await counts(projector, {"1": 1})
        assert await (await lecture.phone("somebody")).id not in json.dumps(data)


@law
async def test_numbers_are_counted_as_they_were_typed_and_rare_ones_together():
    lecture = await Lecture().opened(FIRST)
    await lecture.present("POST", "/questions", CELL)
    for index in range(60):
        await lecture.answer(1, f"{index}.50", f"listener-{index}")
        await lecture.answer(1, "0.5", f"listener-more-{index}")
    with patch.object(stream, "MOST_COUNTED", 50):
        async with lecture.listen("?counts=1") as projector:
            data = (await projector.next("counts")).data
        assert data["answers"]["0.5"] == 60
        assert len(data["answers"]) == stream.MOST_COUNTED
        assert sum(data["answers"].values()) + data["others"] == 120


@law
async def test_a_new_question_begins_without_answers_and_a_closed_one_accepts_none():
    lecture = await Lecture().opened(FIRST)
    await lecture.present("POST", "/questions", CHOICES)
    await lecture.answer(1, 0)
    assert json.loads((await lecture.present("POST", "/questions", CELL)).body) == {"question": 2}
    async with lecture.listen("?counts=1") as projector:
        assert (await projector.next("counts")).data["answers"] == {}
        answer = await lecture.answer(1, 0)
        assert (answer.status, error(answer)) == (409, "this question is closed")
        assert (await lecture.answer(2, "0.25")).status == 204
        assert (await lecture.present("DELETE", "/questions/2")).status == 204
        assert (await lecture.answer(2, "0.5")).status == 409
        while (question := (await projector.next("question")).data)["question"] != 2 or question["open"]:
            pass
        await counts(projector, {"0.25": 1})
    assert (await lecture.present("DELETE", "/questions/7")).status == 404
