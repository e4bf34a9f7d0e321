"""The walkthrough before an audience: projector, presenter, what is cut off and what is small."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from mha_core import built_in, library, parse, to_token, trace
from mha_core.walk.stages import walk as stages_of
from mha_ui.language import LANGUAGES
from tests.e2e.driver import wait_until
from tests.e2e.looks import widths
from tests.e2e.walk import Walk, places
from tests.sizes import EVERY_STAGE, in_turn, shortened

PROJECTOR = {"width": 1280, "height": 720}

LEAST = {"projector": 18, "presenter": 14}
"""Pixels of the smallest type: on a wall, and on the presenter's own screen."""

MEASURE = """(least) => {
    const root = [...document.querySelectorAll("*")].find((e) => e.shadowRoot?.querySelector(".walk")).shadowRoot;
    const walk = root.querySelector(".walk"), stage = root.querySelector(".stage"), line = root.querySelector(".line");
    const told = (node) => node.textContent.trim().slice(0, 20);
    const looks = (node) => node.checkVisibility({visibilityProperty: true}) && !node.closest(".visually-hidden");
    const over = (node) => Math.max(node.scrollHeight - node.clientHeight, node.scrollWidth - node.clientWidth) > 1;
    const scrolls = (node) => node && over(node);
    const measure = () => {
        const small = [], out = [], cut = [];
        for (const node of walk.querySelectorAll("*")) {
            if (!looks(node)) continue;
            const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
            if (own && parseFloat(getComputedStyle(node).fontSize) < least) small.push(told(node));
            const box = node.getBoundingClientRect();
            const sticks = box.right > innerWidth + 1 || box.bottom > innerHeight + 1 || box.left < -1 || box.top < -1;
            if (own && sticks) out.push(told(node));
            const clips = getComputedStyle(node).overflowX !== "visible";
            if ((own || node.matches("th")) && clips && node.scrollWidth > node.clientWidth + 1) cut.push(told(node));
        }
        for (const node of [stage, line, root.querySelector(".notes")]) if (scrolls(node)) out.push(node.className);
        const ends = stage.getBoundingClientRect();
        for (const node of stage.querySelectorAll("table, .text")) {
            const box = node.getBoundingClientRect();
            const below = box.bottom > ends.bottom + 1 || box.top < ends.top - 1;
            if (below || box.right > ends.right + 1) out.push(told(node));
        }
        if (!root.querySelector(".more").hidden) out.push("scrolls");
        return [...small, ...out, ...cut].length ? {small, out, cut} : null;
    };
    const found = {}, press = (name) => window.dispatchEvent(new KeyboardEvent("keydown", {key: name}));
    const look = () => { const problems = measure(); if (problems) found[walk.dataset.at] = problems; };
    for (const name of ["ArrowUp", "ArrowUp", "Home"]) press(name);
    const steps = walk.querySelectorAll(".outline button").length;
    for (let step = 0; step < steps; step++) {
        look();
        for (const name of ["ArrowDown", "ArrowDown"]) { press(name); look(); }
        for (const name of ["ArrowUp", "ArrowUp", "ArrowRight"]) press(name);
    }
    return [found, steps];
}"""


def test_the_examples_walked_in_short_show_every_stage():
    kinds = {
        name: {
            (stage.kind, *(step.name for step in stage.steps)) for stage in stages_of(trace(built_in(name)))
        }
        for name in library()
    }
    assert set().union(*(kinds[name] for name in EVERY_STAGE)) >= {
        kind for name in library() for kind in kinds[name] if len(kind) == 2
    }


