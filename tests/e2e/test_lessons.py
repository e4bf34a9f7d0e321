"""The lessons in a real browser: their links, their controls, their way to the bench and back."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Locator, Page, expect

from mha_core import built_in, trace
from mha_core.compute.scaling import experiment
from mha_core.messages import LANGUAGE
from mha_ui.lessons import LESSONS
from mha_view.language import LANGUAGES, words_in
from tests.apply import apply
from tests.e2e.looks import PAPER, barriers, recolour, wider, widths
from tests.sizes import at_length, shortened, turns
from tools.drive.browser import WAIT, at_rest, picture, replace, wait_until
from tools.drive.explore import assert_shows

TOPICS = list(LESSONS)
LOOKS = list(zip((390, 1280, 390, 1280), (*PAPER, *reversed(PAPER)), strict=True))
"""Widths and themes in which axe reads a lesson: each in one of them, at length in all."""


@pytest.fixture
def read(server, new_page):
    """Open a lesson as a new visitor."""

    def opened(topic: str, query: str = "", **options) -> Page:
        page = new_page(**options)
        return settled(goto(page, f"{server.url}lessons?lesson={topic}{query}"), topic)

    return opened


def goto(page: Page, url: str) -> Page:
    page.goto(url)
    return page


def settled(page: Page, topic: str) -> Page:
    """Wait until this lesson is there, with all its pictures and its address, and nothing moves any more."""
    arrived(page, topic)
    for drawn in page.locator('[class*="st-key-picture-"]').all():
        picture(page, key_of(drawn))
    page.evaluate("document.querySelector('.stMain').scrollTo(0, 0)")
    at_rest(page)
    return page


def arrived(page: Page, topic: str) -> Page:
    """Wait until this lesson is there with its address; pictures that are not in view are not waited for."""
    headings = [words_in(language)(LESSONS[topic].title) for language in LANGUAGES]
    heading = page.get_by_role("heading", name=headings[0], exact=True).or_(
        page.get_by_role("heading", name=headings[1], exact=True)
    )
    expect(heading).to_be_visible(timeout=WAIT)
    at_rest(page)  # till then the pictures of another lesson may stand there
    page.wait_for_function("(topic) => location.search.includes(`lesson=${topic}`)", arg=topic, timeout=WAIT)
    return page


def key_of(drawn: Locator) -> str:
    """The name of a picture's place on the page."""
    return str(drawn.evaluate("(node) => node.className.match(/st-key-picture-([\\w-]+)/)[1]"))


def y_of(page: Page, key: str) -> list[list[float]]:
    """The heights that one picture has drawn, trace by trace."""
    picture(page, key)
    return json.loads(
        page.evaluate(
            """(key) => JSON.stringify(document.querySelector(`.st-key-picture-${key} .js-plotly-plot`).data
                .map((part) => Array.from(part.y)))""",
            key,
        )
    )


def expect_y(page: Page, key: str, index: int, wanted: list[float]) -> None:
    """Wait until one trace of a picture has these heights."""
    picture(page, key)
    page.wait_for_function(
        """([key, index, wanted]) => {
            const part = document.querySelector(`.st-key-picture-${key} .js-plotly-plot`)?.data?.[index];
            return part && JSON.stringify(Array.from(part.y)) === JSON.stringify(wanted);
        }""",
        arg=[key, index, wanted],
        timeout=WAIT,
    )


def press(page: Page, slider: str, key: str, times: int = 1) -> None:
    handle = page.get_by_role("slider", name=slider)
    handle.focus()
    for _ in range(times):
        handle.press(key)


# --- every lesson ----------------------------------------------------------------------------------------------


def test_lessons_follow_one_another_and_back_leads_back(read):
    first, *others = TOPICS if at_length() else TOPICS[:3]
    page = read(first, "&example=causal&lang=zh")
    for topic in others:
        page.locator(".st-key-lesson-steps a").last.click()
        arrived(page, topic)
        assert page.url.endswith(f"example=causal&lang=zh&lesson={topic}")
    for topic in (*others[-2::-1], first):
        page.go_back()
        arrived(page, topic)


