"""A press on a label or on another word beside a control is one on that control or does nothing, on every page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from mha_core.messages import LANGUAGES
from tests.e2e.looks import long_texts
from tests.e2e.test_models import settled
from tests.sizes import shortened
from tools.drive.browser import at_rest, menu, wait_for, wait_until
from tools.drive.explore import Bench

WORDS = """() => {
    const CONTROLS = "input, select, textarea, [role=switch], [role=slider]";
    const ACTS = "button, a, select, textarea, summary, td, [role=button], [role=option], [contenteditable]";
    const ALIKE = "li:nth-child(n+3)";  // of a list's rows, which are all alike, two are enough
    const roots = [document, ...[...document.querySelectorAll("*")].map((node) => node.shadowRoot).filter(Boolean)];
    const open = roots.flatMap((root) => [...root.querySelectorAll(".folded-in:not([hidden])")])[0];
    const every = (names) => (open ? [open] : roots).flatMap((root) => [...root.querySelectorAll(names)]);
    const isOne = (line) => line?.querySelectorAll(CONTROLS).length === 1;
    const lines = every(CONTROLS).filter((control) => !control.closest("td")).map(({ parentElement: around }) =>
        isOne(around.parentElement) ? around.parentElement : around);
    const found = new Set();
    for (const zone of [...every("label"), ...lines]) {
        const walker = document.createTreeWalker(zone, NodeFilter.SHOW_TEXT);
        for (let text; (text = walker.nextNode()); ) {
            const of = text.parentElement, isSeen = of.checkVisibility({ visibilityProperty: true });
            if (isSeen && text.data.trim() && !of.closest(`${ACTS}, ${ALIKE}`)) found.add(text);
        }
    }
    return [...found];
}"""
"""The texts of all labels, and what else is written beside a control; where a menu is open, of that alone."""

PLACE = """(text) => {
    text.parentElement.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const range = document.createRange();
    range.selectNodeContents(text);
    const [{ left, top, width, height }] = range.getClientRects();
    return [left + width / 2, top + height / 2];
}"""

CHECKED = """(text) => {
    const box = text.parentElement.closest("label")?.control;
    return box?.type === "checkbox" && !box.disabled ? box.checked : null;
}"""
SETTLED = """([text, checked]) => {
    if (checked === null) return true;
    const isBusy = text.parentElement.closest(".bench")?.ariaBusy === "true";
    return !isBusy && text.parentElement.closest("label").control.checked === checked;
}"""


def press_every_word(page: Page) -> int:
    """Press each word beside a control, once, and that of a checkbox twice; how many there are."""
    plain = "data.replace(/\\d+/g, '#')"  # another model that was pressed has other counts
    texts = page.evaluate(f"() => ({WORDS})().map(({{ data }}) => {plain})")
    for at, text in enumerate(texts):
        word = f"({WORDS})().filter(({{ data }}) => {plain} === {json.dumps(text)})[{texts[:at].count(text)}]"
        wait_until(page, f"() => Boolean({word})")  # the press before may have drawn the page again
        checked = page.evaluate(f"() => ({CHECKED})({word})")
        for after in [None] if checked is None else [not checked, checked]:
            page.mouse.click(*page.evaluate(f"() => ({PLACE})({word})"))
            assert page.evaluate(f"() => Boolean({word})"), f"{text} is there no longer"
            wait_until(page, f"(checked) => ({SETTLED})([{word}, checked])", after)
    return len(texts)


def unfolded(page: Page) -> None:
    """Unfold what is folded in the page itself."""
    page.evaluate(
        """() => {
            for (const { shadowRoot } of document.querySelectorAll("*"))
                for (const button of shadowRoot?.querySelectorAll(".discloser[aria-expanded=false]") ?? [])
                    if (!button.closest(".fold")) button.click();
        }"""
    )


def bench_menu(name: str) -> Callable[[Page], None]:
    def opens(page: Page) -> None:
        Bench(page).settled()
        page.locator(f'[data-focus="fold {name}"]').click()

    return opens


def plan(page: Page) -> None:
    page.locator('[data-focus="own"]').click()
    unfolded(page)


def desk(page: Page) -> None:
    page.locator('[data-focus="room follow"]').click()
    wait_for(page, ".room-desk .discloser")


def models(page: Page) -> None:
    wait_for(page, ".card")
    settled(page)  # what the model guesses comes after its heads
    unfolded(page)


def exercise(page: Page) -> None:
    page.get_by_role("button", name=re.compile("Exercise|练习")).click()
    at_rest(page)


PAGES: dict[str, tuple[str, Callable[[Page], None], int]] = {
    "the menu Layer": ("", bench_menu("layer"), 18),
    "the menu View": ("", bench_menu("view"), 4),
    "the menu of the page": ("", menu, 1),
    "Step through and its plan": ("walkthrough?step=scores", plan, 10),
    "the presenter's page": ("walkthrough?step=scores&view=presenter", desk, 3),
    "Real models": ("models?text=The+cat+sat+on+the+mat.", models, 5),
    "Check and its exercise": ("check", exercise, 4),
    "Compare": ("experiments", at_rest, 1),
    "Notation": ("conventions", at_rest, 1),
    "Learn": ("lessons", at_rest, 4),
    "the telephone's page": ("follow/", lambda _page: None, 1),
}
"""Each page: its address, how its controls are unfolded, and how many words there are at least."""


ALIKE = {"Compare", "Notation", "Learn"}
"""Pages with no controls but Streamlit's, and those of the menus."""


@pytest.mark.parametrize("language", shortened(LANGUAGES, ["zh"]))
@pytest.mark.parametrize("name", shortened(PAGES, PAGES.keys() - ALIKE))
def test_texts_to_press_are_short_and_a_press_beside_a_control_keeps_the_page_and_toggles_a_checkbox(
    server, new_page, name, language
):
    path, opens, least = PAGES[name]
    page = new_page()
    page.goto(f"{server.url}{path}{'&' if '?' in path else '?'}lang={language}")
    if not path.startswith("follow"):
        at_rest(page)
    opens(page)
    assert long_texts(page) == []
    assert press_every_word(page) >= least


def test_escape_folds_a_menu_of_which_a_word_was_pressed_and_its_button_has_the_focus(visit):
    bench = visit()
    bench_menu("layer")(bench.page)
    bench.page.locator(".folded-in").get_by_text("a number added to each column").click()
    bench.page.keyboard.press("Escape")
    expect(bench.page.locator(".folded-in:visible")).to_have_count(0)
    expect(bench.page.locator('[data-focus="fold layer"]')).to_be_focused()
