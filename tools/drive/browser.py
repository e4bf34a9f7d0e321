"""Chromium, and waiting for a page in it."""

from __future__ import annotations

import shutil

from playwright.sync_api import Browser, Locator, Page, Playwright

from tools.drive.server import Server

CHROMIUM_FLAGS = [
    *"--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking".split(),
    *"--disable-component-update --disable-sync --in-process-gpu".split(),
    # no other host can be found, and the console says which one was requested
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
]
WAIT = 30_000
"""Milliseconds after which something that has not come counts as missing."""


def chromium(playwright: Playwright, *flags: str) -> Browser:
    """A browser, with these flags besides the usual ones."""
    return playwright.chromium.launch(executable_path=own_chromium(), args=[*CHROMIUM_FLAGS, *flags])


def own_chromium() -> str | None:
    """The machine's own Chromium, preferably the headless one, which takes a quarter less time for a page.

    ``None`` where there is none, which means Playwright's.
    """
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")


def wait_until(page: Page, condition: str, arg: object = None) -> None:
    """Wait until a condition is true in the page, which checks it every 30 ms.

    ``expect`` ends up checking once a second, and most of a test would be waiting.
    """
    page.wait_for_function(condition, arg=arg, polling=30, timeout=WAIT)


def wait_for(page: Page, selector: str) -> None:
    """Wait until such an element is in the page, or in a component."""
    wait_until(
        page,
        """(selector) => !!document.querySelector(selector) ||
            [...document.querySelectorAll("*")].some((node) => node.shadowRoot?.querySelector(selector))""",
        selector,
    )


def replace(server: Server, *buttons: Locator) -> None:
    """Replace the server by a new one, and press a button on each page: the new server has no state, so they reload."""
    connected = (
        """(wanted) => wanted === !!document.querySelector('[data-test-connection-state="CONNECTED"]')"""
    )
    server.kill()
    for button in buttons:
        wait_until(button.page, connected, False)
    server.start()
    for button in buttons:
        wait_until(button.page, connected, True)
        button.click()
        wait_until(button.page, "() => performance.getEntriesByType('navigation')[0]?.type === 'reload'")


def at_rest(page: Page) -> None:
    """Wait until the page's script has run and all pictures in view are drawn, and nothing more happens for a moment.

    A press may take that moment to reach the server.
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
    """The picture of this name, scrolled into view and drawn: pictures out of view are not drawn."""
    page.wait_for_function(
        """(name) => {
            const plot = document.querySelector(`.st-key-picture-${name} .mha-plot`);
            plot?.scrollIntoViewIfNeeded();  // repeatedly: a running script may replace it
            const drawn = plot?.querySelector(".js-plotly-plot .main-svg")?.checkVisibility();
            return drawn && plot.getAttribute("aria-busy") !== "true";
        }""",
        arg=name,
        timeout=WAIT,
    )
    return page.locator(f".st-key-picture-{name} .mha-plot")


def menu(page: Page) -> None:
    """Open the menu at the top of the page."""
    page.locator(".st-key-frame-menu button").click()
    at_rest(page)  # opening it runs the page


def close_menu(page: Page) -> None:
    """Close the menu by its key. Its button, pressed while the menu is still closing, would not open it again."""
    page.keyboard.press("Escape")
    wait_until(page, """() => !document.querySelector('[data-testid="stPopoverBody"]')""")
    at_rest(page)  # closing it runs the page too
