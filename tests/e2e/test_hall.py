"""Lessons and experiments before an audience: large type, nothing outside the window, keys that enter and leave."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from mha_core import to_token
from mha_ui.experiments import EXPERIMENTS
from mha_ui.lessons import LESSONS
from mha_view.language import LANGUAGES
from tests.e2e.looks import PAPER, recolour
from tests.e2e.test_walkthrough_audience import large
from tests.sizes import in_turn, turns
from tools.drive.browser import at_rest, wait_for, wait_until

LEAST = {(1280, 720): 18, (1920, 1080): 24}
"""Pixels of the smallest type, by the window."""
PAGES = [
    *(f"lessons?lesson={name}" for name in LESSONS),
    *(f"experiments?experiment={name}" for name in EXPERIMENTS),
]
EVERY_KIND = ("lessons?lesson=sqrt-dk", "experiments?experiment=sides", "experiments?experiment=gradients")
"""Pages with formulas and figures, with two sides, and with the bench."""

MEASURE = r"""(least) => {
    const found = [];
    const describe = (node) => `${node.className?.baseVal ?? node.className} ${node.textContent.trim().slice(0, 24)}`;
    const isText = (child) => child.nodeType === 3 && child.data.replace("\u200b", "").trim();
    const seen = (node) => node.checkVisibility({visibilityProperty: true, opacityProperty: true})
        && !node.closest(".mha-unseen, .visually-hidden, .katex-mathml, .moves");
    const look = (root) => {
        for (const node of root.querySelectorAll("*")) {
            if (node.shadowRoot) look(node.shadowRoot);
            const own = [...node.childNodes].some(isText);
            const {left, right, top, bottom, width} = node.getBoundingClientRect();
            if (!own || width < 2 || !seen(node)) continue;
            const size = parseFloat(getComputedStyle(node).fontSize);
            if (size < least - 0.1) found.push(`${size}: ${describe(node)}`);
            const out = right > innerWidth + 1 || bottom > innerHeight + 1 || left < -1 || top < -1;
            if (out) found.push(`out: ${describe(node)}`);
        }
    };
    look(document.querySelector(".stApp"));
    const zone = document.querySelector(".stMainBlockContainer");
    if (zone.scrollHeight > zone.clientHeight + 1 || zone.scrollWidth > zone.clientWidth + 1) found.push("it scrolls");
    return found;
}"""


@pytest.fixture
def shown(server, new_page):
    """Open a page before an audience, as a new visitor. It is left only once its pictures are drawn: Plotly complains
    of one that is removed meanwhile."""
    pages: list[Page] = []

    def opened(address: str, **options) -> Page:
        page = new_page(**options)
        pages.append(page)
        page.goto(f"{server.url}{address}")
        return packed(page)

    yield opened
    for page in pages:
        at_rest(page)


def packed(page: Page) -> Page:
    wait_for(page, ".hall[data-screen]")
    at_rest(page)
    return page


def screen(page: Page) -> tuple[int, int]:
    """The number of the screen that is shown, and how many there are."""
    at, of = page.locator(".hall").get_attribute("data-screen").split()
    return int(at), int(of)


FRAMES = """() => new Promise((drawn) => {
    const frame = (left) => (left ? requestAnimationFrame(() => frame(left - 1)) : drawn());
    frame(4);
})"""


def settled(page: Page) -> None:
    """Wait until the page has been packed again. A resized window learns of it in one frame and packs in the next, and
    on a busy machine a frame may take longer than the moment for which the page is at rest."""
    at_rest(page)
    drawn(page)


STILL = """() => document.querySelector('.stApp[data-test-script-state="notRunning"]') &&
    !document.querySelector('.mha-plot[aria-busy="true"], [data-testid="stSkeleton"]')"""


def drawn(page: Page) -> None:
    """Wait until what a key has brought into view is drawn and packed. No script runs for a key, so there is no need to
    wait for a request to the server."""
    while True:
        page.evaluate(FRAMES)
        if page.evaluate(STILL):
            page.evaluate(FRAMES)
            if page.evaluate(STILL):
                return
        wait_until(page, STILL)


def measured(page: Page, size: tuple[int, int]) -> dict[int, list[str]]:
    """What is too small, or outside the window, screen by screen."""
    settled(page)
    page.keyboard.press("Home")
    found: dict[int, list[str]] = {}
    while True:
        drawn(page)
        at, of = screen(page)  # a picture that is drawn late may have changed how many screens there are
        if problems := page.evaluate(MEASURE, LEAST[size]):
            found[at] = problems
        if at == of:
            return found
        page.keyboard.press("ArrowRight")
        assert screen(page)[0] > at


@pytest.mark.parametrize(
    ("address", "language"),
    in_turn(EVERY_KIND, LANGUAGES)
    + [
        pytest.param(address, language, marks=pytest.mark.long)
        for address in PAGES
        if address not in EVERY_KIND
        for language in LANGUAGES
    ],
)
def test_before_an_audience_type_is_large_and_nothing_is_outside_the_window(shown, address, language):
    page = shown(f"{address}&example=output-projection&view=projector&lang={language}")
    for of, (size, scheme) in turns(PAGES, list(zip(LEAST, PAPER, strict=True))):
        if of == address:
            page.set_viewport_size({"width": size[0], "height": size[1]})
            recolour(page, scheme)
            assert measured(page, size) == {}, (size, scheme)


@pytest.mark.parametrize("kind", ["sides", pytest.param("heads", marks=pytest.mark.long)])
def test_large_tables_are_folded_before_an_audience(shown, kind):
    token = to_token(large(8, 8, 16))
    size = (1280, 720)
    page = shown(
        f"experiments?experiment={kind}&s={token}&view=projector", viewport={"width": 1280, "height": 720}
    )
    assert measured(page, size) == {}
    more = page.locator(".bench th.gap button:visible").first
    expect(more).to_have_text("… 13 more")
    more.click()
    expect(page.locator('.bench [data-key="output||0|7"]:visible').first).to_be_attached()
    page.keyboard.press("Escape")
    expect(page.locator(".bench th.gap")).to_have_count(0)


TOGETHER = """() => {
    const seen = (query) => [...document.querySelectorAll(query)].some((node) => node.checkVisibility()
        && node.getBoundingClientRect().height > 1 && node.getBoundingClientRect().bottom <= innerHeight + 1);
    return [".st-key-lesson-controls", ".mha-plot", ".mha-table"].map(seen);
}"""
"""Whether a lesson's sliders, a figure and a table are in the window."""
CELLS = """(cells) => cells.map((cell) => {
    const {fontSize, textAlign} = getComputedStyle(cell);
    return [parseFloat(fontSize), textAlign];
})"""


