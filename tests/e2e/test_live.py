"""Numbers under the hand: a drag and keys; all that follows, and what is left without the server."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from mha_core import built_in, to_token, trace
from tests.apply import apply
from tests.e2e.conftest import context_of, reset
from tests.e2e.looks import assert_no_barrier_either, barriers
from tests.e2e.wire import wire_to
from tests.sizes import in_turn, lengthened, shortened
from tools.drive.browser import WAIT
from tools.drive.explore import Bench, assert_shows, example_in

FIRST, CAUSAL = built_in("first"), built_in("causal")
X00 = ("x", None, 0, 0)
EDITS = lengthened(4)
"""How many are made one after another, faster than the page answers."""


def with_x(number, example=FIRST):
    edit = {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[number]]}
    return apply(example, edit)


STILL = """async (cell) => {
    const [root, {key}] = [cell.getRootNode(), cell.dataset];
    for (let last = [], frames = 0; ; await new Promise(requestAnimationFrame)) {
        const now = root.querySelector(`td[data-key="${key}"]`);
        now.scrollIntoViewIfNeeded();
        const {x, y, width, height} = now.getBoundingClientRect();
        frames = x === last[0] && y === last[1] ? frames + 1 : 1;
        if (frames === 3) return [x + width / 2, y + height / 2];
        last = [x, y];
    }
}"""


def centre(bench, *cell):
    """Where the middle of a cell is, in view and still for three frames; an answer may replace the cell meanwhile."""
    return bench.cell(*cell).evaluate(STILL)


def drag(bench, steps, *cell):
    """Press on a number and draw it sideways; the button stays down."""
    x, y = centre(bench, *cell)
    mouse = bench.page.mouse
    mouse.move(x, y)
    mouse.down()
    for step in range(1, abs(steps) + 1):
        mouse.move(x + 10 * step * (1 if steps > 0 else -1), y)


def shows(bench, number):
    expect(bench.cell(*X00)).to_have_text(f"{number:g}".replace("-", "−"))


def in_step(bench):
    """Wait until all that is shown answers the hand, whatever the page has kept."""
    expect(bench.page.locator('.bench[aria-busy="false"]')).to_be_attached(timeout=WAIT)
    return bench


def undo_steps(bench):
    """How often there is something to undo."""
    count = 0
    while bench.page.locator('[data-focus="undo"]').is_enabled():
        bench.do("undo")
        count += 1
    return count


def test_all_follows_a_drag_and_keys_each_is_one_step_of_the_history_and_what_is_typed_fast_is_kept(
    visit,
):
    bench = visit("?example=first").settled()
    note = bench.page.locator(".bench .mha-note")
    before = note.text_content()
    drag(bench, 7, *X00)
    shows(bench, 8)
    assert_shows(in_step(bench), with_x(8))  # all follows the drag
    assert bench.page.url.endswith("?example=first")  # nothing is kept before the hand lets go
    bench.page.mouse.up()
    assert_shows(bench.settled(), with_x(8))
    expect(note).not_to_have_text(before)
    bench.wait_for_address(with_x(8))
    assert undo_steps(bench) == 1
    assert_shows(bench, FIRST)
    keys_move(bench.settled())
    assert undo_steps(bench) == 2
    all_that_is_typed_is_kept(bench.settled())


def keys_move(bench):
    """The number that has the focus."""
    bench.cell(*X00).focus()
    for key in ("Alt+ArrowUp", "Alt+ArrowUp", "Alt+Shift+ArrowUp", "Alt+ArrowDown"):
        bench.page.keyboard.press(key)
    shows(bench, 12)
    assert_shows(in_step(bench), with_x(12))
    expect(bench.page.locator(".bench > .heard")).to_have_text("X[1, 1] = 12")  # once it is kept
    assert_shows(bench.settled(), with_x(12))
    bench.page.mouse.move(*centre(bench, *X00))
    bench.page.mouse.wheel(0, 100)  # scrolls the page, as anywhere
    bench.page.wait_for_function("() => scrollY > 0 || document.querySelector('.stMain')?.scrollTop > 0")
    bench.page.keyboard.press("Alt+ArrowDown")
    shows(bench, 11)
    bench.page.keyboard.press("Tab")  # whatever comes next makes it an edit
    assert_shows(bench.settled(), with_x(11))


def all_that_is_typed_is_kept(bench):
    """Each is shown at once; the page gets it when the hand rests, and its answer overwrites nothing newer."""
    example = FIRST
    for number in range(10, 10 + EDITS):
        bench.cell(*X00).click()
        bench.page.keyboard.type(str(number))
        bench.page.keyboard.press("Enter")
        example = with_x(number)
        shows(bench, number)
    assert_shows(bench.settled(), example)
    assert undo_steps(bench) == EDITS


def test_the_number_that_has_the_focus_is_a_spinbutton_and_the_pointer_selects_and_edits_and_all_else_is_left_alone(
    visit,
):
    # So high that no number has to be brought into view under the pointer.
    bench = visit("?example=causal", viewport={"width": 1280, "height": 1000}).settled()
    is_a_spinbutton(bench)
    for cell in (("scores", 0, 0, 0), ("mask", None, 0, 1)):
        bench.cell(*cell).focus()
        bench.page.keyboard.press("Alt+ArrowUp")
    assert_shows(bench.settled(), CAUSAL)
    expect(bench.page.locator('[data-focus="undo"]')).to_be_disabled()
    the_pointer_selects_and_edits(bench)


def is_a_spinbutton(bench):
    """In its gridcell; no other number is, Tab leads past it in both directions, and it tells its value while it is
    moved."""
    page, spin = bench.page, bench.page.locator(".bench td [role=spinbutton]")
    bench.cell(*X00).focus()
    expect(spin).to_have_count(1)
    expect(page.get_by_role("gridcell").get_by_role("spinbutton", name="X[1, 1]")).to_be_focused()
    page.keyboard.press("Alt+ArrowUp")
    expect(spin).to_have_attribute("aria-valuenow", "2")
    page.keyboard.press("Escape")
    expect(spin).to_have_attribute("aria-valuenow", "1")
    assert barriers(page, runOnly=["cat.aria"]) == []  # the rules that such a role can break
    assert_no_barrier_either(page)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("spinbutton", name="X[1, 2]")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(spin).to_have_count(0)
    page.keyboard.press("Tab")
    expect(page.get_by_role("spinbutton", name="X[1, 2]")).to_be_focused()
    page.keyboard.press("Tab")
    expect(spin).to_have_count(0)
    bench.cell("scores", 0, 0, 0).focus()
    expect(spin).to_have_count(0)  # it is computed, and not to be moved
    expect(bench.cell("scores", 0, 0, 0)).to_be_focused()


def the_pointer_selects_and_edits(bench):
    """A drag downwards selects a range, a press without one a number, and a double click edits."""
    x, y = centre(bench, *X00)
    box = bench.cell("x", None, 1, 1).bounding_box()  # without a scroll under the drag
    end = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    bench.page.mouse.move(x, y)
    bench.page.mouse.down()
    bench.page.mouse.move(x, y + 8)
    bench.page.mouse.move(*end, steps=4)
    bench.page.mouse.up()
    expect(bench.page.locator(".bench td.selected")).to_have_count(4)
    assert_shows(bench.settled(), CAUSAL)
    bench.cell(*X00).click()
    bench.page.keyboard.type("4")
    bench.page.keyboard.press("Enter")
    assert_shows(bench.settled(), with_x(4, CAUSAL))
    bench.cell(*X00).dblclick()
    expect(bench.cell(*X00).locator("input")).to_be_focused()


def test_a_finger_presses_and_slides(visit):
    bench = visit("?example=first", has_touch=True, viewport={"width": 390, "height": 844}).settled()
    bench.cell(*X00).scroll_into_view_if_needed()
    x, y = centre(bench, *X00)
    touch = bench.page.context.new_cdp_session(bench.page)

    def finger(what, *at):
        points = [{"x": at[0], "y": at[1]}] if at else []
        touch.send("Input.dispatchTouchEvent", {"type": what, "touchPoints": points})

    finger("touchStart", x, y)
    expect(bench.cell(*X00)).to_contain_class("scrubbed")  # after a moment: before it a finger scrolls
    for step in range(1, 6):
        finger("touchMove", x + 10 * step, y)
    shows(bench, 6)
    finger("touchEnd")
    assert_shows(bench.settled(), with_x(6))


# --- the divisor -------------------------------------------------------------------------------------------------


def divided(number):
    return apply(FIRST, {"op": "scale", "value": number})


def test_the_divisor_is_dragged_typed_and_moved_by_keys_as_any_number(visit):
    bench = visit(f"?s={to_token(divided(2.5))}").settled()
    field = bench.control("divisor")
    caption = bench.page.locator('figure:has(td[data-key="scaled_scores|0|0|0"]) figcaption .symbol')
    box = field.bounding_box()
    x, y = box["x"] + 10, box["y"] + box["height"] / 2
    mouse = bench.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 10 * 15, y, steps=15)
    expect(field).to_have_value("4")
    expect(caption).to_have_text("S/4")
    assert_shows(in_step(bench), divided(4))
    assert example_in(bench.page.url) == divided(2.5)
    bench.page.keyboard.press("Escape")
    expect(field).to_have_value("2.5")
    assert_shows(in_step(bench), divided(2.5))
    mouse.up()
    mouse.move(x, y)
    mouse.down()
    mouse.move(x - 10 * 30, y, steps=30)  # past 0, which divides nothing
    mouse.up()
    expect(field).to_have_value("-0.5")
    assert_shows(bench.settled(), divided(-0.5))
    bench.wait_for_address(divided(-0.5))
    assert undo_steps(bench) == 1
    in_step(bench.settled())
    field = bench.control("divisor")
    field.click()
    expect(field).to_be_focused()
    bench.page.keyboard.type("3")
    bench.page.keyboard.press("Shift+ArrowUp")
    bench.page.keyboard.press("ArrowDown")
    expect(field).to_have_value("12")
    expect(field).to_have_attribute("aria-valuenow", "12")
    assert_shows(in_step(bench), divided(12))
    bench.page.keyboard.press("ArrowDown")
    expect(field).to_have_value("11")
    bench.page.keyboard.press("Tab")
    assert_shows(bench.settled(), divided(11))
    bench.wait_for_address(divided(11))
    field.focus()
    bench.page.keyboard.press("ArrowUp")
    expect(field).to_have_value("12")
    bench.page.keyboard.press("Control+z")
    expect(field).to_have_value("11")
    assert_shows(bench.settled(), divided(11))


# --- through a lens, and what is claimed ---------------------------------------------------------------------------

SEEN = """() => {
    const host = [...document.querySelectorAll("*")].find((e) => e.shadowRoot?.querySelector(".bench"));
    const root = host.shadowRoot;
    const cells = [...root.querySelectorAll("td[data-key]")].map((td) => [
        td.dataset.key, td.textContent, td.dataset.lens, td.dataset.mark, td.getAttribute("aria-description"),
        td.style.getPropertyValue("--tone"),
    ]);
    return [cells, root.querySelector(".legend .summary").textContent, root.querySelector(".verdict").innerText];
}"""


def seen(bench):
    """The cells' texts, signs, colours and descriptions, and the sentences above and below them."""
    return bench.page.evaluate(SEEN)


