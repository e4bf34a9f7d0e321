"""The page Models in a real browser: a sentence through a model, its heads at a glance, one of them, and the bench."""

from __future__ import annotations

import json
import math
import re
import struct
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import Request, urlopen

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, Position, expect

from mha_core import OPENS_FIRST, built_in, trace
from mha_core.models import OWN, cards, example_of, load
from mha_ui.models.words import EXAMPLES, ui_words
from mha_view.language import LANGUAGES, words_in
from tests.e2e.looks import assert_no_barrier_at, wider, widths
from tests.models.made import GPT2, folder_of
from tests.sizes import at_length, shortened
from tools.drive.browser import at_rest, wait_for, wait_until
from tools.drive.explore import Bench, assert_shows, example_in
from tools.drive.server import running

ENGLISH = "The cat sat on the mat because it was tired."
SHORT = "The cat sat on the mat."
CHINESE = "小猫在垫子上睡觉，因为它很累。"
TIRED = "The animal didn't cross the street because it was too tired."
WIDE = "The animal didn't cross the street because it was too wide."
SMALL = "the cat sat on the mat , and the dog liked the cat ."
DTYPES = {"float32": np.float32, "uint8": np.uint8, "uint16": np.uint16}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}

SPOKEN = shortened(LANGUAGES, ["zh"])
"""Most tests read English: what is said in both languages is read in Chinese."""

published = pytest.mark.skipif(
    "minilm" not in {card.key for card in cards()}, reason="requirements-models.txt is not installed"
)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The app, which also offers a random decoder."""
    decoder = folder_of(tmp_path_factory.mktemp("decoder"), GPT2, specials=False)
    with running(MHA_MODELS=f"decoder={decoder}") as started:
        yield started


@pytest.fixture
def read(server, new_page):
    """Open the page as a new visitor."""

    def opened(options: dict | None = None, **query) -> Page:
        page = new_page(**(options or {}))
        page.goto(f"{server.url}models?{urlencode(query)}")
        return settled(page)

    return opened


def settled(page: Page) -> Page:
    """Wait until all that was asked for is answered and drawn."""
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


def asked(server, path: str, **question) -> tuple[dict, dict[str, np.ndarray]]:
    """The server's own answer."""
    body = json.dumps(question).encode()
    request = Request(f"{server.url}api/models/{path}", body, {"Content-Type": "application/json"})
    with urlopen(request) as answer:
        data = answer.read()
    if path == "guesses":
        return json.loads(data), {}
    (length,) = struct.unpack_from("<I", data)
    header, arrays, at = json.loads(data[4 : 4 + length]), {}, 4 + length
    for name, kind, shape in header["arrays"]:
        arrays[name] = np.frombuffer(data, DTYPES[kind], math.prod(shape), at).reshape(shape)
        at += math.ceil(arrays[name].nbytes / 8) * 8
    for sentence in header.get("sentences", []):
        sentence["names"] = numbered(sentence["texts"])
    return header, arrays


def numbered(texts: list[str]) -> list[str]:
    """Tokens as they are named: those that are repeated with a number."""
    low = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    return [
        text if texts.count(text) == 1 else text + str(texts[: at + 1].count(text)).translate(low)
        for at, text in enumerate(texts)
    ]


def field(page: Page, which: str = "sentence") -> Locator:
    return page.locator(f'textarea[data-focus="{which}"]')


def say(page: Page, text: str) -> Page:
    """Type a sentence and press Enter."""
    field(page).fill(text)
    with page.expect_response("**/api/models/run*"):
        field(page).press("Enter")
    return settled(page)


def tiles(page: Page) -> list[int]:
    """The heads in the order in which they stand, by their flat numbers."""
    return page.locator(".tile").evaluate_all("all => all.map((tile) => Number(tile.dataset.at))")


def tile(page: Page, at: int) -> Locator:
    return page.locator(f'.tile[data-at="{at}"]')


def tokens(page: Page, which: int = 0) -> Locator:
    return page.locator(".tokens .strip").nth(which).locator("button")


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


