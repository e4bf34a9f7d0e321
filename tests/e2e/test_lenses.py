"""Lenses in real Chromium: a link brings them back, the keyboard chooses them, and they are for everybody."""

from __future__ import annotations

from itertools import product

import pytest
from playwright.sync_api import Page, expect

from mha_core import Example, built_in, to_token, trace
from mha_core.compare.diff import changes
from tests.apply import apply
from tests.e2e.looks import assert_no_barrier, wider
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
    """The sign of every changed cell, by the cell's key."""
    return {
        key(name, head, i, j): "new" if by is None else "up" if by > 0 else "down"
        for (name, head), change in changes(trace(now), trace(before)).items()
        for i, row in enumerate(change.by)
        for j, by in enumerate(row)
        if by != 0
    }


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


def test_a_lens_is_chosen_by_keyboard_and_pinning_a_baseline_keeps_it(visit):
    bench = visit("?example=first")
    page = bench.page

    def tab_to(name: str) -> None:
        for _ in range(20):
            page.keyboard.press("Tab")
            if focused(page).get("focus") == name:
                return
        pytest.fail(f"Tab never came to {name}")

    page.locator('[data-focus="fold view"]').focus()
    page.keyboard.press("Enter")
    tab_to("lens")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    bench.settled()
    expect(page.locator('[data-focus="lens"]')).to_have_value("gradient")
    tab_to("baseline")
    page.keyboard.press("Enter")
    bench.settled()
    expect(page.locator('[data-focus="lens"]')).to_have_value("gradient")
    expect(page.locator("td[data-lens=target]")).to_have_attribute("data-key", "concat||0|0")


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
