"""With faults planted in the server: the page still works, and one button leads back to what could be drawn."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from mha_core import built_in, to_token
from tests.apply import apply
from tests.sizes import shortened
from tools.drive.browser import picture
from tools.drive.explore import Bench, assert_shows, example_in
from tools.drive.server import FORKS, ROOT, Forked, Server

ALERT = "Something went wrong in this part of the page"
BACK = "Go back to the last working state"
WATER = built_in("water")


def cell(number):
    return {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[number]]}


class Planted(Forked):
    """A server with the faults, in a process forked from one that has imported all that the app needs."""

    def launch(self) -> None:
        self.fork = FORKS.Process(target=_serve_planted, args=("app.py", *self.options), daemon=True)
        self.fork.start()


def _serve_planted(*arguments: str) -> None:
    """``python -m tests.e2e.planted run`` in this process, which says nothing."""
    os.chdir(ROOT)
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    sys.argv[1:] = ["run", *arguments]
    runpy.run_module("tests.e2e.planted", run_name="__main__")


@pytest.fixture(scope="module")
def faulty() -> Iterator[Server]:
    server = Planted()
    server.start()
    yield server
    server.kill()


def alert(page: Page):
    return page.get_by_role("alert").filter(has_text=ALERT)


def test_what_cannot_be_drawn_says_so_loses_nothing_and_leads_back(faulty, new_page):
    """The pictures, which leave the tables; a page as a whole; the tables, which show the last numbers."""
    bench = Bench(new_page()).open(f"{faulty.url}?example=water")
    page = bench.page
    bench.edit("x", None, 0, 0, 78)
    expect(alert(page)).to_have_count(1)
    assert_shows(bench, apply(WATER, cell(78)))
    page.get_by_role("button", name=BACK).click()
    expect(alert(page)).to_have_count(0)
    assert_shows(bench.settled(), WATER)
    picture(page, "weights")
    bench.edit("x", None, 0, 0, 79)
    bench.wait_for_address(apply(WATER, cell(79)))
    page.get_by_role("link", name="Learn").click()
    expect(alert(page)).to_have_count(1)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    page.go_back()
    assert_shows(bench.settled(), apply(WATER, cell(79)))
    expect(alert(page)).to_have_count(0)
    page.keyboard.press("Control+z")
    assert_shows(bench.settled(), WATER)
    assert_tables_lead_back(bench)


def assert_tables_lead_back(bench):
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


@pytest.mark.parametrize(
    "path",
    shortened(["", "walkthrough", "check", "experiments", "conventions", "lessons"], ["experiments"]),
)
def test_a_link_that_cannot_be_drawn_leads_to_the_example_that_opens_first(faulty, new_page, path):
    page = new_page()
    for _ in range(2):  # loaded again it offers the same
        page.goto(f"{faulty.url}{path}?s={to_token(apply(WATER, cell(77)))}")
        expect(alert(page)).to_have_count(1)
    page.get_by_role("button", name="Use the example “").click()
    expect(alert(page)).to_have_count(0)
    page.wait_for_url("**example=programming**")
