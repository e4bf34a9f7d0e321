"""A lecture that phones follow: the presenter's page, the projector and the phones, each in its own browser."""

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
    """The page of a phone that follows. Streamlit is not on it."""

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
    """A phone that opens the room."""

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
    """End the room: a first press asks, a second one ends it."""
    walk.page.get_by_role("button", name="End the room").click()
    walk.page.get_by_role("button", name="Press again to end the room").click()


@pytest.fixture
def forgiving(watch):
    """The browser complains of requests without an answer, which these tests are about."""
    yield
    watch.complaints.clear()


def test_phones_are_where_the_projector_is_each_in_its_own_language(wall, follow):
    """One that comes late too; and their page is accessible, and no wider than a phone."""
    front, _ = wall
    chinese = follow(locale="zh-CN")
    for key, place in (("ArrowRight", "k"), ("ArrowDown", "k 1"), ("5", "v 1")):
        front.press(key).stands_at(place)
        chinese.stands_at(place)
    assert_right(chinese, FIRST)
    late = follow().stands_at("v 1")
    assert_right(late, FIRST)
    expect(front.page.locator(".room-entry .following")).to_have_text("2")
    expect(chinese.page.locator("h2")).to_contain_text(words_in("zh")("Values"))
    expect(late.page.locator("h2")).to_contain_text("Values")
    front.press("ArrowUp", "ArrowRight").stands_at("scores")
    front.press("ArrowRight", "ArrowRight", "ArrowDown")
    for phone in (chinese, late) if at_length() else (chinese,):
        phone.stands_at("weights 1").button("next").click()
        the_page_of_phones_is_accessible_and_fits_them(phone)


def the_page_of_phones_is_accessible_and_fits_them(phone: Phone) -> None:
    """Where the first number of the weights is shown."""
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


def test_numbers_edited_or_undone_on_the_bench_reach_phones(wall, follow):
    """The bench is in the same window, so the walk is not on the page meanwhile."""
    front, _ = wall
    phone = follow()
    front.press("ArrowRight").stands_at("k")
    front.press("Escape", "Escape")  # the card that says how to get in, then the walk
    front.page.get_by_role("link", name="Explore").click()
    bench = Bench(front.page).settled()
    bench.edit("x", None, 1, 0, 7)
    edited = bench_example(FIRST.example, 7.0)
    phone.stands_at("k")
    expect(phone.cell("x", None, 1, 0)).to_have_text("7")
    assert_right(phone, trace(edited))
    bench.do("undo")
    expect(phone.cell("x", None, 1, 0)).to_have_text("3")
    assert_right(phone, FIRST)


def test_a_phone_without_a_network_comes_back_and_reloads_keep_the_room_until_it_ends(
    wall, follow, forgiving
):
    front, code = wall
    phone = follow()
    front.press("ArrowRight").stands_at("k")
    phone.stands_at("k")
    a_phone_without_a_network_says_so_and_comes_back_to_the_place_and_the_question(front, phone)
    front.page.reload()
    front.ready()
    expect(front.page.locator(".room-card .way strong")).to_have_text(code)
    front.press("ArrowRight").stands_at("v 3")
    phone.stands_at("v 3")
    ended(front.press("c"))
    phone.says("The lecture has ended. You can keep reading this page.")
    phone.page.reload()
    phone.says("No room has this code. Check the code on the projector and type it again.")


def a_phone_without_a_network_says_so_and_comes_back_to_the_place_and_the_question(
    front: Walk, phone: Phone
) -> None:
    """The question was asked while the phone was away."""
    phone.page.context.set_offline(True)
    phone.page.evaluate("window.dispatchEvent(new Event('online'))")  # it looks, and finds no network
    phone.says("No connection. Trying again; you can keep browsing.")
    front.press("ArrowRight", "ArrowDown", "ArrowRight").stands_at("v 2")
    front.press("a").button("room question").fill("Which one?")
    front.button("room choices 2").click()
    expect(front.page.locator(".room-card .offered li")).to_have_text(["A", "B"])
    phone.page.context.set_offline(False)
    phone.stands_at("v 2").says("In sync with the projector.")
    expect(phone.page.locator(".question h2")).to_have_text("Which one?")


