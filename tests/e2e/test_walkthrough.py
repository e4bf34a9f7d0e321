"""The walkthrough in a real browser: keys, layout, and what survives a reload."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from mha_core import built_in, trace
from tools.drive.browser import wait_until
from tools.drive.explore import Bench
from tools.drive.walk import Walk, assert_right, bench_example

FIRST = trace(built_in("first"))


def test_a_row_of_q_and_a_column_of_k_meet_at_their_cell(walk):
    page = walk("?example=first&step=scores&sub=6")
    cell = page.cell("scores", 0, 1, 2).bounding_box()
    left, above = page.cell("q", 0, 1, 0).bounding_box(), page.cell("k", 0, 2, 0).bounding_box()
    assert abs(left["y"] - cell["y"]) < 1
    assert left["x"] + left["width"] < cell["x"]
    assert abs(above["x"] - cell["x"]) < 1
    assert above["y"] + above["height"] < cell["y"]


def test_on_a_phone_the_row_of_steps_follows_the_place(walk):
    page = walk("?example=first&step=tokens", viewport={"width": 390, "height": 844})
    page.press("End").stands_at("closing")
    chip = page.page.locator(".outline [aria-current]").bounding_box()
    assert 0 <= chip["x"] <= 390 - chip["width"]


def test_lists_and_buttons_keep_their_keys_and_reduced_motion_is_respected(walk):
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


def test_a_reload_and_an_edit_on_the_bench_keep_the_place(walk):
    """The server is sent the place once the walk rests there."""
    page = walk("?example=first&step=scores")
    page.page.evaluate("window.addEventListener('mha-place', ({detail}) => (window.sent = detail))")
    page.press("ArrowDown", "ArrowRight")
    wait_until(page.page, "() => window.sent?.sub === '2'")
    page.page.reload()
    page.ready().stands_at("scores 2").press("ArrowRight").stands_at("scores 3")
    page.page.get_by_role("link", name="Explore").click()
    bench = Bench(page.page).settled()
    bench.edit("x", None, 1, 0, 7)
    page.page.get_by_role("link", name="Step through").click()
    page.ready().stands_at("scores 3")
    example = bench_example(FIRST.example, 7.0)
    assert_right(page, trace(example))


def test_a_picture_of_small_numbers_is_no_wider_than_a_phone(server, new_page):
    """Names wrap there, and none is cut off."""
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
    expected = {"scores": {2}, "head_outputs": {2}, "closing": {1, 2}}  # with a hyphen, or whole
    assert set(lines) == expected.get(step, {1} if lines else set()), step
