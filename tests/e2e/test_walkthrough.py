"""The walkthrough in a real browser: keys, and links."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from mha_core import built_in, trace
from mha_core.compute.derive import Cell
from tests.sizes import shortened
from tools.drive.browser import wait_until
from tools.drive.explore import Bench
from tools.drive.walk import Walk, assert_right, bench_example, places

FIRST = trace(built_in("first"))


# --- keys ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depths", shortened([(0,), (1, 2)], [(1, 2)]), ids=str)
def test_the_whole_walk_of_the_first_example_by_keyboard_alone(walk, depths):
    """Every stage, every part, every beat: in order, each with the trace's numbers, and all of them seen."""
    page = walk("?example=first")
    for depth in depths:
        page.press(*["ArrowUp"] * 2, "Home", *["ArrowDown"] * depth)
        expected, seen = places(FIRST, depth), set()
        if depth == 2:
            assert passed(page.stands_at(expected[0]), "ArrowRight", expected[1:]) == expected[1:]
        else:
            for place in expected:
                page.stands_at(place)
                seen |= {cell for cell, text in assert_right(page, FIRST).items() if text != "·"}
                page.press("ArrowRight")
        page.press("ArrowRight").stands_at(expected[-1])
        if depth == 1:
            computed = {Cell(name, head, 0, 0) for name in ("q", "scores", "weights") for head in (0, 1)}
            assert computed | {Cell("concat", None, 2, 3), Cell("x", None, 2, 1)} <= seen
        back = expected[-2::-1]
        assert passed(page, "ArrowLeft", back) == back


def passed(page, key, expected):
    """The places that one key leads through, pressed as often as there are to be."""
    page.root.evaluate(
        """(walk) => {
            window.passed = [];
            const note = () => passed.at(-1) === walk.dataset.at || passed.push(walk.dataset.at);
            new MutationObserver(note).observe(walk, {attributes: true, attributeFilter: ["data-at"]});
        }"""
    )
    page.press(*[key] * len(expected)).stands_at(expected[-1])
    return page.page.evaluate("passed")


def test_a_clicker_home_end_digits_and_space_at_the_chosen_speed(server, new_context):
    """In a page of its own: one that has been given a clock keeps it."""
    page = Walk(new_context().new_page()).open(f"{server.url}walkthrough?example=first")
    page.press("PageDown", "PageDown").stands_at("q")
    page.press("PageUp").stands_at("inputs")
    page.press("End").stands_at("closing")
    page.press("Home").stands_at("tokens")
    page.press("6").stands_at("scores")
    page.page.clock.install()
    page.page.clock.fast_forward(2000)
    page.press("1", "1").stands_at("concat")
    page.press("Home").button("speed").select_option("0.5")
    page.press(" ")
    page.page.clock.run_for(520)
    page.stands_at("inputs")
    page.page.clock.run_for(500)
    page.stands_at("q")
    page.press(" ")
    page.page.clock.run_for(5000)
    page.stands_at("q")


def test_into_a_step_and_out_of_it_where_row_i_and_column_j_meet_at_their_cell(walk):
    page = walk("?example=first&step=scores")
    assert "13" in assert_right(page, FIRST)[Cell("scores", 0, 1, 0)]
    page.press("ArrowDown").stands_at("scores 1")
    assert [text for cell, text in page.shown().items() if cell.name == "scores"] == ["5", *"········"]
    page.press("ArrowDown").stands_at("scores 1.1")
    assert page.shown()[Cell("scores", 0, 0, 0)] == "·"
    assert page.line() == "S[思考, 思考] = 1 · 3"
    page.press("ArrowRight").stands_at("scores 1.2")
    assert page.shown()[Cell("scores", 0, 0, 0)] == "5"
    page.press("ArrowUp").stands_at("scores 1").press("ArrowUp").stands_at("scores")
    page.press("ArrowDown", *["ArrowRight"] * 5).stands_at("scores 6")
    cell = page.cell("scores", 0, 1, 2).bounding_box()
    left, above = page.cell("q", 0, 1, 0).bounding_box(), page.cell("k", 0, 2, 0).bounding_box()
    assert abs(left["y"] - cell["y"]) < 1
    assert left["x"] + left["width"] < cell["x"]
    assert abs(above["x"] - cell["x"]) < 1
    assert above["y"] + above["height"] < cell["y"]


def test_softmax_appears_as_powers_sum_and_division(walk):
    page = walk("?step=weights&sub=1.1&example=water")
    computed = trace(built_in("water"))
    power = page.page.locator('.walk td[data-power="0|0"]')
    total = page.page.locator('.walk td[data-power="0|sum"]')
    weight = page.cell("weights", 0, 0, 0)
    expect(power).not_to_have_class(re.compile("later"))
    expect(total).to_have_class(re.compile("later"))
    expect(weight).to_have_text("·")
    page.press("ArrowRight")
    expect(total).not_to_have_class(re.compile("later"))
    expect(weight).to_have_text("·")
    page.press("ArrowRight")
    assert_right(page, computed)
    number = computed.matrix("weights", 0)[0][0]
    assert abs(float(power.inner_text()) / float(total.inner_text()) - number) < 1e-3
    assert f"{number:.3f}" in weight.get_attribute("style")


