"""What a lecturer has besides the walk: a clicker's way through it, a dark screen, the keys, a dot, a closer look."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from mha_core import built_in, trace
from mha_view.language import LANGUAGES
from mha_view.palette import LIGHT
from tests.e2e.looks import assert_no_barrier
from tests.e2e.test_walkthrough import passed
from tests.sizes import shortened
from tools.drive.walk import assert_right, places

FIRST = trace(built_in("first"))


@pytest.mark.parametrize("minutes", shortened([10, 25, 50], [25]))
def test_two_keys_walk_a_lecture_in_as_many_presses_as_it_says(walk, minutes):
    """The first cell of a step, then the rest at once or one by one; every stage is shown, every number the trace's."""
    page = walk("?example=first&view=presenter")
    lectures = page.button("lecture")
    told = lectures.locator(f'option[value="{minutes}"]').inner_text()
    presses = int(re.fullmatch(rf"{minutes} min: (\d+) presses", told)[1])
    lectures.select_option(str(minutes))
    expect(page.page.locator(".walk .counter")).to_have_text(f"press 0 of {presses}")
    seen = [page.at]
    for _ in range(presses):
        page.press("PageDown")
        assert_right(page, FIRST)
        seen.append(page.at)
    page.stands_at("closing")
    expect(page.page.locator(".walk .counter")).to_have_text(f"press {presses} of {presses}")
    assert len(set(seen)) == presses + 1 <= max(2 * minutes, len(places(FIRST, 0)) - 1) + 1
    assert list(dict.fromkeys(place.split()[0] for place in seen)) == places(FIRST, 0)
    back = seen[-2::-1]
    assert passed(page, "PageUp", back) == back


def test_a_jump_goes_to_where_the_lecture_begins_a_step_and_a_reload_goes_on_where_the_walk_stood(walk):
    """Also though nothing says that the page is left: the address follows a burst of keys late, and a phone or a busy
    browser may leave without an event."""
    page = walk("?example=first&view=projector")
    page.button("lecture").select_option("50")
    page.press("6").stands_at("scores 1.1")
    page.press("ArrowRight").stands_at("scores 1.2")
    page.press("ArrowRight").stands_at("scores 2")
    page.page.wait_for_url("**sub=2**")
    page.page.reload()
    page.ready().stands_at("scores 2")
    expect(page.root).to_have_attribute("data-view", "projector")
    page.press("ArrowLeft").stands_at("scores 1.2")
    page.page.evaluate(
        "addEventListener('beforeunload', (event) => event.stopImmediatePropagation(), { capture: true })"
    )
    with page.page.expect_navigation():
        left_at = page.root.evaluate(
            """(walk) => {
                for (const key of ["ArrowRight", "ArrowRight", "ArrowRight"])
                    window.dispatchEvent(new KeyboardEvent("keydown", { key }));
                location.reload();
                return walk.dataset.at;
            }"""
        )
    assert left_at == "scores 4"
    page.ready().stands_at("scores 4")


@pytest.mark.parametrize("language", shortened(LANGUAGES, ["zh"]))
def test_keys_darken_the_wall_fill_the_screen_show_a_dot_and_are_told(walk, language):
    page = walk(f"?example=first&view=projector&step=q&lang={language}")
    dark_and_back(page)
    page.press("f")
    page.page.wait_for_function("() => document.fullscreenElement !== null")
    page.press("f")
    page.page.wait_for_function("() => document.fullscreenElement === null")
    page.stands_at("v")
    dot = page.page.locator(".walk .dot")
    expect(dot).to_be_hidden()
    page.press("l")
    page.page.mouse.move(400, 300)
    expect(dot).to_be_visible()
    box = dot.bounding_box()
    assert (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) == pytest.approx((400, 300), abs=1)
    expect(page.root).not_to_contain_class("awake")  # who points at the wall wants no controls over it
    page.press("l")
    expect(dot).to_be_hidden()
    assert_keys_are_told(page)


def assert_keys_are_told(page):
    """Over the picture, and on the page: they are shown, and go away."""
    page.press("4", "?")
    keys = page.page.locator(".walk .help")
    expect(keys).to_be_visible()
    expect(keys.locator("tr")).to_have_count(18)
    assert all(row.inner_text().strip() for row in keys.locator("td").all())
    told = keys.locator("tbody").inner_text()
    assert [key for key in "ABCEFHLMQV.[]+−0?" if key not in told] == []
    assert_no_barrier(page.page)
    page.press("Escape")
    expect(keys).to_be_hidden()
    page.stands_at("k")
    expect(page.root).to_have_attribute("data-view", "projector")
    page.press("Escape", "?")  # on the page those that do something there
    expect(page.root).to_have_attribute("data-view", "page")
    expect(keys.locator("tr")).to_have_count(20)  # and what those do that it leads to
    there = keys.locator("th").all_inner_texts()
    assert there.index("P") == 6
    assert {"Q", "H", "V", "E"} <= set(there[8:])
    assert keys.bounding_box() == {"x": 0, "y": 0, **page.page.viewport_size}
    page.page.mouse.click(5, 5)
    expect(keys).to_be_hidden()
    page.press("ArrowRight").stands_at("v")


