"""The page Notation in a real browser: its choices, its address, its looks."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect

from mha_core import built_in, library, to_token
from mha_core.messages import LANGUAGE
from mha_ui.conventions.model import ui_words
from mha_view.language import LANGUAGES
from tests.apply import apply
from tests.e2e.looks import WIDTHS, assert_no_barrier_at, wider
from tests.sizes import at_length, shortened, turns
from tools.drive.browser import at_rest, replace, wait_for, wait_until
from tools.drive.explore import Bench, assert_shows

LIBRARIES = ("packed", "torch", "keras", "linear")
PARTS = ("rows", "packed", "masks", "dead", "pairs")
VARIED = ("translation", "rotary", "additive")
"""Examples that together have a context, positions, and parameters of a scoring; other tests' have biases, a mask."""


@pytest.fixture
def read(server, new_page):
    """Open the page as a new visitor."""

    def opened(query: str = "", **options) -> Page:
        page = new_page(**options)
        page.goto(f"{server.url}conventions{query}")
        return settled(page)

    return opened


def settled(page: Page) -> Page:
    """Wait until all five sections are drawn, and the address holds the work."""
    for part in PARTS:
        wait_for(page, f".part-{part} .explain")
    wait_until(page, "() => /[?&](example|s)=/.test(location.search)")
    return page


def packed(page: Page, library_name: str, letter: str = "q") -> None:
    part = page.locator(".part-packed")
    part.locator(f'[data-focus$=" {library_name}"]').click()
    part.locator(f'[data-focus$=" {letter}"]').click()


@pytest.mark.parametrize("language", shortened(LANGUAGES, ["zh"]))
def test_it_is_in_the_reader_s_language_and_axe_finds_no_serious_violation(read, language):
    page = read(f"?example=padding&lang={language}")
    words = ui_words(language)
    for part in PARTS:
        expect(page.get_by_role("heading", name=words[f"section_{part}"], exact=True)).to_be_visible()
        expect(page.locator(f".part-{part}")).to_have_attribute("aria-label", words[f"section_{part}"])
    body = page.locator(".stMain").inner_text()
    assert "undefined" not in body
    assert not re.search(r"\{\w+\}", body)
    assert page.evaluate("document.documentElement.lang") == LANGUAGE[language].tag
    if language == "zh":
        packed(page, "torch", "k")
        page.locator('.equation.row td[data-key="q|0|0|0"]').focus()
        assert_no_barrier_at(page, WIDTHS if at_length() else (390, 1280))


@pytest.mark.parametrize("name", shortened(library(), VARIED))
def test_nothing_is_wider_than_the_screen_whichever_library_is_chosen(read, name):
    page = read(f"?example={name}&lang=zh")
    for library_name, width in turns(LIBRARIES, WIDTHS):
        packed(page, library_name)
        page.set_viewport_size({"width": width, "height": 900})
        assert wider(page) == [], (library_name, width)
        assert_names_of_columns_are_above_them(page)


def assert_names_of_columns_are_above_them(page: Page) -> None:
    left = "cells => cells.map((cell) => Math.round(cell.getBoundingClientRect().left))"
    head = page.locator(".all-steps thead th").evaluate_all(left)
    first = page.locator(".all-steps tbody tr").first.locator("th, td").evaluate_all(left)
    assert head == first


def test_links_keep_the_work(read):
    example = apply(built_in("water"), {"op": "set", "matrix": "x", "row": 0, "col": 0, "values": [[3.5]]})
    page = read(f"?s={to_token(example)}&decimals=2")
    bench = Bench(page)
    bench.wait_for_address(example)
    assert "decimals=2" in page.url
    assert page.locator('.equation.row td[data-key="x||0|0"]').inner_text() == "3.5"
    page.get_by_role("link", name="Explore", exact=True).click()
    assert_shows(bench.settled(), example, 2)
    page.get_by_role("link", name="Notation", exact=True).click()
    settled(page)
    bench.wait_for_address(example)


@pytest.mark.long  # in short test_reload tries a server that dies
def test_it_is_the_first_page_of_a_fresh_server_and_survives_it_and_so_does_an_experiment(
    own_server, new_page, watch
):
    page = new_page()
    page.goto(f"{own_server.url}conventions?example=padding")
    settled(page)
    other = page.context.new_page()
    other.goto(f"{own_server.url}experiments?example=programming&experiment=order&variant=~~order-2_1_0")
    at_rest(other)
    other.get_by_role("button", name="Swap the first two").click()
    other.wait_for_function("() => location.search.includes('order-1_0_2')")
    assert watch.complaints == []
    reversed_order = other.get_by_role("button", name="Reverse")
    replace(own_server, page.get_by_text("中", exact=True), reversed_order)
    settled(page)
    assert json.dumps("example=padding")[1:-1] in page.url
    love_first = other.locator('td[data-key="x||0|1"]').nth(1)  # of the right side
    expect(love_first).to_have_text("2")
    watch.complaints.clear()  # whatever Streamlit's page said while nobody answered
