"""The lecturer's own walk: "My lecture", the presenter's notes and time, a number changed on the projector."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from mha_core import built_in, from_token, to_token, trace
from mha_core.compute.metrics import agreement
from mha_core.example.lecture import Lecture, LectureStep
from mha_core.walk.stages import walk as stages_of
from mha_core.walk.teaching import of_stage
from mha_view.language import LANGUAGES, words_in
from tests.apply import apply
from tests.e2e.looks import assert_no_barrier
from tests.e2e.test_rooms import opened
from tests.e2e.test_walkthrough_audience import large
from tests.e2e.test_walkthrough_windows import beside
from tests.sizes import at_length, shortened
from tools.drive.browser import wait_for, wait_until
from tools.drive.explore import Bench
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

    def note(self, step: str, text: str, question: str = "") -> None:
        self.field(f"more {step}").click()
        self.write(f"note {step}", text)
        if question:
            self.write(f"question {step}", question)

    def shows(self, *order: str) -> None:
        expect(self.root.locator("li").first).to_be_visible()
        wait_until(
            self.page,
            """(order) => {
                const host = [...document.querySelectorAll("*")].find((e) => e.shadowRoot?.querySelector(".planner"));
                const rows = [...host.shadowRoot.querySelectorAll(".planner li")];
                return rows.map((row) => row.dataset.step).join() === order;
            }""",
            ",".join(order),
        )


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


def test_a_step_is_hidden_moved_and_written_to_and_the_walk_follows(walk):
    page = walk("?example=first&view=presenter&step=scores")
    plan = Plan(page)
    what_is_typed_while_the_numbers_come_anew_stays(page, plan)
    plan.field("show inputs").uncheck()
    expect(page.root.locator(".outline button")).to_have_count(len(USUAL) - 1)
    plan.note("scores", "Two arrows on the board.", "Which pair <b>fits</b>?")
    plan.write("choice 1 scores", "<b>2</b>")
    plan.write("minutes scores", "3")
    plan.write("minutes", "35")
    plan.write("minutes", "-5")
    plan.write("minutes k", "--")
    plan.write("minutes q", "2,5")
    said = "a number of minutes from 0 to 600. What was typed is not taken."
    expect(plan.root.get_by_role("alert")).to_have_text([f"Minutes in all: {said}", f"Keys: {said}"])
    expect(plan.field("minutes")).to_have_value("-5")
    expect(plan.field("minutes q")).to_have_value("2.5")
    plan.write("minutes", "30")
    plan.write("minutes k", "1")
    expect(plan.root.get_by_role("alert")).to_have_count(0)
    plan.write("minutes", "35")
    plan.field("step_up scores").press("Enter")
    plan.shows("tokens", "inputs", "q", "k", "scores", "v", *USUAL[6:])
    plan.field("step_up scores").press("Alt+ArrowUp")
    plan.shows("tokens", "inputs", "q", "scores", "k", "v", *USUAL[6:])
    expect(plan.field("step_up scores")).to_be_focused()
    expect(plan.root.locator('li[data-step="scores"] .early')).to_have_text(
        "Comes before what it needs: Keys"
    )
    plan.page.keyboard.press("Escape")
    expect(plan.root).to_be_hidden()
    page.stands_at("scores")
    own = page.root.locator(".notes .own span")
    expect(own).to_have_text(
        [
            "Two arrows on the board.",
            "Which pair <b>fits</b>?",
            "A\nB · <b>2</b>",
            "Comes before what it needs: Keys",
        ],
        use_inner_text=True,
    )
    page.press("ArrowLeft").stands_at("q").press("ArrowRight").stands_at("scores").press(
        "ArrowRight"
    ).stands_at("k")
    page.press("Home").stands_at("tokens").press("ArrowRight").stands_at("q")
    page.page.wait_for_url("**step=q**")
    written = lecture_in(page.page)
    assert written.minutes == 35
    scores = LectureStep(
        "scores", "Two arrows on the board.", "Which pair <b>fits</b>?", ("", "<b>2</b>"), 3.0
    )
    assert scores in written.steps
    assert LectureStep("inputs", hidden=True) in written.steps
    page.page.reload()
    page.ready().stands_at("q")
    assert steps_of(page) == len(USUAL) - 1


def what_is_typed_while_the_numbers_come_anew_stays(page: Walk, plan: Plan) -> None:
    plan.note("q", "One")
    plan.field("question q").press_sequentially("What does this token look for?")
    expect(page.root.locator(".notes")).to_be_visible()
    page.page.wait_for_url(re.compile(r"[?&]s="))
    expect(plan.field("question q")).to_have_value("What does this token look for?")
    expect(plan.field("question q")).to_be_focused()


def test_undo_takes_a_lecture_back_and_numbers_that_are_edited_keep_it(walk):
    page = walk("?example=first&step=scores", viewport={"width": 1280, "height": 720})
    page.button("lecture").select_option("10")
    expect(page.root.locator(".teaching")).to_contain_text("Lecture:")
    plan = Plan(page)
    for what in ("h3", '[data-focus="own start 25"]', "li >> nth=0"):  # it opens in view
        expect(plan.root.locator(what)).to_be_in_viewport(ratio=1)
    plan.field("start 25").click()
    expect(plan.root.locator(".sum")).to_have_text("The steps are planned for 25 of 25 minutes.")
    plan.field("show inputs").uncheck()
    expect(page.root.locator(".outline button")).to_have_count(len(USUAL) - 1)
    page.page.get_by_role("link", name="Bench").click()
    bench = Bench(page.page).settled()
    bench.edit("x", None, 1, 0, 7)
    page.page.get_by_role("link", name="Walkthrough").click()
    page.ready()
    expect(page.root.locator(".outline button")).to_have_count(len(USUAL) - 1)
    page.page.get_by_role("link", name="Bench").click()
    bench = Bench(page.page).settled()
    for _ in range(3):
        bench.do("undo")
    page.page.get_by_role("link", name="Walkthrough").click()
    page.ready()
    expect(page.root.locator(".outline button")).to_have_count(len(USUAL))
    page.press("p")  # and before an audience the lecture that was chosen on the page is walked
    expect(page.page.locator(".walk .counter")).to_have_text(re.compile(r"^press \d+ of \d+$"))


@pytest.mark.parametrize("language", shortened(LANGUAGES, ["zh"]))
def test_the_presenter_reads_what_to_say_to_ask_and_what_goes_wrong_and_sees_what_is_next(walk, language):
    page = walk(f"?example=first&view=presenter&lang={language}", viewport={"width": 1280, "height": 720})
    notes = page.root.locator(".notes")
    for at, stage in enumerate(stages_of(FIRST)):
        page.stands_at(stage.id)
        teaching = of_stage(FIRST, stage)
        for name in ("say", "wrong"):
            told = getattr(teaching, name).translated(language).replace("_", "").replace("^", "")
            expect(notes.locator(f".{name}")).to_contain_text(told)
        types = page.root.locator(":is(.say, .note, .wrong, .next, .clock), .clock *, .what").evaluate_all(
            "(nodes) => nodes.map((node) => parseFloat(getComputedStyle(node).fontSize))"
        )
        assert min(types) >= 18
        expect(notes.locator(".note")).to_have_text(stage.words.note.translated(language).replace("_", ""))
        if at + 1 < len(USUAL):
            expect(notes.locator(".still .picture")).to_be_visible()
            if stage.id == "k":
                next_stands_still(notes.locator(".still"))
            page.press("ArrowRight")
    expect(notes.locator(".next")).to_have_text(words_in(language)("That was the last step."))
    expect(notes.locator(".still .picture")).to_have_count(0)
    if not at_length():  # at length test_axe_finds_nothing_in_my_lecture asks it of every view
        plan = Plan(page)
        plan.write("minutes", "25")
        plan.field("more scores").click()
        assert_no_barrier(page.page)


def next_stands_still(still: Locator) -> None:
    """The picture of the step after the keys has its numbers, and nothing to press."""
    expect(still).to_have_attribute("aria-hidden", "true")
    expect(still).to_have_attribute("inert", "")
    cell = still.locator('td[data-key="next v|0|2|1"]')
    expect(cell).to_have_text(f"{FIRST.matrix('v', 0)[2][1]:g}")


def test_time_is_told_against_what_was_planned_and_goes_on_after_a_reload_and_a_row_is_dragged(walk):
    token = taught(LectureStep("tokens"), minutes=60)
    page = walk(f"?s={token}&view=presenter")
    assert page.button("lecture").input_value() == "60"
    longest = page.button("lecture").locator("option").last
    expect(longest).to_have_text(re.compile(r"^60 min: \d+ presses, the same walk as in 50 min$"))
    elapsed, spent = (page.root.locator(f".notes .{name}") for name in ("elapsed", "spent"))
    expect(elapsed).to_have_text(re.compile(r"^0:\d\d of 60:00$"))
    expect(spent).to_have_text(re.compile(r"^0:\d\d of \d+:\d\d$"))
    page.page.evaluate(
        """() => {
            const run = JSON.parse(sessionStorage.getItem("mha-clock"));
            sessionStorage.setItem("mha-clock", JSON.stringify({...run, begun: run.begun - 61 * 60_000}));
        }"""
    )
    page.page.reload()
    page.ready()
    expect(elapsed).to_have_text(re.compile(r"^61:\d\d of 60:00 ⚠$"))
    page.button("restart").click()
    expect(elapsed).to_have_text(re.compile(r"^0:0\d of 60:00$"))
    a_row_is_dragged_and_the_last_step_that_is_shown_stays(page)


def a_row_is_dragged_and_the_last_step_that_is_shown_stays(page: Walk) -> None:
    plan = Plan(page)
    plan.root.locator('li[data-step="v"] .handle').drag_to(plan.root.locator('li[data-step="q"]'))
    plan.shows("tokens", "inputs", "v", "q", "k", *USUAL[5:])
    for step in USUAL:
        if step != "v":
            plan.field(f"show {step}").uncheck()
    plan.field("show v").click()
    expect(plan.field("show v")).to_be_checked()
    expect(page.root.locator(".outline button")).to_have_count(1)
    plan.field("usual").click()
    plan.shows(*USUAL)
    expect(page.root.locator(".outline button")).to_have_count(len(USUAL))


def test_notes_are_not_handed_to_those_who_follow(new_page, server):
    secret = "the answer is 42"
    lecture = {"steps": [{"step": "k"}, {"step": "scores", "note": secret}, {"step": "q", "hidden": True}]}
    example = apply(built_in("first"), {"op": "lecture", "lecture": lecture})
    front = Walk(new_page()).open(f"{server.url}walkthrough?s={to_token(example)}&step=k&view=projector")
    front.button("room follow").click()
    code = front.page.locator(".room-card .way strong").inner_text()
    phone = new_page(viewport={"width": 390, "height": 844})
    with phone.expect_response(re.compile("/walks/")) as walked:
        phone.goto(f"{server.url}follow/{code}")
    told = walked.value.json()
    assert secret not in walked.value.text()
    assert from_token(told["address"]["s"]).lecture is None
    assert [stage["id"] for stage in told["stages"]][:3] == ["tokens", "inputs", "k"]
    expect(phone.locator(".walk")).to_have_attribute("data-at", "k")
    expect(phone.locator(".planner")).to_have_count(0)


# --- a number on the projector ---------------------------------------------------------------------------------


def test_a_number_is_changed_on_the_projector_and_all_stay_together(new_page, server):
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
    field.press("ArrowRight")
    front.page.keyboard.type("x")
    field.press("Enter")
    expect(field).to_have_attribute("aria-invalid", "true")
    said = "X[计算机, 1]: “3x” is no number. What stood there still counts."
    expect(front.root.locator(".line .refused")).to_have_text(said)
    expect(field).to_have_value("3x")
    field.fill("7")
    expect(front.root.locator(".line .refused")).to_have_count(0)
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


def test_the_keys_change_numbers_too_and_computed_ones_stay(walk):
    page = walk("?example=first&view=projector&step=q")
    page.press("e")
    field = page.root.locator("input.change")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-label", "WQ[1, 1] of head 1")
    inside = "(field) => [field, field.parentElement].map((one) => one.getBoundingClientRect().x)"
    at, cell = field.evaluate(inside)
    assert abs(at - cell) < 1
    page.page.keyboard.type("−1.5")
    page.press("Tab")
    expect(page.cell("w_q", 0, 0, 0)).to_have_text("−1.5")
    expect(field).to_have_attribute("aria-label", "WQ[1, 2] of head 1")
    page.page.keyboard.type("abc")
    page.press("Enter")
    expect(page.root.locator(".line .refused")).to_be_visible()
    page.press("Escape")
    for gone in (field, page.root.locator(".line .refused")):
        expect(gone).to_have_count(0)
    page.stands_at("q")
    page.press("Control+z")
    expect(page.cell("w_q", 0, 0, 0)).to_have_text("1")
    page.press("Control+Shift+z")
    expect(page.cell("w_q", 0, 0, 0)).to_have_text("−1.5")
    page.press("e").page.keyboard.type("1e9")
    page.press("Enter")
    expect(page.cell("w_q", 0, 0, 0)).to_have_text("1.000e+9")
    expect(page.cell("w_q", 0, 0, 0)).to_have_attribute("title", "1000000000")
    page.cell("q", 0, 0, 0).dblclick()
    expect(field).to_have_count(0)
    page.press("ArrowRight", "ArrowRight", "ArrowRight").stands_at("scores").press("e")
    expect(field).to_have_count(0)
    nothing = "Nothing that stands here can be changed; numbers of X, WQ can, in step 3, Queries."
    expect(page.root.locator(".line .refused")).to_have_text(nothing)
    expect(page.root.locator(".line .refused sub")).to_have_text("Q")
    page.press("ArrowRight").stands_at("scaled_scores")


@pytest.mark.long  # in short it is asked of the presenter's, at the end of what he reads
@pytest.mark.parametrize("view", ["", "&view=presenter"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing_in_my_lecture(walk, language, view):
    page = walk(f"?s={taught(LectureStep('scores'), minutes=25)}&lang={language}{view}")
    plan = Plan(page)
    plan.field("more scores").click()
    assert_no_barrier(page.page)


# --- two heads beside each other -------------------------------------------------------------------------------


HALL = [("projector", "zh"), ("presenter", "en")]
"""Where least room is: the wall's large type, and what the presenter reads beside, in the longer language."""


