"""Rooms in Redis: several servers share them, a server may end at any moment, and so may Redis."""

import asyncio
from contextlib import AsyncExitStack
from unittest.mock import patch

import pytest

from mha_api.rooms import redis_link
from mha_api.rooms.chosen import chosen
from mha_api.rooms.redis_store import InRedis
from mha_api.rooms.store import ClosedError, InProcess
from tests.api.asgi import run
from tests.api.rooms import CHOICES, FIRST, Lecture, error, law, scene
from tests.api.stores import BACKING, Shared, backing
from tools.drive import redis_server

UNREACHABLE = "the rooms cannot be reached at present; try again in a moment"


@pytest.fixture
def rooms_in(redis):
    """Every law here is of the shared store."""
    return Shared(redis.url)


@pytest.fixture
def own():
    """A Redis that the test may end."""
    if not redis_server.is_installed():
        pytest.skip(redis_server.REASON)
    with redis_server.running() as server, patch.multiple(redis_link, BEAT=0.05, AGAIN=0.05, PATIENCE=0.1):
        yield server


async def arrived(listener, step):
    """Wait until the listener is at this step: of places that follow one another fast, some are left out."""
    while (await listener.next("place")).data["step"] != step:
        pass


async def counted(projector, **expected):
    """Wait until the projector receives these counts."""
    while not expected.items() <= (data := (await projector.next("counts")).data).items():
        pass
    return data


# --- several servers ------------------------------------------------------------------------------------------------


@law
async def test_a_room_of_one_server_is_followed_at_another():
    here = await Lecture().opened(FIRST)
    there = here.at_another_server()
    async with here.listen() as one, there.listen() as other:
        for listener in (one, other):
            assert (await listener.next()).data["step"] == "q"
        await here.move_to(step="k")
        await there.move_to(step="v")
        for listener in (one, other):
            await arrived(listener, "v")
        assert (await there.present("DELETE", "")).status == 204
        await one.next("end")
        await other.next("end")


@law
async def test_answers_at_all_servers_are_counted_once_over_all():
    here = await Lecture().opened(FIRST)
    there = here.at_another_server()
    await here.present("POST", "/questions", CHOICES)
    async with here.listen("?counts=1") as projector, there.listen("?counts=1") as other:
        for index in range(8):
            lecture = here if index % 2 else there
            assert (await lecture.answer(1, index % 3, f"listener-{index}")).status == 204
        phone = await (await here.phone("listener-1")).id
        assert (await there.answer_as(phone, 1, 0)).status == 204  # in place of his answer here, 1
        for screen in (projector, other):
            await counted(screen, listeners=8, answers={"0": 4, "1": 2, "2": 2})


@law
async def test_a_listener_who_comes_back_at_another_server_is_the_same_one_and_misses_nothing():
    here = await Lecture().opened(FIRST)
    there = here.at_another_server()
    await here.present("POST", "/questions", CHOICES)
    async with here.listen() as listener:
        issued = await listener.id
        await here.answer_as(issued, 1, 0)
        await listener.next()
        last_id = (await listener.next()).id
    await here.move_to(step="k")
    async with there.listen(f"?listener={issued}", last_event_id=last_id) as back:
        assert await back.id == issued
        assert (await back.next()).data["step"] == "k"
        assert back.waiting == 0
        await there.answer_as(issued, 1, 2)
        counts = await here.store.counts(here.code)
        assert (counts.listeners, counts.answers) == (1, {"2": 1})


@law
async def test_an_answer_to_an_earlier_question_is_not_counted_as_one_to_the_next():
    here = await Lecture().opened(FIRST)
    await here.present("POST", "/questions", CHOICES)
    listener = await (await here.phone("somebody")).id
    revision = (await here.store.latest(here.code))["question"].revision
    await here.at_another_server().present("POST", "/questions", CHOICES)
    with pytest.raises(ClosedError):
        await here.store.answer(here.code, listener, "0", "", question=revision)
    assert (await here.store.counts(here.code)).answers == {}


@law
async def test_all_streams_of_a_server_read_a_new_place_together():
    store = backing().store()
    assert isinstance(store, InRedis)
    here = await Lecture(store).opened(FIRST)
    async with AsyncExitStack() as stack:
        listeners = [await stack.enter_async_context(here.listen()) for _ in range(100)]
        for listener in listeners:
            await listener.next()
        with patch.object(store._link, "hash", wraps=store._link.hash) as read:
            await here.at_another_server().move_to(step="k")
            for listener in listeners:
                assert (await listener.next()).data["step"] == "k"
    assert read.call_count <= 3


