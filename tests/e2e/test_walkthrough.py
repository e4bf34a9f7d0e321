"""The walkthrough in a real browser: keys, links, projector, predicting, and what is taken away."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from mha_core import built_in, library, parse, to_token, trace
from mha_core.compute.derive import Cell
from mha_core.example.model import divisor
from mha_core.walk.stages import walk as stages_of
from mha_ui.handout import as_html
from tests.core.test_walk import check_page
from tests.e2e.driver import Bench, running
from tests.e2e.looks import assert_no_barrier, wider, widths
from tests.e2e.walk import EVERY_STAGE, Walk, assert_right, cell_of
from tests.sizes import shortened

FIRST = trace(built_in("first"))
PROJECTOR = {"width": 1280, "height": 720}


@pytest.fixture
def walk(server, new_page):
    """Open the walkthrough at a query such as ``?step=scores`` as a new visitor."""

    def opened(query: str = "", **options) -> Walk:
        return Walk(new_page(**options)).open(f"{server.url}walkthrough{query}")

    return opened


@pytest.fixture
def timed(server, new_context):
    """A walk whose clock the test may set: a page that has been given a clock keeps it."""
    return Walk(new_context().new_page()).open(f"{server.url}walkthrough?example=first")


def places(computed, depth):
    """Every place of a walk at a depth, as ``Walk.at`` tells it."""
    found = []
    for stage in stages_of(computed):
        if depth == 0:
            found.append(stage.id)
        for number, part in enumerate(stage.parts, 1):
            if depth == 1:
                found.append(f"{stage.id} {number}")
            if depth == 2:
                found += [f"{stage.id} {number}.{beat}" for beat in range(1, part.beats + 1)]
        if depth and not stage.parts:
            found.append(f"{stage.id} {'1' if depth == 1 else '1.1'}")
    return found


# --- keys --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_the_whole_walk_of_the_first_example_by_keyboard_alone(walk, depth):
    """Every stage, every part, every beat: in order, each with the trace's numbers, and all of them seen."""
    page = walk("?example=first")
    page.press(*["ArrowDown"] * depth)
    expected, seen = places(FIRST, depth), set()
    for place in expected:
        page.stands_at(place)
        if depth < 2:
            seen |= {cell for cell, text in assert_right(page, FIRST).items() if text != "·"}
        page.press("ArrowRight")
    page.stands_at(expected[-1])
    if depth == 1:
        computed = {Cell(name, head, 0, 0) for name in ("q", "scores", "weights") for head in (0, 1)}
        assert computed | {Cell("concat", None, 2, 3), Cell("x", None, 2, 1)} <= seen
    for place in reversed(expected[:-1]):
        page.press("ArrowLeft").stands_at(place)


def test_a_clicker_home_end_and_digits(timed):
    page = timed
    page.press("PageDown", "PageDown").stands_at("q")
    page.press("PageUp").stands_at("inputs")
    page.press("End").stands_at("closing")
    page.press("Home").stands_at("tokens")
    page.press("6").stands_at("scores")
    page.page.clock.install()
    page.page.clock.fast_forward(2000)
    page.press("1", "1").stands_at("concat")


def test_into_a_step_and_out_of_it(walk):
    page = walk("?example=first&step=scores")
    assert "13" in assert_right(page, FIRST)[Cell("scores", 0, 1, 0)]
    page.press("ArrowDown").stands_at("scores 1")
    assert [text for cell, text in page.shown().items() if cell.name == "scores"] == ["5", *"········"]
    page.press("ArrowDown").stands_at("scores 1.1")
    assert page.shown()[Cell("scores", 0, 0, 0)] == "·"
    assert page.line() == "S[1, 1] = 1 · 3"
    page.press("ArrowRight").stands_at("scores 1.2")
    assert page.shown()[Cell("scores", 0, 0, 0)] == "5"
    page.press("ArrowUp").stands_at("scores 1").press("ArrowUp").stands_at("scores")


def test_row_i_and_column_j_meet_at_their_cell(walk):
    page = walk("?example=first&step=scores&sub=6")
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


def test_keys_are_left_alone_in_text_fields_and_buttons(walk):
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


def test_space_plays_and_pauses_at_the_chosen_speed(timed):
    page = timed
    page.page.clock.install()
    page.button("speed").select_option("0.5")
    page.press(" ")
    page.page.clock.run_for(520)
    page.stands_at("inputs")
    page.page.clock.run_for(500)
    page.stands_at("q")
    page.press(" ")
    page.page.clock.run_for(5000)
    page.stands_at("q")


