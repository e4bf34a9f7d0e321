"""What it costs to open a page: the server's own time, a hundred visitors at once, and a cold start.

A visitor is a websocket that speaks Streamlit's protocol as its browser code does; no browser takes time beside it.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from urllib.request import urlopen

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

from benchmarks.table import Line
from tests.e2e.driver import Server, running

OPENINGS = 60
CLASS = 100
ROUNDS = 5
STARTS = 10
NUMBERS = b"bench.matrices"
"""What only a page with numbers sends: the key of the bench."""
EMPTY = Path(__file__).resolve().parent / "empty_app.py"
COLD = "empty app: start of the process → first page, and import torch"


def measure() -> list[Line]:
    """Every line about opening a page."""
    with running() as app:
        lines = [Line("page open: CPU of the server", _each(app), goal=(20, ""))]
        together = [_together(app) for _ in range(ROUNDS)]
        lines.append(Line(f"{CLASS} page opens at once: the last one", together, goal=(2000, "")))
    return [*lines, *_cold()]


async def opened(server: Server, wanted: bytes = b"") -> bool:
    """Open a page as a new visitor, to the end of its run; whether it was told what is ``wanted``."""
    for path in ("", "_stcore/health", "_stcore/host-config"):
        await asyncio.to_thread(_asked, f"{server.url}{path}")
    return await _run(server, wanted)


async def _run(server: Server, wanted: bytes) -> bool:
    told = not wanted
    url = f"ws://localhost:{server.port}/_stcore/stream"
    async with connect(url, subprotocols=["streamlit"], max_size=None, compression=None) as socket:
        asked = BackMsg()
        asked.rerun_script.query_string = ""
        await socket.send(asked.SerializeToString())
        async for data in socket:
            told = told or wanted in data
            answer = ForwardMsg.FromString(data)
            if answer.WhichOneof("type") == "script_finished" and answer.script_finished in _DONE:
                return told
    raise ConnectionError("the server closed the socket before the page was there")


_DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_EARLY_FOR_RERUN)


def _asked(url: str) -> None:
    with urlopen(url, timeout=60) as answer:
        answer.read()
