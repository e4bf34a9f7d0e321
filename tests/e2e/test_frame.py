"""The strip on top of every page: one row, with Share and a menu for all that is not wanted all the time."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from mha_core import Example, Head, built_in, parse, to_token
from mha_view.language import words_in
from tests.e2e.looks import assert_no_barrier_at, wider, widths
from tests.e2e.test_editing import set_cell
from tests.sizes import shortened
from tools.drive.browser import at_rest, menu
from tools.drive.explore import Bench, assert_shows, example_in

PAGES = ["Step through", "Real models", "Check my numbers", "Compare", "Notation", "Learn", "Explore"]
ENDS = ["Learn", "Explore"]
"""The last page in the strip and the first."""
KINDS = ["Real models", "Notation", "Explore"]
"""A page with work of its own, one with the bench's, and the bench, which writes its address itself."""
CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}


@pytest.mark.parametrize("language", shortened(["en", "zh"], ["en"]))  # whose words are the longest
def test_the_navigation_takes_one_row_and_the_menu_holds_what_is_not_wanted_all_the_time(visit, language):
    page = visit(f"?example=first&lang={language}").page
    for width in widths(page, (1280, 1440, 1920)):
        assert wider(page) == [], width
        boxes = [
            part.bounding_box()
            for part in page.locator(".st-key-frame > *").all()
            if part.bounding_box()["width"]
        ]
        middles = {round(box["y"] + box["height"] / 2) for box in boxes}
        assert max(middles) - min(middles) <= 2, width
        assert len(boxes) == 6  # title, pages, example, language, Share, menu
        example = page.locator(".st-key-frame-example").bounding_box()
        assert example["width"] >= 140, width
    page.set_viewport_size({"width": 1280, "height": 800})
    if language == "en":
        assert_menu(page)


