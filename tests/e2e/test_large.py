"""Large examples: of many heads as many are shown as fit, and the others are not out of reach."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from mha_core import to_token
from tests.e2e.looks import assert_no_barrier
from tests.sizes import shortened
from tools.drive.browser import wait_until
from tools.examples import narrow

MANY = narrow(24, 12, 3, 6)
QUERY = f"?s={to_token(MANY)}"


def table(bench, name, head=""):
    return bench.page.locator(f'table[data-matrix="{name}"][data-head="{head}"]')


def heads(bench):
    """The heads whose tables are on the page."""
    return bench.page.locator('table[data-matrix="weights"]').evaluate_all(
        "(tables) => tables.map(({ dataset }) => Number(dataset.head))"
    )


def test_a_press_on_a_map_of_the_overview_shows_the_number_of_a_head_that_was_not_shown(visit):
    bench = visit(QUERY)
    assert 5 not in heads(bench)
    bench.page.locator('.overview-head[data-head="5"] canvas').click(position={"x": 4, "y": 4})
    bench.settled()
    assert 5 in heads(bench)
    expect(bench.page.locator("td.pinned")).to_be_focused()


def test_at_twelve_tokens_nothing_jumps_and_every_head_stays_beside_the_one_that_is_clicked(visit):
    bench = visit("?example=programming")
    page = bench.page
    opener = page.locator('[data-focus="sentence"]')
    before = opener.bounding_box()
    opener.click()
    page.get_by_label("Your sentence").last.fill("The tired cat sat on the mat because the dog was out")
    page.locator('[data-focus="made_up"]').check()
    page.keyboard.press("Enter")
    bench.settled()
    after = opener.bounding_box()
    assert (after["x"], after["y"]) == (before["x"], before["y"])
    note = page.locator(".about").bounding_box()
    assert page.locator(".overview").bounding_box()["y"] - (note["y"] + note["height"]) < 16
    expect(page.locator(".map-scale span")).to_have_text(["Weight", "0", "0.1", "0.25", "0.5", "1"])
    bench.cell("weights", 0, 2, 3).click()
    expect(page.locator("td.pinned")).to_be_focused()
    last = table(bench, "weights", 2).bounding_box()
    assert last["x"] + last["width"] <= page.viewport_size["width"]


def test_as_many_heads_are_shown_as_fit_and_chips_choose_which(visit):
    bench = visit(
        f"{QUERY}&decimals=10", viewport={"width": 1920, "height": 1080}
    )  # chosen, so none is left out
    shown = heads(bench)
    assert shown == [0, 1]
    chips = bench.page.get_by_role("group", name="Heads whose tables are shown").get_by_role("button")
    expect(chips).to_have_count(6)
    expect(bench.page.locator(".head-chips")).to_contain_text("Only 2 of the 6 heads fit below. Hidden: 3–6.")
    chip = chips.nth(4)
    expect(chip).to_have_attribute("aria-pressed", "false")
    chip.focus()
    bench.page.keyboard.press("Enter")
    assert heads(bench) == [1, 4]
    expect(chip).to_have_attribute("aria-pressed", "true")
    expect(chip).to_be_focused()
    expect(bench.page.locator(".bench > .heard")).to_have_text("Shown: head 2, 5")
    for name in ("x", "concat"):
        assert table(bench, name).is_visible()
    there = bench.page.locator("section.stage").nth(3)
    there.get_by_role("button", name="1, 3–4, 6").click()  # beside every stage, however far down
    expect(chips.first).to_be_focused()


def test_fewer_decimals_before_a_head_is_left_out_but_not_if_the_reader_has_chosen_them(visit):
    bench = visit(QUERY)
    said = bench.page.locator(".fewer-decimals")
    assert heads(bench) == [0, 1, 2]
    expect(said).to_contain_text("Fewer decimals are shown so that 3 heads fit next to each other.")
    assert decimals(bench) < 4
    bench.do("all decimals")
    expect(said).to_be_hidden()
    assert decimals(bench) == 4
    wait_until(bench.page, "() => location.search.includes('decimals=4')")
    bench.choose("decimals", "")
    expect(said).to_be_visible()
    assert decimals(bench) < 4


def decimals(bench):
    cell = bench.cell("scaled_scores", 0, 0, 0)
    cell.scroll_into_view_if_needed()  # a table far out of sight has no numbers yet
    expect(cell).not_to_be_empty()
    return len(cell.inner_text().partition(".")[2])


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
    stages = bench.page.locator(".stages").first
    assert stages.evaluate("node => getComputedStyle(node).getPropertyValue('--heads')").strip() == "3"