@pytest.mark.parametrize(
    ("view", "language"),
    [
        pytest.param(view, language, marks=() if (view, language) in HALL else pytest.mark.long)
        for view in ("", "projector", "presenter")
        for language in LANGUAGES
    ],
)
def test_two_heads_stand_beside_each_other_with_one_scale_and_a_sentence(walk, language, view):
    """Every step of head 1 and of head 2: both matrices whole, nothing cut off, and the largest difference told."""
    water = trace(built_in("water"))
    page = walk(f"?example=water&view={view}&lang={language}&step=q", viewport={"width": 1280, "height": 720})
    if view == "projector":
        page.root.hover()
    page.button("compare first").select_option("1")
    page.button("compare second").select_option("0")
    for name in ("q", "k", "v", "scores", "scaled_scores", "weights", "head_outputs"):
        page.stands_at(name)
        for head in (0, 1):
            assert_right(page, water)
            expect(page.cell(name, head, 0, 0)).to_be_in_viewport(ratio=1)
        rows = [water.matrix(name, head) for head in (1, 0)]
        top = 1.0 if name == "weights" else max(abs(n) for m in rows for row in m for n in row)
        for head in (0, 1):
            tone = page.cell(name, head, 0, 0).evaluate("(td) => td.style.getPropertyValue('--tone')")
            assert float(tone) == pytest.approx(abs(water.matrix(name, head)[0][0]) / top, abs=0.0006)
        differ = page.root.locator(".pair .differ")
        if name == "scores":
            apart = [
                (abs(a - b), -i, -j, a, b)
                for i, (x, y) in enumerate(zip(*rows, strict=True))
                for j, (a, b) in enumerate(zip(x, y, strict=True))
            ]
            _, row, col, one, other = max(apart)
            told = words_in(language)(
                "They differ most at {place}: {left} in head {one}, {right} in head {other}."
            )
            place = f"[{water.example.tokens[-row]}, {water.example.tokens[-col]}]"
            expect(differ).to_have_text(
                told.format(place=place, left=f"{one:g}", right=f"{other:g}", one=2, other=1)
            )
        if view:
            over = "(n) => n.scrollHeight > n.clientHeight || n.scrollWidth > n.clientWidth"
            assert not page.root.locator(".stage").evaluate(over), name
        page.press("ArrowRight")
    expect(page.root.locator(".pair")).to_have_count(1)
    page.press("ArrowRight").stands_at("concat")
    expect(page.root.locator(".pair")).to_have_count(0)


