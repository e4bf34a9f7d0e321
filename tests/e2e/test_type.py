"""What every page has in common: its address opens it, one heading, its title, and no text smaller than 12 px."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from mha_core.messages import LANGUAGES
from mha_ui import shell
from mha_ui.experiments import EXPERIMENTS
from mha_ui.lessons import LESSONS
from mha_view.language import words_in
from tests.e2e.looks import widths
from tests.sizes import shortened, turns
from tools.drive.browser import WAIT, at_rest, picture

SMALL = Path(__file__).with_name("small_text.js").read_text(encoding="utf-8").rstrip().removesuffix(";")
PAGES = [
    *((script, "") for script in shell.PAGES),
    *shortened([], [(shell.LESSONS, f"lesson={topic}") for topic in LESSONS]),
    *shortened([], [(shell.EXPERIMENTS, f"experiment={name}") for name in EXPERIMENTS]),
]
SCROLL = """async () => {
    const main = document.querySelector(".stMain");
    for (let y = 0; y < main.scrollHeight; y += 500) {
        main.scrollTop = y;
        await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
    }
    main.scrollTop = 0;
}"""
"""What is not in view is not drawn yet."""


@pytest.mark.parametrize(("page_at", "language"), turns(PAGES, list(LANGUAGES)))
def test_a_page_opens_with_one_heading_its_title_and_no_text_below_12_px(server, new_page, page_at, language):
    script, query = page_at
    name = "" if script == shell.BENCH else script.removesuffix(".py")
    page = new_page()
    page.goto(f"{server.url}{name}?lang={language}&{query}")
    heading = page.locator("h1")
    expect(heading).to_have_text(words_in(language)(shell.PAGES[script]), timeout=WAIT)
    words = words_in(language)
    expect(page).to_have_title(f"{words(shell.PAGES[script])} · {words('Multi-head attention')}")
    at_rest(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    page.evaluate(SCROLL)
    for width in widths(page, (390, 1280)):
        if script == shell.BENCH:
            picture(page, "weights")
        at_rest(page)
        assert page.evaluate(SMALL) == [], width
