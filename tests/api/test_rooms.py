"""Rooms: what the presenter tells is what listeners hear, whoever comes late or comes back."""

import asyncio
import gzip
import json
import re
from unittest.mock import patch

import pytest

from mha_api.rooms import room, stream, walks
from mha_api.rooms.store import InProcess
from mha_core import MhaError, built_in, to_token, trace
from mha_core.messages import LANGUAGES
from mha_core.walk.stages import walk as stages_of
from mha_view.language import words_in
from tests.api.asgi import run
from tests.api.rooms import CELL, CHOICES, FIRST, Hall, error, scene

# --- what is told is heard ------------------------------------------------------------------------------------------


@scene
async def test_a_room_has_a_code_that_can_be_read_out_and_a_key():
    hall = await Hall().opened()
    assert re.fullmatch(r"[234679CDFHJKMNPQRTVWXY]{6}", hall.code)
    assert len(hall.key) >= 32
    other = await Hall(hall.store).opened()
    assert other.code != hall.code
    assert other.key != hall.key


@scene
async def test_listeners_hear_where_the_presenter_goes():
    hall = await Hall().opened()
    async with hall.listen() as one, hall.listen() as other:
        assert await one.status == 200
        assert one.headers["content-type"].startswith("text/event-stream")
        assert one.headers["cache-control"] == "no-store"
        assert one.headers["x-accel-buffering"] == "no"
        for sub in ("1", "2.1", ""):
            await hall.stands(
                sub=sub, predict=sub == "", dark=sub == "1", away=sub == "", revealed=["3|null|null"]
            )
            for listener in (one, other):
                kind, _, data = await listener.next()
                assert kind == "place"
                assert data.pop("walk")
                told = {"step": "q", "sub": sub, "predict": sub == "", "revealed": ["3|null|null"]}
                assert data == told | {"dark": sub == "1", "away": sub == "", "exercise": "", "link": ""}


@scene
async def test_who_comes_late_hears_the_latest_place_and_the_open_question_at_once():
    hall = await Hall().opened(FIRST)
    for step in ("k", "v", "scores"):
        await hall.stands(step=step)
    assert (await hall.present("POST", "/questions", CHOICES)).status == 201
    async with hall.listen() as late:
        place, question = await late.next(), await late.next()
        assert (place.kind, place.data["step"]) == ("place", "scores")
        assert question.kind == "question"
        assert question.data == {"question": 1, "open": True, "cell": None, **CHOICES}
        assert int(question.id) > int(place.id)


@scene
async def test_who_comes_back_hears_what_is_newer_than_what_he_heard_last_and_nothing_twice():
    hall = await Hall().opened(FIRST)
    async with hall.listen() as listener:
        heard = (await listener.next()).id
    async with hall.listen(last_event_id=heard) as back:
        await hall.present("POST", "/questions", CHOICES)
        assert (await back.next()).kind == "question"  # and not the place once more
        await hall.stands(step="k")
        assert (await back.next()).data["step"] == "k"
        assert back.waiting == 0
    for unknown in ("999", "-1", "x", "", "١", "9" * 400):
        async with hall.listen(last_event_id=unknown) as other:
            assert (await other.next("place")).data["step"] == "k"


@scene
async def test_the_same_place_is_told_once():
    hall = await Hall().opened(FIRST)
    async with hall.listen() as listener:
        await listener.next()
        await hall.stands()
        await hall.stands(step="k")
        assert (await listener.next()).data["step"] == "k"


@scene
async def test_a_slow_listener_hears_the_latest_alone():
    hall = await Hall().opened(FIRST)
    async with hall.store.listening(hall.code, "somebody", "") as stirred:
        told = stream.events_since(hall.store, hall.code, stirred, 0, "somebody")
        assert await anext(told) == b'event: listener\ndata: {"listener": "somebody"}\n\n'
        assert b'"step": "q"' in await anext(told)
        for step in ("k", "v", "scores"):
            await hall.stands(step=step)
        assert b'"step": "scores"' in await anext(told)