@pytest.mark.parametrize(("name", "lens"), in_turn(["first", "padding"], ["change", "gradient"]))
def test_what_a_lens_shows_follows_a_drag_and_escape_takes_it_back(visit, name, lens):
    """The button is still down: only the live channel can have sent it. A newly opened page says the same."""
    example, bench = built_in(name), visit(f"?example={name}").choose("lens", lens)
    before = seen(bench.settled())
    drag(bench, -5, *X00)
    shows(bench, example.x[0][0] - 5)
    if lens == "change":
        expect(bench.page.locator(".legend .summary")).to_contain_text("X[1, 1] 1 → −4")
    bench.page.keyboard.press("Escape")
    shows(bench, example.x[0][0])
    for _ in range(2):
        assert seen(in_step(bench)) == before
        assert_shows(bench, example)
        bench.page.mouse.up()
        bench.settled()
    expect(bench.page.locator('[data-focus="undo"]')).to_be_disabled()
    drag(bench, 7, *X00)
    during = seen(in_step(bench))
    assert during != before
    assert example_in(bench.page.url) == example  # nothing is kept yet
    bench.page.mouse.up()
    assert seen(bench.settled()) == during
    kept = bench.wait_for_address(with_x(example.x[0][0] + 7, example))
    assert seen(visit(f"?{urlsplit(kept).query}")) == during


