"""The overview above the tables: tokens, a line for every weight, what each token takes along; and what has moved."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from mha_core import built_in, trace
from mha_core.example.share_link import packed
from mha_view.language import words_in
from mha_view.palette import LIGHT
from tests.apply import apply
from tests.e2e.looks import assert_no_barrier, assert_no_barrier_either, wider
from tests.e2e.test_live import drag
from tests.sizes import at_length, shortened
from tools.drive.explore import assert_shows

PROGRAMMING = built_in("programming")
CHOSEN = "rgb({}, {}, {})".format(*bytes.fromhex(LIGHT.chosen[1:]))
SIZES = ((390, 844), (1280, 720), (1440, 900), (1920, 1080))

WIDTHS = """() => [...document.querySelectorAll("*")].flatMap((host) =>
    [...(host.shadowRoot?.querySelectorAll(".overview-head") ?? [])].map((head) =>
        [...head.querySelectorAll(".thread")].map((thread) => Number(thread.style.strokeWidth))))"""


COVERED_SIGNS = """() => [...document.querySelectorAll("*")].flatMap((host) =>
    [...(host.shadowRoot?.querySelectorAll('td:is([data-lens="up"], [data-lens="down"])') ?? [])].filter((cell) => {
        const sign = getComputedStyle(cell, "::after"), text = document.createRange();
        text.selectNodeContents(cell);
        const box = cell.getBoundingClientRect(), digits = text.getBoundingClientRect();
        const tall = 0.74 * parseFloat(getComputedStyle(cell).fontSize);  // a digit
        const isBeside = digits.left >= box.left + parseFloat(sign.left) + parseFloat(sign.width) + 2;
        const foot = box.top + parseFloat(sign.top) + parseFloat(sign.height);
        const isBelow = (digits.top + digits.bottom - tall) / 2 >= foot;
        return !isBeside && !isBelow;
    }).map((cell) => cell.textContent))"""
"""Numbers that the sign which says which way they moved touches: it stands above them, or has a space of its own."""


def overview(page):
    return page.locator(".overview")


def inside(box, width, height):
    return (
        box["x"] >= 0
        and box["y"] >= 0
        and box["x"] + box["width"] <= width
        and box["y"] + box["height"] <= height
    )


@pytest.mark.parametrize("language", shortened(["en", "zh"], ["en"]))  # whose words are the longer ones
def test_at_every_size_the_first_screen_holds_the_sentence_and_a_number_and_what_is_unfolded(visit, language):
    """And nothing sticks out, and axe finds nothing."""
    bench = visit(f"?lang={language}")
    page = bench.page
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert wider(page) == []
        below = page.locator(".explain").bounding_box()["y"]
        for part in (page.locator(".bench .about"), overview(page), bench.cell("x", None, 0, 0)):
            assert inside(part.bounding_box(), width, below), (width, height)
        if width >= 1440:  # a head's projections stand side by side
            w_q, w_v = (bench.cell(name, 2, 0, 0).bounding_box() for name in ("w_q", "w_v"))
            assert w_q["y"] == w_v["y"]
        for look in overview(page).locator(".look").all():  # nothing of it is cut off
            assert look.evaluate("(look) => look.scrollHeight <= look.clientHeight"), (width, height)
        what_is_unfolded_stays_within_the_window(page, width, height)
    page.set_viewport_size(
        {"width": 1280, "height": 600}
    )  # where there is too little room for it, it scrolls
    what_is_unfolded_stays_within_the_window(page, 1280, 600)
    page.set_viewport_size({"width": 1280, "height": 800})
    assert_no_barrier_either(page)
    page.get_by_role("button", name=words_in(language)("Your sentence")).click()
    assert_no_barrier(page)


def what_is_unfolded_stays_within_the_window(page, width, height):
    margin = page.locator(".controls").bounding_box()
    for fold in page.locator(".fold").all():
        fold.evaluate("(fold) => (fold.firstChild.focus(), fold.firstChild.click())")
        box = fold.locator(".folded-in").bounding_box()
        assert inside(box, width, height), (width, height)
        if width > 720:
            assert box["x"] + box["width"] <= margin["x"] + margin["width"] + 1, (width, height)
        options = fold.locator(".option:has(:is(select, input[type=checkbox])):visible").all()
        fields = [
            option.locator(":is(select, input[type=checkbox]):visible").first.bounding_box()
            for option in options
        ]
        assert len({round(field["x"]) for field in fields}) == 1, (width, height)
        assert all(field["x"] + field["width"] <= width for field in fields), (width, height)
        page.keyboard.press("Escape")


def test_what_a_drag_changes_is_in_sight_while_it_is_dragged(visit):
    bench = visit("").settled()
    now = apply(
        PROGRAMMING,
        {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[-1]]},
    )
    for width, height in SIZES if at_length() else SIZES[:2]:  # which have the least room
        bench.page.set_viewport_size({"width": width, "height": height})
        before = bench.page.evaluate(WIDTHS)
        drag(bench, -3, "x", None, 0, 0)
        expect(bench.cell("x", None, 0, 0)).to_have_text("−1")
        expect(bench.page.locator(".moved")).to_contain_text(re.compile(r"\d+ of 27 weights changed"))
        for part in (bench.cell("x", None, 0, 0), overview(bench.page)):
            assert inside(part.bounding_box(), width, height)
        assert bench.page.evaluate(WIDTHS) != before
        bench.page.mouse.up()
        assert_shows(bench.settled(), now)
        bench.do("undo")
        bench.settled()  # the answer to the undo replaces the cells


def test_a_line_is_as_thick_as_its_weight_and_leads_to_it_and_a_token_or_a_head_is_seen_alone(visit):
    bench = visit("?example=programming")
    told = re.compile("^Head 1: I attends most to I, 0.89; love attends")  # to who cannot see it
    expect(overview(bench.page).get_by_role("group", name=told)).to_have_count(1)
    weights = [w for head in trace(PROGRAMMING).values["weights"] for row in head for w in row]
    drawn = [width for head in bench.page.evaluate(WIDTHS) for width in head]
    assert len(drawn) == len(weights) == 27
    thick = 1 + (max(drawn) - 1) / max(weights) * 1.0
    slope = (thick - 1) / 1.0
    for width, weight in zip(drawn, weights, strict=True):
        assert abs(width - (1 + weight * slope)) < 0.06 * slope
    a_token_is_seen_alone_by_pointer_and_keyboard_and_a_head_too(bench.page)
    a_line_or_a_bar_is_pointed_at_and_clicked_to_go_to_its_number(bench)


def a_line_or_a_bar_is_pointed_at_and_clicked_to_go_to_its_number(bench):
    page = bench.page
    svg = page.locator(".overview-head").nth(1).locator(".overview-lines > svg")
    box = svg.bounding_box()
    # the query "programming" (the last of three) gives most to "I", the first key
    page.mouse.move(box["x"] + 2, box["y"] + box["height"] * 5 / 6)
    expect(page.locator(".explain")).to_contain_text("programming →")
    lines = overview(page).locator(".thread")
    expect(lines.and_(page.locator(".meant"))).to_have_css("opacity", "1")
    expect(lines.and_(page.locator(":not(.meant)")).first).to_have_css("opacity", "0.3")
    page.mouse.move(box["x"], box["y"] - 30)
    expect(lines.first).to_have_css("opacity", "1")
    page.mouse.click(box["x"] + box["width"] - 2, box["y"] + box["height"] / 6)
    expect(bench.cell("weights", 1, 2, 0)).to_be_focused()
    expect(page.locator(".explain")).to_contain_text("programming → I")
    expect(page.locator(".overview-head").nth(1).locator(".thread.lit")).to_have_count(1)
    assert bench.cell("weights", 1, 2, 0).bounding_box()["y"] >= overview(page).bounding_box()["height"]
    page.get_by_test_id("stMain").evaluate("(main) => main.scrollTo(0, 0)")  # where it is not slim
    expect(page.locator(".overview.slim")).to_have_count(0)
    bars = overview(page).locator(".overview-taken .bars").first
    box = bars.bounding_box()
    page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 2)  # above the bar is its room still
    expect(page.locator(".explain")).to_contain_text("head1[1, 2] (I) =")
    page.mouse.click(box["x"] + 0.75 * box["width"], box["y"] + 2)
    expect(bench.cell("head_outputs", 0, 0, 1)).to_be_focused()


def a_token_is_seen_alone_by_pointer_and_keyboard_and_a_head_too(page):
    love = overview(page).get_by_role("button", name="love", exact=True)
    love.click()
    expect(love).to_have_attribute("aria-pressed", "true")
    page.mouse.move(0, 0)
    language = page.locator('.st-key-frame-language [aria-checked="true"]')
    for chosen in (love, language):  # what is chosen looks so wherever it stands
        expect(chosen).to_have_css("background-color", CHOSEN)
    expect(overview(page).locator(".thread:not(.quiet)")).to_have_count(9)
    page.keyboard.press("Escape")
    expect(overview(page).locator(".thread.quiet")).to_have_count(0)
    love.press("Enter")
    expect(overview(page).locator(".thread.quiet")).to_have_count(18)
    page.keyboard.press("Escape")
    overview(page).get_by_role("button", name="Head 2", exact=True).click()
    expect(overview(page).locator(".overview-lines:visible")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(overview(page).locator(".overview-lines:visible")).to_have_count(3)


def test_a_hidden_pair_has_no_line(visit):
    bench = visit("?example=causal")
    drawn = bench.page.evaluate(WIDTHS)
    for widths_of, rows in zip(drawn, trace(built_in("causal")).values["weights"], strict=True):
        for width, weight in zip(widths_of, (w for row in rows for w in row), strict=True):
            assert (width == 0) == (weight == 0)


def test_scrolled_to_the_tables_it_is_slim_and_moves_nothing(visit):
    bench = visit("?example=programming", reduced_motion="reduce", viewport={"width": 1280, "height": 720})
    page = bench.page
    main, stage = page.locator(".stMain"), page.locator("section.stage").nth(3)
    whole, slim = overview(page), page.locator(".overview.slim")
    full, below = whole.bounding_box()["height"], stage.bounding_box()["y"]
    for scrolled in (340, 500, 20, 0):  # there and back
        main.evaluate("(main, top) => main.scrollTo(0, top)", scrolled)
        expect(slim).to_have_count(int(scrolled >= 340))
        assert abs(stage.bounding_box()["y"] - (below - scrolled)) < 1
        if scrolled >= 340:
            assert slim.bounding_box()["height"] < 0.5 * full
    assert whole.bounding_box()["height"] == full
    main.evaluate("(main) => main.scrollTo(0, 400)")
    expect(slim).to_have_count(1)
    below = stage.bounding_box()["y"]
    bench.type("w_q", 0, 0, 0, "2")  # what has moved is said, in a line that was not there
    expect(page.locator(".overview .moved")).to_contain_text("weights changed")
    expect(page.locator(".overview .moved")).to_be_visible()
    assert abs(stage.bounding_box()["y"] - below) < 1


def write(page, text):
    """A sentence for made-up numbers, which is not entered yet."""
    page.get_by_role("button", name="Your sentence").click()
    page.locator('[data-focus="made_up"]').check()
    page.locator(".sentence .text input").fill(text)


def test_a_sentence_is_typed_its_words_are_rewritten_by_hand_and_a_long_one_is_a_map_with_names(visit):
    bench = visit("?example=programming")
    for text in ("水 有 毒", "The cat sat on the mat") if at_length() else ("水 有 毒",):
        a_sentence_is_typed_and_undone(bench, text)
    words_in_another_order_are_not_compared_with_those_before(bench)
    bench.do("reset")
    words_are_moved_split_joined_and_rewritten_by_hand(bench)
    assert_no_barrier_either(bench.page)
    bench.page.keyboard.press("Escape")
    a_map_has_the_names_of_its_rows_and_columns(bench)


def a_sentence_is_typed_and_undone(bench, text):
    page, tokens = bench.page, text.split()
    write(page, text)
    expect(page.locator(".tokens-told .word")).to_have_text(tokens)
    page.keyboard.press("Enter")
    expect(bench.cell("x", None, len(tokens) - 1, 0)).to_be_visible()
    now = apply(PROGRAMMING, {"op": "sentence", "which": "tokens", "tokens": tokens})
    assert_shows(bench.settled(), now)
    expect(overview(page).locator(".overview-token")).to_have_text(tokens)
    bench.wait_for_address(now)
    bench.do("undo")
    assert_shows(bench.settled(), PROGRAMMING)


def test_how_many_words_are_left_out_is_true_however_long_the_text_and_signs_are_named(visit):
    page = visit("?example=programming").page
    write(page, "salt & pepper, " * 1000)
    notes = page.locator(".sentence .made-up-only .rest")
    expect(notes.filter(has_text="left out:")).to_contain_text("left out: & , (")
    expect(notes.filter(has_text="the first")).to_have_text("the first 24; the other 1976 are left out")


def words_in_another_order_are_not_compared_with_those_before(bench):
    page = bench.page
    bench.type("x", None, 1, 1, "1").settled()
    expect(page.locator(".moved")).to_contain_text("weights changed")
    write(page, "programming I love")
    page.keyboard.press("Enter")
    bench.settled()
    expect(page.locator(".moved.hint")).to_be_visible()
    expect(page.locator('td[data-lens="up"], td[data-lens="down"]')).to_have_count(0)
    expect(page.get_by_placeholder("“programming I love”")).to_be_visible()  # the menu's title follows


def a_map_has_the_names_of_its_rows_and_columns(bench):
    words = "the quick brown fox jumps over the lazy dog and runs far away".split()
    write(bench.page, " ".join(words))
    bench.page.keyboard.press("Enter")
    bench.settled()
    head = overview(bench.page).locator(".overview-head").first
    for side in ("queries", "keys"):
        expect(head.locator(f".map-{side} > *")).to_have_text(words)
    expect(bench.page.locator(".moved")).to_contain_text("Each row is a token that look")
    a_row_that_is_pointed_at_or_has_the_focus_shows_its_strongest_weights(bench, words)
    write(bench.page, " ".join(f"word{n}" for n in range(24)))
    bench.page.keyboard.press("Enter")
    bench.settled()
    for side, along in (("queries", "height"), ("keys", "width")):  # none is printed over the next one
        names = [name.bounding_box() for name in head.locator(f".map-{side} bdi:not(:empty)").all()]
        assert len(names) == 12
        start = {"height": "y", "width": "x"}[along]
        for one, following in pairwise(names):
            assert one[start] + one[along] <= following[start] + 0.5


def a_row_that_is_pointed_at_or_has_the_focus_shows_its_strongest_weights(bench, words):
    """In all heads: the largest three from 0.1 on, beside the names of their keys."""
    page, tokens = bench.page, tuple(words)
    weights = trace(apply(PROGRAMMING, {"op": "sentence", "which": "tokens", "tokens": tokens})).values[
        "weights"
    ]

    def shows(query):
        for head, table in enumerate(weights):
            largest = sorted(table[query], reverse=True)
            numbers = [f"{weight:.2f}" for weight in largest[:3] if weight >= 0.1] or [f"{largest[0]:.2f}"]
            tops = overview(page).locator(".overview-head").nth(head).locator(".map-top:not(:empty)")
            expect(tops).to_have_text(numbers)
        expect(overview(page).locator(".map-query.in-row")).to_have_text([words[query]] * len(weights))

    shows(len(words) - 1)
    cells = overview(page).locator("canvas").nth(1)
    box = cells.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 2.5 * box["height"] / len(words))
    shows(2)
    page.mouse.move(0, 0)
    overview(page).get_by_role("button", name="over", exact=True).focus()
    shows(5)
    page.keyboard.press("Tab")
    shows(6)
    page.keyboard.press("Enter")  # it stays
    overview(page).get_by_role("button", name="Your sentence").focus()
    shows(6)
    page.keyboard.press("Escape")
    shows(len(words) - 1)


def words_are_moved_split_joined_and_rewritten_by_hand(bench):
    page = bench.page
    write(page, "The cat sat on the mat")
    chips = page.locator(".chips button.word")
    expect(chips).to_have_count(6)
    chips.nth(0).drag_to(chips.nth(2), target_position={"x": 30, "y": 10})
    expect(chips).to_have_text(["cat", "sat", "The", "on", "the", "mat"])
    chips.nth(5).press("Alt+ArrowLeft")
    expect(chips).to_have_text(["cat", "sat", "The", "on", "mat", "the"])
    expect(chips.nth(4)).to_be_focused()
    expect(page.locator(".sentence [role=status]").first).to_have_text("mat: 5 of 6")
    page.keyboard.press("ArrowLeft")
    expect(chips.nth(3)).to_be_focused()
    page.keyboard.press("Backspace")
    expect(chips).to_have_text(["cat", "sat", "The on", "mat", "the"])
    chips.nth(4).press("Delete")
    chips.nth(1).click()
    page.keyboard.type("sat down")
    page.keyboard.press("Enter")
    expect(chips).to_have_text(["cat", "sat", "down", "The on", "mat"])
    chips.nth(0).click()
    page.keyboard.type("dog")
    page.keyboard.press("Escape")  # the word is as it was, and the sentence still open
    expect(chips).to_have_text(["cat", "sat", "down", "The on", "mat"])
    page.get_by_role("button", name="Use these words").click()
    tokens = ["cat", "sat", "down", "The on", "mat"]
    assert_shows(bench.settled(), apply(PROGRAMMING, {"op": "sentence", "which": "tokens", "tokens": tokens}))
    page.get_by_role("button", name="Your sentence").click()
    expect(chips).to_have_text(tokens)  # as they are, not split again


def test_a_sentence_that_is_given_up_changes_nothing_and_tokens_are_never_markup(visit):
    example = replace(PROGRAMMING, tokens=("<b>I</b>", "$x$", "&amp;"))
    bench = visit(f"?s={packed(example)}")
    page = bench.page
    expect(overview(page).locator(".overview-token")).to_have_text(["<b>I</b>", "$x$", "&amp;"])
    expect(overview(page).locator("b")).to_have_count(0)
    opener = page.get_by_role("button", name="Your sentence")
    opener.click()
    page.keyboard.type("<b>x</b>")
    page.keyboard.press("Escape")
    expect(opener).to_be_focused()
    assert_shows(bench.settled(), example)
    expect(overview(page).locator(".overview-token")).to_have_text(["<b>I</b>", "$x$", "&amp;"])


def test_what_has_moved_is_marked_and_said_until_the_next_edit_and_the_whole_path_of_a_number_is_lit(visit):
    bench = visit("?example=programming")
    page = bench.page
    bench.type("w_v", 0, 0, 0, "2").settled()
    expect(page.locator(".moved")).to_contain_text("3 of 18 outputs changed, this one most, and no weight.")
    expect(bench.cell("w_v", 0, 0, 0)).to_have_attribute("data-lens", "up")
    assert page.evaluate(COVERED_SIGNS) == []
    expect(bench.cell("w_v", 0, 0, 0)).to_have_attribute("aria-description", "was 1 before the last edit")
    bench.type("x", None, 0, 0, "1000000000").settled()
    expect(page.locator(".moved")).to_have_text(
        "You raised X[1, 1] from 2 to 1000000000, so K of “I” rose in column 1 from 2 to 1.000e+9, so the score "
        "programming → I in S/√dk rose from 1.4142 to 707106781.1865, so the weight programming → I in head 1 "
        "rose from 0.1636 to 1. 18 of 27 weights changed, this one most."
    )
    bench.do("undo").type("x", None, 0, 0, "-6").settled()
    expect(bench.cell("x", None, 0, 0)).to_have_attribute("data-lens", "down")
    assert page.evaluate(COVERED_SIGNS) == []  # of a minus, and of two digits before the point
    bench.type("x", None, 0, 0, "1").settled()
    expect(bench.cell("w_v", 0, 0, 0)).not_to_have_attribute("data-lens", re.compile("."))
    expect(bench.cell("x", None, 0, 0)).to_have_attribute("data-lens", "up")
    bench.do("reset")  # where everything begins again nothing has moved
    assert_shows(bench.settled(), PROGRAMMING)
    expect(page.locator(".moved.hint")).to_be_visible()
    expect(page.locator("td[data-lens]")).to_have_count(0)
    the_whole_path_of_a_number_is_lit(bench)


def the_whole_path_of_a_number_is_lit(bench):
    page = bench.page
    bench.cell("scores", 0, 1, 0).click()
    button = page.get_by_role("button", name="Whole path")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    for cell in (("x", None, 1, 0), ("w_q", 0, 0, 0), ("weights", 0, 1, 2), ("concat", None, 1, 1)):
        expect(bench.cell(*cell)).to_contain_class("path")
    for cell in (("x", None, 2, 0), ("w_v", 0, 0, 0), ("weights", 1, 1, 0), ("concat", None, 0, 0)):
        expect(bench.cell(*cell)).not_to_contain_class("path")
    # the terms come into sight, and the overview tells the same: one query's lines of one head, and its bars
    for col in (0, 1):
        expect(bench.cell("q", 0, 1, col)).to_be_in_viewport(ratio=1)
    lines = overview(page).locator(".thread")
    expect(lines.and_(page.locator(".path"))).to_have_count(3)
    expect(lines.and_(page.locator(":not(.path)")).first).to_have_css("opacity", "0.1")
    expect(overview(page).locator(".overview-tokens .bar.path")).to_have_count(
        6
    )  # of “love”, and of “I”, its key
    expect(overview(page).locator(".overview-taken .bar.path")).to_have_count(2)
    assert_no_barrier_either(page)
    bench.cell("v", 1, 0, 0).hover()  # it stays while something else is pointed at
    expect(lines.and_(page.locator(".path"))).to_have_count(3)
    expect(button).to_be_visible()
    page.locator(".explain").hover()
    button.click()
    expect(page.locator(".path")).to_have_count(0)
    button.click()
    expect(button).to_be_focused()
    page.keyboard.press("Escape")  # the focus is there, and not in the tables
    expect(page.locator(".path")).to_have_count(0)
    expect(button).to_have_count(0)
    expect(bench.cell("scores", 0, 1, 0)).to_be_focused()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Your sentence").click()
    page.keyboard.press("Escape")  # of a field that is open it is the field's
    expect(button).to_be_visible()
    page.locator(".bench .lead").click()  # the focus is nowhere
    page.keyboard.press("Escape")
    expect(button).to_have_count(0)


def test_where_each_head_looks_is_said_under_its_name_and_follows_the_numbers(visit):
    bench = visit("?example=first")
    looks = overview(bench.page).locator(".look")
    expect(looks).to_have_text(["always looks most at “程序” (1.00)"] * 2)
    bench.type("x", None, 0, 0, "9").type("x", None, 0, 1, "9").settled()
    expect(looks).to_have_text(["always looks most at “思考” (1.00)"] * 2)


def test_a_number_is_traced_to_its_terms_by_clicks_alone_and_back(visit):
    """O[1, 1] down to X: through the output, a head's output, a value, and to a row of X."""
    bench = visit("?example=output-projection")
    page = bench.page
    bench.cell("output", None, 0, 0).click()
    line = page.locator(".explain")
    for place in ("Concat", "head", "A[", "S/", "S[", "Q["):
        line.locator(f'.term[title^="{place}"]').first.click()
        expect(line.locator(".place")).to_contain_text(place)
    line.locator('.term[title^="X["]').first.click()
    expect(bench.cell("x", None, 0, 0).get_by_role("spinbutton")).to_be_focused()
    expect(line.locator(".crumb")).to_have_count(7)
    line.locator(".crumb").nth(1).click()
    expect(line.locator(".place")).to_contain_text("Concat")
    expect(line.locator(".crumb")).to_have_count(1)


