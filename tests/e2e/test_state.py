"""The work outlives the page: links, files, languages, themes, and a server that dies."""

from __future__ import annotations

import json
import zlib
from base64 import urlsafe_b64encode
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from mha_core import OPENS_FIRST, built_in, parse, pretty, to_token
from tests.apply import apply
from tests.sizes import shortened
from tools.drive.browser import close_menu, menu
from tools.drive.explore import Bench, assert_shows, example_in


def test_a_link_shows_the_same_in_a_fresh_browser(visit, new_page):
    bench = visit("?example=water")
    bench.edit("x", None, 0, 0, 3.5)
    bench.do("h more")
    bench.choose("decimals", "2")
    bench.cell("weights", 1, 0, 1).click()
    bench.settled()
    example = apply(built_in("water"), {"op": "set", "matrix": "x", "row": 0, "col": 0, "values": [[3.5]]})
    example = apply(example, {"op": "add_head"})
    bench.page.wait_for_url("**cell=weights.1.0.1**")  # written a little after the numbers
    address = bench.wait_for_address(example)
    assert example_in(address) == example

    other = Bench(new_page(locale="zh-CN")).open(address)
    assert_shows(other, example, decimals=2)
    expect(other.cell("weights", 1, 0, 1)).to_have_class("pinned")
    assert other.arithmetic().startswith("头 2 的 A[1, 2]（Water → is） = ")
    assert other.shown() == bench.shown()


FIRST = pretty(built_in("first"))
BROKEN = {
    "{": "this is not valid JSON: line 1, column 2",
    FIRST.replace('"title"', '"titel"'): 'unknown key "titel"',
    json.dumps(
        {**json.loads(FIRST), "x": [[1, 2], [3, 4]]}
    ): "tokens: expected 2 tokens, one per row of x, got 3",
}


@pytest.mark.parametrize(
    "text", shortened(BROKEN, [text for text in BROKEN if "titel" in text]), ids=BROKEN.get
)
def test_a_file_is_saved_and_opened_and_one_that_breaks_the_format_changes_nothing(visit, tmp_path, text):
    bench = visit("?example=translation")
    bench.edit("w_v", 0, 0, 0, -1.25)
    menu(bench.page)
    with bench.page.expect_download() as caught:
        bench.page.get_by_role("button", name="Save as a file").click()
    saved = tmp_path / caught.value.suggested_filename
    caught.value.save_as(saved)
    assert saved.name.endswith(".mha.json")
    example = parse(saved.read_bytes())
    assert_shows(bench, example)

    bench.open(f"{bench.page.url.partition('?')[0]}?example=first")
    bench.edit("x", None, 0, 0, 9)
    menu(bench.page)
    upload = {"name": "mine.mha.json", "mimeType": "application/json", "buffer": text.encode()}
    bench.page.locator('input[type="file"]').set_input_files(upload)
    expect(bench.message()).to_have_text(BROKEN[text])
    assert_shows(bench, replace(built_in("first"), x=((9.0, 2.0), *built_in("first").x[1:])))

    if bench.page.locator('input[type="file"]').count() == 0:
        menu(bench.page)
    bench.page.locator('input[type="file"]').set_input_files(saved)
    expect(bench.cell("context", None, 0, 0)).to_be_visible()
    assert_shows(bench.settled(), example)


def bomb() -> str:
    return "1" + urlsafe_b64encode(zlib.compress(b" " * 10_000_000, 9)).decode().rstrip("=")


TOKEN = to_token(apply(built_in("first"), {"op": "add_head"}))


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        pytest.param(
            f"?s={TOKEN[: len(TOKEN) // 2]}", "the link is damaged or incomplete", marks=pytest.mark.long
        ),
        pytest.param(
            f"?s={TOKEN[:40]}AAAA{TOKEN[44:]}", "the link is damaged or incomplete", marks=pytest.mark.long
        ),
        pytest.param(
            f"?s=2{TOKEN[1:]}",
            "the link was made by a different version of this program",
            marks=pytest.mark.long,
        ),
        (f"?s={bomb()}", "the link expands to more than 5 MB"),
        ("?example=nowhere", "there is no example named 'nowhere'"),
    ],
)
def test_a_bad_link_opens_the_example_that_opens_first_and_names_it(visit, query, sentence):
    bench = visit(query)
    expect(bench.message()).to_have_text(f"{sentence}. Showing “I love programming: three heads” instead.")
    assert_shows(bench, built_in(OPENS_FIRST))