def test_less_motion_is_obeyed(walk):
    for wanted, animated in (("reduce", False), ("no-preference", True)):
        page = walk("?example=first&step=q&sub=1", reduced_motion=wanted)
        name = page.root.evaluate(
            """(walk) => {
                window.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"}));
                return getComputedStyle(walk.querySelector("td.current > span")).animationName;
            }"""  # at once: what the server sends next is drawn without motion
        )
        assert (name == "appear") == animated


# --- the address, the server -------------------------------------------------------------------------------------


def test_a_link_lands_exactly_there_on_a_fresh_server(new_context):
    with running() as server:
        page = Walk(new_context().new_page())
        for place in ("weights 2.3", "head-2 4", "concat", "scores 9.1"):
            step, _, sub = place.partition(" ")
            page.open(f"{server.url}walkthrough?example=causal&step={step}{sub and f'&sub={sub}'}")
            page.stands_at(place)
            assert_right(page, trace(built_in("causal")))
        page.page.close()  # before its server goes


def test_the_address_follows_every_step_and_restores_it(walk, new_page):
    page = walk("?example=padding").press("8", "ArrowDown", "ArrowDown", "ArrowRight")
    place = page.at
    assert place == "masked_scores 1.2"
    page.button("predict").check()
    page.page.wait_for_url("**step=masked_scores&sub=1.2&predict=1")
    other = Walk(new_page(locale="zh-CN")).open(page.page.url)
    other.stands_at(place)
    expect(other.button("predict")).to_be_checked()


@pytest.mark.parametrize("query", ["step=nowhere&sub=3.1", "step=q&sub=999.999", "step=tokens&sub=7"])
def test_a_place_that_is_not_there_opens_the_nearest(walk, query):
    assert walk(f"?example=first&{query}").at in ("tokens 1.1", "q 6.2", "tokens 1")


def test_editing_on_the_bench_and_coming_back_keeps_the_place(walk):
    page = walk("?example=first&step=scores&sub=4")
    page.press("ArrowRight").stands_at("scores 5")
    page.page.get_by_role("link", name="Bench").click()
    bench = Bench(page.page).settled()
    bench.edit("x", None, 1, 0, 7)
    page.page.get_by_role("link", name="Walkthrough").click()
    page.ready().stands_at("scores 5")
    example = bench_example(FIRST.example, 7.0)
    assert_right(page, trace(example))


def bench_example(example, number):
    from mha_core.edit.edits import apply

    return apply(example, {"op": "set", "matrix": "x", "row": 1, "col": 0, "values": [[number]]})


def test_where_the_walk_rests_reaches_the_server(walk):
    page = walk("?example=first&step=scores")
    page.page.evaluate("window.addEventListener('mha-place', ({detail}) => (window.told = detail))")
    page.press("ArrowDown", "ArrowRight")
    page.page.wait_for_function("() => window.told?.sub === '2'")
    assert page.page.evaluate("window.told") == {"step": "scores", "sub": "2", "view": "", "predict": False}
    page.page.reload()
    page.ready().stands_at("scores 2")


def test_the_walk_goes_on_while_the_server_is_dead_and_after_it_is_back(new_context, watch):
    with running() as server:
        page = Walk(new_context().new_page()).open(f"{server.url}walkthrough?example=water")
        page.press("3", "ArrowDown").stands_at("q 1")
        server.kill()
        for place in places(trace(built_in("water")), 1)[5:12]:
            page.press("ArrowRight").stands_at(place)
        server.start()
        page.press("ArrowRight").stands_at("k 3")
        page.page.wait_for_url("**step=k&sub=3")
        expect(page.page.locator(".st-key-walk-takeaway button").first).to_be_visible()
        page.stands_at("k 3")
        assert_right(page, trace(built_in("water")))
        page.page.close()  # before its server goes
    watch.complaints.clear()  # that nobody answered is all that the browser had to say


# --- before an audience ------------------------------------------------------------------------------------------

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