def query_of(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def wait_for_query(page: Page, **wanted: str) -> None:
    wait_until(
        page,
        """(wanted) => {
            const query = new URLSearchParams(location.search);
            return Object.entries(wanted).every(([name, value]) => query.get(name) === value);
        }""",
        wanted,
    )


# --- a sentence ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", SPOKEN)
def test_a_sentence_is_read_that_it_opens_with_or_that_is_typed_or_an_example(read, server, language):
    page = read(lang=language)
    (text,) = EXAMPLES[0]["texts"]
    expect(field(page)).to_have_value(text)
    header, arrays = asked(server, "run", model="own", texts=[text])
    assert len(tiles(page)) == header["layers"] * header["heads"]
    assert tokens(page).all_inner_texts() == header["sentences"][0]["names"]
    for at in (0, len(tiles(page)) - 1):
        layer, head = divmod(at, header["heads"])
        assert opacities(page, at) == arrays["0.maps"][layer, head].tolist()
    expect(page.locator(".card:has(:checked) strong")).to_have_text(
        page.locator(".card strong").first.text_content()
    )
    wait_for_query(page, model="own")
    enter_that_chooses_a_chinese_word_asks_for_nothing(page)
    page.locator(".example").nth(1).click()
    (text,) = EXAMPLES[1]["texts"]
    expect(field(page)).to_have_value(text)
    wait_for_query(page, text=text)
    for text in (ENGLISH, CHINESE, "a", '<b>cat</b> & "mat" 👩‍💻'):
        say(page, text)
        header, arrays = asked(server, "run", model="own", texts=[text])
        assert tokens(page).all_inner_texts() == header["sentences"][0]["names"]
        assert opacities(page, 1) == arrays["0.maps"][0, 1].tolist(), text
        wait_for_query(page, model="own", text=text)


def enter_that_chooses_a_chinese_word_asks_for_nothing(page: Page) -> None:
    before = page.locator(".models").get_attribute("data-shown")
    field(page).evaluate(
        """(field) => {
            field.value = "小猫";
            field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true }));
        }"""
    )
    expect(page.locator(".models")).to_have_attribute("data-shown", before)
    expect(page.locator(".models")).to_have_attribute("aria-busy", "false")
    field(page).press("Enter")
    wait_for(page, '.models[data-shown="own 小猫"]')


# --- all heads -----------------------------------------------------------------------------------------------------


def test_heads_are_sorted_and_shown_by_what_they_do_which_a_resting_hand_is_told(read, server):
    page = read(text=ENGLISH, model="own")
    header, arrays = asked(server, "run", model="own", texts=[ENGLISH])
    count = header["layers"] * header["heads"]
    assert tiles(page) == list(range(count))
    for by, sign in (("previous", -1), ("entropy", -1), ("-entropy", 1)):
        page.locator('[data-focus="by"]').select_option(by)
        numbers = arrays["0.measured"][:, header["measures"].index(by.removeprefix("-"))]
        assert tiles(page) == sorted(range(count), key=lambda at: sign * numbers[at])
        wait_for_query(page, by=by)
    (sentence,) = header["sentences"]
    labels = [
        "unsure" if label == "none" and unsure else label
        for label, unsure in zip(sentence["labels"], sentence["unsure"], strict=True)
    ]
    assert {"none", "unsure"} < set(labels)
    for kind in dict.fromkeys(labels):
        chip = page.locator(f'.kind[data-kind="{kind}"]')
        expect(chip).to_contain_text(f"· {labels.count(kind)}")
        chip.click()
        assert set(tiles(page)) == {at for at, label in enumerate(labels) if label == kind}
        chip.click()
    assert len(tiles(page)) == count
    measures_are_told_to_a_resting_hand(page, arrays["0.measured"][2])
    expect(page.locator(".one .bar-places")).to_have_text(
        [f"places: {count}" for count in sentence["places"]]
    )
    expect(page.locator(".one")).to_contain_text("at least 0.3 of the way from chance to always")
    expect(page.locator(".measures.apart dt").first).to_have_text("entropy")


def measures_are_told_to_a_resting_hand(page: Page, measured: np.ndarray) -> None:
    """Those of the third head."""
    tile(page, 2).hover()
    tip = page.get_by_role("tooltip")
    expect(tip).to_be_visible()
    assert [f"{number:.2f}" for number in measured] == tip.locator(".bar-number").all_inner_texts()
    tile(page, 2).focus()
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()


@pytest.mark.parametrize("language", SPOKEN)
def test_a_head_is_told_in_words_and_numbers(read, server, language):
    page = read(text=SHORT, model="own", lang=language)
    header, arrays = asked(server, "run", model="own", texts=[SHORT])
    words, (sentence,) = ui_words(language), header["sentences"]
    assert {"none", "previous"} < set(sentence["labels"])
    assert any(sentence["unsure"])
    for at, label in enumerate(sentence["labels"]):
        told = tile(page, at).get_attribute("aria-label")
        layer, head = divmod(at, header["heads"])
        assert told.startswith(words["layer_head"].format(layer=layer + 1, head=head + 1))
        query = sentence["special"].index(False)
        key, weight = arrays["0.keys"][layer, head, query], arrays["0.tops"][layer, head, query]
        assert f"{sentence['names'][query]} → {sentence['names'][key]} {weight:.2f}" in told
        name = sentence["unsure"][at] if label == "none" else label
        if name:
            column = header["measures"].index(name)
            values = {
                "kind": words[f"kind_{name}"],
                "number": f"{arrays['0.measured'][at, column]:.2f}",
                "chance": f"{arrays['0.chance'][at, column]:.2f}",
                "places": sentence["places"][column],
            }
            assert words["told_unsure" if label == "none" else f"told_{name}"].format(**values) in told
        else:
            assert words["told_little"].split("{")[0] in told or words["told_none"] in told


def test_a_chosen_token_stands_out_in_every_map_and_heads_and_tokens_are_chosen_by_keys(read, server):
    page = read(text=ENGLISH, model="own", head="1.1")
    _, arrays = asked(server, "run", model="own", texts=[ENGLISH])
    tokens(page).nth(3).click()
    wait_for_query(page, token="4")
    own = (
        tokens(page).nth(3).evaluate("(token) => getComputedStyle(token).backgroundColor")
    )  # under the pointer
    page.mouse.move(0, 0)
    expect(tokens(page).nth(3)).to_have_css("background-color", own)
    for at in (0, 3):
        layer, head = divmod(at, arrays["0.maps"].shape[1])
        levels = arrays["0.maps"][layer, head].astype(int)
        seen = opacities(page, at)
        for row, line in enumerate(levels.tolist()):
            assert all(
                abs(a - (b if row == 3 else b * 0.25)) <= 1 for a, b in zip(seen[row], line, strict=True)
            )
    page.keyboard.press("ArrowRight")
    expect(tokens(page).nth(4)).to_be_focused()
    page.keyboard.press("Enter")
    wait_for_query(page, token="5")
    expect(page.locator('.line-token[aria-pressed="true"]')).to_have_text(tokens(page).nth(4).inner_text())
    page.locator('[data-focus="all tokens"]').click()
    expect(page.locator('.tokens .strip [aria-pressed="true"]')).to_have_count(0)
    heads_and_the_tokens_of_one_are_one_stop_of_the_tab_key_and_walked_through_by_arrows(page)


def heads_and_the_tokens_of_one_are_one_stop_of_the_tab_key_and_walked_through_by_arrows(page: Page) -> None:
    heads = page.locator(".layer-row").first.locator(".tile").count()
    tile(page, 0).focus()
    for key, at in (
        ("ArrowRight", 1),
        ("ArrowDown", 1 + heads),
        ("ArrowLeft", heads),
        ("ArrowUp", 0),
        ("ArrowUp", 0),
    ):
        page.keyboard.press(key)
        expect(tile(page, at)).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    last = len(tiles(page)) - 1
    expect(tile(page, last)).to_have_attribute("aria-selected", "true")
    expect(tile(page, last)).to_be_focused()
    expect(page.locator(".one h2")).to_have_text(f"Layer {last // heads + 1} · Head {heads}")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(tile(page, last)).to_be_focused()
    settled(page)
    expect(page.locator('.line-token[tabindex="0"]')).to_have_count(1)
    page.locator(".line-token").first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".line-token").nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    wait_for_query(page, token="2")
    expect(page.locator(".line-token").nth(1)).to_be_focused()
    expect(page.locator('.taking-heads [tabindex="0"]')).to_have_count(1)


