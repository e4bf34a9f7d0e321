"""A lecture that telephones follow: presenter, projector and those who came, each in a browser of his own."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Self

import pytest
from playwright.sync_api import Page, ViewportSize, expect
from playwright.sync_api import TimeoutError as TooLate

from mha_core import built_in, trace
from mha_view.language import words_in
from tests.e2e.looks import barriers, rules, wider
from tests.sizes import at_length
from tools.drive.browser import wait_for, wait_until
from tools.drive.explore import Bench
from tools.drive.walk import Walk, assert_right, bench_example, cell_of

PHONE = ViewportSize(width=390, height=844)
WALL = ViewportSize(width=1280, height=720)
FIRST = trace(built_in("first"))


class Phone(Walk):
    """The page of somebody who follows; nothing of Streamlit is on it."""

    def ready(self) -> Self:
        wait_for(self.page, ".walk[data-at]")
        return self

    def shown(self):
        texts = self.page.locator("td[data-key]").evaluate_all(
            "(cells) => cells.map((td) => [td.dataset.key, td.querySelector('input')?.value ?? td.textContent])"
        )
        return {cell_of(key): text for key, text in texts}

    def says(self, text: str) -> Self:
        told = self.page.locator(".status")
        if told.text_content() != text:  # the next look that expect takes might be a second away
            with suppress(TooLate):
                wait_until(
                    self.page, "(text) => document.querySelector('.status').textContent === text", text
                )
        expect(told).to_have_text(text)
        return self


def opened(page: Page, url: str, view: str = "projector") -> tuple[Walk, str]:
    """A walk before an audience, and the code of its room."""
    walk = Walk(page).open(f"{url}walkthrough?example=first&step=q&view={view}")
    page.mouse.move(10, 10)
    walk.button("room follow").click()
    return walk, page.locator(".room-card .way strong").inner_text()


@pytest.fixture
def wall(new_page, server):
    """A projector that has opened a room."""
    return opened(new_page(viewport=WALL), server.url)


@pytest.fixture
def follow(new_page, server, wall):
    """Somebody comes in with the code."""

    def come(url=server.url, code=wall[1], **options) -> Phone:
        return Phone(new_page(viewport=PHONE, **options)).open(f"{url}follow/{code}")

    return come


def popup(page: Page) -> Page:
    """Another window of the same browser."""
    with page.context.expect_page() as one:
        page.evaluate("() => void open('about:blank', '', 'popup,noopener')")
    return one.value


def beside(page: Page, url: str) -> Page:
    """Another window of the same browser, at this address."""
    one = popup(page)
    one.goto(url)
    return one


def ended(walk: Walk) -> None:
    """The room is ended, where it is asked whether it is to be."""
    walk.page.get_by_role("button", name="End the room").click()
    walk.page.get_by_role("button", name="Press again to end it").click()


@pytest.fixture
def forgiving(watch):
    """The browser itself complains of requests that get no answer, which is what these tests are about."""
    yield
    watch.complaints.clear()


def test_telephones_stand_where_the_wall_stands_each_in_its_own_language_without_a_barrier(wall, follow):
    front, _ = wall
    english, chinese = follow(), follow(locale="zh-CN")
    late = None
    for key, place in (("ArrowRight", "k"), ("ArrowDown", "k 1"), ("ArrowRight", "k 2"), ("5", "v 1")):
        front.press(key).stands_at(place)
        for phone in (english, chinese):
            phone.stands_at(place)
            assert_right(phone, FIRST)
    tint = "(td) => getComputedStyle(td).getPropertyValue('--tint')"
    assert english.cell("x", None, 2, 1).evaluate(tint) == front.cell("x", None, 2, 1).evaluate(tint)
    late = follow().stands_at("v 1")
    assert_right(late, FIRST)
    expect(front.page.locator(".room-entry .following")).to_have_text("3")
    expect(chinese.page.locator("h2")).to_contain_text(words_in("zh")("Values"))
    expect(chinese.page.locator("html")).to_have_attribute("lang", "zh-CN")
    expect(english.page.locator("h2")).to_contain_text("Values")
    english.page.get_by_role("button", name="中文").click()
    expect(english.page.locator("h2")).to_contain_text(words_in("zh")("Values"))
    english.stands_at("v 1").says(words_in("zh")("You see what is on the wall."))
    # not to "6": two figures soon after each other are one number
    front.press("ArrowUp", "ArrowRight").stands_at("scores")
    for phone in (english, chinese, late):
        phone.stands_at("scores")
    front.press("ArrowRight", "ArrowRight", "ArrowDown")
    for phone in (chinese, late) if at_length() else (chinese,):
        phone.stands_at("weights 1").button("next").click()
        the_page_of_telephones_has_no_barrier_and_fits_them(phone)


def the_page_of_telephones_has_no_barrier_and_fits_them(phone: Phone) -> None:
    """Where a number of the weights has come."""
    assert barriers(phone.page) == []
    phone.page.emulate_media(color_scheme="dark")
    expect(phone.page.locator("body")).to_have_css("background-color", "rgb(18, 22, 28)")
    assert barriers(phone.page, **rules("dark")) == []
    phone.page.locator("[data-focus=theme]").click()
    expect(phone.page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
    assert wider(phone.page) == []
    assert phone.page.locator(".controls").bounding_box()["height"] <= 64
    phone.press("ArrowUp", "Home")
    for step, place in ((5, "scores"), (3, "head_outputs")):
        assert wider(phone.page) == []
        phone.press(*["ArrowRight"] * step).stands_at(place)
    assert wider(phone.page) == []


def test_numbers_that_are_edited_on_the_way_are_edited_on_telephones_too_but_for_those_that_no_link_holds(
    wall, follow
):
    """On the bench of the same window, while the walk is not there; and undone in the same way."""
    front, _ = wall
    phone = follow()
    front.press("ArrowRight").stands_at("k")
    front.press("Escape")
    front.page.get_by_role("link", name="Bench").click()
    bench = Bench(front.page).settled()
    bench.edit("x", None, 1, 0, 7)
    edited = bench_example(FIRST.example, 7.0)
    phone.stands_at("k")
    expect(phone.cell("x", None, 1, 0)).to_have_text("7")
    assert_right(phone, trace(edited))
    bench.do("undo")
    expect(phone.cell("x", None, 1, 0)).to_have_text("3")
    assert_right(phone, FIRST)
    front.page.get_by_role("link", name="Walkthrough").click()
    front.ready().button("projector").click()
    front.press("ArrowRight").stands_at("v")
    phone.stands_at("v")
    numbers_that_no_link_holds_are_not_followed_and_the_lecturer_is_told(front, phone)


def numbers_that_no_link_holds_are_not_followed_and_the_lecturer_is_told(front: Walk, phone: Phone) -> None:
    front.press("Escape", "Escape")  # the card that says how to get in, then the walk
    front.page.get_by_role("link", name="Bench").click()
    bench = Bench(front.page).settled()
    front.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    front.page.evaluate(
        """() => {
            const row = () => Array.from({length: 64}, () => Math.random()).join("\\t");
            return navigator.clipboard.writeText(Array.from({length: 64}, row).join("\\n"));
        }"""
    )
    bench.cell("w_v", 0, 0, 0).click()
    front.page.keyboard.press("Control+V")
    front.page.get_by_role("button", name="Make WV 64 × 64 in every head and paste").click()
    bench.settled()
    front.page.get_by_role("link", name="Walkthrough").click()
    front.ready().button("projector").click()
    expect(front.page.locator(".room-card [role=alert]")).to_have_text(
        "These numbers are too large for a link: those who follow do not see them."
    )
    phone.says("The lecturer is showing something else.")
    front.press("ArrowRight").stands_at("scores")
    phone.stands_at("v").says("The lecturer is showing something else.")
    assert_right(phone, FIRST)


def test_who_has_no_network_or_looks_around_comes_back_and_a_reload_keeps_the_room(wall, follow, forgiving):
    """The presenter's reload; and when the room is ended, telephones say so."""
    front, code = wall
    phone = follow()
    front.press("ArrowRight").stands_at("k")
    phone.stands_at("k")
    a_telephone_without_a_network_says_so_and_is_back_at_the_exact_place(front, phone)
    front.press("ArrowUp").stands_at("v")
    phone.stands_at("v").button("next").click()
    phone.stands_at("scores").says("You look around on your own.")
    front.press("8").stands_at("weights")
    phone.button("next").click()
    phone.stands_at("scaled_scores")
    phone.page.get_by_role("button", name="Follow again").click()
    phone.stands_at("weights").says("You see what is on the wall.")
    expect(phone.page.get_by_role("button", name="Follow again")).to_be_hidden()
    front.press("ArrowLeft")
    phone.stands_at("scaled_scores")
    front.page.reload()
    front.ready()
    expect(front.page.locator(".room-card .way strong")).to_have_text(code)
    front.press("ArrowRight").stands_at("weights")
    phone.stands_at("weights")
    ended(front.press("c"))
    phone.says("The lecture has ended. What is shown here stays.")
    expect(front.page.locator(".room-card")).to_be_hidden()
    front.press("ArrowRight").stands_at("head_outputs")
    phone.stands_at("weights").button("next").click()
    phone.stands_at("head_outputs")
    phone.page.reload()
    phone.says("There is no room of this code. Look at the wall again, and type it here.")


