"""Chromium, and waiting for a page in it."""

from __future__ import annotations

import shutil

from playwright.sync_api import Browser, Locator, Page, Playwright

from tools.drive.server import Server

CHROMIUM_FLAGS = [
    *"--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking".split(),
    *"--disable-component-update --disable-sync --in-process-gpu".split(),
    # no other host is found, and the console says which was asked for
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
]
WAIT = 30_000
"""Milliseconds after which something that should have come is taken for missing."""


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