# --- one head ------------------------------------------------------------------------------------------------------


def test_a_map_tells_every_pair_and_is_zoomed_where_it_is_long_and_a_pair_is_told_with_its_products(
    read, server
):
    page = read(text=ENGLISH, model="own", head="1.1")
    _, arrays = asked(server, "head", model="own", text=ENGLISH, layer=0, head=0)
    page.locator('[data-focus="map"]').click()
    the_map_tells_every_pair_by_keyboard_too(page, arrays["weights"])
    page.set_viewport_size({"width": 1440, "height": 900})
    beside, box = page.locator(".explained").bounding_box(), page.locator(".big-map").bounding_box()
    assert beside["x"] >= box["x"] + box["width"]
    assert beside["y"] < box["y"] + box["height"]
    text = " ".join([ENGLISH] * 9)
    say(page, text)
    header, _ = asked(server, "run", model="own", texts=[text])
    assert len(header["sentences"][0]["names"]) > 64
    expect(page.locator('[data-focus="lines"]')).to_be_disabled()
    a_long_map_is_zoomed_down_to_its_words(page, header["sentences"][0]["names"])
    expect(page.locator('[data-focus="open"]')).to_be_disabled()
    expect(page.locator(".taking-open .hint")).to_contain_text("takes up to 64 tokens")
    say(page, ENGLISH)
    page.locator('[data-focus="lines"]').click()
    tile(page, page.locator(".layer-row").first.locator(".tile").count() + 1).click()
    wait_for_query(page, head="2.2")
    settled(page).locator(".line-token").nth(3).click()
    wait_for_query(page, token="4")
    page.mouse.move(0, 0)  # of what is pointed at the lines tell
    header, arrays = asked(server, "head", model="own", text=ENGLISH, layer=1, head=1)
    a_pair_is_told_with_the_products_that_make_its_score(page, header, arrays)
    page.locator(".line-token").nth(2).click()  # the pair is of a token that is chosen no more
    wait_until(page, "() => /[?&]token=3/.test(location.search) && !/[?&]pair=/.test(location.search)")
    page.mouse.move(0, 0)
    shown = page.locator(".line-weight").all_inner_texts()
    assert shown == [f"{weight:.2f}" for weight in arrays["weights"][2]]


def the_map_tells_every_pair_by_keyboard_too(page: Page, weights: np.ndarray) -> None:
    drawn = page.locator(".big-map")
    drawn.focus()
    page.evaluate(
        """() => {
            const { prototype } = CanvasRenderingContext2D;
            const [clear, write] = [prototype.drawImage, prototype.fillText];
            prototype.drawImage = function (...of) { window.written = []; return clear.apply(this, of); };
            prototype.fillText = function (...of) { window.written.push(of[0]); return write.apply(this, of); };
        }"""
    )
    place = [0, 0]
    for key, step in (
        ("ArrowDown", (0, 0)),
        ("ArrowDown", (1, 0)),
        ("ArrowRight", (0, 1)),
        ("ArrowRight", (0, 1)),
    ):
        page.keyboard.press(key)
        place = [place[0] + step[0], place[1] + step[1]]
        weight = weights[tuple(place)]
        expect(page.locator(".heatmap [role=status]")).to_contain_text(f"{weight:.2f}")
        expect(drawn).to_be_focused()
    expect(page.locator(".pair-weight")).to_have_text(f"{weight:.4f}".rstrip("0").rstrip("."))
    assert page.evaluate("() => window.written") == [f"{weight:.2f}" for weight in weights.ravel() if weight]
    box, n = drawn.bounding_box(), len(weights)
    row, col = n - 1, n - 2
    cell = Position(x=(col + 0.5) * box["width"] / n, y=(row + 0.5) * box["height"] / n)
    drawn.hover(position=cell)
    told = page.locator(".map-tip strong")
    expect(told).to_be_in_viewport()
    assert abs(float(told.inner_text().removeprefix("< ")) - weights[row, col]) <= 0.0001
    drawn.click(position=cell)
    wait_for_query(page, drawn="map", pair=f"{row + 1}.{col + 1}")
    expect(page.locator(".products svg")).to_be_in_viewport(ratio=1)


def a_pair_is_told_with_the_products_that_make_its_score(page: Page, header: dict, arrays: dict) -> None:
    """Of the fourth token, and the one that it looks at most."""
    key = int(arrays["weights"][3].argmax())
    shown = page.locator(".line-weight").all_inner_texts()
    assert shown == [f"{weight:.2f}" for weight in arrays["weights"][3]]
    page.locator(".line-key").nth(key).click()
    scores = page.locator(".scores")
    expect(scores.locator(".pair-weight")).to_have_text(f"{arrays['weights'][3, key]:.4f}".rstrip("0"))
    line = scores.locator(".sum").inner_text().replace("−", "-")
    score = float(arrays["scores"][3, key])
    for number in (score, header["divisor"], score / header["divisor"]):
        assert f"{number:.4f}".rstrip("0").rstrip(".") in line
    assert scores.locator(".dimension").count() == header["d"]
    products = arrays["q"][3].astype(float) * arrays["k"][key]
    scores.locator(".dimension").nth(5).hover()
    said = scores.locator(".one-product").inner_text().replace("−", "-")
    assert said.startswith("Dimension 6:")
    assert said.endswith(f"= {products[5]:.3f}")
    assert abs(products.sum() - score) < 1e-4


