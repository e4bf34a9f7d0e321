"""The walkthrough before an audience: on the projector and the presenter's page nothing is cut off or small."""

from __future__ import annotations

import json
from random import Random

import pytest
from playwright.sync_api import expect

from mha_core import built_in, library, parse, to_token, trace
from mha_core.compare.variant import Variant, varied
from mha_core.walk.stages import walk as stages_of
from mha_view.language import LANGUAGES
from tests.e2e.looks import widths
from tests.sizes import EVERY_STAGE, first_seen, in_turn, shortened
from tools.drive.browser import wait_until
from tools.drive.walk import assert_right, kinds_of, places

PROJECTOR = {"width": 1280, "height": 720}

LEAST = {
    ("projector", 720): 18,
    ("projector", 1080): 24,
    ("presenter", 720): 14,
    ("presenter", 1080): 18,
}
"""Pixels of the smallest type, by view and the window's height."""

ARITHMETIC = {
    ("projector", 720): 27,
    ("projector", 1080): 40,
    ("presenter", 720): 25,
    ("presenter", 1080): 34,
}
"""Pixels of the line of arithmetic."""

MEASURE = """([least, arithmetic, wanted]) => {
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
            const isAway = node.closest(".outline") && !node.closest("[aria-current]"); // many steps scroll there
            if (own && sticks && !isAway) out.push(told(node));
            const clips = getComputedStyle(node).overflowX !== "visible";
            if ((own || node.matches("th")) && clips && node.scrollWidth > node.clientWidth + 1) cut.push(told(node));
        }
        const zones = [stage, line, root.querySelector(".text"), root.querySelector(".notes")];
        for (const node of zones) if (scrolls(node)) out.push(node.className);
        const ends = stage.getBoundingClientRect();
        for (const node of stage.querySelectorAll("table")) {
            const box = node.getBoundingClientRect();
            const below = box.bottom > ends.bottom + 1 || box.top < ends.top - 1;
            if (below || box.right > ends.right + 1) out.push(told(node));
        }
        if (!root.querySelector(".more").hidden) out.push("scrolls");
        const size = (node) => parseFloat(getComputedStyle(node).fontSize);
        if (size(line) < arithmetic) small.push("arithmetic");
        const prose = [".what", ".why"].map((name) => size(root.querySelector(name)));
        if (Math.max(...prose) > size(line)) small.push("prose is larger than arithmetic");
        if (!stage.querySelector("table, .tokens")) out.push("nothing to see");
        const boxes = ["h2", ".formula", ".what", ".line", ".stage"].map((name) => {
            const {x, y, width, height} = root.querySelector(name).getBoundingClientRect();
            return [name, x, y, width, height].join(" ");
        }).join();
        first ??= boxes;
        if (boxes !== first) out.push(`moved: ${boxes} from ${first}`);
        return [...small, ...out, ...cut].length ? {small, out, cut} : null;
    };
    let first;
    const found = {}, press = (name) => window.dispatchEvent(new KeyboardEvent("keydown", {key: name}));
    const look = () => { const problems = measure(); if (problems) found[walk.dataset.at] = problems; };
    for (const name of ["ArrowUp", "ArrowUp", "Home"]) press(name);
    const steps = () => walk.querySelectorAll(".outline button");
    const count = steps().length;
    for (const step of wanted) {
        steps()[step].click();
        look();
        for (const name of ["ArrowDown", "ArrowDown"]) { press(name); look(); }
        for (const name of ["ArrowUp", "ArrowUp"]) press(name);
    }
    return [found, count];
}"""


COMBINED = {
    "rotary, cosine": varied(built_in("rotary"), Variant(scoring="cosine")),
    "output-projection, sinusoidal": varied(built_in("output-projection"), Variant(positions="sinusoidal")),
}
"""Examples whose walk shows what two built-in ones show."""
SHOWN = {name: built_in(name) for name in library()} | COMBINED
SHORT = ("alibi", "additive", *COMBINED, "scaled", "translation")
"""Examples that are walked unless all are."""


def address(name):
    return f"?s={to_token(SHOWN[name])}" if name in COMBINED else f"?example={name}"


