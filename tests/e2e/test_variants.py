"""Scoring, positions and shared keys on the bench: every number right, every operation explained, undo and link."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from mha_core import arithmetic, built_in, derive, to_token, trace
from mha_core.compute.derive import cells
from mha_core.example.model import same_numbers
from tests.apply import apply
from tests.e2e.test_editing import set_cell
from tools.drive.explore import assert_shows, example_in

SCORINGS = {
    "additive": {"op": "scoring", "kind": "additive"},
    "cosine": {"op": "scoring", "kind": "cosine"},
    "bilinear": {"op": "scoring", "kind": "bilinear"},
    "dot": {"op": "scoring", "kind": "dot", "scale": "none"},
    "scaled_dot": {"op": "scoring", "kind": "dot", "scale": "sqrt_dk"},
}
POSITIONS = {
    "sinusoidal": {"kind": "sinusoidal"},
    "rotary": {"kind": "rotary", "pairs": "interleaved"},
    "rotary_half": {"kind": "rotary", "pairs": "half"},
    "alibi": {"kind": "alibi"},
    "none": {"kind": "none"},
}


def worked_out(name):
    """The last cell of every step of an example, by the step and the matrices that it is computed from."""
    computed = trace(built_in(name))
    return {
        (
            cell.name,
            *sorted({read.name for term in derive(computed, cell).terms for read in term.cells}),
        ): cell
        for cell in {(cell.name, cell.head): cell for cell in cells(computed)}.values()
        if cell.head in (None, min(1, len(computed.example.heads) - 1)) and cell.name != "masked_scores"
    }


VARIANTS = ["additive", "cosine", "sinusoidal", "rotary", "alibi", "first", "grouped-query"]
NEW = {
    name: sorted(worked_out(name).keys() - {kind for before in VARIANTS[:at] for kind in worked_out(before)})
    for at, name in enumerate(VARIANTS)
}
"""The kinds of cells that no example before has: in short each is tried once."""


def assert_says_the_arithmetic(bench, name, kinds):
    """The last cell of every step: the browser's line, without its spaces and parentheses, is the core's.

    The place that a copy comes from is named by tokens on the bench, so of such a line its end is compared.
    """
    computed = trace(built_in(name))
    for kind in kinds:
        cell = worked_out(name)[kind]
        bench.cell(*cell).scroll_into_view_if_needed()
        bench.cell(*cell).hover()
        said = re.split(r" = ", bench.arithmetic(), maxsplit=1)[1]
        told = arithmetic(derive(computed, cell))
        assert squeezed(said).endswith(squeezed(told.partition("]")[2] or told)), cell


def squeezed(text):
    return re.sub(r"[\s()^]|\.0+(?=\D|$)|(?<=\.\d)0+(?=\D|$)", "", text)


def test_a_softcap_is_switched_on_typed_refused_and_switched_off(visit):
    bench = visit("?example=first").settled()
    bench.page.get_by_role("button", name="Layer").click()
    switch, field = bench.control("softcap on"), bench.control("softcap")
    expect(field).to_be_hidden()
    switch.check()
    expect(field).to_have_value("5")
    assert_shows(bench.settled(), apply(built_in("first"), {"op": "softcap", "value": 5}))
    field.fill("20")
    field.press("Enter")
    assert_shows(bench.settled(), apply(built_in("first"), {"op": "softcap", "value": 20}))
    field.fill("-1")
    field.press("Enter")
    expect(bench.page.locator(".message")).to_contain_text(
        "“-1” cannot be a softcap. Enter a number above 0."
    )
    expect(field).to_have_value("20")
    switch.uncheck()
    assert_shows(bench.settled(), built_in("first"))


def test_sinks_are_switched_on_edited_and_switched_off(visit):
    bench = visit("?example=first").settled()
    bench.page.get_by_role("button", name="Layer").click()
    bench.control("sinks").check()
    example = apply(built_in("first"), {"op": "sinks", "on": True})
    assert_shows(bench.settled(), example)
    bench.edit("sink", 1, 0, 0, 2)
    example = set_cell(example, "sink", 1, 0, 0, 2.0)
    assert_shows(bench.settled(), example)
    bench.page.get_by_role("button", name="Layer").click()
    bench.control("sinks").uncheck()
    assert_shows(bench.settled(), built_in("first"))


def test_a_norm_is_switched_on_its_gains_and_eps_are_edited_and_it_is_switched_off(visit):
    bench = visit("?example=rotary").settled()
    bench.page.get_by_role("button", name="Layer").click()
    bench.control("norm on").check()
    example = apply(built_in("rotary"), {"op": "norm", "kind": "rms"})
    assert_shows(bench.settled(), example)
    bench.edit("g_k", 1, 0, 1, 2)
    example = set_cell(example, "g_k", 1, 0, 1, 2.0)
    assert_shows(bench.settled(), example)
    bench.page.get_by_role("button", name="Layer").click()
    field = bench.control("norm")
    expect(field).to_have_value("0.000001")
    field.fill("0.5")
    field.press("Enter")
    assert_shows(bench.settled(), apply(example, {"op": "norm", "kind": "rms", "eps": 0.5}))
    field.fill("0")
    field.press("Enter")
    expect(bench.page.locator(".message")).to_contain_text("“0” cannot be added to a mean square.")
    bench.control("norm on").uncheck()
    assert_shows(bench.settled(), built_in("rotary"))


def test_a_window_is_chosen_typed_refused_and_aligned_to_the_other_corner(visit):
    example = built_in("translation")
    bench = visit("?example=translation").settled()
    expect(bench.control("window")).to_be_hidden()
    expect(bench.control("corner")).to_be_hidden()
    bench.choose("mask", "causal_window")
    expect(bench.control("window")).to_have_value("2")
    bench.control("window").fill("1")
    bench.control("window").press("Enter")
    example = apply(example, {"op": "mask", "kind": "causal_window", "window": 1})
    assert_shows(bench.settled(), example)
    for text in ("0", "1.5", "-2"):
        bench.control("window").fill(text)
        bench.control("window").press("Enter")
        expect(bench.page.locator(".message")).to_contain_text(f"“{text}” cannot be a window.")
        expect(bench.control("window")).to_have_value("1")
    bench.choose("corner", "bottom_right")
    example = apply(example, {"op": "mask", "kind": "causal_window", "corner": "bottom_right"})
    assert_shows(bench, example)
    expect(bench.page.locator("body")).to_contain_text("The mask ends at the bottom right corner")
    bench.choose("mask", "causal")
    expect(bench.control("window")).to_be_hidden()
    assert_shows(bench, apply(example, {"op": "mask", "kind": "causal"}))


def test_a_head_is_given_its_own_mask_and_it_is_taken_back(visit):
    bench = visit("?example=causal").settled()
    bench.control("head_mask 1").check()
    example = apply(built_in("causal"), {"op": "head_mask", "head": 1, "on": True})
    assert_shows(bench.settled(), example)
    bench.folded()
    bench.cell("head_mask", 1, 0, 3).click()
    example = apply(
        example,
        {"op": "set", "matrix": "head_mask", "head": 1, "row": 0, "col": 3, "values": [[True]]},
    )
    assert_shows(bench.settled(), example)
    expect(bench.page.locator("body")).to_contain_text("Head 2 has its own mask.")
    bench.control("head_mask 1").uncheck()
    assert_shows(bench.settled(), built_in("causal"))


def test_switching_the_scoring_shows_every_number_of_it_which_is_edited_and_undone(visit):
    bench = visit("?example=translation")
    example = built_in("translation")
    bench.choose("scoring", "additive")
    additive = apply(example, SCORINGS["additive"])
    bench.edit("v_a", 1, 0, 1, 2.5)
    edited = set_cell(additive, "v_a", 1, 0, 1, 2.5)
    assert_shows(bench, edited)
    assert example_in(bench.wait_for_address(edited)) == edited
    bench.edit("u_a", 0, 1, 0, -4)
    assert_shows(bench, set_cell(edited, "u_a", 0, 1, 0, -4.0))
    for _ in range(3):
        bench.do("undo")
    assert_shows(bench, example)
    bench.do("redo")
    example = additive
    assert_shows(bench, example)
    assert bench.page.locator('[data-focus="scoring"]').input_value() == "additive"
    for choice, edit in list(SCORINGS.items())[1:]:
        bench.choose("scoring", choice)
        example = apply(example, edit)
        assert_shows(bench, example)
        assert bench.page.locator('[data-focus="scoring"]').input_value() == choice


def test_switching_positions_shows_every_number_of_them(visit):
    before = apply(built_in("programming"), {"op": "resize", "axis": "d_k", "size": 4})
    bench = visit(
        f"?s={to_token(before)}", viewport={"width": 1920, "height": 1080}
    )  # which shows every head
    example = before
    for choice, edit in POSITIONS.items():
        bench.choose("positions", choice)
        example = apply(example, {"op": "positions", **edit})
        assert_shows(bench, example)
        assert bench.page.locator('[data-focus="positions"]').input_value() == choice
        if choice == "rotary_half":
            assert_halves_are_paired(bench, example)
        if choice == "alibi":
            bench.edit("slope", 2, 0, 0, 2)
            example = set_cell(example, "slope", 2, 0, 0, 2.0)
            assert_shows(bench, example)
    assert same_numbers(example, before)


def assert_halves_are_paired(bench, example):
    assert example_in(bench.wait_for_address(example)) == example
    bench.cell("q_rotated", 1, 2, 3).hover()
    lit = bench.page.locator("td.operand").evaluate_all("cells => cells.map((cell) => cell.dataset.key)")
    assert sorted(lit) == ["angles||2|1", "q|1|2|1", "q|1|2|3"]
    bench.cell("k", 0, 1, 2).hover()
    fed = bench.page.locator("td.fed").evaluate_all("cells => cells.map((cell) => cell.dataset.key)")
    assert sorted(fed) == ["k_rotated|0|1|0", "k_rotated|0|1|2"]


def test_positions_and_frequencies_say_their_arithmetic_and_are_edited(visit):
    bench = visit("?example=rotary")
    assert_says_the_arithmetic(bench, "rotary", NEW["rotary"])
    example = built_in("rotary")
    scores = {key: text for key, text in bench.shown().items() if key.startswith("scores")}
    bench.cell("position_ids", None, 0, 0).click()
    for row in range(3):
        bench.page.keyboard.type(str(row + 5))
        bench.page.keyboard.press("ArrowDown" if row < 2 else "Enter")
        example = set_cell(example, "position_ids", None, row, 0, row + 5.0)
    assert_shows(bench.settled(), example)
    assert {key: text for key, text in bench.shown().items() if key.startswith("scores")} == scores
    bench.edit("frequencies", None, 0, 0, 0.5)
    assert_shows(bench, set_cell(example, "frequencies", None, 0, 0, 0.5))


def test_heads_share_and_part(visit):
    bench = visit("?example=grouped-query", viewport={"width": 1920, "height": 1080})
    expect(bench.page.locator(".shared")).to_have_text(
        [f"WK, WV from head {head}" for head in (1, 3)] + [f"K, V from head {head}" for head in (1, 3)]
    )
    example = built_in("grouped-query")
    bench.edit("w_k", 0, 0, 1, 3)
    example = set_cell(example, "w_k", 0, 0, 1, 3.0)
    assert_shows(bench, example)
    bench.cell("scores", 1, 0, 1).hover()
    expect(bench.page.locator("td.operand")).to_have_count(4)
    lit = bench.page.locator("td.operand").evaluate_all("cells => cells.map((cell) => cell.dataset.key)")
    assert sorted(lit) == ["k|0|1|0", "k|0|1|1", "q|1|0|0", "q|1|0|1"]
    bench.cell("k", 0, 1, 0).hover()
    fed = bench.page.locator("td.fed").evaluate_all("cells => cells.map((cell) => cell.dataset.key)")
    assert sorted(fed) == [f"scores|{head}|{row}|1" for head in (0, 1) for row in range(3)]
    for count in (1, 4):
        bench.choose("kv_heads", str(count))
        example = apply(example, {"op": "kv_heads", "count": count})
        assert_shows(bench, example)
    bench.page.set_viewport_size(
        {"width": 1280, "height": 720}
    )  # one head is not shown: every stage leads to it
    bench.page.get_by_role("region", name="Scores").get_by_role("button", name="Head 4").click()
    expect(bench.cell("scores", 3, 0, 0)).to_be_focused()


def test_a_cosine_says_its_arithmetic_and_its_divisor_is_a_temperature_and_knows_no_root(visit):
    bench = visit("?example=cosine")
    assert_says_the_arithmetic(bench, "cosine", NEW["cosine"])
    label = bench.page.locator("label", has=bench.page.locator('[data-focus="scale"]'))
    expect(label).to_contain_text("Temperature")
    assert bench.page.locator('[data-focus="scale"] option[value="sqrt_dk"]').is_disabled()
    divisor = bench.control("divisor")
    divisor.fill("-1")
    divisor.press("Enter")
    expect(bench.message()).to_contain_text("expected a temperature above 0, got -1.0")
    assert_shows(bench.settled(), built_in("cosine"))


@pytest.mark.long  # in short tests/js/test_kit.py tries every cell's line without a browser
@pytest.mark.parametrize("name", VARIANTS[1:])
def test_every_kind_of_cell_says_the_arithmetic_that_the_core_says(visit, name):
    assert_says_the_arithmetic(visit(f"?example={name}"), name, sorted(worked_out(name)))


def test_an_additive_scoring_in_chinese_and_at_390_pixels_and_its_arithmetic(visit):
    bench = visit("?example=additive&lang=zh", viewport={"width": 390, "height": 800})
    assert_shows(bench, built_in("additive"))
    bench.do("show head 0").cell("pair_sums", 0, 1, 0).hover()
    assert "小 → 中" in bench.arithmetic()
    wide = bench.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0
    bench.page.set_viewport_size({"width": 1280, "height": 800})
    expect(bench.cell("pair_sums", 1, 1, 0)).to_be_visible()  # both heads fit now: the tables are new
    assert_says_the_arithmetic(bench.settled(), "additive", NEW["additive"])


def test_values_are_taken_away_and_brought_back(visit):
    """Without V the bench ends at the weights, and W_O, d_v and d_out have no controls to offer."""
    bench = visit("?example=output-projection")
    example = built_in("output-projection")
    without = apply(example, {"op": "values", "on": False})
    bench.do("values")
    assert_shows(bench, without)
    assert example_in(bench.wait_for_address(without)) == without
    assert bench.page.locator('[data-focus="w_o"]').is_disabled()
    for axis in ("d_v", "d_out"):
        expect(bench.page.locator(f'[data-focus="{axis} more"]')).to_be_hidden()
    bench.cell("weights", 0, 0, 0).hover()
    expect(bench.page.locator("td.fed")).to_have_count(0)
    bench.do("undo")
    assert_shows(bench, example)
    bench.do("redo")
    bench.do("values")
    assert_shows(bench, apply(without, {"op": "values", "on": True}))
