"""The page Check in a real browser: pasting, an exercise that is handed out, a telephone, the solutions of a class."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from mha_core import built_in, from_token, parse, trace
from mha_core.example.attempt import Attempt
from tests.e2e.looks import assert_no_barrier, assert_no_barrier_either
from tools.drive.browser import WAIT


def marks(bench):
    """Every marked cell's mark, by its key."""
    cells = bench.page.locator("td[data-mark]")
    return dict(cells.evaluate_all("all => all.map(({ dataset }) => [dataset.key, dataset.mark])"))


def paste(bench, name, head, text):
    """Paste a text at the first cell of a step."""
    bench.page.evaluate("text => navigator.clipboard.writeText(text)", text)
    bench.cell(name, head, 0, 0).focus()
    bench.page.keyboard.press("Control+V")
    bench.settled()


def rounded(rows, decimals=2):
    return [[f"{number:.{decimals}f}" for number in row] for row in rows]


@pytest.fixture
def check(visit):
    def opened(query="", **options):
        return visit(f"check{query}", permissions=["clipboard-read", "clipboard-write"], **options)

    return opened


def test_pasted_numbers_are_checked_and_the_right_ones_pasted_over_them(check):
    bench = check("?example=first")
    computed = trace(built_in("first"))
    paste(bench, "scaled_scores", 0, str(computed.matrix("scores", 0)))
    verdict = bench.page.locator(".verdict")
    expect(verdict).to_contain_text("The scores are not divided by √dk.")
    scaled = rounded(computed.matrix("scaled_scores", 0))
    rows = r"\\".join(" & ".join(row) for row in scaled)
    paste(bench, "scaled_scores", 0, rf"\begin{{bmatrix}}{rows}\end{{bmatrix}}")
    assert set(marks(bench).values()) == {"right"}
    expect(verdict).to_contain_text("All 9 numbers are right.")


CROSS = """td => {
    const [cross, cell] = [getComputedStyle(td, "::after"), getComputedStyle(td)];
    return [cross.content.includes("✗"), parseFloat(cross.fontSize) >= 12, cross.color === cell.color];
}"""


def test_the_cross_in_a_wrong_cell_is_as_easy_to_see_as_its_number(check):
    bench = check("?example=first")
    paste(bench, "scaled_scores", 0, str(trace(built_in("first")).matrix("scores", 0)))
    wrong = bench.page.locator('td:is([data-mark="own"], [data-mark="doubtful"])')
    assert wrong.first.evaluate(CROSS) == [True, True, True]


def test_the_check_and_its_verdict_have_no_barrier(check):
    bench = check("?example=published")
    expect(bench.page.locator(".verdict")).to_contain_text("No known mistake explains this.")
    assert_no_barrier(bench.page)


def test_a_text_that_is_no_number_is_outlined_and_a_long_number_leaves_its_column_as_wide_as_it_was(check):
    bench = check("?example=first")
    cell = bench.cell("v", 1, 0, 0)
    width = cell.bounding_box()["width"]
    size = cell.evaluate("td => parseFloat(getComputedStyle(td).fontSize)")
    assert width + 2 < 5.2 * size  # for which widths.js keeps room
    bench.type("v", 1, 0, 0, "abc")
    expect(cell.get_by_role("textbox")).to_have_css("outline-color", _fault(bench.page))
    bench.type("v", 1, 0, 0, "-12.3456")  # as long as a number with a mark beside it gets
    assert cell.bounding_box()["width"] == width
    line = bench.page.locator(".explain .line")
    expect(line).to_contain_text("wrong.")
    expect(line).to_be_in_viewport(ratio=1)


def _fault(page):
    """The colour of what is at fault, as the stylesheet has it."""
    return page.locator(".bench").evaluate(
        """bench => {
            const probe = bench.appendChild(document.createElement("i"));
            probe.style.color = "var(--wrong)";
            const { color } = getComputedStyle(probe);
            probe.remove();
            return color;
        }"""
    )


def test_an_exercise_is_set_and_its_link_gives_each_student_other_numbers(check):
    bench = check("?example=first").type("q", 0, 0, 0, "7")
    page = bench.page
    page.get_by_role("button", name="Exercise").click()
    page.get_by_role("button", name="scores", exact=True).click()
    expect(page.get_by_text("“scores” can be read off “scaled scores”")).to_be_visible()
    page.get_by_text("new numbers for each student").click()
    field = page.get_by_role("textbox", name="Link for students")
    expect(field).to_have_value(re.compile("seed=own"))
    link = field.input_value()
    page.get_by_role("button", name="Create the exercise").click()
    expect(page.locator(".practice-summary")).to_contain_text("Work out the blank numbers")
    expect(bench.cell("scores", 0, 0, 0)).to_be_focused()  # the menu is closed, and the exercise begins
    expect(bench.message()).to_contain_text("link is in the “Exercise” menu. Undo brings back")
    expect(bench.message()).to_be_in_viewport()
    page.get_by_role("button", name="Exercise", exact=True).click()
    expect(field).to_have_value(link)

    drawn = []
    for _ in range(2):
        student = check("?" + urlsplit(link).query)
        assert marks(student) == {}
        drawn.append(_example(student).x)
    assert drawn[0] != drawn[1]