def test_sixty_four_tokens_are_a_map(visit):
    words = [f"w{n}" for n in range(64)]
    example = apply(PROGRAMMING, {"op": "sentence", "which": "tokens", "tokens": words})
    bench = visit(f"?s={packed(example)}")
    maps = overview(bench.page).locator("canvas")
    expect(maps).to_have_count(3)
    box = maps.first.bounding_box()
    bench.page.mouse.click(box["x"] + box["width"] * 5.5 / 64, box["y"] + box["height"] * 9.5 / 64)
    expect(bench.cell("weights", 0, 9, 5)).to_be_focused()
    slim = bench.page.locator(".overview.slim")
    expect(slim).to_have_count(1)
    assert slim.bounding_box()["height"] < 90
    expect(slim.locator(".map-said strong")).to_have_text(["w9"] * 3)  # it has no room for all names


def test_a_cell_that_the_keyboard_reaches_is_clear_of_the_overview_with_its_columns_name(visit):
    bench = visit("?example=programming", viewport={"width": 1280, "height": 600})
    page = bench.page
    bench.cell("weights", 0, 2, 0).click()
    top = bench.cell("weights", 0, 2, 0).bounding_box()["y"]
    page.evaluate("(by) => document.querySelector('[data-testid=stMain]').scrollBy(0, by)", top - 170)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(bench.cell("weights", 0, 0, 0)).to_be_focused()
    above = overview(page).bounding_box()
    name = page.locator('[data-matrix="weights"] thead th').first.bounding_box()
    assert name["y"] >= above["y"] + above["height"]


