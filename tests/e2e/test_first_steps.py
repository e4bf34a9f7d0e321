"""The first steps: where they are placed, what they point at, and that nobody is shown them twice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from mha_core import built_in
from tests.e2e.conftest import configure, context_of, reset
from tests.e2e.looks import assert_no_barrier, wider
from tests.e2e.test_live import drag
from tools.drive.browser import at_rest, menu
from tools.drive.explore import Bench

DRAG = "Drag this number left or right, or type a new one."
COVERED = """() => {
    const root = [...document.querySelectorAll("*")].find((one) => one.shadowRoot?.querySelector(".bench")).shadowRoot;
    const box = (selector) => root.querySelector(selector).getBoundingClientRect();
    const bubble = box(".start");
    const about = root.querySelector(".start").ariaLabel.includes("3 ") ? ['.matrix:has([data-matrix="weights"])'] : [];
    const names = [".overview", ".explain", ".start-ring", ".head-chips", ".fold > button", ...about];
    const clear = names.filter((name) => [...root.querySelectorAll(name)].some((node) => {
        const other = node.getBoundingClientRect();
        return node.checkVisibility() && bubble.left < other.right && bubble.right > other.left &&
            bubble.top < other.bottom && bubble.bottom > other.top;
    }));
    const inside = bubble.left >= 0 && bubble.right <= innerWidth && bubble.top >= 0 && bubble.bottom <= innerHeight;
    return inside ? clear : [...clear, "outside"];
}"""
"""What the bubble covers of what it speaks of, of what the reader is to watch, and of what can be pressed."""


@pytest.fixture(scope="module")
def without_start(browser, watching) -> Iterator[Page]:
    """The page of a new visitor, passed on from test to test."""
    context = context_of(browser, watching, newcomer=True)
    yield context.new_page()
    context.close()


@pytest.fixture
def newcomer(server, without_start, watch) -> Iterator[Callable[..., Bench]]:
    """Open the app at a query as a new visitor."""

    def opened(query: str = "", **options) -> Bench:
        configure(without_start, **options)
        return Bench(without_start).open(server.url + query)

    yield opened
    reset(without_start)


def bubble(page: Page):
    return page.locator(".start")


def step(page: Page, number: int):
    expect(bubble(page)).to_have_attribute("aria-label", f"First steps: {number} of 3")
    expect(bubble(page)).to_be_visible()
    page.wait_for_function(f"() => ({COVERED})().length === 0")
    return bubble(page)


def begin(page: Page):
    """Ask for the steps, for which a puzzle has the first place."""
    page.get_by_role("button", name="Show me around first").click()


def assert_around(ring, box):
    found = ring.bounding_box()
    assert abs(found["x"] - box["x"]) <= 1
    assert abs(found["y"] - box["y"]) <= 1


def test_each_step_waits_until_it_is_done_and_none_comes_twice(newcomer):
    bench = newcomer(reduced_motion="reduce", viewport={"width": 1280, "height": 720})
    page = bench.page
    begin(page)
    expect(step(page, 1)).to_contain_text(DRAG)
    cell = bench.cell("x", None, 0, 0).bounding_box()
    assert_around(page.locator(".start-ring").first, cell)

    drag(bench, 5, "x", None, 0, 0)
    step(page, 1)  # it is not done while the number is being dragged
    page.mouse.up()
    expect(step(page, 2)).to_contain_text("Drag the number X[1, 1] again")
    assert_around(page.locator(".start-ring.also"), bench.cell("x", None, 0, 0).bounding_box())
    page.locator(".stMain").evaluate("(main) => main.scrollTo(0, 900)")  # its number is out of view
    expect(bubble(page)).to_be_hidden()
    page.locator(".stMain").evaluate("(main) => main.scrollTo(0, 0)")
    step(page, 2)
    drag(bench, -2, "x", None, 0, 0)
    page.mouse.up()
    bench.settled()
    step(page, 3)
    said = page.locator(".overview .moved")
    expect(said).to_contain_text("the weight")  # once the numbers rest
    moved = re.search(r"the weight \W?(\w+)\W? → \W?(\w+)\W? in head (\d)", said.inner_text())
    tokens = list(built_in("programming").tokens)
    row, col = (tokens.index(token) for token in moved.groups()[:2])
    target = bench.cell("weights", int(moved[3]) - 1, row, col)
    expect(target).to_be_in_viewport(ratio=1)
    target.hover()
    expect(bubble(page)).to_be_hidden()
    assert f"A[{row + 1}, {col + 1}]" in bench.arithmetic()

    again = bench.page.context.new_page()
    Bench(again).open(page.url.split("?")[0])
    expect(bubble(again)).to_be_hidden()


def test_a_page_within_another_opens_without_it(newcomer):
    bench = newcomer("?embed=true")
    at_rest(bench.page)
    assert not bubble(bench.page).is_visible()
    assert bench.page.evaluate("localStorage.getItem('mha.start')") is None


def test_on_a_telephone_it_covers_nothing_speaks_of_fingers_and_ends_when_one_goes_on(server, new_context):
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
    page = new_context(
        newcomer=True, reduced_motion="reduce", **phone
    ).new_page()  # what scrolls arrives at once
    bench = Bench(page).open(server.url)
    expect(bubble(page)).to_be_hidden()  # it opens with the puzzle
    page.locator(".stMain").evaluate("(main) => main.scrollTo(0, 420)")
    bench.cell("x", None, 0, 0).tap()
    expect(step(page, 1)).to_contain_text("Hold this number for a moment, then slide left or right.")
    assert wider(page) == []
    assert_no_barrier(page)
    for number in (2, 3):
        page.locator(".start-next").tap()
        expect(step(page, number)).not_to_contain_text(re.compile("point at|drag|hover", re.IGNORECASE))
    bench.cell("x", None, 0, 0).scroll_into_view_if_needed()  # gone on from what the last one speaks of
    expect(bubble(page)).to_be_hidden()
    bench.cell("weights", 0, 0, 0).scroll_into_view_if_needed()
    expect(bubble(page)).to_be_hidden()

    menu(page)
    page.get_by_role("button", name="First steps", exact=True).tap()
    step(page, 1)
    page.locator('[data-focus="sentence"]').tap()
    for over in (bubble(page), page.locator(".start-ring").first):  # neither lies over what is written in
        expect(over).to_be_hidden()
    page.keyboard.press("Escape")
    step(page, 1)
    page.locator('[data-focus="sentence"]').tap()
    page.keyboard.type("a sentence of my own")
    page.keyboard.press("Enter")
    bench.settled()
    expect(bubble(page)).to_be_hidden()