def test_a_wrong_number_of_an_exercise_says_so_in_its_cell(check):
    bench = check("?example=first&ask=weights&seed=3")
    bench.type("weights", 0, 0, 0, "0.99")
    wrong = bench.page.locator("td[data-mark]")
    assert "wrong" in wrong.evaluate("td => getComputedStyle(td, '::before').content")


def test_other_pages_wait_until_an_exercise_is_over_and_lead_back_to_it(check):
    bench = check("?example=first&ask=weights&seed=3").type("weights", 0, 0, 0, "0.99")
    page = bench.page
    page.get_by_role("link", name="Step through", exact=True).click()
    expect(page.get_by_text("You are in the middle of an exercise")).to_be_visible()
    expect(page.locator(".walk")).to_have_count(0)
    page.get_by_role("link", name="Back to the exercise").click()
    expect(page.locator(".practice-summary")).to_contain_text("wrong")
    assert bench.settled().shown()["weights|0|0|0"] == "0.99"


def test_an_exercise_on_a_phone(check):
    bench = check(
        "?example=first&ask=weights.concat&seed=3&lang=zh",
        viewport={"width": 390, "height": 844},
        has_touch=True,
    )
    page = bench.page
    first = bench.cell("weights", 0, 0, 0).bounding_box()
    assert first["y"] + first["height"] < 760
    small = page.evaluate(
        """() => {
            const host = [...document.querySelectorAll("*")].find((e) => e.shadowRoot?.querySelector(".bench"));
            const every = host.shadowRoot.querySelectorAll("button, .claim td[data-key]");
            const boxes = [...every].filter((one) => one.checkVisibility()).map((one) => [one.textContent, one]);
            return boxes.map(([text, one]) => [text, one.getBoundingClientRect()])
                .filter(([, box]) => box.width < 44 || box.height < 44).map(([text]) => text);
        }"""
    )
    assert small == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    bench.do("whole sheet")
    assert page.locator(".tables").evaluate("tables => tables.scrollWidth <= tables.clientWidth")


def _example(bench):
    """The example in the address, once it is there."""
    bench.page.wait_for_function("() => new URLSearchParams(location.search).has('s')", timeout=WAIT)
    return from_token(parse_qs(urlsplit(bench.page.url).query)["s"][0])


@pytest.mark.long  # in short it is asked of the published example
def test_no_serious_barrier_in_an_exercise(check):
    assert_no_barrier(check("?example=causal&ask=weights&lang=zh").page)


def test_a_student_hands_in_a_file_with_a_name(check):
    page = check("?example=first&ask=weights&seed=17").page
    page.get_by_role("button", name="Hand in").click()
    page.get_by_role("textbox", name="Name or number").fill("Ada 1001")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    assert download.value.suggested_filename.endswith("-Ada-1001.mha.json")
    saved = parse(download.value.path().read_bytes())
    assert saved.asked == ("weights",)
    assert saved.attempt == Attempt("Ada 1001", 17)
    assert "Ada" not in page.url


WORKED = Path(__file__).parents[1] / "core" / "worked"


def test_the_solutions_of_a_class_are_uploaded_and_one_is_opened(check):
    page = check("?example=first", viewport={"width": 390, "height": 844}).page
    page.get_by_role("button", name="Class results").click()
    dialog = page.get_by_role("dialog", name="Class results")
    solution = WORKED / "catsleeps_two_heads.mha.json"
    broken = {"name": "<b>broken.mha.json", "mimeType": "application/json", "buffer": b"[1"}
    worked = {"name": solution.name, "mimeType": "application/json", "buffer": solution.read_bytes()}
    dialog.locator('input[type="file"]').set_input_files([broken, worked])
    rows = dialog.locator(".solutions tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first.locator("th")).to_have_text("<b>broken.mha.json")
    page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
    assert dialog.locator(".solutions").evaluate(
        """list => list.scrollWidth > list.clientWidth && list.getBoundingClientRect().right <= innerWidth"""
    )
    assert_no_barrier_either(page)
    with page.expect_download() as download:
        dialog.get_by_role("button", name="Table as CSV").click()
    lines = download.value.path().read_text("utf-8-sig").split("\n")
    assert lines[0].startswith("student,file,status,mark,max,asked,")
    assert lines[1].startswith(",<b>broken.mha.json,unreadable,")
    rows.last.get_by_role("button").click()
    expect(dialog).to_be_hidden()
    expect(page.locator(".verdict")).to_contain_text("4 of 28 numbers are wrong")