@pytest.mark.parametrize("experiment", shortened(["baseline", "gradients"], ["gradients"]))
def test_experiments_on_the_bench_follow_a_drag(visit, experiment):
    bench = visit(f"experiments?example=first&experiment={experiment}").settled()
    before = seen(bench)
    drag(bench, 7, *X00)
    during = seen(in_step(bench))
    assert during != before
    assert example_in(bench.page.url) == FIRST
    bench.page.mouse.up()
    assert seen(bench.settled()) == during


SCORE = ("scores", 0, 0, 0)
RIGHT = trace(FIRST).matrix("scores", 0)[0][0]


def claimed(text, example=FIRST):
    edit = {"op": "claim", "matrix": "scores", "head": 0, "row": 0, "col": 0, "values": [[text]]}
    return apply(example, edit)


def test_a_claim_is_judged_before_the_page_has_answered_and_its_verdict_follows_a_drag(visit):
    bench, right = visit("check?example=first").settled(), f"{RIGHT:.1f}"
    for text, mark in (("77", "own"), (right, "right")):
        bench.cell(*SCORE).click()
        bench.page.keyboard.type(text)
        bench.page.keyboard.press("Enter")
        expect(bench.cell(*SCORE)).to_have_attribute("data-mark", mark)
        during = seen(in_step(bench))
        assert seen(bench.settled()) == during
    address, verdict = bench.wait_for_address(claimed(right)), bench.page.locator(".verdict")
    bench.settled()
    drag(bench, 20, *SCORE)
    expect(bench.cell(*SCORE)).to_have_text(f"{RIGHT + 2:.1f}")  # as many decimals as were written
    expect(bench.cell(*SCORE)).to_have_attribute("data-mark", "own")
    expect(verdict).to_contain_class("wrong")
    during = seen(in_step(bench))
    assert bench.page.url == address
    bench.page.keyboard.press("Escape")
    expect(bench.cell(*SCORE)).to_have_attribute("data-mark", "right")
    expect(verdict).to_contain_class("ok")
    bench.page.mouse.up()
    drag(bench, 20, *SCORE)
    bench.page.mouse.up()
    assert seen(bench.settled()) == during
    bench.wait_for_address(claimed(f"{RIGHT + 2:.1f}"))
    assert seen(visit(f"check?s={to_token(claimed(f'{RIGHT + 2:.1f}'))}")) == during


