"""A browser that forbids storage: each page opens, does what it is for, and complains of nothing. All pages use one
guarded store (tests/js/test_kit.py), so in short two of them are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import context_of
from tests.e2e.test_rooms import Phone, opened
from tests.sizes import shortened
from tools.drive.browser import at_rest, menu
from tools.drive.explore import Bench
from tools.drive.walk import Walk

FORBIDDEN = """for (const name of ["sessionStorage", "localStorage"])
    Object.defineProperty(window, name, { get() { throw new DOMException("denied", "SecurityError"); } });"""


@pytest.fixture(scope="module")
def forbidding(browser, watching) -> Iterator[Page]:
    """A page that keeps nothing, handed on from test to test."""
    context = context_of(browser, watching, newcomer=True)
    context.add_init_script(FORBIDDEN)
    yield context.new_page()
    context.close()


@pytest.fixture
def page(forbidding, watch) -> Iterator[Page]:
    yield forbidding
    forbidding.goto("about:blank")


def bench(page: Page) -> None:
    page.get_by_role("button", name="Show me around first").click()
    expect(page.locator(".start")).to_be_visible()
    page.keyboard.press("Escape")
    Bench(page).settled().edit("x", None, 0, 0, 7)
    expect(Bench(page).cell("x", None, 0, 0)).to_have_text("7")


def teach(page: Page) -> None:
    page.get_by_role("button", name="Teach").click()


def walkthrough(page: Page) -> None:
    teach(page)
    walk = Walk(page).ready().press("ArrowRight").stands_at("scaled_scores")
    walk.button("lecture").select_option("25")
    walk.press("ArrowRight")
    expect(walk.button("lecture")).to_have_value("25")


def presenter(page: Page) -> None:
    walk = Walk(page).ready().press("ArrowRight").stands_at("scaled_scores")
    walk.root.get_by_role("button", name="Restart").click()
    expect(walk.root.locator(".notes .clock")).to_contain_text("total 0:0")


def models(page: Page) -> None:
    page.locator(".tile").nth(1).click()
    expect(page.locator(".tile").nth(1)).to_have_attribute("aria-selected", "true")


def colours(page: Page) -> None:
    menu(page)
    page.get_by_role("button", name="Dark", exact=True).click()
    expect(page.locator(".stApp")).to_have_css("background-color", "rgb(18, 22, 28)")


def hall(page: Page) -> None:
    teach(page)
    page.locator(".hall .opener").click()
    expect(page.locator(".hall .hall-bar")).to_be_visible()
    page.keyboard.press("Escape")


def language(page: Page) -> None:
    page.locator(".st-key-frame").get_by_role("radio", name="中").click()
    expect(page).to_have_title("记号约定 · 多头注意力")


PAGES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "Explore": ("", bench),
    "Step through": ("walkthrough?step=scores", walkthrough),
    "Presenter view": ("walkthrough?view=presenter&step=scores", presenter),
    "Real models": ("models", models),
    "Check my numbers": ("check", colours),
    "Compare": ("experiments", hall),
    "Notation": ("conventions", language),
    "Learn": ("lessons", hall),
}


@pytest.mark.parametrize("name", shortened(PAGES, ["Explore", "Step through"]))
def test_a_page_does_what_it_is_for_where_storage_is_forbidden(server, page, name):
    path, act = PAGES[name]
    page.goto(server.url + path)
    at_rest(page)
    act(page)


def test_a_telephone_follows_a_wall_where_storage_is_forbidden_on_both(server, page):
    wall, code = opened(page, server.url)
    phone = Phone(page.context.new_page()).open(f"{server.url}follow/{code}").stands_at("q")
    wall.press("ArrowRight").stands_at("k")
    phone.stands_at("k").says("In sync with the projector.")
    phone.page.locator('[data-focus="theme"]').click()
    phone.page.close()
