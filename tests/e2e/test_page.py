"""A page without a server, opened as a file without a network: Explore, the tour, languages and colours."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from mha_core import Cell, built_in, trace
from mha_core.check.check import check
from mha_core.example.files import parse
from mha_core.example.share_link import from_token, to_token
from mha_core.messages import LANGUAGE, LANGUAGES
from mha_view.page import as_page
from tests.apply import apply
from tests.e2e.looks import PAPER, barriers, rules, wider
from tests.sizes import shortened
from tools.drive.browser import at_rest, menu

X = 'td[data-key="x||0|0"]'
MOTION_AT = """(step) => {
    const walk = document.querySelector(".walk");
    window.motion = new Promise((told) => new MutationObserver(() => walk.dataset.at === step &&
        requestAnimationFrame(() => requestAnimationFrame(() => told(walk.dataset.motion)))
    ).observe(walk, { attributeFilter: ["data-at"] }));
}"""
"""``window.motion``: what moves two frames after the walk has come to a step."""


@pytest.fixture
def handed(browser, tmp_path):
    """Opens an example's page; it may ask for nothing but itself, and says nothing in the console."""
    contexts, asked, complaints = [], set(), []

    def opened(name="programming", hash_="", app="", **options):
        file = tmp_path / "attention.html"
        example = built_in(name) if isinstance(name, str) else name
        file.write_text(as_page(trace(example), app=app), "utf-8")
        context = browser.new_context(offline=True, **{"viewport": {"width": 1280, "height": 800}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: asked.add(request.url.partition("#")[0]))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(file.as_uri() + hash_)
        expect(page.locator("main > div > *").first).to_be_visible()
        return page

    yield opened
    for context in contexts:
        context.close()
    assert all(url.startswith("file:") for url in asked)
    assert complaints == []


def edited(*edits):
    example = built_in("programming")
    for edit in edits:
        example = apply(example, edit)
    return trace(example)


def set_to(row, col, value):
    return {"op": "set", "matrix": "x", "head": None, "row": row, "col": col, "values": [[value]]}


def shows(page, computed, name, head=None):
    """The page shows these numbers of a step, as the tables round them."""
    for row, numbers in enumerate(computed.matrix(name, head)):
        for col, number in enumerate(numbers):
            key = f"{name}|{'' if head is None else head}|{row}|{col}"
            expect(page.locator(f'td[data-key="{key}"]')).to_have_text(f"{number:.4f}".replace("-", "−"))


def test_a_number_is_dragged_and_another_typed_and_all_follow_until_they_are_undone(handed):
    page = handed()
    cell = page.locator(X)
    box = cell.bounding_box()
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 10, steps=5)
    expect(cell).not_to_have_text("2")  # before the button is released
    page.mouse.up()
    dragged = float(cell.inner_text().replace("−", "-"))
    shows(page, edited(set_to(0, 0, dragged)), "weights", 1)
    other = page.locator('td[data-key="x||1|2"]')
    other.click()
    page.keyboard.type("3.5")
    page.keyboard.press("Enter")
    both = edited(set_to(0, 0, dragged), set_to(1, 2, 3.5))
    shows(page, both, "weights", 1)
    shows(page, both, "concat")
    expect(page.locator(".bench")).to_have_attribute("data-kept", "true")
    page.keyboard.press("Control+z")
    expect(other).to_have_text("0")
    page.get_by_role("button", name="Undo (Ctrl+Z)").first.click()
    expect(cell).to_have_text("2")
    shows(page, edited(), "weights", 1)
    page.keyboard.press("Control+Shift+z")
    shows(page, edited(set_to(0, 0, dragged)), "weights", 1)


def test_a_long_number_takes_no_room_once_it_is_undone(handed):
    page = handed(viewport={"width": 900, "height": 800})
    third = page.locator(".head-title", has_text="Head 3")
    expect(third).to_be_visible()
    page.locator(X).click()
    page.keyboard.type("123456789012")
    page.keyboard.press("Enter")
    expect(third).to_be_hidden()
    page.keyboard.press("Control+z")
    expect(third).to_be_visible()