def assert_menu(page):
    """By the pointer, for everybody, and by keyboard."""
    menu(page)
    page_name = "Download as an interactive page"
    for name in ("First steps", "Save as a file", page_name, "Import", "Export", "System", "Light", "Dark"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    rows = [
        page.get_by_role("button", name=name, exact=True) for name in ("First steps", page_name, "Import")
    ]
    for row in rows:
        expect(row).to_have_css("border-top-width", "0px")
    assert len({row.locator("p").bounding_box()["x"] for row in rows}) == 1
    expect(page.get_by_text("Open a *.mha.json file")).to_be_visible()
    assert_no_barrier_at(page, [1280])
    page.keyboard.press("Escape")
    opener = page.locator(".st-key-frame-menu button")
    expect(page.get_by_role("dialog", name="More")).to_have_count(0)
    at_rest(page)  # it runs for what was closed as well
    opener.press("Enter")  # by keyboard it is entered, and left to where one came from
    expect(page.get_by_role("button", name="Dark", exact=True)).to_be_visible()  # all of it is drawn
    for key, name in (("", "First steps"), ("ArrowDown", "Save as a file"), ("ArrowUp", "First steps")):
        if key:
            page.keyboard.press(key)
        expect(page.get_by_role("button", name=name, exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(opener).to_be_focused()


@pytest.mark.parametrize("path", shortened(["", "check"], ["check"]))  # it goes on from the bench
def test_start_leads_to_the_bench_from_every_page(server, new_page, path):
    page = new_page()
    page.goto(f"{server.url}{path}?example=causal")
    for _ in range(2):
        at_rest(page)
        menu(page)
        page.get_by_role("button", name="First steps", exact=True).click()
        expect(page).to_have_title("Explore · Multi-head attention")
        expect(page.get_by_role("dialog", name="First steps: 1 of 3")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator(".start")).to_be_hidden()
    assert_shows(Bench(page), built_in("causal"))


PARTS = ".st-key-frame-pages a, .st-key-frame-language, .st-key-frame-share .share, .st-key-frame-menu button"
PLACES = """(parts) => [...document.querySelectorAll(".st-key-frame *")]
    .flatMap((node) => [node, ...(node.shadowRoot?.querySelectorAll(".share") ?? [])])
    .filter((node) => node.matches(parts) || node.matches(".share"))
    .map((node) => node.getBoundingClientRect())
    .map(({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" "))"""
"""Where the parts of the head are that every page has."""


@pytest.mark.parametrize("language", shortened(["en", "zh"], ["en"]))
def test_the_head_does_not_move_between_pages(visit, language):
    page = visit(f"?example=first&lang={language}", viewport={"width": 1280, "height": 800}).page
    places = {}
    for name in map(words_in(language), [*PAGES, "Puzzles"]):
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.locator(".st-key-frame-pages [aria-current=page]")).to_have_text(re.compile(f"^{name} "))
        at_rest(page)
        places[name] = page.evaluate(PLACES, PARTS)
    assert len({tuple(boxes) for boxes in places.values()}) == 1, places


@pytest.mark.parametrize("of", shortened([("en", PAGES), ("zh", ENDS)], [("zh", ENDS)]), ids=str)
def test_on_a_telephone_the_head_is_one_line_and_share_and_the_language_are_in_its_menu(visit, of):
    language, names = of
    bench = visit(
        f"?example=first&lang={language}", viewport={"width": 390, "height": 844}, has_touch=True, **CLIPBOARD
    )
    page = bench.page
    assert wider(page) == []
    parts = [".mha-pages summary", ".st-key-frame-example", ".st-key-frame-menu"]
    boxes = [page.locator(f".st-key-frame {part}").bounding_box() for part in parts]
    for one, other in pairwise(boxes):
        assert one["x"] + one["width"] <= other["x"]
    assert len({round(box["y"] + box["height"] / 2) for box in boxes}) == 1
    assert page.locator(".st-key-frame").bounding_box()["height"] <= 49
    assert page.locator(".bench > .explain").bounding_box()["height"] <= 64  # the bar at the foot
    page.locator(".stMain").evaluate("(node) => (node.scrollTop = 600)")
    menu(page)
    page.locator(".st-key-frame-menu-share button").tap()
    expect(page.get_by_role("img", name=re.compile("QR|二维码"))).to_be_visible()
    assert copied(page) == page.url
    page.keyboard.press("Escape")
    for chosen in ("zh", "en") if language == "en" else ("en", "zh"):
        choose_language(page, chosen)
    assert_shows(bench, built_in("first"))
    for name in map(words_in(language), names):
        come_to(page, name)


def come_to(page, name):
    """By the menu of pages, which shows each with a line about it and is closed by what is chosen."""
    opener = page.locator(".mha-pages summary")
    opener.tap()
    links = page.locator(".st-key-frame-pages a")
    expect(links).to_have_count(9)
    assert all(link.bounding_box()["height"] >= 44 for link in links.all())
    assert wider(page) == []
    links.filter(has_text=re.compile(f"^{name} ")).tap()
    expect(opener).to_have_text(name)
    expect(links.first).to_be_hidden()
    at_rest(page)


def test_on_a_telephone_the_menu_of_pages_is_left_by_escape_and_by_a_press_beside_it(visit):
    page = visit("?example=first", viewport={"width": 390, "height": 844}, has_touch=True).page
    opener, last = (
        page.locator(".mha-pages summary"),
        page.get_by_role("link", name="Notation Rows or columns"),
    )
    for leave in (lambda: page.keyboard.press("Escape"), lambda: page.locator(".st-key-frame").tap()):
        opener.press("Enter")
        expect(last).to_be_in_viewport()
        assert_no_barrier_at(page, [390])
        leave()
        expect(last).to_be_hidden()
    opener.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Explore Change any number")).to_be_focused()
    page.keyboard.press("Escape")
    expect(opener).to_be_focused()


def choose_language(page, language):
    """In the menu, which closes as its own name changes."""
    menu(page)
    page.locator(".st-key-frame-menu-language").get_by_text({"en": "EN", "zh": "中"}[language]).tap()
    expect(page.locator("html")).to_have_attribute("lang", re.compile(f"^{language}"))
    at_rest(page)


# --- Share -----------------------------------------------------------------------------------------------------


def copied(page):
    return page.evaluate("navigator.clipboard.readText()")


@pytest.mark.parametrize("names", shortened([KINDS, PAGES], [KINDS]), ids="-".join)
def test_share_copies_the_link_on_every_page(visit, names):
    page = visit("?example=causal", **CLIPBOARD).page
    for name in names:
        page.get_by_role("link", name=name, exact=True).click()
        expect(page).to_have_title(f"{name} · Multi-head attention")
        at_rest(page)
        held = (
            "model=own" if name == "Real models" else "example=causal"
        )  # the model's page holds no work of the bench
        expect(page).to_have_url(re.compile(held))
        page.get_by_role("button", name="Share", exact=True).click()
        what = "your sentence and the heads you chose" if name == "Real models" else "your numbers"
        told = f"Link copied. It opens this page with {what}."
        expect(page.get_by_role("status").filter(has_text=told)).to_be_attached()
        expect(page.locator(".share.copied .done")).to_be_visible()
        assert copied(page) == page.url
        assert held in page.url


def test_what_was_typed_just_before_is_shared_as_a_link_with_a_code_in_a_field_or_as_a_file(visit):
    bench = visit("?example=first", color_scheme="dark", **CLIPBOARD)
    page = bench.page
    share, code = (
        page.get_by_role("button", name="Share", exact=True),
        page.get_by_role("img", name="QR code for this link"),
    )
    bench.cell("x", None, 0, 0).click()
    page.keyboard.type("42")  # what was typed just before is in the link
    share.click()
    expect(code).to_be_visible()
    assert example_in(copied(page)) == set_cell(built_in("first"), "x", None, 0, 0, 42.0)
    page.wait_for_function("(code) => code.complete && code.naturalWidth > 0", arg=code.element_handle())
    asked = parse_qs(urlsplit(code.get_attribute("src")).query)
    assert asked == {"link": [copied(page)]}
    assert_no_barrier_at(page, [1280])
    page.get_by_role("dialog", name="Share").get_by_role("button", name="Close").press("Escape")
    expect(code).to_be_hidden()
    expect(share).to_be_focused()
    share.click()
    expect(code).to_be_visible()
    bench.cell("x", None, 0, 0).click()
    expect(code).to_be_hidden()
    assert_stands_in_a_field_where_it_may_not_be_copied(bench)
    assert_is_a_file_where_it_is_too_large_for_a_link(bench)


def assert_is_a_file_where_it_is_too_large_for_a_link(bench):
    bench.page.evaluate(
        """() => {
            const row = () => Array.from({length: 64}, () => Math.random()).join("\\t");
            return navigator.clipboard.writeText(Array.from({length: 64}, row).join("\\n"));
        }"""
    )
    bench.cell("w_v", 0, 0, 0).click()
    bench.page.keyboard.press("Control+V")
    bench.page.get_by_role("button", name="Resize WV to 64 × 64 in every head and paste").click()
    bench.settled()
    bench.page.get_by_role("button", name="Share", exact=True).click()
    dialog = bench.page.get_by_role("dialog")
    expect(dialog).to_contain_text("too large for a link")
    with bench.page.expect_download() as caught:
        dialog.get_by_role("button", name="Save as a file").click()
    assert parse(Path(caught.value.path()).read_bytes()).dims.d_model == 64


def assert_stands_in_a_field_where_it_may_not_be_copied(bench):
    bench.page.evaluate(
        """() => {
            Object.defineProperty(navigator, "clipboard", {value: undefined, configurable: true});
            document.execCommand = () => false;
        }"""
    )
    bench.page.get_by_role("button", name="Share", exact=True).click()
    field = bench.page.get_by_role("textbox", name="Link to this page with your numbers")
    expect(field).to_be_focused()
    expect(field).to_have_value(bench.page.url)
    assert bench.page.evaluate("getSelection().toString()") == bench.page.url
    bench.page.keyboard.press("Escape")
    expect(field).to_be_hidden()
    bench.page.evaluate("() => { delete navigator.clipboard; delete document.execCommand; }")


def test_a_link_too_long_for_a_code_says_so(visit):
    numbers = random.Random(7)
    square = tuple(tuple(round(numbers.random(), 6) for _ in range(24)) for _ in range(24))
    example = Example(
        tokens=tuple("abcdefghijklmnopqrstuvwx"),
        x=None,
        heads=(Head(q=square, k=tuple(zip(*square, strict=True))),),
        title=None,
    )
    page = visit(f"?s={to_token(example)}&lang=zh", **CLIPBOARD).page
    page.get_by_role("button", name="分享", exact=True).click()
    expect(page.get_by_text("这个链接太长，放不进二维码。")).to_be_visible()
    expect(page.locator(".code")).to_have_count(0)
    assert copied(page) == page.url
