"""Pasting and naming: a block without room is offered it, and a cell has one name in every sentence."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from mha_core import built_in
from tests.apply import apply
from tests.sizes import shortened
from tools.drive.explore import assert_shows

CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}


def paste(bench, text):
    bench.page.evaluate("(text) => navigator.clipboard.writeText(text)", text)
    bench.page.keyboard.press("Control+V")


def rows(count, width):
    return "\n".join("\t".join(str(10 * i + j) for j in range(width)) for i in range(count))


def test_a_ragged_block_is_told_by_its_row_and_one_without_room_is_offered_the_size_that_it_needs(visit):
    bench = visit("?example=first", **CLIPBOARD)
    bench.cell("x", None, 0, 0).click()
    paste(bench, "1 2\n3\n4 5")
    expect(bench.message()).to_have_text(
        "X: the rows of this block have different lengths: 2 in row 1, 1 in row 2"
    )
    assert_shows(bench.settled(), built_in("first"))
    bench.page.locator('table[data-matrix="x"] td.corner').click()  # which takes the whole table
    expect(bench.page.locator("td.selected")).to_have_count(6)
    paste(bench, rows(5, 4))
    expect(bench.message()).to_have_text("X: this block is 5 × 4, but only 3 × 2 fits from row 1, column 1")
    offer = bench.page.get_by_role("button", name="Resize X to 5 × 4 and paste")
    expect(offer).to_be_in_viewport()
    assert_shows(bench.settled(), built_in("first"))
    offer.click()
    values = [[float(10 * i + j) for j in range(4)] for i in range(5)]
    edit = {"op": "set", "matrix": "x", "row": 0, "col": 0, "values": values, "grow": True}
    assert_shows(bench.settled(), apply(built_in("first"), edit))
    expect(bench.cell("x", None, 0, 0).get_by_role("spinbutton")).to_be_focused()
    bench.page.keyboard.press("Control+z")
    assert_shows(bench.settled(), built_in("first"))


def type_into(bench, cell, text):
    """Full-width characters come from an input method, which writes into an open editor."""
    cell.dblclick()
    bench.page.keyboard.press("Control+A")
    bench.page.keyboard.type(text)
    bench.page.keyboard.press("Enter")


WRONG = {
    "1e400": "“1e400” is too large. Numbers can be from −1e12 to 1e12.",
    "-1e13": "“-1e13” is too large. Numbers can be from −1e12 to 1e12.",
    "1,500": "the comma in “1,500” could be a decimal comma or a thousands separator. "
    "Use a period as the decimal point, and leave out thousands separators.",
    "½": "“½” is a fraction. Write it as a decimal, such as 0.5.",
    "1/3": "“1/3” is a fraction. Write it as a decimal, such as 0.5.",
    "abc": "“abc” is not a number.",
}


def test_a_cell_has_one_name_wherever_it_is_told_and_what_is_no_number_says_why_and_where(visit):
    """What is unambiguous is accepted."""
    bench = visit("?example=first", **CLIPBOARD)
    assert_has_one_name(bench)
    bench.page.keyboard.press("Escape")
    bench.settled()
    for text, sentence in WRONG.items():
        type_into(bench, bench.cell("w_k", 1, 0, 1), text)
        expect(bench.message()).to_have_text(f"WK[1, 2] of head 2: {sentence} The old value is kept.")
        bench.page.keyboard.press("Escape")
    assert_shows(bench, built_in("first"))
    for text, number in (("１２", 12), ("−３．５", -3.5), ("＋1e3", 1000), ("0,25", 0.25)):
        type_into(bench, bench.cell("x", None, 0, 0), text)
        bench.settled()
        edit = {"op": "set", "matrix": "x", "row": 0, "col": 0, "values": [[number]]}
        assert_shows(bench, apply(built_in("first"), edit))


def assert_has_one_name(bench):
    """In the line of arithmetic, in messages, and for the screen reader."""
    cell = bench.cell("w_k", 1, 0, 1)
    cell.hover()
    assert bench.arithmetic().startswith("WK[1, 2] of head 2 = 1")
    cell.dblclick()
    expect(cell.locator("input")).to_have_attribute("aria-label", "WK[1, 2] of head 2")
    bench.page.keyboard.press("Escape")
    expect(bench.page.locator(".bench > .heard")).to_contain_text("WK[1, 2] of head 2 = 1")
    paste(bench, rows(1, 3))
    expect(bench.message()).to_contain_text(
        "WK of head 2: this block is 1 × 3, but only 2 × 1 fits from row 1, column 2"
    )
    bench.cell("weights", 1, 0, 2).hover()
    assert bench.arithmetic().startswith("A[1, 3] of head 2 (思考 → 程序) = ")
    bench.cell("weights", 1, 0, 2).click()
    bench.page.keyboard.type("1")
    bench.settled()  # the cell is held: that says nothing, and takes nothing back that was said
    told = "A[1, 3] of head 2 is computed from X, WQ, WK. Change one of those instead."
    expect(bench.message()).to_have_text(told)
    expect(bench.cell("scaled_scores", 1, 0, 0)).to_have_class(re.compile("operand"))


# --- the mask --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", shortened([(390, 844), (1280, 800)], [(390, 844)]), ids=str)
def test_the_mask_to_paint_is_shown_and_has_the_focus(visit, size):
    width, height = size
    bench = visit("?example=first", viewport={"width": width, "height": height})
    bench.control("mask").select_option("painted")  # which is folded away once the focus goes to the mask
    cell = bench.cell("mask", None, 0, 0)
    expect(cell).to_be_focused()
    expect(bench.page.locator(".fold > [aria-expanded=true]")).to_have_count(0)
    expect(cell).to_be_in_viewport(ratio=1)
    explain = bench.page.locator(".explain").bounding_box()
    box = cell.bounding_box()
    assert box["y"] + box["height"] <= explain["y"]  # not beneath the line of arithmetic
    expect(bench.page.get_by_role("alert")).to_contain_text("Set the mask here")
    bench.page.keyboard.press("Enter")
    expect(cell).to_have_text("✕")