def test_who_has_nothing_to_hear_hears_a_comment(monkeypatch):
    assert stream.SILENCE == 15
    monkeypatch.setattr(stream, "SILENCE", 0.01)

    async def silent():
        hall = await Hall().opened()
        async with hall.store.listening(hall.code, None, "") as stirred:
            told = stream.events_since(hall.store, hall.code, stirred, 0, None)
            await anext(told), await anext(told)  # the beginning, and counts of nobody
            assert [await anext(told) for _ in range(3)] == [b":\n\n"] * 3

    run(silent())


@scene
async def test_an_ended_room_tells_its_listeners_and_is_no_more():
    hall = await Hall().opened(FIRST)
    async with hall.listen() as listener, hall.listen("?counts=1") as wall:
        assert (await hall.present("DELETE", "")).status == 204
        assert (await listener.next("end")).data == {}
        await listener.ended()
        await wall.next("end")
    assert (await hall.present("PUT", "/place", FIRST)).status == 404
    assert (await hall.ask("GET", f"/{hall.code}/events")).status == 404


@scene
async def test_rooms_end_after_twelve_hours():
    now = 0.0
    hall = await Hall(InProcess(lambda: now)).opened(FIRST)
    now = 12 * 3600 - 1
    assert (await hall.present("PUT", "/place", FIRST)).status == 204
    async with hall.listen() as listener:
        now = 12 * 3600 + 1
        assert (await hall.present("PUT", "/place", FIRST)).status == 404
        await listener.next("end")


@scene
async def test_when_the_server_stops_all_streams_end():
    hall = await Hall().opened(FIRST)
    async with hall.listen() as listener:
        hall.store.close()
        await listener.next("end")
        await listener.ended()


# --- what a walk shows ----------------------------------------------------------------------------------------------


async def shown(hall, query="", **headers):
    async with hall.listen() as listener:
        of = (await listener.next("place")).data["walk"]
    return await hall.ask("GET", f"/{hall.code}/walks/{of}{query}", accept_encoding="gzip", **headers)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_walk_has_the_numbers_of_the_trace_and_the_words_of_the_asker(language):
    async def act():
        hall = await Hall().opened(FIRST | {"decimals": 2})
        told = json.loads(gzip.decompress((await shown(hall, f"?lang={language}")).body))
        computed = trace(built_in("first"))
        assert told["matrices"]["weights"]["values"] == computed.values["weights"]
        assert [stage["id"] for stage in told["stages"]] == [stage.id for stage in stages_of(computed)]
        assert told["words"]["next"] == words_in(language)("On (→)")
        assert told["decimals"] == 2
        assert told["address"] == {"example": "first"}

    run(act())


@scene
async def test_a_walk_is_computed_once_for_all_who_ask():
    asked = []

    def walk(address, language, decimals):
        asked.append((address, language, decimals))
        return {"walk": len(asked)}

    kept = walks.Walks(walk)
    one, other = room.Numbers({"example": "first"}, 4), room.Numbers({"example": "causal"}, 4)
    found = await asyncio.gather(*(kept.packed(one, language) for language in ["en", "zh"] * 20))
    assert len(asked) == 2
    assert len(set(found)) == 2
    await kept.packed(other, "en")
    await kept.packed(one._replace(decimals=2), "en")
    assert len(asked) == 4


@scene
async def test_what_failed_is_computed_again():
    def walk(address, _language, _decimals):
        if not asked:
            asked.append(address)
            raise MhaError("no")
        return {}

    asked = []
    kept = walks.Walks(walk)
    with pytest.raises(MhaError):
        await kept.packed(room.Numbers({}, 4), "en")
    assert json.loads(gzip.decompress(await kept.packed(room.Numbers({}, 4), "en"))) == {}


def test_few_walks_are_kept(monkeypatch):
    monkeypatch.setattr(walks, "STORED", 2)

    async def act():
        kept = walks.Walks(lambda address, language, decimals: {})
        for decimals in range(5):
            await kept.packed(room.Numbers({}, decimals), "en")
        assert len(kept._tasks) == 2

    run(act())


