"""The page Conventions in a real browser: what lights up where, and what stands beside what."""

from __future__ import annotations

import json
import re
from itertools import product

import pytest
from playwright.sync_api import Locator, Page, expect

from mha_core import AddMask, Example, built_in, library, to_token, trace
from mha_core.example.model import NEG_INF
from mha_core.messages import LANGUAGE
from mha_core.notation import column_matrix, demonstrate, entries, pairings
from mha_ui.conventions.model import ui_words
from mha_view.language import LANGUAGES
from tests.apply import apply
from tests.e2e.looks import WIDTHS, assert_no_barrier_at, wider
from tests.sizes import at_length, shortened, turns
from tools.drive.browser import at_rest, replace, wait_for, wait_until
from tools.drive.explore import Bench, assert_shows

LIBRARIES = ("packed", "torch", "keras", "linear")
PARTS = ("rows", "packed", "masks", "dead", "pairs")
VARIED = ("translation", "rotary", "additive")
"""Examples that together have a context, positions, and parameters of a scoring; other tests' have biases, a mask."""


@pytest.fixture
def read(server, new_page):
    """Open the page as a new visitor."""

    def opened(query: str = "", **options) -> Page:
        page = new_page(**options)
        page.goto(f"{server.url}conventions{query}")
        return settled(page)

    return opened


def settled(page: Page) -> Page:
    """Wait until all five sections are drawn, and the address holds the work."""
    for part in PARTS:
        wait_for(page, f".part-{part} .explain")
    wait_until(page, "() => /[?&](example|s)=/.test(location.search)")
    return page


def table(scope: Locator, sign: str) -> Locator:
    """The table of this sign, such as W_Q′."""
    plain = sign.replace("_", "")
    return scope.locator("figure").filter(
        has=scope.page.locator(".symbol", has_text=re.compile(f"^{re.escape(plain)}$"))
    )


def shown(figure: Locator) -> list[list[str]]:
    """Every number of a table, row by row."""
    return figure.locator("tbody tr").evaluate_all(
        """(lines) => lines.map((line) => [...line.querySelectorAll("td[data-key]")].map((td) => td.innerText))"""
    )


def texts(rows: list[list[float]], decimals: int = 4) -> list[list[str]]:
    whole = all(float(number).is_integer() for row in rows for number in row)
    return [[f"{number:.{0 if whole else decimals}f}".replace("-", "−") for number in row] for row in rows]


def line(page: Page, part: str) -> list[str]:
    return [" ".join(text.split()) for text in page.locator(f".part-{part} .line p").all_inner_texts()]


def keys(page: Page, part: str, name: str) -> list[str]:
    return page.locator(f".part-{part} td.{name}").evaluate_all("all => all.map((td) => td.dataset.key)")


# --- row and column ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    shortened(
        ["first", "output-projection", "translation", "rotary", "additive"],
        ["output-projection"],
    ),
)
def test_every_step_stands_there_in_both_conventions(read, name):
    page = read(f"?example={name}")
    example = built_in(name)
    computed = trace(example)
    told = [entry for entry in entries(example, 1) if entry.op]
    told = told if at_length() else [*told[:3], *told[-2:]]  # of a head and of all
    page.locator(".part-rows").get_by_role("button", name="Head 2", exact=True).click()
    for entry in told:
        page.locator(f'tr[data-name="{entry.name}"] button').click()
        expect(page.locator("tr.here")).to_have_attribute("data-name", entry.name)
        head = None if entry.name in ("concat", "output") or "angles" in entry.name else 1
        for form, rows in (
            ("row", computed.matrix(entry.name, head)),
            ("column", column_matrix(computed, entry.name, head)),
        ):
            figure = page.locator(f".equation.{form} figure").last
            assert shown(figure) == texts(rows), (entry.name, form)
            expect(figure.locator(".shape")).to_have_text(f"{len(rows)} × {len(rows[0])}")
    page.locator('tr[data-name="q"] button').click()
    what_it_is_computed_from_stands_transposed_in_columns(
        page, computed.matrix("x", None), computed.matrix("w_q", 1)
    )
    if name == "output-projection":
        the_packed_product_tells_its_arithmetic(page)


def what_it_is_computed_from_stands_transposed_in_columns(
    page: Page, x: list[list[float]], w_q: list[list[float]]
) -> None:
    expect(page.locator("tr.here")).to_have_attribute("data-name", "q")
    figures = page.locator(".equation.row figure")
    assert [shown(figures.nth(at)) for at in (0, 1)] == [texts(x), texts(w_q)]
    figures = page.locator(".equation.column figure")
    transposed = [[list(column) for column in zip(*rows, strict=True)] for rows in (w_q, x)]
    assert [shown(figures.nth(at)) for at in (0, 1)] == [texts(rows) for rows in transposed]