def test_the_check_has_none_and_its_first_screen_a_blank_number(visit):
    bench = visit("check?example=programming", viewport={"width": 1280, "height": 720})
    page = bench.page
    expect(overview(page)).to_be_hidden()
    below = page.locator(".explain").bounding_box()["y"]  # and begins with a number to be filled in
    assert inside(bench.cell("q", 0, 0, 0).bounding_box(), 1280, below)


# --- on a telephone ----------------------------------------------------------------------------------------------

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


@pytest.mark.parametrize("language", shortened(["en", "zh"], ["zh"]))
def test_the_bar_of_a_telephone_leads_from_stage_to_stage_takes_an_edit_back_and_puts_the_overview_away(
    visit, language
):
    bench = visit(f"?example=programming&lang={language}", reduced_motion="reduce", **PHONE)
    page = bench.page  # a tap on what moves stops it
    assert page.locator(".explain").bounding_box()["height"] <= 100
    stages = page.locator("section.stage").evaluate_all("all => all.map((stage) => stage.ariaLabel)")
    shown, onward = page.locator(".at-hand-stage"), page.locator('[data-focus="bar next"]')
    for at, title in enumerate(stages):
        expect(shown).to_have_text(title)
        top = page.locator("section.stage").nth(at).bounding_box()["y"]
        assert top < page.locator(".explain").bounding_box()["y"]
        if title != stages[-1]:
            onward.tap()
    expect(onward).to_be_disabled()
    page.locator('[data-focus="bar before"]').tap()
    expect(shown).to_have_text(stages[-2])
    hide, show = map(words_in(language), ("Hide picture", "Show picture"))
    it_takes_an_edit_back_and_puts_the_overview_away(bench, hide, show)


