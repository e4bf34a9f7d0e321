"""The tables behave as a spreadsheet: what a click selects, what typing replaces, what Ctrl+Z takes back."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from mha_core import built_in
from tests.e2e.test_editing import set_cell
from tests.sizes import at_length, shortened
from tools.drive.browser import wait_until
from tools.drive.explore import assert_shows

BENCH = ("?example=first", ("x", None, 1, 0))
CHECK = ("check?example=first", ("q", 0, 0, 0))
"""A page with tables to fill in, and a cell to try."""


def opened(visit, where, text="3"):
    """The page with a number of our own in the cell, nothing selected, and that cell."""
    query, place = where
    bench = visit(query)
    bench.type(*place, text)
    leave(bench)
    return bench, bench.cell(*place)


def leave(bench):
    """Click where nothing is, so that nothing is selected."""
    bench.settled().page.locator(".bench h3").first.click()


def has_text(bench, cell, text):
    """Wait until the cell, which is being written in or not, has this text: seen sooner than by ``expect``."""
    wait_until(bench.page, "([cell, text]) => cell.textContent === text", [cell.element_handle(), text])


def slow_clicks(bench, cell, count):
    """Clicks further apart than a double click: each is a first one."""
    cell.hover()
    for _ in range(count):
        bench.page.mouse.down(click_count=1)
        bench.page.mouse.up(click_count=1)


def typing_replaces_it_after_clicks(bench, cell):
    for clicks in (1, 2, 3):
        slow_clicks(bench, cell, clicks)
        bench.page.keyboard.type(f"7{clicks}")
        bench.page.keyboard.press("Enter")
        expect(cell).to_have_text(f"7{clicks}")
        leave(bench)


def the_caret_stands_behind_it_after_a_double_click_f2_and_enter(bench, cell):
    for way, text in (("double click", "37"), ("F2", "377"), ("Enter", "3777")):
        if way == "double click":
            cell.dblclick()
        else:
            cell.click()
            bench.page.keyboard.press(way)
        expect(cell.locator("input")).to_be_focused()
        bench.page.keyboard.type("7")
        bench.page.keyboard.press("Enter")
        expect(cell).to_have_text(text)
        leave(bench)


def a_click_into_what_is_being_typed_moves_the_caret(bench, cell):
    cell.dblclick()
    bench.page.keyboard.type("77")
    cell.locator("input").click(position={"x": 2, "y": 5})
    bench.page.keyboard.press("Home")
    bench.page.keyboard.type("1")
    bench.page.keyboard.press("Enter")
    expect(cell).to_have_text("1377777")


def after_a_click_shift_selects_and_delete_clears(bench, cell):
    cell.click()
    bench.page.keyboard.press("Shift+ArrowRight")
    expect(bench.page.locator("td.selected")).to_have_count(2)
    cell.click()
    bench.page.keyboard.press("Delete")


WAYS = ("click", "second click", "double click", "Enter", "elsewhere")
FEW = ("double click", "elsewhere")


@pytest.mark.parametrize(
    "tried",
    shortened([(BENCH, WAYS), (CHECK, FEW), (CHECK, WAYS)], [(BENCH, WAYS), (CHECK, FEW)]),
    ids=["bench", "check-few", "check"],
)
def test_what_clicks_and_keys_do_to_a_number_and_undo_wherever_the_focus_is(visit, tried):
    """On the page Check in short only what undo does."""
    where, ways = tried
    bench, cell = opened(visit, where)
    if ways is WAYS:
        typing_replaces_it_after_clicks(bench, cell)
        bench.type(*where[1], "3")
        leave(bench)
        the_caret_stands_behind_it_after_a_double_click_f2_and_enter(bench, cell)
        a_click_into_what_is_being_typed_moves_the_caret(bench, cell)
        leave(bench)
        after_a_click_shift_selects_and_delete_clears(bench, cell)
        expect(cell).to_have_text("0" if where is BENCH else "")
    before = cell.inner_text()
    bench.type(*where[1], "8")
    leave(bench)
    undo_takes_back_the_last_edit_wherever_the_focus_is(bench, cell, before, ways)
    bench.page.keyboard.press("Delete")
    expect(cell).to_have_text("0" if where is BENCH else "")
    if where is BENCH:
        undo_leaves_a_text_that_is_being_written_to_the_browser(bench)


def undo_takes_back_the_last_edit_wherever_the_focus_is(bench, cell, before, ways):
    for at, way in enumerate(ways):
        if way == "double click":
            cell.dblclick()
        elif way == "elsewhere":
            bench.page.mouse.click(3, 300)  # the margin of the page
        else:
            slow_clicks(bench, cell, 2 if way == "second click" else 1)
            if way == "Enter":
                bench.page.keyboard.press("Enter")
        for redo in ("Shift+z", "y") if at_length() else ("Shift+z", "y")[at % 2 :][:1]:
            for keys, text in (("z", before), (redo, "8")):
                bench.page.keyboard.press(f"Control+{keys}")
                has_text(bench, cell, text)
        leave(bench)
    cell.click()
    bench.page.keyboard.type("12")
    bench.page.keyboard.press("Control+z")  # first takes back what is being typed
    expect(cell).to_have_text("8")
    expect(cell.get_by_role("spinbutton")).to_be_focused()
    bench.page.keyboard.press("Control+z")
    has_text(bench, cell, before)
    bench.page.keyboard.press("Control+y")
    has_text(bench, cell, "8")


def undo_leaves_a_text_that_is_being_written_to_the_browser(bench):
    bench.do("reset")
    bench.cell("x", None, 0, 0).click()
    bench.page.keyboard.press("Tab")  # after a click it goes to the next number
    expect(bench.cell("x", None, 0, 1).get_by_role("spinbutton")).to_be_focused()
    bench.edit("x", None, 0, 0, 9)
    token = bench.page.locator('[data-focus="token tokens 0"]')
    token.click()
    bench.page.keyboard.type("a")  # two could be two steps of the browser
    bench.page.keyboard.press("Control+z")
    expect(token).to_have_value("思考")
    expect(bench.cell("x", None, 0, 0)).to_have_text("9")
    bench.page.keyboard.press("Control+z")
    assert_shows(bench.settled(), built_in("first"))


def test_a_tap_opens_the_number_for_the_screen_keyboard(visit):
    bench = visit("?example=first", viewport={"width": 390, "height": 844}, has_touch=True)
    cell = bench.cell("x", None, 1, 0)
    cell.tap()
    expect(cell.locator("input")).to_be_focused()
    bench.page.keyboard.type("7")
    bench.page.keyboard.press("Enter")
    assert_shows(bench.settled(), set_cell(built_in("first"), "x", None, 1, 0, 7.0))