@pytest.mark.parametrize(
    ("name", "size"),
    [
        pytest.param(name, size, marks=() if name in kept else pytest.mark.long)
        for size, kept in {(1280, 720): EVERY_STAGE, (1920, 1080): EVERY_STAGE[:1]}.items()
        for name in library()
    ],
)
def test_before_an_audience_nothing_is_cut_off_and_no_type_is_small(walk, name, size):
    """Every step at every depth, in both views, in both languages."""
    page, steps = (
        walk(viewport=dict(zip(("width", "height"), size, strict=True))),
        len(places(trace(built_in(name)), 0)),
    )
    address = page.page.url.partition("?")[0]
    for language in ("en", "zh"):
        page.open(f"{address}?example={name}&view=presenter&lang={language}")
        for view in ("presenter", "projector"):
            if view == "projector":
                page.press("Escape")
                page.button("projector").click()
            for header in (".stAppHeader", ".st-key-frame", ".st-key-walk-takeaway"):
                expect(page.page.locator(header).first).to_be_hidden()
            assert page.page.evaluate(MEASURE, LEAST[view]) == [{}, steps], (view, language)


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


def test_the_presenters_page_has_notes_the_next_step_and_a_clock_and_goes_along(new_page, server):
    front = Walk(new_page()).open(f"{server.url}walkthrough?example=first&step=q&view=projector")
    back = Walk(front.page.context.new_page()).open(
        f"{server.url}walkthrough?example=first&step=q&view=presenter"
    )
    notes = back.page.locator(".walk .notes")
    expect(notes.locator(".note")).to_contain_text("Ask:")
    expect(notes.locator(".next")).to_contain_text("4 · Keys")
    expect(notes.locator(".time")).to_have_text(re.compile(r"^\d\d:\d\d$"))
    expect(notes.locator(".elapsed")).to_have_text(re.compile(r"^\d+:\d\d$"))
    back.press("ArrowRight", "ArrowDown", "ArrowRight").stands_at("k 2")
    front.stands_at("k 2")
    front.press("ArrowUp").stands_at("k")
    back.stands_at("k")


@pytest.fixture
def pair(new_page, server):
    """A projector and a presenter's page, in two windows of one browser; the second in Chinese."""
    front = Walk(new_page()).open(f"{server.url}walkthrough?example=first&step=q&view=projector")
    back = Walk(front.page.context.new_page()).open(
        f"{server.url}walkthrough?example=first&step=q&view=presenter&lang=zh"
    )
    return front, back


def edited(page, *numbers):
    """Leave the walk's view, write these into X on the bench one after another, and come back to the view."""
    page.press("Escape")
    page.page.get_by_role("link", name="Bench").click()
    bench = Bench(page.page).settled()
    for number in numbers:
        bench.cell("x", None, 1, 0).click()
        page.page.keyboard.type(f"{number:g}")
        page.page.keyboard.press("Enter")
    return bench.settled()


def back_in_view(page):
    page.page.get_by_role("link", name="Walkthrough").click()
    page.ready().button("projector").click()
    return page


def both_show(pages, example, place):
    for page in pages:
        page.stands_at(place)
        expect(page.cell("x", None, 1, 0)).to_have_text(f"{example.x[1][0]:g}")
        assert_right(page, trace(example))


def test_two_windows_stay_together_when_a_number_is_edited_on_the_way(pair):
    """The other window takes the numbers over while the bench is still open, at the same place; then both walk on."""
    front, back = pair
    bench = edited(front, 7)
    example = bench_example(FIRST.example, 7.0)
    both_show([back], example, "q")
    back.press("ArrowDown", "ArrowRight").stands_at("q 2")
    both_show([back_in_view(front), back], example, "q 2")
    expect(back.page.locator(".walk h2")).to_contain_text("查询")
    front.press("ArrowRight").stands_at("q 3")
    back.stands_at("q 3").press("ArrowUp").stands_at("q")
    both_show(pair, example, "q")
    for page in pair:
        page.page.wait_for_url(re.compile(r"[?&]s=.*step=q"))
    bench = edited(front, 1, 2, 3)
    both_show([back], bench_example(FIRST.example, 3.0), "q")
    for _ in range(4):
        bench.do("undo")
    both_show([back], FIRST.example, "q")
    both_show([back_in_view(front), back], FIRST.example, "q")
    back.press("ArrowRight").stands_at("k")
    front.stands_at("k")


