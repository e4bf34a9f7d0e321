"""One server and one Chromium for all tests. Pages are handed on from test to test: Streamlit's script is loaded by a
new page in three times the time that one takes which has run it before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    ViewportSize,
    expect,
    sync_playwright,
)

from tools.drive.browser import WAIT, chromium
from tools.drive.explore import Bench
from tools.drive.server import Forked, Server, running
from tools.drive.walk import Walk

Open = Callable[..., Bench]

expect.set_options(timeout=WAIT)  # on a busy machine an answer may take longer than Playwright's five seconds


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with running() as started:
        yield started


@pytest.fixture(scope="session")
def own_address() -> Iterator[Server]:
    server = Forked()
    yield server
    if not server.ended():
        server.kill()


@pytest.fixture
def own_server(own_address: Server) -> Server:
    """A server of the test's own, just started, which it may kill and start again.

    All of them stand at one address, of which a page that is handed on has the scripts. One goes when the next comes:
    pages that the test leaves open would complain.
    """
    if not own_address.ended():
        own_address.kill()
    own_address.start()
    return own_address


SHORT_LIVED = "--js-flags=--no-maglev,--no-turbofan"
"""A page lives for a second or two: code that is compiled with much care goes before it has paid for that."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = chromium(playwright, SHORT_LIVED)
        yield started
        started.close()


class Watch:
    """What a page must not do: complain in the console. It does so of a request to another host too, since the browser
    finds none (``driver.CHROMIUM_FLAGS``); to watch each request takes a tenth of a page's opening.
    """

    def __init__(self) -> None:
        self.complaints: list[str] = []

    def on(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(error.stack or str(error)))

    def _console(self, message: ConsoleMessage) -> None:
        """Below a page's address Streamlit first asks for its own files there, and then at the root."""
        probe = message.location["url"].endswith(("/_stcore/health", "/_stcore/host-config"))
        if message.type == "error" and not (probe and "404" in message.text):
            self.complaints.append(message.text)


@pytest.fixture(scope="session")
def watching() -> Watch:
    """What all pages of all tests are watched by."""
    return Watch()


@pytest.fixture
def watch(watching: Watch) -> Iterator[Watch]:
    yield watching
    complaints = watching.complaints[:]
    watching.complaints.clear()
    assert complaints == []


STARTED = """try {
    localStorage.setItem('mha.start', 'seen');
    localStorage.setItem('mha.teach', 'true');
} catch {}"""  # about:blank has none
"""Who has been here before is not shown the first steps, and has turned on what a lecturer needs."""


def context_of(browser: Browser, watch: Watch, newcomer: bool = False, **options) -> BrowserContext:
    context = browser.new_context(
        **{"locale": "en-US", "viewport": {"width": 1280, "height": 800}, **options}
    )
    if not newcomer:
        context.add_init_script(STARTED)
    context.set_default_timeout(WAIT)
    context.on("page", watch.on)
    return context


@pytest.fixture
def new_context(browser: Browser, watch: Watch) -> Iterator[Callable[..., BrowserContext]]:
    """A fresh browser context: for several windows of one visitor, another server, or another clock."""
    opened: list[BrowserContext] = []

    def make(**options) -> BrowserContext:
        opened.append(context_of(browser, watch, **options))
        return opened[-1]

    yield make
    for context in opened:
        context.close()


def configure(
    page: Page, viewport=None, color_scheme="light", reduced_motion="no-preference", permissions=()
):
    """Set on an open page what a context would be made with."""
    page.set_viewport_size(viewport or ViewportSize(width=1280, height=800))
    page.emulate_media(color_scheme=color_scheme, reduced_motion=reduced_motion)
    if permissions:  # to grant none would refuse all, downloads among them
        page.context.grant_permissions(permissions)


FORGET = "() => { localStorage.clear(); sessionStorage.clear(); Storage.prototype.setItem = () => {}; }"
"""A page that is left writes down where the work stood, which the next visitor would find."""


def reset(page: Page) -> None:
    """Leave nothing that the next visitor would not find in a fresh browser."""
    for other in page.context.pages:
        if other is not page:
            other.close()
    page.evaluate(FORGET)
    page.mouse.move(-1, -1)
    page.goto("about:blank")
    page.context.clear_cookies()
    page.context.clear_permissions()


def has_a_clock(page: Page) -> bool:
    """Whether a test gave this page's context a clock, which stays: documents loaded under it know of no reload."""
    return page.evaluate("() => performance.getEntriesByType('navigation').length === 0")


@pytest.fixture(scope="session")
def idle_pages() -> dict[tuple[str, bool], list[Page]]:
    """Pages that no test is using, each alone in its context, by what a context cannot change: locale and touch."""
    return {}


@pytest.fixture
def new_page(
    browser: Browser, watch: Watch, idle_pages: dict, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Page]]:
    """A page in a browser of its own, with these options of a context; each call is another visitor."""
    taken: list[tuple[list[Page], Page]] = []

    def make(locale: str = "en-US", has_touch: bool = False, **options) -> Page:
        idle = idle_pages.setdefault((locale, has_touch), [])
        fresh = not idle
        page = (
            context_of(browser, watch, locale=locale, has_touch=has_touch).new_page() if fresh else idle.pop()
        )
        taken.append((idle, page))
        configure(page, **options)
        return page

    failed = request.session.testsfailed
    yield make
    for idle, page in taken:
        if page.is_closed() or request.session.testsfailed > failed or has_a_clock(page):
            page.context.close()
        else:
            reset(page)
            idle.append(page)


@pytest.fixture
def visit(server: Server, new_page: Callable[..., Page]) -> Open:
    """Open the app at a query such as ``?example=causal`` as a new visitor."""

    def opened(query: str = "", **options) -> Bench:
        return Bench(new_page(**options)).open(server.url + query)

    return opened


@pytest.fixture
def walk(server: Server, new_page: Callable[..., Page]) -> Callable[..., Walk]:
    """Open the walkthrough at a query such as ``?step=scores`` as a new visitor."""

    def opened(query: str = "", **options) -> Walk:
        return Walk(new_page(**options)).open(f"{server.url}walkthrough{query}")

    return opened
