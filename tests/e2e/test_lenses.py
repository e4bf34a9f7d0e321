"""Two lenses on the bench, in real Chromium: the change since a pinned baseline, and gradients as colour."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from playwright.sync_api import Locator, Page, expect

from mha_core import Cell, Example, built_in, derive, to_token, trace
from mha_core.compare.diff import changes
from mha_core.compute.gradients import gradients
from tests.apply import apply
from tests.e2e.looks import assert_no_barrier, wider
from tests.e2e.test_editing import choose_example
from tests.e2e.test_reach import focused
from tests.sizes import shortened
from tools.drive.browser import wait_for
from tools.drive.explore import Bench, assert_shows


def put(number: float, row: int = 0, col: int = 0, matrix: str = "x", head: int | None = None) -> dict:
    return {"op": "set", "matrix": matrix, "head": head, "row": row, "col": col, "values": [[number]]}


def marks(page: Page) -> dict[str, str]:
    """The sign in the corner of every cell that has one, by the cell's key."""
    return page.evaluate(
        """() => {
            const host = [...document.querySelectorAll("*")].find((e) => e.shadowRoot?.querySelector(".bench"));
            const cells = [...host.shadowRoot.querySelectorAll("td[data-lens]")];
            return Object.fromEntries(cells.map((cell) => [cell.dataset.key, cell.dataset.lens]));
        }"""
    )


def key(name: str, head: int | None, row: int, col: int) -> str:
    return f"{name}|{'' if head is None else head}|{row}|{col}"


def changed(now: Example, before: Example) -> dict[str, str]:
    """The sign that every changed cell must bear."""
    return {
        key(name, head, i, j): "new" if by is None else "up" if by > 0 else "down"
        for (name, head), change in changes(trace(now), trace(before)).items()
        for i, row in enumerate(change.by)
        for j, by in enumerate(row)
        if by != 0
    }


def described(bench: Bench, cell: Cell) -> str | None:
    return bench.cell(*cell).get_attribute("aria-description")


def summary(bench: Bench) -> Locator:
    return bench.page.locator(".legend .summary")


# --- change ------------------------------------------------------------------------------------------------------


def test_every_step_shows_its_change_against_a_pinned_baseline(visit):
    bench = visit("?example=water")
    before = built_in("water")
    bench.do("baseline")
    expect(bench.page.locator('[data-focus="lens"]')).to_have_value("change")
    expect(summary(bench)).to_have_text("Nothing differs from the baseline yet: change a number.")
    assert marks(bench.page) == {}

    bench.edit("x", None, 1, 3, 1.5)
    now = apply(before, put(1.5, 1, 3))
    assert marks(bench.page) == changed(now, before)
    assert_shows(bench, now)  # the numbers in the cells stay the values
    expect(summary(bench)).to_contain_text(
        "Since the baseline: X[2, 4] 0 → 1.5; it begins at K (1 of 12 numbers); attention weights: 9 of 18"
    )

    bench.edit("w_v", 1, 0, 0, -2)
    now = apply(now, put(-2, matrix="w_v", head=1))
    assert marks(bench.page) == changed(now, before)
    expect(summary(bench)).to_contain_text("WV[1, 1] of head 2")
    bench.do("undo")
    bench.do("undo")
    assert marks(bench.page) == {}

    bench.edit("x", None, 0, 0, 3)
    bench.do("baseline")  # again: what stands is the baseline from now on
    assert marks(bench.page) == {}
    bench.control("baseline clear").click()
    assert focused(bench.settled().page)["focus"] == "baseline"
    bench.folded()
    expect(bench.page.locator('[data-focus="lens"]')).to_have_value("")
    expect(bench.page.locator(".legend")).to_be_hidden()
    bench.page.wait_for_function("() => !/base=|lens=/.test(location.search)")


