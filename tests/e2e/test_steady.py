"""Nothing moves by itself: not while the page opens, and not above a number that is being dragged."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.test_live import X00, centre, drag, in_step
from tests.sizes import shortened
from tools.drive.browser import at_rest
from tools.drive.explore import Bench

SIZES = ((390, 844), (1280, 720), (1440, 900), (1920, 1080))
MOST = 0.05
SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""


OPENED = [(language, *size) for language in ("en", "zh") for size in SIZES]


@pytest.mark.parametrize(
    "opened",
    shortened(OPENED, [("zh", 390, 844), ("en", 1920, 1080)]),
    ids=str,
)
def test_the_bench_opens_without_anything_moving(server, browser, opened):
    language, width, height = opened
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.add_init_script(SHIFTS)
    Bench(page).open(f"{server.url}?lang={language}")
    at_rest(page)
    assert page.evaluate("window.shifted") <= MOST
    context.close()


def test_no_column_and_no_table_moves_while_a_number_is_dragged(visit):
    bench = visit("?example=programming").settled()
    cells = [
        X00,
        ("w_v", 2, 0, 0),
        ("scaled_scores", 1, 0, 2),
        ("weights", 2, 0, 2),
        ("head_outputs", 2, 0, 1),
    ]
    shown = [*cells, ("concat", None, 0, 5)]

    def places():
        return [(box["x"], box["width"]) for box in (bench.cell(*cell).bounding_box() for cell in shown)]

    before = places()
    x, y = centre(bench, *X00)
    drag(bench, 1, *X00)
    for steps in (-30, -9, 20, 3):  # −28, −7, 22 and 5: a sign comes and goes, and so do digits
        bench.page.mouse.move(x + 10 * steps, y)
        expect(bench.cell(*X00)).to_have_text(str(2 + steps).replace("-", "−"))
        in_step(bench)
        assert places() == before, steps
    bench.page.mouse.up()
    bench.settled()
    assert places() == before
    for width, height in SIZES[:2]:
        bench.page.set_viewport_size({"width": width, "height": height})
        assert_stays_under_the_pointer(bench.do("undo").settled())


def assert_stays_under_the_pointer(bench):
    """The dragged number keeps its place, though the sentence above it changes."""
    note = bench.page.locator(".bench .mha-note")
    before_drag = note.text_content()
    drag(bench, 1, *X00)
    before = bench.cell(*X00).bounding_box()["y"]
    x, y = centre(bench, *X00)
    bench.page.mouse.move(x - 40, y)
    assert in_step(bench).cell(*X00).bounding_box()["y"] == before
    bench.page.mouse.up()
    expect(note).not_to_have_text(before_drag)
    assert bench.settled().cell(*X00).bounding_box()["y"] == before


LOWEST = """() => {
  const root = [...document.querySelectorAll("*")].find((one) => one.shadowRoot?.querySelector(".bench")).shadowRoot;
  const foot = root.querySelector(".explain").getBoundingClientRect().top;
  const boxes = [...root.querySelectorAll(".editable td[data-key]")].map((td) => td.getBoundingClientRect());
  const low = boxes.filter(({ top }) => top + 6 < foot).toSorted((one, other) => other.top - one.top)[0];
  return [low.x + low.width / 2, Math.min(low.y + low.height / 2, foot - 3)];
}"""
"""The middle of the lowest number in sight, which the line of arithmetic may partly cover."""


@pytest.mark.parametrize("way", [(60, 0), (6, -90)], ids=["a number", "a selection"])
def test_a_drag_near_the_foot_of_a_low_window_does_not_scroll_the_page_under_the_pointer(visit, way):
    bench = visit("?example=causal", viewport={"width": 1280, "height": 720}).settled()
    page = bench.page
    main = page.locator(".stMain")
    main.evaluate("(main) => main.scrollTo(0, 300)")
    x, y = page.evaluate(LOWEST)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + way[0], y + way[1], steps=6)
    in_step(bench)
    assert main.evaluate("(main) => main.scrollTop") == 300
    page.mouse.up()
    bench.settled()
    assert main.evaluate("(main) => main.scrollTop") == 300
