"""In real Chromium, with faults planted in the server: the page stands, and one button leads back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from mha_core import built_in, to_token
from mha_core.edit.edits import apply
from tests.e2e.driver import Bench, Server, assert_shows, example_in, picture, running
from tests.sizes import shortened

ALERT = "Something unexpected happened in this part of the page"
BACK = "Back to the last state that worked"
WATER = built_in("water")


def cell(number):
    return {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[number]]}


@pytest.fixture(scope="module")
def faulty() -> Iterator[Server]:
    with running(module="tests.e2e.planted") as server:
        yield server


def alert(page: Page):
    return page.get_by_role("alert").filter(has_text=ALERT)


def test_tables_that_cannot_be_drawn_show_the_last_numbers_and_lead_back(faulty, new_page):
    bench = Bench(new_page()).open(f"{faulty.url}?example=water")
    page = bench.page
    bench.edit("x", None, 0, 0, 5)
    good = apply(WATER, cell(5))
    bench.wait_for_address(good)
    bench.edit("x", None, 0, 0, 77)
    expect(alert(page)).to_have_count(1)
    assert_shows(bench.settled(), good)
    assert example_in(page.url) == good
    page.get_by_role("button", name=BACK).click()
    expect(alert(page)).to_have_count(0)
    assert_shows(bench.settled(), good)
    bench.edit("x", None, 0, 0, 77)
    expect(alert(page)).to_have_count(1)
    bench.settled()
    page.keyboard.press("Control+z")
    expect(alert(page)).to_have_count(0)
    bench.edit("x", None, 1, 0, 3)
    after = apply(good, {**cell(3), "row": 1})
    assert_shows(bench, after)
    bench.wait_for_address(after)
    page.reload()
    assert_shows(bench.settled(), after)


def test_pictures_that_cannot_be_drawn_leave_the_tables(faulty, new_page):
    bench = Bench(new_page()).open(f"{faulty.url}?example=water")
    bench.edit("x", None, 0, 0, 78)
    expect(alert(bench.page)).to_have_count(1)
    assert_shows(bench, apply(WATER, cell(78)))
    bench.page.get_by_role("button", name=BACK).click()
    expect(alert(bench.page)).to_have_count(0)
    assert_shows(bench.settled(), WATER)
    picture(bench.page, "weights")


@pytest.mark.parametrize(
    "path",
    shortened(["", "walkthrough", "check", "experiments", "conventions", "lessons"], ["experiments"]),
)
def test_a_link_that_cannot_be_drawn_leads_to_the_example_that_opens_first(faulty, new_page, path):
    page = new_page()
    for _ in range(2):  # loaded again it offers the same
        page.goto(f"{faulty.url}{path}?s={to_token(apply(WATER, cell(77)))}")
        expect(alert(page)).to_have_count(1)
    page.get_by_role("button", name="Start from “").click()
    expect(alert(page)).to_have_count(0)
    page.wait_for_url("**example=programming**")


def test_a_page_that_fails_as_a_whole_says_so_and_loses_nothing(faulty, new_page):
    bench = Bench(new_page()).open(f"{faulty.url}?example=water")
    page = bench.page
    bench.edit("x", None, 0, 0, 79)
    bench.wait_for_address(apply(WATER, cell(79)))
    page.get_by_role("link", name="Lessons").click()
    expect(alert(page)).to_have_count(1)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    page.go_back()
    assert_shows(bench.settled(), apply(WATER, cell(79)))
    expect(alert(page)).to_have_count(0)
    page.keyboard.press("Control+z")
    assert_shows(bench.settled(), WATER)
