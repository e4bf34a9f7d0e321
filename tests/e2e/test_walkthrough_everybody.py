"""The walkthrough: predicting, what is taken away, and who reads it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from pptx import Presentation

from mha_core import built_in, library, to_token, trace
from mha_core.compute.derive import Cell
from mha_core.example.model import divisor
from mha_view.handout import as_html
from mha_view.language import LANGUAGES, words_in
from tests.core.test_walk import check_page
from tests.e2e.looks import assert_no_barrier, wider, widths
from tests.e2e.test_walkthrough_audience import COMBINED, SHOWN, address
from tests.sizes import EVERY_STAGE, in_turn, shortened
from tests.view.test_slides import tables
from tools.drive.walk import cell_of, places

FIRST = trace(built_in("first"))

# --- predict first ---------------------------------------------------------------------------------------------------


def test_predict_reveal_and_see_which_were_right(walk):
    page = walk("?step=scaled_scores&predict=1&example=first")
    fields = page.page.locator(".walk input.answer")
    expect(fields).to_have_count(9)
    assert "3.5355" not in " ".join(page.shown().values())
    for index, text in enumerate(("3.54", "9.2", "14.9", "9.17", "100", "abc")):
        fields.nth(index).fill(text)
    fields.nth(8).press("Escape")
    page.button("reveal").click()
    exact = [number for row in FIRST.matrix("scaled_scores", 0) for number in row]
    # Off by no more than one unit of the last printed digit: 14.8492 against 14.9 is right, 9.1924 against 9.17 is not.
    wanted = [True, True, True, False, False]
    for index, right in enumerate(wanted):
        cell = page.cell("scaled_scores", 0, index // 3, index % 3)
        expect(cell).to_have_class(re.compile("right" if right else "wrong"))
        expect(cell).to_contain_text(f"{exact[index]:.4f}")
        expect(cell.get_by_role("img", name="right" if right else "not right", exact=True)).to_be_visible()
    assert "3 of 5 right" in page.line()  # and "abc", which is no number, was no answer
    unanswered = page.cell("scaled_scores", 0, 1, 2)
    expect(unanswered).to_have_text(f"{exact[5]:.4f}")
    expect(page.cell("scaled_scores", 0, 1, 0).locator("s")).to_have_text("9.17")
    beyond = """(nodes) => nodes.filter((node) => {
        const [inner, cell] = [node, node.closest("td")].map((one) => one.getBoundingClientRect());
        return inner.left < cell.left || inner.right > cell.right || inner.bottom > cell.bottom + 1;
    }).map((node) => node.textContent)"""
    assert page.page.locator(".stage .said, .stage .said *").evaluate_all(beyond) == []
    assert_right_after = page.shown()
    assert assert_right_after[Cell("scaled_scores", 0, 2, 2)] == f"{exact[8]:.4f}"


def test_predicting_cell_by_cell_from_the_keyboard(walk):
    page = walk("?example=first&step=q&sub=1&predict=1")
    assert page.shown()[Cell("q", 0, 0, 0)] == ""
    assert page.line().startswith("Q[思考, 1] = ? What will stand here?")
    page.press("Tab")
    field = page.page.locator(".walk input.answer")
    field.focus()
    page.page.keyboard.type("abc")
    page.press("Enter").stands_at("q 1")  # what is no number is neither taken nor lost
    expect(page.root.locator(".line .refused")).to_have_text("Q[思考, 1] of head 1: “abc” is no number.")
    expect(field).to_have_value("abc")
    page.press("Control+a")
    page.page.keyboard.type("1")
    page.press("ArrowRight", "2")  # in a text field keys are typed
    page.stands_at("q 1")
    expect(field).to_have_value("12")
    page.press("Backspace", "Enter")
    expect(page.cell("q", 0, 0, 0)).to_have_class(re.compile("right"))
    assert "1 of 1 right" in page.line()
    page.press("ArrowRight").stands_at("q 2")
    expect(page.page.locator(".walk input.answer")).to_have_count(1)
    page.press("ArrowRight").stands_at("q 2")  # reveals first
    expect(page.page.locator(".walk input.answer")).to_have_count(0)
    page.press("ArrowRight").stands_at("q 3")


ASKING = ("alibi", "additive", *COMBINED)
"""Examples that together ask for every kind of step."""
ASKED = """(key) => {
    const root = [...document.querySelectorAll("*")].find((e) => e.shadowRoot?.querySelector(".walk")).shadowRoot;
    const walk = root.querySelector(".walk"), found = [];
    for (const depth of [0, 1, 2]) {
        const press = (name) => window.dispatchEvent(new KeyboardEvent("keydown", {key: name}));
        for (let i = 0; i < 2; i++) press("ArrowUp");
        press("Home");
        for (let i = 0; i < depth; i++) press("ArrowDown");
        for (let i = 0; i < walk.querySelectorAll(".outline button").length; i++) {
            const tds = [...walk.querySelectorAll("td[data-key]")];
            const cells = tds.map((td) => [td.dataset.key, td.outerHTML, td.textContent]);
            const rest = walk.cloneNode(true);
            for (const td of rest.querySelectorAll("td[data-key]")) td.remove();
            const spoken = [...rest.querySelectorAll("*")].flatMap((e) => [...e.attributes].map(({value}) => value));
            const powers = [...rest.querySelectorAll("td[data-power]")].map((td) => td.textContent).join("");
            const fields = [...walk.querySelectorAll("input.answer")].map((input) => input.dataset.of);
            const note = document.querySelector(".mha-note")?.checkVisibility() ?? false;
            const line = rest.querySelector(".line").textContent;
            const at = walk.dataset.at, text = [rest.textContent, ...spoken].join(" ¦ ");
            found.push({at, depth, cells, powers, fields, note, line, rest: text});
            walk.querySelectorAll(".outline button")[i + 1]?.click();
        }
    }
    return found;
}"""


@pytest.mark.parametrize("name", shortened(SHOWN, ASKING))
def test_nothing_on_the_page_tells_what_is_asked_for_and_every_head_asks(walk, name):
    """Until it is revealed: no number, colour or bar in the cells asked for, nor in the powers that lead to them; no
    arithmetic; and no printed digits of theirs anywhere but in what is read, cells and the divisor."""
    page, computed = walk(f"{address(name)}&predict=1"), trace(SHOWN[name])
    asking = set()
    for place in page.page.evaluate(ASKED):
        fields = {cell_of(key) for key in place["fields"]}
        if not fields:
            stage = place["at"].split()[0]
            assert stage in ("tokens", "inputs", "given", "concat", "closing"), place["at"]
            continue
        ((step, head),) = {(cell.name, cell.head) for cell in fields}
        asking.add((step, head, place["depth"]))
        numbers = {computed.matrix(*cell[:2])[cell.row][cell.col] for cell in fields}
        for key, html, text in place["cells"]:
            if cell_of(key) in fields:
                assert text == ""
                assert 'data-kind="unknown"' in html
                assert "--tone: 0;" in html
        assert place["powers"] == ""
        assert not place["note"]
        shifted = r"(The largest score of each row is subtracted first; that changes no weight\.)?"
        line = rf"(\S+\[[^\[\]=]+, [^\[\]=]+\] = \?)?{shifted}What will stand here\?.*"
        assert re.fullmatch(line, place["line"]), place["line"]
        printed = {
            f"{number:.4f}".replace("-", "−") for number in numbers if abs(number) < 1e9 and number % 1
        }
        told = set(re.findall(r"−?\d+\.\d+", place["rest"])) - {f"{divisor(computed.example) or 1:.4f}"}
        assert not printed & told, place["at"]
    heads = range(len(computed.example.heads))
    asked = {(head, depth) for _, head, depth in asking}
    assert {(head, depth) for head in heads for depth in (0, 1, 2)} <= asked
    assert ("concat", None, 0) not in asking


# --- to take away ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "locale"),
    [pytest.param("first", "en-US", marks=pytest.mark.long), ("padding", "zh-CN")],
)
def test_page_markdown_and_slides_are_taken_away_in_the_page_s_language(
    walk, browser, tmp_path, name, locale
):
    """The page opens without a network, and shows the same numbers."""
    page, words = walk(f"?example={name}", locale=locale), words_in(locale[:2])
    with page.page.expect_download() as caught:
        page.page.locator(".st-key-walk-takeaway button").first.click()
    saved = tmp_path / "walk.html"
    caught.value.save_as(saved)
    check_page(trace(built_in(name)), saved.read_text("utf-8"))
    context = browser.new_context(offline=True)
    asked = []
    context.on("request", lambda request: asked.append(request.url))
    alone = context.new_page()
    alone.goto(saved.as_uri())
    assert asked == [saved.as_uri()]
    cells = alone.locator('td[data-cell^="weights|0|"]').all_inner_texts()
    numbers = {f"{number:.4f}" for row in trace(built_in(name)).matrix("weights", 0) for number in row}
    assert numbers == set(cells)
    alone.emulate_media(media="print")
    assert alone.locator("nav").is_hidden()
    assert alone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()
    for button, check in (
        (words("Take away as Markdown with LaTeX"), assert_formulas),
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
    """A page on which pages that were taken away are printed."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def pages_of(pdf):
    """Which page of a PDF each id stands on that a link leads to: Chromium writes a destination for every one."""
    return dict(re.findall(rb"/(at-\d+-\d+)\s*\[\s*(\d+) 0 R", pdf))