def a_long_map_is_zoomed_down_to_its_words(page: Page, tokens: list[str]) -> None:
    drawn, told = page.locator(".big-map"), page.locator(".zooms .quiet-text")
    expect(page.locator(".map-rows span")).to_have_count(0)
    for _ in range(4):
        page.get_by_role("button", name="Nearer").click()
    names = page.locator(".map-rows span")
    expect(names.first).to_be_visible()
    size = names.count()
    assert size < len(tokens) / 4
    start = int(told.inner_text().split("rows ")[1].split("–")[0])
    assert names.all_inner_texts() == tokens[start - 1 : start - 1 + size]
    drawn.scroll_into_view_if_needed()
    box = drawn.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 10, box["y"] + 10, steps=4)
    page.mouse.up()
    moved = int(told.inner_text().split("rows ")[1].split("–")[0])
    assert moved > start
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.keyboard.down("Control")
    for _ in range(8):
        page.mouse.wheel(0, 100)
    page.keyboard.up("Control")
    expect(page.get_by_role("button", name="Further")).to_be_disabled()


@published
def test_a_published_model_joins_its_pieces_hides_its_special_tokens_and_says_what_it_does_not_know(
    read, server
):
    """And offers the sentences that it was made for."""
    page = read(text="The unbelievable catlike cat slept.", model="minilm", head="1.3", token="3")
    word_pieces_become_words_on_demand(page, server)
    say(page, ENGLISH)
    wait_for_query(page, head="1.3")
    page.locator(".line-token").nth(2).click()
    wait_for_query(page, token="3")
    special_tokens_are_hidden_on_demand(page, server)
    expect(page.locator(".ablate")).to_be_hidden()  # a model that guesses nothing is not asked what if
    expect(page.locator(".one .switch")).to_be_hidden()
    say(page, CHINESE)
    header, _ = asked(server, "run", model="minilm", texts=[CHINESE])
    (sentence,) = header["sentences"]
    count, n = sum(sentence["unknown"]), len(sentence["names"])
    assert count > 0
    expect(page.locator(".unknown")).to_have_text(
        f"{count} of {n} tokens are unknown to this model: it sees the same sign, [UNK], for each."
    )
    assert tokens(page).all_inner_texts() == sentence["names"]
    offered = [example["language"] for example in EXAMPLES]
    expect(page.locator(".example:visible")).to_have_count(offered.count("en"))
    page.locator(".offered > button").click()
    page.locator('.card input[value="own"]').check()
    settled(page)
    expect(page.locator(".model-chosen")).to_have_text(
        page.locator(".card:has(:checked) strong").inner_text()
    )
    expect(page.locator(".example:visible")).to_have_count(len(offered))


def word_pieces_become_words_on_demand(page: Page, server) -> None:
    text = field(page).input_value()
    header, _arrays = asked(server, "run", model="minilm", texts=[text])
    pieces = header["sentences"][0]["words"]
    _, numbers = asked(server, "head", model="minilm", text=text, layer=0, head=2)
    groups = [
        [at for at, word in enumerate(pieces) if word == one]
        for one in sorted({w for w in pieces if w is not None})
    ]
    groups = [[0], *groups, [len(pieces) - 1]]
    assert len(groups) < len(pieces)
    page.locator('[data-focus="as words"]').click()
    expect(page.locator(".view-note")).to_contain_text("the sum over its pieces")
    assert len(page.locator(".line-token").all()) == len(groups)
    row = next(at for at, group in enumerate(groups) if 2 in group)
    expect(page.locator(".line-token").nth(row)).to_have_attribute("aria-pressed", "true")
    expected = [
        sum(numbers["weights"][query, key] for query in groups[row] for key in group) / len(groups[row])
        for group in groups
    ]
    for shown, weight in zip(page.locator(".line-weight").all_inner_texts(), expected, strict=True):
        assert abs(float(shown) - weight) <= 0.005 + 1e-6
    page.locator('[data-focus="as words"]').click()


def special_tokens_are_hidden_on_demand(page: Page, server) -> None:
    header, _ = asked(server, "run", model="minilm", texts=[ENGLISH])
    (sentence,) = header["sentences"]
    _, arrays = asked(server, "head", model="minilm", text=ENGLISH, layer=0, head=2)
    page.locator('[data-focus="hide special"]').click()
    kept = [at for at, special in enumerate(sentence["special"]) if not special]
    expect(page.locator(".line-token")).to_have_text([sentence["names"][at] for at in kept])
    shown = page.locator(".line-weight").all_inner_texts()
    assert shown == [f"{arrays['weights'][2, at]:.2f}" for at in kept]
    expect(page.locator(".view-note")).to_contain_text("no longer add up to 1")
    page.locator(".line-key").nth(4).click()
    weight = float(page.locator(".scores .pair-weight").get_attribute("title"))
    assert abs(weight - arrays["weights"][2, kept[4]]) < 1e-7


# --- two sentences -------------------------------------------------------------------------------------------------