def test_a_cell_tells_what_it_was_and_another_size_has_cells_without_counterpart(visit):
    bench = visit("?example=first")
    bench.do("baseline")
    bench.edit("x", None, 0, 1, 3)
    now, before = trace(apply(built_in("first"), put(3, 0, 1))), trace(built_in("first"))
    was, is_now = (one.values["weights"][0][0][1] for one in (before, now))
    told = f"was {was:.4f}, now {is_now:.4f} (−{was - is_now:.4f})"
    bench.cell("weights", 0, 0, 1).hover()
    assert bench.arithmetic().startswith(f"{told} A[")
    assert described(bench, Cell("weights", 0, 0, 1)) == told
    bench.cell("x", None, 0, 1).hover()
    assert bench.arithmetic().startswith("was 2, now 3 (+1) X")
    bench.cell("x", None, 0, 0).hover()
    assert bench.arithmetic().startswith("as in the baseline X")
    assert described(bench, Cell("x", None, 0, 0)) is None
    bench.do("add tokens")
    bench.choose("mask", "causal")
    example = apply(built_in("first"), put(3, 0, 1))
    for edit in ({"op": "add_token", "which": "tokens"}, {"op": "mask", "kind": "causal"}):
        example = apply(example, edit)
    assert marks(bench.page) == changed(example, built_in("first"))
    expect(summary(bench)).to_contain_text("have no counterpart there")
    bench.cell("x", None, 3, 0).hover()
    assert bench.arithmetic().startswith("no counterpart in the baseline")
    choose_example(bench, "Water is toxic")
    expect(bench.cell("x", None, 0, 3)).to_be_visible()
    assert marks(bench.settled().page) == changed(built_in("water"), built_in("first"))


def test_a_link_brings_back_the_lens_and_its_baseline(visit, new_page):
    bench = visit("?example=first")
    bench.do("baseline")
    bench.edit("x", None, 2, 0, -1)
    example = apply(built_in("first"), put(-1, 2))
    address = bench.wait_for_address(example)
    assert f"base={to_token(built_in('first'))}" in address
    other = Bench(new_page()).open(address)
    assert marks(other.page) == marks(bench.page) == changed(example, built_in("first"))
    assert_shows(other, example)
    other.page.reload()
    assert marks(other.settled().page) == marks(bench.page)


@pytest.mark.parametrize(
    "query", shortened(["?lens=x", "?lens=change", "?base=", "?lens=gradient&cell=x..0.0"], ["?lens=change"])
)
def test_odd_lenses_in_a_link_are_passed_over(visit, query):
    bench = visit(f"{query}&example=first")
    expect(bench.page.locator(".bench .message")).to_be_hidden()
    assert_shows(bench, built_in("first"))


def test_a_damaged_baseline_in_a_link_is_told(visit):
    bench = visit(f"?example=water&lens=change&base={to_token(built_in('first'))[:60]}")
    expect(bench.message()).to_have_text(
        "The baseline of this link was left out: the link is damaged or incomplete."
    )
    assert_shows(bench, built_in("water"))
    expect(bench.page.locator('[data-focus="lens"]')).to_have_value("")


def test_lens_and_baseline_are_still_there_after_the_server_was_killed(own_server, new_page, watch):
    bench = Bench(new_page()).open(f"{own_server.url}?example=first")
    bench.do("baseline")
    bench.edit("x", None, 0, 0, 6)
    example = apply(built_in("first"), put(6))
    bench.wait_for_address(example)
    own_server.kill()
    own_server.start()
    bench.edit("x", None, 0, 1, -4)
    example = apply(example, put(-4, 0, 1))
    assert_shows(bench, example)
    assert marks(bench.page) == changed(example, built_in("first"))
    assert all("ERR_CONNECTION" in text or "disconnected" in text for text in watch.complaints)
    watch.complaints.clear()  # that nobody answered is all that the browser had to say


# --- gradient ----------------------------------------------------------------------------------------------------


