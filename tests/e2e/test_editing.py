"""Editing on the bench: every number that depends on an edit is right, and no edit is lost."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from mha_core import AllowMask, built_in, library
from tests.apply import apply
from tests.sizes import shortened
from tools.drive.explore import assert_shows


def set_cell(example, name, head, row, col, number):
    return apply(
        example, {"op": "set", "matrix": name, "head": head, "row": row, "col": col, "values": [[number]]}
    )


@pytest.mark.parametrize("name", shortened(library(), ["scaled"]))
def test_every_number_of_every_example_is_on_the_page(visit, name):
    """In short of one whose queries, keys and values are given: other tests ask it of all other kinds."""
    assert_shows(visit(f"?example={name}"), built_in(name))


FAST = [(2, 8), *((slower, 20) for slower in (1, 2, 3, 4, 6))]
"""How much slower the page computes, and how many numbers are typed meanwhile."""


@pytest.mark.parametrize("pace", shortened(FAST, FAST[:1]), ids=str)
def test_many_edits_typed_fast_are_all_kept(visit, pace):
    slower, edits = pace
    bench = visit("?example=causal")
    throttle = bench.page.context.new_cdp_session(bench.page)
    throttle.send("Emulation.setCPUThrottlingRate", {"rate": slower})  # answers overtake each other
    example = built_in("causal")
    rows, cols = len(example.x), len(example.x[0])
    bench.cell("x", None, 0, 0).click()
    for n in range(edits):
        row, col = n // cols % rows, n % cols
        number = n + 11
        example = set_cell(example, "x", None, row, col, float(number))
        bench.page.keyboard.type(str(number))
        if row == rows - 1 and col == cols - 1:
            bench.page.keyboard.press("Enter")
            bench.cell("x", None, 0, 0).click()
        else:
            bench.page.keyboard.press("Tab")
    assert_shows(bench.settled(), example)
    throttle.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    throttle.detach()


def test_a_table_is_copied_from_pasted_into_filled_and_downloaded_and_rounded_arithmetic_says_so(visit):
    bench = visit("?example=first", permissions=["clipboard-read", "clipboard-write"])
    bench.cell("q", 1, 0, 0).click()
    bench.page.keyboard.press("Shift+ArrowRight")
    bench.page.keyboard.press("Shift+ArrowDown")
    bench.page.keyboard.press("Control+C")
    assert bench.page.evaluate("navigator.clipboard.readText()") == "1\t3\n3\t7"
    bench.cell("x", None, 1, 1).click()
    bench.page.keyboard.press("Escape")
    for text, sentence in (
        ("1\\t2\\n3\\t4", "this block is 2 × 2, but only 2 × 1 fits from row 2, column 2"),
        ("1\\nabc", "Row 2, column 1 of the pasted block: “abc” is not a number. Nothing was changed."),
    ):
        bench.page.evaluate(f"navigator.clipboard.writeText('{text}')")
        bench.page.keyboard.press("Control+V")
        expect(bench.message()).to_contain_text(sentence)
        assert_shows(bench.settled(), built_in("first"))
    bench.page.evaluate("navigator.clipboard.writeText('7\\t−8\\n0.5\\t1e1\\n')")
    bench.cell("x", None, 1, 0).click()
    bench.page.keyboard.press("Escape")
    bench.page.keyboard.press("Control+V")
    bench.settled()
    x = (built_in("first").x[0], (7.0, -8.0), (0.5, 10.0))
    assert_shows(bench, replace(built_in("first"), x=x))
    bench.do("reset")
    it_is_filled_and_downloaded(bench)
    bench.choose("decimals", "2")
    bench.cell("head_outputs", 0, 0, 0).hover()
    assert bench.arithmetic().endswith("1.2e−5 · 2 + 3.5e−3 · 4 + 1.00 · 6 ≈ 5.99")


def it_is_filled_and_downloaded(bench):
    bench.edit("w_q", 0, 0, 1, 5)
    bench.cell("w_q", 0, 0, 0).hover()
    bench.page.locator('[data-focus="menu w_q 0"]').click()
    bench.page.get_by_role("menuitem", name="Fill with the identity matrix").click()
    bench.settled()
    assert bench.shown()["w_q|0|0|1"] == "0"
    bench.cell("weights", 1, 0, 0).hover()
    bench.page.locator('[data-focus="menu weights 1"]').click()
    with bench.page.expect_download() as caught:
        bench.page.get_by_role("menuitem", name="Download as CSV").click()
    assert caught.value.suggested_filename == "weights_head2.csv"
    lines = caught.value.path().read_text("utf-8-sig").splitlines()
    assert lines[0] == '"","思考","计算机","程序"'
    assert len(lines) == 4
    assert lines[1].startswith('"思考",2.51991649087')


def test_an_edit_changes_every_number_that_depends_on_it_and_is_undone_and_what_is_no_number_is_refused(
    visit,
):
    bench = visit("?example=first")
    first = built_in("first")
    bench.edit("x", None, 0, 0, 7)
    once = set_cell(first, "x", None, 0, 0, 7.0)
    assert_shows(bench, once)
    bench.edit("w_k", 1, 1, 0, 2.25)
    twice = set_cell(once, "w_k", 1, 1, 0, 2.25)
    assert_shows(bench, twice)
    bench.do("undo")
    assert_shows(bench, once)
    bench.page.locator(".bench h3").first.click()
    bench.cell("q", 0, 0, 0).focus()
    bench.page.keyboard.press("Control+z")
    assert_shows(bench.settled(), first)
    bench.page.keyboard.press("Control+Shift+z")
    bench.settled()
    bench.do("redo")
    assert_shows(bench, twice)
    bench.do("reset")
    assert_shows(bench, first)
    what_is_no_number_is_never_sent_escape_cancels_arrows_move_and_the_focus_stays(bench)
    a_divisor_that_is_none_is_refused_with_a_sentence(bench)


def what_is_no_number_is_never_sent_escape_cancels_arrows_move_and_the_focus_stays(bench):
    cell = bench.cell("w_q", 0, 0, 1)
    cell.click()
    bench.page.keyboard.press("Control+A")
    bench.page.keyboard.type("1,500")
    bench.page.keyboard.press("Enter")
    expect(cell.locator("input")).to_have_attribute("aria-invalid", "true")
    expect(bench.message()).to_contain_text("the comma in “1,500” could")
    bench.cell("x", None, 0, 0).hover()
    bench.page.locator(".bench h3").first.click()
    expect(cell).to_have_attribute("aria-invalid", "true")
    expect(cell).to_have_text("1,500")
    cell.click()
    bench.page.keyboard.press("Escape")
    expect(cell).to_have_text("0")
    assert_shows(bench, built_in("first"))

    bench.cell("x", None, 0, 0).click()
    bench.page.keyboard.type("99")
    bench.page.keyboard.press("Escape")
    expect(bench.cell("x", None, 0, 0)).to_have_text("1")
    bench.page.keyboard.press("ArrowDown")
    bench.page.keyboard.press("ArrowRight")
    expect(bench.cell("x", None, 1, 1).get_by_role("spinbutton")).to_be_focused()
    bench.page.keyboard.type("8")
    bench.page.keyboard.press("ArrowUp")
    expect(bench.cell("x", None, 0, 1).get_by_role("spinbutton")).to_be_focused()
    assert_shows(bench.settled(), set_cell(built_in("first"), "x", None, 1, 1, 8.0))

    bench.cell("x", None, 0, 0).click()  # the focus and the caret survive the answer
    bench.page.keyboard.type("4")
    bench.page.keyboard.press("Tab")
    bench.page.keyboard.type("12")
    bench.page.keyboard.press("F2")
    bench.settled()
    expect(bench.cell("x", None, 0, 1).locator("input")).to_be_focused()
    expect(bench.cell("x", None, 0, 1).locator("input")).to_have_value("12")


def a_divisor_that_is_none_is_refused_with_a_sentence(bench):
    bench.choose("scale", "number")
    divisor = bench.control("divisor")
    for text in ("0", "abc", ""):
        divisor.fill(text)
        divisor.press("Enter")
        expect(bench.message()).to_contain_text(f"“{text}” cannot be a divisor")
    bench.folded().type("x", None, 0, 0, "1e300", "Enter")
    expect(bench.message()).to_contain_text("“1e300” is too large")


def stroke(bench, row):
    """Drag over the first three cells of a row of the mask."""
    bench.cell("mask", None, row, 0).scroll_into_view_if_needed()
    boxes = [bench.cell("mask", None, row, col).bounding_box() for col in range(3)]
    bench.page.mouse.move(boxes[0]["x"] + 5, boxes[0]["y"] + 5)
    bench.page.mouse.down()
    for box in boxes[1:]:
        bench.page.mouse.move(box["x"] + 5, box["y"] + 5, steps=4)
    bench.page.mouse.up()


def test_mask_painting_and_cross_attention(visit):
    bench = visit("?example=first")
    bench.cell("weights", 1, 0, 2).click()  # which is held: its pair can be hidden from there
    bench.do("mask pair")
    painted = AllowMask(((True, True, False), (True,) * 3, (True,) * 3))
    assert_shows(bench, replace(built_in("first"), mask=painted))
    expect(bench.page.locator(".moved")).to_contain_text(
        "6 of 18 weights changed. Head 2, 思考 → 程序, went from 0.9999 to 0.0000"
    )
    expect(bench.cell("weights", 1, 0, 2)).to_have_attribute("data-lens", "down")
    ghost = bench.page.locator(".overview-head").nth(1).locator(".ghost").nth(2)
    expect(ghost).to_contain_class(
        "cut"
    )  # a band as wide as the weight was would read as one that is still there
    expect(ghost).to_have_css("stroke-width", "1px")
    expect(bench.control("mask pair")).to_have_text("Unmask this pair in all heads")
    bench.do("mask pair")
    assert_shows(bench, replace(built_in("first"), mask=AllowMask(((True,) * 3,) * 3)))
    bench.choose("mask", "causal")
    bench.cell("mask", None, 0, 1).click()
    bench.settled()
    allow = ((True, True, False), (True, True, False), (True, True, True))
    example = apply(
        apply(built_in("first"), {"op": "mask", "kind": "causal"}),
        {"op": "set", "matrix": "mask", "row": 0, "col": 1, "values": [[True]]},
    )
    assert example.mask == AllowMask(allow)
    assert_shows(bench, example)
    # drag over the first row: hide all three, so that the query may attend to nothing; the stroke is one edit
    stroke(bench, 0)
    bench.settled()
    bench.do("undo")
    assert_shows(bench, example)
    bench.do("redo")
    example = replace(example, mask=AllowMask(((False,) * 3, *allow[1:])))
    assert_shows(bench, example)
    bench.cell("weights", 0, 0, 1).hover()
    assert "this token is not allowed to attend to anything" in bench.arithmetic()
    bench.do("context")
    bench.do("add context_tokens")
    example = apply(
        apply(example, {"op": "context", "on": True}), {"op": "add_token", "which": "context_tokens"}
    )
    assert_shows(bench, example)
    bench.edit("context", None, 3, 0, 2)
    assert_shows(bench, set_cell(example, "context", None, 3, 0, 2.0))


SHAPES: list[list[tuple[str, dict]]] = [
    [
        ("h more", {"op": "add_head"}),
        ("d_model more", {"op": "resize", "axis": "d_model", "size": 3}),
        ("d_k more", {"op": "resize", "axis": "d_k", "size": 3}),
        ("d_v less", {"op": "resize", "axis": "d_v", "size": 1}),
    ],
    [("w_o", {"op": "w_o", "on": True}), ("biases", {"op": "biases", "on": True})],
    [
        ("d_out less", {"op": "resize", "axis": "d_out", "size": 2}),
        ("copy_head 0", {"op": "add_head", "copy": 0}),
    ],
    [
        ("remove_head 1", {"op": "remove_head", "head": 1}),
        ("add tokens", {"op": "add_token", "which": "tokens"}),
    ],
]
"""Controls, in groups that are pressed without waiting for an answer, and the edit that each asks for."""


def quick_clicks_all_count(bench):
    for _ in range(5):
        bench.page.locator('[data-focus="d_k more"]').click()
    bench.page.locator('[data-focus="h less"]').dblclick()
    bench.settled()
    example = built_in("first")
    for _ in range(5):
        example = apply(example, {"op": "resize", "axis": "d_k", "by": 1})
    assert_shows(bench, apply(example, {"op": "remove_head"}))


def test_shape_controls_of_which_quick_clicks_all_count(visit):
    bench = visit("?example=first")
    quick_clicks_all_count(bench)
    bench.do("reset")
    example = built_in("first")
    for *before, last in SHAPES:
        for focus, edit in before:
            bench.control(focus).click()
            example = apply(example, edit)
        focus, edit = last
        bench.do(focus)
        example = apply(example, edit)
        assert_shows(bench, example)
    bench.choose("scale", "none")
    example = apply(example, {"op": "scale", "value": "none"})
    assert_shows(bench, example)
    bench.choose("scale", "number")
    divisor = bench.control("divisor")
    divisor.fill("4")
    divisor.press("Enter")
    example = apply(example, {"op": "scale", "value": 4})
    assert_shows(bench.folded().settled(), example)
    bench.choose("decimals", "2")
    assert_shows(bench, example, decimals=2)
    row = bench.page.locator('[data-focus="token tokens 0"]')
    row.hover()
    bench.do("remove tokens 0")
    assert_shows(bench, apply(example, {"op": "remove_token", "which": "tokens", "index": 0}), decimals=2)


def choose_example(bench, title):
    bench.page.locator('.st-key-frame [data-testid="stSelectbox"] input').click()
    bench.page.get_by_role("option", name=title).click()
    expect(bench.page.locator(".mha-note")).to_contain_text("Head 2 asks")
    bench.settled()


def test_the_menu_learns_of_the_first_edits_and_undo_brings_back_the_example_and_its_note(visit):
    """The menu's choice changes with the first edit; what the browser still holds of it is no new choice."""
    bench = visit("?example=first")
    note = bench.page.locator(".mha-note").text_content()
    bench.cell("x", None, 0, 0).click()
    bench.page.keyboard.type("9")
    bench.page.keyboard.press("Tab")
    bench.page.keyboard.type("8")
    bench.page.keyboard.press("Enter")
    example = set_cell(set_cell(built_in("first"), "x", None, 0, 0, 9.0), "x", None, 0, 1, 8.0)
    bench.wait_for_address(example)
    expect(bench.page.locator(".look").first).to_contain_text("always looks most at “思考”")
    bench.do("undo")
    bench.do("undo")
    assert_shows(bench.settled(), built_in("first"))
    expect(bench.page.locator(".mha-note")).to_contain_text("softmax saturates")
    chosen = bench.page.locator('.st-key-frame [data-testid="stSelectbox"]')
    expect(chosen).to_have_count(1)  # while the page's script runs the one before may stand beside it
    expect(chosen).not_to_contain_text("edited")

    bench.edit("x", None, 0, 0, 5)
    bench.cell("x", None, 0, 0).click()
    bench.page.keyboard.type("abc")  # what was mistyped does not follow into another example, nor come back
    bench.page.locator(".bench h3").first.click()
    expect(bench.cell("x", None, 0, 0)).to_have_text("abc")
    choose_example(bench, "Water is toxic")
    assert_shows(bench, built_in("water"))
    bench.do("undo")
    expect(bench.page.locator(".look").first).to_contain_text("always looks most at")
    assert_shows(bench, set_cell(built_in("first"), "x", None, 0, 0, 5.0))
    bench.do("reset")
    expect(bench.page.locator(".mha-note")).to_have_text(note)
    assert_shows(bench, built_in("first"))


def test_of_five_thousand_digits_the_message_has_the_beginning_and_how_many_they_were(visit):
    bench = visit("?example=first")
    bench.cell("x", None, 0, 0).dblclick()
    editor = bench.cell("x", None, 0, 0).locator("input")
    editor.fill("9" * 5000)
    editor.press("Enter")
    expect(bench.message()).to_contain_text(f"X[1, 1]: “{'9' * 20}…” (5,000 digits) is too large")


def test_a_weight_that_the_mask_hides_is_hatched_as_the_masks_own_cell_is(visit):
    bench = visit("?example=causal")
    hatched = bench.cell("mask", None, 0, 1).evaluate("td => getComputedStyle(td).backgroundImage")
    hidden = bench.cell("weights", 0, 0, 1)
    assert "gradient" in hatched
    expect(hidden).to_have_css("background-image", hatched)
    expect(hidden).to_have_attribute("aria-description", "this pair is masked")
    expect(bench.cell("weights", 0, 1, 0)).not_to_have_attribute("aria-description", "this pair is masked")