def test_two_sentences_are_compared_head_by_head(read, server):
    page = read(model="own")
    say(page, TIRED)
    page.get_by_role("button", name="+ Second sentence").click()
    expect(field(page, "second")).to_have_value(TIRED)
    page.keyboard.type(WIDE)  # in the place of the copy, which is selected
    field(page, "second").press("Enter")
    wait_for_query(page, text=TIRED, second=WIDE)
    settled(page)
    header, arrays = asked(server, "run", model="own", texts=[TIRED, WIDE])
    aligned = header["aligned"]
    most = divmod(int(arrays["differences"].argmax()), header["heads"])
    tired = header["sentences"][0]["names"].index("tired")
    counts = [len(sentence["names"]) for sentence in header["sentences"]]
    wait_for_query(page, head=f"{most[0] + 1}.{most[1] + 1}", token=str(tired + 1))
    to_largest = page.locator('[data-focus="largest"]')
    changes = arrays["shifts"][..., tired].reshape(-1)
    shifted = int(np.abs(changes).argmax())
    key = header["sentences"][0]["names"][arrays["shift_keys"][..., tired].reshape(-1)[shifted]]
    layer, head = (at + 1 for at in divmod(shifted, header["heads"]))
    assert most != (layer - 1, head - 1)
    expect(to_largest).to_have_text(
        f"Largest difference for “tired”: Layer {layer} · Head {head}, tired → {key} {changes[shifted]:+.2f}".replace(
            "-", "−"
        )
    )
    page.locator('[data-focus="all tokens"]').click()
    expect(page.locator(".strip-told")).to_contain_text(f"{counts[0]} and {counts[1]} tokens of at most")
    flat = arrays["differences"].reshape(-1)
    expect(to_largest).to_be_hidden()
    expect(tile(page, 3).locator(".tile-caption")).to_have_text(f"difference{flat[3]:.2f}")
    page.locator('[data-focus="by"]').select_option("difference")
    assert tiles(page) == sorted(range(len(flat)), key=lambda at: -flat[at])
    assert opacities(page, 0) != arrays["0.maps"][0, 0].tolist()
    assert len(opacities(page, 0)) == len(aligned)
    expect(page.locator(".glance .legend")).to_contain_text("more in the second")
    page.locator('[data-focus="second"]', has_text="second").click()
    expect(page.locator(".glance .legend")).to_be_hidden()
    assert opacities(page, 0) == arrays["1.maps"][0, 0].tolist()
    wait_for_query(page, shows="second")
    it = header["sentences"][0]["names"].index("it")
    tokens(page).nth(it).click()
    there = dict(aligned)[it]
    texts = [sentence["names"] for sentence in header["sentences"]]
    caption = tile(page, 0).locator(".tile-caption")
    expect(caption).to_have_text(f"{flat[0]:.2f}")  # what heads are sorted by
    page.locator('[data-focus="by"]').select_option("")
    key, weight = arrays["1.keys"][0, 0, there], arrays["1.tops"][0, 0, there]
    expect(caption).to_have_text(f"{texts[1][key]}{weight:.2f}")
    page.locator('[data-focus="difference"]').click()
    changes = arrays["shifts"][..., it].reshape(-1)
    at = int(np.abs(changes).argmax())
    key = arrays["shift_keys"][..., it].reshape(-1)[at]
    expect(tile(page, at).locator(".tile-caption")).to_have_text(
        f"{texts[0][key]}{changes[at]:+.2f}".replace("-", "−")
    )
    expect(tokens(page, 1).nth(there)).to_have_attribute("aria-pressed", "true")
    words, told = ui_words("en"), []
    for which, text in enumerate((TIRED, WIDE)):
        at = dict(aligned)[tired] if which else tired
        found, _ = asked(server, "guesses", model="own", text=text, place=at)
        name = words["compared_second" if which else "compared_first"]
        told.append(f"{name} {effect_told(words, texts[which][at], found)}")
        shown = page.locator(".answer-side").nth(which).locator(".guess-word")
        assert shown.all_inner_texts()[:8] == [one["text"] for one in found["before"]]
    expect(page.locator(".effect-line")).to_have_text(told)
    layer, head = (int(part) - 1 for part in query_of(page)["head"].split("."))
    rows = [
        asked(server, "head", model="own", text=text, layer=layer, head=head)[1]["weights"][row]
        for text, row in ((TIRED, it), (WIDE, there))
    ]
    by = {header["sentences"][0]["names"][key]: rows[1][other] - rows[0][key] for key, other in aligned}
    first = page.locator(".compared tbody tr").first
    difference = float(first.locator("td").last.inner_text().replace("−", "-"))
    assert (
        abs(abs(difference) - max(abs(rows[1][other] - rows[0][key]) for key, other in aligned))
        <= 0.0005 + 1e-6
    )
    assert first.locator("th").inner_text().split(" / ")[0] in by
    page.locator('[data-focus="map"]').click()
    one, other = (
        asked(server, "head", model="own", text=text, layer=layer, head=head)[1]["weights"]
        for text in (TIRED, WIDE)
    )
    ours, theirs = (list(places) for places in zip(*aligned, strict=True))
    largest = np.abs(other[np.ix_(theirs, theirs)] - one[np.ix_(ours, ours)]).max()
    told = page.locator(".heatmap .legend").inner_text()
    assert abs(float(told.split("full colour:")[1]) - largest) <= 0.00005 + 1e-6
    place = {"x": ours.index(it) + 0.5, "y": ours.index(tired) + 0.5}
    drawn = page.locator(".big-map")
    cell = drawn.bounding_box()["width"] / len(aligned)
    drawn.click(position={name: at * cell for name, at in place.items()})
    wait_for_query(page, pair=f"{tired + 1}.{it + 1}")
    page.mouse.move(0, 0)
    weights = one[tired, it], other[dict(aligned)[tired], there]
    shown = page.locator(".explained-side .pair-weight")
    titles = shown.evaluate_all("all => all.map((one) => Number(one.title))")
    assert np.allclose(titles, weights, rtol=0, atol=1e-6)
    expect(page.locator(".explained-side .products svg")).to_have_count(2)
    change = float(page.locator(".readout").inner_text().split("difference ")[1].replace("−", "-"))
    assert abs(change - (weights[1] - weights[0])) <= 0.00005 + 1e-6
    least = int(arrays["differences"].argmin())
    tile(page, least).click()
    shifted = divmod(int(np.abs(arrays["shifts"][..., it]).reshape(-1).argmax()), header["heads"])
    to_largest.click()
    wait_for_query(page, head=f"{shifted[0] + 1}.{shifted[1] + 1}")
    expect(to_largest).to_be_hidden()
    page.locator('[data-focus="all tokens"]').click()
    expect(to_largest).to_have_text(
        f"Largest difference, on average over tokens: Layer {most[0] + 1} · Head {most[1] + 1}, {flat.max():.2f}"
    )
    to_largest.click()
    wait_for_query(page, head=f"{most[0] + 1}.{most[1] + 1}")