def assert_painted(bench: Bench, example: Example, target: Cell) -> None:
    """Every cell has the sign, and says the number, of the core's derivative."""
    computed = trace(example)
    found, shown = gradients(computed, target), marks(bench.page)
    wanted = {}
    for name in shown_matrices(bench):
        for head, rows in parts(found.get(name)):
            for i, row in enumerate(rows):
                for j, slope in enumerate(row):
                    wanted[key(name, head, i, j)] = "plus" if slope > 0 else "minus" if slope < 0 else ""
    wanted[key(*target)] = "target"
    assert {place: sign for place, sign in wanted.items() if sign} == {
        place: sign for place, sign in shown.items() if sign != "none"
    }
    later = {place.split("|")[0] for place, sign in shown.items() if sign == "none"}
    assert later == {name for name in shown_matrices(bench) if name not in found}


def shown_matrices(bench: Bench) -> set[str]:
    return {place.split("|")[0] for place in bench.shown()}


def parts(rows):
    """(head, matrix) of one matrix's derivatives."""
    if rows is None:
        return []
    if rows and isinstance(rows[0], list) and not isinstance(rows[0][0], list):
        return [(None, rows)]
    return [(head, one) for head, one in enumerate(rows) if one is not None]


@pytest.mark.parametrize(
    "name",
    shortened(
        ["first", "output-projection", "padding", "grouped-query", "rotary"],
        ["output-projection", "grouped-query"],  # which end elsewhere, and share heads
    ),
)
def test_gradients_are_painted_and_follow_the_pinned_cell(visit, name):
    bench = visit(f"?example={name}")
    bench.choose("lens", "gradient")
    example = built_in(name)
    last = "output" if example.w_o else "concat"
    assert_painted(bench, example, Cell(last, None, 0, 0))
    bench.cell("weights", 0, 1, 0).click()
    bench.settled()
    assert_painted(bench, example, Cell("weights", 0, 1, 0))
    assert_shows(bench, example)


def test_the_line_and_the_description_say_the_derivative_which_follows_an_edit_and_a_link(visit, new_page):
    """And other pages see no lens."""
    bench = visit("?example=first")
    bench.choose("lens", "gradient")
    slope = gradients(built_in("first"), Cell("concat", None, 0, 0))["w_q"][0][0][0]
    bench.cell("w_q", 0, 0, 0).hover()
    assert bench.arithmetic().startswith(f"∂Concat[1, 1] ÷ ∂(WQ[1, 1] of head 1) ≈ {slope:.4f} WQ[1, 1]")
    assert described(bench, Cell("w_q", 0, 0, 0)) == f"derivative {slope:.4f}"
    bench.cell("concat", None, 0, 0).hover()
    assert bench.arithmetic().startswith("∂Concat[1, 1]: its derivative is what the colours show")
    bench.cell("weights", 0, 0, 0).click()
    bench.settled()
    bench.cell("head_outputs", 0, 0, 0).hover()
    assert bench.arithmetic().startswith("no derivative: this step comes after A[1, 1] of head 1")
    assert described(bench, Cell("head_outputs", 0, 0, 0)) is None
    bench.page.get_by_role("link", name="Check").click()
    expect(bench.page.locator(".bench.checking")).to_be_visible()
    assert marks(bench.settled().page) == {}
    expect(bench.page.locator(".legend")).to_be_hidden()
    bench.page.get_by_role("link", name="Bench").click()
    wait_for(bench.page, "td[data-lens]")  # it is still there
    gradients_follow_an_edit_and_a_link(bench.settled(), new_page)


def gradients_follow_an_edit_and_a_link(bench, new_page):
    bench.cell("scores", 1, 0, 2).click()
    bench.settled()
    bench.edit("w_k", 1, 0, 0, 2)
    example = apply(built_in("first"), put(2, matrix="w_k", head=1))
    target = Cell("scores", 1, 0, 2)
    assert derive(trace(example), target).op == "matmul"
    assert_painted(bench, example, target)
    bench.page.wait_for_url("**cell=scores.1.0.2**")
    other = Bench(new_page(locale="zh-CN")).open(bench.wait_for_address(example))
    assert_painted(other, example, target)
    other.cell("x", None, 0, 0).hover()
    assert other.arithmetic().startswith("∂(头 2 的 S[1, 3]) ÷ ∂X[1, 1]")


