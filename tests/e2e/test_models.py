"""The page Models in a real browser: its pictures, its keys, its way to Explore, its address and its looks."""

from __future__ import annotations

import json
import math
import re
import struct
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, Position, expect

from mha_core import OPENS_FIRST, built_in, trace
from mha_core.models import OWN, example_of, load
from mha_view.language import LANGUAGES, words_in
from tests.e2e.looks import assert_no_barrier_at, wider, widths
from tests.sizes import at_length, shortened
from tools.drive.browser import at_rest, wait_until
from tools.drive.explore import Bench, assert_shows, example_in

ENGLISH = "The cat sat on the mat because it was tired."
CHINESE = "小猫在垫子上睡觉，因为它很累。"
TIRED = "The animal didn't cross the street because it was too tired."
WIDER = "The animal didn't cross the wide street because it was too tired."
DTYPES = {"float32": np.float32, "uint8": np.uint8, "uint16": np.uint16}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


@pytest.fixture
def read(server, new_page):
    """Open the page as a new visitor."""

    def opened(options: dict | None = None, **query) -> Page:
        page = new_page(**(options or {}))
        page.goto(f"{server.url}models?{urlencode(query)}")
        return settled(page)

    return opened


def settled(page: Page) -> Page:
    """Wait until every request is answered and the answers are drawn."""
    wait_until(
        page,
        """() => {
            const host = [...document.querySelectorAll("*")].find((one) => one.shadowRoot?.querySelector(".models"));
            const page = host?.shadowRoot.querySelector('.models[aria-busy="false"][data-shown]');
            const one = page?.querySelector('.one[aria-busy="false"]');
            return one && !page.querySelector('.answer[aria-busy="true"]');
        }""",
    )
    return page