def test_the_second_sentence_goes_again_and_a_head_that_was_chosen_stays_when_another_comes(read):
    longer = TIRED.replace("street", "wide street")
    page = read(model="own", text=TIRED, second=longer, by="difference", head="9.9")
    expect(field(page, "second")).to_have_value(longer)
    expect(page.locator(".matched")).to_have_text(
        f"{tokens(page).count()} tokens are matched; the others are grey."
    )
    expect(page.locator(".token.apart")).to_have_text(["wide"])
    expect(page.locator(".measures-head h3")).to_have_text("What it does, measured in the first sentence")
    tokens(page).nth(tokens(page).all_inner_texts().index("street")).click()
    rows = page.locator(".compared tbody tr")
    expect(rows.last.locator("th")).to_have_text("tokens only in the second sentence")
    expect(rows.last.locator("td").first).to_have_text("–")
    columns = [[one.locator("td").nth(at).inner_text() for one in rows.all()] for at in (0, 1)]
    assert page.locator(".compared table").evaluate(
        "(table) => table.scrollWidth <= table.parentNode.clientWidth"
    )
    for column in columns:  # all that the token looks at, each rounded to three decimals
        assert abs(sum(float(number.replace("–", "0")) for number in column) - 1) <= 0.0005 * len(column)
    head = page.locator(".one h2").inner_text()
    expect(page.locator(".missing")).to_have_text(f"There is no head “9.9” here: {head} is shown.")
    page.get_by_role("button", name="Without the second sentence").click()
    wait_until(page, "() => !new URLSearchParams(location.search).has('second')")
    expect(page.locator(".compared")).to_be_hidden()
    expect(page.locator(".matched")).to_be_empty()
    expect(page.locator(".missing")).to_contain_text("“difference between the sentences”")
    page.locator('[data-focus="by"]').select_option("previous")
    expect(page.locator(".missing")).to_be_empty()
    tile(page, 1).click()
    wait_for_query(page, head="1.2")
    page.get_by_role("button", name="+ Second sentence").click()
    field(page, "second").fill(WIDE)
    field(page, "second").press("Enter")
    wait_for_query(page, second=WIDE, head="1.2")
    expect(page.locator('[data-focus="largest"]')).to_be_visible()


# --- without some heads --------------------------------------------------------------------------------------------


def guesses_shown(page: Page, which: str) -> list[tuple[str, str]]:
    rows = page.locator(f".guesses.{which} li:not(.beyond)")
    return list(
        zip(
            rows.locator(".guess-word").all_inner_texts(),
            rows.locator(".guess-number").all_inner_texts(),
            strict=True,
        )
    )


def expected_guesses(found: list[dict]) -> list[tuple[str, str]]:
    return [(one["text"], f"{one['probability']:.3f}") for one in found]


def effect_told(words: dict[str, str], token: str, found: dict, which: str = "", **more: str) -> str:
    """What is said of a word that is hidden, or comes next."""
    before, after = found["word"]["before"], found["word"]["after"]
    numbers = {
        name: f"{one['probability']:.3f}" if one["probability"] >= 0.0005 else "< 0.001"
        for name, one in (("before", before), ("after", after))
    }
    told = words[f"word{which}"].format(
        token=token, rank=before["rank"], now=after["rank"], **numbers, **more
    )
    if after["rank"] == 1:
        return told
    likeliest = found["after"][0]
    name = "likeliest_now" if which.startswith("_off") else "likeliest"
    number = f"{likeliest['probability']:.3f}"
    return words[name].format(told=told, word=likeliest["text"], number=number)


@pytest.mark.parametrize("language", SPOKEN)
def test_the_model_s_own_answer_changes_where_heads_are_missing_which_stands_beside_the_switch(
    read, server, language
):
    page, words = read(model="own", text="The cat sat on the [MASK].", lang=language), ui_words(language)
    expect(page.locator('.ablate .strip [aria-pressed="true"]')).to_have_text("[MASK]")
    found, _ = asked(server, "guesses", model="own", text="The cat sat on the [MASK].", place=6)
    listed = " · ".join(f"“{one['text']}” {one['probability']:.3f}" for one in found["before"][:5])
    expect(page.locator(".effect")).to_have_text(words["mask"].format(token="[MASK]", list=listed))
    expect(page.locator(".guesses .own")).to_have_count(0)
    expect(page.locator(".ablate > .hint")).to_contain_text(words["ablate_hint"])
    expect(page.locator(".measures-head h3")).to_have_text(words["measures"])
    say(page, ENGLISH)
    tile(page, 0).click()
    expect(page.locator('.ablate .strip [aria-pressed="true"]')).to_have_text("tired")
    place = tokens(page).all_inner_texts().index("tired")
    question = {"model": "own", "text": ENGLISH, "place": place}
    found, _ = asked(server, "guesses", **question)
    expect(page.locator(".effect")).to_have_text(effect_told(words, "tired", found))
    page.locator(".one .switch").click()
    wait_for_query(page, off="1.1")
    settled(page)
    found, _ = asked(server, "guesses", **question, without=[[0, 0]])
    expect(page.locator(".effect")).to_have_text(effect_told(words, "tired", found, "_off"))
    page.locator(".whole").last.click()
    page.locator(".whole").first.click()
    settled(page)
    heads = page.locator(".layer-row").first.locator(".tile").count()
    last = page.locator(".layer-row").count() - 1
    off = [[layer, head] for layer in (0, last) for head in range(heads)]
    found, _ = asked(server, "guesses", **question, without=off)
    assert found["word"]["after"]["rank"] > len(found["after"])  # it is in the list all the same
    expect(page.locator(".effect")).to_have_text(effect_told(words, "tired", found, "_off"))
    expect(page.locator(".effect")).to_be_in_viewport(ratio=1)
    rank = found["word"]["after"]["rank"]
    expect(page.locator(".guesses.after .own .guess-rank")).to_have_text(f"{rank}.")
    expect(page.locator(".guesses.after .own .guess-word")).to_have_text("tired")
    page.locator('[data-focus="all on"]').click()
    settled(page)
    guesses_change_where_heads_are_missing(page, server, words)


