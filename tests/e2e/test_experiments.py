"""The experiments in a real browser: the board, its marks, its keyboard, its links."""

from __future__ import annotations

from itertools import product

import pytest
from playwright.sync_api import Locator, Page, expect

from mha_core import built_in, to_token, trace
from mha_core.compare.diff import compare
from mha_core.compare.variant import Variant, varied, written
from mha_core.compute.derive import Cell
from mha_core.compute.gradients import gradients
from mha_core.compute.head_terms import head_terms
from mha_core.messages import LANGUAGE
from mha_ui.experiments import EXPERIMENTS
from mha_view.language import LANGUAGES, words_in
from tests.apply import apply
from tests.e2e.looks import rules, schemes, violations, wider, widths
from tests.sizes import shortened
from tools.drive.browser import WAIT, at_rest, picture, wait_for
from tools.drive.explore import Bench


@pytest.fixture
def experiment(server, new_page):
    """Open an experiment as a new visitor."""

    def opened(
        name: str, right: Variant | None = None, query: str = "example=output-projection", **options
    ) -> Page:
        page = new_page(**options)
        variant = "" if right is None else f"&variant=~~{written(right)}"
        page.goto(f"{server.url}experiments?{query}&experiment={name}{variant}")
        return settled(page)

    return opened


def settled(page: Page) -> Page:
    wait_for(page, ".bench .tables > *")
    at_rest(page)
    return page


def cell(page: Page, name: str, head: int | None, row: int, col: int, side: int = 0) -> Locator:
    return page.locator(f'td[data-key="{name}|{"" if head is None else head}|{row}|{col}"]').nth(side)


def marked(page: Page) -> dict[str, str]:
    """Direction of every number that is marked as different, by its cell."""
    return page.evaluate(
        """() => {
            const host = [...document.querySelectorAll("*")].find((e) => e.shadowRoot?.querySelector(".board"));
            const cells = [...host.shadowRoot.querySelectorAll("td[data-change]")];
            return Object.fromEntries(cells.map((td) => [td.dataset.key, td.dataset.change]));
        }"""
    )


def choose(page: Page, label: str, option: str, side: str = "") -> None:
    """Choose in one of Streamlit's menus."""
    scope = page.locator(f".st-key-experiment-{side}") if side else page
    menu = scope.get_by_role("combobox", name=label)
    menu.scroll_into_view_if_needed()
    page.evaluate(
        "() => new Promise((scrolled) => requestAnimationFrame(() => requestAnimationFrame(scrolled)))"
    )
    menu.click()  # the list closes when the page scrolls
    page.get_by_role("option", name=option, exact=True).click()


# --- two variants --------------------------------------------------------------------------------------------------


def test_two_variants_are_compared_every_difference_is_marked_and_a_side_is_opened_on_the_bench(experiment):
    page = experiment("sides", Variant(mask="causal"))
    before = trace(built_in("output-projection"))
    after = trace(varied(built_in("output-projection"), Variant(mask="causal")))
    found = [d for d in compare(before, after) if d.kind == "changed" and d.head in (0, None)]
    expected = {
        f"{d.name}|{'' if d.head is None else d.head}|{i}|{j}": "up" if by > 0 else "down"
        for d in found
        for i, row in enumerate(d.change.by)
        for j, by in enumerate(row)
        if by
    }
    assert marked(page) == expected
    expect(page.locator("td[data-change]").first).to_have_css("position", "relative")  # for its sign
    expect(page.get_by_text("Everything before the")).to_be_visible()
    page.get_by_role("radio", name="Scoring").click()
    expect(page.locator(".side-title").last).to_have_text("Dot product, not scaled")
    page.get_by_role("button", name="Both sides").click()
    choose(page, "Mask", "causal mask", side="right")
    page.keyboard.press("Escape")
    choose(page, "Scoring", "additive")
    expect(page.locator(".side-title").last).to_have_text("Additive scoring · causal mask")
    page.wait_for_function("() => location.search.includes('scoring-additive')")
    page.get_by_role("button", name="Open in Explore").click()
    bench = Bench(page).settled()
    expect(page.locator('td[data-key="mask||0|1"]')).to_have_text("✕")
    bench.do("undo")
    expect(page.locator('td[data-key="mask||0|1"]')).to_have_count(0)