def a_telephone_without_a_network_says_so_and_is_back_at_the_exact_place(front: Walk, phone: Phone) -> None:
    """And with the question that was asked while it was away."""
    phone.page.context.set_offline(True)
    phone.page.evaluate("window.dispatchEvent(new Event('online'))")  # it looks, and finds none
    phone.says("No connection; trying again. You can look around meanwhile.")
    front.press("ArrowRight", "ArrowDown", "ArrowRight").stands_at("v 2")
    front.press("a").button("room question").fill("Which one?")
    front.button("room choices 2").click()
    expect(front.page.locator(".room-card .offered li")).to_have_text(["A", "B"])
    phone.page.context.set_offline(False)
    phone.stands_at("v 2").says("You see what is on the wall.")
    expect(phone.page.locator(".question h2")).to_have_text("Which one?")


def test_when_the_server_is_started_anew_rooms_end_with_one_sentence(own_server, new_page, forgiving):
    front, code = opened(new_page(viewport=WALL), own_server.url)
    phone = Phone(new_page(viewport=PHONE)).open(f"{own_server.url}follow/{code}")
    front.press("ArrowRight").stands_at("k")
    phone.stands_at("k")
    own_server.kill()
    phone.says("No connection; trying again. You can look around meanwhile.")
    own_server.start()
    phone.says("The room has ended, or the server was started anew. What is shown here stays.")
    expect(front.page.locator(".room-card [role=alert]")).to_contain_text("open another one")
    front.page.mouse.move(900, 5)  # the bar comes over what the card says
    front.button("room follow").click()
    expect(front.page.locator(".room-card .way strong")).not_to_have_text(code)


