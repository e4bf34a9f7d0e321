"""The page that is taken away, opened as a file without a network: its language, its motion, and what is printed."""

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

SAID = {"en": "Tokens", "zh": "词元"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_is_in_the_language_it_was_made_in_and_switches_without_a_network(handed, language):
    page = handed("padding", language)
    (other,) = set(LANGUAGES) - {language}
    root = page.locator("html")
    heading = page.locator("#tokens h2")
    expect(root).to_have_attribute("lang", LANGUAGE[language].tag)
    assert heading.inner_text() == f"1. {SAID[language]}"
    page.get_by_role("button", name=LANGUAGE[other].name).click()
    expect(root).to_have_attribute("lang", LANGUAGE[other].tag)
    assert heading.inner_text() == f"1. {SAID[other]}"
    assert page.title() == page.locator("h1").inner_text()
    pressed = page.locator('.languages [aria-pressed="true"]')
    assert pressed.all_inner_texts() == [LANGUAGE[other].name]
    page.emulate_media(media="print")
    assert heading.inner_text() == f"1. {SAID[other]}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_scripts_it_stands_in_its_language_and_offers_nothing_that_does_not_work(handed, language):
    page = handed("first", language, java_script_enabled=False)
    assert page.locator("#tokens h2").inner_text() == f"1. {SAID[language]}"
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


def test_it_plays_by_itself_to_the_end_and_stops_where_it_is_pressed_again(handed):
    page = handed("first")
    page.clock.install()
    page.reload()
    motion = page.locator("#scores .motion")
    button, moment = motion.get_by_role("button"), motion.get_by_role("slider")
    button.click()
    assert (moment.input_value(), button.get_attribute("aria-pressed")) == ("0", "true")
    page.clock.run_for(1000)
    assert moment.input_value() == "1"
    button.click()
    page.clock.run_for(5000)
    assert (moment.input_value(), button.get_attribute("aria-pressed")) == ("1", "false")
    button.click()
    page.clock.run_for(5000)
    assert (moment.input_value(), button.get_attribute("aria-pressed")) == ("2", "false")
    expect(motion.locator("output")).to_have_text("S[1, 1] = 1·3 + 2·1 = 5")


def test_nothing_moves_by_itself_where_that_is_asked_for(handed):
    page = handed("first", reduced_motion="reduce")
    page.clock.install()
    page.reload()
    motion = page.locator("#scores .motion")
    button, moment = motion.get_by_role("button"), motion.get_by_role("slider")
    for value in ("0", "1", "2"):
        button.click()
        page.clock.run_for(5000)
        assert moment.input_value() == value


def test_a_number_is_chosen_by_a_click_and_by_keys_alone(handed):
    page = handed("first")
    motion = page.locator("#scores .motion")
    page.locator('#scores td[data-cell="scores|0|1|1"]').click()
    assert motion.get_by_role("combobox").input_value() == "S[2, 2]"
    moment = motion.get_by_role("slider")
    moment.press("End")
    expect(motion.locator("output")).to_have_text("S[2, 2] = 3·7 + 4·3 = 33")
    moment.press("ArrowLeft")
    expect(motion.locator("output")).to_have_text("3·7 + 4·3")
    motion.get_by_role("combobox").press("End")
    moment.press("End")
    expect(motion.locator("output")).to_have_text("S[3, 3] = 5·11 + 6·5 = 85")


def test_the_bars_of_a_softmax_become_shares(handed):
    page = handed("water")
    weights = trace(built_in("water")).matrix("weights", 0)[0]
    moment = page.locator("#weights .motion").get_by_role("slider")
    cells = page.locator('#weights td[data-cell^="weights|0|0|"]')
    bars = "cells => cells.map((cell) => Number(cell.style.getPropertyValue('--bar')))"
    moment.press("Home")
    first = cells.evaluate_all(bars)
    assert first[0] > 0
    assert first[1:] == [0] * (len(weights) - 1)
    for _ in range(len(weights) - 1):
        moment.press("ArrowRight")
    powers = cells.evaluate_all(bars)
    assert max(powers) == 1
    assert powers == pytest.approx([weight / max(weights) for weight in weights], abs=1e-3)
    moment.press("End")
    assert cells.evaluate_all(bars) == [round(weight, 4) for weight in weights]


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


def test_it_says_where_its_motion_ends(handed):
    page = handed(sized(9, 2, 1))
    told = "Motion and arithmetic are here for the first 64 numbers of this step."
    expect(page.locator("#scores .motion p span[lang=en]")).to_have_text(told)
    expect(page.locator(".motion p")).to_have_count(3)


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