@scene
async def test_edited_numbers_are_those_that_listeners_get():
    hall = await Hall().opened(FIRST)
    first = (await shown(hall)).body
    edited = built_in("causal")
    await hall.present("PUT", "/place", {"token": to_token(edited), "step": "scores"})
    told = json.loads(gzip.decompress((await shown(hall)).body))
    assert told["matrices"]["scores"]["values"] == trace(edited).values["scores"]
    assert told["address"] == {"s": to_token(edited)}
    assert gzip.decompress(first) != gzip.decompress((await shown(hall)).body)


@scene
async def test_a_walk_that_the_presenter_has_left_is_refused():
    hall = await Hall().opened(FIRST)
    answer = await hall.ask("GET", f"/{hall.code}/walks/0123456789abcdef")
    assert (answer.status, error(answer)) == (404, "the presenter has gone on to other numbers")


@scene
async def test_who_cannot_unpack_a_walk_gets_it_as_it_is():
    hall = await Hall().opened(FIRST)
    packed = await shown(hall)
    assert packed.headers["content-encoding"] == "gzip"
    of = room.Numbers({"example": "first"}, 4).id
    plain = await hall.ask("GET", f"/{hall.code}/walks/{of}")
    assert "content-encoding" not in plain.headers
    assert plain.body == gzip.decompress(packed.body)


# --- questions ------------------------------------------------------------------------------------------------------


async def counts(wall, answers):
    """Wait until the wall counts these."""
    while (told := (await wall.next("counts")).data)["answers"] != answers:
        pass
    return told


@scene
async def test_answers_are_counted_and_the_last_of_a_listener_counts():
    hall = await Hall().opened(FIRST)
    async with hall.listen("?counts=1") as wall, hall.listen() as listener:
        assert (await hall.present("POST", "/questions", CHOICES)).status == 201
        assert (await hall.answer(1, 0, "listener-a")).status == 204
        await counts(wall, {"0": 1})
        await hall.answer(1, 2, "listener-b")
        await hall.answer(1, 2, "listener-a")
        told = await counts(wall, {"2": 2})
        assert (told["listeners"], told["others"]) == (3, 0)
        assert {(await listener.next()).kind for _ in range(2)} == {"place", "question"}
        assert listener.waiting == 0  # counts are for the wall


@scene
async def test_only_counts_leave_the_server():
    hall = await Hall().opened(FIRST)
    async with hall.listen("?counts=1") as wall:
        await hall.present("POST", "/questions", CHOICES)
        await hall.answer(1, 1, "somebody")
        told = await counts(wall, {"1": 1})
        assert await (await hall.phone("somebody")).id not in json.dumps(told)


@scene
async def test_numbers_are_counted_as_they_were_typed_and_rare_ones_together():
    hall = await Hall().opened(FIRST)
    await hall.present("POST", "/questions", CELL)
    for index in range(60):
        await hall.answer(1, f"{index}.50", f"listener-{index}")
        await hall.answer(1, "0.5", f"listener-more-{index}")
    with patch.object(stream, "MOST_COUNTED", 50):
        async with hall.listen("?counts=1") as wall:
            told = (await wall.next("counts")).data
        assert told["answers"]["0.5"] == 60
        assert len(told["answers"]) == stream.MOST_COUNTED
        assert sum(told["answers"].values()) + told["others"] == 120


@scene
async def test_a_new_question_begins_with_no_answers_and_a_closed_one_takes_none():
    hall = await Hall().opened(FIRST)
    await hall.present("POST", "/questions", CHOICES)
    await hall.answer(1, 0)
    assert json.loads((await hall.present("POST", "/questions", CELL)).body) == {"question": 2}
    async with hall.listen("?counts=1") as wall:
        assert (await wall.next("counts")).data["answers"] == {}
        answer = await hall.answer(1, 0)
        assert (answer.status, error(answer)) == (409, "this question is closed")
        assert (await hall.answer(2, "0.25")).status == 204
        assert (await hall.present("DELETE", "/questions/2")).status == 204
        assert (await hall.answer(2, "0.5")).status == 409
        while (question := (await wall.next("question")).data)["question"] != 2 or question["open"]:
            pass
        await counts(wall, {"0.25": 1})
    assert (await hall.present("DELETE", "/questions/7")).status == 404