# --- presenter and projector ----------------------------------------------------------------------------------------


@pytest.fixture
def pair(server, wall):
    """A projector, and the presenter's page beside it."""
    front, _ = wall
    back = Walk(beside(front.page, f"{server.url}walkthrough?example=first&step=q&view=presenter")).ready()
    back.press("ArrowRight").stands_at("k")
    front.stands_at("k")
    return front, back


def test_telephones_say_that_the_wall_shows_something_else_while_it_does(pair, follow):
    front, back = pair
    phone = follow(locale="zh-CN").stands_at("k").says("与大屏幕同步。")
    front.press("Escape", "Escape")  # the card that says how to get in, then the projector
    front.page.get_by_role("link", name="Lessons").click()
    phone.says("讲者正在展示别的内容。")
    expect(phone.page.locator("html")).to_have_attribute("data-state", "away")
    back.press("ArrowRight").stands_at("v")  # a presenter moves on, and the wall does not
    phone.stands_at("v").says("讲者正在展示别的内容。")
    front.page.go_back()  # whether or not the lesson is on the projector, where it has no links
    front.ready()
    phone.says("与大屏幕同步。")
    front.page.goto(front.page.url.split("walkthrough")[0] + "models")
    phone.says("讲者正在展示别的内容。")
    front.page.go_back()
    front.ready()
    phone.says("与大屏幕同步。")


@pytest.fixture
def lecture(pair, follow):
    """The two, and two telephones, the second in Chinese."""
    front, back = pair
    phones = follow(), follow(locale="zh-CN")
    for phone in phones:
        phone.stands_at("k")
    return front, back, phones


def counted(*pages: Walk, following: int = 2) -> None:
    """These windows have counted all telephones."""
    for page in pages:
        expect(page.page.locator(".room-entry .following")).to_have_text(str(following))


TYPES = "(nodes) => nodes.map((node) => parseFloat(getComputedStyle(node).fontSize))"
COVERED = """() => {
    const {shadowRoot} = [...document.querySelectorAll("*")].find((node) => node.shadowRoot?.querySelector(".walk"));
    const box = (node) => node.getBoundingClientRect();
    const card = box(shadowRoot.querySelector(".room-card"));
    const meets = (one, other) => one.left < other.right && other.left < one.right && one.top < other.bottom &&
        other.top < one.bottom;
    const told = [...shadowRoot.querySelectorAll("h2, .about, .text > *, .line, .picture, .outline, .room-card")];
    const seen = told.filter((node) => node.textContent.trim());
    const boxes = seen.map((node) => [node.className || node.tagName, box(node)]);
    const found = boxes.flatMap(([name, one], at) => boxes.slice(at + 1).flatMap(([with_, other]) =>
        meets(one, other) ? [`${name} ${with_}`] : []));
    const inside = card.left >= 0 && card.right <= innerWidth && card.bottom <= innerHeight && card.width > 0;
    return inside ? found : [...found, "outside"];
}"""
"""What the card in its corner covers of what is read, and what else is printed over each other."""