def test_a_board_is_walked_with_the_keyboard_alone_stands_on_a_telephone_too_and_explains_both_sides(
    experiment,
):
    page = experiment("sides", Variant(scoring="dot"))
    is_walked_with_the_keyboard(page)
    page.set_viewport_size({"width": 390, "height": 800})
    expect(page.locator(".stacked")).to_be_attached()
    left, right = (cell(page, "weights", 0, 0, 0, side).bounding_box() for side in (0, 1))
    assert abs(left["x"] - right["x"]) < 40
    assert right["y"] > left["y"]
    page.set_viewport_size({"width": 840, "height": 800})
    expect(page.locator(".stacked")).not_to_be_attached()
    left, right = (cell(page, "weights", 0, 0, 0, side).bounding_box() for side in (0, 1))
    assert left["y"] == right["y"]
    assert right["x"] > left["x"] + left["width"]
    left, right = (cell(page, "concat", None, 0, 0, side).bounding_box() for side in (0, 1))
    assert right["y"] > left["y"]  # its four columns have no room there
    page.set_viewport_size({"width": 1280, "height": 800})
    explains_both_sides(page)


@pytest.mark.parametrize("name", ["sides", "mistakes"])
def test_what_differs_is_seen_without_scrolling(experiment, name):
    page = experiment(name, query="example=programming", viewport={"width": 1280, "height": 800})
    weights = page.locator("td[data-change]")
    expect(weights.first).to_be_in_viewport(ratio=1)
    assert weights.nth(8).bounding_box()["y"] < page.locator(".board-foot").bounding_box()["y"]


def is_walked_with_the_keyboard(page):
    cell(page, "weights", 0, 0, 0, side=1).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(cell(page, "weights", 0, 1, 1, side=1)).to_be_focused()
    expect(page.locator(".board [role=status]")).to_contain_text("differs by −")
    expect(cell(page, "weights", 0, 1, 1, side=1)).to_have_attribute("aria-description", "differs by −0.0323")
    page.keyboard.press("Enter")
    page.mouse.move(5, 5)
    page.locator(".board-bar input").focus()
    expect(page.locator(".board-foot .line").nth(1)).to_contain_text("A[2, 2] of head 1 (like → like)")


def test_the_chosen_head_keeps_its_color(experiment):
    page = experiment("sides", Variant(scoring="dot"))
    chosen = page.get_by_role("button", name="Head 2", exact=True)
    chosen.click()
    expect(chosen).to_have_attribute("aria-pressed", "true")
    line = """(node) => {
        const probe = node.appendChild(document.createElement("i"));
        probe.style.color = "var(--accent)";
        return [getComputedStyle(node).borderBottomColor, getComputedStyle(probe).color];
    }"""
    found, own = chosen.evaluate(line)
    assert found == own


def explains_both_sides(page):
    """A number that is pointed at; heads and what is shown are chosen."""
    cell(page, "weights", 0, 0, 2, side=1).hover()
    lines = page.locator(".board-foot .line")
    expect(lines.nth(0)).to_contain_text("softmax(S/√dk)")
    expect(lines.nth(0)).to_contain_text("0.5760")
    expect(lines.nth(1)).to_contain_text("softmax(S) = e3 ÷ (e1 + e2 + e3) ≈ 0.6652")
    expect(page.locator(".delta")).to_have_text("differs by +0.0893")
    cell(page, "scaled_scores", 0, 0, 0).hover()
    expect(lines.nth(1)).to_have_text("there is no such number here")
    expect(cell(page, "weights", 0, 0, 0)).to_be_visible()
    expect(page.locator('td[data-key^="q|"]')).to_have_count(0)
    page.get_by_role("button", name="Head 2").click()
    expect(cell(page, "weights", 1, 0, 0)).to_be_visible()
    expect(page.locator('td[data-key^="weights|0"]')).to_have_count(0)
    page.get_by_label("Only what differs").uncheck()
    expect(cell(page, "q", 1, 0, 0, side=1)).to_be_visible()


# --- the other experiments -----------------------------------------------------------------------------------------


def test_a_head_is_muted_and_the_output_changes_by_its_term(experiment):
    page = experiment("heads")
    full = trace(built_in("output-projection"))
    terms = head_terms(full).head_terms
    expect(cell(page, "head_terms", 1, 0, 1)).to_have_text(f"{terms[1][0][1]:.4f}")
    cell(page, "output", None, 0, 1).hover()
    expect(page.locator(".board-foot .line")).to_contain_text("head1·WO1 + head2·WO2 + bO = ")
    page.get_by_role("button", name="Head 2", exact=True).click()
    left = full.values["output"][0][1] - terms[1][0][1]
    expect(cell(page, "output", None, 0, 1)).to_have_text(f"{left:.4f}".replace("-", "−"))
    expect(cell(page, "head_outputs", 1, 0, 0)).to_have_text("0")
    expect(cell(page, "output", None, 0, 1)).to_have_attribute("data-change", "down")
    expect(cell(page, "head_terms", 1, 0, 1)).to_have_attribute("data-change", "down")
    page.wait_for_function("() => location.search.includes('muted-1')")
    expect(page.get_by_text("Without head 2: 6 of 6 output numbers change")).to_be_visible()


