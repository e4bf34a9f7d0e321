"""What takes long waits for its turn: one computation at a time for an address, and no address waits for another."""

import asyncio
from threading import Event, get_ident

from starlette.requests import HTTPConnection

from mha_api.turns import in_turn
from tests.api.asgi import run


def connection(address):
    return HTTPConnection({"type": "http", "client": (address, 1)})


def test_an_address_waits_for_its_own_turn_and_nobody_else_does():
    begun, started, free = [], Event(), Event()

    def compute(name):
        begun.append(name)
        if name == "first":
            started.set()
            assert free.wait(20)
        return get_ident()

    async def act():
        first = asyncio.create_task(in_turn(connection("10.0.0.1"), compute, "first"))
        second = asyncio.create_task(in_turn(connection("10.0.0.1"), compute, "second"))
        assert await asyncio.to_thread(started.wait, 20)
        thread = await in_turn(connection("10.0.0.2"), compute, "other")
        assert begun == ["first", "other"]
        assert thread != get_ident()
        free.set()
        await asyncio.gather(first, second)
        assert begun == ["first", "other", "second"]

    run(act())