def guesses_change_where_heads_are_missing(page: Page, server, words: dict[str, str]) -> None:
    """In the place of the third token, without all heads of a layer and one of another; and are as before with them."""
    place = page.locator(".ablate .strip button").nth(2)
    place.click()
    wait_for_query(page, guess="3")
    settled(page)
    found, _ = asked(server, "guesses", model="own", text=ENGLISH, place=2)
    assert guesses_shown(page, "before") == expected_guesses(found["before"])
    expect(page.locator(".guesses.after")).to_have_count(0)
    before = opacities(page, len(tiles(page)) - 1)
    for name in (words["layer_n"].format(layer=1), words["layer_head"].format(layer=2, head=2)):
        page.get_by_role("button", name=name, exact=True).click()
    heads = page.locator(".layer-row").first.locator(".tile").count()
    off = [[0, at] for at in range(heads)] + [[1, 1]]
    wait_for_query(page, off="_".join(f"{layer + 1}.{head + 1}" for layer, head in off))
    settled(page)
    found, _ = asked(server, "guesses", model="own", text=ENGLISH, place=2, without=off)
    assert guesses_shown(page, "before") == expected_guesses(found["before"])
    assert guesses_shown(page, "after") == expected_guesses(found["after"])
    assert opacities(page, len(tiles(page)) - 1) != before
    expect(tile(page, 0)).to_have_class("tile off")
    assert words["is_off"] in tile(page, 0).get_attribute("aria-label")
    page.locator('[data-focus="all on"]').click()
    settled(page)
    expect(page.locator(".guesses.after")).to_have_count(0)
    assert opacities(page, len(tiles(page)) - 1) == before


def test_a_decoder_goes_on_with_the_next_word_and_sees_nothing_that_comes_later(read, server):
    page = read(model="decoder", text=SMALL, head="1.2", guess="4", token="3")
    found, _ = asked(server, "guesses", model="decoder", text=SMALL, place=3)
    assert guesses_shown(page, "before") == expected_guesses(found["before"])
    place, token = tokens(page).all_inner_texts()[3:5]
    expect(page.locator(".effect")).to_have_text(
        effect_told(ui_words("en"), token, found, "_causal", place=place)
    )
    page.locator(".line-key").nth(5).click()
    expect(page.locator(".sum")).to_contain_text("does not see it")


# --- to the bench --------------------------------------------------------------------------------------------------


def test_a_head_opens_on_the_bench_with_the_model_s_own_numbers_undo_returns_and_all_of_a_layer_do(
    read, server
):
    page = read(model="own", text=ENGLISH, head="2.3", example="causal")
    page.locator('[data-focus="from q"]').click()
    page.locator('[data-focus="open"]').click()
    bench = Bench(page)
    bench.settled()
    expect(page).to_have_title("Bench · Multi-head attention")
    assert page.get_by_test_id("stMain").evaluate("(main) => main.scrollTop") == 0
    wait_until(page, "() => new URLSearchParams(location.search).has('s')")
    example = example_in(page.url)
    _, arrays = asked(server, "head", model="own", text=ENGLISH, layer=1, head=2)
    assert np.abs(np.array(trace(example).matrix("weights", 0)) - arrays["weights"]).max() < 1e-6
    assert_shows(bench, example)
    bench.do("undo")
    wait_for_query(page, example="causal")
    page.get_by_role("link", name="Models", exact=True).click()
    all_heads_of_a_layer_open_on_the_bench(settled(page), server)


def all_heads_of_a_layer_open_on_the_bench(page: Page, server) -> None:
    """Of the second layer."""
    say(page, "The cat sat.")
    page.locator('[data-focus="take all"]').click()
    page.locator('[data-focus="open"]').click()
    bench = Bench(page).settled()
    expect(page).to_have_title("Bench · Multi-head attention")
    shown = bench.shown()
    heads = asked(server, "run", model="own", texts=["The cat sat."])[0]["heads"]
    for head in range(heads):
        _, arrays = asked(server, "head", model="own", text="The cat sat.", layer=1, head=head)
        for (query, key), weight in np.ndenumerate(arrays["weights"]):
            assert abs(float(shown[f"weights|{head}|{query}|{key}"]) - weight) <= 0.00005 + 1e-6


def test_a_sentence_on_the_bench_takes_the_model_s_vectors_which_are_there_again_after_a_reload(
    server, new_page
):
    """They are too large for a link."""
    bench = Bench(new_page()).open(server.url)
    page = bench.page
    page.get_by_role("button", name="Your sentence").click()
    page.locator(".sentence input[type=text]").first.fill("The cat sat.")
    page.locator('[data-focus="learned"]').click()
    expect(page.locator(".mha-note")).to_contain_text("All numbers are the model's own.")
    bench.settled()
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


# --- where one stands ----------------------------------------------------------------------------------------------


def test_a_link_leads_to_the_same_place_and_another_page_and_another_language_leave_it_so(read, new_page):
    page = read(model="own", text=CHINESE, head="2.1", lang="zh")
    tokens(page).nth(2).click()
    page.locator(".ablate .strip button").nth(3).click()
    page.locator('.head-switch[data-layer="0"][data-head="1"]').click()
    page.locator('[data-focus="by"]').select_option("previous")
    page.locator(".line-key").nth(1).click()
    page.locator('[data-focus="map"]').click()
    page.locator('[data-focus="hide special"]').click()
    place = {"head": "2.1", "token": "3", "guess": "4", "off": "1.2", "by": "previous"}
    drawn = {"drawn": "map", "pair": "3.2", "hides": "special"}
    wait_for_query(page, model="own", text=CHINESE, lang="zh", **place, **drawn)
    settled(page)
    other = new_page()
    other.goto(page.url)
    settled(other)
    expect(other.locator(".big-map")).to_be_visible()
    expect(other.locator('[data-focus="hide special"]')).to_have_attribute("aria-pressed", "true")
    for one in (".one h2", ".tokens", ".readout", ".scores", ".guesses.after"):
        assert other.locator(one).inner_text() == page.locator(one).inner_text()
    assert tiles(other) == tiles(page)
    assert opacities(other, 5) == opacities(page, 5)
    another_page_and_another_language_leave_it_as_it_was(
        other, "Layer 2 · Head 1", text=CHINESE, **place, **drawn
    )


