"""Numbers under the hand: a drag, the wheel and keys; all that follows, and what is left where the channel fails."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from mha_core import built_in
from mha_core.edit.edits import apply
from tests.e2e.conftest import context_of, reset
from tests.e2e.driver import WAIT, Bench, assert_shows, example_in
from tests.sizes import share

FIRST = built_in("first")
X00 = ("x", None, 0, 0)
EDITS = share(40)
"""How many are made one after another, faster than the page answers."""


def with_x(number, example=FIRST):
    edit = {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[number]]}
    return apply(example, edit)


def centre(bench, *cell):
    box = bench.cell(*cell).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(bench, steps, *cell):
    """Press on a number and draw it sideways; the button stays down."""
    x, y = centre(bench, *cell)
    mouse = bench.page.mouse
    mouse.move(x, y)
    mouse.down()
    for step in range(1, abs(steps) + 1):
        mouse.move(x + 6 * step * (1 if steps > 0 else -1), y)


def shows(bench, number):
    expect(bench.cell(*X00)).to_have_text(f"{number:g}".replace("-", "−"))


def in_step(bench):
    """Wait until the numbers answer the hand, whatever the page has kept."""
    bench.page.wait_for_function(
        """() => {
            const host = [...document.querySelectorAll("*")].find((e) => e.shadowRoot?.querySelector(".bench"));
            return host.shadowRoot.querySelector(".bench").dataset.live === "still";
        }""",
        timeout=WAIT,
    )
    return bench


def ready(bench):
    """Wait until the live channel is open and knows what the next edit is made to."""
    return in_step(bench.settled())


def undo_steps(bench):
    """How often there is something to undo."""
    count = 0
    while bench.page.locator('[data-focus="undo"]').is_enabled():
        bench.do("undo")
        count += 1
    return count


def test_everything_follows_a_drag_and_it_is_one_step_of_the_history(visit):
    bench = ready(visit("?example=first"))
    drag(bench, 7, *X00)
    shows(bench, 8)
    assert_shows(in_step(bench), with_x(8))
    assert bench.page.url.endswith("?example=first")  # nothing is kept before the hand lets go
    bench.page.mouse.up()
    assert_shows(bench.settled(), with_x(8))
    bench.wait_for_address(with_x(8))
    assert undo_steps(bench) == 1
    assert_shows(bench, FIRST)


def test_the_sentence_above_the_tables_follows_too(visit):
    bench = ready(visit("?example=first"))
    note = bench.page.locator(".bench .mha-note")
    before = note.inner_text()
    drag(bench, 7, *X00)
    expect(note).not_to_have_text(before)
    said = note.inner_text()
    bench.page.mouse.up()
    bench.settled()
    expect(note).to_have_text(said)


def test_escape_takes_a_drag_back(visit):
    bench = ready(visit("?example=first"))
    drag(bench, -5, *X00)
    shows(bench, -4)
    bench.page.keyboard.press("Escape")
    shows(bench, 1)
    assert_shows(in_step(bench), FIRST)
    bench.page.mouse.up()
    assert_shows(bench.settled(), FIRST)
    expect(bench.page.locator('[data-focus="undo"]')).to_be_disabled()


def test_a_press_without_a_drag_still_selects_and_a_double_click_edits(visit):
    bench = ready(visit("?example=first"))
    bench.cell(*X00).click()
    bench.page.keyboard.type("4")
    bench.page.keyboard.press("Enter")
    assert_shows(bench.settled(), with_x(4))
    bench.cell(*X00).dblclick()
    expect(bench.cell(*X00).locator("input")).to_be_focused()


def test_a_drag_downwards_selects_a_range(visit):
    bench = ready(visit("?example=first"))
    x, y = centre(bench, *X00)
    bench.page.mouse.move(x, y)
    bench.page.mouse.down()
    bench.page.mouse.move(x, y + 8)
    bench.page.mouse.move(*centre(bench, "x", None, 1, 1), steps=4)
    bench.page.mouse.up()
    expect(bench.page.locator(".bench td.selected")).to_have_count(4)
    assert_shows(bench.settled(), FIRST)


def test_keys_and_the_wheel_move_the_number_that_has_the_focus(visit):
    bench = ready(visit("?example=first"))
    bench.cell(*X00).focus()
    for key in ("Alt+ArrowUp", "Alt+ArrowUp", "Alt+Shift+ArrowUp", "Alt+ArrowDown"):
        bench.page.keyboard.press(key)
    shows(bench, 12)
    assert_shows(in_step(bench), with_x(12))
    expect(bench.page.locator('.bench [role="status"].visually-hidden')).to_have_text(
        "X[1, 1] = 12"
    )  # once it is kept
    assert_shows(bench.settled(), with_x(12))
    bench.page.mouse.move(*centre(bench, *X00))
    bench.page.mouse.wheel(0, 100)
    shows(bench, 11)
    bench.page.keyboard.press("Tab")  # whatever comes next makes it an edit
    assert_shows(bench.settled(), with_x(11))
    assert undo_steps(bench) == 2


def test_a_finger_presses_and_slides(visit):
    bench = ready(visit("?example=first", has_touch=True, viewport={"width": 390, "height": 844}))
    bench.cell(*X00).scroll_into_view_if_needed()
    x, y = centre(bench, *X00)
    touch = bench.page.context.new_cdp_session(bench.page)

    def finger(what, *at):
        points = [{"x": at[0], "y": at[1]}] if at else []
        touch.send("Input.dispatchTouchEvent", {"type": what, "touchPoints": points})

    finger("touchStart", x, y)
    expect(bench.cell(*X00)).to_contain_class("scrubbed")  # after a moment: before it a finger scrolls
    for step in range(1, 6):
        finger("touchMove", x + 6 * step, y)
    shows(bench, 6)
    finger("touchEnd")
    assert_shows(bench.settled(), with_x(6))


def test_what_cannot_be_dragged_is_left_alone(visit):
    bench = ready(visit("?example=causal"))
    example = built_in("causal")
    for cell in (("scores", 0, 0, 0), ("mask", None, 0, 1)):
        bench.cell(*cell).focus()
        bench.page.keyboard.press("Alt+ArrowUp")
    assert_shows(bench.settled(), example)
    expect(bench.page.locator('[data-focus="undo"]')).to_be_disabled()


def test_edits_typed_before_the_page_has_answered_are_all_kept(visit):
    """Each is shown at once; the page is told when the hand rests, and what it answers overwrites nothing newer."""
    bench = ready(visit("?example=first"))
    example = FIRST
    for number in range(10, 10 + EDITS):
        bench.cell(*X00).click()
        bench.page.keyboard.type(str(number))
        bench.page.keyboard.press("Enter")
        example = with_x(number)
        shows(bench, number)
    assert_shows(bench.settled(), example)
    assert undo_steps(bench) == EDITS


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


def test_where_no_such_socket_can_be_had_the_page_answers_alone(server, routed):
    bench = routed.open(f"{server.url}?example=first", lambda socket: socket.close())
    assert_shows(bench.edit(*X00, 5), with_x(5))
    drag(bench, 3, *X00)
    shows(bench, 8)
    bench.page.mouse.up()
    assert_shows(bench.settled(), with_x(8))


def test_the_last_number_set_is_the_last_one_shown_when_the_socket_is_cut_in_a_drag(server, routed):
    page, sockets = routed.page, []

    def through(socket):
        sockets.append(socket)
        socket.connect_to_server()

    bench = ready(routed.open(f"{server.url}?example=first", through))
    drag(bench, 3, *X00)
    assert_shows(in_step(bench), with_x(4))
    sockets[-1].close()
    x, y = centre(bench, *X00)
    page.mouse.move(x + 60, y)
    shows(bench, 11)
    page.mouse.up()
    assert_shows(bench.settled(), with_x(11))
    assert undo_steps(bench) == 1


def test_a_server_that_never_answers_on_the_socket_costs_nothing(server, routed):
    bench = routed.open(f"{server.url}?example=first", lambda socket: None)  # open, and silent
    assert_shows(bench.edit(*X00, 5), with_x(5))
    assert_shows(bench.edit(*X00, 6), with_x(6))


def test_a_server_that_dies_in_a_drag_and_comes_back_loses_nothing(own_server, new_page, watch):
    bench = ready(Bench(new_page()).open(f"{own_server.url}?example=first"))
    assert_shows(bench.edit(*X00, 3), with_x(3))
    drag(bench, 4, *X00)
    shows(bench, 7)
    own_server.kill()
    x, y = centre(bench, *X00)
    bench.page.mouse.move(x + 60, y)
    shows(bench, 13)
    bench.page.mouse.up()
    own_server.start()
    assert_shows(bench.settled(), with_x(13))
    bench.wait_for_address(with_x(13))
    assert all("ERR_CONNECTION" in text or "disconnected" in text for text in watch.complaints), (
        watch.complaints
    )
    watch.complaints.clear()


def test_two_windows_at_one_link_do_not_disturb_each_other(visit):
    one, other = (ready(visit("?example=first")) for _ in range(2))
    drag(one, 5, *X00)
    other.edit("x", None, 0, 0, 9)
    assert_shows(other, with_x(9))
    assert_shows(in_step(one), with_x(6))
    one.page.mouse.up()
    assert_shows(one.settled(), with_x(6))
    assert example_in(other.page.url) == replace(example_in(other.page.url), x=with_x(9).x)
