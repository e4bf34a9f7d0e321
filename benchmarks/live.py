"""Frames of a drag in real Chromium, and the server's work for many clients of the live channel at once.

``python -m benchmarks live``; ``python -m benchmarks.live [minutes]`` for the clients alone, 3 minutes long.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import dataclass, field
from itertools import count
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from random import Random
from time import monotonic, perf_counter

from playwright.sync_api import Browser, Page, sync_playwright
from websockets.asyncio.client import ClientConnection, connect

from benchmarks.table import Line, show
from mha_core import Example, to_token
from mha_core.edit.matrices import filled
from mha_core.example.model import Head
from tools.drive.browser import chromium
from tools.drive.explore import Bench
from tools.drive.server import Server, running
from tools.examples import narrow, sized

CLIENTS, DRAGGING = 250, 20
EVERY = 5.0
"""Seconds between two edits of one client."""
ALONE, PAUSE = 2000, 0.02
"""The number of edits with no other client, and seconds between edits, as with hostile clients."""
SECONDS = 4.0
"""How long a number is dragged."""
SENDERS, MEANWHILE = 10, 10.0
"""Senders of expensive messages, and for how many seconds a visitor edits meanwhile."""

RECORD = """
// all numbers of a frame change with the dragged one
window.record = (td) => {
  const recording = { frames: [], on: true };
  let last = td.textContent, before = performance.now();
  const tick = () => {
    if (!recording.on) return;
    if (td.textContent !== last) {
      recording.frames.push(performance.now() - before);
      before = performance.now();
    }
    last = td.textContent;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  window.stop = () => ((recording.on = false), recording.frames);
};
"""

COUNT_DRAWN = """
{
  window.drawn = new Map();
  for (const plot of document.querySelectorAll(".js-plotly-plot")) {
    window.drawn.set(plot, 0);
    // whether Plotly draws it again or it is changed in place, it is one task
    const changed = new MutationObserver(() => window.drawn.set(plot, window.drawn.get(plot) + 1));
    changed.observe(plot, { subtree: true, childList: true, attributes: true, characterData: true });
  }
}
"""


def measure() -> list[Line]:
    """Every line that needs a browser or a socket."""
    with running() as app:
        return [*_drags(app), *_alone(app), *asyncio.run(_crowd(app, 20.0))]


# --- in the browser ----------------------------------------------------------------------------------------------


def _drags(app: Server) -> list[Line]:
    sizes = {"3×2×2": sized(3, 2, 2), "8×8×4": sized(8, 8, 4), "32 × 12 heads × d 48": narrow(32, 48, 4, 12)}
    goals = {"3×2×2": 17.0, "8×8×4": 17.0, "32 × 12 heads × d 48": 50.0}
    lines = []
    with sync_playwright() as playwright:
        browser = chromium(playwright)
        for size, example in sizes.items():
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.add_init_script(RECORD)
            bench = Bench(page).open(f"{app.url}?s={to_token(example)}")
            what = "from one frame with new numbers to the next, dragged"
            lines.append(Line(f"{size}: {what}", dragged(bench, page), goal=(goals[size], "")))
            for lens in ("change", "gradient"):
                bench.choose("lens", lens)
                lines.append(Line(f"{size}, coloured by {lens}: {what}", dragged(bench, page)))
            page.close()
        lines += _with_pictures(browser, app)
        browser.close()
    return lines


def _with_pictures(browser: Browser, app: Server) -> list[Line]:
    """The same in a window as tall as the page, without pictures and with two that follow the drag."""
    page = browser.new_page(viewport={"width": 1280, "height": 9000})
    page.add_init_script(RECORD)
    bench = Bench(page).open(f"{app.url}?s={to_token(sized(8, 8, 4))}")
    chosen = page.locator(".st-key-pictures .stButtonGroup button")
    drawn = page.locator(".js-plotly-plot")
    chosen.nth(0).click()
    drawn.wait_for(state="detached")
    alone = dragged(bench, page)
    for index in range(2):
        chosen.nth(index).click()
        drawn.nth(index).wait_for()
    bench.settled()  # the answer to the second choice draws the first picture once more
    page.evaluate(COUNT_DRAWN)
    numbers = dragged(bench, page)
    per_picture = [1000 * SECONDS / times for times in page.evaluate("[...window.drawn.values()]") if times]
    what = "8×8×4 in a window 9,000 px tall"
    frames = "from one frame with new numbers to the next, dragged"
    return [
        Line(f"{what}, no picture: {frames}", alone),
        Line(f"{what}, two pictures: {frames}", numbers, goal=(34, "")),
        Line(
            f"{what}, two pictures: from one drawing of a picture to its next, the mean of each", per_picture
        ),
    ]


def dragged(bench: Bench, page: Page) -> list[float]:
    """Milliseconds between frames with new numbers while X[1, 1] is dragged."""
    cell = bench.cell("x", None, 0, 0)
    cell.scroll_into_view_if_needed()
    box = cell.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 12, y)
    cell.evaluate("(td) => record(td)")
    end = monotonic() + SECONDS
    for step in count():
        page.mouse.move(x + 12 + 10 * (step % 40), y)
        if monotonic() > end:
            break
    frames: list[float] = page.evaluate("stop()")
    page.mouse.up()
    bench.settled()
    return frames[1:]


# --- on the server -----------------------------------------------------------------------------------------------


def edit(number: float) -> dict[str, object]:
    """An edit that sets X[1, 1] to this number."""
    return {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[number]]}


@dataclass
class Client:
    """One socket as a page uses it through a lens: it names an example, and sends edits of that example."""

    socket: ClientConnection
    ids: count[int] = field(default_factory=lambda: count(2))

    async def ready(self, example: Example) -> None:
        """Name the example that the edits are made to."""
        lens = {"name": "gradient", "decimals": 4}
        request = {"id": 1, "from": {"s": to_token(example)}, "lens": lens, "quiet": True}
        await self.socket.send(json.dumps(request))
        await self.socket.recv()

    async def edited(self, number: float) -> tuple[float, int, int]:
        """Milliseconds from an edit to what the lens shows of it, and bytes up and down."""
        request = {"id": next(self.ids), "from": 1, "edits": [edit(number)], "lang": "en", "lens": 1}
        text = json.dumps(request)
        begin = perf_counter()
        await self.socket.send(text)
        answer = await self.socket.recv()
        return (perf_counter() - begin) * 1000, len(text), len(answer)


def address(app: Server) -> str:
    """The channel's address."""
    return f"ws://127.0.0.1:{app.port}/api/live"


def cpu(app: Server) -> float:
    """Milliseconds of CPU that the server has taken so far."""
    fields = Path(f"/proc/{app.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(app: Server) -> float:
    """Megabytes of memory that the server uses."""
    status = Path(f"/proc/{app.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def _alone(app: Server) -> list[Line]:
    """One client after the other: time, bytes and CPU of an edit."""

    async def run(example: Example, edits: int) -> tuple[list[tuple[float, int, int]], float]:
        async with connect(address(app)) as socket:
            client = Client(socket)
            await client.ready(example)
            await client.edited(0)
            before = cpu(app)
            taken = [await client.edited(n % 17 + 0.5) for n in range(edits)]
            return taken, (cpu(app) - before) / edits

    lines = []
    for size, example in (("3×2×2", sized(3, 2, 2)), ("8×8×4", sized(8, 8, 4))):
        runs = [asyncio.run(run(example, 100)) for _ in range(10)]
        edits = [edit for taken, _ in runs for edit in taken]
        lines += [
            Line(f"{size}: edit → the lens's numbers, a socket alone", [ms for ms, _, _ in edits]),
            Line(f"{size}: bytes an edit, both ways", [up + down for _, up, down in edits], "bytes"),
            Line(f"{size}: server CPU an edit", [per for _, per in runs]),
        ]
    return lines


async def _crowd(app: Server, seconds: float) -> list[Line]:
    """Many clients with an edit each now and then, first alone and then with some that drag."""
    example = sized(3, 2, 2)
    sockets = await asyncio.gather(*(connect(address(app)) for _ in range(CLIENTS)))
    clients = [Client(socket) for socket in sockets]
    for client in clients:
        await client.ready(example)
    calm: list[float] = []
    busy: list[float] = []
    dragged: list[float] = []
    begin, spent = monotonic(), cpu(app)
    await asyncio.gather(
        *(_now_and_then(client, n, begin + seconds, calm) for n, client in enumerate(clients))
    )
    per = (cpu(app) - spent) / len(calm)
    begin = monotonic()
    await asyncio.gather(
        *(_now_and_then(client, n, begin + seconds, busy) for n, client in enumerate(clients[DRAGGING:])),
        *(_drag(client, begin + seconds, dragged) for client in clients[:DRAGGING]),
    )
    await asyncio.gather(*(socket.close() for socket in sockets))
    return [
        Line(
            f"{CLIENTS} sockets, an edit each {EVERY:g} s: edit → the lens's numbers",
            calm,
            goal=(100, ""),
            by="p95",
        ),
        Line(f"{CLIENTS} sockets: server CPU an edit", [per, per]),
        Line(f"the same while {DRAGGING} of them drag", busy, goal=(100, ""), by="p95"),
        Line("an answer to those that drag, each 60 a second at most", dragged),
    ]


async def _now_and_then(client: Client, seed: int, until: float, taken: list[float]) -> None:
    random = Random(seed)
    await asyncio.sleep(random.uniform(0, EVERY))
    while monotonic() < until:
        taken.append((await client.edited(random.randint(-9, 9)))[0])
        await asyncio.sleep(EVERY)


async def _drag(client: Client, until: float, taken: list[float]) -> None:
    for number in count():
        if monotonic() > until:
            return
        begin = monotonic()
        taken.append((await client.edited(number % 40))[0])
        await asyncio.sleep(max(0.0, 1 / 60 - (monotonic() - begin)))


# --- hostile clients ---------------------------------------------------------------------------------------------


async def _harm(app: Server) -> list[Line]:
    """How long others wait during 10,000 malformed messages and 1,000 sockets at once."""
    async with connect(address(app)) as socket:
        client = Client(socket)
        await client.ready(sized(3, 2, 2))
        quiet: list[float] = []
        for n in range(ALONE):
            quiet.append((await client.edited(n % 9))[0])
            await asyncio.sleep(PAUSE)
        rubbish, sockets = (
            asyncio.create_task(_rubbish(app, 10_000)),
            asyncio.create_task(_sockets(app, 1000)),
        )
        harmed: list[float] = []
        while not (rubbish.done() and sockets.done()):
            harmed.append((await client.edited(len(harmed) % 9))[0])
            await asyncio.sleep(PAUSE)
        print(
            f"{rubbish.result():,} of 10,000 bad messages got a sentence; {sockets.result():,} sockets at once"
        )
    alone = "an edit with nobody else there"
    return [
        Line(alone, quiet),
        Line("an edit while others send rubbish and open sockets", harmed, goal=(2, alone), by="p95"),
    ]


async def _rubbish(app: Server, messages: int) -> int:
    random, refused = Random(0), 0
    async with connect(address(app), max_size=None) as socket:
        for number in range(messages):
            kind = number % 4
            text = [
                "{",
                json.dumps({"id": number, "from": random.choice([None, [], 7, {"s": "1" + "A" * 99}])}),
                "[" * 5000,
                " " * 50_000,
            ][kind]
            await socket.send(text)
            answer = await socket.recv()
            refused += '"error"' in str(answer) or '"gone"' in str(answer)
    return refused


async def _sockets(app: Server, many: int) -> int:
    opened = await asyncio.gather(*(connect(address(app)) for _ in range(many)), return_exceptions=True)
    alive = [socket for socket in opened if isinstance(socket, ClientConnection)]
    await asyncio.gather(*(socket.close() for socket in alive))
    return len(alive)


# --- one small message -------------------------------------------------------------------------------------------


def hostile() -> list[Line]:
    """How long a visitor's edits take while others send small but expensive messages."""
    with running() as app:
        return asyncio.run(_with_senders(app))


async def _with_senders(app: Server) -> list[Line]:
    lines: list[Line] = []
    alone = "an edit with nobody else there, 8×8×4"
    names = {0: "", 1: "beside one sender of heavy messages", SENDERS: f"beside {SENDERS} such senders"}
    for senders, name in names.items():
        stop = get_context("spawn").Event()
        others = get_context("spawn").Process(target=_send_heavy, args=(address(app), senders, stop))
        others.start()
        edits, lags = await _edits_and_lags(app)
        stop.set()
        others.join()
        goal = (max(2.0 * lines[0].p95, 50.0), "") if lines else None
        lines += [
            Line(f"an edit {name}" if name else alone, edits, goal=goal, by="p95"),
            Line(f"the loop's lag {name}".strip(), lags, goal=(20, ""), by="p95"),
        ]
    return lines


async def _edits_and_lags(app: Server) -> tuple[list[float], list[float]]:
    """Milliseconds of a visitor's edits, and of the pings of a socket that sends nothing else."""
    edits: list[float] = []
    lags: list[float] = []
    async with connect(address(app)) as socket, connect(address(app)) as other:
        client = Client(socket)
        await client.ready(sized(8, 8, 4))
        until = monotonic() + MEANWHILE

        async def edit() -> None:
            while monotonic() < until:
                edits.append((await client.edited(len(edits) % 9))[0])
                await asyncio.sleep(PAUSE)

        async def ping() -> None:
            while monotonic() < until:
                begin = perf_counter()
                await (await other.ping())
                lags.append((perf_counter() - begin) * 1000)
                await asyncio.sleep(PAUSE)

        await asyncio.gather(edit(), ping())
    return edits, lags


def heavy(edits: int = 100) -> str:
    """A message of a few kB with edits of the largest possible example, whose link is short."""
    tokens, zeros = tuple(map(str, range(64))), filled(64, 64, "zeros")
    example = Example("", tokens, (Head(zeros, zeros, zeros),) * 16, zeros)
    titles = [{"op": "title", "text": str(number)} for number in range(edits)]
    return json.dumps({"id": 1, "from": {"s": to_token(example)}, "edits": titles})


def _send_heavy(url: str, senders: int, stop: Event) -> None:
    """Send expensive messages until told to stop, in a separate process and from another address than the visitor's."""

    async def send() -> None:
        text = heavy()
        while not stop.is_set():
            async with connect(url, max_size=None, local_addr=("127.0.0.2", 0)) as socket:
                for _ in range(3):
                    await socket.send(text)
                    await socket.recv()

    async def send_all() -> None:
        await asyncio.gather(*(send() for _ in range(senders)))

    asyncio.run(send_all())


if __name__ == "__main__":
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0
    with running() as started:
        print(show([*asyncio.run(_crowd(started, 60 * minutes)), *asyncio.run(_harm(started))]))
        print(f"server: {memory(started):.0f} MB")