def it_takes_an_edit_back_and_puts_the_overview_away(bench, hide, show):
    page = bench.page
    example = apply(PROGRAMMING, {"op": "add_token", "which": "tokens"})
    bench.do("n_q more")
    assert_shows(bench.settled(), example)
    page.locator('[data-focus="bar undo"]').tap()
    assert_shows(bench.settled(), PROGRAMMING)
    page.get_by_role("button", name=hide, exact=True).tap()
    expect(overview(page)).to_be_hidden()
    page.get_by_role("button", name=show, exact=True).tap()
    expect(overview(page)).to_be_visible()


def test_on_a_telephone_up_to_four_heads_are_beside_each_other_and_one_can_be_shown_alone(visit):
    page = visit("?example=programming", **PHONE).page
    heads = page.locator(".overview-head")
    for head in heads.all():
        expect(head.locator("svg").first).to_be_in_viewport(ratio=1)
    tops = page.locator(".overview .tops")
    assert not any(top.is_visible() for top in tops.all())
    heads.nth(1).get_by_role("button").tap()
    expect(tops.nth(1)).to_be_visible()
    expect(heads.nth(1).locator(".keys")).to_contain_text("programming")
    rows = page.locator(".overview-tokens .overview-row").all()
    for row, top in zip(rows, tops.nth(1).locator(".top").all(), strict=True):
        middles = [box["y"] + box["height"] / 2 for box in (row.bounding_box(), top.bounding_box())]
        assert abs(middles[0] - middles[1]) < 2
    expect(page.locator(".head-title h3")).to_have_text(["Head 2"])
    page.locator('[data-focus="show head 2"]').tap()
    expect(tops.nth(2)).to_be_visible()


