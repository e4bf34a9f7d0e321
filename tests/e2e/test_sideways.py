"""Eight heads are wider than any screen: as many are shown as fit, and what belongs to all of them stays in sight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce

import pytest
from playwright.sync_api import expect

from mha_core import Head, built_in, to_token
from tests.apply import apply
from tests.e2e.looks import wider
from tests.sizes import shortened

SCREENS = [(390, 844), (1280, 800)]
EDITS: list[Mapping[str, object]] = [
    *({"op": "add_head"} for _ in range(6)),
    {"op": "w_o", "on": True},
    {"op": "context", "on": True},
    {"op": "mask", "kind": "causal"},
]
EIGHT_HEADS = reduce(apply, EDITS, built_in("first"))
OF_THE_LAYER = ("x", "context", "mask", "concat", "w_o", "output")


def figure(bench, name, head=""):
    return bench.page.locator(f'.matrix:has(table[data-matrix="{name}"][data-head="{head}"])')


def assert_in_sight(bench, name):
    """The whole width of the matrix's figure is on the screen, and of its table what the figure shows."""
    shown = figure(bench, name)
    shown.scroll_into_view_if_needed()
    box = shown.bounding_box()
    width = bench.page.viewport_size["width"]
    assert box["x"] >= 0, (name, box)
    assert box["x"] + box["width"] <= width, (name, box)


def test_of_heads_as_wide_as_a_models_as_many_are_shown_as_fit(visit):
    """Two heads of 32 columns with four decimals each: in a small window one is shown, on a laptop both are."""
    rows = tuple(tuple(round(-0.9 + 0.0531 * (i + j), 4) for j in range(32)) for i in range(3))
    wide = replace(built_in("first"), x=None, heads=(Head(q=rows, k=rows, v=rows),) * 2, note=None)
    bench = visit(f"?s={to_token(wide)}", viewport={"width": 800, "height": 720})
    for width, heads in ((800, 1), (1280, 2)):
        bench.page.set_viewport_size({"width": width, "height": 900})
        expect(bench.page.locator(".head-title")).to_have_count(heads)
        tables = bench.page.locator(".tables")
        for last in bench.page.locator(".stage").all():
            last.scroll_into_view_if_needed()
        assert tables.evaluate("(node) => node.scrollWidth <= node.clientWidth + 1"), width


@pytest.mark.parametrize("size", shortened(SCREENS, SCREENS[:1]), ids=str)
def test_what_belongs_to_all_heads_stays_in_sight_and_a_table_wider_than_a_telephone_keeps_its_labels(
    visit, size
):
    width, height = size
    bench = visit(f"?s={to_token(EIGHT_HEADS)}", viewport={"width": width, "height": height})
    tables = bench.page.locator(".tables")
    far = tables.evaluate("(node) => { node.scrollLeft = node.scrollWidth; return node.scrollLeft; }")
    assert far < 20  # of eight heads as many are shown as fit: on a telephone one
    for name in OF_THE_LAYER:
        assert_in_sight(bench, name)
    for title in bench.page.locator(".stage-title:not(:empty)").all():
        box = title.bounding_box()
        assert box["x"] >= 0
        assert box["x"] < width / 2
    bench.do("show head 7")
    last = figure(bench, "q", 7)
    last.scroll_into_view_if_needed()
    assert last.bounding_box()["x"] >= 0
    tables.evaluate("(node) => (node.scrollLeft = 0)")
    for name in OF_THE_LAYER:
        assert_in_sight(bench, name)
    assert wider(bench.page) == []
    if width == SCREENS[0][0]:
        assert_scrolls_by_itself(bench, width)


def assert_scrolls_by_itself(bench, width):
    """The table of Concat, wider than the screen: its last cell comes into view, its labels stay, all else stays."""
    table = bench.page.locator('table[data-matrix="concat"]')
    assert table.bounding_box()["width"] > width
    before = bench.page.locator(".tables").evaluate("(node) => node.scrollLeft")
    last = bench.cell("concat", None, 0, 15)
    last.focus()
    box = last.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    label = table.locator("tbody th").first.bounding_box()
    assert label["x"] >= 0
    assert label["x"] + label["width"] <= box["x"]
    assert bench.page.locator(".tables").evaluate("(node) => node.scrollLeft") == before