def test_a_server_that_is_started_again_ends_rooms_and_says_so(own_server, new_page, forgiving):
    front, code = opened(new_page(viewport=WALL), own_server.url)
    phone = Phone(new_page(viewport=PHONE)).open(f"{own_server.url}follow/{code}")
    front.press("ArrowRight").stands_at("k")
    phone.stands_at("k")
    own_server.kill()
    phone.says("No connection. Trying again; you can keep browsing.")
    own_server.start()
    phone.says("The room has ended, or the server was restarted. You can keep reading this page.")
    expect(front.page.locator(".room-card [role=alert]")).to_contain_text("Open another room")
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


def test_phones_say_that_something_else_is_shown_while_the_projector_is_on_another_page(pair, follow):
    front, back = pair
    phone = follow(locale="zh-CN").stands_at("k").says("与大屏幕同步。")
    front.press("Escape", "Escape")  # the card that says how to get in, then the projector
    front.page.get_by_role("link", name="Learn").click()
    phone.says("讲者正在展示别的内容。")
    expect(phone.page.locator("html")).to_have_attribute("data-state", "away")
    back.press("ArrowRight").stands_at("v")  # a presenter moves on, and the wall does not
    phone.stands_at("v").says("讲者正在展示别的内容。")
    front.page.go_back()  # whether or not the lesson is on the projector, where it has no links
    front.ready()
    phone.says("与大屏幕同步。")


@pytest.fixture
def lecture(pair, follow):
    """The two windows, and two phones, the second in Chinese."""
    front, back = pair
    phones = follow(), follow(locale="zh-CN")
    for phone in phones:
        phone.stands_at("k")
    return front, back, phones


def counted(*pages: Walk, following: int = 2) -> None:
    """These windows have counted every phone that follows."""
    for page in pages:
        expect(page.page.locator(".room-entry .following")).to_have_text(str(following))


LARGE_COUNTS = """(px) => {
    const {shadowRoot} = [...document.querySelectorAll("*")].find((node) => node.shadowRoot?.querySelector(".walk"));
    const counts = [...shadowRoot.querySelectorAll(".histogram .count")];
    return counts.length === 3 && counts.every((node) => parseFloat(getComputedStyle(node).fontSize) >= px);
}"""
COVERED = """() => {
    const {shadowRoot} = [...document.querySelectorAll("*")].find((node) => node.shadowRoot?.querySelector(".walk"));
    const box = (node) => node.getBoundingClientRect();
    const card = box(shadowRoot.querySelector(".room-card"));
    const meets = (one, other) => one.left < other.right && other.left < one.right && one.top < other.bottom &&
        other.top < one.bottom;
    const read = [...shadowRoot.querySelectorAll("h2, .about, .text > *, .line, .picture, .outline, .room-card")];
    const seen = read.filter((node) => node.textContent.trim());
    const boxes = seen.map((node) => [node.className || node.tagName, box(node)]);
    const found = boxes.flatMap(([name, one], at) => boxes.slice(at + 1).flatMap(([with_, other]) =>
        meets(one, other) ? [`${name} ${with_}`] : []));
    const inside = card.left >= 0 && card.right <= innerWidth && card.bottom <= innerHeight && card.width > 0;
    return inside ? found : [...found, "outside"];
}"""
"""Which texts and pictures overlap, the room's card among them; "outside" if the card is not in the window."""


def test_how_to_get_into_a_room_is_in_a_corner_and_the_curtain_covers_its_code(pair):
    front, back = pair
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
    box = code.bounding_box()
    middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    on_top = """([x, y]) => {
        let node = document.elementFromPoint(x, y);
        while (node.shadowRoot) node = node.shadowRoot.elementFromPoint(x, y);
        return node.closest(".curtain") !== null;
    }"""
    assert front.page.evaluate(on_top, middle)
    wait_for(back.page, ".curtain:not([hidden])")  # else the arrow would lift it and not move the walk
    back.press("x", "ArrowLeft").stands_at("concat")
    expect(corner).to_be_visible()
    back.button("room follow").click()
    expect(code).to_be_visible()
    ended(back)
    expect(front.page.locator(".room-card")).to_be_hidden()


LINES = """(bar) => {
    const boxes = [...bar.children].map((one) => one.getBoundingClientRect()).filter(({width}) => width);
    return 1 + boxes.filter(({top}) => top >= boxes[0].bottom).length;
}"""


def test_a_number_and_a_question_are_answered_on_a_phone_and_their_answers_cover_nothing(pair, follow):
    front, back = pair
    phone = follow().stands_at("k")
    counted(back, following=1)
    a_number_is_predicted(front, back, phone)
    back.press("ArrowUp").stands_at("k")
    a_question_is_answered(front, back, phone)


