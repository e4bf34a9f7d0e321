"""What the tests ask of a page's looks: no barrier in light or dark, and nothing wider than the screen.

A page is loaded once, recoloured and resized: nothing of it depends on the theme or the width that it was opened with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.sizes import at_length, turns
from tools.drive.browser import at_rest

PAPER: dict[Literal["light", "dark"], str] = {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 22, 28)"}
WIDTHS = (390, 1280, 1920)
OF_COLOUR = ["color-contrast", "link-in-text-block"]
"""The rules of axe that a page's colours decide: all others find the same in light and in dark."""

WIDER = """() => new Promise((found) => requestAnimationFrame(() => requestAnimationFrame(() => found(
    [document.documentElement, document.querySelector(".stMain")]
        .filter((node) => node && node.scrollWidth > innerWidth)
        .map((node) => `${node.tagName} ${node.className}: ${node.scrollWidth} > ${innerWidth}`)
))))"""


def recolour(page: Page, scheme: Literal["light", "dark"]) -> None:
    page.emulate_media(color_scheme=scheme)
    expect(page.locator(".stApp")).to_have_css("background-color", PAPER[scheme])
    at_rest(page)


def schemes(page: Page) -> Iterator[str]:
    """The page in light, and then in dark."""
    for scheme in PAPER:
        recolour(page, scheme)
        yield scheme


def widths(page: Page, of: Iterable[int] = WIDTHS, height: int = 900) -> Iterator[int]:
    """The page at every width."""
    for width in of:
        page.set_viewport_size({"width": width, "height": height})
        yield width


FADED = """() => Promise.all(document.getAnimations()
    .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
    .map(({ finished }) => finished.catch(() => {})))
    .then(() => null)"""
"""Waits until nothing fades in or out: Streamlit's sliders show their ends under the pointer, at first too faintly."""


def violations(page: Page, **options: object) -> list[dict]:
    """What axe finds. It is asked for nothing else: to tell where each thing stands that it passes takes it longest."""
    page.evaluate(FADED)
    return Axe().run(page, options={"resultTypes": ["violations"], **options}).response["violations"]


def rules(scheme: str) -> dict[str, object]:
    """Which rules are asked in this theme, where all are asked in light."""
    return {"runOnly": OF_COLOUR} if scheme == "dark" else {}


def barriers(page: Page, **options: object) -> list[str]:
    """What axe finds serious or critical."""
    return [
        f"{found['id']}: {[node['html'][:160] for node in found['nodes']][:3]}"
        for found in violations(page, **options)
        if found["impact"] in ("serious", "critical")
    ]


def assert_no_barrier(page: Page, *place: object) -> None:
    """Axe finds nothing serious in light or dark; ``place``: which page it is, for the message."""
    for scheme in schemes(page):
        assert barriers(page, **rules(scheme)) == [], (scheme, *place)


def assert_no_barrier_either(page: Page, *place: object) -> None:
    """The same of another state of a page which axe is asked of anyway: at length."""
    if at_length():
        assert_no_barrier(page, *place)


def assert_no_barrier_at(page: Page, of: Iterable[int] = WIDTHS) -> None:
    """The same at these widths, where light and dark take turns; at length both at each."""
    for width, scheme in turns(of, list(PAPER)):
        page.set_viewport_size({"width": width, "height": 900})
        recolour(page, scheme)
        assert barriers(page) == [], (width, scheme)


def wider(page: Page) -> list[str]:
    """What is wider than the screen, once the page has taken its size."""
    return page.evaluate(WIDER)


LONG = """() => {
    // the content of examples: notes, sentences and titles
    const CONTENT = ".mha-note summary, .example, [class*=st-key-lessons-open] button";
    const roots = [document, ...[...document.querySelectorAll("*")].map((node) => node.shadowRoot).filter(Boolean)];
    return roots.flatMap((root) => [...root.querySelectorAll("button, summary, option, [role=tab], [role=radio]")])
        .filter((control) => !control.matches(CONTENT) && !control.closest(CONTENT))
        .map(({ textContent }) => textContent.trim()).filter((text) => [...text].length > 40);
}"""


def long_texts(page: Page) -> list[str]:
    """The texts of buttons, tabs and entries of menus that have more than forty characters."""
    return page.evaluate(LONG)