def another_page_and_another_language_leave_it_as_it_was(page: Page, title: str, **query: str) -> None:
    """A map, on the Chinese page; ``title``: what its head is called in English."""
    to = words_in("zh")
    page.get_by_role("link", name=to("Walkthrough"), exact=True).click()
    expect(page).to_have_title(f"{to('Walkthrough')} · {to('Multi-head attention')}")
    at_rest(page)
    wait_until(page, "() => !new URLSearchParams(location.search).has('text')")
    page.get_by_role("link", name=to("Models"), exact=True).click()
    settled(page)
    wait_for_query(page, **query)
    page.get_by_role("radio", name="EN", exact=True).click()
    expect(page.locator(".one h2")).to_have_text(title)
    wait_for_query(page, **query, lang="en")
    expect(page.locator(".big-map")).to_be_visible()
    expect(page.locator(".scores")).to_be_visible()


def test_the_work_of_the_bench_is_not_in_the_address_and_is_there_again(read, server):
    page = read(model="own", text=ENGLISH, example="causal", cell="weights.0.1.0")
    wait_until(page, "() => !/example|cell/.test(location.search)")
    page.reload()
    settled(page)
    expect(page.get_by_role("link", name="Bench", exact=True)).to_have_attribute(
        "href", re.compile("example=causal")
    )
    wait_until(page, "() => !location.search.includes('example')")
    page.get_by_role("link", name="Bench", exact=True).click()
    wait_for_query(page, example="causal", cell="weights.0.1.0")
    page.goto(f"{server.url}models?{urlencode({'model': 'own', 'example': 'first'})}")
    settled(page)
    page.get_by_role("link", name="Bench", exact=True).click()
    wait_for_query(page, example="first")


def test_an_address_without_a_sentence_is_of_the_one_that_is_shown_first(read):
    page = read(head="2.3", by="<b>magic", off="2.9_1.1")
    expect(page.locator(".missing")).to_contain_text("cannot be sorted by “<b>magic”")
    expect(page.locator(".missing")).to_contain_text("There is no head “2.9” here to switch off")
    expect(page.locator(".models > .fault")).to_be_empty()
    wait_for_query(page, head="2.3", off="1.1")
    settled(page)
    expect(tile(page, 0)).to_have_class("tile off")
    expect(page.locator(".one h2")).to_have_text("Layer 2 · Head 3")
    expect(field(page)).to_have_value(EXAMPLES[0]["texts"][0])


# --- what goes wrong -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", SPOKEN)
def test_a_text_that_is_too_long_and_a_server_that_is_silent_are_told_of_and_nothing_is_lost(read, language):
    page = read(model="own", text=ENGLISH, lang=language)
    a_text_that_is_too_long_is_told_in_one_sentence(page, language)
    say(page, ENGLISH)
    fault = page.locator(".models > .fault")
    expect(fault).to_be_empty()
    expect(page.locator(".stale-told")).to_be_empty()
    page.route("**/api/models/run*", lambda route: route.abort("connectionrefused"))
    field(page).fill(CHINESE)
    field(page).press("Enter")
    expect(fault).to_have_text(ui_words(language)["unreachable"])
    expect(tokens(page).nth(1)).to_be_visible()
    field(page).press("Backspace")
    expect(fault).to_be_empty()
    page.unroute("**/api/models/run*")
    say(page, CHINESE)
    expect(fault).to_be_empty()


def a_text_that_is_too_long_is_told_in_one_sentence(page: Page, language: str) -> None:
    before = tiles(page), tokens(page).all_inner_texts()
    long = "cat " * 30_000
    field(page).fill(long)
    field(page).press("Enter")
    fault = page.locator(".models > .fault")
    template = "the text has {count} characters; at most {most} are read"
    told = words_in(language)(template).format(count=len(long.strip()), most=100_000)
    expect(fault).to_have_text(told[0].upper() + told[1:])
    expect(page.locator(".stale-told")).to_contain_text(ENGLISH)
    expect(field(page)).to_have_value(long)
    assert (tiles(page), tokens(page).all_inner_texts()) == before
    wait_for_query(page, text=ENGLISH)
    cut = page.locator(".cut")
    last = len(tiles(page)) - 1
    tile(page, last).click()
    page.locator(".one .switch").click()
    wait_until(page, "() => new URLSearchParams(location.search).has('off')")
    settled(page)
    expect(fault).to_have_text(told[0].upper() + told[1:])
    expect(page.locator(".stale-told")).to_contain_text(ENGLISH)
    count = int("".join(filter(str.isdigit, cut.inner_text())))
    expect(cut).to_have_text(ui_words(language)["cut"].format(count=count))
    cut.click()
    expect(field(page)).to_have_value(long[:count])
    wait_for_query(page, text=long[:count])
    settled(page)
    expect(fault).to_be_empty()
    expect(cut).to_be_hidden()


def test_a_link_that_leads_nowhere_says_so_and_shows_what_opens_first(read):
    page = read(model="../../etc", text=ENGLISH, head="99.1")
    expect(page.locator(".models > .fault")).to_contain_text("there is no model")
    expect(field(page)).to_have_value(EXAMPLES[0]["texts"][0])


@pytest.fixture
def watch(watching):
    """As for all, but that a refused question is told of by the browser too."""
    yield watching
    complaints = watching.complaints[:]
    watching.complaints.clear()
    assert [told for told in complaints if "Failed to load resource" not in told] == []


# --- looks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", shortened(LANGUAGES, ["en"]))  # whose words are the longer ones
def test_nobody_meets_a_barrier_and_nothing_is_wider_than_the_screen(read, language):
    place = {"token": "4", "head": "2.1", "guess": "4", "off": "1.1_1.2"}
    page = read(model="own", text=TIRED, second=WIDE, lang=language, **place)
    for width in widths(page):
        assert wider(page) == [], width
        drawings = page.locator(".line-canvas").all()
        assert all(drawing.bounding_box()["width"] >= 90 for drawing in drawings), width
    page.locator(".line-key").nth(2).click()
    assert_no_barrier_at(page, (390, 1280, 1920) if at_length() else (390, 1280))
    page.locator('[data-focus="map"]').click()
    for width in widths(page):  # at the narrowest the columns' heads are words
        assert wider(page) == [], width
    if at_length():
        assert_no_barrier_at(page, (1280,))


def test_on_a_telephone_a_finger_does_it_all(read):
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
    expect(page.locator(".effect")).to_contain_text("→")
    expect(page.locator(".effect")).to_be_in_viewport(ratio=1)