@pytest.mark.parametrize(("name", "language"), ON_PAPER)
def test_on_paper_a_heading_stands_with_its_sentence_and_the_first_rows_of_its_table(paper, name, language):
    paper.set_content(as_html(trace(built_in(name)), language))
    together = paper.evaluate(MARK)
    for size in ("A4", "Letter"):
        stands = pages_of(paper.pdf(format=size, prefer_css_page_size=False))
        for ids in together:
            assert len({stands[one.encode()] for one in ids}) == 1, (size, ids)


# --- for everybody ---------------------------------------------------------------------------------------------------


READ = [("?step=scores&sub=4", "en-US"), ("?step=q&predict=1", "zh-CN")]
"""What axe reads in short: the page, and its fields. Wall and presenter are read with a card on the one, keys over the
other and "My lecture" open, by the tests of these."""


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


def test_a_visitors_text_is_text(walk):
    from tests.apply import apply

    nasty = '<img src=x onerror="document.title=1"> $x$ **b**'
    example = apply(built_in("first"), {"op": "rename_token", "which": "tokens", "index": 0, "text": nasty})
    page = walk(f"?s={to_token(example)}")
    expect(page.page.locator(".walk .tokens li").first).to_have_text(nasty)
    for _ in places(trace(example), 0):
        page.press("ArrowRight")
    expect(page.page.locator(".walk .looks")).to_contain_text(nasty)
    assert page.page.locator(".walk img, .walk b, .walk em").count() == 0
    assert page.page.title() == "Walkthrough · Multi-head attention"


def test_the_lesson_link_keeps_the_work(walk):
    page = walk("?step=scaled_scores&example=water&lang=zh")
    expect(page.button("lesson")).to_have_attribute(
        "href", re.compile(r"^lessons\?lesson=sqrt-dk&example=water&lang=zh")
    )