def test_a_saturated_softmax_leaves_no_colour_on_q_and_k(visit):
    """One scale for all tables: that is how the eye sees it."""
    bench = visit("?example=saturated")
    bench.choose("lens", "gradient")

    def tone(name: str) -> float:
        cells = bench.page.locator(f'td[data-key^="{name}|0|"]')
        return max(cells.evaluate_all("all => all.map((td) => Number(td.style.getPropertyValue('--tone')))"))

    sharp = tone("q"), tone("k")
    assert max(sharp) < 0.2 < tone("v")
    bench.choose("scale", "number")
    bench.control("divisor").fill("16")
    bench.control("divisor").press("Enter")
    bench.settled()
    assert min(tone("q"), tone("k")) > 2 * max(sharp)


# --- for everybody -----------------------------------------------------------------------------------------------


def test_both_lenses_by_keyboard_alone(visit):
    bench = visit("?example=first")
    page = bench.page

    def tab_to(**wanted: str) -> None:
        for _ in range(160):
            page.keyboard.press("Tab")
            if wanted.items() <= focused(page).items():
                return
        pytest.fail(f"Tab never came to {wanted}")

    tab_to(focus="fold view")
    page.keyboard.press("Enter")
    tab_to(focus="lens")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    bench.settled()
    expect(page.locator('[data-focus="lens"]')).to_have_value("gradient")
    tab_to(focus="baseline")
    page.keyboard.press("Enter")
    bench.settled()
    expect(page.locator('[data-focus="lens"]')).to_have_value("gradient")
    tab_to(key="weights|0|0|0")
    page.keyboard.press("Enter")
    bench.settled()
    assert_painted(bench, built_in("first"), Cell("weights", 0, 0, 0))
    page.keyboard.press("Escape")
    bench.settled()
    assert_painted(bench, built_in("first"), Cell("concat", None, 0, 0))


@pytest.mark.parametrize(
    "case",
    shortened(
        product(["change", "gradient"], ["en-US", "zh-CN"]), [("gradient", "zh-CN")]
    ),  # with more colours
)
def test_axe_finds_no_serious_violation_and_on_a_telephone_nothing_sticks_out(visit, case):
    lens, locale = case
    base = to_token(built_in("padding"))
    example = apply(built_in("padding"), put(2))
    query = f"?s={to_token(example)}&base={base}&lens={lens}&cell=weights.0.0.1"
    bench = visit(query, locale=locale)
    wait_for(bench.page, "td[data-lens]")
    assert_no_barrier(bench.page)
    bench.page.set_viewport_size({"width": 390, "height": 844})
    on_a_telephone_nothing_sticks_out_and_much_stays_in_view(bench.settled())


def on_a_telephone_nothing_sticks_out_and_much_stays_in_view(bench):
    for number, lens in enumerate(("change", "gradient"), 3):
        bench.choose("lens", lens)
        bench.edit("x", None, 0, 0, number)
        bench.cell("x", None, 0, 0).hover()
        assert wider(bench.page) == [], lens
        line = bench.page.locator(".explain")
        expect(line).to_be_in_viewport(ratio=0.95)
        assert line.bounding_box()["height"] < 844 / 3


def test_what_is_too_large_for_a_link_with_its_baseline_says_so(visit):
    tall = tuple((float(j % 3), 1.0) for j in range(64))
    example = replace(
        built_in("first"),
        x=tuple(
            tuple(float(f"0.{(i * 7919 + j * 104729) % 999983:06d}") for j in range(64)) for i in range(48)
        ),
        tokens=tuple(f"token {i}" for i in range(48)),
        heads=tuple(replace(head, w_q=tall, w_k=tall, w_v=tall) for head in built_in("first").heads),
    )
    token = to_token(example)
    assert 15_000 < len(token) < 30_000
    bench = visit(f"?s={token}")
    bench.do("baseline")
    expect(bench.message()).to_have_text(
        "Together with its baseline this is too large for a link, which leaves the baseline out."
    )
    bench.edit("x", None, 0, 0, 2)
    assert marks(bench.page)[key("x", None, 0, 0)] == "up"
    assert "base=" not in bench.page.url
