"""Motion that explains: it ends on the trace's numbers, is scrubbed, stopped and turned round, and holds nobody up."""

from __future__ import annotations

import re
from contextlib import suppress
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, expect
from playwright.sync_api import TimeoutError as TooLate

from mha_core import Trace, built_in, library, trace
from mha_core.walk.stages import walk as stages_of
from tests.e2e.looks import assert_no_barrier
from tests.e2e.test_rooms import PHONE, Phone, opened
from tests.e2e.test_walkthrough_windows import beside
from tests.sizes import first_seen, shortened
from tools.drive.browser import wait_until
from tools.drive.walk import Walk, assert_right, kinds_of

FIRST = trace(built_in("first"))
ROOT = """[document, ...[...document.querySelectorAll('*')].map((node) => node.shadowRoot)]
    .map((one) => one?.querySelector('.walk')).find(Boolean)"""
RUNNING = f"""() => ({ROOT}).querySelector('.motion-layer').getAnimations({{subtree: true}})
    .filter((one) => one.playState === 'running').length"""
SVG = "{http://www.w3.org/2000/svg}"


def layer(page: Walk) -> Locator:
    return page.page.locator(".walk .motion-layer")


@pytest.fixture
def watched(walk):
    """The walkthrough, with what its motion did: one that nobody looked at in time has been all the same."""

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
    """A motion has begun to play since this was asked last."""
    wait_until(page.page, "() => window.motions.includes('plays')")
    page.page.evaluate("() => { window.motions = []; }")
    return page


def rested(page: Walk) -> Walk:
    """Nothing has moved, and nothing does."""
    is_done(page)
    assert page.page.evaluate("() => window.motions.includes('plays')") is False
    return page


def is_done(page: Walk) -> Walk:
    """Nothing lies over the picture any more."""
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
    """Where every animation of the layer stands, as a share of the whole."""
    return set(
        page.page.evaluate(
            f"""() => ({ROOT}).querySelector('.motion-layer').getAnimations({{subtree: true}})
                .filter((one) => !(one instanceof CSSTransition))
                .map((one) => Math.round(1000 * one.currentTime / one.effect.getTiming().duration) / 1000)"""
        )
    )


MOVING = {name: kinds_of(trace(built_in(name))) for name in ("first", "causal", "additive", "rotary")}
"""Examples that together have every kind of step that moves."""


@pytest.mark.parametrize("name", shortened(list(library()), MOVING))
def test_every_motion_ends_on_the_numbers_of_the_trace(watched, name):
    """Of every step, whole and in its first part: in its end state, and once the layer has gone. In short a step is
    tried in the first of the examples that has its kind."""
    computed = trace(built_in(name))
    tried = first_seen({**MOVING, name: kinds_of(computed)}, name)
    page = watched(f"?example={name}&view=projector")
    for at, stage in enumerate(stages_of(computed)):
        if stage.id not in tried or stage.kind not in ("step", "head"):
            continue
        page.root.locator(".outline button").nth(at).evaluate("(step) => step.click()")
        page.stands_at(stage.id)
        assert_ends(page, computed)
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
def test_a_step_onward_moves_once_is_short_and_shows_the_next_place_at_once_and_a_quick_one_without(
    watched, view
):
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


def test_it_is_scrubbed_stopped_and_turned_round_and_moves_on_a_narrow_page_too(watched):
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
    page.button("motion").click()
    wait_until(page.page, f"() => ({ROOT}).dataset.motion === 'stands'")
    assert paused_times(page) == {0}
    page.button("motion-turned").click()
    page.button("motion").click()
    is_done(page)
    assert_right(page, FIRST)
    page.page.set_viewport_size(PHONE)
    watch(page).press("ArrowRight").stands_at("scores 6")
    moves(page)
    is_done(page)
    assert page.page.evaluate("() => document.documentElement.scrollWidth") <= PHONE["width"]


def test_stations_are_walked_by_keys_and_where_less_motion_is_asked_for_by_play(watched):
    page = watched("?example=first&view=projector&step=weights&sub=1")
    page.press("]")
    seen: list[float] = []
    while page.root.get_attribute("data-motion"):
        seen += paused_times(page)
        page.press("]")
    assert seen[0] == 0
    assert seen == sorted(set(seen))
    assert len(seen) == 4  # the beginning, the exponentials, their sum, the division
    is_done(page)
    page.press("[")
    assert paused_times(page) == {seen[-1]}
    page.press("ArrowRight").stands_at("weights 2")
    is_done(page.press("4", "ArrowUp", "ArrowLeft").stands_at("q"))
    page.page.evaluate("() => { window.motions = []; }")
    page.page.emulate_media(reduced_motion="reduce")
    page.press("ArrowRight").stands_at("k")
    rested(page)
    page.press("m")
    expect(page.root).to_have_attribute("data-motion", "stands")
    assert page.page.evaluate(RUNNING) == 0
    assert paused_times(page) == {0}
    page.press("m")
    assert paused_times(page) != {0}
    page.press("ArrowRight").stands_at("v")
    is_done(page)


