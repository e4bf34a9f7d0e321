"""For everybody: the keyboard alone, a screen reader, no other host, every width."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from mha_core import built_in, derive, trace
from mha_core.compute.derive import Cell
from tests.e2e.looks import assert_no_barrier, wider, widths
from tests.sizes import shortened
from tools.drive.explore import assert_shows


def focused(page) -> dict[str, str]:
    """The data of the focused element, inside the bench too."""
    return page.evaluate(
        """() => {
            let active = document.activeElement;
            while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
            return {...(active.closest("[data-key]") ?? active).dataset};
        }"""
    )


def test_the_operands_and_the_arithmetic_are_shown_by_pointer_and_from_load_to_other_numbers_by_keyboard_alone(
    visit,
):
    bench = visit("?example=first")
    hovering_lights_the_operands(bench)
    bench.page.mouse.move(-1, -1)
    keys_lead_to_a_pinned_cell_and_other_numbers(bench)
    a_cell_that_is_held_is_let_go(bench)


def keys_lead_to_a_pinned_cell_and_other_numbers(bench):
    """From where the page has been loaded, and no cell had the focus yet."""
    for _ in range(120):
        bench.page.keyboard.press("Tab")
        if focused(bench.page).get("key") == "weights|0|0|0":
            break
    else:
        pytest.fail("Tab never came to the attention weights")
    bench.page.keyboard.press("ArrowRight")
    bench.page.keyboard.press("ArrowRight")
    assert focused(bench.page)["key"] == "weights|0|0|2"
    bench.page.keyboard.press("Enter")
    bench.settled()
    bench.page.wait_for_url("**cell=weights.0.0.2**")
    assert "0.9965" in bench.arithmetic()
    bench.page.keyboard.press("Escape")
    bench.settled()
    bench.page.wait_for_function("() => !location.search.includes('cell=')")

    bench.cell("x", None, 0, 0).focus()
    for text in ("7", "8", "9"):
        bench.page.keyboard.type(text)
        bench.page.keyboard.press("Tab")
    assert [bench.shown()[f"x||{i}|{j}"] for i, j in ((0, 0), (0, 1), (1, 0))] == ["7", "8", "9"]
    assert focused(bench.page)["key"] == "x||1|1"


def hovering_lights_the_operands(bench):
    bench.cell("q", 0, 0, 1).hover()
    assert bench.arithmetic() == "Q[1, 2] of head 1 (思考) = X·WQ = 1 · 0 + 2 · 1 = 2"
    computed = trace(built_in("first"))
    wanted = {cell for term in derive(computed, Cell("q", 0, 0, 1)).terms for cell in term.cells}
    lit = bench.page.locator("td.operand")
    keys = {lit.nth(i).get_attribute("data-key") for i in range(lit.count())}
    assert keys == {f"{c.name}|{'' if c.head is None else c.head}|{c.row}|{c.col}" for c in wanted}
    bench.cell("w_q", 0, 1, 1).hover()
    assert bench.page.locator("td.fed").count() == 3
    assert "used by 3 numbers in Q" in bench.arithmetic()


def a_cell_that_is_held_is_let_go(bench):
    bench.cell("q", 0, 0, 1).click()
    bench.page.locator(".explain .term").first.click()  # a number of X, which can only be let go of
    expect(bench.page.locator(".explain .line")).to_have_text(
        re.compile("used by 4 numbers in Q, 4 in K, 4 in V.*✕ Unpin$")
    )
    assert "null" not in bench.arithmetic()
    bench.cell("weights", 0, 0, 0).hover()
    said = "(the row's largest number is subtracted first, which does not change the result)"
    assert bench.arithmetic().endswith(said)


@pytest.mark.parametrize(
    "query",
    shortened(
        ["", "?example=padding", "?example=output-projection", "?example=translation"],
        ["?example=translation"],
    ),
)
def test_axe_finds_no_serious_violation(visit, query):
    bench = visit(query)
    bench.cell("weights", 0, 0, 0).click()
    bench.settled()
    assert_no_barrier(bench.page)


@pytest.mark.parametrize("locale", shortened(["en-US", "zh-CN"], ["en-US"]))  # the longer words
def test_nothing_sticks_out_of_the_page(visit, locale):
    bench = visit("?example=output-projection", locale=locale)
    for width in widths(bench.page):
        assert wider(bench.page) == [], width
        assert_shows(bench, built_in("output-projection"))
        expect(bench.page.locator(".explain")).to_be_in_viewport()


def test_pointing_moves_nothing(visit):
    """At the end of the page the line of arithmetic must not push the cell away from under the pointer."""
    bench = visit("?example=padding", viewport={"width": 390, "height": 1688}, color_scheme="dark")
    cell = bench.cell("head_outputs", 0, 0, 1)
    cell.scroll_into_view_if_needed()
    before = cell.bounding_box()
    cell.hover()
    assert bench.arithmetic().startswith("head1")
    assert cell.bounding_box() == before
    cell.click()
    bench.settled()
    expect(cell).to_have_class("pinned")


def test_the_first_key_leads_past_the_head_of_the_page_to_the_numbers(visit):
    bench = visit("?example=first")
    bench.page.keyboard.press("Tab")
    expect(bench.page.get_by_role("link", name="Skip to the numbers")).to_be_focused()
    bench.page.keyboard.press("Enter")
    assert focused(bench.page)["key"] == "x||0|0"
