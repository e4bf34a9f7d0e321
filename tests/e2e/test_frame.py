"""The strip on top of every page: one row, Share in it, and nothing of the page beneath Streamlit's menu."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from mha_core import built_in, parse
from tests.e2e.driver import assert_shows, at_rest, example_in
from tests.e2e.looks import wider, widths
from tests.e2e.test_editing import set_cell
from tests.sizes import shortened

PAGES = ["Walkthrough", "Check", "Experiments", "Conventions", "Lessons", "Bench"]
CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_navigation_takes_one_row(visit, language):
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
        assert max(box["x"] + box["width"] for box in boxes) <= width - 48  # the menu's place
        assert len(boxes) == 11
        example = page.locator(".st-key-frame-example").bounding_box()
        assert example["width"] >= 140, width


def over(page):
    """What the place of Streamlit's menu ⋮ covers: everything beneath its middle and its corners but itself."""
    return page.evaluate(
        """() => {
            const box = document.querySelector(".stMainMenu button").getBoundingClientRect();
            const xs = [box.left + 1, box.left + box.width / 2, box.right - 1];
            const ys = [box.top + 1, box.top + box.height / 2, box.bottom - 1];
            const found = [];
            for (const x of xs) for (const y of ys) {
                const bench = document.elementsFromPoint(x, y).find((one) => one.shadowRoot?.querySelector(".bench"));
                const inside = bench?.shadowRoot.elementsFromPoint(x, y) ?? [];
                const strip = document.elementsFromPoint(x, y).find((one) => one.matches(".st-key-frame"));
                const content = inside.find((one) => one.closest(".tables, .controls, .verdict, .explain"));
                if (content && !strip) found.push(content.outerHTML.slice(0, 80));
            }
            return found;
        }"""
    )


def test_streamlits_menu_covers_nothing_wherever_the_page_is_scrolled(visit):
    page = visit("?example=output-projection").page
    main, tables = page.locator(".stMain"), page.locator(".tables")
    item = page.get_by_test_id("stMainMenuItem-theme-Dark")
    for width, height in ((390, 844), (768, 1024), (1280, 800), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        assert wider(page) == [], width
        top = main.evaluate("(node) => node.scrollHeight - node.clientHeight")
        assert top > 300
        tables.evaluate("(node) => (node.scrollLeft = node.scrollWidth)")  # tables up to the right edge
        for scrolled in (0, 30, 60, 90, 120, 150, 200, 300, 450, 700, top):
            main.evaluate("(node, at) => (node.scrollTop = at)", scrolled)
            assert over(page) == [], (width, scrolled)
        page.locator(".stMainMenu button").click()
        expect(item).to_be_visible()
        page.keyboard.press("Escape")
        expect(item).to_be_hidden()


# --- Share -----------------------------------------------------------------------------------------------------


def copied(page):
    return page.evaluate("navigator.clipboard.readText()")


def test_share_copies_the_link_on_every_page(visit):
    page = visit("?example=causal", **CLIPBOARD).page
    for name in PAGES:
        page.get_by_role("link", name=name, exact=True).click()
        expect(page).to_have_title(f"{name} · Multi-head attention")
        at_rest(page)
        page.get_by_role("button", name="Share", exact=True).click()
        expect(
            page.get_by_role("status").filter(has_text="Copied: the link to all that stands here.")
        ).to_be_attached()
        expect(page.locator(".share.copied .done")).to_be_visible()
        assert copied(page) == page.url
        assert "example=causal" in copied(page)


def test_what_was_typed_just_before_is_in_the_link(visit):
    bench = visit("?example=first", **CLIPBOARD)
    bench.cell("x", None, 0, 0).click()
    bench.page.keyboard.type("42")
    bench.page.get_by_role("button", name="Share", exact=True).click()
    expect(bench.page.locator(".share.copied")).to_be_visible()
    assert example_in(copied(bench.page)) == set_cell(built_in("first"), "x", None, 0, 0, 42.0)


def test_where_the_page_may_not_copy_the_link_stands_in_a_field(visit):
    bench = visit("?example=first")
    bench.page.evaluate(
        """() => {
            Object.defineProperty(navigator, "clipboard", {value: undefined});
            document.execCommand = () => false;
        }"""
    )
    bench.page.get_by_role("button", name="Share", exact=True).click()
    field = bench.page.get_by_role("textbox", name="The link to all that stands here")
    expect(field).to_be_focused()
    expect(field).to_have_value(bench.page.url)
    assert bench.page.evaluate("getSelection().toString()") == bench.page.url
    bench.page.keyboard.press("Escape")
    expect(field).to_be_hidden()


def test_what_is_too_large_for_a_link_is_offered_as_a_file(visit):
    bench = visit("?example=first", **CLIPBOARD)
    bench.page.evaluate(
        """() => {
            const row = () => Array.from({length: 64}, () => Math.random()).join("\\t");
            return navigator.clipboard.writeText(Array.from({length: 64}, row).join("\\n"));
        }"""
    )
    bench.cell("w_v", 0, 0, 0).click()
    bench.page.keyboard.press("Control+V")
    bench.page.get_by_role("button", name="Make WV 64 × 64 in every head and paste").click()
    bench.settled()
    bench.page.get_by_role("button", name="Share", exact=True).click()
    dialog = bench.page.get_by_role("dialog")
    expect(dialog).to_contain_text("too large for a link")
    with bench.page.expect_download() as caught:
        dialog.get_by_role("button", name="Save as a file").click()
    assert parse(Path(caught.value.path()).read_bytes()).dims.d_model == 64


@pytest.mark.parametrize("language", shortened(["en", "zh"], ["zh"]))
def test_on_a_telephone_share_stays_in_reach(visit, language):
    bench = visit(
        f"?example=first&lang={language}", viewport={"width": 390, "height": 844}, has_touch=True, **CLIPBOARD
    )
    bench.page.locator(".stMain").evaluate("(node) => (node.scrollTop = 600)")
    share = bench.page.get_by_role("button", name=re.compile("^(Share|分享)$"))
    expect(share).to_be_in_viewport(ratio=1)
    share.tap()
    expect(bench.page.locator(".share.copied")).to_be_visible()
    assert copied(bench.page) == bench.page.url
    assert_shows(bench, built_in("first"))
