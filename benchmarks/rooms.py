"""An audience that follows: from a presenter's step to every telephone, and the server's work for that.

``python -m benchmarks rooms``. Each telephone is an event stream on its own socket, read in this process. Some are real
Chromium tabs, a few at a time.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random

from playwright.async_api import Browser, Page, async_playwright

from benchmarks.live import cpu
from benchmarks.table import Line, show
from mha_core import built_in, trace
from mha_core.walk.stages import walk as stages_of
from tools.drive.browser import CHROMIUM_FLAGS, own_chromium
from tools.drive.connection import Connection
from tools.drive.server import Server, running

AUDIENCE, LARGE = 300, 1000
TABS, TURNS = 4, 5
STEPS = 20
EVERY = 1.0
"""Seconds between two steps of the presenter."""
OPENS = 300
RUBBISH = 10_000

PAINTED = """
() => {
  window.painted = {};
  const walk = document.querySelector(".walk");
  new MutationObserver(() => {
    const at = walk.dataset.at;
    requestAnimationFrame(() => setTimeout(() => (window.painted[at] ??= Date.now()), 0));
  }).observe(walk, { attributes: true, attributeFilter: ["data-at"] });
}
"""


def measure() -> list[Line]:
    """Every line about rooms."""
    with running() as app:
        return asyncio.run(_measured(app))


async def _measured(app: Server) -> list[Line]:
    return [
        *await _audience(app, AUDIENCE, tabs=True),
        *await _audience(app, LARGE, tabs=False),
        *await _opened(app),
        *await _harmed(app),
    ]


@dataclass
class Lecture:
    """A room, and a presenter who steps through the first example."""

    app: Server
    code: str = ""
    key: str = ""
    posted: dict[str, float] = field(default_factory=dict)
    """When each place was sent, by ``perf_counter``; ``clock`` has the same by the wall clock."""
    clock: dict[str, float] = field(default_factory=dict)

    async def open(self) -> Lecture:
        """Open the room, and go to the first step."""
        connection = await Connection(self.app.port).open()
        _, body = await connection.request("POST", "/api/rooms")
        connection.close()
        room = json.loads(body)
        self.code, self.key = room["code"], room["key"]
        await self.go("tokens", "")
        return self

    async def go(self, step: str, sub: str) -> None:
        """Go to a place."""
        place = {"example": "first", "step": step, "sub": sub}
        at = f"{step} {sub}".strip()
        self.posted[at], self.clock[at] = time.perf_counter(), time.time() * 1000
        body = json.dumps(place).encode()
        assert await self._request("PUT", "/place", body) == 204

    async def end(self) -> None:
        """End the lecture."""
        await self._request("DELETE", "")

    async def _request(self, method: str, path: str, body: bytes = b"") -> int:
        """Use a new connection each time, since the server closes those that are idle for long."""
        connection = await Connection(self.app.port).open()
        authorization = {"Authorization": f"Bearer {self.key}"}
        status, _ = await connection.request(method, f"/api/rooms/{self.code}{path}", body, **authorization)
        connection.close()
        return status


PLACES = [
    (stage.id, str(part))
    for stage in stages_of(trace(built_in("first")))
    for part in range(1, len(stage.parts) + 1)
]


async def _listen(lecture: Lecture, taken: list[float], ready: Callable[[], object]) -> None:
    """A telephone: it notes how long each place took from the presenter."""
    connection = await Connection(lecture.app.port).open()
    connection.send("GET", f"/api/rooms/{lecture.code}/events")
    await connection.head()
    ready()
    while line := await connection.reader.readline():
        if line.startswith(b"event: end"):
            break
        if line.startswith(b"data: ") and b'"step"' in line:
            place = json.loads(line[6:])
            at = f"{place['step']} {place['sub']}".strip()
            taken.append((time.perf_counter() - lecture.posted[at]) * 1000)
    connection.close()


async def _audience(app: Server, count: int, *, tabs: bool) -> list[Line]:
    lecture = await Lecture(app).open()
    taken: list[float] = []
    ready = asyncio.Semaphore(0)
    listening = [asyncio.create_task(_listen(lecture, taken, ready.release)) for _ in range(count)]
    for _ in range(count):
        await ready.acquire()
    await asyncio.sleep(1)
    taken.clear()  # the place that they received first
    places = iter(PLACES * 20)
    begin, spent = time.monotonic(), cpu(app)
    for _ in range(STEPS):
        await lecture.go(*next(places))
        await asyncio.sleep(EVERY)
    per = (cpu(app) - spent) / (time.monotonic() - begin) / 10
    expected = STEPS * count
    assert len(taken) == expected, (len(taken), expected)
    lines = [
        Line(f"{count} follow, a step a second: sent → received", [*taken], goal=(150, ""), by="p95"),
        Line(f"{count} follow, a step a second: the server's share of a core", [per, per], "%"),
    ]
    if tabs:
        lines += [await _tabs(lecture, places)]
    await lecture.end()
    await asyncio.gather(*listening)
    return lines


async def _tabs(lecture: Lecture, places: Iterator[tuple[str, str]]) -> Line:
    """Milliseconds until a step is painted in real tabs, which are part of the same audience."""
    painted: list[float] = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=own_chromium(), args=CHROMIUM_FLAGS)
        for _ in range(TURNS):
            pages = [await _tab(browser, lecture) for _ in range(TABS)]
            visited = []
            for _ in range(STEPS // 2):
                step, sub = next(places)
                visited.append(f"{step} {sub}")
                await lecture.go(step, sub)
                await asyncio.sleep(EVERY)
            for page in pages:
                times = await page.evaluate("() => window.painted")
                painted += [times[at] - lecture.clock[at] for at in visited]
                await page.close()
        await browser.close()
    what = f"{AUDIENCE} follow, {TABS * TURNS} of them Chromium tabs, {TABS} at a time: sent → painted"
    return Line(what, painted, goal=(150, ""), by="p95")


async def _tab(browser: Browser, lecture: Lecture) -> Page:
    page = await browser.new_page(viewport={"width": 390, "height": 844})
    await page.goto(f"{lecture.app.url}follow/{lecture.code}")
    await page.locator(".walk[data-at]").wait_for()
    await page.evaluate(PAINTED)
    return page


# --- an audience that arrives -------------------------------------------------------------------------------------


async def _opened(app: Server) -> list[Line]:
    """An audience that arrives at once: the page, its files, the walk and the first event, each on new connections."""
    lecture = await Lecture(app).open()
    connection = await Connection(app.port).open()
    _, page = await connection.request("GET", f"/follow/{lecture.code}", Accept="text/html")
    files = [part.split('"')[0] for part in page.decode().split('"api/follow/')[1:]]
    walk = json.loads((await _first(app, lecture)).split(b"\ndata: ")[1])["walk"]
    loaded = [*(f"/api/follow/{file}" for file in files), f"/api/rooms/{lecture.code}/walks/{walk}?lang=en"]
    answers = [await connection.request("GET", path) for path in loaded]
    connection.close()
    total = float(len(page) + sum(len(body) for _, body in answers))
    lines = [Line("/follow/CODE with all that it loads, compressed", [total, total], "bytes", (100_000, ""))]
    for what, paths in {"the page": [], "page, script, style, walk and first event": loaded}.items():
        taken = []
        for _ in range(3):
            begin = time.perf_counter()
            await asyncio.gather(*(_open(app, lecture, paths) for _ in range(OPENS)))
            taken.append((time.perf_counter() - begin) * 1000)
        lines.append(
            Line(f"{OPENS} opens of /follow/CODE at once, {what}: the last one", taken, goal=(3000, ""))
        )
    await lecture.end()
    return lines


async def _open(app: Server, lecture: Lecture, paths: list[str]) -> None:
    connection = await Connection(app.port).open()
    for path in [f"/follow/{lecture.code}", *paths]:
        status, _ = await connection.request(
            "GET", path, Accept="text/html,*/*" if "/api/" not in path else "*/*"
        )
        assert status == 200, path
    connection.close()
    if paths:
        await _first(app, lecture)


async def _first(app: Server, lecture: Lecture) -> bytes:
    """The first event of the room."""
    connection = await Connection(app.port).open()
    connection.send("GET", f"/api/rooms/{lecture.code}/events")
    event = b""
    while b"event: place" not in event:  # the listener's id comes before
        event = await connection.reader.readuntil(b"\n\n")
    connection.close()
    return event


# --- hostile clients ---------------------------------------------------------------------------------------------


async def _harmed(app: Server) -> list[Line]:
    """How long an audience of 50 waits while others send malformed requests."""
    lecture = await Lecture(app).open()
    taken: list[float] = []
    ready = asyncio.Semaphore(0)
    listening = [asyncio.create_task(_listen(lecture, taken, ready.release)) for _ in range(50)]
    for _ in range(50):
        await ready.acquire()
    taken.clear()
    begin = time.perf_counter()
    rubbish = asyncio.create_task(_rubbish(app, lecture))
    places = iter(PLACES * 20)
    while not rubbish.done():
        await lecture.go(*next(places))
        await asyncio.sleep(0.25)
    seconds = time.perf_counter() - begin
    statuses = rubbish.result()
    print(f"{RUBBISH:,} malformed requests in {seconds:.1f} s: {dict(sorted(statuses.items()))}")
    assert set(statuses) <= {400, 403, 404, 405, 409, 413, 415, 422, 429}
    await lecture.end()
    await asyncio.gather(*listening)
    what = f"50 follow while {RUBBISH:,} malformed requests come: sent → received"
    return [Line(what, taken, goal=(150, ""), by="p95")]


async def _rubbish(app: Server, lecture: Lecture) -> Counter[int]:
    random, statuses = Random(0), Counter[int]()
    bodies = [
        b"",
        b"{",
        b"null",
        b"[" * 5000,
        b'{"token":"1AAAA"}',
        b'{"step":7}',
        b"\xff" * 40,
        b" " * 70_000,
    ]
    paths = ["/place", "/questions", "/answers", "/questions/1", ""]

    async def send(count: int) -> None:
        connection = await Connection(app.port).open()
        for _ in range(count):
            path, method = random.choice(paths), random.choice(["PUT", "POST", "DELETE", "PATCH"])
            code = random.choice([*[lecture.code] * 9, "222222", "%00", "x" * 200])
            key = "wrong" if method == "DELETE" else lecture.key
            address, body = f"/api/rooms/{code}{path}", random.choice(bodies)
            status, headers = await _sent(connection, method, address, body, key)
            statuses[status] += 1
            if headers.get("connection") == "close":
                connection.close()
                connection = await Connection(app.port).open()
        connection.close()

    await asyncio.gather(*(send(RUBBISH // 20) for _ in range(20)))
    return statuses


async def _sent(
    connection: Connection, method: str, path: str, body: bytes, key: str
) -> tuple[int, dict[str, str]]:
    connection.send(method, path, body, Authorization=f"Bearer {key}")
    status, headers = await connection.head()
    await connection.reader.readexactly(int(headers.get("content-length", 0)))
    return status, headers


if __name__ == "__main__":
    print(show(measure()))