def test_the_sentence_of_two_heads_says_what_they_share_and_where_they_part(walk):
    water = trace(built_in("water"))
    page = walk("?example=water&step=weights")
    page.button("compare first").select_option("0")
    share = round(100 * agreement(water)[0][1])
    expect(page.root.locator(".pair .differ")).to_have_text(
        f"Of all attention, heads 1 and 2 spend {share} % on the same tokens. They part most at “toxic”: head 1 looks "
        "most at “is”, head 2 at “toxic”."
    )
    play, why = page.button("motion"), page.root.locator(".motion-bar .reason")
    expect(play).to_be_disabled()
    expect(why).to_have_text("Motion shows how one head computes: not while two are compared.")
    page.press("3").stands_at("q")
    told = "They differ most at 2 places, by the same amount; the first is ["
    expect(page.root.locator(".pair .differ")).to_contain_text(told)
    page.button("compare first").select_option("")
    expect(page.root.locator(".pair")).to_have_count(0)
    expect(play).to_be_enabled()
    expect(why).to_be_hidden()
    page.button("predict").check()  # and what is to be predicted is not told by them
    page.button("compare first").select_option("0")
    expect(page.root.locator(".pair")).to_have_count(0)
    expect(page.root.locator("input.answer").first).to_be_visible()
    page.button("predict").uncheck()
    tokens_at_which_two_heads_part_alike_are_counted(page)