ENTER_AND_FOLLOW = """(input) => {
    const root = input.getRootNode();
    input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, composed: true }));
    root.querySelector(".verdict a.walk").click();
}"""
"""Both at once: no answer comes between them, and the link that is followed is one of the verdict before."""


def test_links_lead_to_the_numbers_that_stand_there(visit):
    """A link of the verdict that is followed before the page has kept the last number waits for it, though by then
    the verdict on that number may be drawn again, with another link."""
    unscaled = [[f"{number:g}" for number in row] for row in trace(FIRST).matrix("scores", 0)]
    edit = {"op": "claim", "matrix": "scaled_scores", "head": 0, "row": 0, "col": 0, "values": unscaled}
    example = apply(FIRST, edit)
    bench = visit(f"check?s={to_token(example)}").settled()
    bench.page.locator(".verdict a.walk").wait_for()
    bench.cell(*SCORE).focus()
    bench.page.keyboard.type("77")
    bench.cell(*SCORE).locator("input").evaluate(ENTER_AND_FOLLOW)
    bench.page.wait_for_url("**/walkthrough?**", timeout=WAIT)
    assert example_in(bench.page.url) == claimed("77", example)


# --- where the channel fails ---------------------------------------------------------------------------------------


class Routed:
    """A page whose socket is handled as the test says. It is of its own: a routed socket stays routed."""

    def __init__(self, page):
        self.page = page
        page.route_web_socket("**/api/live", self._routed)

    def _routed(self, socket):
        self.handle(socket)

    def open(self, url, handle):
        self.handle = handle
        return Bench(self.page).open(url)