def test_a_number_lights_up_wherever_it_stands_for_pointer_and_keys_and_another_query_is_emptied(read):
    page = read("?example=water")
    pointing_at_a_number_lights_the_same_one_in_the_other_convention_and_so_do_keys(page)
    for library_name, index, code in (
        ("packed", "W_K[0, 3]", "W_K[:, 2:4]"),
        ("torch", "in_proj_weight[7, 0]", "in_proj_weight[6:8].T"),
        ("keras", "key/kernel[0, 1, 1]", "kernel[:, 1, :]"),
        ("linear", "key.weight[3, 0]", "key.weight[2:4].T"),
    ):
        packed(page, library_name, "k")
        assert_lights_up(page, index, code)
    another_query_is_emptied_by_choice(page)


def pointing_at_a_number_lights_the_same_one_in_the_other_convention_and_so_do_keys(page: Page) -> None:
    page.locator('tr[data-name="scores"] button').click()
    rows, columns = page.locator(".equation.row"), page.locator(".equation.column")
    table(rows, "S").locator('td[data-key="scores|0|0|1"]').hover()
    twin = columns.locator("td.twin")
    expect(twin).to_have_count(1)
    expect(twin).to_have_attribute("data-key", "scores|0|0|1")
    place = twin.evaluate("(td) => [td.parentElement.rowIndex - 1, td.cellIndex - 1]")
    assert place == [1, 0]
    assert sorted(keys(page, "rows", "operand")) == sorted(["q|0|0|0", "q|0|0|1", "k|0|1|0", "k|0|1|1"] * 2)
    assert line(page, "rows") == [
        "In rows S Head 1 [Water, is] = Q·Kᵀ = 2 · 0 + 0 · 2 = 0",
        "In columns S′ Head 1 [is, Water] = K′ᵀ·Q′ = 0 · 2 + 2 · 0 = 0",
    ]
    page.mouse.move(0, 0)
    expect(page.locator(".part-rows td.twin")).to_have_count(0)
    page.locator('tr[data-name="q"] button').click()
    cell = page.locator('.equation.column td[data-key="q|0|0|0"]')
    cell.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".equation.column td.current")).to_have_attribute("data-key", "q|0|1|0")
    expect(page.locator(".equation.row td.twin")).to_have_attribute("data-key", "q|0|1|0")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".equation.row td.twin")).to_have_attribute("data-key", "q|0|1|1")
    said = page.locator(".part-rows [role=status]").text_content()
    assert "[is, 2]" in said
    assert "[2, is]" in said
    button = page.locator('tr[data-name="weights"] button')
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_be_focused()
    expect(page.locator("tr.here")).to_have_attribute("data-name", "weights")


# --- packed weights ----------------------------------------------------------------------------------------------


def packed(page: Page, library_name: str, letter: str = "q") -> None:
    part = page.locator(".part-packed")
    part.locator(f'[data-focus$=" {library_name}"]').click()
    part.locator(f'[data-focus$=" {letter}"]').click()


def assert_lights_up(page: Page, index: str, code: str) -> None:
    cell = page.locator('.packing > .box td[data-key="w_k|1|0|1"]')
    cell.hover()
    twin = page.locator(".slice td.twin")
    expect(twin).to_have_count(1)
    expect(twin).to_have_attribute("data-key", "w_k|1|0|1")
    assert line(page, "packed")[-1].endswith(index)
    slices = page.locator(".slice")
    expect(slices).to_have_count(2)
    expect(slices.nth(1).locator("code").first).to_have_text(code)
    twin.hover()
    expect(page.locator(".packing > .box td.twin")).to_have_attribute("data-key", "w_k|1|0|1")
    assert line(page, "packed")[-1].endswith(index)


def the_packed_product_tells_its_arithmetic(page: Page) -> None:
    """Of the example with an output projection."""
    page.locator('.packing > .box td[data-key="q|1|2|0"]').hover()
    assert line(page, "packed")[0] == "Q Head 2 [fish, 1] = 1 · 1 + 1 · 1 + 1 = 3"
    assert line(page, "packed")[1].endswith("Q[2, 2]")
    marks = set(keys(page, "packed", "operand"))
    assert {"x||2|0", "x||2|1", "w_q|1|0|0", "w_q|1|1|0", "b_q|1|0|0"} == marks