def test_another_example_in_one_window_is_opened_in_the_other_and_a_reload_finds_its_pair(pair):
    front, back = pair
    front.press("Escape")
    front.page.get_by_role("combobox").first.click()
    front.page.get_by_role("option", name=re.compile("water|水|Water")).first.click()
    expect(back.page.locator(".walk .tokens li, .walk td").first).to_be_visible()
    back.page.wait_for_url("**example=water**")
    front.page.wait_for_url("**example=water**")
    front.button("projector").click()
    back.press("5")
    for page in pair:
        page.stands_at("v")
        assert_right(page, trace(built_in("water")))
    back.page.reload()
    back.ready().stands_at("v")
    edited(front, 4)
    expect(back.cell("x", None, 1, 0)).to_have_text("4")


def test_two_windows_stay_together_when_the_server_was_away(new_context, watch):
    with running() as server:
        context = new_context()
        front, back = (
            Walk(context.new_page()).open(f"{server.url}walkthrough?example=first&step=q&view={view}")
            for view in ("projector", "presenter")
        )
        front.press("ArrowRight").stands_at("k")
        back.stands_at("k")
        server.kill()
        front.press("ArrowRight").stands_at("v")
        back.stands_at("v")
        server.start()
        front.page.reload()
        front.ready().stands_at("v")
        edited(front, 9)
        both_show([back], bench_example(FIRST.example, 9.0), "v")
        for page in (front, back):
            page.page.close()  # before its server goes
    watch.complaints.clear()  # that nobody answered is all that the browser had to say


@pytest.mark.parametrize(("query", "width"), [("&view=presenter", 1280), ("", 900), ("", 1280)])
def test_the_arrow_to_the_powers_points_at_them(walk, query, width):
    """To the right where they stand beside the scores, down where they stand below."""
    page = walk(f"?example=alibi&step=weights&sub=1.1{query}", viewport={"width": width, "height": 800})
    arrow = page.page.locator(".softmax > .operator")
    expect(arrow).to_have_text("→")
    below = arrow.evaluate(
        """(arrow) => arrow.nextElementSibling.getBoundingClientRect().top >=
            arrow.previousElementSibling.getBoundingClientRect().bottom"""
    )
    expect(arrow).to_have_css("rotate", "90deg" if below or width == 900 else "none")


def test_the_presenters_link_opens_the_same_place(walk):
    page = walk("?example=first&step=weights&sub=2")
    with page.page.context.expect_page() as opened:
        page.button("presenter").click()
    other = Walk(opened.value).ready()
    other.stands_at("weights 2")
    expect(other.page.locator(".walk .notes")).to_be_visible()


# --- predict first -----------------------------------------------------------------------------------------------


