"""64 tokens × 16 heads beside 8×8×4, in turns in one browser: to open, to edit, to drag."""

from __future__ import annotations

from time import perf_counter

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.browser import WATCH_SOCKET
from benchmarks.live import RECORD, dragged
from benchmarks.table import Line
from mha_core import to_token
from tools.drive.browser import chromium
from tools.drive.explore import Bench
from tools.drive.server import running
from tools.examples import narrow, sized

SMALL, LARGE = "8×8×4", "64 tokens × 16 heads"
EXAMPLES = {SMALL: sized(8, 8, 4), LARGE: narrow(64, 64, 4, 16)}
OPENINGS = 10
EDITS = 20


def measure() -> list[Line]:
    """Every line about a large example."""
    opened: dict[str, list[float]] = {size: [] for size in EXAMPLES}
    edited: dict[str, list[float]] = {size: [] for size in EXAMPLES}
    frames: dict[str, list[float]] = {}
    with running() as app, sync_playwright() as playwright:
        browser = chromium(playwright)
        urls = {size: f"{app.url}?s={to_token(example)}" for size, example in EXAMPLES.items()}
        for round_ in range(OPENINGS + 1):
            for size, url in urls.items():
                taken, page = _opened(browser, url)
                page.context.close()
                if round_:
                    opened[size].append(taken)
        pages = {size: _opened(browser, url)[1] for size, url in urls.items()}
        for round_ in range(EDITS + 2):
            for size, page in pages.items():
                page.bring_to_front()
                taken = page.evaluate(f"editBench(0.{round_ % 7 + 11})")["numbers"]
                if round_ > 1:
                    edited[size].append(taken)
        for size, page in pages.items():
            page.bring_to_front()
            frames[size] = dragged(Bench(page), page)
        browser.close()
    return [*_lines("open → all numbers", opened), *_lines("edit → all numbers painted", edited)] + [
        Line(f"{size}: from one frame with new numbers to the next, dragged", frames[size]) for size in frames
    ]


def _opened(browser: Browser, url: str) -> tuple[float, Page]:
    """Milliseconds until a new visitor's bench is ready, and its page."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.add_init_script(WATCH_SOCKET + RECORD)
    begin = perf_counter()
    Bench(page).open(url)
    return (perf_counter() - begin) * 1000, page


def _lines(what: str, taken: dict[str, list[float]]) -> list[Line]:
    small = f"{SMALL}: {what}"
    return [Line(small, taken[SMALL]), Line(f"{LARGE}: {what}", taken[LARGE], goal=(2, small))]
