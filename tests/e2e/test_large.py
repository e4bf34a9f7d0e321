"""Large examples: tables fold to what matters, and of many heads as many are shown as fit; nothing is out of reach."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from mha_core import to_token
from tests.e2e.looks import assert_no_barrier
from tests.sizes import shortened
from tools.examples import narrow

MANY = narrow(24, 12, 3, 6)
QUERY = f"?s={to_token(MANY)}"
ROWS = [0, 1, 2, 3, 4, 23]
COLUMNS = [0, 1, 2, 3, 4, 11]


def table(bench, name, head=""):
    return bench.page.locator(f'table[data-matrix="{name}"][data-head="{head}"]')


def places(bench, name, head=""):
    """The rows and the columns of a table that stand in the page."""
    keys = (
        table(bench, name, head)
        .locator("td[data-key]")
        .evaluate_all("(tds) => tds.map((td) => td.dataset.key.split('|').slice(2).map(Number))")
    )
    return sorted({row for row, _ in keys}), sorted({col for _, col in keys})


def heads(bench):
    """The heads whose tables stand in the page."""
    return bench.page.locator('table[data-matrix="weights"]').evaluate_all(
        "(tables) => tables.map(({ dataset }) => Number(dataset.head))"
    )


def test_a_large_table_folds_and_unfolds_and_what_leads_to_what_is_not_shown_shows_it(visit):
    bench = visit(QUERY, permissions=("clipboard-read", "clipboard-write"))
    assert_folds_by_button(bench)
    assert_keys_paste_and_terms_unfold(bench)
    bench.cell("concat", None, 0, 0).click()
    bench.page.locator('.overview-head[data-head="5"] canvas').click(position={"x": 4, "y": 4})
    bench.settled()
    assert 5 in heads(bench)
    expect(bench.page.locator("td.pinned")).to_be_focused()
    bench.open(f"{bench.page.url.split('?')[0]}{QUERY}&cell=weights.3.20.9")
    assert 3 in heads(bench)
    expect(bench.cell("weights", 3, 20, 9)).to_have_class("pinned")


def assert_folds_by_button(bench):
    assert places(bench, "x") == (ROWS, COLUMNS)
    x = table(bench, "x")
    assert (x.get_attribute("aria-rowcount"), x.get_attribute("aria-colcount")) == ("25", "13")
    more = x.get_by_role("button", name="Show 18 more rows")
    more.focus()
    bench.page.keyboard.press("Enter")
    assert places(bench, "x") == (list(range(24)), COLUMNS)
    expect(bench.cell("x", None, 5, 0).get_by_role("spinbutton")).to_be_focused()
    bench.edit("x", None, 17, 0, 3)  # the page answers, and the table stays as it is
    bench.do("copy_head 0")  # the tables are built anew
    assert places(bench, "x") == (list(range(24)), COLUMNS)
    bench.do("fold x null")
    assert places(bench, "x") == (ROWS, COLUMNS)
    bench.do("undo")  # the copied head goes


def assert_keys_paste_and_terms_unfold(bench):
    page = bench.page
    bench.cell("x", None, 4, 0).click()
    page.keyboard.press("ArrowDown")
    assert places(bench, "x")[0] == [*ROWS[:5], 5, 23]
    page.evaluate("() => navigator.clipboard.writeText('7\\n8\\n9')")
    page.keyboard.press("Control+v")
    bench.settled()
    assert [bench.cell("x", None, row, 0).inner_text() for row in (5, 6, 7)] == ["7", "8", "9"]
    bench.cell("q", 0, 2, 1).click()  # twelve terms and a half: its line leads to each
    page.locator('.explain .term[title="X[3, 8]"]').click()
    expect(bench.cell("x", None, 2, 7).get_by_role("spinbutton")).to_be_focused()


def test_as_many_heads_are_shown_as_fit_and_chips_choose_which(visit):
    bench = visit(QUERY, viewport={"width": 1920, "height": 1080})
    shown = heads(bench)
    assert shown == [0, 1]
    chips = bench.page.get_by_role("group", name="Heads whose tables are shown").get_by_role("button")
    expect(chips).to_have_count(6)
    expect(bench.page.locator(".head-chips")).to_contain_text("2 of 6 heads fit below (not 3–6);")
    chip = chips.nth(4)
    expect(chip).to_have_attribute("aria-pressed", "false")
    chip.focus()
    bench.page.keyboard.press("Enter")
    assert heads(bench) == [1, 4]
    expect(chip).to_have_attribute("aria-pressed", "true")
    expect(chip).to_be_focused()
    expect(bench.page.locator(".bench > .heard")).to_have_text("Shown: heads 2, 5")
    for name in ("x", "concat"):
        assert table(bench, name).is_visible()
    there = bench.page.locator("section.stage").nth(3)
    there.get_by_role("button", name="1, 3–4, 6").click()  # beside every stage, however far down
    expect(chips.first).to_be_focused()


@pytest.mark.long  # test_reach asks the same of the bench in short
def test_axe_finds_no_serious_violation_where_some_heads_are_hidden(visit):
    assert_no_barrier(visit(QUERY, viewport={"width": 1920, "height": 1080}).page)


@pytest.mark.parametrize("width", shortened([1280, 1920], [1280]))
def test_small_examples_are_shown_as_a_whole(visit, width):
    bench = visit("?example=programming", viewport={"width": width, "height": 720})
    assert heads(bench) == [0, 1, 2]
    expect(bench.page.locator(".head-chips")).to_be_hidden()
    expect(bench.page.locator('[data-do="unfold"]')).to_have_count(0)
    assert bench.page.locator(".bench .tables").evaluate("node => node.scrollWidth - node.clientWidth") <= 0
    stages = bench.page.locator(".stages")
    assert stages.evaluate("node => getComputedStyle(node).getPropertyValue('--heads')").strip() == "3"