@pytest.mark.parametrize("size", shortened([(1280, 720), (1920, 1080)], [(1280, 720)]))
@pytest.mark.parametrize(
    ("name", "language"),
    in_turn(EVERY_STAGE, LANGUAGES)
    + [
        pytest.param(name, language, marks=pytest.mark.long)
        for name in library()
        if name not in EVERY_STAGE
        for language in LANGUAGES
    ],
)
def test_before_an_audience_nothing_is_cut_off_and_no_type_is_small(walk, name, language, size):
    """Every step at every depth, in both views."""
    page = walk(
        f"?example={name}&view=presenter&lang={language}",
        viewport=dict(zip(("width", "height"), size, strict=True)),
    )
    steps = len(places(trace(built_in(name)), 0))
    for view in ("presenter", "projector"):
        if view == "projector":
            page.press("Escape")
            page.button("projector").click()
        for header in (".stAppHeader", ".st-key-frame", ".st-key-walk-takeaway"):
            expect(page.page.locator(header).first).to_be_hidden()
        assert page.page.evaluate(MEASURE, LEAST[view]) == [{}, steps], view


def test_what_cannot_be_made_to_fit_scrolls_and_says_so(walk):
    rows = [[0.123456] * 24 for _ in range(24)]
    text = {"format": "mha-example/1", "tokens": [f"token {i}" for i in range(24)], "x": rows}
    example = parse(json.dumps({**text, "heads": [dict.fromkeys(("w_q", "w_k", "w_v"), rows)]}))
    page = walk(f"?s={to_token(example)}&view=projector&step=scores", viewport=PROJECTOR)
    expect(page.page.locator(".walk .more")).to_have_text("Larger than the window: scroll to see the rest")
    expect(page.page.locator(".walk .more")).to_be_visible()
    page.press("Home")
    expect(page.page.locator(".walk .more")).to_be_hidden()


def test_projector_mode_is_entered_and_left(walk):
    page = walk("?example=first&step=q")
    page.button("projector").click()
    page.page.wait_for_url("**view=projector**")
    expect(page.page.locator(".st-key-frame")).to_be_hidden()
    assert page.root.bounding_box() == {"x": 0, "y": 0, **page.page.viewport_size}
    assert page.page.locator(".walk .outline button").count() == 12
    bar = page.page.locator(".walk .bar div")
    before = bar.bounding_box()["width"]
    page.press("End")
    page.page.wait_for_function(
        "([least]) => [...document.querySelectorAll('*')].find((e) => e.shadowRoot?.querySelector('.walk'))"
        ".shadowRoot.querySelector('.bar div').getBoundingClientRect().width > least",
        arg=[before * 2],
    )
    page.press("Escape")
    expect(page.page.locator(".st-key-frame")).to_be_visible()
    page.page.wait_for_function("() => !location.search.includes('view=')")
    page.stands_at("closing")


POINTS = """(width) => {
    const root = [...document.querySelectorAll("*")].find((e) => e.shadowRoot?.querySelector(".walk")).shadowRoot;
    const arrow = root.querySelector(".softmax > .operator");
    const box = (node) => node.getBoundingClientRect();
    const down = box(arrow.nextElementSibling).top >= box(arrow.previousElementSibling).bottom;
    return innerWidth === width && down >= (width === 900) &&
        getComputedStyle(arrow).rotate === (down ? "90deg" : "none");
}"""


@pytest.mark.parametrize(("query", "of"), [("&view=presenter", [1280]), ("", [900, 1280])])
def test_the_arrow_to_the_powers_points_at_them(walk, query, of):
    """To the right where they stand beside the scores, down where they stand below."""
    page = walk(f"?example=alibi&step=weights&sub=1.1{query}")
    for width in widths(page.page, of, 800):
        expect(page.page.locator(".softmax > .operator")).to_have_text("→")
        wait_until(page.page, POINTS, width)


def test_the_presenters_link_opens_the_same_place(walk):
    page = walk("?example=first&step=weights&sub=2")
    with page.page.context.expect_page() as opened:
        page.button("presenter").click()
    other = Walk(opened.value).ready()
    other.stands_at("weights 2")
    expect(other.page.locator(".walk .notes")).to_be_visible()
