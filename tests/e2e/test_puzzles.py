"""Puzzles in a real browser: the way from the first one to the next, and a solution that is shown as motion."""

import re

import pytest
from playwright.sync_api import expect

from mha_core.example.model import text_in
from mha_core.puzzle import built_in_puzzles
from tests.e2e.looks import assert_no_barrier_either
from tests.sizes import shortened
from tools.drive.explore import Bench

FIRST, SECOND = list(built_in_puzzles().items())[:2]
(STEP,) = FIRST[1].puzzle.solution


@pytest.fixture
def puzzle(visit):
    return visit(f"?puzzle={FIRST[0]}")


def status(bench):
    return bench.page.locator(".puzzle-status")


def test_a_puzzle_is_solved_by_one_number_and_leads_to_the_next(puzzle):
    ((number,),) = STEP["values"]
    puzzle.edit(STEP["matrix"], STEP["head"], STEP["row"], STEP["col"], number)
    expect(status(puzzle)).to_contain_text("✓ Solved with 1 changed number.")
    expect(puzzle.page.locator(".moved")).to_contain_text(
        "the weight it → book in head 1 rose from 0.0399 to "
    )
    puzzle.page.locator('[data-focus="puzzle next"]').click()
    expect(puzzle.page.locator(".puzzle h2")).to_have_text(text_in(SECOND[1].title, "en"))
    puzzle.page.get_by_role("link", name="All puzzles").click()
    expect(puzzle.page.locator(".puzzles .card.solved")).to_have_count(1)
    expect(puzzle.page.locator(".puzzles .card.next")).to_contain_text(text_in(SECOND[1].title, "en"))


def test_the_solution_moves_its_number_and_is_no_solution_of_the_visitors(puzzle):
    page = puzzle.page
    for _ in FIRST[1].puzzle.hints:
        page.locator('[data-focus="puzzle hint"]').click()
    page.locator('[data-focus="puzzle solution"]').click()
    cell = puzzle.cell(STEP["matrix"], STEP["head"], STEP["row"], STEP["col"])
    expect(cell).to_have_text(f"{STEP['values'][0][0]:g}")
    expect(status(puzzle)).to_contain_text("This is one solution.")
    page.locator('[data-focus="puzzle again"]').click()
    expect(status(puzzle)).to_have_text("Not there yet.")
    Bench(page).settled()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_below_moves_when_a_puzzle_is_solved(visit, language):
    bench = visit(f"?puzzle={FIRST[0]}&lang={language}", viewport={"width": 1280, "height": 800})
    puzzle = bench.page.locator(".puzzle")
    before = puzzle.bounding_box()["height"]
    ((number,),) = STEP["values"]
    bench.edit(STEP["matrix"], STEP["head"], STEP["row"], STEP["col"], number)
    expect(status(bench)).to_contain_text("✓")
    expect(bench.page.locator('[data-focus="puzzle next"]')).to_be_visible()
    bench.page.mouse.wheel(0, -2000)
    expect(bench.page.locator(".puzzle > .puzzle-way")).to_be_visible()
    assert puzzle.bounding_box()["height"] == before


@pytest.mark.parametrize("key", shortened(built_in_puzzles(), [FIRST[0], "itself", "future"]))
def test_the_goal_and_the_numbers_to_be_changed_fit_into_one_window(visit, key):
    page = visit(f"?puzzle={key}", viewport={"width": 1280, "height": 800}).page
    foot = page.locator(".explain").bounding_box()["y"]
    for part in page.locator(".puzzle-bar, .editable table, .controls").all():
        box = part.bounding_box()
        assert box["y"] + box["height"] <= foot


def test_how_far_it_is_stays_in_sight_below_the_tables(puzzle):
    puzzle.cell("weights", 0, 0, 0).scroll_into_view_if_needed()
    puzzle.page.mouse.wheel(0, 2000)
    expect(puzzle.page.locator(".explain > .puzzle-way .puzzle-bar")).to_be_in_viewport()


def test_a_puzzle_belongs_to_the_page_of_puzzles_and_explore_leaves_it(puzzle):
    current = puzzle.page.locator(".st-key-frame-pages [aria-current=page]")
    expect(current).to_contain_text("Puzzles")
    puzzle.page.locator(".st-key-frame-pages a").first.click()
    expect(puzzle.page.locator(".puzzle")).to_be_hidden()
    expect(current).to_contain_text("Explore")
    expect(puzzle.page.locator(".invitation")).to_be_visible()


def test_how_far_it_is_leaves_no_empty_room_behind(visit):
    page = visit(f"?puzzle={FIRST[0]}", viewport={"width": 390, "height": 844}).page
    puzzle = page.locator(".puzzle")
    before = puzzle.bounding_box()["height"]
    page.locator(".tables section.stage").last.scroll_into_view_if_needed()
    expect(page.locator(".explain > .puzzle-way")).to_be_visible()
    assert puzzle.bounding_box()["height"] < 0.6 * before


def test_neither_a_puzzle_nor_the_page_of_puzzles_has_a_barrier(puzzle, server):
    assert_no_barrier_either(puzzle.page)
    puzzle.page.goto(f"{server.url}puzzles")
    expect(puzzle.page.locator(".puzzles .card")).to_have_count(len(built_in_puzzles()))
    assert_no_barrier_either(puzzle.page)


def test_a_puzzle_that_somebody_has_made_is_solved_from_its_link(visit):
    bench = visit("?example=programming", permissions=["clipboard-read", "clipboard-write"])
    bench.edit("w_q", 0, 1, 0, -2)
    bench.cell("weights", 0, 1, 0).click()
    bench.page.locator('[data-focus="make puzzle"]').click()
    field = bench.page.locator(".puzzle-title")
    expect(field).to_have_value(re.compile("^Bring "))
    field.fill("Look away")
    field.press("Enter")
    bench.settled()
    bench.page.locator('[data-focus="puzzle send"]').click()
    expect(status(bench)).to_contain_text("Link copied")
    bench.open(bench.page.evaluate("navigator.clipboard.readText()"))
    expect(field).to_have_value("Look away")
    expect(status(bench)).to_have_text("Not there yet.")
    bench.edit("w_q", 0, 1, 0, -2)
    expect(status(bench)).to_contain_text("✓ Solved with 1 changed number.")


def test_what_may_be_changed_is_marked_without_color(puzzle):
    """By a pencil and strong frames, which fixed numbers do not have."""
    editable, fixed = (puzzle.cell(name, 0, 0, 0) for name in ("w_q", "w_k"))
    frames = [cell.evaluate("(cell) => getComputedStyle(cell).boxShadow") for cell in (editable, fixed)]
    assert "2px inset" in frames[0]
    assert frames[1] == "none"
    pencil = (
        "(cell) => getComputedStyle(cell.closest('figure').querySelector('figcaption'), '::after').content"
    )
    assert [cell.evaluate(pencil)[:3] for cell in (editable, fixed)] == ['"✎"', "non"]