def test_a_block_is_pasted(handed):
    page = handed(permissions=["clipboard-read", "clipboard-write"])
    page.locator(X).click()
    page.evaluate(
        """() => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", "4\\t5\\n6\\t7");
            const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
            document.activeElement.dispatchEvent(paste);
        }"""
    )
    shows(page, edited(set_to(0, 0, 4), set_to(0, 1, 5), set_to(1, 0, 6), set_to(1, 1, 7)), "weights", 0)


def test_typed_numbers_stay_after_a_reload_and_in_a_copy(handed, tmp_path):
    page = handed()
    page.locator(X).click()
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    expect(page.locator(".bench")).to_have_attribute("data-kept", "true")
    page.reload()
    shows(page, edited(set_to(0, 0, 7)), "concat")
    with page.expect_download() as caught:
        page.get_by_role("button", name="Save a copy").click()
    copy = tmp_path / "copy.html"
    caught.value.save_as(copy)
    page.goto(copy.as_uri())
    shows(page, edited(set_to(0, 0, 7)), "concat")
    page.get_by_role("button", name="Reset").click()
    shows(page, edited(), "concat")


def test_another_link_in_the_same_window_shows_its_own_numbers(handed):
    page = handed()
    page.locator(X).click()
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    expect(page.locator(".bench")).to_have_attribute("data-kept", "true")
    page.evaluate("location.hash = 'part=walk'")
    expect(page.locator(".walk")).to_be_visible()
    page.get_by_role("button", name="Explore").click()
    shows(page, edited(), "concat")


def test_a_number_leads_to_its_terms_and_lights_its_whole_path(handed):
    page = handed()
    page.locator('td[data-key="scores|0|1|0"]').click()
    explain = page.locator(".explain")
    expect(explain).to_contain_text("S[2, 1] of head 1 (love → I)")
    explain.locator("button.term").first.click()
    expect(explain).to_contain_text("Q[2, 1] of head 1")
    page.get_by_role("button", name="Whole path").click()
    lit = page.locator("td.path")
    expect(lit.first).to_be_visible()
    assert lit.count() > 5
    page.keyboard.press("Escape")
    expect(lit).to_have_count(0)


def test_the_tour_is_walked_by_keys_with_the_numbers_of_explore(handed):
    page = handed()
    page.locator(X).click()
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Step through").click()
    walk = page.locator(".walk")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(walk).to_have_attribute("data-at", "q")
    expect(page.locator(X)).to_have_text("7")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".line").first).to_contain_text("Q[I, 1] = 7 ·")
    page.keyboard.press("End")
    expect(page.locator(".looks")).to_be_visible()
    page.keyboard.press("p")
    expect(page.locator("header")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator("header")).to_be_visible()


def test_a_step_of_the_tour_plays_where_its_picture_changes_the_height_of_the_page(handed):
    page = handed(hash_="#part=walk")
    page.evaluate(MOTION_AT, "weights")
    page.keyboard.press("8")
    assert page.evaluate("window.motion") == "plays"


def test_it_switches_languages_and_colours_and_finds_them_again(handed):
    page = handed(locale="zh-CN")
    expect(page.get_by_role("button", name="探索")).to_have_attribute("aria-current", "page")
    page.get_by_role("button", name=LANGUAGE["en"].name).click()
    expect(page.get_by_role("button", name="Explore")).to_be_visible()
    page.locator("[data-focus=theme]").click()
    page.locator("[data-focus=theme]").click()
    expect(page.locator("body")).to_have_css("background-color", PAPER["dark"])
    page.reload()
    expect(page.get_by_role("button", name="Explore")).to_be_visible()
    expect(page.locator("body")).to_have_css("background-color", PAPER["dark"])


def test_on_paper_nothing_is_to_be_pressed_and_nothing_lies_over_the_tables(handed):
    page = handed(color_scheme="dark")
    page.emulate_media(media="print")
    for name in (".controls", ".explain", "#page > header nav"):
        expect(page.locator(name)).to_be_hidden()
    assert page.locator(".overview").evaluate("(node) => getComputedStyle(node).position") == "static"
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"


