"""The walkthrough in two windows: they stay together."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from mha_core import built_in, to_token, trace
from tests.sizes import at_length
from tools.drive.browser import wait_for
from tools.drive.explore import Bench
from tools.drive.walk import Walk, assert_right, bench_example, places

FIRST, WATER = trace(built_in("first")), trace(built_in("water"))


def beside(page):
    """Another window of the same browser. A tab behind another one would be painted only once a second."""
    with page.context.expect_page() as opened:
        page.evaluate("() => void open('about:blank', '', 'popup,noopener')")
    return opened.value


@pytest.fixture
def pair(new_page, server):
    """A projector and a presenter's page that go together, in two windows of one browser; the second in Chinese."""
    address = f"{server.url}walkthrough?example=first&step=inputs&view="
    front = Walk(new_page()).open(f"{address}projector")
    back = Walk(beside(front.page)).open(f"{address}presenter&lang=zh")
    front.press("ArrowRight").stands_at("q")
    back.stands_at("q")
    return front, back


def changed(page, number):
    """Write a number into X where the walk shows it."""
    page.cell("x", None, 1, 0).dblclick()
    page.root.locator("input.change").fill(str(number))
    page.root.locator("input.change").press("Enter")


def test_undo_in_either_window_undoes_the_last_edit_once_in_both(pair):
    front, back = pair
    both = [bench_example(FIRST.example, number) for number in (3.0, 7.0, 8.0)]
    for number in (7, 8):
        changed(front, number)
        both_show(pair, bench_example(FIRST.example, float(number)), "q")
    front.press("Control+z")
    both_show(pair, both[1], "q")
    back.press("Control+z")
    both_show(pair, both[0], "q")
    front.press("Control+Shift+z")
    both_show(pair, both[1], "q")
    back.press("Control+Shift+z")
    both_show(pair, both[2], "q")
    back.press("Control+z")
    both_show(pair, both[1], "q")


def test_a_window_that_comes_back_takes_over_an_undo_of_the_other_and_keeps_what_is_revealed(pair, server):
    """Meanwhile its bench, which was loaded again, neither receives anything of the pair nor sends it."""
    front, back = pair
    back.button("predict").check()
    back.press("Enter")
    for number in (8, 7):
        changed(back, number)
        expect(front.cell("x", None, 1, 0)).to_have_text(str(number))
    undone, before, missed = (bench_example(FIRST.example, float(number)) for number in (8, 7, 9))
    assert to_token(missed) > to_token(undone)  # it would lead if both had changed at once
    Bench(front.page).open(f"{server.url}?s={to_token(before)}").edit("x", None, 1, 0, 9)
    back.press("Control+z")
    expect(back.cell("x", None, 1, 0)).to_have_text("8")
    both_show([back_in_view(front), back], undone, "q")
    for page in pair:
        expect(page.button("reveal")).to_be_hidden()


def edited(page, *numbers):
    """Leave the walk's view, and write these numbers into X on the bench, one after another."""
    page.press("Escape")
    page.page.get_by_role("link", name="Explore").click()
    bench = Bench(page.page).settled()
    for number in numbers:
        bench.cell("x", None, 1, 0).click()
        page.page.keyboard.type(f"{number:g}")
        page.page.keyboard.press("Enter")
    return bench.settled()


def back_in_view(page):
    page.page.get_by_role("link", name="Step through").click()
    page.ready().button("projector").click()
    return page


def both_show(pages, example, place):
    for page in pages:
        page.stands_at(place)
        expect(page.cell("x", None, 1, 0)).to_have_text(f"{example.x[1][0]:g}")
        assert_right(page, trace(example))


def test_two_windows_stay_together_when_a_number_is_edited_or_another_example_is_chosen(pair):
    numbers_are_edited_on_the_way(pair)
    another_example_is_opened(pair)


def numbers_are_edited_on_the_way(pair):
    """The other window takes over the numbers at the same place while the bench is still open; then both walk on."""
    front, back = pair
    bench = edited(front, 1, 2, 3)
    both_show([back], bench_example(FIRST.example, 3.0), "q")
    for _ in range(3):
        bench.do("undo")
    both_show([back], FIRST.example, "q")
    bench.edit("x", None, 1, 0, 7)
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


def another_example_is_opened(pair):
    """An example chosen in one window is opened in the other, and a reload finds the pair again."""
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


LINKS = [("causal", "weights 2.3"), ("causal", "head-2 4"), ("causal", "concat"), ("causal", "scores 9.1")]


def test_a_link_opens_its_place_on_a_fresh_server_and_two_windows_go_on_together_without_one(
    own_server, new_page, watch
):
    """While the server is down, and after another has started."""
    front = Walk(new_page())
    for example, place in [*(LINKS if at_length() else LINKS[:2]), ("water", "q 1")]:
        opens_at(front, own_server, example, place)
    address, session = front.page.url, front.root.get_attribute("data-session")
    front.button("projector").click()
    back = Walk(beside(front.page)).open(f"{address}&view=presenter")
    front.press("ArrowRight").stands_at("q 2")
    back.stands_at("q 2")
    own_server.kill()
    for place in places(WATER, 1)[6:12]:
        front.press("ArrowRight").stands_at(place)
        back.stands_at(place)
    own_server.start()
    for page in (front, back):
        wait_for(page.page, '[data-test-connection-state="CONNECTED"]')
    expect(front.root).not_to_have_attribute("data-session", session)  # of the new server
    front.press("ArrowRight").stands_at("k 3")
    back.stands_at("k 3")
    front.press("Escape")
    front.page.wait_for_url("**step=k&sub=3")
    expect(front.page.locator(".st-key-walk-takeaway button").first).to_be_visible()
    front.stands_at("k 3")
    assert_right(front, WATER)
    front.button("projector").click()
    front.page.wait_for_url("**view=projector**")
    front.page.reload()
    front.ready().stands_at("k 3")
    edited(front, 9)
    both_show([back], bench_example(WATER.example, 9.0), "k 3")
    watch.complaints.clear()  # that nobody answered is all that the browser had to say


def opens_at(page, server, example, place):
    step, _, sub = place.partition(" ")
    page.open(f"{server.url}walkthrough?example={example}&step={step}{sub and f'&sub={sub}'}")
    page.stands_at(place)
    assert_right(page, trace(built_in(example)))
