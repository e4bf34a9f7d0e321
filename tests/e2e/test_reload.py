"""Undo, redo and history survive a reload of the page, and belong to one tab."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from mha_core import built_in
from tests.e2e.test_editing import set_cell
from tests.e2e.test_live import X00, centre, drag, shows
from tools.drive.browser import menu
from tools.drive.explore import Bench, assert_shows

WATER = built_in("water")


def x00(number):
    return set_cell(WATER, "x", None, 0, 0, float(number))


def reloaded(bench: Bench) -> Bench:
    bench.page.reload()
    return bench.settled()


def can(bench: Bench, what: str) -> bool:
    return bench.control(what).is_enabled()


PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


STORED = ["{", '{"examples": 7}', '{"session": "x", "examples": [1, 2], "at": 1, "texts": [[2, "water"]]}']


@pytest.mark.parametrize(
    ("stored", "options"),
    [(STORED[-1], PHONE), *(pytest.param(stored, {}, marks=pytest.mark.long) for stored in STORED[:-1])],
)
def test_undo_redo_and_reset_go_on_after_a_reload_and_malformed_stored_text_is_ignored(
    visit, stored, options
):
    bench = visit("?example=water", **options)
    for number in (3, 5):
        bench.edit("x", None, 0, 0, number)
    bench.do("undo")
    bench.wait_for_address(x00(3))
    reloaded(bench)
    expect(bench.control("redo")).to_be_enabled()
    assert_shows(bench, x00(3))
    bench.do("undo")
    assert_shows(bench, WATER)
    assert not can(bench, "undo")
    for number in (3, 5):
        bench.do("redo")
        assert_shows(bench, x00(number))
    assert not can(bench, "redo")
    bench.wait_for_address(x00(5))
    reloaded(bench)  # and over another one
    expect(bench.control("undo")).to_be_enabled()
    assert not can(bench, "redo")
    expect(bench.control("reset")).to_be_enabled()
    bench.do("reset")
    assert_shows(bench, WATER)
    bench.wait_for_address(WATER)
    assert_is_ignored(bench, stored)


@pytest.mark.parametrize("is_answered", [False, True])
def test_a_redo_survives_a_reload_that_is_requested_in_the_same_task(visit, is_answered):
    """The address without it has been requested when its answer comes, if that comes at all before the page does."""
    bench = visit("?example=water")
    bench.edit("x", None, 0, 0, 3)
    bench.do("undo")
    assert_shows(bench, WATER)
    bench.wait_for_address(WATER)
    reload = "redo => { redo.click(); location.reload(); }"
    with bench.page.expect_navigation(wait_until="commit"):
        if is_answered:
            release_after_answer(bench.page, lambda: bench.control("redo").evaluate(reload))
        else:
            bench.control("redo").evaluate(reload)
    bench.page.unroute_all()
    assert_shows(bench.settled(), x00(3))
    bench.wait_for_address(x00(3))
    assert can(bench, "undo")


def release_after_answer(page: Page, leave: Callable[[], None]) -> None:
    """Leave the page, which lives on until it has the server's answer, since the next document is held back so long."""
    held: list[Route] = []
    is_answered = False

    def hold(route: Route) -> None:
        if is_answered:
            route.continue_()
        else:
            held.append(route)

    page.route("**/?example=water", hold)
    page.evaluate("() => addEventListener('mha-address-kept', () => console.log('answered'))")
    with page.expect_console_message(lambda message: message.text == "answered"):
        leave()
    is_answered = True
    for route in held:
        route.continue_()


def assert_is_ignored(bench, stored):
    """A text that is stored in place of the history does no harm after a reload."""
    bench.page.evaluate(
        "(text) => { window.addEventListener('pagehide', () => sessionStorage.setItem('mha.history', text)) }",
        stored,
    )
    reloaded(bench)
    assert bench.page.evaluate("performance.getEntriesByType('navigation')[0].type") == "reload"
    assert_shows(bench, WATER)
    bench.edit("x", None, 0, 0, 3)
    bench.do("undo")
    assert_shows(bench, WATER)
    assert bench.message().count() == 0 or not bench.message().is_visible()


def test_a_second_tab_and_another_link_have_no_history_of_the_first(visit):
    bench = visit("?example=water")
    bench.edit("x", None, 0, 0, 3)
    link = bench.wait_for_address(x00(3))
    second = Bench(bench.page.context.new_page()).open(link)
    assert_shows(second, x00(3))
    assert not can(second, "undo")
    second.page.close()
    bench.open(bench.page.url.split("?")[0] + "?example=causal")
    assert_shows(bench, built_in("causal"))
    assert not can(bench, "undo")


def test_the_work_and_its_history_survive_a_server_that_dies_during_a_drag_and_other_pages(
    own_server, new_page, watch
):
    bench = Bench(new_page()).open(f"{own_server.url}?example=water")
    bench.edit("x", None, 0, 0, 3)
    bench.edit("x", None, 0, 0, 5)
    bench.wait_for_address(x00(5))
    drag(bench.settled(), 2, *X00)
    shows(bench, 7)
    own_server.kill()
    x, y = centre(bench, *X00)
    bench.page.mouse.move(x + 100, y)
    shows(bench, 15)
    bench.page.mouse.up()
    # Typed while nothing answers: it is sent when a server is back.
    bench.cell("x", None, 0, 0).click()
    bench.page.keyboard.type("7")
    bench.page.keyboard.press("Enter")
    expect(bench.cell("x", None, 0, 0)).to_have_text("7")
    own_server.start()
    assert_shows(bench.settled(), x00(7))
    bench.wait_for_address(x00(7))
    assert all("ERR_CONNECTION" in text or "disconnected" in text for text in watch.complaints), (
        watch.complaints
    )
    bench.page.get_by_role("link", name="Check my numbers", exact=True).click()
    expect(bench.page).to_have_title("Check my numbers · Multi-head attention")
    bench.page.reload()
    menu(bench.page)
    bench.page.keyboard.press("Escape")
    bench.page.get_by_role("link", name="Explore", exact=True).click()
    bench.settled()
    for number in (15, 5, 3):
        expect(bench.control("undo")).to_be_enabled()
        bench.do("undo")
        assert_shows(bench, x00(number))
    bench.edit("x", None, 1, 1, 2)
    assert_shows(bench, set_cell(x00(3), "x", None, 1, 1, 2.0))
    watch.complaints.clear()  # that nobody answered is all that the browser had to say
