"""What is done just before another page is opened is there on that page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from mha_core import built_in
from tests.e2e.test_editing import set_cell
from tests.sizes import shortened
from tools.drive.browser import at_rest, wait_until
from tools.drive.explore import Bench, assert_shows
from tools.drive.walk import Walk

WATER = built_in("water")

AFTER = """(wait) => new Promise((resolve) => {
    const link = [...document.querySelectorAll("[data-testid=stPageLink-NavLink]")].find((one) =>
        one.textContent.startsWith("Notation "));
    setTimeout(() => resolve(link.click()), wait);
})"""


WAITS = [(0, 50, 160), (20,)]
"""Milliseconds after the edit: it waits, is on its way, or is being answered."""


@pytest.mark.parametrize("waits", shortened(WAITS, WAITS[:1]), ids=str)
def test_an_edit_and_a_number_that_is_still_being_typed_reach_the_next_page(visit, waits):
    bench = visit("?example=water")
    for number, wait in enumerate(waits, 7):
        bench.cell("x", None, 0, 0).click()
        bench.page.keyboard.type(str(number))
        bench.page.keyboard.press("Enter")
        bench.page.evaluate(AFTER, wait)
        bench.page.wait_for_url("**/conventions?*s=*")
        at_rest(bench.page)  # until then Streamlit may replace the links, and a click on one is lost
        bench.page.get_by_role("link", name="Explore").click()
        assert_shows(bench.settled(), set_cell(WATER, "x", None, 0, 0, float(number)))
    bench.do("reset").wait_for_address(WATER)
    at_rest(bench.page)
    bench.cell("x", None, 0, 0).dblclick()
    bench.page.keyboard.type("7")
    bench.page.get_by_role("link", name="Notation").click()
    bench.page.wait_for_url("**/conventions?*s=*")


@pytest.mark.parametrize("times", shortened(range(3), [0]))
def test_the_place_in_the_walk_reaches_the_next_page(new_page, server, times):
    """The server is sent the place once the walk rests. Whoever leaves sooner finds it in the address."""
    page = new_page()
    walk = Walk(page).open(f"{server.url}walkthrough?example=water&step=inputs&view=projector")
    walk.press("ArrowRight", "Escape")
    page.get_by_role("link", name="Explore").click()
    bench = Bench(page).settled()
    wait_until(page, "() => location.search.includes('step=q') && !location.search.includes('view=')")
    bench.edit("x", None, 0, 0, 7)
    page.get_by_role("link", name="Step through").click()
    Walk(page).ready().stands_at("q")
    expect(page.locator(".st-key-frame")).to_be_visible()


def test_who_closes_the_tab_finds_the_way_back_to_the_numbers(new_context, server):
    context = new_context()
    bench = Bench(context.new_page()).open(f"{server.url}?example=water")
    expect(bench.page.locator(".way-back")).to_have_count(0)
    bench.edit("x", None, 0, 0, 7)
    changed = set_cell(WATER, "x", None, 0, 0, 7.0)
    bench.wait_for_address(changed)
    bench.page.close()
    later = Bench(context.new_page()).open(server.url)
    later.page.get_by_text("Continue where you left off").click()
    later.page.locator(".way-back button").click()
    later.page.wait_for_url("**s=*")
    assert_shows(later.settled(), changed)


def test_the_way_back_moves_nothing_and_its_list_is_aligned(new_context, server):
    """Works are buttons and places are links. The times are beside what they are about."""
    context = new_context(viewport={"width": 1280, "height": 800})
    top = Bench(context.new_page()).open(server.url).page.locator(".overview").bounding_box()["y"]
    Bench(context.new_page()).open(f"{server.url}?example=water").edit("x", None, 0, 0, 7).wait_for_address(
        set_cell(WATER, "x", None, 0, 0, 7.0)
    )
    Bench(context.new_page()).open(f"{server.url}check?example=water&ask=weights")
    page = Bench(context.new_page()).open(server.url).page
    assert page.locator(".overview").bounding_box()["y"] == top
    page.get_by_text("Continue where you left off").click()
    boxes = [
        [node.bounding_box() for node in row.locator("> *").all()]
        for row in page.locator(".way-back li").all()
    ]
    assert len(boxes) == 2
    assert {what["x"] for what, _ in boxes} == {page.locator(".way-back").bounding_box()["x"]}
    for what, ago in boxes:
        assert 0 < ago["x"] - what["x"] - what["width"] < 24