def test_windows_of_a_pair_have_one_room_and_how_to_get_in_stands_in_a_corner(pair, follow):
    front, back = pair
    phone = follow().stands_at("k")
    corner = front.page.locator(".room-card.corner")
    address = front.page.url.split("://")[1].split("/")[0] + "/follow/"
    expect(corner).to_contain_text(address)
    expect(back.page.locator(".room-way")).to_contain_text(address)
    for key, place in (("8", "weights"), ("End", "closing")):
        back.press(key).stands_at(place)
        front.stands_at(place)
        assert front.page.evaluate(COVERED) == []
    front.press("c")
    code = front.page.locator(".room-card img.code")
    expect(code).to_be_visible()
    assert {found.split()[0] for found in front.page.evaluate(COVERED)} <= {"picture"}
    front.press("b")
    phone.says("The wall is dark just now; the lecture stands here.")
    box = code.bounding_box()
    middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    on_top = """([x, y]) => {
        let node = document.elementFromPoint(x, y);
        while (node.shadowRoot) node = node.shadowRoot.elementFromPoint(x, y);
        return node.closest(".curtain") !== null;
    }"""
    assert front.page.evaluate(on_top, middle)
    wait_for(
        back.page, ".curtain:not([hidden])"
    )  # else "x" lifts nothing, and the arrow lifts it instead of moving
    back.press("x", "ArrowLeft").stands_at("concat")
    phone.says("You see what is on the wall.")
    expect(corner).to_be_visible()
    front.press("c")
    expect(code).to_be_visible()
    front.press("Escape")  # the card goes, and not the walk
    expect(corner).to_be_visible()
    expect(front.root).to_have_attribute("data-view", "projector")
    both_lead(front, back, phone)


def both_lead(front: Walk, back: Walk, phone: Phone) -> None:
    """Either window leads, counts who follows, shows and hides the code, and one of them ends the room for both."""
    counted(front, back, following=1)
    expect(back.page.locator(".room-desk .discloser")).to_contain_text(
        front.button("room follow").inner_text()[:6]
    )
    front.press("5").stands_at("v")
    back.stands_at("v").press("ArrowRight").stands_at("scores")
    phone.stands_at("scores")
    back.button("room follow").click()
    expect(front.page.locator(".room-card img.code")).to_be_visible()
    expect(back.button("room show code")).to_have_attribute("aria-pressed", "true")
    front.page.get_by_role("button", name="Close", exact=True).click()
    expect(front.page.locator(".room-card")).to_be_hidden()
    expect(back.button("room show code")).to_have_attribute("aria-pressed", "false")
    back.page.reload()
    back.ready()
    counted(back, following=1)
    end = back.button("room end")
    end.press("Enter")
    expect(end).to_have_text("Press again to end it")
    end.blur()
    expect(end).to_have_text("End the room")
    back.page.clock.install()
    end.click()
    expect(end).to_have_text("Press again to end it")
    expect(end).not_to_be_focused()
    back.page.clock.run_for(5000)
    expect(end).to_have_text("End the room")
    back.page.clock.resume()
    counted(back, following=1)
    ended(back)
    expect(phone.page.locator("html")).to_have_attribute("data-state", "ended")
    expect(front.button("room follow")).to_have_text("Follow me")
    expect(
        front.page.locator(".room-card")
    ).to_be_hidden()  # it was ended, not lost: the wall says nothing of it


def test_the_walk_s_own_page_is_followed_and_telephones_are_asked_from_the_wall_alone(new_page, server):
    walk, code = opened(new_page(viewport=WALL), server.url, view="")
    phone = Phone(new_page(viewport=PHONE)).open(f"{server.url}follow/{code}").stands_at("q")
    walk.press("ArrowRight").stands_at("k")
    phone.stands_at("k")
    expect(walk.page.locator(".room-entry .following")).to_have_text("1")
    walk.press("p", "ArrowRight").stands_at("v")
    phone.stands_at("v")
    telephones_are_asked_from_the_wall_alone(walk, phone)
    walk.press("Escape", "Escape", "ArrowLeft").stands_at("k")  # the card, then the walk
    phone.stands_at("k")
    walk.button("room follow").click()
    ended(walk)
    expect(phone.page.locator("html")).to_have_attribute("data-state", "ended")
    walk.press("ArrowRight").stands_at("v")
    walk.press("p", "a")
    expect(walk.root.locator(".line")).to_contain_text("Telephones can be asked once a room is open")


def telephones_are_asked_from_the_wall_alone(front: Walk, phone: Phone) -> None:
    question, desk = front.button("room question"), front.page.locator(".walk > .room-desk")
    front.press("a")
    expect(question).to_be_focused()
    question.press("Escape")
    expect(desk).to_be_hidden()
    expect(front.root).to_have_attribute("data-view", "projector")
    front.page.mouse.move(10, 10)
    front.button("ask").click()
    question.fill("Which <b>one</b>?")
    front.button("room choices 2").click()
    expect(desk).to_be_hidden()
    expect(phone.page.locator(".question h2")).to_have_text("Which <b>one</b>?")
    expect(front.page.locator(".room-card .offered li")).to_have_text(["A", "B"])
    front.press("a")
    expect(front.page.locator(".room-card [role=alert]")).to_contain_text("A question is open")
    expect(desk).to_be_hidden()