def test_tokens_in_another_order_find_their_counterparts(experiment):
    page = experiment("order", Variant(order=(2, 0, 1)), query="example=programming")
    assert marked(page) == {}
    expect(page.get_by_text("Attention by itself does not know the order")).to_be_visible()
    cell(page, "weights", 0, 0, 0, side=1).hover()
    expect(page.locator(".board-foot .line").nth(0)).to_contain_text("(programming → programming)")
    expect(page.locator(".delta")).to_have_text("the same")
    choose(page, "Positions, on both sides", "rotary positions")
    expect(page.get_by_text("something here depends on position")).to_be_visible()
    expect(page.locator("td[data-change]").first).to_be_visible()


def test_the_temperature_is_turned_with_the_keyboard_and_numbers_follow_before_it_is_let_go(experiment):
    page = experiment("temperature", Variant(temperature=1.0), query="example=programming")
    slider = page.get_by_role("slider")
    slider.focus()
    slider.press("ArrowRight")
    expect(page.locator(".side-title").last).to_have_text("T = 2")
    page.wait_for_function("() => location.search.includes('temperature-2.0')")
    hot = trace(varied(built_in("programming"), Variant(temperature=2.0)))
    expect(cell(page, "weights", 0, 0, 0, side=1)).to_have_text(f"{hot.values['weights'][0][0][0]:.4f}")
    slider.press("ArrowLeft")
    page.wait_for_function("() => location.search.includes('temperature-1.0')")
    settled(page)
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    for share in (0.6, 0.75, 0.9, 0.999):
        page.mouse.move(box["x"] + box["width"] * share, middle)
    hot = trace(varied(built_in("programming"), Variant(temperature=32.0)))
    weight = cell(page, "weights", 0, 0, 0, side=1)
    expect(weight).to_have_text(f"{hot.values['weights'][0][0][0]:.4f}")
    expect(weight).to_have_attribute("data-change", "down")
    expect(page.locator(".side-title").last).to_have_text("T = 32")
    assert "temperature-1.0" in page.url  # the page follows when it is let go
    page.mouse.up()
    page.wait_for_function("() => location.search.includes('temperature-32.0')")
    differs = compare(trace(built_in("programming")), hot)
    expect(page.locator("td[data-change]")).to_have_count(
        sum(one.change.changed for one in differs if one.head in (0, None))
    )


def test_a_published_mistake_is_seen_and_the_check_names_it(experiment):
    page = experiment("mistakes")
    choose(page, "Mistake", "Softmax without scaling")
    expect(page.get_by_text("The scores 12, 0 and 4 are not divided by")).to_be_visible()
    cell(page, "scaled_scores", 0, 0, 0, side=1).hover()
    expect(page.locator(".board-foot .line").nth(0)).to_contain_text("12 ÷ 4 = 3")
    expect(page.locator(".board-foot .line").nth(1)).to_contain_text(" = S = 12")
    page.get_by_role("button", name="What would the check say?").click()
    expect(page.locator(".verdict.wrong")).to_contain_text("The scores are not divided by √dk.", timeout=WAIT)


def test_the_tables_of_both_sides_are_arranged_alike(experiment):
    """Also where all numbers of one side have the sign of a difference."""
    page = experiment("mistakes")
    expect(cell(page, "scaled_scores", 0, 0, 0, side=1)).to_be_visible()
    boxes = page.locator(".sides .side-stage").evaluate_all(
        """(stages) => stages.map((stage) => [...stage.querySelectorAll("figure")].map((figure) => {
            const [at, box] = [stage, figure].map((node) => node.getBoundingClientRect());
            return [box.x - at.x, box.y - at.y].map(Math.round);
        }))"""
    )
    assert len(boxes) > 2
    assert boxes[::2] == boxes[1::2]