KINDS = ["library", "two-questions", "order", "block", "not-proof"]
"""Lessons that together have every kind of part and control."""


@pytest.mark.parametrize("language", shortened(LANGUAGES, ["zh"]))
@pytest.mark.parametrize("topic", shortened(TOPICS, KINDS))
def test_a_lesson_is_for_everybody(read, topic, language):
    assert_is_for_everybody(read(topic, f"&lang={language}"), topic, language)


def assert_is_for_everybody(page: Page, topic: str, language: str) -> None:
    """It is in this language, its answer is revealed, nothing covers it, and it fits every screen."""
    words, lesson = words_in(language), LESSONS[topic]
    expect(page.get_by_role("heading", name=words(lesson.title), exact=True)).to_be_visible()
    expect(page.locator('.st-key-lesson-list a[aria-current="page"]')).to_contain_text(words(lesson.title))
    assert page.evaluate("document.documentElement.lang") == LANGUAGE[language].tag
    answer = page.locator(".st-key-lesson-question details p").last
    expect(answer).not_to_be_visible()
    page.get_by_text(words("Show the answer")).click()
    expect(answer).to_be_visible()
    assert page.locator(".katex-error").count() == 0
    for unseen in page.locator(".mha-unseen").all():
        assert len(unseen.text_content() or "") > 5
    for width in widths(page):
        assert wider(page) == [], (topic, width)
    for of, (width, scheme) in turns(TOPICS, LOOKS):
        if of == topic:
            page.set_viewport_size({"width": width, "height": 900})
            recolour(page, scheme)
            assert barriers(page) == [], (topic, width, scheme)
    page.set_viewport_size({"width": 1280, "height": 800})
    recolour(page, "light")


# --- their controls --------------------------------------------------------------------------------------------


def test_the_readers_interest_moves_the_weights_by_keyboard(read):
    page = read("library")
    before = y_of(page, "library")
    press(page, "nursing", "End")
    expect(page.get_by_role("status").filter(has_text="You read Nursing most closely")).to_be_visible()
    assert y_of(page, "library") != before
    weights = [height[0] for height in y_of(page, "library")[:4]]
    page.get_by_text("Swap the contents of").click()
    expect(page.get_by_role("cell", name="(0, 0, 70)").first).to_be_visible()
    expect(page.locator("tr", has_text="Programming").get_by_role("cell").last).to_have_text("(0, 0, 70)")
    assert [height[0] for height in y_of(page, "library")[:4]] == weights


def test_the_experiment_is_repeated_with_other_numbers_and_its_pictures_follow_the_theme(read):
    """Also of a lesson that a link in another one led to: what the page was loaded with does not come back."""
    page = read("weighted-mean", color_scheme="dark")
    page.locator(".st-key-lesson-list a").nth(TOPICS.index("sqrt-dk")).click()
    settled(page, "sqrt-dk")
    colour = page.evaluate("document.querySelector('.js-plotly-plot').layout.title.font.color")
    assert colour == "#e6eaf0"
    expect_y(page, "scaling", 2, [row.plain.spread for row in experiment(0, 8)])
    page.get_by_role("button", name="Sample again").click()
    expect_y(page, "scaling", 2, [row.plain.spread for row in experiment(1, 8)])
    press(page, "Number of keys", "ArrowRight")
    expect_y(page, "scaling", 6, [row.scaled.entropy for row in experiment(1, 9)])
    press(page, "Standard deviation", "ArrowLeft", 2)
    expect_y(page, "scaling", 8, [row.plain.gradient for row in experiment(1, 9, 0.5)])
    press(page, "Show details for", "End")
    expect_y(page, "one-query", 0, list(experiment(1, 9, 0.5)[-1].plain.first))
    expect(page.locator("tr.chosen th")).to_have_text("512")


