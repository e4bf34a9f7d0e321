"""What the tests do with the app: start it, open it, and read and edit the bench as a person would."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

from playwright.sync_api import Browser, Locator, Page, Playwright

from mha_core import OPENS_FIRST, Example, Trace, built_in, from_token, trace
from mha_core.example.model import NEG_INF, position_inputs
from mha_core.vocabulary import PER_HEAD_INPUTS, POSITION_INPUTS, WHOLE_LAYER_STEPS

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM_FLAGS = [
    *"--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking".split(),
    *"--disable-component-update --disable-sync --in-process-gpu".split(),
    # no other host is found, and the console says which was asked for
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
]
WAIT = 30_000
"""Milliseconds after which something that should have come is taken for missing."""


def command(script: Path | str = "app.py", module: str = "streamlit") -> list[str]:
    """What ``make run`` starts; ``module``: another one to start it with."""
    return [sys.executable, "-m", module, "run", str(script)]


class Server:
    """The app on a port of its own, started as ``make run`` does; it can be killed and started again there.

    ``environment``: variables that it is given besides those of the tests.
    """

    def __init__(self, script: Path | str = "app.py", module: str = "streamlit", **environment: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.command = command(script, module)
        self.options = ("--server.headless=true", f"--server.port={self.port}")
        self.environment = environment
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}/"

    def launch(self) -> None:
        self.process = subprocess.Popen(
            [*self.command, *self.options],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONWARNINGS": "ignore", **self.environment},
            start_new_session=True,
        )

    def ended(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def start(self) -> None:
        self.launch()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                with urlopen(f"{self.url}_stcore/health", timeout=1) as answer:
                    if answer.status == 200:
                        return
            except (URLError, OSError):
                if self.ended():
                    raise RuntimeError("the server ended while it was starting") from None
                time.sleep(0.05)  # polling another process, not waiting for a page
        raise TimeoutError("the server did not answer within 60 s")

    def kill(self) -> None:
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.e2e.preloaded"])


class Forked(Server):
    """The same in a process forked from one that has imported all that the app needs: it stands in half a second."""

    fork: multiprocessing.context.ForkServerProcess | None = None

    def launch(self) -> None:
        self.fork = FORKS.Process(target=_serve, args=("app.py", *self.options), daemon=True)
        self.fork.start()

    def ended(self) -> bool:
        return self.fork is None or not self.fork.is_alive()

    def kill(self) -> None:
        assert self.fork is not None
        self.fork.kill()
        self.fork.join()


def _serve(*arguments: str) -> None:
    """``streamlit run`` in this process, which says nothing."""
    from streamlit.web import cli

    os.chdir(ROOT)
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    cli.main(["run", *arguments], prog_name="streamlit")


@contextmanager
def running(script: Path | str = "app.py", module: str = "streamlit", **environment: str) -> Iterator[Server]:
    server = Server(script, module, **environment)
    server.start()
    try:
        yield server
    finally:
        server.kill()


def chromium(playwright: Playwright, *flags: str) -> Browser:
    """A browser, with more flags than the usual."""
    return playwright.chromium.launch(executable_path=own_chromium(), args=[*CHROMIUM_FLAGS, *flags])


def own_chromium() -> str | None:
    """The machine's own Chromium where there is one, best the one without windows: it takes a quarter less time for a
    page; ``None`` is Playwright's."""
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")


def wait_until(page: Page, condition: str, arg: object = None) -> None:
    """Wait until this is so in the page, which looks every 30 ms; what ``expect`` waits for it looks for once a second
    in the end, and most of a test would be waiting."""
    page.wait_for_function(condition, arg=arg, polling=30, timeout=WAIT)


def wait_for(page: Page, selector: str) -> None:
    """Wait until such an element stands in the page, or in what a component has drawn."""
    wait_until(
        page,
        """(selector) => !!document.querySelector(selector) ||
            [...document.querySelectorAll("*")].some((node) => node.shadowRoot?.querySelector(selector))""",
        selector,
    )


def replace(server: Server, *asks: Locator) -> None:
    """The server goes, another comes and is asked by a press on each page: it knows nothing, so that they load anew."""
    connected = (
        """(is_so) => is_so === !!document.querySelector('[data-test-connection-state="CONNECTED"]')"""
    )
    server.kill()
    for ask in asks:
        wait_until(ask.page, connected, False)
    server.start()
    for ask in asks:
        wait_until(ask.page, connected, True)
        ask.click()
        wait_until(ask.page, "() => performance.getEntriesByType('navigation')[0]?.type === 'reload'")


def at_rest(page: Page) -> None:
    """Wait until the page's script has run and all its pictures in view are drawn, and stays so for a moment: before
    that, things still move. What was just pressed may take that moment to reach the server.
    """
    page.evaluate("() => { window.calmSince = null; }")
    wait_until(
        page,
        """() => {
            const calm = document.querySelector('.stApp[data-test-script-state="notRunning"]') &&
                !document.querySelector('.mha-plot[aria-busy="true"], [data-testid="stSkeleton"]');
            window.calmSince = calm ? (window.calmSince ?? performance.now()) : null;
            return calm && performance.now() - window.calmSince > 150;
        }""",
    )


def picture(page: Page, name: str) -> Locator:
    """The picture of this name, brought into view and drawn: out of view none is."""
    page.wait_for_function(
        """(name) => {
            const plot = document.querySelector(`.st-key-picture-${name} .mha-plot`);
            plot?.scrollIntoViewIfNeeded();  // again and again: while a script runs it may be put anew
            const drawn = plot?.querySelector(".js-plotly-plot .main-svg")?.checkVisibility();
            return drawn && plot.getAttribute("aria-busy") !== "true";
        }""",
        arg=name,
        timeout=WAIT,
    )
    return page.locator(f".st-key-picture-{name} .mha-plot")