@pytest.mark.parametrize("topic", ["sqrt-dk", pytest.param("library", marks=pytest.mark.long)])
def test_a_slider_and_its_figure_share_a_screen_and_the_keys_lead_on_after_it_is_moved(shown, topic):
    page = shown(f"lessons?lesson={topic}&view=projector")
    sizes = [(size, least) for _, (size, least) in turns([topic], list(LEAST.items()))]
    for (width, height), least in reversed(sizes):  # a hidden figure is not drawn lower at once
        page.set_viewport_size({"width": width, "height": height})
        at_rest(page)
        page.keyboard.press("Home")
        found, cells = [], []
        for _ in range(screen(page)[1]):
            drawn(page)
            found.append(page.evaluate(TOGETHER))
            cells += page.locator(".mha-table td:visible").evaluate_all(CELLS)
            page.keyboard.press("ArrowRight")
        assert {align for _, align in cells} == {"right"}
        assert min(size for size, _ in cells) >= 4 / 3 * least
        assert any(sliders and figure for sliders, figure, _ in found)
        for sliders, figure, numbers in found:
            assert sliders >= figure
            assert figure or numbers or not sliders
            assert topic == "library" or not (figure and numbers)  # a long table begins a screen
    page.keyboard.press("Home")
    drawn(page)
    keys_walk_on(page)


def keys_walk_on(page: Page) -> None:
    """At once after a slider was moved with the pointer; where keys moved it, Escape leaves it first."""
    slider = page.get_by_role("slider").first
    while not slider.is_visible():
        page.keyboard.press("ArrowRight")
    at, of = screen(page)
    thumb = slider.bounding_box()
    page.mouse.move(thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2)
    page.mouse.down()
    page.mouse.move(thumb["x"] + 60, thumb["y"], steps=4)
    page.mouse.up()
    at_rest(page)
    page.keyboard.press("PageDown")
    assert screen(page) == (at + 1, of)
    page.keyboard.press("PageUp")
    value = slider.get_attribute("aria-valuenow")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(slider).not_to_have_attribute("aria-valuenow", value)
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-frame")).to_be_hidden()  # still before the audience
    page.keyboard.press("ArrowRight")
    assert screen(page) == (at + 1, of)


def test_a_key_shows_the_page_to_an_audience_escape_leaves_and_the_address_says_so(shown, server):
    page = shown("lessons?lesson=library&view=projector")
    expect(page.locator(".st-key-frame")).to_be_hidden()
    settled(page)
    page.keyboard.press("ArrowRight")
    at, of = screen(page)
    assert (at, of > 2) == (2, True)
    page.reload()
    packed(page)
    assert screen(page) == (at, of)
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-frame")).to_be_visible()
    expect(page.locator("[data-hall-off]")).to_have_count(0)
    page.wait_for_function("() => !location.search.includes('view=')")
    at_rest(page)
    page.get_by_role("slider").first.focus()  # as after it was moved
    page.keyboard.press("p")
    page.wait_for_function("() => location.search.includes('view=projector')")
    page.keyboard.press("ArrowRight")
    assert screen(page)[0] == 2
    page.keyboard.press("?")
    keys = page.locator(".hall .help")
    expect(keys).to_contain_text("full screen")
    assert keys.bounding_box() == {"x": 0, "y": 0, **page.viewport_size}
    page.keyboard.press("Home")
    expect(keys).to_be_hidden()
    assert screen(page)[0] == 2
    page.keyboard.press("Home")
    expect(page.locator(".st-key-frame")).to_be_hidden()
    assert screen(page)[0] == 1
    page.mouse.move(300, 300)
    moves = page.locator(".hall .moves")
    expect(moves).to_have_css("opacity", "1")
    page.keyboard.press("Home")
    expect(moves).to_have_css("opacity", "0")
    page.mouse.move(320, 320)
    page.locator(".hall [data-focus=leave]").click()
    page.get_by_role(
        "button", name="Projector", exact=True
    ).click()  # at once, while figures become small again
    expect(page.locator(".st-key-frame")).to_be_hidden()
    packed(page)
    assert screen(page)[0] == 1
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-frame")).to_be_visible()
    at_rest(page)
