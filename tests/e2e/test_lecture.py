"""The lecturer's own walk: "My lecture", the presenter's notes, a number changed on the projector, two heads, hands."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from mha_core import built_in, from_token, to_token, trace
from mha_core.example.lecture import Lecture, LectureStep
from mha_core.walk.stages import walk as stages_of
from mha_view.language import LANGUAGES
from tests.apply import apply
from tests.e2e.looks import assert_no_barrier
from tests.e2e.test_rooms import opened
from tests.e2e.test_walkthrough_audience import large
from tests.e2e.test_walkthrough_windows import beside
from tests.sizes import at_length, shortened
from tools.drive.walk import Walk, assert_right, bench_example

FIRST = trace(built_in("first"))
USUAL = [stage.id for stage in stages_of(FIRST)]


class Plan:
    """The panel "My lecture"."""

    def __init__(self, walk: Walk) -> None:
        self.page = walk.page
        self.root = walk.page.locator(".planner")
        walk.button("own").click()

    def field(self, focus: str):
        return self.root.locator(f'[data-focus="own {focus}"]')

    def write(self, focus: str, text: str) -> None:
        self.field(focus).fill(text)
        self.field(focus).blur()


def steps_of(walk: Walk) -> int:
    return walk.root.locator(".outline button").count()


def lecture_in(page: Page) -> Lecture | None:
    """The lecture of the address, once it says one."""
    page.wait_for_url(re.compile(r"[?&]s="))
    return from_token(re.search(r"[?&]s=([\w-]+)", page.url)[1]).lecture


def taught(*steps: LectureStep, minutes: float | None = None) -> str:
    lecture = {"steps": [{"step": one.step} for one in steps]} | ({"minutes": minutes} if minutes else {})
    example = apply(built_in("first"), {"op": "lecture", "lecture": lecture})
    return to_token(example)


def test_a_lecture_is_planned_while_numbers_come_and_outlives_a_reload(walk):
    """What is typed stays while the answer to the change before it comes; and a row is dragged."""
    page = walk("?example=first&step=scores", viewport={"width": 1280, "height": 720})
    plan = Plan(page)
    for part in ("h3", '[data-focus="own start 25"]', "li >> nth=0"):  # it opens in view
        expect(plan.root.locator(part)).to_be_in_viewport(ratio=1)
    plan.field("more q").click()
    plan.write("note q", "One")
    plan.field("question q").press_sequentially("What does this token look for?")
    page.page.wait_for_url(re.compile(r"[?&]s="))
    expect(plan.field("question q")).to_have_value("What does this token look for?")
    expect(plan.field("question q")).to_be_focused()
    plan.root.locator('li[data-step="v"] .handle').drag_to(plan.root.locator('li[data-step="q"]'))
    plan.field("show inputs").uncheck()
    expect(page.root.locator(".outline button")).to_have_count(len(USUAL) - 1)
    plan.page.keyboard.press("Escape")
    page.press("Home").stands_at("tokens").press("ArrowRight").stands_at("v")
    page.page.wait_for_url("**step=v**")
    note = LectureStep("q", "One", "What does this token look for?")
    assert {note, LectureStep("inputs", hidden=True)} <= set(lecture_in(page.page).steps)
    page.page.reload()
    page.ready().stands_at("v")
    assert steps_of(page) == len(USUAL) - 1


@pytest.mark.parametrize("language", shortened(LANGUAGES, ["zh"]))
def test_what_the_presenter_reads_is_large_and_what_is_next_is_in_view(walk, language):
    page = walk(f"?example=first&view=presenter&lang={language}", viewport={"width": 1280, "height": 720})
    notes = page.root.locator(".notes")
    for stage in stages_of(FIRST):
        page.stands_at(stage.id)
        types = page.root.locator(":is(.say, .note, .wrong, .next, .clock), .clock *, .what").evaluate_all(
            "(nodes) => nodes.map((node) => parseFloat(getComputedStyle(node).fontSize))"
        )
        assert min(types) >= 18
        if stage.id != USUAL[-1]:
            expect(notes.locator(".still .picture")).to_be_visible()
            page.press("ArrowRight")
    if not at_length():  # with --long test_axe_finds_nothing_in_my_lecture looks at every view
        plan = Plan(page)
        plan.write("minutes", "25")
        plan.field("more scores").click()
        assert_no_barrier(page.page)


# --- a number on the projector ---------------------------------------------------------------------------------


def test_a_number_changed_on_the_projector_reaches_the_second_window_and_phones(new_page, server):
    front, code = opened(new_page(viewport={"width": 1280, "height": 720}), server.url)
    front.button("room card").click()
    back = Walk(beside(front.page)).open(f"{server.url}walkthrough?example=first&step=q&view=presenter")
    phone = Walk(new_page(viewport={"width": 390, "height": 844}))
    phone.page.goto(f"{server.url}follow/{code}")
    front.press("ArrowDown", "ArrowRight").stands_at("q 2")
    back.stands_at("q 2")
    expect(phone.root).to_have_attribute("data-at", "q 2")
    front.cell("x", None, 1, 0).dblclick()
    field = front.root.locator("input.change")
    expect(field).to_have_value("3")
    inside = "(field) => [field, field.parentElement].map((one) => one.getBoundingClientRect().x)"
    at, cell = field.evaluate(inside)
    assert abs(at - cell) < 1
    field.fill("7")
    field.press("Enter")
    example = trace(bench_example(FIRST.example, 7.0))
    for page in (front, back):
        page.stands_at("q 2")
        expect(page.cell("x", None, 1, 0)).to_have_text("7")
        assert_right(page, example)
    expect(phone.page.locator('td[data-key="x||1|0"]')).to_have_text("7")
    expect(phone.root).to_have_attribute("data-at", "q 2")
    expect(front.root).to_have_attribute("data-view", "projector")
    front.press("ArrowRight").stands_at("q 3")
    back.stands_at("q 3")


@pytest.mark.long  # test_what_the_presenter_reads_is_large... looks at the presenter's page
@pytest.mark.parametrize("view", ["", "&view=presenter"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing_in_my_lecture(walk, language, view):
    page = walk(f"?s={taught(LectureStep('scores'), minutes=25)}&lang={language}{view}")
    plan = Plan(page)
    plan.field("more scores").click()
    assert_no_barrier(page.page)


# --- two heads beside each other -------------------------------------------------------------------------------


HALL = [("projector", "zh"), ("presenter", "en")]
"""Where there is least room: the large type of the projector, and the notes of the presenter's page."""