def test_pictures_take_the_colours_that_the_reader_chooses(read):
    page = read("sqrt-dk", color_scheme="light")
    settled(page, "sqrt-dk")
    page.locator(".st-key-frame-menu button").click()
    page.get_by_role("button", name="Dark", exact=True).click()
    colour = "document.querySelector('.js-plotly-plot').layout.title.font.color"
    wait_until(page, f"() => {colour} === '#e6eaf0'")


def test_a_number_of_a_lesson_says_how_it_is_computed_by_pointer_and_by_keyboard(read):
    page = read("block")
    numbers = page.locator('[data-area="mid"] td[data-key]')
    line = page.locator(".scene .why")
    numbers.last.hover()
    expect(line).to_have_text("X′[programming, 3] = 2 + (−0.13) ≈ 1.87")
    numbers.first.focus()
    expect(line).to_have_text("X′[I, 1] = 2 + 1.30 ≈ 3.30")
    numbers.first.press("ArrowDown")
    expect(line).to_have_text("X′[love, 1] = 0 + 1.30 ≈ 1.30")
    press(page, "Scale what attention adds by", "Home")
    expect(page.get_by_role("status").filter(has_text="Attention adds a row of length 0")).to_be_visible()
    numbers.first.hover()
    expect(line).to_have_text("X′[I, 1] = 2 + 0 = 2")


def test_one_head_fails_at_what_two_can_do_and_a_link_leads_back_from_explore(read):
    page = read("two-questions")
    said = page.locator(".mha-said").first
    expect(said).to_contain_text("✗")
    press(page, "It asks for the event", "End")
    press(page, "It asks for the thing", "End")
    expect(said).to_contain_text("✗ The output has 0.50 of the value of “book” and 0.50")
    page.get_by_text("A second head: each question").click()
    expect(said).to_contain_text("✓")
    page.get_by_role("button", name="Explore this example").click()
    expect(page.get_by_role("link", name="← Lesson")).to_be_visible()
    page.wait_for_function("() => location.search.includes('from=two-questions')")
    page.reload()
    page.get_by_role("link", name="← Lesson").click()
    settled(page, "two-questions")
    expect(page.get_by_role("link", name="← Lesson")).to_have_count(0)


def test_the_controls_survive_a_reload(read):
    page = read("two-questions")
    page.get_by_text("A second head: each question").click()
    page.wait_for_function("() => new URLSearchParams(location.search).has('set')")
    page.reload()
    arrived(page, "two-questions")
    expect(page.get_by_role("switch", name="A second head: each question")).to_be_checked()


BESIDE = """() => {
    const [controls, ...rows] = [".st-key-lesson-controls", ".st-key-lesson-live .mha-said"]
        .flatMap((selector) => [...document.querySelectorAll(selector)]);
    rows.at(-1).scrollIntoView({ block: "end" });
    const [top, low] = [controls.getBoundingClientRect(), rows.at(-1).getBoundingClientRect()];
    const frame = document.querySelector(".st-key-frame").getBoundingClientRect();
    return { shown: top.top >= frame.bottom - 8 && top.bottom <= low.top && low.bottom <= innerHeight,
        places: [frame.bottom, top.top, top.bottom, low.top, low.bottom] };
}"""


@pytest.mark.parametrize("topic", shortened(["block"], TOPICS))
def test_the_controls_are_in_sight_with_the_last_of_what_they_change(read, topic):
    page = read(topic)
    found = page.evaluate(BESIDE)
    assert found["shown"], found


