"""The browsers that phones and other machines have: Firefox, and WebKit, which is on every iPhone. In the long run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator

import pytest

from mha_core import Trace, built_in, trace
from mha_core.compute.trace import Rows
from mha_view.page import as_page
from tests.apply import apply
from tests.e2e.test_rooms import WALL, opened
from tools.drive.other_browsers import BROWSERS, OtherBrowser, wait_until

pytestmark = pytest.mark.long

FIND = """((selector) => [document, ...[...document.querySelectorAll("*")].flatMap((node) => node.shadowRoot ?? [])]
    .map((root) => root.querySelector(selector)).find(Boolean))"""
"""Finds an element, in a component too."""


@pytest.fixture(params=BROWSERS, scope="module")
def page(request) -> Iterator[OtherBrowser]:
    start, programs = BROWSERS[request.param]
    missing = [program for program in programs if not shutil.which(program)]
    if missing:
        pytest.skip(f"{' and '.join(missing)} is not installed: tools/other_browsers.sh installs it")
    with start() as started:
        started.resize(1280, 900)
        yield started


@pytest.fixture(autouse=True)
def calm(page):
    """No script of the page fails. Streamlit's tries out WebAssembly, which our security policy forbids."""
    before = len(page.complaints())
    yield
    assert [text for text in page.complaints()[before:] if "WebAssembly" not in text] == []


def do(page: OtherBrowser, selector: str, action: str) -> None:
    """Call a method of an element once it is there."""
    wait_until(page, f"{FIND}({json.dumps(selector)})")
    page.evaluate(f"void {FIND}({json.dumps(selector)}).{action}")


def key(name: str, head: int | None, row: int, col: int) -> str:
    return f'td[data-key="{name}|{"" if head is None else head}|{row}|{col}"]'


def set_x(number: float) -> Trace:
    """The first example with another X[1, 1]."""
    edit = {"op": "set", "matrix": "x", "head": None, "row": 0, "col": 0, "values": [[number]]}
    return trace(apply(built_in("first"), edit))


def shows(page: OtherBrowser, name: str, head: int | None, rows: Rows) -> None:
    """Wait until a table shows these numbers, as its cells round them."""
    for row, numbers in enumerate(rows):
        for col, number in enumerate(numbers):
            text = json.dumps(f"{number:.4f}".replace("-", "−"))
            selector = json.dumps(key(name, head, row, col))
            wait_until(page, f"{FIND}({selector})?.textContent === {text}")


def type_seven(page: OtherBrowser) -> None:
    do(page, key("x", None, 0, 0), "focus()")
    page.press("7", "Enter")


def test_an_edit_is_followed_by_every_number(page, server):
    page.open(f"{server.url}?example=first")
    wait_until(page, f"""{FIND}('.bench[aria-busy="false"]')""")
    type_seven(page)
    for head in (0, 1):
        shows(page, "weights", head, set_x(7).values["weights"][head])
    shows(page, "concat", None, set_x(7).values["concat"])
    wait_until(page, f"""{FIND}('.bench[data-kept="true"]')""")
    shows(page, "concat", None, set_x(7).values["concat"])  # the server's


def test_the_tour_is_walked_by_keys(page, server):
    page.open(f"{server.url}walkthrough?example=first&step=q")
    do(page, '.walk[data-at="q"]', "focus()")
    for place in ("k", "v"):
        page.press("ArrowRight")
        wait_until(page, f"""{FIND}('.walk[data-at="{place}"]')""")
    page.press("ArrowDown")
    wait_until(page, f"""{FIND}('.walk[data-at="v 1"]')""")
    wait_until(page, f"{FIND}('.walk td[data-key^=\"v|\"]').textContent.trim() !== ''")


def test_a_phone_follows_and_tries_the_numbers(page, new_page, server):
    front, code = opened(new_page(viewport=WALL), server.url)
    page.resize(390, 844)
    page.open(f"{server.url}follow/{code}")
    wait_until(page, f"""{FIND}('.walk[data-at="q"]')""")
    front.press("ArrowRight").stands_at("k")
    wait_until(page, f"""{FIND}('.walk[data-at="k"]')""")
    do(page, ".try", "click()")
    do(page, key("x", None, 1, 0), "focus()")
    before = page.evaluate(f"{FIND}('td[data-key^=\"k|0|1|\"]').textContent")
    page.press("ArrowUp")
    wait_until(page, f"{FIND}('td[data-key^=\"k|0|1|\"]').textContent !== {json.dumps(before)}")
    wide = "[document.documentElement.scrollWidth, innerWidth]"
    width, window = page.evaluate(wide)
    assert width <= window
    page.resize(1280, 900)


def test_the_single_page_follows_an_edit_undoes_it_and_has_the_tour(page, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(as_page(trace(built_in("first"))), "utf-8")
    page.open(file.as_uri())
    type_seven(page)
    for head in (0, 1):
        shows(page, "weights", head, set_x(7).values["weights"][head])
    shows(page, "concat", None, set_x(7).values["concat"])
    do(page, "[data-focus=undo]:enabled", "click()")
    shows(page, "concat", None, trace(built_in("first")).values["concat"])
    do(page, "[data-focus=walk]", "click()")
    wait_until(page, f"{FIND}('.walk[data-at]')")
    at = page.evaluate(f"{FIND}('.walk').dataset.at")
    do(page, ".walk", "focus()")
    page.press("ArrowRight")
    wait_until(page, f"{FIND}('.walk').dataset.at !== {json.dumps(at)}")
