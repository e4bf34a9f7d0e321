"""A page in a notebook's cell: in a frame with a sandbox, in light or dark as what is around it. No front end here."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from mha_core import built_in, trace
from mha_view.notebook.cell import cell
from tests.apply import apply
from tests.e2e.looks import PAPER, barriers
from tests.e2e.test_page import set_to

X = 'td[data-key="x||0|0"]'
INK = {"light": "#111111", "dark": "rgba(255, 255, 255, 0.9)"}
"""The color of a notebook's text."""


@pytest.fixture
def shown(new_context, tmp_path):
    """Opens an example's cell in a page with text of this color: the page, and the cell's frame."""

    def opened(name="programming", ink=INK["light"], **options):
        file = tmp_path / "notebook.html"
        html = cell(trace(built_in(name)), "en")
        file.write_text(f"<!doctype html><title>Notebook</title><body style='color: {ink}'>{html}", "utf-8")
        page = new_context(offline=True, **options).new_page()
        page.goto(file.as_uri())
        frame = page.frame_locator("iframe")
        expect(frame.locator("main > div > *").first).to_be_visible()
        return page, frame

    return opened


def test_a_number_is_dragged_and_all_follow_without_anything_stored(shown):
    page, frame = shown()
    number = frame.locator(X)
    number.scroll_into_view_if_needed()
    box = number.bounding_box()
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 10, steps=5)
    expect(number).not_to_have_text("2")
    page.mouse.up()
    dragged = float(number.inner_text().replace("−", "-"))
    weight = trace(apply(built_in("programming"), set_to(0, 0, dragged))).matrix("weights", 1)[0][0]
    expect(frame.locator('td[data-key="weights|1|0|0"]')).to_have_text(f"{weight:.4f}")
    assert page.frames[1].evaluate("location.href") == "about:srcdoc"


def test_the_tour_is_walked_by_keys(shown):
    page, frame = shown()
    frame.get_by_role("button", name="Step through").click()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(frame.locator(".walk")).to_have_attribute("data-at", "q")
    expect(frame.get_by_role("button", name="Save as SVG")).to_be_hidden()


@pytest.mark.parametrize(("scheme", "other"), [("light", "dark"), ("dark", "light")])
def test_it_is_as_light_or_dark_as_the_notebook_whatever_the_system_is_and_follows_it(shown, scheme, other):
    page, frame = shown(ink=INK[scheme], color_scheme=other)
    body = frame.locator("body")
    expect(body).to_have_css("background-color", PAPER[scheme])
    page.evaluate("(ink) => { document.body.style.color = ink; }", INK[other])
    expect(body).to_have_css("background-color", PAPER[other])


def test_axe_finds_nothing_in_the_frame(shown):
    page, _ = shown()
    assert barriers(page.frames[1]) == []
