"""A goal in a real browser: set in words, a derivative read with its arithmetic, a step and a run, and undo."""

import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from mha_core import built_in, trace
from mha_core.learn.descent import loss, stepped
from tests.apply import apply
from tests.e2e.looks import assert_no_barrier_either
from tools.drive.explore import Bench, assert_shows

GOAL = {"op": "learning", "learning": {"step": "output", "targets": [[2, 0], None, None]}}
AIMED = apply(built_in("output-projection"), GOAL)


@pytest.fixture
def aimed(visit):
    """The goal that a visitor sets in the form."""
    bench = visit("?example=output-projection")
    bench.do("backward")
    bench.choose("goal about", "output")
    bench.choose("goal query", "0")
    bench.page.locator('[data-focus="goal numbers"]').fill("2, 0")
    bench.do("goal set").settled()
    return bench


def shown_loss(bench: Bench):
    return bench.page.locator(".learning .loss")


def test_a_goal_is_set_a_derivative_read_a_step_taken_and_undone(aimed):
    page = aimed.page
    expect(page.locator(".goals li")).to_contain_text("The output of cats should become (2, 0).")
    slopes = trace(AIMED).matrix("d_w_q", 0)
    cell = aimed.cell("d_w_q", 0, 0, 0)
    expect(cell).to_have_text(f"{slopes[0][0]:.4f}")
    cell.click()
    expect(page.locator(".explain .line")).to_contain_text(
        re.compile(r"^dWQ\[1, 1\] of head 1 = Xᵀ·dQ = .* [=≈] ")
    )
    before, after = loss(AIMED), loss(stepped(AIMED))
    aimed.do("learn step").settled()
    expect(shown_loss(aimed)).to_have_text(f"Loss L: {before:.4g} → {after:.4g} after 1 step")
    expect(aimed.message()).to_contain_text(f"the loss fell from {before:.4g} to {after:.4g}")
    aimed.wait_for_address(replace(stepped(AIMED), note=None))  # the note is about the numbers before
    assert_shows(aimed, stepped(AIMED))
    aimed.do("undo").settled()
    expect(shown_loss(aimed)).to_have_text(f"Loss L = {before:.4g}")


def test_the_link_to_check_leads_to_the_first_derivative(aimed):
    page = aimed.page
    aimed.do("backward ways").do("backward check")
    page.wait_for_url(re.compile("/check"))
    first = aimed.cell("d_output", None, 0, 0)
    expect(first).to_be_focused(timeout=60_000)
    expect(first).to_be_in_viewport()


def test_a_run_draws_the_loss_and_one_undo_takes_it_back(aimed):
    page = aimed.page
    aimed.do("learn play")
    expect(page.locator('[data-focus="learn play"]')).to_contain_text("Play")  # it ends by itself
    aimed.settled()
    expect(shown_loss(aimed)).to_contain_text(re.compile(r"after \d+ steps$"))
    expect(page.locator(".loss-curve svg")).to_be_visible()
    aimed.do("undo").settled()
    expect(shown_loss(aimed)).to_have_text(f"Loss L = {loss(AIMED):.4g}")


def test_the_section_has_no_barrier_and_fits_a_phone(visit):
    bench = visit("?example=output-projection", viewport={"width": 390, "height": 844}, has_touch=True)
    bench.do("backward")
    bench.do("goal set").settled()
    assert bench.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert_no_barrier_either(bench.page)