def tokens_at_which_two_heads_part_alike_are_counted(page: Walk) -> None:
    """In another example, which is chosen on the same page."""
    page.page.locator('.st-key-frame [data-testid="stSelectbox"] input').click()
    page.page.get_by_role("option", name="I love programming: three heads").click()
    wait_for(page.page, '[data-focus="compare first"] option[value="2"]')
    page.root.locator(".outline button").nth(USUAL.index("weights")).click()
    page.stands_at("weights").button("compare first").select_option("0")
    expect(page.root.locator(".pair .differ")).to_contain_text("They part most at 2 tokens")


@pytest.mark.parametrize("sizes", shortened([(24, 4, 8), (32, 12, 48)], [(24, 4, 8)]))
def test_a_large_example_folds_both_heads_alike(walk, sizes):
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


def both_compare(front: Walk, back: Walk) -> None:
    """The same heads beside each other in both windows."""
    back.press("v")
    expect(front.root.locator(".pair")).to_be_visible()
    for focus, head in (("compare first", "0"), ("compare second", "1")):
        expect(front.button(focus)).to_have_value(head)
    back.press("v")
    expect(front.root.locator(".pair")).to_have_count(0)


# --- hands -----------------------------------------------------------------------------------------------------


def test_both_windows_compare_the_same_heads_and_count_hands_before_the_number_appears(new_page, server):
    address = f"{server.url}walkthrough?example=first&step=scores&sub=1&view="
    front = Walk(new_page()).open(f"{address}projector")
    back = Walk(beside(front.page)).open(f"{address}presenter")
    back.press("ArrowRight").stands_at("scores 2")
    front.stands_at("scores 2")
    both_compare(front, back)
    back.press("h")
    card = front.root.locator(".hands")
    expect(card.locator("h3")).to_have_text("What will stand in S[思考, 计算机] of head 1?")
    expect(front.cell("scores", 0, 0, 1).locator("input")).to_have_value("")
    back.button("hands +").click()
    for at, (answer, count) in enumerate((("12", 4), ("13", 15), ("21", 1))):
        back.button(f"hands answer {at}").fill(answer)
        back.button(f"hands count {at}").fill(str(count))
    back.button("hands one 0").click()
    for at, (answer, count) in enumerate((("12", 5), ("13", 15), ("21", 1))):
        expect(front.button(f"hands answer {at}")).to_have_value(answer)
        expect(front.button(f"hands count {at}")).to_have_value(str(count))
        share = card.locator(".answer-row").nth(at).evaluate("(row) => row.style.getPropertyValue('--share')")
        assert float(share) == pytest.approx(count / 21, abs=1e-4)
    expect(card.locator(".right")).to_have_count(0)
    assert front.page.evaluate(OVER) == []
    panel, notes = (back.root.locator(name).bounding_box() for name in (".hands", ".notes"))
    assert panel["y"] + panel["height"] <= notes["y"]
    expect(back.root.locator(".notes .say")).to_be_in_viewport()
    front.button("reveal").press("Enter")
    for page in (front, back):
        expect(page.root.locator(".hands .right")).to_have_count(1)
        expect(page.root.locator(".hands .right strong")).to_have_text("B")
    expect(front.cell("scores", 0, 0, 1)).to_have_text("13")
    assert_no_barrier(front.page)
    front.page.locator("body").press("Escape")  # it lies over the projector, which stays
    expect(card).to_be_hidden()
    expect(back.root.locator(".hands")).to_be_hidden()
    expect(front.root).to_have_attribute("data-view", "projector")
    back.button("hands").click()
    expect(card.locator("h3")).to_have_text("Who had which number for S[思考, 计算机] of head 1?")
    expect(front.button("hands answer 0")).to_have_value("13")
    front.press("Enter", "ArrowRight").stands_at(
        "scores 3"
    )  # who walks on leaves them behind, and asks no more
    for page in (front, back):
        expect(page.root.locator(".hands")).to_be_hidden()
        expect(page.button("predict")).not_to_be_checked()
        expect(page.cell("scores", 0, 0, 2)).to_have_text("21")