def test_what_was_read_and_answered_is_remembered_and_marked_in_the_list(read):
    page = read("masks")
    told = page.locator(".mha-progress")
    expect(told).to_be_hidden()
    page.locator(".stRadio label", has_text="10").click()
    expect(told).to_contain_text("1 of 11 lessons read (✓), 1 of 11 questions answered (✓✓)")
    page.locator(".st-key-lesson-list").get_by_role("link", name="Order and positions").click()
    arrived(page, "order")
    page.locator(".st-key-lesson-steps").scroll_into_view_if_needed()
    expect(told).to_contain_text("2 of 11 lessons read (✓), 1 of 11 questions answered (✓✓)")
    done = page.locator(".st-key-lesson-list a").evaluate_all(
        "(all) => all.map((link) => link.dataset.done ?? '')"
    )
    assert done == [{"masks": "answered", "order": "read"}.get(topic, "") for topic in TOPICS]


def test_the_next_lesson_opens_at_its_top_and_is_not_read_before_its_end_is_scrolled_to(read):
    page = read("masks")
    steps = page.locator(".st-key-lesson-steps")
    steps.locator("a").last.click()
    arrived(page, "cross-attention")
    page.wait_for_function("() => document.querySelector('.stMain').scrollTop === 0")
    marked = page.locator('.st-key-lesson-list a[data-done="read"]')
    expect(marked).to_have_count(1)
    expect(marked).to_contain_text("Mask")
    steps.scroll_into_view_if_needed()
    expect(marked).to_have_count(2)


OUTLINE_ROOM = """() => {
    const [list, link] = [".st-key-lesson-list", ".st-key-lesson-here a"].map((s) => document.querySelector(s));
    return link.getBoundingClientRect().top - list.getBoundingClientRect().top;
}"""


def test_on_a_phone_the_chosen_lesson_is_whole(read):
    page = read("masks")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate(OUTLINE_ROOM) >= 2


# --- their place in the app ------------------------------------------------------------------------------------


def test_an_edit_on_the_bench_is_seen_in_the_lesson_and_kept_in_every_link(visit):
    bench = visit("?example=water")
    bench.edit("x", None, 0, 0, 3.5)
    example = apply(built_in("water"), {"op": "set", "matrix": "x", "row": 0, "col": 0, "values": [[3.5]]})
    bench.page.get_by_role("link", name="Learn").click()
    page = arrived(bench.page, TOPICS[0])
    bench.wait_for_address(example)
    page.locator(".st-key-lesson-list a").nth(TOPICS.index("many-heads")).click()
    settled(page, "many-heads")
    for head, rows in enumerate(trace(example).values["weights"]):
        expect_y(page, "readers", head, rows[0])
    links = page.locator(".st-key-lesson-list a, .st-key-lesson-steps a, .st-key-frame a")
    home, *others = {
        link.split("?")[0]: link for link in sorted(links.evaluate_all("all => all.map((a) => a.href)"))
    }.values()
    assert home.split("?")[0].endswith(f":{page.url.split(':')[2].split('/')[0]}/")
    assert all("s=" in link for link in (home, *others))
    page.get_by_role("link", name="Explore", exact=True).click()
    assert_shows(bench.settled(), example)
    page.wait_for_function("() => !location.search.includes('lesson=')")
    bench.do("undo")
    assert_shows(bench, built_in("water"))


@pytest.mark.long  # in short test_reload tries a server that dies
def test_a_lesson_is_the_first_page_of_a_fresh_server_and_survives_it(own_server, new_page, watch):
    page = arrived(
        goto(new_page(), f"{own_server.url}lessons?lesson=weighted-mean&example=water"),
        "weighted-mean",
    )
    page.locator('.st-key-frame [data-testid="stSelectbox"] input').click()
    page.get_by_role("option", name="春眠不觉晓: a causal mask").click()
    page.wait_for_function("() => location.search.includes('example=causal')")
    page.locator(".st-key-lesson-list a").nth(TOPICS.index("many-heads")).click()
    settled(page, "many-heads")
    assert watch.complaints == []
    replace(own_server, page.get_by_text("Overlap for this query only"))
    settled(page, "many-heads")
    expect_y(page, "readers", 0, trace(built_in("causal")).values["weights"][0][0])
    watch.complaints.clear()  # whatever Streamlit's page said while nobody answered