def dark_and_back(page):
    """Either key darkens the wall; any key brings the picture back, and does nothing else."""
    curtain = page.page.locator(".walk .curtain")
    for key, place, after in (("b", "q", "k"), (".", "k", "v")):
        page.stands_at(place).press(key)
        expect(curtain).to_be_visible()
        assert curtain.bounding_box() == {"x": 0, "y": 0, **page.page.viewport_size}, key
        page.press("PageDown")
        expect(curtain).to_be_hidden()
        page.stands_at(place).press("PageDown").stands_at(after)


OUTSIDE = """(stage) => [...stage.querySelectorAll("td, th, caption")].filter((node) => {
    const [one, all] = [node, stage].map((of) => of.getBoundingClientRect());
    return one.top < all.top - 1 || one.bottom > all.bottom + 1 || one.left < all.left - 1 || one.right > all.right + 1;
}).map((node) => node.textContent)"""


def test_a_closer_look_is_larger_cuts_nothing_off_and_keeps_the_cell_spoken_of(walk):
    page = walk("?example=first&view=projector&step=scores&sub=9", reduced_motion="reduce")
    assert_looks_closer(page, "scores", 1.1)
    page.press("8", "ArrowRight", "ArrowRight").stands_at("weights 3")
    assert_looks_closer(page, "weights", 1.25)


def assert_looks_closer(page, step, larger):
    cell = page.cell(step, 0, 2, 2)
    before = cell.bounding_box()
    stage, line = (page.page.locator(f".walk .{name}") for name in ("stage", "line"))
    for _ in range(4):
        page.press("+")
        assert stage.evaluate(OUTSIDE) == []
        expect(cell).to_be_in_viewport(ratio=1)
        expect(line).to_be_hidden()
        assert cell.bounding_box()["width"] > larger * before["width"], step
    page.press("-", "0")
    expect(line).to_be_visible()
    assert cell.bounding_box() == before, step


def test_matrices_of_steps_of_one_kind_stand_in_the_same_places(walk):
    page = walk("?example=output-projection&view=projector&step=q")
    results = page.page.locator(".walk .product > div")

    def places():
        return [results.nth(at).bounding_box() for at in range(1, 4)]

    queries = places()
    for step in ("k", "v"):
        page.press("ArrowRight").stands_at(step)
        for place, other in zip(places(), queries, strict=True):
            assert place == pytest.approx(other, abs=0.1), step
    page.press("ArrowRight", "ArrowRight").stands_at("scaled_scores")
    scores, scaled = (page.cell(name, 0, 0, 1).bounding_box() for name in ("scores", "scaled_scores"))
    assert scaled["y"] > scores["y"]  # one below the other
    assert (scaled["x"], scaled["width"]) == pytest.approx((scores["x"], scores["width"]), abs=0.1)
    page.press("ArrowRight", "ArrowRight").stands_at("head_outputs")
    first = places()
    page.press("ArrowRight").stands_at("head-2")
    for place, other in zip(places(), first, strict=True):
        assert place == pytest.approx(other, abs=0.1)


def test_controls_go_with_a_key_and_come_back_with_the_pointer_and_a_legend_says_what_a_colour_means(walk):
    page = walk("?example=first&view=projector")
    controls, motion = (page.page.locator(f".walk .{name}") for name in ("controls", "motion-bar"))
    page.page.mouse.move(900, 5)
    expect(controls).to_have_css("opacity", "1")
    expect(motion).to_be_hidden()  # there is nothing to move yet
    page.press("ArrowRight", "ArrowRight").stands_at("q")
    for bar in (controls, motion):
        expect(bar).to_have_css("opacity", "0")
    height = page.page.viewport_size["height"]
    for y, seen in ((300, None), (height - 5, motion), (300, None), (5, controls), (40, controls)):
        page.page.mouse.move(
            900, y
        )  # at its edge, and on the bar itself; anywhere else the picture stays free
        for bar in (controls, motion):
            expect(bar).to_have_css("opacity", "1" if bar is seen else "0")
    title, bar = page.root.locator("h2").bounding_box(), controls.bounding_box()
    assert title["y"] + title["height"] <= bar["y"]
    for _ in range(2):
        page.button("predict").click()
    page.page.mouse.move(900, 300)
    page.press("ArrowRight", "ArrowLeft").stands_at("q")
    expect(controls).to_have_css("opacity", "0")  # what was chosen with the pointer does not hold the bar
    page.press("Tab")
    page.button("play").focus()
    page.press("ArrowRight").stands_at("k")
    expect(controls).to_have_css("opacity", "1")
    assert_legend(page.press("Home"))


def assert_legend(page):
    """It has one colour on page and wall, positive is not red, and it stands where the colour first speaks."""
    told = {}
    for place in places(FIRST, 0):
        page.stands_at(place)
        told[place] = page.page.locator(".walk .legend").text_content()
        page.press("ArrowRight")
    spoken = {"inputs": "negativepositive", "q": "queries", "k": "keys", "v": "values", "weights": "01"}
    assert told == {place: spoken.get(place, "") for place in told}
    page.press("Home", "ArrowRight").stands_at("inputs")
    tint = "(td) => getComputedStyle(td).getPropertyValue('--tint')"
    assert LIGHT.warm in page.cell("x", None, 2, 1).evaluate(tint)
    page.press("Escape")
    assert LIGHT.warm in page.cell("x", None, 2, 1).evaluate(tint)
    page.press("ArrowLeft").stands_at("tokens")
    expect(page.page.locator(".walk .motion-bar label")).to_be_hidden()  # nothing moves there