LINES = """(bar) => {
    const boxes = [...bar.children].map((one) => one.getBoundingClientRect()).filter(({width}) => width);
    return 1 + boxes.filter(({top}) => top >= boxes[0].bottom).length;
}"""


def test_questions_are_answered_and_numbers_predicted_on_telephones_and_counted_on_the_wall(lecture):
    front, back, (one, other) = lecture
    counted(back)
    if at_length():
        assert barriers(front.page) == barriers(back.page) == []
    numbers_are_predicted_on_telephones_and_revealed_on_the_wall(front, back, one, other)
    back.press("4").stands_at("k")
    a_question_is_answered_on_telephones_and_counted_on_the_wall(front, back, one, other)


def a_question_is_answered_on_telephones_and_counted_on_the_wall(
    front: Walk, back: Walk, one: Phone, other: Phone
) -> None:
    back.page.set_viewport_size({"width": 1440, "height": 900})
    expect(back.button("room link")).to_be_in_viewport(ratio=1)
    back.page.set_viewport_size(WALL)
    back.button("room choices 3").click()
    expect(back.page.locator(".room-desk [role=alert]")).to_contain_text("Write the question first")
    question = back.page.get_by_label("Question for the wall and the telephones")
    expect(question).to_be_focused()
    expect(one.page.locator(".question")).to_be_hidden()
    question.fill("Which of them looks for something?")
    long = "K <b>and</b> V, as the query asks them"
    for at, text in enumerate(("Q only", long)):
        back.button(f"room choice {at}").fill(text)
    back.button("room choices 3").click()
    offered = ["A · Q only", f"B · {long}", "C"]
    expect(back.page.locator(".room-desk [role=alert]")).to_have_count(0)
    for focus in (
        "room close",
        "room show poll",
    ):  # what is asked, and what can be done about it, is in sight
        expect(back.button(focus)).to_be_in_viewport(ratio=1)
    expect(back.page.locator(".room-question h3")).to_be_in_viewport(ratio=1)
    expect(back.page.locator(".notes .clock")).to_be_in_viewport(ratio=1)
    expect(front.page.locator(".room-card button")).to_have_text("✕")  # nobody in the hall closes it
    expect(front.page.locator(".text .what")).to_be_visible()
    assert front.page.evaluate(COVERED) == []
    expect(front.page.locator(".room-card .offered li")).to_have_text(offered)
    for phone in (one, other):
        expect(phone.page.locator(".question h2")).to_have_text("Which of them looks for something?")
        expect(phone.page.locator(".question .ways button")).to_have_text(offered)
    expect(back.page.locator(".room-question .answer-label")).to_have_text(offered)
    one.page.get_by_role("button", name="A · Q only", exact=True).click()
    expect(one.page.locator(".question [role=status]")).to_have_text(
        "Sent. You can change it until the question is closed."
    )
    other.page.get_by_role("button", name="C", exact=True).click()
    one.page.get_by_role("button", name="C", exact=True).click()
    for page in (front, back):
        expect(page.page.locator(".answered")).to_have_text("Answers: 2, phones: 2")
    expect(back.page.locator(".histogram .count")).to_have_text(["0", "0", "2"])
    onto_the_wall = back.button("room show poll")
    for shown in (False, True, False):  # as the presenter wants it, until the question is closed
        expect(onto_the_wall).to_have_attribute("aria-pressed", str(shown).lower())
        expect(front.page.locator(".histogram .count")).to_have_text(["0", "0", "2"] if shown else [])
        if shown:
            assert barriers(front.page) == barriers(back.page) == []
        onto_the_wall.click()
    onto_the_wall.click()
    expect(front.page.locator(".histogram")).to_have_count(0)
    open_still = "A question is open on the telephones: close it first, or reveal its number."
    for focus in ("room predict cell", "hands"):
        back.button(focus).click()
        expect(back.page.locator(".room-question [role=alert]")).to_have_text(open_still)
        expect(back.page.locator(".hands")).to_be_hidden()
        expect(one.page.get_by_role("button", name="A · Q only", exact=True)).to_be_visible()
        back.press("ArrowRight", "ArrowLeft").stands_at("k")
        expect(back.page.locator(".room-question [role=alert]")).to_have_count(0)
    front.page.mouse.move(10, 10)
    for focus in ("hands", "ask"):
        expect(front.button(focus)).to_be_hidden()
    front.press("h")
    expect(front.page.locator(".room-card [role=alert]")).to_have_text(open_still)
    for key in ("q", "v"):  # with all that stands in it the bar is one line
        front.press(key)
        assert front.page.locator(".walk > .controls").evaluate(LINES) == 1
        front.press(key)
    front.button("room close").click()  # from the bar, where no presenter's page is open
    expect(front.button("room close")).to_be_hidden()
    expect(front.page.locator(".room-card [role=alert]")).to_have_count(0)
    count = front.page.locator(".histogram .count")
    expect(count).to_have_text(["0", "0", "2"])
    assert min(count.evaluate_all(TYPES)) >= 32
    expect(onto_the_wall).to_have_attribute("aria-pressed", "true")
    expect(one.page.locator(".question .verdict")).to_have_text("Closed. Your answer: C")
    expect(other.page.locator(".question .verdict")).to_have_text(
        words_in("zh")("Closed. Your answer: {text}").format(text="C")
    )
    expect(one.page.get_by_role("button", name="C", exact=True)).to_have_count(0)