def test_heads_have_their_own_colours_and_names(read):
    page = read("?example=grouped-query")
    packed(page, "packed", "k")
    expect(page.locator(".packing > .box th.group").first).to_have_text("Heads 1–2")
    assert page.locator(".slice h4").all_inner_texts() == ["Heads 1–2", "Heads 3–4"]
    packed(page, "torch", "k")
    expect(page.locator(".note.refused")).to_contain_text("kv_heads")


def test_a_head_without_a_matrix_says_so(read):
    page = read("?example=scaled")
    expect(page.locator(".part-packed .note")).to_contain_text("no weight to pack")


def test_of_a_large_tensor_the_first_heads_are_drawn(read):
    """64 columns of X, 4 heads of 64: a packed matrix of 16384 numbers, of which two heads' are shown."""
    example = built_in("first")
    for axis in ("d_model", "d_k", "d_v"):
        example = apply(example, {"op": "resize", "axis": axis, "size": 64})
    for _ in range(2):
        example = apply(example, {"op": "add_head"})
    for head in range(4):
        for name in ("w_q", "w_k", "w_v"):
            example = apply(example, {"op": "fill", "matrix": name, "head": head, "with": "identity"})
    page = read(f"?s={to_token(apply(example, {'op': 'fill', 'matrix': 'x', 'with': 'zeros'}))}")
    packed(page, "torch", "k")
    expect(page.locator(".part-packed")).to_contain_text("Of 4 heads the first 2 are drawn")
    expect(page.locator(".slice")).to_have_count(2)
    page.locator('.packing > .box td[data-key="w_k|1|2|3"]').hover()
    assert line(page, "packed")[-1].endswith(f"in_proj_weight[{256 + 64 + 3}, 2]")


# --- masks -------------------------------------------------------------------------------------------------------


def test_a_mask_that_adds_numbers_is_refused_where_only_true_and_false_are_taken(read):
    example = built_in("water")
    added = AddMask(((0.5, NEG_INF, 0.0), (0.0, -2.0, 1.0), (0.0, 0.25, 0.0)))
    fields = {name: getattr(example, name) for name in type(example).__dataclass_fields__}
    page = read(f"?s={to_token(type(example)(**fields | {'mask': added}))}")
    expect(page.locator(".card .refused")).to_have_count(3)
    expect(page.locator('.part-masks td[data-key="pair|1|1"]').first).to_have_text("−2")


# --- a query that attends to nothing -----------------------------------------------------------------------------


def test_a_pair_lights_up_in_every_mask_which_is_copied_and_zeros_nan_and_alike_stand_beside_each_other(read):
    page = read("?example=padding", permissions=["clipboard-read", "clipboard-write"])
    cards = page.locator(".part-masks .card")
    expect(cards).to_have_count(6)
    first = cards.first.locator('td[data-key="pair|0|2"]')
    first.hover()
    expect(page.locator(".part-masks td.twin")).to_have_count(5)
    found = [card.locator('td[data-key="pair|0|2"]').inner_text() for card in cards.all()]
    assert found == ["False", "True", "−∞", "False", "False", "−3.4e38"]
    kinds = page.locator('td[data-key="pair|0|2"]').evaluate_all("all => all.map((td) => td.dataset.kind)")
    assert set(kinds) == {"hidden"}
    assert line(page, "masks")[0] == "query 你, key <pad> (this pair is hidden)"
    assert "torch nn.MultiheadAttention attn_mask True" in line(page, "masks")[1]
    page.locator('[data-focus="copy torch_bool"]').click()
    expect(page.locator('[data-focus="copy torch_bool"]')).to_have_text("Copied.")
    code = page.evaluate("navigator.clipboard.readText()")
    assert code.startswith("attn_mask = torch.tensor([[False, False, True")
    what_a_query_that_attends_to_nothing_gets(page)