def menu(page: Page) -> None:
    """Open the menu of the page's head."""
    page.locator(".st-key-frame-menu button").click()
    at_rest(page)  # the page runs for it


class Bench:
    """The matrix bench on a page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.root = page.locator(".bench")

    def open(self, url: str) -> Bench:
        self.page.goto(url)
        return self.settled()

    def settled(self) -> Bench:
        """Wait until the numbers shown answer every edit so far, and the page has kept them."""
        wait_for(self.page, '.bench[aria-busy="false"][data-kept="true"]')
        return self

    def cell(self, name: str, head: int | None, row: int, col: int) -> Locator:
        return self.page.locator(f'td[data-key="{name}|{"" if head is None else head}|{row}|{col}"]')

    def type(self, name: str, head: int | None, row: int, col: int, text: str, key: str = "Enter") -> Bench:
        self.cell(name, head, row, col).click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)
        self.page.keyboard.press(key)
        return self.settled()

    def edit(self, name: str, head: int | None, row: int, col: int, number: float) -> Bench:
        return self.type(name, head, row, col, f"{number:g}")

    def do(self, focus: str) -> Bench:
        """Press the button (or check the box) with this name in ``data-focus``."""
        self.control(focus).click()
        return self.settled().folded()

    def choose(self, focus: str, value: str) -> Bench:
        self.control(focus).select_option(value)
        return self.settled().folded()

    def control(self, focus: str) -> Locator:
        """The control with this name in ``data-focus``, unfolded where it is folded away."""
        control = self.page.locator(f'[data-focus="{focus}"]')
        fold = self.page.locator(".fold", has=control).filter(
            has=self.page.locator("> [aria-expanded=false]")
        )
        if fold.count():
            fold.locator("> button").click()
        return control

    def folded(self) -> Bench:
        """Fold away what was unfolded: it stands over the tables."""
        for fold in self.page.locator(".fold > [aria-expanded=true]").all():
            fold.click()
        return self

    def shown(self) -> dict[str, str]:
        """Every cell's text by key; what is folded away is unfolded, and heads that are not shown are shown in turn."""
        return self.page.evaluate(
            """() => {
                const host = [...document.querySelectorAll("*")].find((e) => e.shadowRoot?.querySelector(".bench"));
                const bench = host.shadowRoot, found = {};
                const read = () => {
                    for (let unfold; (unfold = bench.querySelector('[data-do="unfold"]')); ) unfold.click();
                    for (const cell of bench.querySelectorAll("td[data-key]"))
                        found[cell.dataset.key] = cell.querySelector("input")?.value ?? cell.textContent;
                };
                read();
                for (const chip of bench.querySelectorAll('.head-chips:not([hidden]) [aria-pressed="false"]'))
                    chip.click(), read();
                return found;
            }"""
        )

    def arithmetic(self) -> str:
        return " ".join(self.page.locator(".explain .line").inner_text().split())

    def message(self) -> Locator:
        return self.page.locator(".bench .message span")

    def wait_for_address(self, example: Example) -> str:
        """The address, once it holds this example."""
        self.page.wait_for_function(
            "([wanted]) => wanted.includes(new URLSearchParams(location.search).get('s') ?? "
            "new URLSearchParams(location.search).get('example'))",
            arg=[addresses(example)],
            timeout=WAIT,
        )
        return self.page.url


def addresses(example: Example) -> list[str]:
    from mha_core import library, to_token

    return [to_token(example), *(name for name, held in library().items() if held == example)]


def example_in(url: str) -> Example:
    """The example that an address holds."""
    query = parse_qs(urlsplit(url).query)
    return from_token(query["s"][0]) if "s" in query else built_in(query.get("example", [OPENS_FIRST])[0])


def expected(computed: Trace) -> dict[str, float]:
    """Every number of a trace by the bench's key, computed and given (masks apart)."""
    numbers: dict[str, float] = {}
    example = computed.example

    def put(name: str, head: int | None) -> None:
        for i, row in enumerate(computed.matrix(name, head)):
            for j, number in enumerate(row):
                numbers[f"{name}|{'' if head is None else head}|{i}|{j}"] = number

    for name in ("x", "context", "w_o", "b_o", *position_inputs(example)):
        if name in POSITION_INPUTS or getattr(example, name) is not None:
            put(name, None)
    for head, given in enumerate(example.heads):
        for name in PER_HEAD_INPUTS:
            if getattr(given, name) is not None:
                put(name, head)
    for name, rows in computed.values.items():
        if name in WHOLE_LAYER_STEPS:
            put(name, None)
            continue
        for head, matrix in enumerate(rows):
            if matrix is not None:
                put(name, head)
    return numbers


def assert_shows(bench: Bench, example: Example, decimals: int = 4) -> None:
    """Every number of the example's trace stands on the bench, rounded to its decimals, and no other."""
    numbers = expected(trace(example))
    shown = {key: text for key, text in bench.shown().items() if not key.startswith("mask|")}
    assert shown.keys() == numbers.keys(), sorted(shown.keys() ^ numbers.keys())
    for key, number in numbers.items():
        text = shown[key].replace("−", "-")
        if number == NEG_INF:
            assert text == "-∞", key
        else:
            assert abs(float(text) - number) <= 0.5 * 10**-decimals + 1e-9, (key, text, number)