def numbers_are_predicted_on_telephones_and_revealed_on_the_wall(
    front: Walk, back: Walk, one: Phone, other: Phone
) -> None:
    """One for which a question is opened; and where all are predicted first, each that the walk comes to."""
    back.press("ArrowDown", "ArrowRight").stands_at("k 2")
    one.press("End").stands_at("closing 1").says("You look around on your own.")
    back.button("room predict cell").click()
    one.stands_at("k 2")
    token = FIRST.example.tokens[0]
    asked = f"What will stand in K[{token}, 2] of head 1?"
    expect(one.page.locator(".question h2")).to_have_text(asked)
    expect(front.page.locator(".room-card h3")).to_have_text(asked)
    for page in (front, one, other):
        expect(page.page.locator(".walk .line")).to_contain_text(f"K[{token}, 2] = ?")
        expect(page.cell("k", 0, 0, 1)).to_have_text("")
    expect(one.button("reveal")).to_be_hidden()
    expect(front.page.locator(".walk .line")).to_contain_text("Fill it in, then reveal.")
    expect(one.page.locator(".walk .line .remark")).to_have_count(0)  # there is nothing to fill in
    one.press("ArrowRight", "End")  # ahead of what is asked nobody looks around
    one.button("next").click()
    one.stands_at("k 2").says("You see what is on the wall.")
    expect(one.cell("k", 0, 0, 1)).to_have_text("")
    one.press("3").stands_at("q 1").says("You look around on your own.")  # who looks back may
    one.button("reveal").click()
    expect(one.cell("q", 0, 0, 0)).to_have_text(f"{FIRST.values['q'][0][0][0]:g}")
    one.press("End").stands_at("k 2")
    one.says("You see what is on the wall.")
    expect(one.cell("k", 0, 0, 1)).to_have_text("")
    one.page.locator(".question input").fill("one")
    one.page.get_by_role("button", name="Send").click()
    expect(one.page.locator(".question [role=status]")).to_have_text("A number is wanted, such as 0.5.")
    right = f"{FIRST.values['k'][0][0][1]:g}"
    for phone, number in ((one, right), (other, "−４")):
        phone.page.locator(".question input").fill(number)
        phone.page.locator(".question form button").click()
    expect(front.page.locator(".room-card .answered")).to_have_text("Answers: 2, phones: 2")
    expect(back.page.locator(".room-question .histogram li")).to_have_text(["−41", f"{right}1"])
    expect(front.page.locator(".room-card .histogram")).to_have_count(0)
    for again in (True, False):  # the code lies over the question, and takes nothing away
        back.press("c")  # all in the window that reveals: another's key might come after that
        expect(front.page.locator(".room-card img.code")).to_be_visible(visible=again)
    expect(front.page.locator(".room-card .answered")).to_have_text("Answers: 2, phones: 2")
    back.press("c")
    expect(front.page.locator(".room-card img.code")).to_be_visible()
    back.press("Enter")
    expect(front.page.locator(".room-card .histogram li")).to_have_count(2)
    expect(front.page.locator(".room-card .histogram .right")).to_contain_text(f"{right} ✓")
    expect(one.page.locator(".question .verdict")).to_have_text(f"Right: {right}")
    expect(other.page.locator(".question .verdict")).to_have_text(
        words_in("zh")("You said {text}; it is {number}").format(text="−4", number=right)
    )
    for phone in (one, other):
        phone.stands_at("k 2")
        expect(phone.cell("k", 0, 0, 1)).to_contain_text(right)
    back.button("hands").click()  # what is revealed stays so
    expect(back.page.locator(".hands")).to_be_visible()
    expect(back.cell("k", 0, 0, 1)).to_contain_text(right)
    back.press("ArrowRight").stands_at("k 3")  # the number of one place was asked for, and no more
    for page in (front, back, one):
        expect(page.cell("k", 0, 1, 0)).to_contain_text(f"{FIRST.values['k'][0][1][0]:g}")
    expect(front.page.locator(".room-card.corner")).to_be_visible()
    each_is_asked_for(front, back, one, other)