def test_on_a_telephone_heads_with_other_keys_are_swiped_to_or_chosen(visit):
    page = visit("?example=translation", **PHONE).page
    shown = page.locator(".head-title h3")
    expect(shown).to_have_text(["Head 1"])
    heads = page.locator(".overview-heads")
    heads.evaluate("(node) => node.scrollTo({ left: node.children[1].offsetLeft - node.offsetLeft })")
    expect(shown).to_have_text(["Head 2"])
    page.locator('[data-focus="show head 0"]').tap()
    expect(shown).to_have_text(["Head 1"])
    expect(heads.locator(".overview-head").nth(0)).to_be_in_viewport()


def test_on_a_telephone_targets_are_large_and_nothing_is_pointed_at(visit):
    page = visit("", **PHONE).page
    for target in page.locator(".at-hand button").all():
        box = target.bounding_box()
        assert min(box["width"], box["height"]) >= 44
    said = page.locator(".bench").inner_text().lower()
    assert not any(word in said for word in ("point at", "click", "hover")), said
    assert_no_barrier_either(page)


def test_on_a_telephone_nothing_is_cut_off_or_broken(visit):
    bench = visit("?example=causal", **PHONE)
    page = bench.page
    for figure in page.locator(".head .matrix, .layer .matrix").all():
        figure.scroll_into_view_if_needed()
        for part in (figure, figure.locator("figcaption .symbol")):
            box = part.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 390, figure.inner_text()
    bench.cell("weights", 0, 1, 0).tap()
    expect(bench.settled().page.locator(".explain.is-pinned")).to_be_visible()
    ways = [one.bounding_box() for one in page.locator(".explain .ways button:visible").all()]
    assert len(ways) == 3
    assert len({box["y"] for box in ways[:2]}) == 1, ways  # the last one changes the example, and is apart
    foot = page.locator(".explain .line").bounding_box()
    assert ways[0]["y"] + ways[0]["height"] <= foot["y"] + foot["height"]
    expect(page.get_by_role("button", name="Unpin")).not_to_have_css("border-top-color", "rgba(0, 0, 0, 0)")
    for name in page.locator(".explain .place .symbol, .explain .power").all():
        assert name.bounding_box()["height"] < 30, name.inner_text()
