"""A server that gets SIGTERM: not ready, no new websockets, its streams go elsewhere, and it ends in time."""

import asyncio
import json
import signal
import time

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from mha_api import ready
from tests.api.asgi import run
from tools.drive.connection import Connection
from tools.drive.server import running


@pytest.mark.parametrize("text", ["-1", "16", "soon", "1e1", "\u0661", "1.2.3"])
def test_the_time_is_a_number_of_seconds(text):
    assert ready.drain({}) == ready.drain({"MHA_DRAIN": " "}) == 0
    assert ready.drain({"MHA_DRAIN": "0.5"}) == 0.5
    with pytest.raises(ValueError, match="MHA_DRAIN: expected seconds from 0 to 15"):
        ready.drain({"MHA_DRAIN": text})


async def status(port, method, path):
    connection = await Connection(port).open()
    answered, body = await connection.request(method, path)
    connection.close()
    return answered, json.loads(body or "null")


def test_sigterm_sends_everybody_elsewhere_before_the_server_ends(redis):
    async def act(server):
        while (await status(server.port, "GET", "/api/ready"))[0] != 200:
            await asyncio.sleep(0.05)  # another process is starting
        room = (await status(server.port, "POST", "/api/rooms"))[1]
        phone = await Connection(server.port).open()
        phone.send("GET", f"/api/rooms/{room['code']}/events")
        assert (await phone.head())[0] == 200
        address = f"ws://127.0.0.1:{server.port}/_stcore/stream"
        async with connect(address) as session:
            told = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            assert "event: moved" in await until_closed(phone)
            assert time.monotonic() - told < 1
            assert await status(server.port, "GET", "/api/ready") == (503, {"ready": False})
            with pytest.raises(InvalidStatus) as refused:
                await connect(address)
            assert refused.value.response.status_code == 503
            await session.wait_closed()  # it goes on until then
            assert time.monotonic() - told >= 1
        server.process.wait(25)
        assert time.monotonic() - told < 25

    with running(MHA_REDIS_URL=redis.url, MHA_DRAIN="1") as server:
        run(act(server))


async def until_closed(phone):
    """What a phone receives until its stream ends."""
    text = ""
    while chunk := await phone.reader.readline():
        text += chunk.decode()
        if chunk == b"0\r\n":
            break
    phone.close()
    return text