def test_gradients_are_painted_and_another_number_is_chosen(experiment):
    page = experiment("gradients")
    cell(page, "weights", 1, 0, 2).click()
    Bench(page).settled()
    found = gradients(trace(built_in("output-projection")), Cell("weights", 1, 0, 2))
    signs = {(i, j): by for i, row in enumerate(found["w_q"][1]) for j, by in enumerate(row) if by}
    assert signs
    for (i, j), by in signs.items():
        expect(cell(page, "w_q", 1, i, j)).to_have_attribute("data-lens", "plus" if by > 0 else "minus")
    expect(page.locator(".bench .legend")).to_contain_text("Gradient of A[1, 3] of head 2")
    picture(page, "saturation")
    page.wait_for_function("() => location.search.includes('cell=weights.1.0.2')")


def test_an_edit_is_told_step_by_step_from_the_baseline(experiment):
    page = experiment("baseline")
    bench = Bench(page).settled().edit("x", None, 0, 1, 3)
    expect(cell(page, "x", None, 0, 1)).to_have_attribute("data-lens", "up")
    expect(page.locator(".bench .legend")).to_contain_text(
        "Since the baseline: X[1, 2] 0 → 3; the change starts at Q"
    )
    page.wait_for_function("() => location.search.includes('base=')")
    bench.do("baseline")  # pinned again
    expect(page.locator(".bench .legend")).to_contain_text("Nothing differs from the baseline yet")
    expect(cell(page, "x", None, 0, 1)).to_have_text("3")


def test_keys_of_another_head_are_compared_where_they_stand(experiment):
    page = experiment("sides", Variant(kv_heads=1), query="example=programming")
    page.get_by_role("button", name="Head 2", exact=True).click()
    cell(page, "k", 0, 2, 1).hover()
    lines = page.locator(".board-foot .line")
    expect(lines.nth(0)).to_contain_text("K[3, 2] of head 2 (programming) = X·WK")
    expect(lines.nth(1)).to_contain_text("K[3, 2] of head 1 (programming) = X·WK")
    expect(page.locator(".delta")).to_have_text("differs by +1")
    expect(cell(page, "k", 0, 2, 1)).to_have_attribute("data-change", "up")


# --- links, words, looks -------------------------------------------------------------------------------------------


def test_a_side_that_cannot_be_is_said_and_nothing_is_lost(experiment):
    odd = apply(built_in("output-projection"), {"op": "resize", "axis": "d_k", "size": 3})
    page = experiment("sides", Variant(positions="rotary"), query=f"s={to_token(odd)}")
    expect(page.locator(".mha-message")).to_contain_text("d_k must be even; got 3")
    expect(page.get_by_text("No number differs.").first).to_be_visible()


def test_tokens_are_never_markup_and_no_experiment_is_wider_than_its_screen(experiment):
    token = "<img src=x onerror=alert(1)>"
    named = apply(
        built_in("programming"), {"op": "rename_token", "which": "tokens", "index": 0, "text": token}
    )
    page = experiment("baseline", query=f"s={to_token(named)}")
    for name, shown in EXPERIMENTS.items():
        page.get_by_role("radio", name=shown.title, exact=True).click()
        page.wait_for_function("(name) => location.search.includes(`experiment=${name}`)", arg=name)
        settled(page)
        expect(page.locator(".bench img, .stMain img")).to_have_count(0)
        for width in widths(page):
            assert wider(page) == [], (name, width)
        page.set_viewport_size({"width": 1280, "height": 800})


ON_A_BOARD = (("sides", "en"), ("temperature", "zh"))
"""The whole of its two sides, and its slider; of the bench axe is asked through its lenses."""


@pytest.mark.parametrize(
    "cases", shortened([ON_A_BOARD, tuple(product(EXPERIMENTS, LANGUAGES))], [ON_A_BOARD]), ids=len
)
def test_every_experiment_is_accessible_and_no_wider_than_its_screen(experiment, cases):
    page = experiment(cases[0][0], query="example=output-projection&lang=en")
    for name, language in cases:
        page.get_by_role("radio", name=LANGUAGE[language].short, exact=True).click()
        page.wait_for_function(
            "(language) => document.documentElement.lang === language", arg=LANGUAGE[language].tag
        )
        page.get_by_role("radio", name=words_in(language)(EXPERIMENTS[name].title), exact=True).click()
        page.wait_for_function("(name) => location.search.includes(`experiment=${name}`)", arg=name)
        settled(page)
        for scheme in schemes(page):
            asked = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]} | rules(scheme)
            assert violations(page, **asked) == [], (name, language, scheme)
        for width in widths(page):
            assert wider(page) == [], (name, language, width)
        page.set_viewport_size({"width": 1280, "height": 800})