def test_the_browser_chooses_the_language_of_what_is_said_of_a_bad_link_too_and_the_visitor_may_change_it(
    visit,
):
    bench = visit("?s=2abc", locale="zh-CN")
    expect(bench.message()).to_have_text("这个链接由本应用的其他版本生成。改为显示“我 喜欢 编程：三个头”。")
    expect(bench.page.get_by_role("heading", name="探索", exact=True)).to_be_visible()
    expect(bench.page.locator(".bench h3", has_text="注意力权重")).to_be_visible()
    bench.page.get_by_role("radio", name="EN", exact=True).click()
    expect(bench.page.locator(".bench h3", has_text="Attention weights")).to_be_visible()
    bench.settled()
    bench.page.wait_for_url("**lang=en**")
    bench.page.reload()
    expect(bench.page.locator(".bench h3", has_text="Attention weights")).to_be_visible()


def the_theme_can_be_switched(bench):
    background = "getComputedStyle(document.querySelector('.stApp')).backgroundColor"
    paper = """() => {
        const host = [...document.querySelectorAll("*")].find((e) => e.shadowRoot?.querySelector(".bench"));
        return getComputedStyle(host.shadowRoot.querySelector(".explain")).backgroundColor;
    }"""
    assert bench.page.evaluate(background) == bench.page.evaluate(paper) == "rgb(255, 255, 255)"
    for name, colour in (("Dark", "rgb(18, 22, 28)"), ("System", "rgb(255, 255, 255)")):
        menu(bench.page)
        button = bench.page.get_by_role("button", name=name, exact=True)
        expect(button).to_have_attribute("aria-pressed", "false")
        button.click()
        bench.page.wait_for_function(f"() => {background} === '{colour}'")
        assert bench.page.evaluate(paper) == colour
        menu(bench.page)
        expect(button).to_have_attribute("aria-pressed", "true")
        expect(bench.page.get_by_test_id("stMainMenuPopover")).to_have_count(0)
        close_menu(bench.page)


HOSTILE = [
    '<img src=x onerror="document.title=1">',
    "$x$",
    "**b**",
    "{{}}",
    "{words}",
    "🧠👩‍👩‍👧",
    "שלום עולם",
    "长" * 200,
    "`code` [a](b) :smile: #",
]


def test_token_text_is_shown_as_text_everywhere_and_the_theme_can_be_switched(visit):
    bench = visit("?example=first")
    the_theme_can_be_switched(bench)
    example = built_in("first")
    for first in range(0, len(HOSTILE), len(example.tokens)):
        texts = HOSTILE[first : first + len(example.tokens)]
        for at, text in enumerate(texts):
            token = bench.page.locator(f'[data-focus="token tokens {at}"]')
            token.fill(text)
            token.press("Enter")
            example = apply(example, {"op": "rename_token", "which": "tokens", "index": at, "text": text})
        assert_shows(bench.settled(), example)
        headers = bench.page.locator('.matrix:has([data-key="weights|0|0|0"]) tbody th .label')
        expect(headers).to_have_text(texts)
        for at, text in enumerate(texts):
            bench.cell("weights", 0, at, at).hover()
            assert text.split()[0] in bench.arithmetic()
        assert bench.page.locator(".bench img, .bench b, .bench em, .bench a:not(.invitation)").count() == 0
    assert bench.page.title() == "Explore · Multi-head attention"


def test_titles_from_a_file_are_shown_as_text(visit):
    nasty = '<img src=x onerror="document.title=1"> $x$ **b** {{}}'
    example = replace(built_in("first"), title=nasty, note=nasty)
    bench = visit(f"?s={to_token(example)}")
    bench.page.locator(".about summary").click()
    expect(bench.page.locator(".about")).to_contain_text(nasty)
    assert bench.page.title() == "Explore · Multi-head attention"
    assert bench.page.locator(".stMain img").count() == 0