OVER = """() => {
    const {shadowRoot} = [...document.querySelectorAll("*")].find((node) => node.shadowRoot?.querySelector(".walk"));
    const box = (node) => node.getBoundingClientRect();
    const panel = box(shadowRoot.querySelector(".hands"));
    const fields = [...shadowRoot.querySelectorAll(".hands input")];
    const least = (node) => (node.type === "number" ? 32 : 20);
    const isSmall = (node) => parseFloat(getComputedStyle(node).fontSize) < least(node) ||
        box(node).bottom > panel.bottom || node.scrollWidth > node.clientWidth;
    const small = fields.filter(isSmall);
    const told = [...shadowRoot.querySelectorAll("h2, .about, .formula, .line, .picture, .outline")];
    const under = told.filter((node) => box(node).width && panel.left < box(node).right &&
        box(node).left < panel.right && panel.top < box(node).bottom && box(node).top < panel.bottom);
    return [...under, ...small].map((node) => node.className || node.tagName);
}"""
"""What the hands' panel lies over on the wall, and which of its fields are small or cut."""


def test_a_question_of_ones_own_is_answered_with_hands_or_asked_with_one_press(walk):
    own = {"question": "What does it look for?", "choices": ["<i>X</i>"]}
    lecture = {"steps": [{"step": "tokens", "question": "Which of them comes first?"}, {"step": "q", **own}]}
    token = to_token(apply(built_in("first"), {"op": "lecture", "lecture": lecture}))
    page = walk(f"?s={token}&view=presenter&lang=zh")
    page.button("hands").click()
    expect(page.root.locator(".hands h3")).to_have_text("Which of them comes first?")
    page.button("hands count 0").fill("-3")
    page.button("hands count 0").blur()
    expect(page.button("hands count 0")).to_have_value("0")
    for _ in range(2):
        page.button("hands +").click()
    expect(page.button("hands +")).to_be_disabled()
    page.button("hands −").click()
    expect(page.root.locator(".hands .answer-row")).to_have_count(3)
    page.press("ArrowRight").stands_at("inputs")
    expect(page.root.locator(".hands")).to_be_hidden()
    page.press("h")
    expect(page.root.locator(".hands h3")).to_have_text("这里没有写问题，请口头提问。")
    page.press("ArrowRight").stands_at("q")
    page.button("room follow").click()
    expect(page.button("room question")).to_have_value("What does it look for?")
    page.button("room choices 3").click()
    expect(page.root.locator(".room-question h3")).to_have_text("What does it look for?")
    expect(page.root.locator(".room-question .answer-label")).to_have_text(["A · <i>X</i>", "B", "C"])
    for _ in range(2):
        page.button("room end").click()
