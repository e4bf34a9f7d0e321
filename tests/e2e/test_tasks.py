"""What people come for, each with the number of actions that it takes.

An action is a click, a tap, a drag, a choice in a menu, a key or chord, or a text typed into what has the focus.
"""

from __future__ import annotations

from itertools import chain

import pytest
from playwright.sync_api import Locator, expect

from mha_core import built_in, trace
from mha_core.models import OWN, example_of, load
from tests.apply import apply
from tests.e2e.test_check import rounded
from tests.e2e.test_live import drag
from tests.e2e.test_pasting import CLIPBOARD, rows
from tests.sizes import at_length
from tools.drive.explore import Bench, assert_shows, example_in

PROGRAMMING = built_in("programming")
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


class Visitor:
    """Someone who uses the page, and how many actions they needed."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.page = bench.page
        self.actions = 0

    def click(self, where: Locator) -> Visitor:
        self.actions += 1
        where.click()
        return self

    def tap(self, where: Locator) -> Visitor:
        self.actions += 1
        where.tap()
        return self

    def press(self, *chords: str) -> Visitor:
        for chord in chords:
            self.actions += 1
            self.page.keyboard.press(chord)
        return self

    def type(self, text: str) -> Visitor:
        self.actions += 1
        self.page.keyboard.type(text)
        return self

    def choose(self, where: Locator, value: str) -> Visitor:
        self.actions += 1
        where.select_option(value)
        return self

    def drag(self, steps: int, *cell) -> Visitor:
        self.actions += 1
        drag(self.bench.settled(), steps, *cell)
        self.page.mouse.up()
        return self

    def reload(self) -> Visitor:
        self.actions += 1
        self.page.reload()
        self.bench.settled()
        return self

    def focus(self, name: str) -> Locator:
        return self.page.locator(f'[data-focus="{name}"]')


@pytest.fixture
def visitor(visit):
    return lambda query="", **options: Visitor(visit(query, **options))


def x(row, col, *values):
    return {"op": "set", "matrix": "x", "row": row, "col": col, "values": [list(values)]}


def test_change_x_and_say_which_weight_moved_most_share_it_and_undo_it_over_a_reload(visitor, new_page):
    user = visitor(**CLIPBOARD)
    user.drag(-2, "x", None, 1, 1)
    expect(user.page.locator(".moved")).to_have_text(
        "You lowered X[2, 2] from 2 to 0, so K of “love” fell in column 2 from 2 to 0, so the score programming → love "
        "in S/√dk fell from 2.8284 to 0.0000, so the weight programming → love in head 1 fell from 0.6728 to 0.1084. "
        "15 of 27 weights changed, this one most."
    )
    assert user.actions == 1

    now = apply(PROGRAMMING, x(1, 1, 0.0))
    user.bench.wait_for_address(now)
    user.click(user.page.get_by_role("button", name="Share", exact=True))
    expect(user.page.locator(".share.copied")).to_be_visible()
    link = user.page.evaluate("navigator.clipboard.readText()")
    assert_shows(Bench(new_page()).open(link), now)
    assert user.actions == 1 + 1

    user.reload()
    expect(user.focus("undo")).to_be_enabled()
    user.press("Control+z")
    assert_shows(user.bench.settled(), PROGRAMMING)
    assert user.actions == 1 + 1 + 2


def test_find_the_terms_of_the_first_output_all_at_once_or_one_by_one_down_to_x(visitor):
    user = visitor("?example=output-projection")
    user.click(user.bench.cell("output", None, 0, 0)).click(user.focus("whole path"))
    for place in (
        ("concat", None),
        ("head_outputs", 1),
        ("weights", 1),
        ("scores", 1),
        ("q", 1),
        ("x", None),
    ):
        expect(user.bench.cell(*place, 0, 0)).to_contain_class("path")
    for name, head in (("x", None), ("scores", 0), ("concat", None)):  # the number stays pinned meanwhile
        user.click(user.focus(f"jump {name}"))
        expect(user.bench.cell(name, head, 0, 0)).to_be_in_viewport()
        expect(user.bench.cell("output", None, 0, 0)).to_contain_class("pinned")
    assert user.actions == 5

    user.actions = 1  # the first number is pinned already
    line = user.page.locator(".explain")
    for title in ("Concat", "head", "A[", "S/", "S[", "Q[", "X["):
        user.click(line.locator(f'.term[title^="{title}"]').first)
        expect(line.locator(".place")).to_contain_text(title)
    assert user.actions == 8  # one for each step of the computation


ENGLISH = "The cat sat on the mat"


def test_type_a_sentence_paste_from_a_spreadsheet_use_keys_alone_and_make_the_second_head_look_at_itself(
    visitor,
):
    """Each from the same start, to which one undo leads back."""
    user = visitor(**CLIPBOARD)
    for text in ("水 有 毒", ENGLISH) if at_length() else (ENGLISH,):  # fingers type the Chinese one
        user.actions = 0
        type_a_sentence(user, text)
        user.bench.do("undo")
    for task in (paste_from_a_spreadsheet, all_by_keyboard):
        user.actions = 0
        task(user)
        user.bench.do("undo")
        assert_shows(user.bench, PROGRAMMING)
    user.actions = 0
    make_the_second_head_look_at_itself(user)


def type_a_sentence(user, text):
    user.click(user.focus("sentence")).type(text).press("Enter")
    assert_shows(user.bench.settled(), example_of(load(OWN), text))
    assert user.actions == 3


def paste_from_a_spreadsheet(user):
    user.page.evaluate("(text) => navigator.clipboard.writeText(text)", rows(3, 3))
    user.click(user.bench.cell("x", None, 0, 0)).press("Control+V")
    values = [[float(10 * i + j) for j in range(3)] for i in range(3)]
    now = apply(PROGRAMMING, {"op": "set", "matrix": "x", "row": 0, "col": 0, "values": values})
    assert_shows(user.bench.settled(), now)
    assert user.actions == 2


def all_by_keyboard(user):
    """The first task, without a mouse."""
    user.bench.cell("x", None, 0, 0).focus()  # Tab leads there: see test_reach
    user.press("ArrowDown", "ArrowRight").press("Alt+ArrowDown", "Alt+ArrowDown")
    user.bench.wait_for_address(apply(PROGRAMMING, x(1, 1, 0.0)))
    assert_shows(user.bench.settled(), apply(PROGRAMMING, x(1, 1, 0.0)))
    expect(user.page.locator(".moved")).to_contain_text("the weight programming → love in head 1 fell")
    assert user.actions == 4


def make_the_second_head_look_at_itself(user):
    user.click(user.focus("d_k more"))
    for name in ("w_q", "w_k"):
        user.click(user.focus(f"menu {name} 1"))
        user.click(user.page.get_by_role("menuitem", name="Identity"))
        user.bench.settled()
    expect(user.page.locator(".look").nth(1)).to_contain_text("every token looks most at itself")
    assert user.actions == 5


def test_have_three_heads_and_mask_a_pair(visitor):
    user = visitor("?example=water")
    user.click(user.focus("h more"))
    three = apply(built_in("water"), {"op": "add_head"})
    user.bench.wait_for_address(three)
    assert user.actions == 1  # there are two

    user.click(user.bench.cell("weights", 0, 0, 2)).click(user.focus("mask pair"))
    hidden = {"op": "set", "matrix": "mask", "row": 0, "col": 2, "values": [[False]]}
    user.bench.wait_for_address(apply(apply(three, {"op": "mask", "kind": "painted"}), hidden))
    assert user.actions == 1 + 2


def test_solve_an_exercise_with_one_mistake(visitor):
    """Two tables of six numbers: the mistake is seen at once, and corrected by typing over it."""
    user = visitor("check?example=first&ask=head_outputs&seed=3")
    user.page.wait_for_function(
        "() => new URLSearchParams(location.search).has('s')"
    )  # the numbers of the seed
    computed = trace(example_in(user.page.url))
    user.click(user.bench.cell("head_outputs", 0, 0, 0)).type("99").press("Enter")
    expect(user.bench.cell("head_outputs", 0, 0, 0)).to_have_attribute("data-mark", "own")
    user.press("ArrowUp")
    for head in (0, 1):
        for number in chain(*rounded(computed.matrix("head_outputs", head))):
            user.type(number).press("Tab")
            user.bench.settled()
        if head == 0:
            user.press("Enter")  # on to the next step, which has the focus
    expect(user.page.locator(".practice-end")).to_contain_text("11 of 12 right on the first try")
    assert user.actions == 4 + 2 * 12 + 1


def test_the_same_with_fingers(visitor):
    """A sentence, a head more, and where a weight comes from."""
    user = visitor(**PHONE)
    user.tap(user.focus("sentence")).type("水 有 毒").tap(user.focus("made_up")).press("Enter")
    now = apply(PROGRAMMING, {"op": "sentence", "which": "tokens", "tokens": ["水", "有", "毒"]})
    assert_shows(user.bench.settled(), now)
    user.tap(user.focus("h more"))
    user.bench.settled()
    user.tap(user.bench.cell("weights", 3, 0, 0))  # the new head is the one that is shown
    expect(user.page.locator(".explain .place")).to_contain_text("A[")
    assert user.actions == 6