def test_the_switch_is_remembered(watched):
    page = watched("?example=first&step=q")
    page.button("motion-itself").uncheck()
    page.press("ArrowRight").stands_at("k")
    rested(page)
    page.page.reload()
    watch(page.ready())
    expect(page.button("motion-itself")).not_to_be_checked()
    page.press("ArrowRight").stands_at("v")
    rested(page)
    page.button("motion").click()  # asked for, it plays all the same
    moves(page)
    page.button("motion-itself").check()
    page.page.reload()
    expect(page.ready().button("motion-itself")).to_be_checked()


def test_the_wall_moves_and_the_presenter_reads(new_page, server):
    address = f"{server.url}walkthrough?example=first&step=q&view="
    front = watch(Walk(new_page()).open(f"{address}projector"))
    back = watch(Walk(beside(front.page)).open(f"{address}presenter"))
    back.press("ArrowRight").stands_at("k")
    moves(front.stands_at("k"))
    rested(back)
    back.press("m")
    moves(back)
    moves(front)


def test_neither_arrows_nor_motion_tell_what_is_asked_for_before_it_is_revealed(watched):
    """Arrows stand beside values of two dimensions."""
    page = watched("?example=first&view=projector&step=head_outputs")
    plane = page.page.locator(".walk .plane")
    expect(plane.locator(".arrow")).to_have_count(4)
    expect(plane).to_have_attribute("aria-label", re.compile("arrows"))
    assert_no_barrier(page.page)
    page.press("q")
    expect(plane.locator(".arrow")).to_have_count(0)
    page.press("Enter")
    expect(plane.locator(".arrow")).to_have_count(4)
    page.press("6", "ArrowDown").stands_at("scores 1")
    page.press("m")
    is_done(page)
    expect(page.button("motion")).to_be_hidden()
    page.press("Enter")
    moves(page)
    is_done(page)
    assert_right(page, FIRST)
    page.press("q", "ArrowUp", "Home", "ArrowRight").stands_at("inputs")
    expect(plane).to_have_count(0)
    page.press("m")  # nothing is told where nothing is computed
    is_done(page)
    expect(page.button("motion")).to_be_hidden()


def test_the_animated_picture_holds_the_numbers_of_the_trace_and_no_script(watched):
    page = watched("?example=first&step=scores", reduced_motion="reduce")
    for step in ("scores", "weights", "head_outputs", "concat"):
        while page.at != step:
            page.press("ArrowRight")
        assert_animates(page, step)


def assert_animates(page: Walk, step: str) -> None:
    """The picture that is taken away here has the page's numbers, and only shapes, texts and animations."""
    shown = {text for text in page.shown().values() if text != "·"}
    with page.page.expect_download() as download:
        page.button("motion-svg").click()
    assert download.value.suggested_filename == f"{step}.svg"
    root = ElementTree.parse(download.value.path()).getroot()  # our own file
    texts = {node.text for node in root.iter(f"{SVG}text")}
    assert shown <= texts, step
    tags = {node.tag.removeprefix(SVG) for node in root.iter()}
    assert tags & {"animate", "animateTransform"}, step
    assert tags <= {"svg", "title", "rect", "g", "text", "path", "line", "animate", "animateTransform"}, step
    assert not [
        name for node in root.iter() for name in node.attrib if name.startswith("on") or name.endswith("href")
    ], step
    for node in root.iter():
        if node.tag in (f"{SVG}animate", f"{SVG}animateTransform"):
            times = [float(time) for time in node.attrib["keyTimes"].split(";")]
            assert times[0] == 0
            assert times[-1] == 1
            assert times == sorted(times)
            assert len(times) == len(node.attrib["values"].split(";"))
    is_done(page)


def test_telephones_that_follow_move_as_the_wall_does(new_page, server):
    wall, code = opened(new_page(), server.url)
    phone = Phone(new_page(viewport=PHONE)).open(f"{server.url}follow/{code}")
    watch(phone.stands_at("q"))
    wall.press("ArrowRight")
    moves(phone.stands_at("k"))
    is_done(phone)
    assert_right(phone, FIRST)
