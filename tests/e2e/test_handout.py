"""The page that is taken away, opened as a file without a network: what is seen of it, its motion, and its print."""

import re
from itertools import chain

import pytest
from playwright.sync_api import expect

from mha_core import built_in, library, trace
from mha_core.messages import LANGUAGE, LANGUAGES
from mha_view.handout import as_html
from tests.apply import apply
from tests.core.test_walk import cell_of, check_number
from tests.e2e.looks import PAPER, barriers, rules
from tests.sizes import EVERY_STAGE, first_seen, shortened
from tools.drive.walk import kinds_of
from tools.examples import sized


@pytest.fixture
def handed(browser, tmp_path):
    """Opens an example's page; it may ask for nothing but itself, and says nothing in the console."""
    contexts, asked, complaints = [], set(), []

    def opened(example, language="en", **options):
        file = tmp_path / "walk.html"
        example = built_in(example) if isinstance(example, str) else example
        file.write_text(as_html(trace(example), language), "utf-8")
        context = browser.new_context(offline=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: asked.add(request.url.partition("#")[0]))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(file.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert all(url.startswith("file:") for url in asked)
    assert complaints == []


# --- language --------------------------------------------------------------------------------------------------------


def test_one_language_is_seen_at_a_time_and_printed_and_the_page_switches_without_a_network(handed):
    page = handed("padding", "en")
    heading = page.locator("#tokens h2")
    assert heading.inner_text() == "1. Tokens"
    page.get_by_role("button", name=LANGUAGE["zh"].name).click()
    assert heading.inner_text() == "1. 词元"
    assert page.title() == page.locator("h1").inner_text()
    page.emulate_media(media="print")
    assert heading.inner_text() == "1. 词元"


def test_without_scripts_it_is_in_its_language_and_offers_nothing_that_does_not_work(handed):
    page = handed("first", "zh", java_script_enabled=False)
    assert page.locator("#tokens h2").inner_text() == "1. 词元"
    expect(page.locator("button:visible, input:visible, select:visible")).to_have_count(0)


# --- motion ----------------------------------------------------------------------------------------------------------

SCRUB = """(motion) => {
    const [choice, moment, line] = ["select", "input", "output"].map((name) => motion.querySelector(name));
    const step = [...motion.parentElement.querySelectorAll("li[data-of]")];
    const shown = [];
    for (const at of new Set([0, choice.options.length - 1])) {
        choice.selectedIndex = at;
        choice.dispatchEvent(new Event("change"));
        const moments = [];
        for (let i = 0; i <= Number(moment.max); i++) {
            moment.value = String(i);
            moment.dispatchEvent(new Event("input"));
            const marked = (name) => [...document.querySelectorAll(`td.${name}`)].map((cell) => cell.dataset.cell);
            moments.push({ told: line.innerText, lit: marked("lit"), read: marked("read"), coming: marked("coming") });
        }
        const made = [...document.querySelectorAll("td.made")].map((cell) => {
            const row = [...cell.parentElement.querySelectorAll("td[data-cell]")];
            return {
                cell: cell.dataset.cell, text: cell.innerText,
                bars: row.map((one) => [one.dataset.cell, one.style.getPropertyValue("--bar")]),
            };
        });
        const name = choice.options[at].text;
        const lines = [...motion.nextElementSibling.querySelectorAll("li")];
        shown.push({ name, moments, made, line: lines[at].innerText, terms: lines[at].dataset.terms });
    }
    return shown;
}"""


def check_motion(computed, found):
    """One number's moments: each lights its terms, and the last shows the trace's number and the page's line."""
    terms = [term.split(",") for term in found["terms"].split()]
    every = set(chain.from_iterable(terms))
    *before, last = found["moments"]
    assert before
    assert len(before) in (1, len(terms))
    for at, moment in enumerate(before):
        wanted = set(terms[at]) if len(before) == len(terms) else every
        assert set(moment["lit"]) == wanted
        assert set(moment["read"]) == every
        assert moment["coming"]
        assert moment["told"] in found["line"]
    assert last["told"] == found["line"]
    assert last["lit"] == last["coming"] == []
    assert found["made"]
    for made in found["made"]:
        cell = cell_of(made["cell"])
        check_number(made["text"], computed.matrix(cell.name, cell.head)[cell.row][cell.col], 4)
        for key, bar in made["bars"]:
            one = cell_of(key)
            assert not bar or bar == f"{computed.matrix(one.name, one.head)[one.row][one.col]:.4f}"
    return len(before)


STAGES = {name: kinds_of(trace(built_in(name))) for name in EVERY_STAGE}


@pytest.mark.parametrize("name", shortened(library(), EVERY_STAGE))
def test_every_step_shows_how_its_numbers_come_about_and_ends_at_the_page_s_numbers(handed, name):
    """In short a step in the first of the examples that has its kind."""
    page = handed(name)
    computed = trace(built_in(name))
    tried = first_seen(STAGES | {name: kinds_of(computed)}, name)
    steps = sum(len(computed.example.heads) if step.per_head else 1 for step in computed.steps)
    motions = page.locator(".motion")
    assert motions.count() == steps
    counts = [
        check_motion(computed, found)
        for stage in tried
        for motion in page.locator(f"section#{stage} .motion").all()
        for found in motion.evaluate(SCRUB)
    ]
    assert max(counts, default=2) > 1


# --- for everybody, and on paper -------------------------------------------------------------------------------------


SHORTER = {"op": "remove_token", "which": "tokens", "index": 0}
"""Axe takes as long as there are numbers."""


@pytest.mark.parametrize("name", shortened(["first", "padding", "shorter"], ["shorter"]))
@pytest.mark.parametrize("language", shortened(LANGUAGES, ["zh"]))
def test_axe_finds_no_serious_violation(handed, name, language):
    example = apply(built_in("padding"), SHORTER) if name == "shorter" else name
    page = handed(example, language, reduced_motion="reduce")
    page.locator("#weights .motion").get_by_role("slider").press("Home")
    for scheme, colour in PAPER.items():
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("body")).to_have_css("background-color", colour)
        assert barriers(page, **rules(scheme)) == [], scheme