def what_a_query_that_attends_to_nothing_gets(page: Page) -> None:
    """By every rule, in the example with padding."""
    outcomes = demonstrate(built_in("padding"), 0, 2).outcomes
    rows = page.locator(".rules tbody tr[data-rule]")
    expect(rows).to_have_count(len(outcomes))
    for outcome in outcomes:
        row = page.locator(f'tr[data-rule="{outcome.rule}"]')
        expect(row).to_have_attribute("data-outcome", outcome.kind)
        weights = row.locator("td.weight").all_inner_texts()
        wanted = {"zero": ["0"] * 3, "nan": ["NaN"] * 3, "uniform": ["0.3333"] * 3}[outcome.kind]
        assert weights == wanted
    kinds = rows.evaluate_all("all => all.map((row) => row.dataset.outcome)")
    assert kinds == ["zero", "nan", "zero", "nan", "zero", "zero", "uniform", "uniform"]
    page.locator('td[data-key="weight|torch_weights|0"]').hover()
    assert line(page, "dead")[0] == "<pad> → 你 = 0 ÷ 0 = NaN"
    page.locator('td[data-key="output|bert_eager|0"]').hover()
    assert line(page, "dead")[0] == "<pad> → head output 1 = 0.3333 · 1 + 0.3333 · 1 + 0.3333 · 3 ≈ 1.6667"
    assert len(keys(page, "dead", "operand")) == 3


def another_query_is_emptied_by_choice(page: Page) -> None:
    query = page.locator(".st-key-conventions-choice [data-testid=stSelectbox] input").last
    query.scroll_into_view_if_needed()
    page.evaluate(
        "() => new Promise((scrolled) => requestAnimationFrame(() => requestAnimationFrame(scrolled)))"
    )
    query.click()  # the list closes when the page scrolls
    page.get_by_role("option", name="2 is").click()
    expect(page.locator(".rules .scores th")).to_contain_text("is")
    scores = trace(built_in("water")).matrix("scaled_scores", 0)[1]
    assert page.locator(".rules .scores td[data-key]").all_inner_texts() == [
        "0" if number == 0 else f"{number:.4f}" for number in scores
    ]


# --- the page ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", shortened(LANGUAGES, ["zh"]))
def test_it_speaks_the_readers_language_and_axe_finds_no_serious_violation(read, language):
    page = read(f"?example=padding&lang={language}")
    words = ui_words(language)
    for part in PARTS:
        expect(page.get_by_role("heading", name=words[f"section_{part}"], exact=True)).to_be_visible()
        expect(page.locator(f".part-{part}")).to_have_attribute("aria-label", words[f"section_{part}"])
    body = page.locator(".stMain").inner_text()
    assert "undefined" not in body
    assert not re.search(r"\{\w+\}", body)
    assert page.evaluate("document.documentElement.lang") == LANGUAGE[language].tag
    if language == "zh":
        packed(page, "torch", "k")
        page.locator('.equation.row td[data-key="q|0|0|0"]').focus()
        assert_no_barrier_at(page, WIDTHS if at_length() else (390, 1280))


EVERY_CHOICE = """async (press) => {
    const shadows = [...document.querySelectorAll("*")].flatMap((node) => node.shadowRoot ?? []);
    const found = (selector) => shadows.flatMap((shadow) => [...shadow.querySelectorAll(selector)]);
    const none = [];
    for (const selector of press) {
        if (!found(selector).length) none.push(selector);
        for (let at = 0; at < found(selector).length; at++) {
            found(selector)[at].click();
            await new Promise((drawn) => requestAnimationFrame(drawn));
        }
    }
    return none;
}"""
"""Press all buttons of a kind after each other, and then those of the next, each of which draws what it shows; and
return the kinds of which there are none."""


@pytest.mark.parametrize("name", shortened(library(), VARIED))
def test_every_built_in_is_drawn_in_every_choice_and_nothing_sticks_out(read, watch, name):
    page = read(f"?example={name}&lang=zh")
    packings = [
        f'.part-packed [data-focus$=" {chosen}"]' for pair in product("qkv", LIBRARIES) for chosen in pair
    ]
    rows = [".part-rows .choice button", ".all-steps tbody button"]
    assert page.evaluate(EVERY_CHOICE, [*rows, *packings]) == []
    for library_name, width in turns(LIBRARIES, WIDTHS):
        packed(page, library_name)
        page.set_viewport_size({"width": width, "height": 900})
        assert wider(page) == [], (library_name, width)
        assert_names_of_columns_stand_above_them(page)
    assert watch.complaints == []


def assert_names_of_columns_stand_above_them(page: Page) -> None:
    left = "cells => cells.map((cell) => Math.round(cell.getBoundingClientRect().left))"
    head = page.locator(".all-steps thead th").evaluate_all(left)
    first = page.locator(".all-steps tbody tr").first.locator("th, td").evaluate_all(left)
    assert head == first