def test_predict_reveal_and_see_which_were_right(walk):
    page = walk("?step=scaled_scores&predict=1&example=first")
    fields = page.page.locator(".walk input.answer")
    expect(fields).to_have_count(9)
    assert "3.5355" not in " ".join(page.shown().values())
    for index, text in enumerate(("3.54", "9.2", "14.9", "9.17", "100")):
        fields.nth(index).fill(text)
    fields.nth(8).press("Escape")
    page.button("reveal").click()
    exact = [number for row in FIRST.matrix("scaled_scores", 0) for number in row]
    # Off by no more than one unit of the last printed digit: 14.8492 against 14.9 is right, 9.1924 against 9.17 is not.
    wanted = [True, True, True, False, False]
    for index, right in enumerate(wanted):
        cell = page.cell("scaled_scores", 0, index // 3, index % 3)
        expect(cell).to_have_class(re.compile("right" if right else "wrong"))
        expect(cell).to_contain_text(f"{exact[index]:.4f}")
        expect(cell.get_by_role("img", name="right" if right else "not right", exact=True)).to_be_visible()
    assert "3 of 5 right" in page.line()
    assert_right_after = page.shown()
    assert assert_right_after[Cell("scaled_scores", 0, 2, 2)] == f"{exact[8]:.4f}"


def test_predicting_cell_by_cell_from_the_keyboard(walk):
    page = walk("?example=first&step=q&sub=1&predict=1")
    assert page.shown()[Cell("q", 0, 0, 0)] == ""
    assert page.line().startswith("Q[1, 1] = ? What will stand here?")
    page.press("Tab")
    field = page.page.locator(".walk input.answer")
    field.focus()
    page.page.keyboard.type("1")
    page.press("ArrowRight", "2")  # in a text field keys are typed
    page.stands_at("q 1")
    expect(field).to_have_value("12")
    page.press("Backspace", "Enter")
    expect(page.cell("q", 0, 0, 0)).to_have_class(re.compile("right"))
    assert "1 of 1 right" in page.line()
    page.press("ArrowRight").stands_at("q 2")
    expect(page.page.locator(".walk input.answer")).to_have_count(1)
    page.press("ArrowRight").stands_at("q 2")  # reveals first
    expect(page.page.locator(".walk input.answer")).to_have_count(0)
    page.press("ArrowRight").stands_at("q 3")


ASKED = """(key) => {
    const root = [...document.querySelectorAll("*")].find((e) => e.shadowRoot?.querySelector(".walk")).shadowRoot;
    const walk = root.querySelector(".walk"), found = [];
    for (const depth of [0, 1, 2]) {
        const press = (name) => window.dispatchEvent(new KeyboardEvent("keydown", {key: name}));
        for (let i = 0; i < 2; i++) press("ArrowUp");
        press("Home");
        for (let i = 0; i < depth; i++) press("ArrowDown");
        for (let i = 0; i < walk.querySelectorAll(".outline button").length; i++) {
            const tds = [...walk.querySelectorAll("td[data-key]")];
            const cells = tds.map((td) => [td.dataset.key, td.outerHTML, td.textContent]);
            const rest = walk.cloneNode(true);
            for (const td of rest.querySelectorAll("td[data-key]")) td.remove();
            const spoken = [...rest.querySelectorAll("*")].flatMap((e) => [...e.attributes].map(({value}) => value));
            const powers = [...rest.querySelectorAll("td[data-power]")].map((td) => td.textContent).join("");
            const fields = [...walk.querySelectorAll("input.answer")].map((input) => input.dataset.of);
            const note = document.querySelector(".mha-note")?.checkVisibility() ?? false;
            const line = rest.querySelector(".line").textContent;
            const at = walk.dataset.at, text = [rest.textContent, ...spoken].join(" ¦ ");
            found.push({at, depth, cells, powers, fields, note, line, rest: text});
            walk.querySelectorAll(".outline button")[i + 1]?.click();
        }
    }
    return found;
}"""


@pytest.mark.parametrize("name", shortened(library(), EVERY_STAGE))
def test_nothing_on_the_page_tells_what_is_asked_for_and_every_head_asks(walk, name):
    """Until it is revealed: no number, colour or bar in the cells asked for, nor in the powers that lead to them; no
    arithmetic; and no printed digits of theirs anywhere but in what is read, cells and the divisor."""
    page, computed = walk(f"?example={name}&predict=1"), trace(built_in(name))
    asking = set()
    for place in page.page.evaluate(ASKED):
        fields = {cell_of(key) for key in place["fields"]}
        if not fields:
            stage = place["at"].split()[0]
            assert stage in ("tokens", "inputs", "given", "concat", "closing"), place["at"]
            continue
        ((step, head),) = {(cell.name, cell.head) for cell in fields}
        asking.add((step, head, place["depth"]))
        numbers = {computed.matrix(*cell[:2])[cell.row][cell.col] for cell in fields}
        for key, html, text in place["cells"]:
            if cell_of(key) in fields:
                assert text == ""
                assert 'data-kind="unknown"' in html
                assert "--tone: 0;" in html
        assert place["powers"] == ""
        assert not place["note"]
        shifted = r"(The largest score of each row is subtracted first; that changes no weight\.)?"
        line = rf"(\S+\[\d+, (\d+|…)\] = \?)?{shifted}What will stand here\?.*"
        assert re.fullmatch(line, place["line"]), place["line"]
        printed = {
            f"{number:.4f}".replace("-", "−") for number in numbers if abs(number) < 1e9 and number % 1
        }
        told = set(re.findall(r"−?\d+\.\d+", place["rest"])) - {f"{divisor(computed.example) or 1:.4f}"}
        assert not printed & told, place["at"]
    heads = range(len(computed.example.heads))
    asked = {(head, depth) for _, head, depth in asking}
    assert {(head, depth) for head in heads for depth in (0, 1, 2)} <= asked
    assert ("concat", None, 0) not in asking


# --- to take away ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "locale"), [("first", "en-US"), ("padding", "zh-CN")])
def test_the_page_taken_away_opens_without_a_network_and_shows_the_same_numbers(
    walk, browser, tmp_path, name, locale
):
    page = walk(f"?example={name}", locale=locale)
    with page.page.expect_download() as caught:
        page.page.locator(".st-key-walk-takeaway button").first.click()
    saved = tmp_path / "walk.html"
    caught.value.save_as(saved)
    check_page(trace(built_in(name)), saved.read_text("utf-8"))
    context = browser.new_context(offline=True)
    asked = []
    context.on("request", lambda request: asked.append(request.url))
    alone = context.new_page()
    alone.goto(saved.as_uri())
    assert asked == [saved.as_uri()]
    cells = alone.locator('td[data-cell^="weights|0|"]').all_inner_texts()
    numbers = {f"{number:.4f}" for row in trace(built_in(name)).matrix("weights", 0) for number in row}
    assert numbers == set(cells)
    alone.emulate_media(media="print")
    assert alone.locator("nav").is_hidden()
    assert alone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


MARK = """() => {
    const together = [];
    for (const heading of document.querySelectorAll("h2, h3")) {
        const shown = [heading];
        for (let next = heading.nextElementSibling; next?.matches("h3") === false; next = next.nextElementSibling) {
            const rows = next.matches("p, ol") ? [] : [...next.querySelectorAll("table tr:nth-child(2)")];
            shown.push(...(rows.length ? [rows[0]] : [next]));
            if (!next.matches("p")) break;
        }
        together.push(shown.map((node, i) => (node.id = `at-${together.length}-${i}`)));
    }
    const links = together.flat().map((id) => `<a href="#${id}">.</a>`);
    document.querySelector("main").insertAdjacentHTML("beforeend", links.join(" "));
    return together;
}"""


@pytest.fixture(scope="module")
def paper(browser):
    """A page on which pages that were taken away are printed."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def pages_of(pdf):
    """Which page of a PDF each id stands on that a link leads to: Chromium writes a destination for every one."""
    return dict(re.findall(rb"/(at-\d+-\d+)\s*\[\s*(\d+) 0 R", pdf))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", shortened(library(), EVERY_STAGE[:4]))
def test_on_paper_a_heading_stands_with_its_sentence_and_the_first_rows_of_its_table(paper, name, language):
    paper.set_content(as_html(trace(built_in(name)), language))
    together = paper.evaluate(MARK)
    for size in ("A4", "Letter"):
        stands = pages_of(paper.pdf(format=size, prefer_css_page_size=False))
        for ids in together:
            assert len({stands[one.encode()] for one in ids}) == 1, (size, ids)


def test_markdown_is_taken_away(walk, tmp_path):
    page = walk("?example=causal")
    with page.page.expect_download() as caught:
        page.page.get_by_role("button", name="Take away as Markdown").click()
    saved = tmp_path / "walk.md"
    caught.value.save_as(saved)
    assert "$$" in saved.read_text("utf-8")


# --- for everybody -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        "?step=scores&sub=4",
        "?step=weights&example=padding&view=projector",
        "?step=q&predict=1",
        "?step=closing&view=presenter",
    ],
)
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_axe_finds_no_serious_violation(walk, query, locale):
    assert_no_barrier(walk(query, locale=locale, reduced_motion="reduce").page)


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_nothing_sticks_out_of_the_page(walk, locale):
    page = walk("?step=weights&example=causal", locale=locale)
    for width in widths(page.page):
        page.press("9")
        for key in ("ArrowRight", "ArrowDown", "ArrowRight", "Home", "End"):
            assert wider(page.page) == [], (page.at, width)
            page.press(key)


def test_a_visitors_text_is_text(walk):
    from mha_core.edit.edits import apply

    nasty = '<img src=x onerror="document.title=1"> $x$ **b**'
    example = apply(built_in("first"), {"op": "rename_token", "which": "tokens", "index": 0, "text": nasty})
    page = walk(f"?s={to_token(example)}")
    expect(page.page.locator(".walk .tokens li").first).to_have_text(nasty)
    for _ in places(trace(example), 0):
        page.press("ArrowRight")
    expect(page.page.locator(".walk .looks")).to_contain_text(nasty)
    assert page.page.locator(".walk img, .walk b, .walk em").count() == 0
    assert page.page.title() == "Multi-head attention"


def test_the_lesson_link_keeps_the_work(walk):
    page = walk("?step=scaled_scores&example=water&lang=zh")
    expect(page.button("lesson")).to_have_attribute(
        "href", re.compile(r"^lessons\?lesson=sqrt-dk&example=water&lang=zh")
    )