@pytest.fixture(scope="module")
def one_routed(browser, watching):
    context = context_of(browser, watching)
    yield Routed(context.new_page())
    context.close()


@pytest.fixture
def routed(one_routed, watch):
    yield one_routed
    reset(one_routed.page)


def test_a_verdict_that_takes_long_is_greyed_until_the_new_one_is_there(server, routed):
    page = routed.page
    held: list[tuple[Any, Any]] = []
    holding: list[bool] = []

    def slow(socket):
        onward = socket.connect_to_server()
        onward.on_message(lambda message: held.append((socket, message)) if holding else socket.send(message))

    bench = routed.open(f"{server.url}check?s={to_token(claimed('5'))}", slow).settled()
    greyed = page.locator(".bench.behind")
    expect(greyed).to_have_count(0)
    holding.append(True)
    drag(bench, 2, *SCORE)
    expect(greyed).to_have_count(1)
    expect(bench.cell(*SCORE)).to_have_attribute("data-mark", "right")  # of the number before
    holding.clear()
    for socket, message in held:
        socket.send(message)
    expect(bench.cell(*SCORE)).to_have_attribute("data-mark", "own")
    expect(greyed).to_have_count(0)
    page.mouse.up()
    bench.settled()


def test_where_no_such_socket_can_be_had_the_page_answers_alone(server, routed):
    bench = routed.open(f"{server.url}?example=first", lambda socket: socket.close())
    assert_shows(bench.edit(*X00, 5), with_x(5))
    drag(bench, 3, *X00)
    shows(bench, 8)
    bench.page.mouse.up()
    assert_shows(bench.settled(), with_x(8))


def test_a_server_that_never_answers_on_the_socket_costs_nothing(server, routed):
    bench = routed.open(f"{server.url}?example=first", lambda socket: None)  # open, and silent
    assert_shows(bench.edit(*X00, 5), with_x(5))
    assert_shows(bench.edit(*X00, 6), with_x(6))


def test_the_last_number_set_is_the_last_one_shown_when_the_socket_is_cut_in_a_drag(server, routed):
    page, sockets = routed.page, []

    def through(socket):
        sockets.append(socket)
        socket.connect_to_server()

    bench = routed.open(f"{server.url}?example=first&lens=gradient", through).settled()
    drag(bench, 3, *X00)
    assert_shows(in_step(bench), with_x(4))
    sockets[-1].close()
    x, y = centre(bench, *X00)
    page.mouse.move(x + 100, y)
    shows(bench, 11)
    page.mouse.up()
    assert_shows(bench.settled(), with_x(11))
    assert undo_steps(bench) == 1


def test_what_a_laptop_was_told_before_it_slept_and_in_its_sleep_stands_when_it_wakes(
    server, new_page, watch
):
    with wire_to(server.port) as wire:
        bench = Bench(new_page()).open(f"{wire.url}?example=first").settled()
        assert_shows(bench.edit(*X00, 3), with_x(3))
        wire.dead = True  # nobody notices, and what is sent is lost
        drag(bench, 4, *X00)
        shows(bench, 7)
        bench.page.mouse.up()
        wire.cut()
        assert_shows(bench.settled(), with_x(7))
        bench.wait_for_address(with_x(7))
        assert_shows(bench.edit(*X00, 8), with_x(8))
    watch.complaints[:] = [
        text for text in watch.complaints if "ERR_" not in text and "disconnected" not in text
    ]


def test_two_windows_at_one_link_do_not_disturb_each_other(visit):
    one, other = (visit("?example=first").settled() for _ in range(2))
    drag(one, 5, *X00)
    other.edit("x", None, 0, 0, 9)
    assert_shows(other, with_x(9))
    assert_shows(in_step(one), with_x(6))
    one.page.mouse.up()
    assert_shows(one.settled(), with_x(6))
    assert example_in(other.page.url) == replace(example_in(other.page.url), x=with_x(9).x)