def each_is_asked_for(front: Walk, back: Walk, one: Phone, other: Phone) -> None:
    """The wall shows the answers of telephones as they come, over nothing, and the presenter opens no question."""
    back.press("q")
    expect(back.button("predict")).to_be_checked()
    token = FIRST.example.tokens[1]
    poll = front.page.locator(".room-card.poll")
    for col, place in enumerate(("k 3", "k 4")):
        front.stands_at(place)
        expect(one.page.locator(".question h2")).to_have_text(
            f"What will stand in K[{token}, {col + 1}] of head 1?"
        )
        expect(poll.locator(".answered")).to_have_text("Answers: 0, phones: 2")
        right = f"{FIRST.values['k'][0][1][col]:g}"
        for phone, number in ((one, right), (other, "-7")):
            phone.page.locator(".question input").fill(number)
            phone.page.locator(".question form button").click()
        expect(poll.locator(".answered")).to_have_text("Answers: 2, phones: 2")
        expect(poll.locator(".histogram")).to_have_count(0)
        assert front.page.evaluate(COVERED) == []
        back.press("Enter")
        expect(poll.locator(".histogram li")).to_have_count(2)
        expect(poll.locator(".histogram .right")).to_contain_text(f"{right} ✓")
        assert front.page.evaluate(COVERED) == []
        expect(one.page.locator(".question .verdict")).to_have_text(f"Right: {right}")
        expect(one.page.locator(".question .note")).to_have_count(0)
        back.press("ArrowRight")
    back.press("ArrowUp").stands_at("k")
    one_of_many = "This one number stands for all that are hidden on the wall."
    expect(one.page.locator(".question .note")).to_have_text(one_of_many)
    back.press("q")
    expect(one.page.locator(".question")).to_be_hidden()
    back.press("ArrowRight")
    expect(poll).to_have_count(0)


A_HALL = """() => {
    const real = window.fetch;
    window.fetch = async (...asked) => {
        const answer = await real(...asked);
        if (!String(asked[0]).includes("counts=1")) return answer;
        const body = new ReadableStream({
            async start(controller) {
                const encoder = new TextEncoder();
                window.counted = (counts) =>
                    controller.enqueue(encoder.encode(`event: counts\\ndata: ${JSON.stringify(counts)}\\n\\n`));
                for await (const chunk of answer.body) controller.enqueue(chunk);
            },
        });
        return new Response(body, { status: answer.status, headers: answer.headers });
    };
}"""
"""Beside what the server counts, a window is told what a hall of 300 has answered."""
CUT = """(root) => [root, ...root.querySelectorAll("*")]
    .filter((node) => node.scrollHeight > node.clientHeight + 1 && getComputedStyle(node).overflowY !== "visible")
    .map((node) => node.className)"""
TAIL = {"0": 150} | {f"{number}.5": 10 for number in range(9)} | {f"-{number}": 1 for number in range(1, 61)}


@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.long), "zh"])
def test_the_answers_of_300_are_whole_on_the_wall_the_commonest_first_and_the_right_one_marked(
    new_page, server, language
):
    url = f"{server.url}walkthrough?example=first&lang={language}&step=k&sub=2&view="
    front = Walk(new_page(viewport=WALL)).open(f"{url}projector")
    front.page.evaluate(A_HALL)
    back = Walk(popup(front.page))
    back.page.add_init_script(f"({A_HALL})()")
    back.open(f"{url}presenter")
    front.page.mouse.move(10, 10)
    front.button("room follow").click()
    expect(back.button("room predict cell")).to_be_attached()
    back.button("room predict cell").click()
    expect(front.page.locator(".room-card.poll h3")).to_be_visible()
    for walk in (front, back):
        walk.page.evaluate("counted", {"listeners": 300, "answers": TAIL, "others": 0})
    back.press("Enter")
    right = f"{FIRST.values['k'][0][0][1]:g}"
    for size in (WALL, ViewportSize(width=1920, height=1080)):
        for walk, panel in ((front, ".room-card.poll"), (back, ".room-question")):
            walk.page.set_viewport_size(size)
            shown = walk.page.locator(f"{panel} .histogram li")
            expect(shown.first.locator(".count")).to_have_text("150")
            expect(shown.first.locator(".answer-label")).to_have_text("0")
            expect(walk.page.locator(f"{panel} .histogram .right .answer-label")).to_contain_text(
                f"{right} ✓"
            )
            expect(shown.last.locator(".answer-label")).to_have_text(words_in(language)("others"))
            wait_until(
                walk.page, f"(panel) => !({CUT})(panel).length", walk.page.locator(panel).element_handle()
            )
            for bar in shown.all():
                expect(bar).to_be_in_viewport(ratio=1)
        assert front.page.evaluate(COVERED) == []


def test_the_page_opens_no_session_offers_the_exercise_of_the_day_and_takes_a_typed_code(new_page, server):
    back = Walk(new_page()).open(f"{server.url}walkthrough?example=first&step=q&view=presenter")
    back.button("room follow").click()
    way = back.page.locator(".room-way")
    expect(way).to_contain_text("/follow/")
    code = re.search(r"/follow/(\w+)", way.inner_text())[1]
    phone = Phone(new_page(viewport=PHONE))
    the_page_opens_no_session_and_asks_for_nothing_else(phone, server, code)
    the_exercise_of_the_day_opens_from_telephones(back, phone.page)
    phone.page.goto(f"{server.url}follow")
    phone.says("Type the code that stands on the wall.")
    phone.page.get_by_label("Code of the room").fill(code.lower())
    phone.page.get_by_role("button", name="Follow").click()
    phone.ready().stands_at("q")


