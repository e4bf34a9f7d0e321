"""What a lecturer has besides the walk: a dark screen, the list of keys, a dot, a closer look."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from mha_view.language import LANGUAGES
from tests.e2e.looks import assert_no_barrier
from tests.sizes import shortened


def test_a_reload_goes_on_where_the_walk_was_even_if_nothing_announces_it(walk):
    """The address lags behind a burst of keys, and a phone or a busy browser may leave the page without an event."""
    page = walk("?example=first&view=projector&step=scores&sub=1.2")
    page.button("lecture").select_option("50")
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
def test_the_curtain_and_the_list_of_keys_cover_the_window_and_the_dot_is_at_the_pointer(walk, language):
    page = walk(f"?example=first&view=projector&step=q&lang={language}")
    window = {"x": 0, "y": 0, **page.page.viewport_size}
    curtain, keys = (page.page.locator(f".walk .{name}") for name in ("curtain", "help"))
    page.press("b")
    expect(curtain).to_be_visible()
    assert curtain.bounding_box() == window
    page.press("PageDown")
    expect(curtain).to_be_hidden()
    page.press("f")
    page.page.wait_for_function("() => document.fullscreenElement !== null")
    page.press("f")
    page.page.wait_for_function("() => document.fullscreenElement === null")
    dot = page.page.locator(".walk .dot")
    page.press("l")
    page.page.mouse.move(400, 300)
    expect(dot).to_be_visible()
    box = dot.bounding_box()
    assert (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) == pytest.approx((400, 300), abs=1)
    page.press("l", "?")
    expect(keys).to_be_visible()
    assert_no_barrier(page.page)
    page.press("Escape", "Escape", "?")  # the list, the projector, and the list of the page
    expect(keys).to_be_visible()
    assert keys.bounding_box() == window


OUTSIDE = """(stage) => [...stage.querySelectorAll("td, th, caption")].filter((node) => {
    const [one, all] = [node, stage].map((of) => of.getBoundingClientRect());
    return one.top < all.top - 1 || one.bottom > all.bottom + 1 || one.left < all.left - 1 || one.right > all.right + 1;
}).map((node) => node.textContent)"""


def test_a_closer_look_is_larger_cuts_nothing_off_and_keeps_the_explained_cell(walk):
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


def test_matrices_of_steps_of_one_kind_are_in_the_same_places(walk):
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


def test_a_key_hides_the_controls_and_the_pointer_at_their_edge_brings_them_back(walk):
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
        page.page.mouse.move(900, y)  # at its edge, and on the bar itself; elsewhere the picture stays free
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
    page.press("Escape", "Home").stands_at("tokens")
    expect(page.page.locator(".walk .motion-bar label")).to_be_hidden()  # nothing moves there
