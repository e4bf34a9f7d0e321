"""The cost of opening a page: the server's own time, a class of visitors at once, and a server just started.

The visitors are websockets that send what Streamlit's browser code sends, so no browser competes for the CPU.
"""

from __future__ import annotations

import asyncio
import gzip
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from urllib.request import urlopen

from playwright.sync_api import Response, sync_playwright

from benchmarks.live import cpu
from benchmarks.table import Line
from tools.drive.browser import chromium
from tools.drive.server import Server, running
from tools.drive.visitor import open_page, open_together

OPENINGS = 40
VISITORS = 3
CLASS = 100
ROUNDS = 5
STARTS = 5
EMPTY = Path(__file__).resolve().parent / "empty_app.py"
BARE = "bare Streamlit: first load, compressed"
COLD = "empty app: start of the process → first page, then import torch"


def measure() -> list[Line]:
    """Every line about opening a page."""
    with running(EMPTY) as empty:
        bare = _each(empty)
    with running() as app:
        each, at_once = _each(app), [_class(app) for _ in range(ROUNDS)]
    return [
        Line("empty app: page open, CPU of the server", bare),
        Line("page open, CPU of the server", each, goal=(20, "")),
        Line(f"{CLASS} pages opened at once: the last one is there", at_once, goal=(2000, "")),
        *_cold(),
        *_weights(),
    ]


def _weights() -> list[Line]:
    """Bytes of a first load from a server that compresses (gzip), without Plotly's script."""
    with running(EMPTY) as empty, running() as app:
        bare, bench = _weight(empty), _weight(app)
    return [
        Line(BARE, [bare, bare], "bytes"),
        Line("the bench: first load, compressed, pictures apart", [bench, bench], "bytes", (1.1, BARE)),
    ]


def _weight(server: Server) -> float:
    """Bytes sent to a browser with an empty cache, by HTTP and by Streamlit's socket."""
    total = 0
    with sync_playwright() as playwright:
        browser = chromium(playwright)
        page = browser.new_page(viewport={"width": 1280, "height": 800})

        def count(body: bytes | str) -> None:
            nonlocal total
            total += len(gzip.compress(body.encode() if isinstance(body, str) else body))

        def count_response(response: Response) -> None:
            if "/api/plotly/" not in response.url:
                count(response.body())

        page.on("response", count_response)
        page.on("websocket", lambda socket: socket.on("framereceived", count))
        page.goto(server.url)
        page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
        page.wait_for_load_state("networkidle")
        browser.close()
    return float(total)


def _each(server: Server) -> list[float]:
    """Milliseconds of the server's CPU for a visitor; a sample is the mean of a few visitors in turn."""
    _visit(server)
    taken = []
    for _ in range(OPENINGS):
        begin = cpu(server)
        for _ in range(VISITORS):
            _visit(server)
        taken.append((cpu(server) - begin) / VISITORS)
    return taken


def _visit(server: Server) -> None:
    """Request what a browser requests that has the scripts already, and let the page run to its end."""
    for path in ("", "_stcore/health", "_stcore/host-config"):
        with urlopen(f"http://127.0.0.1:{server.port}/{path}", timeout=60) as answer:
            answer.read()
    asyncio.run(open_page(server.port))


def _class(server: Server) -> float:
    begin = perf_counter()
    asyncio.run(open_together(server.port, CLASS))
    return (perf_counter() - begin) * 1000


def _cold() -> list[Line]:
    """Both in turns, so that noise affects both alike. A page is requested as soon as the port is open."""
    empty, app = [], []
    for _ in range(STARTS):
        begin = perf_counter()
        subprocess.run([sys.executable, "-c", "import torch"], check=True)
        torch = (perf_counter() - begin) * 1000
        empty.append(_started(EMPTY) + torch)
        app.append(_started("app.py"))
    return [Line(COLD, empty), Line("start of the process → first page with numbers", app, goal=(1.2, COLD))]


def _started(script: Path | str) -> float:
    begin = perf_counter()
    with running(script) as server:
        asyncio.run(open_page(server.port))
        return (perf_counter() - begin) * 1000