def test_the_few_examples_that_are_walked_show_every_stage():
    kinds = {
        name: {(stage.kind, *(step.name for step in stage.steps)) for stage in stages_of(trace(example))}
        for name, example in SHOWN.items()
    }
    every = {kind for name in library() for kind in kinds[name] if len(kind) == 2}
    for short in (EVERY_STAGE, SHORT):
        assert set().union(*(kinds[name] for name in short)) >= every


@pytest.mark.parametrize("size", shortened([(1280, 720), (1920, 1080)], [(1280, 720)]))
@pytest.mark.parametrize(
    ("name", "language"),
    in_turn(SHORT, LANGUAGES)
    + [
        pytest.param(name, language, marks=pytest.mark.long)
        for name in library()
        if name not in SHORT
        for language in LANGUAGES
    ],
)
def test_before_an_audience_nothing_is_cut_off_and_no_type_is_small(walk, name, language, size):
    """Every step at every depth, in both views; without --long a step only in the first example that has its kind."""
    page = walk(
        f"{address(name)}&view=presenter&lang={language}",
        viewport=dict(zip(("width", "height"), size, strict=True)),
    )
    computed = trace(SHOWN[name])
    walks = {one: looks_of(trace(SHOWN[one])) for one in SHORT} | {name: looks_of(computed)}
    steps, wanted = places(computed, 0), first_seen(walks, name)
    for view in ("presenter", "projector"):
        if view == "projector":
            page.button("leave").click()
            page.button("projector").click()
        for header in (".stAppHeader", ".st-key-frame", ".st-key-walk-takeaway"):
            expect(page.page.locator(header).first).to_be_hidden()
        assert measured(page, view, size[1], steps, wanted) == [{}, len(steps)], view


def looks_of(computed):
    """Every stage with its kind. With a context of its own an example looks different: its matrices have other rows."""
    return [(stage, (computed.example.context is None, *kind)) for stage, kind in kinds_of(computed)]


def measured(page, view, height, steps, wanted):
    """The problems of these steps, and how many steps the walk has."""
    of = [at for at, step in enumerate(steps) if step in wanted]
    return page.page.evaluate(MEASURE, [LEAST[view, height], ARITHMETIC[view, height], of])