def test_keys_are_left_alone_in_text_fields_and_buttons_and_less_motion_is_obeyed(walk):
    page = walk("?example=first&step=q")
    page.page.get_by_role("combobox").first.click()
    page.press("ArrowRight", "Home", "3")
    page.stands_at("q")
    page.press("Escape")
    page.button("predict").focus()
    page.press(" ")
    expect(page.button("predict")).to_be_checked()
    page.stands_at("q")
    page.press("ArrowRight")  # reveals
    page.press("ArrowRight").stands_at("k")
    page.button("predict").uncheck()
    page.press("ArrowDown").stands_at("k 1")
    for wanted, animated in (("reduce", False), ("no-preference", True)):
        page.page.emulate_media(reduced_motion=wanted)
        name = page.root.evaluate(
            """(walk) => {
                window.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"}));
                return getComputedStyle(walk.querySelector("td.current > span")).animationName;
            }"""  # at once: what the server sends next is drawn without motion
        )
        assert (name == "appear") == animated


# --- the address, the server -----------------------------------------------------------------------------------------


def test_the_address_follows_every_step_and_restores_it(walk, new_page):
    page = walk("?example=padding").press("8", "ArrowDown", "ArrowDown", "ArrowRight")
    place = page.at
    assert place == "masked_scores 1.2"
    page.button("predict").check()
    page.page.wait_for_url("**step=masked_scores&sub=1.2&predict=1")
    other = Walk(new_page(locale="zh-CN")).open(page.page.url)
    other.stands_at(place)
    expect(other.button("predict")).to_be_checked()


@pytest.mark.parametrize(
    "query",
    shortened(
        ["step=nowhere&sub=3.1", "step=q&sub=999.999", "step=tokens&sub=7"],
        ["step=nowhere&sub=3.1", "step=q&sub=999.999"],
    ),
)
def test_a_place_that_is_not_there_opens_the_nearest(walk, query):
    assert walk(f"?example=first&{query}").at in ("tokens 1.1", "q 6.2", "tokens 1")


def test_where_the_walk_rests_reaches_the_server_and_a_reload_and_an_edit_on_the_bench_keep_the_place(walk):
    page = walk("?example=first&step=scores")
    page.page.evaluate("window.addEventListener('mha-place', ({detail}) => (window.told = detail))")
    page.press("ArrowDown", "ArrowRight")
    wait_until(page.page, "() => window.told?.sub === '2'")
    assert page.page.evaluate("window.told") == {"step": "scores", "sub": "2", "view": "", "predict": False}
    page.page.reload()
    page.ready().stands_at("scores 2").press("ArrowRight").stands_at("scores 3")
    page.page.get_by_role("link", name="Bench").click()
    bench = Bench(page.page).settled()
    bench.edit("x", None, 1, 0, 7)
    page.page.get_by_role("link", name="Walkthrough").click()
    page.ready().stands_at("scores 3")
    example = bench_example(FIRST.example, 7.0)
    assert_right(page, trace(example))


def test_a_picture_of_small_numbers_is_no_wider_than_a_telephone(server, new_page):
    """Names wrap there, and none is cut."""
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce")
    walk = Walk(page).open(f"{server.url}walkthrough?example=programming&step=q")
    for step in ("q", "scores", "head_outputs", "closing"):
        while walk.at != step:
            walk.press("ArrowRight")
        assert_fits(walk, step)


def assert_fits(walk, step):
    beyond = walk.page.locator(".walk .stand").evaluate_all(
        "(stands) => stands.map((stand) => stand.scrollWidth - stand.clientWidth)"
    )
    assert max(beyond) <= 0, step
    cut = """(heads) => {
        const isCut = (head) => head.scrollWidth > head.clientWidth + 1 || head.scrollHeight > head.clientHeight + 1;
        return heads.filter((head) => head.checkVisibility() && isCut(head)).map((head) => head.title);
    }"""
    assert walk.page.locator(".walk .matrix th").evaluate_all(cut) == [], step
    expect(walk.page.locator('.walk .matrix th[title="programming"]').first).to_have_text("programming")
    rows = walk.page.locator('.walk .matrix tbody th[title="programming"] bdi')
    lines = rows.evaluate_all(
        "(names) => names.map((name) => new Set(Array.from(name.getClientRects(), ({top}) => top)).size)"
    )
    looked = walk.page.locator(".walk .looks td bdi").filter(has_text=re.compile("^programming$"))
    heights = looked.evaluate_all("(names) => names.map((name) => name.getClientRects().length)")
    assert set(heights) == ({1} if step == "closing" else set()), step
    assert set(lines) == ({2} if step == "head_outputs" else {1} if lines else set()), (
        step
    )  # with a hyphen, or whole


def test_a_weight_that_the_mask_hides_is_hatched_in_the_walk(walk):
    page = walk("?example=causal&step=weights")
    expect(page.cell("weights", 0, 0, 1)).to_have_attribute("data-kind", "hidden")
    expect(page.cell("weights", 0, 0, 1)).to_have_attribute("aria-description", "this pair is hidden")
    expect(page.cell("weights", 0, 0, 0)).to_have_attribute("data-kind", "bar")
