"""One server and one Chromium for all tests; a fresh browser context for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from tests.e2e.driver import WAIT, Bench, Server, chromium, running

Open = Callable[..., Bench]

expect.set_options(timeout=WAIT)  # on a busy machine an answer may take longer than Playwright's five seconds


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with running() as started:
        yield started


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = chromium(playwright)
        yield started
        started.close()


class Watch:
    """What a page must not do: complain in the console, or ask another host for anything."""

    def __init__(self) -> None:
        self.complaints: list[str] = []
        self.foreign: list[str] = []

    def on(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._request(request.url))
        page.on("websocket", lambda socket: self._request(socket.url))

    def _console(self, message: ConsoleMessage) -> None:
        """Below a page's address Streamlit first asks for its own files there, and then at the root."""
        probe = message.location["url"].endswith(("/_stcore/health", "/_stcore/host-config"))
        if message.type == "error" and not (probe and "404" in message.text):
            self.complaints.append(message.text)

    def _request(self, url: str) -> None:
        if not url.startswith(("http://localhost:", "ws://localhost:", "blob:", "data:")):
            self.foreign.append(url)


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def new_context(browser: Browser, watch: Watch) -> Iterator[Callable[..., BrowserContext]]:
    opened: list[BrowserContext] = []

    def make(**options) -> BrowserContext:
        context = browser.new_context(
            **{"locale": "en-US", "viewport": {"width": 1280, "height": 800}, **options}
        )
        context.set_default_timeout(WAIT)
        context.on("page", watch.on)
        opened.append(context)
        return context

    yield make
    for context in opened:
        context.close()
    assert watch.complaints == []
    assert watch.foreign == []


@pytest.fixture
def visit(server: Server, new_context: Callable[..., BrowserContext]) -> Open:
    """Open the app at a query such as ``?example=causal`` in a fresh browser context."""

    def opened(query: str = "", **options) -> Bench:
        return Bench(new_context(**options).new_page()).open(server.url + query)

    return opened
