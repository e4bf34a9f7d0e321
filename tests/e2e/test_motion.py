"""The motion of a step: it ends on the trace's numbers, can be set to any time, and delays no key."""

from __future__ import annotations

from contextlib import suppress

import pytest
from playwright.sync_api import Locator, expect
from playwright.sync_api import TimeoutError as TooLate

from mha_core import Trace, built_in, library, trace
from mha_core.walk.stages import walk as stages_of
from tests.e2e.looks import assert_no_barrier
from tests.e2e.test_rooms import PHONE
from tests.sizes import first_seen, shortened
from tools.drive.browser import wait_until
from tools.drive.walk import Walk, assert_right, kinds_of

FIRST = trace(built_in("first"))
ROOT = """[document, ...[...document.querySelectorAll('*')].map((node) => node.shadowRoot)]
    .map((one) => one?.querySelector('.walk')).find(Boolean)"""


def layer(page: Walk) -> Locator:
    return page.page.locator(".walk .motion-layer")


@pytest.fixture
def watched(walk):
    """The walkthrough, with a record of what its motion did, so that a test may look late."""

    def opened(query: str, **options) -> Walk:
        return watch(walk(query, **options))

    return opened


def watch(page: Walk) -> Walk:
    page.page.evaluate(
        f"""() => {{
            const root = {ROOT};
            window.motions = [];
            new MutationObserver(() => window.motions.push(root.dataset.motion))
                .observe(root, {{attributeFilter: ['data-motion']}});
        }}"""
    )
    return page


def moves(page: Walk) -> Walk:
    """Wait until a motion has begun to play since the last call."""
    wait_until(page.page, "() => window.motions.includes('plays')")
    page.page.evaluate("() => { window.motions = []; }")
    return page


def rested(page: Walk) -> Walk:
    """Nothing has moved since then, and nothing moves."""
    is_done(page)
    assert page.page.evaluate("() => window.motions.includes('plays')") is False
    return page


def is_done(page: Walk) -> Walk:
    """Wait until nothing lies over the picture any more."""
    with suppress(TooLate):  # the next look that expect takes might be a second away
        wait_until(page.page, f"() => ({ROOT}).dataset.motion === ''")
    expect(page.root).to_have_attribute("data-motion", "")
    expect(layer(page)).to_have_count(0)
    return page


def scrub(page: Walk, at: float) -> Walk:
    page.button("motion-at").evaluate(
        "(slider, at) => { slider.value = at * 1000; slider.dispatchEvent(new Event('input', {bubbles: true})); }",
        at,
    )
    return page


def paused_times(page: Walk) -> set[float]:
    """The time of every animation of the layer, from 0 to 1."""
    return set(
        page.page.evaluate(
            f"""() => ({ROOT}).querySelector('.motion-layer').getAnimations({{subtree: true}})
                .filter((one) => !(one instanceof CSSTransition))
                .map((one) => Math.round(1000 * one.currentTime / one.effect.getTiming().duration) / 1000)"""
        )
    )


MOVING = {name: kinds_of(trace(built_in(name))) for name in ("first", "causal", "additive", "rotary")}
"""Examples that together have every kind of step that moves."""


@pytest.mark.parametrize("name", shortened(list(library()), ["first"]))
def test_every_motion_ends_on_the_numbers_of_the_trace(watched, name):
    """Every step, whole and in its first part: at the end of its motion, and once its layer is removed."""
    computed = trace(built_in(name))
    tried = first_seen({**MOVING, name: kinds_of(computed)}, name)
    page = watched(f"?example={name}&view=projector")
    for at, stage in enumerate(stages_of(computed)):
        if stage.id not in tried or stage.kind not in ("step", "head"):
            continue
        page.root.locator(".outline button").nth(at).evaluate("(step) => step.click()")
        page.stands_at(stage.id)
        assert_ends(page, computed)
        if stage.id == "head_outputs" and name == "first":  # whose values are arrows as well
            assert_no_barrier(page.page)
        page.press("ArrowDown")
        assert_ends(page, computed)
        page.press("ArrowUp").stands_at(stage.id)


def assert_ends(page: Walk, computed: Trace) -> None:
    before = assert_right(page, computed)
    scrub(page, 0.999)
    expect(page.root).to_have_attribute("data-motion", "stands")
    assert assert_right(page, computed) == before, page.at
    opacities = page.page.evaluate(
        f"() => [...({ROOT}).querySelectorAll('.piece')].map((one) => Number(getComputedStyle(one).opacity))"
    )
    assert opacities, page.at
    assert max(opacities) < 0.05, page.at  # the picture below is seen, and nothing of the layer
    page.press("]")
    is_done(page)
    assert assert_right(page, computed) == before, page.at


@pytest.mark.parametrize("view", shortened(["", "projector"], ["projector"]))
def test_a_step_onward_moves_once_and_the_next_key_ends_its_motion(watched, view):
    page = watched(f"?example=first&view={view}&step=k")
    page.press("ArrowRight").stands_at("v")
    moves(page)
    is_done(page)
    page.page.evaluate("() => { window.motions = []; }")
    page.press("ArrowLeft").stands_at("k")
    rested(page)
    page.press("ArrowLeft").stands_at("q")
    pressed = page.page.evaluate(
        f"""() => {{
            const root = {ROOT};
            const press = () => {{
                const key = {{key: 'ArrowRight', bubbles: true, cancelable: true}};
                document.body.dispatchEvent(new KeyboardEvent('keydown', key));
                return [root.dataset.at, root.dataset.motion, root.querySelectorAll('.motion-layer').length];
            }};
            return [press(), press()];
        }}"""
    )
    assert pressed == [["k", "plays", 1], ["v", "", 0]]
    assert_right(page, FIRST)


def test_a_motion_is_set_to_a_time_stopped_and_reversed_and_plays_on_a_narrow_page_too(watched):
    page = watched("?example=first&step=scores&sub=5")
    scrub(page, 0.5)
    expect(page.root).to_have_attribute("data-motion", "stands")
    assert paused_times(page) == {0.5}
    expect(page.page.locator(".piece.term").first).to_have_text("3 · 7")
    at = page.page.evaluate(
        f"""() => {{
            const root = {ROOT};
            const [play, layer] = ['[data-focus="motion"]', '.motion-layer'].map((one) => root.querySelector(one));
            play.click();
            const plays = root.dataset.motion;
            play.click();
            const [first] = layer.getAnimations({{subtree: true}});
            return [plays, root.dataset.motion, first.currentTime / first.effect.getTiming().duration];
        }}"""
    )
    assert at[:2] == ["plays", "stands"]
    assert at[2] == pytest.approx(0.5, abs=0.05)
    page.button("motion-turned").click()
    expect(page.button("motion-turned")).to_have_attribute("aria-pressed", "true")
    wait_until(page.page, f"() => ({ROOT}).dataset.motion === 'stands'")
    assert paused_times(page) == {0}
    page.button("motion-turned").click()
    is_done(page)
    assert_right(page, FIRST)
    page.page.set_viewport_size(PHONE)
    watch(page).press("ArrowRight").stands_at("scores 6")
    moves(page)
    is_done(page)
    assert page.page.evaluate("() => document.documentElement.scrollWidth") <= PHONE["width"]