def a_number_is_predicted(front: Walk, back: Walk, phone: Phone) -> None:
    back.press("ArrowDown", "ArrowRight").stands_at("k 2")
    back.button("room predict cell").click()
    poll = front.page.locator(".room-card.poll")
    expect(phone.page.locator(".question h2")).to_have_text("Which number goes in K[思考, 2] of head 1?")
    right = f"{FIRST.values['k'][0][0][1]:g}"
    phone.page.locator(".question input").fill(right)
    phone.page.get_by_role("button", name="Send").click()
    expect(poll.locator(".answered")).to_have_text("Answers: 1, phones: 1")
    assert front.page.evaluate(COVERED) == []
    back.press("Enter")
    expect(poll.locator(".histogram .right")).to_contain_text(f"{right} ✓")
    assert front.page.evaluate(COVERED) == []
    expect(phone.page.locator(".question .verdict")).to_have_text(f"Correct answer: {right}")
    expect(phone.cell("k", 0, 0, 1)).to_contain_text(right)


def a_question_is_answered(front: Walk, back: Walk, phone: Phone) -> None:
    back.page.set_viewport_size({"width": 1440, "height": 900})
    expect(back.button("room link")).to_be_in_viewport(ratio=1)
    back.page.set_viewport_size(WALL)
    back.button("room question").fill("Which of them looks for something?")
    for at, text in enumerate(("Q only", "K <b>and</b> V, as the query asks them")):
        back.button(f"room choice {at}").fill(text)
    back.button("room choices 3").click()
    for focus in ("room close", "room show poll"):
        expect(back.button(focus)).to_be_in_viewport(ratio=1)
    for part in (".room-question h3", ".notes .clock"):
        expect(back.page.locator(part)).to_be_in_viewport(ratio=1)
    expect(front.page.locator(".text .what")).to_be_visible()
    assert front.page.evaluate(COVERED) == []
    phone.page.get_by_role("button", name="C", exact=True).click()
    count = front.page.locator(".histogram .count")
    expect(front.page.locator(".answered")).to_have_text("Answers: 1, phones: 1")
    back.button("room show poll").click()
    expect(count).to_have_text(["0", "0", "1"])
    assert barriers(front.page) == barriers(back.page) == []
    front.page.mouse.move(10, 10)
    for key in ("q", "v"):  # the bar stays one line, whatever is in it
        front.press(key)
        assert front.page.locator(".walk > .controls").evaluate(LINES) == 1
        front.press(key)
    front.button("room close").click()
    expect(phone.page.locator(".question .verdict")).to_have_text("Closed. Your answer: C")
    # one wait, as the projector draws its histogram again when the question closes
    wait_until(front.page, LARGE_COUNTS, 32)


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
"""Lets a test give a window the counts of 300 answers, besides those of the server."""
CUT = """(root) => [root, ...root.querySelectorAll("*")]
    .filter((node) => node.scrollHeight > node.clientHeight + 1 && getComputedStyle(node).overflowY !== "visible")
    .map((node) => node.className)"""
TAIL = {"0": 150} | {f"{number}.5": 10 for number in range(9)} | {f"-{number}": 1 for number in range(1, 61)}


@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.long), "zh"])
def test_the_answers_of_300_fit_on_the_projector_and_the_presenters_page(new_page, server, language):
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


def test_the_page_of_phones_opens_no_session_and_makes_five_requests(server, wall, new_page):
    _, code = wall
    phone = Phone(new_page(viewport=PHONE))
    requests: list[str] = []
    phone.page.on("request", lambda request: requests.append(request.url.removeprefix(server.url)))
    phone.page.on("websocket", lambda socket: requests.append(socket.url))
    phone.open(f"{server.url}follow/{code}").stands_at("q")
    assert len(requests) == 5, requests
    room = rf"api/rooms/{code}"
    files = (rf"follow/{code}", r"api/follow/\w+\.css", r"api/follow/\w+\.js")
    for kind in (*files, f"{room}/events", rf"{room}/walks/\w+\?lang=en"):
        assert [address for address in requests if re.fullmatch(kind, address)], (kind, requests)


@pytest.mark.long  # a test of its own shows each part of it
def test_a_whole_lecture(lecture, new_context, server, forgiving):
    """With an edit, a prediction, a poll, a phone that comes late, and a connection that is lost."""
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
    front.page.get_by_role("link", name="Explore").click()
    Bench(front.page).settled().edit("x", None, 1, 0, 7)
    front.page.get_by_role("link", name="Step through").click()
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