@pytest.mark.parametrize(
    ("view", "language"),
    [
        pytest.param(view, language, marks=() if (view, language) in HALL else pytest.mark.long)
        for view in ("", "projector", "presenter")
        for language in LANGUAGES
    ],
)
def test_two_heads_are_whole_beside_each_other(walk, language, view):
    page = walk(f"?example=water&view={view}&lang={language}&step=q", viewport={"width": 1280, "height": 720})
    if view == "projector":
        page.root.hover()
    page.button("compare first").select_option("1")
    for name in ("q", "k", "v", "scores", "scaled_scores", "weights", "head_outputs"):
        page.stands_at(name)
        for head in (0, 1):
            expect(page.cell(name, head, 0, 0)).to_be_in_viewport(ratio=1)
        if view:
            over = "(n) => n.scrollHeight > n.clientHeight || n.scrollWidth > n.clientWidth"
            assert not page.root.locator(".stage").evaluate(over), name
        page.press("ArrowRight")


@pytest.mark.parametrize("sizes", shortened([(24, 4, 8), (32, 12, 48)], [(24, 4, 8)]))
def test_a_large_example_folds_both_heads_in_the_same_way(walk, sizes):
    example = large(*sizes)
    page = walk(
        f"?s={to_token(example)}&view=projector&step=weights", viewport={"width": 1280, "height": 720}
    )
    page.root.hover()
    page.button("compare first").select_option("3")
    for head in (3, 1):
        expect(page.cell("weights", head, 0, 0)).to_be_in_viewport(ratio=1)
    expect(page.root.locator(".pair th.gap").first).to_be_visible()
    assert_right(page, trace(example))
    tables = page.root.locator(".pair table")
    assert tables.nth(0).locator("td").count() == tables.nth(1).locator("td").count()


# --- hands -----------------------------------------------------------------------------------------------------


def test_hands_are_counted_over_nothing_and_revealed_in_both_windows(new_page, server):
    address = f"{server.url}walkthrough?example=first&step=scores&sub=1&view="
    front = Walk(new_page()).open(f"{address}projector")
    back = Walk(beside(front.page)).open(f"{address}presenter")
    back.press("ArrowRight").stands_at("scores 2")
    front.stands_at("scores 2")
    back.press("h")
    expect(front.cell("scores", 0, 0, 1).locator("input")).to_have_value("")
    back.button("hands +").click()
    for at, (answer, count) in enumerate((("12", 4), ("13", 15), ("21", 1))):
        back.button(f"hands answer {at}").fill(answer)
        back.button(f"hands count {at}").fill(str(count))
    expect(front.button("hands answer 2")).to_have_value("21")
    assert front.page.evaluate(OVER) == []
    panel, notes = (back.root.locator(name).bounding_box() for name in (".hands", ".notes"))
    assert panel["y"] + panel["height"] <= notes["y"]
    expect(back.root.locator(".notes .say")).to_be_in_viewport()
    front.button("reveal").press("Enter")
    for page in (front, back):
        expect(page.root.locator(".hands .right strong")).to_have_text("B")
    assert_no_barrier(front.page)


OVER = """() => {
    const {shadowRoot} = [...document.querySelectorAll("*")].find((node) => node.shadowRoot?.querySelector(".walk"));
    const box = (node) => node.getBoundingClientRect();
    const panel = box(shadowRoot.querySelector(".hands"));
    const fields = [...shadowRoot.querySelectorAll(".hands input")];
    const least = (node) => (node.type === "number" ? 32 : 20);
    const isSmall = (node) => parseFloat(getComputedStyle(node).fontSize) < least(node) ||
        box(node).bottom > panel.bottom || node.scrollWidth > node.clientWidth;
    const small = fields.filter(isSmall);
    const read = [...shadowRoot.querySelectorAll("h2, .about, .formula, .line, .picture, .outline")];
    const under = read.filter((node) => box(node).width && panel.left < box(node).right &&
        box(node).left < panel.right && panel.top < box(node).bottom && box(node).top < panel.bottom);
    return [...under, ...small].map((node) => node.className || node.tagName);
}"""
"""What the panel of hands covers on the projector, and which of its fields are small or cut off."""