CUT = """() => [...document.querySelectorAll("main, .row, .product, table, li, p")]
    .filter((node) => node.scrollWidth > node.clientWidth + 1
        || node.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
    .map((node) => `${node.closest("section")?.id} ${node.tagName} ${node.className} ${node.scrollWidth}`)"""
SHEETS = {"A4": 680, "Letter": 702}
"""Pixels between the margins."""


@pytest.mark.parametrize(
    ("example", "width"),
    [
        (example, SHEETS[size])
        for example, size in (
            ("additive", "A4"),
            ("translation", "Letter"),
        )
    ],
    ids=str,
)
def test_nothing_is_cut_at_the_edge_of_a_sheet(handed, example, width):
    page = handed(example, viewport={"width": width, "height": 1000})
    page.emulate_media(media="print")
    assert page.evaluate(CUT) == []


def test_a_large_walk_prints_each_matrix_once_with_one_number_worked_out_and_nothing_cut(handed):
    page = handed(sized(8, 8, 4), viewport={"width": SHEETS["A4"], "height": 1000})
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) <= 30
    page.emulate_media(media="print")
    assert page.evaluate(CUT) == []
    expect(page.locator(".on-paper")).to_be_visible()
    expect(page.locator("#scores .sums li:visible")).to_have_count(1)
    for name in ("x||", "w_q|0|", "q|0|", "weights|3|", "concat||"):
        expect(page.locator(f'td[data-cell="{name}0|0"]:visible')).to_have_count(1)


def test_paper_shows_no_motion_and_every_number(handed):
    page = handed("first")
    page.locator("#weights .motion").get_by_role("slider").press("Home")
    expect(page.locator("td.coming")).not_to_have_count(0)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator("td.coming, td.lit, td.read, td.made")).to_have_count(0)
    page.emulate_media(media="print")
    expect(page.locator("button:visible, input:visible, select:visible, output:visible")).to_have_count(0)
    weights = [number for row in trace(built_in("first")).matrix("weights", 0) for number in row]
    shown = page.locator('#weights td[data-cell^="weights|0|"]').all_inner_texts()
    assert shown == [f"{number:.4f}" for number in weights]
    assert re.match(rb"%PDF-", page.pdf(format="A4"))
