"""The walkthrough: predictions, downloads, print, and accessibility."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from pptx import Presentation

from mha_core import built_in, library, trace
from mha_view.handout import as_html
from mha_view.language import LANGUAGES, words_in
from tests.core.test_walk import check_page
from tests.e2e.looks import assert_no_barrier, wider, widths
from tests.sizes import EVERY_STAGE, in_turn, shortened
from tests.view.test_slides import tables
from tools.drive.walk import Walk

# --- predictions -----------------------------------------------------------------------------------------------------


def test_what_was_predicted_stays_within_its_cell(walk):
    """Beside the number and its mark; and what is said of the example does not tell the answer meanwhile."""
    page = walk("?step=scaled_scores&predict=1&example=first")
    expect(page.page.locator(".mha-note")).to_be_hidden()
    fields = page.page.locator(".walk input.answer")
    for index, text in enumerate(("3.54", "9.2", "14.9", "9.17", "100")):
        fields.nth(index).fill(text)
    page.button("reveal").click()
    expect(page.page.locator(".stage .said")).to_have_count(5)
    beyond = """(nodes) => nodes.filter((node) => {
        const [inner, cell] = [node, node.closest("td")].map((one) => one.getBoundingClientRect());
        return inner.left < cell.left || inner.right > cell.right || inner.bottom > cell.bottom + 1;
    }).map((node) => node.textContent)"""
    assert page.page.locator(".stage .said, .stage .said *").evaluate_all(beyond) == []


# --- downloads -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "locale"),
    [pytest.param("first", "en-US", marks=pytest.mark.long), ("padding", "zh-CN")],
)
def test_the_page_markdown_and_slides_are_downloaded_in_the_page_s_language(
    walk, browser, tmp_path, name, locale
):
    """The downloaded page opens without a network, and shows the same numbers."""
    page, words = walk(f"?example={name}", locale=locale), words_in(locale[:2])
    with page.page.expect_download() as caught:
        page.page.locator(".st-key-walk-takeaway button").first.click()
    saved = tmp_path / "walk.html"
    caught.value.save_as(saved)
    check_page(trace(built_in(name)), saved.read_text("utf-8"))
    context = browser.new_context(offline=True)
    requests = []
    context.on("request", lambda request: requests.append(request.url))
    alone = context.new_page()
    alone.goto(saved.as_uri())
    assert requests == [saved.as_uri()]
    cells = alone.locator('td[data-cell^="weights|0|"]').all_inner_texts()
    numbers = {f"{number:.4f}" for row in trace(built_in(name)).matrix("weights", 0) for number in row}
    assert numbers == set(cells)
    alone.emulate_media(media="print")
    assert alone.locator("nav").is_hidden()
    assert alone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()
    for button, check in (
        (words("Download as Markdown with LaTeX"), assert_formulas),
        ("PPTX", assert_slides),
    ):
        with page.page.expect_download() as caught:
            page.page.get_by_role("button", name=button).click()
        saved = tmp_path / caught.value.suggested_filename
        caught.value.save_as(saved)
        check(saved, trace(built_in(name)), words)


def assert_formulas(saved, computed, words):
    assert "$$" in saved.read_text("utf-8")


def assert_slides(saved, computed, words):
    show = Presentation(saved)
    assert show.slides[1].shapes.title.text == f"1. {words('Tokens')}"
    shown = {text for name, rows, _ in tables(show) if name == "weights|0" for row in rows for text in row}
    assert shown == {f"{number:.4f}" for row in computed.matrix("weights", 0) for number in row}


MARK = """() => {
    const together = [];
    for (const heading of document.querySelectorAll("h2, h3")) {
        const shown = [heading];
        for (let next = heading.nextElementSibling; next?.matches("h3") === false; next = next.nextElementSibling) {
            const tables = document.querySelector("main.brief") ? "table:not(.again)" : "table"; // those on paper
            const rows = next.matches("p, ol") ? [] : [...next.querySelectorAll(`${tables} tr:nth-child(2)`)];
            shown.push(...(rows.length ? [rows[0]] : [next]));
            if (!next.matches("p")) break;
        }
        together.push(shown.map((node, i) => (node.id = `at-${together.length}-${i}`)));
    }
    const links = together.flat().map((id) => `<a href="#${id}">.</a>`);
    document.querySelector("main").insertAdjacentHTML("beforeend", links.join(" "));
    return together;
}"""


ON_PAPER = in_turn(EVERY_STAGE[:2], LANGUAGES) + [
    pytest.param(name, language, marks=pytest.mark.long)
    for name in library()
    if name not in EVERY_STAGE[:2]
    for language in LANGUAGES
]


@pytest.fixture(scope="module")
def paper(browser):
    """A page on which handouts are printed."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def pages_of(pdf):
    """The page of a PDF that each linked id is on: Chromium writes a destination for every one."""
    return dict(re.findall(rb"/(at-\d+-\d+)\s*\[\s*(\d+) 0 R", pdf))


@pytest.mark.parametrize(("name", "language"), ON_PAPER)
def test_on_paper_a_heading_is_on_the_page_of_its_sentence_and_of_the_first_rows_of_its_table(
    paper, name, language
):
    paper.set_content(as_html(trace(built_in(name)), language))
    together = paper.evaluate(MARK)
    for size in ("A4", "Letter"):
        pages = pages_of(paper.pdf(format=size, prefer_css_page_size=False))
        for ids in together:
            assert len({pages[name.encode()] for name in ids}) == 1, (size, ids)


# --- accessibility ---------------------------------------------------------------------------------------------------


READ = [("?step=scores&sub=4", "en-US"), ("?step=q&predict=1", "zh-CN")]
"""What axe checks without --long: the page, and its fields. The tests of rooms, of keys and of "My lecture" have it
check the projector and the presenter's page."""


@pytest.mark.parametrize(
    ("query", "locale"),
    [
        pytest.param(query, locale, marks=() if (query, locale) in READ else pytest.mark.long)
        for query in (
            "?step=scores&sub=4",
            "?step=weights&example=padding&view=projector",
            "?step=q&predict=1",
            "?step=closing&view=presenter",
        )
        for locale in ("en-US", "zh-CN")
    ],
)
def test_axe_finds_no_serious_violation(walk, query, locale):
    assert_no_barrier(walk(query, locale=locale, reduced_motion="reduce").page)


@pytest.mark.parametrize("locale", shortened(["en-US", "zh-CN"], ["en-US"]))  # the longer words
def test_nothing_sticks_out_of_the_page(walk, locale):
    page = walk("?step=weights&example=causal", locale=locale)
    for width in widths(page.page):
        page.press("9")
        for key in ("ArrowRight", "ArrowDown", "ArrowRight", "Home", "End"):
            assert wider(page.page) == [], (page.at, width)
            page.press(key)


# --- a student's, and a lecturer's -----------------------------------------------------------------------------------


def test_a_student_sees_no_lecturers_controls_until_teach_is_pressed(server, new_context):
    walk = Walk(new_context(newcomer=True).new_page()).open(f"{server.url}walkthrough")
    lecturers = [*(walk.button(name) for name in ("lecture", "own", "room follow", "projector", "presenter"))]
    lecturers.append(walk.page.locator(".st-key-walk-takeaway button").first)
    for control in lecturers:
        expect(control).to_be_hidden()
    walk.page.get_by_role("button", name="Teach").click()
    for control in lecturers:
        expect(control).to_be_visible()
    walk.page.reload()
    expect(walk.ready().button("projector")).to_be_visible()