# --- a server that ends ---------------------------------------------------------------------------------------------


@law
async def test_a_server_that_stops_sends_its_streams_elsewhere_and_the_room_goes_on():
    here = await Lecture().opened(FIRST)
    there = here.at_another_server()
    async with here.listen() as moved, there.listen() as other:
        await moved.next()
        here.store.close()
        await moved.next("moved")
        await moved.ended()
        async with here.listen() as refused:
            assert await refused.status == 503
        assert (await here.present("PUT", "/place", FIRST | {"step": "k"})).status == 204
        await arrived(other, "k")


def test_the_listeners_of_a_server_that_dies_are_subtracted_and_their_answers_stay(own):
    async def act():
        BACKING.set(Shared(own.url))
        here = await Lecture().opened(FIRST)
        await here.present("POST", "/questions", CHOICES)
        there = here.at_another_server()
        assert isinstance(there.store, InRedis)
        async with here.listen("?counts=1") as projector:
            await here.answer(1, 0, "here")
            await there.answer(1, 1, "there")
            await counted(projector, listeners=2, answers={"0": 1, "1": 1})
            there.store._link._task.cancel()  # its process is gone: nobody says so
            await counted(projector, listeners=1, answers={"0": 1, "1": 1})

    with patch("mha_api.rooms.presence.ALIVE", 1):
        run(act())


# --- a Redis that ends ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("stop", "go_on"), [("kill", "start"), ("suspend", "resume")])
def test_while_redis_is_away_everybody_learns_it_and_afterwards_all_goes_on_with_nothing_twice(
    own, stop, go_on
):
    async def act():
        BACKING.set(Shared(own.url))
        here = await Lecture().opened(FIRST)
        there = here.at_another_server()
        await here.present("POST", "/questions", CHOICES)
        async with here.listen("?counts=1") as projector, there.listen() as phone:
            assert [(await phone.next()).kind for _ in range(2)] == ["place", "question"]
            await there.answer_as(await phone.id, 1, 2)
            await counted(projector, answers={"2": 1})
            getattr(own, stop)()
            await phone.next("lost")
            await projector.next("lost")
            answer = await here.present("PUT", "/place", FIRST | {"step": "k"})
            assert (answer.status, error(answer)) == (503, UNREACHABLE)
            assert (await there.answer_as(await phone.id, 1, 1)).status == 503
            async with there.listen() as late:
                assert await late.status == 503
            getattr(own, go_on)()
            assert (await phone.next()).kind == "back"
            await projector.next("back")
            assert (await there.answer_as(await phone.id, 1, 1)).status == 204
            await counted(projector, answers={"1": 1}, listeners=1)
            await here.move_to(step="k")
            assert (await phone.next()).data["step"] == "k"
            assert phone.waiting == 0

    with patch.object(redis_link, "TIMEOUT", 0.3), patch.object(redis_link, "ALIVE", 0.4):
        run(act())


@scene
async def test_a_redis_that_was_never_there_is_said_and_does_not_end_the_server():
    with patch.object(redis_link, "PATIENCE", 0.05):
        lecture = Lecture(InRedis("unix:///nowhere/redis.sock"))
        answer = await lecture.request("POST", "")
        assert (answer.status, error(answer)) == (503, UNREACHABLE)


# --- which store ----------------------------------------------------------------------------------------------------


@scene
async def test_rooms_are_in_this_process_unless_a_redis_is_named():
    assert isinstance(chosen({}), InProcess)
    assert isinstance(chosen({"MHA_REDIS_URL": " "}), InProcess)
    assert isinstance(chosen({"MHA_REDIS_URL": "redis://localhost:6379/0"}), InRedis)


@pytest.mark.parametrize("url", ["localhost:6379", "http://:secret@localhost", "redis"])
def test_an_address_that_is_not_of_redis_is_refused_without_its_password(url):
    with pytest.raises(ValueError, match=r"^MHA_REDIS_URL: expected an address that begins with") as refused:
        chosen({"MHA_REDIS_URL": url})
    assert "secret" not in str(refused.value)


def test_a_task_of_the_store_ends_with_its_loop(redis):
    """Every connection is closed: an open one would be a warning, which fails this test."""

    async def act():
        store = InRedis(redis.url)
        assert await store.latest("222222") is None
        assert len(asyncio.all_tasks()) >= 2

    run(act())
