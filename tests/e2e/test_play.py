"""A phone on which somebody tries the numbers himself: what only a browser shows, with a finger on the screen."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.looks import PAPER, barriers, rules, wider
from tests.e2e.test_rooms import PHONE, WALL, Phone, opened
from tests.js.dom.play import edited
from tests.sizes import shortened
from tools.drive.browser import wait_until

CUT = """() => [...document.querySelectorAll(".walk td[data-key]")]
    .filter((td) => td.scrollWidth > td.clientWidth).map((td) => td.outerHTML)"""
"""The numbers that are wider than their cells."""
LEAST = 44
"""Pixels of what a thumb can hit."""


@pytest.fixture
def room(new_page, server):
    """The projector that has opened a room, and a function that opens a phone in it."""
    front, code = opened(new_page(viewport=WALL), server.url)

    def follow(**options) -> Phone:
        page = new_page(viewport=PHONE, has_touch=True, **options)
        return Phone(page).open(f"{server.url}follow/{code}")

    return front, follow


class Finger:
    """One finger on a page's screen."""

    def __init__(self, phone: Phone) -> None:
        self._session = phone.page.context.new_cdp_session(phone.page)

    def _touch(self, kind: str, *points: tuple[float, float]) -> None:
        places = [{"x": x, "y": y} for x, y in points]
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    def moves(self, start: tuple[float, float], by: tuple[float, float]) -> None:
        """It is put down and moved in ten steps, and stays."""
        self._touch("touchStart", start)
        for step in range(1, 11):
            self._touch("touchMove", (start[0] + by[0] * step / 10, start[1] + by[1] * step / 10))

    def leaves(self) -> None:
        self._touch("touchEnd")


def middle(locator) -> tuple[float, float]:
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_finger_drags_a_number_sideways_and_scrolls_up_and_down(room):
    front, follow = room
    phone = follow().stands_at("q")
    phone.page.get_by_role("button", name="Try it yourself").tap()
    number, finger = phone.cell("x", None, 1, 0), Finger(phone)
    finger.moves(middle(number), by=(50, 4))
    expect(number).to_have_text("8")  # before the finger leaves
    right = edited("x", None, 1, 0, 8.0)["matrices"]["q"]["values"][0]
    for row, col in ((1, 0), (1, 1), (0, 0)):
        expect(phone.cell("q", 0, row, col)).to_have_text(f"{right[row][col]:g}")
    finger.leaves()
    phone.page.set_viewport_size({**PHONE, "height": 600})
    number.evaluate("(td) => td.scrollIntoView({ block: 'center' })")  # and not behind the dial
    before = phone.page.evaluate("scrollY")
    assert before > 60
    finger.moves(middle(number), by=(3, 120))
    finger.leaves()
    wait_until(phone.page, "(before) => scrollY < before - 20", before)
    expect(number).to_have_text("8")
    front.press("ArrowRight").stands_at("k")
    expect(phone.page.locator(".status")).to_contain_text("The lecturer is now at “Keys”.")
    phone.stands_at("q").page.get_by_role("button", name="Back to the lecturer").click()
    phone.stands_at("k").says("In sync with the projector.")
    expect(number).to_have_text("3")


@pytest.mark.parametrize("locale", shortened(["en-US", "zh-CN"], ["zh-CN"]))
def test_what_changes_a_number_is_large_enough_and_accessible(room, locale):
    front, follow = room
    front.press("7").stands_at("scaled_scores")
    front.press("ArrowRight").stands_at("weights")
    phone = follow(locale=locale).stands_at("weights")
    phone.page.locator(".try").tap()
    phone.cell("scaled_scores", 0, 2, 2).tap()
    parts = phone.page.locator(".dial button, .dial input, .bar-of-state button:not([hidden])")
    for part in parts.all():
        box = part.bounding_box()
        assert min(box["width"], box["height"]) >= LEAST, part.evaluate("node => node.outerHTML")
    dial, controls = (phone.page.locator(part).bounding_box() for part in (".dial", ".controls"))
    assert controls["y"] + controls["height"] <= dial["y"] + 1
    phone.page.locator("[data-focus=value]").fill("-987654.5")
    phone.page.keyboard.press("Enter")
    assert phone.page.evaluate(CUT) == []
    assert wider(phone.page) == []
    assert barriers(phone.page) == []
    phone.page.emulate_media(color_scheme="dark")
    expect(phone.page.locator("body")).to_have_css("background-color", PAPER["dark"])
    assert barriers(phone.page, **rules("dark")) == []
