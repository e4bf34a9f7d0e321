"""“Read an article” in a real browser: a text is pasted, a guess corrected, the corrected copy taken away."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.looks import assert_no_barrier_either
from tools.drive.browser import wait_for

TEXT = """# One head

The input is the following matrix, one row for each of “red” and “green”:

[[1, 0], [0, 1]]

W_Q = [[1, 2], [0, 1]], W_K = [[1, 0], [3, 1]], W_V = [[2, 0], [0, 4]]

Q K^T = [[1, 5], [0, 9]]

A = [[0.06, 0.94], [0.33, 0.67]]
"""


@pytest.fixture
def opened(server, new_page):
    """Open the page without a text as a new visitor."""

    def visit(query="", **options):
        page = new_page(**options)
        page.goto(f"{server.url}check?article=open{query}")
        wait_for(page, ".intake textarea")
        return page

    return visit


def read(page):
    """The page with the text pasted and read."""
    page.locator(".intake textarea").fill(TEXT)
    page.locator(".intake .primary").click()
    expect(page.locator(".text .mark")).to_have_count(1)
    return page


def test_a_pasted_text_is_corrected_and_its_link_opens_it_again(opened):
    page = read(opened())
    mark = page.locator(".text .mark")
    expect(mark).to_be_in_viewport(ratio=1)
    mark.click()
    expect(page.locator(".source .note")).to_contain_text("Line 9, scores, row 2, column 2: 9, right is 1.")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the corrected copy").click()
    assert download.value.suggested_filename == "article-corrected.md"
    assert download.value.path().read_text("utf-8") == TEXT.replace("[0, 9]", "[0, 1]")
    guess = page.locator(".card.guess")
    expect(guess).to_contain_text("input X")
    guess.get_by_role("button", name="That is right").click()
    expect(guess).to_have_count(0)
    expect(page.locator(".card").first).to_contain_text("your choice")
    page.wait_for_function("location.search.includes('article=1')")
    page.reload()
    expect(page.locator(".card").first).to_contain_text("your choice")
    expect(mark).to_have_count(1)


def test_what_is_chosen_by_keyboard_keeps_the_focus(opened):
    page = read(opened())
    head = page.locator(".card", has_text="scores S").get_by_role("combobox").first
    head.focus()
    head.press("m")  # masked scores begin with it, and so does the mask
    expect(page.locator(".card", has_text="your choice")).to_have_count(1)
    chosen = page.locator(".card", has_text="your choice").get_by_role("combobox").first
    expect(chosen).to_be_focused()


def test_a_file_is_chosen_and_its_example_becomes_an_exercise(opened):
    page = opened()
    file = {"name": "one.md", "mimeType": "text/markdown", "buffer": TEXT.encode()}
    page.locator('.intake input[type="file"]').set_input_files(file)
    expect(page.locator(".reading strong").first).to_have_text("one.md")
    page.get_by_role("button", name="Open as an exercise").click()
    expect(page.locator(".practice-summary")).to_contain_text("Work out the blank numbers")


def test_an_example_opens_in_explore_and_the_text_is_still_there(opened):
    page = read(opened())
    page.get_by_role("button", name="Open in Explore").click()
    wait_for(page, ".bench .stages")
    expect(page.get_by_role("link", name="Check my numbers")).to_be_visible()
    page.get_by_role("link", name="Check my numbers").click()
    expect(page.locator(".text .mark")).to_have_count(1)


def test_an_article_on_a_phone_and_in_both_schemes(opened):
    page = read(opened("&lang=zh", viewport={"width": 390, "height": 844}, has_touch=True))
    text, verdict = (page.locator(place).bounding_box() for place in (".article .text", ".article .verdict"))
    assert verdict["y"] + verdict["height"] < text["y"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert_no_barrier_either(page)