def test_the_address_keeps_the_work_and_links_lead_on(read):
    example = apply(built_in("water"), {"op": "set", "matrix": "x", "row": 0, "col": 0, "values": [[3.5]]})
    page = read(f"?s={to_token(example)}&decimals=2")
    bench = Bench(page)
    bench.wait_for_address(example)
    assert "decimals=2" in page.url
    assert page.locator('.equation.row td[data-key="x||0|0"]').inner_text() == "3.5"
    page.get_by_role("link", name="Bench", exact=True).click()
    assert_shows(bench.settled(), example, 2)
    page.get_by_role("link", name="Conventions", exact=True).click()
    settled(page)
    bench.wait_for_address(example)


def test_it_is_the_first_page_of_a_fresh_server_and_survives_it_and_so_does_an_experiment(
    own_server, new_page, watch
):
    page = new_page()
    page.goto(f"{own_server.url}conventions?example=padding")
    settled(page)
    other = page.context.new_page()
    other.goto(f"{own_server.url}experiments?example=programming&experiment=order&variant=~~order-2_1_0")
    at_rest(other)
    other.get_by_role("button", name="First two exchanged").click()
    other.wait_for_function("() => location.search.includes('order-1_0_2')")
    assert watch.complaints == []
    reversed_order = other.get_by_role("button", name="Reversed")
    replace(own_server, page.get_by_text("中", exact=True), reversed_order)
    settled(page)
    assert json.dumps("example=padding")[1:-1] in page.url
    love_first = other.locator('td[data-key="x||0|1"]').nth(1)  # of the right side
    expect(love_first).to_have_text("2")
    watch.complaints.clear()  # whatever Streamlit's page said while nobody answered


# --- rotary positions --------------------------------------------------------------------------------------------


def turned_by_halves():
    """Four columns, so two pairs; the tokens stand at 1, 2 and 3."""
    example = apply(built_in("water"), {"op": "resize", "axis": "d_k", "size": 4})
    for name in ("w_q", "w_k"):
        fill = {"op": "fill", "matrix": name, "head": 0, "with": "integers", "seed": 5}
        example = apply(example, fill)
    example = apply(example, {"op": "positions", "kind": "rotary", "pairs": "half"})
    ids = {"op": "set", "matrix": "position_ids", "row": 0, "col": 0, "values": [[1], [2], [3]]}
    return apply(example, ids)


@pytest.mark.parametrize("language", shortened(LANGUAGES, ["zh"]))
def test_a_row_is_turned_with_its_columns_paired_in_either_way_and_a_number_lights_the_two_it_is_made_of(
    read, language
):
    example = turned_by_halves()
    page = read(f"?s={to_token(example)}&lang={language}")
    told = pairings(example)
    for pairing in told.pairings:
        card = page.locator(f'.card[data-pairs="{pairing.pairs}"]')
        rows = [texts([list(told.row)])[0], texts([list(pairing.rotated)])[0]]
        assert shown(card.locator("figure")) == rows
        groups = card.locator("th.group").all_inner_texts()
        pair_of = [m for col in range(4) for m, pair in enumerate(pairing.partners) if col in pair]
        assert groups == [ui_words(language)["pair_n"].format(pair=m + 1) for m in pair_of]
        expect(card.locator("code")).to_have_text("W[:, [0, 2, 1, 3]]")
    a_turned_number_lights_the_two_that_it_is_made_of(page, example, ui_words(language)["pair_n"])


def a_turned_number_lights_the_two_that_it_is_made_of(page: Page, example: Example, pair_n: str) -> None:
    told = pairings(example)
    for pairing in told.pairings:
        for m, partners in enumerate(pairing.partners):
            for col in partners:
                page.locator(f'td[data-key="{pairing.pairs}|1|{col}"]').hover()
                lit = [f"{pairing.pairs}|0|{one}" for one in partners]
                assert sorted(keys(page, "pairs", "operand")) == lit
                (said,) = line(page, "pairs")
                token = example.tokens[told.query]
                assert said.startswith(f"QR[{token}, {col + 1}] = ")
                a, b = (f"(−{-n:g})" if n < 0 else f"{n:g}" for n in (told.row[one] for one in partners))
                first, sign, other = ("cos", "−", "sin") if col == partners[0] else ("sin", "+", "cos")
                assert re.search(
                    rf"= {re.escape(a)} · {first} \S+ {re.escape(sign)} {re.escape(b)} · {other} ", said
                )
                assert f"{pair_n.format(pair=m + 1)}: θ = " in said
                value = f"{pairing.rotated[col]:.4f}".replace("-", "−")
                assert f"≈ {value}" in said or f"= {value.removesuffix('.0000')}" in said
    cell = page.locator('td[data-key="half|0|0"]')
    cell.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".part-pairs td.current")).to_have_attribute("data-key", "half|1|0")