def the_page_opens_no_session_and_asks_for_nothing_else(phone: Phone, server, code: str) -> None:
    asked: list[str] = []
    phone.page.on("request", lambda request: asked.append(request.url.removeprefix(server.url)))
    phone.page.on("websocket", lambda socket: asked.append(socket.url))
    phone.open(f"{server.url}follow/{code}").stands_at("q")
    assert len(asked) == 5, asked
    room = rf"api/rooms/{code}"
    files = (rf"follow/{code}", r"api/follow/\w+\.css", r"api/follow/\w+\.js")
    for kind in (*files, f"{room}/events", rf"{room}/walks/\w+\?lang=en"):
        assert [one for one in asked if re.fullmatch(kind, one)], (kind, asked)


def the_exercise_of_the_day_opens_from_telephones(back: Walk, page: Page) -> None:
    back.button("room exercise").select_option("weights")
    link = page.get_by_role("link", name="Exercise of the day, with numbers of your own")
    expect(link).to_have_attribute("href", re.compile(r"^check\?example=first&ask=weights&seed=own&lang=en$"))
    pasted = back.button("room link")
    pasted.fill("https://elsewhere.example/check?example=first&ask=weights")
    pasted.press("Enter")
    refused = "This is no link to an exercise on this server: copy one from the page Check."
    expect(back.page.locator(".room-desk [role=alert]")).to_have_text(refused)
    expect(link).to_be_visible()
    pasted.fill(page.url.split("/follow")[0] + "/check?example=causal&ask=scores&seed=7&lang=zh")
    pasted.press("Enter")
    expect(back.page.locator(".room-desk [role=alert]")).to_have_count(0)
    linked = page.get_by_role("link", name="Exercise of the day", exact=True)
    expect(linked).to_have_attribute("href", "check?example=causal&ask=scores&seed=7&lang=en")
    back.button("room exercise").select_option("")
    expect(linked).to_be_hidden()


@pytest.mark.long  # all of it together: each is shown by a test of its own
def test_a_lecture_from_its_beginning_to_its_end(lecture, new_context, server, forgiving):
    """With an edit, a prediction, a poll, somebody who comes late, and a connection that is lost."""
    front, back, (one, other) = lecture
    code = front.page.locator(".room-card .way strong").inner_text()
    context = new_context(viewport=PHONE)
    late = Phone(context.new_page()).open(f"{server.url}follow/{code}").stands_at("k")
    everybody = (front, back, one, other, late)
    back.press("ArrowRight", "ArrowRight").stands_at("scores")
    back.button("room question").fill("A or B?")
    back.button("room choices 2").click()
    for phone, choice in ((one, "A"), (other, "A"), (late, "B")):
        phone.page.get_by_role("button", name=choice, exact=True).click()
    expect(back.page.locator(".histogram .count")).to_have_text(["2", "1"])
    back.page.get_by_role("button", name="Close the question").click()
    expect(front.page.locator(".histogram .count")).to_have_text(["2", "1"])

    front.press("Escape", "Escape")  # the answers, then the walk
    front.page.get_by_role("link", name="Bench").click()
    Bench(front.page).settled().edit("x", None, 1, 0, 7)
    front.page.get_by_role("link", name="Walkthrough").click()
    front.ready().button("projector").click()
    edited = trace(bench_example(FIRST.example, 7.0))
    for page in everybody:
        page.stands_at("scores")
        assert_right(page, edited)

    context.set_offline(True)
    late.page.evaluate("window.dispatchEvent(new Event('online'))")
    expect(late.page.locator("html")).to_have_attribute("data-state", "lost")
    back.press("ArrowDown", "ArrowRight").stands_at("scores 2")
    back.button("room predict cell").click()
    number = f"{edited.values['scores'][0][0][1]:g}"
    one.page.locator(".question input").fill(number)
    one.page.locator(".question form button").click()
    context.set_offline(False)
    late.page.locator(".question input").fill("0")
    late.page.locator(".question form button").click()
    expect(front.page.locator(".room-card .answered")).to_have_text("Answers: 2, phones: 3")
    back.press("Enter")
    expect(front.page.locator(".histogram .right .count")).to_have_text("1")
    expect(late.page.locator(".verdict")).to_contain_text(number)
    for page in everybody:
        page.stands_at("scores 2")
        assert_right(page, edited)
    ended(back)
    for phone in (one, other, late):
        expect(phone.page.locator("html")).to_have_attribute("data-state", "ended")


# --- the page --------------------------------------------------------------------------------------------------------