def large(tokens, heads, d_model):
    """An example of this size, every number with two decimals."""
    drawn = Random(1)

    def rows(n, m):
        return [[round(drawn.uniform(-1, 1), 2) for _ in range(m)] for _ in range(n)]

    own = [(name, rows(d_model, d_model // heads)) for _ in range(heads) for name in ("w_q", "w_k", "w_v")]
    given = {
        "format": "mha-example/1",
        "tokens": [f"token {i}" for i in range(tokens)],
        "x": rows(tokens, d_model),
    }
    blocks = [dict(own[3 * head : 3 * head + 3]) for head in range(heads)]
    return parse(json.dumps({**given, "heads": blocks, "w_o": rows(d_model, d_model)}))


@pytest.mark.parametrize("height", shortened([720, 1080], [720]))
@pytest.mark.parametrize("sizes", [(8, 8, 16), pytest.param((32, 12, 48), marks=pytest.mark.long)])
def test_a_large_example_shows_the_explained_cell_and_how_much_is_left_out(walk, sizes, height):
    """Without --long one of the further heads is shown: they are alike."""
    example = large(*sizes)
    steps, wanted = places(trace(example), 0), first_seen({"": kinds_of(trace(example))}, "")
    viewport = {"width": height * 16 // 9, "height": height}
    page = walk(f"?s={to_token(example)}&view=presenter", viewport=viewport)
    for view in ("presenter", "projector"):
        if view == "projector":
            page.button("leave").click()
            page.button("projector").click()
            expect(page.root).to_have_attribute("data-view", view)
        assert measured(page, view, height, steps, wanted) == [{}, len(steps)], view
        assert_leaves_out(page, example)


def assert_leaves_out(page, example):
    """At the last cell but one of the scores' first column. A map of the whole matrix is at least four letters wide."""
    size = len(example.tokens)
    page.press("6", "ArrowDown", *["ArrowRight"] * (size - 2)).stands_at(f"scores {size - 1}")
    expect(page.cell("scores", 0, size - 2, 0)).to_be_visible()
    expect(page.root.locator("th.gap").first).to_be_visible()
    assert_right(page, trace(example))
    sizes = page.page.locator(".stage .map").evaluate_all(
        """(maps) => maps.map((node) => {
            const type = parseFloat(getComputedStyle(node.closest("table")).fontSize);
            return Math.max(node.clientWidth, node.clientHeight) / type;
        })"""
    )
    assert min(sizes, default=0) >= 4, sizes


def test_long_names_are_shortened_before_anything_is_left_out(walk):
    page = walk(
        "?example=programming&view=projector&step=weights", viewport=PROJECTOR, reduced_motion="reduce"
    )
    for step in ("weights", "head_outputs", "concat"):
        while page.at != step:
            page.press("ArrowRight")
        assert_names_are_whole(page, step)
    page.press("End").stands_at("closing")  # and there several names stand in several lines
    expect(page.root.locator(".more")).to_be_hidden()
    expect(page.root.locator(".looks td[data-kind]")).to_have_count(9)


def assert_names_are_whole(page, step):
    result = page.page.locator(".walk .picture .matrix").last
    expect(result.locator("td[data-key]")).to_have_count(
        3 * {"weights": 3, "head_outputs": 2, "concat": 6}[step]
    )
    name = result.locator("tbody th").last
    expect(name).to_have_attribute("title", "programming")
    assert name.evaluate("(th) => th.scrollWidth <= th.clientWidth"), step
    type_ = page.page.locator(".walk .stage").evaluate(
        "(node) => parseFloat(getComputedStyle(node).fontSize)"
    )
    assert type_ > 18, step  # columns' names in two lines leave room for it
    box = result.bounding_box()
    assert box["x"] + box["width"] <= PROJECTOR["width"], step


def hold_back(page, address):
    """Requests for this address, which are answered only when the test lets them go on."""
    routes = []

    def hold(route):
        routes.append(route)

    page.route(address, hold)
    return routes


def test_nothing_is_measured_before_the_last_stylesheet_has_loaded(server, new_context):
    """The walk's code is loaded when its stylesheet is, but a stylesheet that this one imports is not yet."""
    page = new_context(viewport=PROJECTOR).new_page()
    modules, sheets = hold_back(page, "**/modules/*/walk.js"), hold_back(page, "**/motion.css")
    page.goto(f"{server.url}walkthrough?example=programming&view=projector&step=head_outputs")
    link = page.locator('link[href*="walk.css"]')
    expect(link).to_have_count(1)
    page.wait_for_function("(link) => link.sheet", arg=link.element_handle())
    address = modules[0].request.url
    modules[0].continue_()
    page.evaluate("async (address) => { await import(address); }", address)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    sheets[0].continue_()
    zone = page.locator(".walk .stage")
    expect(zone.locator(".plane .arrow").first).to_be_visible()
    assert zone.evaluate(
        "(zone) => zone.scrollWidth <= zone.clientWidth && zone.scrollHeight <= zone.clientHeight"
    )


def test_projector_mode_is_entered_and_left(walk):
    page = walk("?example=first&step=q")
    page.button("projector").click()
    page.page.wait_for_url("**view=projector**")
    expect(page.page.locator(".st-key-frame")).to_be_hidden()
    assert page.root.bounding_box() == {"x": 0, "y": 0, **page.page.viewport_size}
    page.press("End").stands_at("closing")
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
def test_the_arrow_to_the_exponentials_points_at_them(walk, query, of):
    """To the right where they are beside the scores, down where they are below."""
    page = walk(f"?example=alibi&step=weights&sub=1.1{query}")
    for width in widths(page.page, of, 800):
        expect(page.page.locator(".stage .softmax > .operator")).to_have_text("→")
        wait_until(page.page, POINTS, width)


def test_tokens_are_in_one_line_beside_the_notes_whose_picture_is_legible(walk):
    page = walk("?example=first&view=presenter")
    expect(page.page.locator(".walk .notes")).to_be_visible()
    tops = [token.bounding_box()["y"] for token in page.page.locator(".walk .tokens li").all()]
    assert tops == [tops[0]] * 3
    legible = "(node) => parseFloat(getComputedStyle(node).fontSize) * (Number(node.style.scale) || 1) >= 11"
    assert page.page.locator(".walk .still > *").evaluate(legible)