def test_it_opens_at_the_tour_and_links_to_the_app_with_its_numbers(handed):
    page = handed(hash_="#walk", app="https://course.example")
    expect(page.locator(".walk")).to_be_visible()
    link = page.get_by_role("link", name="Open in the app")
    href = link.get_attribute("href")
    assert href.startswith("https://course.example/walkthrough?s=")
    page.get_by_role("button", name="Explore").click()
    expect(link).not_to_have_attribute("href", re.compile("walkthrough"))
    before = link.get_attribute("href")
    page.locator(X).click()
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    expect(link).not_to_have_attribute("href", before)
    token = link.get_attribute("href").partition("?s=")[2].partition("&")[0]
    assert from_token(token) == edited(set_to(0, 0, 7.0)).example


def test_an_exercise_is_marked_and_handed_in_as_a_file_and_its_end_opens_the_page(handed):
    page = handed(replace(built_in("first"), asked=("weights",)), hash_="#walk")
    expect(page.locator(".practice")).to_be_visible()
    expect(page.get_by_role("button", name="Step through")).to_have_count(0)
    first = page.locator('td[data-key="weights|0|0|0"]')
    first.click()
    page.keyboard.type("0.00")
    page.keyboard.press("Tab")
    page.keyboard.type("0.9")
    page.keyboard.press("Tab")
    expect(first).to_have_attribute("data-mark", "right")
    expect(page.locator('td[data-key="weights|0|0|1"]')).to_have_attribute("data-mark", "own")
    page.get_by_role("button", name="Hint", exact=True).click()
    expect(page.locator(".practice-hint")).to_contain_text("Idea:")
    assert barriers(page) == []
    with page.expect_download() as caught:
        page.get_by_role("button", name="Download your numbers").click()
    example = parse(caught.value.path().read_bytes())
    assert caught.value.suggested_filename == "attention.mha.json"
    assert example.asked == ("weights",)
    assert example.claimed == {"weights": ((("0.00", "0.9", None), None, None), None)}
    assert [wrong.cell for wrong in check(example).steps["weights"].wrong] == [Cell("weights", 0, 0, 1)]
    page.get_by_role("button", name="End the exercise").click()
    expect(page.get_by_role("button", name="Explore")).to_have_attribute("aria-current", "page")
    expect(page.locator('td[data-key="weights|0|0|2"]')).to_have_text("0.9965")


@pytest.mark.parametrize("path", ["", "walkthrough"])
def test_the_app_s_menu_gives_the_page_with_the_numbers_that_it_shows_and_its_own_address(
    server, new_page, path
):
    page = new_page()
    example = apply(built_in("first"), set_to(0, 0, 9.0))
    page.goto(f"{server.url}{path}?s={to_token(example)}")
    at_rest(page)
    menu(page)
    with page.expect_download() as caught:
        page.get_by_role("button", name="Download as an interactive page").click()
    assert caught.value.suggested_filename == "attention.html"
    html = caught.value.path().read_text("utf-8")
    assert html == as_page(trace(example), app=server.url.removesuffix("/"))


@pytest.mark.parametrize("name", shortened(["programming", "padding", "rotary"], ["padding"]))
@pytest.mark.parametrize("language", shortened(LANGUAGES, ["zh"]))
def test_axe_finds_nothing_in_either_part_in_light_and_dark_and_nothing_is_too_wide(handed, name, language):
    page = handed(name, locale=LANGUAGE[language].tag, reduced_motion="reduce")
    for part in (0, 1):
        page.locator("nav button").nth(part).click()
        for scheme, colour in PAPER.items():
            page.emulate_media(color_scheme=scheme)
            expect(page.locator("body")).to_have_css("background-color", colour)
            assert barriers(page, **rules(scheme)) == [], (part, scheme)
        for width in (390, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            assert wider(page) == [], (part, width)