def answer_of(server, path: str, **body) -> tuple[dict, dict[str, np.ndarray]]:
    """The header and the arrays of the server's answer."""
    request = Request(
        f"{server.url}api/models/{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urlopen(request) as answer:
        data = answer.read()
    (length,) = struct.unpack_from("<I", data)
    header, arrays, at = json.loads(data[4 : 4 + length]), {}, 4 + length
    for name, kind, shape in header["arrays"]:
        arrays[name] = np.frombuffer(data, DTYPES[kind], math.prod(shape), at).reshape(shape)
        at += math.ceil(arrays[name].nbytes / 8) * 8
    return header, arrays


def field(page: Page) -> Locator:
    return page.locator('textarea[data-focus="sentence"]')


def say(page: Page, text: str) -> Page:
    """Type a sentence and press Enter."""
    field(page).fill(text)
    with page.expect_response("**/api/models/run*"):
        field(page).press("Enter")
    return settled(page)


def tile(page: Page, at: int) -> Locator:
    return page.locator(f'.tile[data-at="{at}"]')


def tokens(page: Page) -> Locator:
    return page.locator(".tokens .strip button")


def opacities(page: Page, at: int) -> list[list[int]]:
    """How opaque each pixel of a head's picture is, row by row."""
    return (
        tile(page, at)
        .locator("canvas")
        .evaluate(
            """(canvas) => {
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return Array.from({ length: canvas.height }, (_, row) =>
                Array.from({ length: canvas.width }, (_, col) => data[4 * (row * canvas.width + col) + 3]));
        }"""
        )
    )


def wait_for_query(page: Page, **wanted: str) -> None:
    wait_until(
        page,
        """(wanted) => {
            const query = new URLSearchParams(location.search);
            return Object.entries(wanted).every(([name, value]) => query.get(name) === value);
        }""",
        wanted,
    )


# --- pictures and keys -----------------------------------------------------------------------------------------------


def test_every_head_is_painted_with_the_weights_of_the_sentence_that_was_typed(read, server):
    page = read(lang="zh")
    expect(field(page)).to_have_value("小猫的名字是星星。他在找星星。")
    for text in (ENGLISH, '<b>cat</b> & "mat" 👩‍💻'):
        say(page, text)
        wait_for_query(page, model="own", text=text)
        header, arrays = answer_of(server, "run", model="own", texts=[text])
        for at in (0, header["layers"] * header["heads"] - 1):
            layer, head = divmod(at, header["heads"])
            assert opacities(page, at) == arrays["0.maps"][layer, head].tolist(), text


def test_arrows_lead_from_row_to_row_of_heads_which_are_one_stop_of_the_tab_key(read):
    page = read(text=ENGLISH, model="own", head="1.1")
    heads = page.locator(".layer-row").first.locator(".tile").count()
    tile(page, 1).focus()
    for key, at in (("ArrowDown", 1 + heads), ("ArrowUp", 1), ("ArrowUp", 1)):
        page.keyboard.press(key)
        expect(tile(page, at)).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(tile(page, 1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(tile(page, 1)).to_have_attribute("aria-selected", "true")
    tokens(page).nth(3).click()
    chosen = tokens(page).nth(3).evaluate("(token) => getComputedStyle(token).backgroundColor")
    tile(page, 2).hover()  # a token that is no longer pointed at keeps the colour of a chosen one
    expect(tokens(page).nth(3)).to_have_css("background-color", chosen)
    expect(page.get_by_role("tooltip")).to_be_in_viewport(ratio=1)


def test_a_map_has_its_numbers_is_pointed_at_and_is_zoomed_where_it_is_long(read, server):
    page = read(text=ENGLISH, model="own", head="1.1")
    _, arrays = answer_of(server, "head", model="own", text=ENGLISH, layer=0, head=0)
    page.locator('[data-focus="map"]').click()
    assert_numbers_are_written_and_said(page, arrays["weights"])
    page.set_viewport_size({"width": 1440, "height": 900})
    beside, box = page.locator(".explained").bounding_box(), page.locator(".big-map").bounding_box()
    assert beside["x"] >= box["x"] + box["width"]
    assert beside["y"] < box["y"] + box["height"]
    say(page, " ".join([ENGLISH] * 9))
    assert_a_long_map_is_zoomed(page)


def assert_numbers_are_written_and_said(page: Page, weights: np.ndarray) -> None:
    canvas = page.locator(".big-map")
    canvas.focus()
    page.evaluate(
        """() => {
            const { prototype } = CanvasRenderingContext2D;
            const [draw, write] = [prototype.drawImage, prototype.fillText];
            prototype.drawImage = function (...values) { window.written = []; return draw.apply(this, values); };
            prototype.fillText = function (text, ...place) {
                window.written.push(text);
                return write.call(this, text, ...place);
            };
        }"""
    )
    page.keyboard.press("ArrowDown")
    expect(canvas).to_be_focused()
    assert page.evaluate("() => window.written") == [f"{weight:.2f}" for weight in weights.ravel() if weight]
    box, n = canvas.bounding_box(), len(weights)
    row, col = n - 1, n - 2
    cell = Position(x=(col + 0.5) * box["width"] / n, y=(row + 0.5) * box["height"] / n)
    canvas.hover(position=cell)
    tip = page.locator(".map-tip strong")
    expect(tip).to_be_in_viewport()
    assert abs(float(tip.inner_text().removeprefix("< ")) - weights[row, col]) <= 0.0001
    canvas.click(position=cell)
    wait_for_query(page, drawn="map", pair=f"{row + 1}.{col + 1}")
    expect(page.locator(".products svg")).to_be_in_viewport(ratio=1)


def assert_a_long_map_is_zoomed(page: Page) -> None:
    names_of_all = tokens(page).all_inner_texts()
    canvas, note = page.locator(".big-map"), page.locator(".zooms .quiet-text")
    expect(page.locator(".map-rows span")).to_have_count(0)
    for _ in range(4):
        page.get_by_role("button", name="Zoom in").click()
    names = page.locator(".map-rows span")
    expect(names.first).to_be_visible()
    size = names.count()
    assert size < len(names_of_all) / 4
    start = int(note.inner_text().split("rows ")[1].split("–")[0])
    assert names.all_inner_texts() == names_of_all[start - 1 : start - 1 + size]
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 10, box["y"] + 10, steps=4)
    page.mouse.up()
    moved = int(note.inner_text().split("rows ")[1].split("–")[0])
    assert moved > start
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.keyboard.down("Control")
    for _ in range(8):
        page.mouse.wheel(0, 100)
    page.keyboard.up("Control")
    expect(page.get_by_role("button", name="Zoom out")).to_be_disabled()


# --- to Explore ----------------------------------------------------------------------------------------------------


def test_a_head_opens_in_explore_with_the_model_s_numbers_and_undo_brings_the_work_back(read, server):
    page = read(model="own", text=ENGLISH, head="2.3", example="causal")
    page.locator('[data-focus="from q"]').click()
    page.locator('[data-focus="open"]').click()
    bench = Bench(page)
    bench.settled()
    expect(page).to_have_title("Explore · Multi-head attention")
    assert page.get_by_test_id("stMain").evaluate("(main) => main.scrollTop") == 0
    wait_until(page, "() => new URLSearchParams(location.search).has('s')")
    example = example_in(page.url)
    _, arrays = answer_of(server, "head", model="own", text=ENGLISH, layer=1, head=2)
    assert np.abs(np.array(trace(example).matrix("weights", 0)) - arrays["weights"]).max() < 1e-6
    assert_shows(bench, example)
    bench.do("undo")
    wait_for_query(page, example="causal")


def test_a_sentence_takes_the_model_s_vectors_which_a_reload_brings_back(server, new_page):
    """They are too large for a link, and the page says so beside where they come from."""
    bench = Bench(new_page()).open(server.url)
    page = bench.page
    page.get_by_role("button", name="Your sentence").click()
    page.locator(".sentence .text input").fill("The cat sat.")
    page.keyboard.press("Enter")
    expect(page.locator(".mha-note")).to_contain_text("All numbers are the model's own.")
    bench.settled()
    for sentence in ("These are our small model's own numbers", "too large for a link"):
        expect(page.locator(".bench .message")).to_contain_text(sentence)
    example = example_of(load(OWN), "The cat sat.")
    assert_shows(bench, example)
    names, below = page.locator(".overview-token"), page.locator(".overview .moved")
    last = names.last.bounding_box()
    assert last["y"] + last["height"] <= below.bounding_box()["y"] + 1
    page.reload()
    expect(page.locator(".mha-note")).to_contain_text("All numbers are the model's own.")
    assert_shows(bench.settled(), example)
    bench.do("undo")
    expect(names).to_have_count(len(built_in(OPENS_FIRST).tokens))
    assert_shows(bench.settled(), built_in(OPENS_FIRST))
    wait_for_query(page, example=OPENS_FIRST)


# --- the address -----------------------------------------------------------------------------------------------------


def test_another_page_and_another_language_leave_the_place_as_it_was(read):
    place = {"head": "2.1", "token": "3", "guess": "4", "off": "1.2", "by": "previous"}
    drawn = {"drawn": "map", "pair": "3.2", "hides": "special"}
    page = read(model="own", text=CHINESE, lang="zh", **place, **drawn)
    to = words_in("zh")
    page.get_by_role("link", name=to("Step through"), exact=True).click()
    expect(page).to_have_title(f"{to('Step through')} · {to('Multi-head attention')}")
    at_rest(page)
    wait_until(page, "() => !new URLSearchParams(location.search).has('text')")
    page.get_by_role("link", name=to("Real models"), exact=True).click()
    settled(page)
    wait_for_query(page, text=CHINESE, **place, **drawn)
    page.get_by_role("radio", name="EN", exact=True).click()
    expect(page.locator(".one h2")).to_have_text("Layer 2 · Head 1")
    wait_for_query(page, text=CHINESE, **place, **drawn, lang="en")
    expect(page.locator(".big-map")).to_be_visible()
    expect(page.locator(".scores")).to_be_visible()


def test_a_reload_keeps_the_work_which_the_address_does_not_have(read, server):
    page = read(model="own", text=ENGLISH, example="causal", cell="weights.0.1.0")
    wait_until(page, "() => !/example|cell/.test(location.search)")
    page.reload()
    settled(page)
    expect(page.get_by_role("link", name="Explore", exact=True)).to_have_attribute(
        "href", re.compile("example=causal")
    )
    wait_until(page, "() => !location.search.includes('example')")
    page.get_by_role("link", name="Explore", exact=True).click()
    wait_for_query(page, example="causal", cell="weights.0.1.0")
    page.goto(f"{server.url}models?{urlencode({'model': 'own', 'example': 'first'})}")
    settled(page)
    page.get_by_role("link", name="Explore", exact=True).click()
    wait_for_query(page, example="first")


# --- looks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", shortened(LANGUAGES, ["en"]))  # whose words are the longer ones
def test_axe_finds_no_barrier_and_nothing_is_wider_than_the_screen(read, language):
    place = {"token": "4", "head": "2.1", "guess": "4", "off": "1.1_1.2"}
    page = read(model="own", text=TIRED, second=WIDER, lang=language, **place)
    for width in widths(page):
        assert wider(page) == [], width
        drawings = page.locator(".line-canvas").all()
        assert all(drawing.bounding_box()["width"] >= 90 for drawing in drawings), width
        assert page.locator(".compared table").evaluate(
            "(table) => table.scrollWidth <= table.parentNode.clientWidth"
        ), width
    page.locator(".line-key").nth(2).click()
    assert_no_barrier_at(page, (390, 1280, 1920) if at_length() else (390, 1280))
    page.locator('[data-focus="map"]').click()
    for width in widths(page):  # at the narrowest the columns' heads are words
        assert wider(page) == [], width
    if at_length():
        assert_no_barrier_at(page, (1280,))


def test_on_a_telephone_a_finger_chooses_heads_tokens_and_switches(read):
    page = read(PHONE, model="own", text=ENGLISH)
    assert wider(page) == []
    for target in (
        tokens(page).nth(1),
        tile(page, 5),
        page.locator('[data-focus="open"]'),
        page.locator(".kind").first,
    ):
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        assert box["width"] >= 32, target
        assert box["height"] >= 32, target
    tile(page, 5).tap()
    expect(page.locator(".one h2")).to_be_in_viewport()
    expect(tile(page, 5)).to_have_attribute("aria-selected", "true")
    tokens(page).nth(2).tap()
    wait_for_query(page, token="3")
    page.locator(".line-key").nth(1).tap()
    expect(page.locator(".scores")).to_be_visible()
    page.locator(".whole").last.tap()
    wait_until(page, "() => new URLSearchParams(location.search).has('off')")
    settled(page)
    expect(page.locator(".effect")).to_contain_text("muted")
    expect(page.locator(".effect")).to_be_in_viewport(ratio=1)
