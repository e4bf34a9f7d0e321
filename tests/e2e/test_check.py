"""Check in a real browser: paste, find, fix, all green; an exercise solved from a link; wrong input."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from mha_core import built_in, from_token, parse, trace
from mha_core.check.check import check as find
from mha_core.check.summary import summary
from tests.e2e.looks import assert_no_barrier, assert_no_barrier_either
from tests.sizes import at_length
from tools.drive.browser import WAIT, at_rest, wait_for


def marks(bench):
    """Every marked cell's mark by key."""
    return bench.page.evaluate(
        """() => {
            const host = [...document.querySelectorAll("*")].find((e) => e.shadowRoot?.querySelector(".bench"));
            const cells = [...host.shadowRoot.querySelectorAll("td[data-mark]")];
            return Object.fromEntries(cells.map((cell) => [cell.dataset.key, cell.dataset.mark]));
        }"""
    )


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


def test_paste_find_fix_all_green(check):
    bench = check("?example=first")
    expect(bench.page.locator(".verdict")).to_contain_text("Fill in your own numbers")
    computed = trace(built_in("first"))
    scaled = computed.matrix("scaled_scores", 0)
    unscaled = computed.matrix("scores", 0)
    paste(bench, "scores", 0, "\n".join("\t".join(f"{n:.2f}" for n in row) for row in unscaled))
    assert set(marks(bench).values()) == {"right"}
    paste(bench, "scaled_scores", 0, str([[round(n, 2) for n in row] for row in unscaled]))
    verdict = bench.page.locator(".verdict")
    expect(verdict).to_contain_text("The scores are not divided by √d_k.".replace("_k", "k"))
    expect(verdict.locator("dd.right")).to_be_hidden()  # the place and the kind of mistake first
    verdict.get_by_text("Show the solution").click()
    expect(verdict.locator("dd.right")).to_contain_text("÷")
    assert marks(bench)["scaled_scores|0|0|0"] == "own"
    link = verdict.get_by_role("link", name="See this step").get_attribute("href")
    assert link.startswith("walkthrough?")
    assert parse_qs(urlsplit(link).query)["step"] == ["scaled_scores"]
    verdict.get_by_role("button", name="Look here first").click()
    wrong = bench.cell("scaled_scores", 0, 0, 0)
    expect(wrong.get_by_role("spinbutton")).to_be_focused()
    written = wrong.text_content()
    wrong.hover()
    bench.page.mouse.wheel(0, 100)  # the wheel moves no number that somebody wrote
    expect(wrong).to_have_text(written)
    paste(
        bench,
        "scaled_scores",
        0,
        r"\begin{bmatrix}" + r"\\".join(" & ".join(row) for row in rounded(scaled)) + r"\end{bmatrix}",
    )
    assert set(marks(bench).values()) == {"right"}
    expect(verdict).to_contain_text("All 18 numbers are right.")


def test_what_follows_is_told_from_what_is_wrong_by_itself(check):
    bench = check("?example=water&lang=zh")
    computed = trace(built_in("water"))
    weights = computed.matrix("weights", 0)
    wrong = [row[:] for row in weights]
    wrong[0][0] += 0.2
    values = computed.matrix("v", 0)
    outputs = [
        [sum(a * v for a, v in zip(row, col, strict=True)) for col in zip(*values, strict=True)]
        for row in wrong
    ]
    paste(bench, "weights", 0, "\n".join("\t".join(row) for row in rounded(wrong, 3)))
    paste(bench, "head_outputs", 0, "\n".join("\t".join(row) for row in rounded(outputs, 3)))
    found = marks(bench)
    assert found["weights|0|0|0"] == "own"
    assert found["weights|0|0|1"] == "right"
    assert {mark for key, mark in found.items() if key.startswith("head_outputs")} <= {"follows", "right"}
    assert "follows" in found.values()
    expect(bench.page.locator(".verdict")).to_contain_text("每一行之和都是 1")
    bench.cell("weights", 0, 0, 0).hover()
    expect(bench.page.locator(".explain .verdict-mark")).to_have_text(re.compile("错。 ?$"))


def test_the_published_example_cannot_be_trusted_and_nobody_meets_a_barrier(check):
    bench = check("?example=published")
    verdict = bench.page.locator(".verdict")
    expect(verdict).to_contain_text("No known mistake explains this.")
    expect(verdict).to_contain_text("the row sums to 0.0442")
    assert_no_barrier(bench.page)
    line = bench.page.locator(".explain .line")
    bench.cell("k", 0, 1, 0).hover()
    expect(line).to_contain_text("Show the solution")
    expect(line).not_to_contain_text("3·1 + 4·1 = 7")
    bench.cell("k", 0, 1, 0).click()
    line.get_by_role("button", name="Show the solution").click()
    expect(line).to_contain_text("3·1 + 4·1 = 7")
    bench.cell("k", 0, 1, 1).click()
    expect(line).not_to_contain_text("right:")
    bench.page.keyboard.press("?")  # the same by keyboard, which enters nothing
    expect(line).to_contain_text("right:")


REFUSED = {
    "1 2\n3 x": "row 2, column 2: “x” is no number",
    "[[1, 2], [3]]": "row 2 has 1 cells, the longest row has 2",
    "1 2 3\n4 5 6": "expected 3 × 2, got 2 × 3",
    "<b>1</b>": "there is no number in this text",
}


def test_what_is_no_number_is_marked_or_refused_with_a_sentence_and_a_cleared_one_goes(check):
    bench = check("?example=first")
    cell = bench.cell("v", 1, 0, 0)
    width = cell.bounding_box()["width"]
    size = cell.evaluate("td => parseFloat(getComputedStyle(td).fontSize)")
    assert width + 2 < 5.2 * size  # for which widths.js keeps room
    bench.type("v", 1, 0, 0, "abc")
    expect(bench.message()).to_have_text(re.compile("“abc” is no number. It counts as blank.$"))
    expect(cell).to_have_attribute("aria-invalid", "true")
    expect(cell.get_by_role("textbox")).to_have_css("outline-color", _red(bench.page))
    bench.cell("v", 1, 0, 1).click()
    expect(cell).to_have_attribute("aria-invalid", "true")
    expect(cell).to_have_text("abc")
    bench.type("v", 1, 0, 0, "-12.3456")  # as long as a number with a mark beside it gets
    assert marks(bench) == {"v|1|0|0": "own"}
    assert cell.get_attribute("aria-invalid") is None
    assert cell.bounding_box()["width"] == width
    line = bench.page.locator(".explain .line")
    bench.page.mouse.move(0, 0)  # the focus is at the next one, which is blank
    expect(line).to_have_text(re.compile(r"^V\[1, 1\] of head 2 .* wrong\. "))
    expect(line).to_be_in_viewport(ratio=1)
    bench.page.keyboard.press("ArrowDown")
    expect(line).to_have_text(re.compile(r"^V\[3, 1\] of head 2 "))
    cell.focus()
    bench.page.keyboard.press("Delete")
    bench.settled()
    bench.type("v", 1, 0, 0, "1e400")
    expect(bench.message()).to_have_text(re.compile("It counts as blank.$"))
    bench.page.keyboard.press("Escape")
    bench.type("v", 0, 2, 1, "1", key="Tab")  # past the last cell the next table is filled in
    expect(bench.cell("q", 1, 0, 0)).to_be_focused()
    bench.page.keyboard.press("Shift+Tab")
    expect(bench.cell("v", 0, 2, 1).get_by_role("spinbutton")).to_be_focused()
    bench.page.keyboard.press("Delete")
    bench.settled()
    bench.type("v", 1, 0, 0, "1.50")
    bench.type("v", 1, 0, 0, "abc")
    expect(bench.message()).to_have_text(re.compile("“abc” is no number. What stood there still counts.$"))
    bench.page.keyboard.press("Escape")
    assert marks(bench) == {"v|1|0|0": "own"}
    bench.cell("v", 1, 0, 0).focus()
    bench.page.keyboard.press("Delete")
    bench.settled()
    assert marks(bench) == {}
    bench.page.keyboard.press("Control+Z")
    bench.settled()
    assert bench.shown()["v|1|0|0"] == "1.50"
    bad_text_is_refused_with_a_sentence_and_nothing_is_lost(bench)


def bad_text_is_refused_with_a_sentence_and_nothing_is_lost(bench):
    bench.type("q", 0, 0, 0, "1.00")
    for text, told in REFUSED.items():
        bench.page.locator('[data-focus="menu q 1"]').focus()
        bench.page.keyboard.press("Enter")
        bench.page.get_by_role("menuitem", name="Fill in from text").click()
        bench.page.locator('[data-focus="claim text"]').fill(text)
        bench.page.locator('[data-focus="claim text send"]').click()
        bench.settled()
        expect(bench.message()).to_contain_text(told)
        assert bench.shown()["q|0|0|0"] == "1.00"
        assert bench.shown()["q|1|0|0"] == ""


def _red(page):
    """The colour of what is at fault, as the bench's style has it."""
    return page.locator(".bench").evaluate(
        """bench => {
            const probe = bench.appendChild(document.createElement("i"));
            probe.style.color = "var(--fault)";
            const { color } = getComputedStyle(probe);
            probe.remove();
            return color;
        }"""
    )


SUMMARY = ".practice-summary"


def work_out(bench, name, head, row=0, col=0):
    """Fill in a table of the exercise with the right numbers, but for those before (row, col): one by one, of which
    in short only the last row is typed, and the rest is pasted."""
    wanted = rounded(trace(_example(bench)).matrix(name, head))
    if not at_length():
        paste(bench, name, head, "\n".join("\t".join(numbers) for numbers in wanted[:-1]))
        row = len(wanted) - 1
    for i, numbers in enumerate(wanted):
        for j, text in enumerate(numbers):
            if (i, j) >= (row, col):
                bench.type(name, head, i, j, text)


def test_an_exercise_is_set_handed_out_and_leads_to_its_end(check):
    bench = check("?example=first").type("q", 0, 0, 0, "7")
    page = bench.page
    for again in (False, True):
        page.get_by_role("button", name="Exercise").click()
        if not again:
            page.get_by_text("new numbers, the same for everybody").click()
        page.get_by_role("button", name="Set the exercise").click()
        expect(page.locator(SUMMARY)).to_contain_text("Work out the blank numbers")
        expect(bench.cell("head_outputs", 0, 0, 0)).to_be_focused()  # the menu is closed, and one begins
        expect(bench.message()).to_contain_text(
            "link to hand out is in the menu “Exercise”; Undo brings back"
        )
        expect(bench.message()).to_be_in_viewport()
        if not again:
            page.keyboard.press("Control+Z")
            expect(bench.cell("q", 0, 0, 0)).to_have_text("7")
            assert marks(bench.settled()) == {"q|0|0|0": "own"}
    expect(page.get_by_role("button", name="Set the exercise")).to_have_count(0)
    page.get_by_role("button", name="Exercise", exact=True).click()
    link = page.get_by_role("textbox", name="The link to hand out").input_value()
    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_text("✓ Copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == link
    query = parse_qs(urlsplit(link).query)
    asked = query["ask"][0].split(".")
    assert asked == ["head_outputs", "concat"]
    assert from_token(query["s"][0]).claimed is None

    learner = check("?" + urlsplit(link).query)
    page = learner.page
    bar = page.get_by_role("progressbar")
    expect(bar).to_have_attribute("aria-valuetext", "Step 1 of 3, 0 of 24 numbers right")
    assert {"head_outputs|0|0|0", "weights|0|0|0", "v|0|0|0"} <= learner.shown().keys()
    assert not any(key.startswith(("concat", "x|")) for key in learner.shown())
    expect(page.locator(".practice-step")).to_have_count(3)

    for told in ("Each row of weights mixes", "head_1[1, 1] = A[1, 1]·V[1, 1]", "= ?"):
        learner.do("hint")
        expect(page.locator(".practice-hint")).to_contain_text(told.replace("_", ""))
    learner.cell("weights", 0, 1, 0).click()  # another number is held
    learner.cell("head_outputs", 0, 0, 0).focus()
    page.keyboard.press("Shift+Tab")
    learner.control("hint").focus()
    page.mouse.move(0, 0)
    expect(page.locator(".explain .line")).to_contain_text("head1[1, 1]")
    learner.cell("weights", 0, 1, 0).click()
    learner.type("head_outputs", 0, 0, 0, "99")
    assert marks(learner) == {"head_outputs|0|0|0": "own"}
    assert "wrong" in page.evaluate(
        """() => {
            const host = [...document.querySelectorAll("*")].find((e) => e.shadowRoot?.querySelector(".bench"));
            return getComputedStyle(host.shadowRoot.querySelector("td[data-mark]"), "::before").content;
        }"""
    )
    work_out(learner, "head_outputs", 0)
    learner.type("head_outputs", 0, 2, 1, "")
    last = rounded(trace(_example(learner)).matrix("head_outputs", 0))[2][1]
    learner.type("head_outputs", 0, 2, 1, last, key="Tab")
    expect(page.locator('[data-focus="next step"]')).to_be_focused()
    page.keyboard.press("Enter")
    expect(learner.cell("head_outputs", 1, 0, 0)).to_be_focused()
    expect(bar).to_have_attribute("aria-valuenow", "6")
    done = page.locator(".practice-step.done")
    expect(done).to_contain_text("|")
    work_out(learner, "head_outputs", 1)
    learner.do("next step")
    work_out(learner, "concat", None)
    end = page.locator(".practice-end")
    expect(end).to_be_focused()
    expect(end).to_contain_text("23 of 24 right at the first try. 3 hints.")
    expect(end.get_by_role("img")).to_have_count(2)
    assert_no_barrier_either(page)
    learner.do("for class")
    assert "seed=own" in end.get_by_role("textbox").input_value()
    assert "seed=own" in page.evaluate("navigator.clipboard.readText()")
    at_rest(page)  # the address holds the last number too
    before, address = _example(learner), page.url
    learner.do("another")
    expect(bar).to_have_attribute("aria-valuenow", "0")
    page.wait_for_function("before => location.href !== before", arg=address, timeout=WAIT)
    assert _example(learner).x != before.x


def test_a_known_mistake_is_named_below_its_row_and_the_whole_sheet_can_be_had(check):
    bench = check("?example=first&ask=scaled_scores.weights&seed=3")
    page = bench.page
    expect(page.locator(".explain .hint")).to_have_text(re.compile("^Type into the blank cells;"))
    scores = rounded(trace(_example(bench)).matrix("scores", 0))
    paste(bench, "scaled_scores", 0, str(scores).replace("'", ""))
    row = page.locator("tr.told")
    expect(row).to_have_text("✗ The scores are not divided by √dk.")
    expect(page.locator("tr:has(+ tr.told) td[data-key]").first).to_have_attribute(
        "data-key", "scaled_scores|0|0|0"
    )
    assert_no_barrier_either(page)
    bench.do("whole sheet")
    assert {"x||0|0", "weights|1|0|0"} <= bench.shown().keys()
    expect(row).to_have_count(1)
    expect(bench.cell("scaled_scores", 0, 0, 0).get_by_role("spinbutton")).to_be_focused()
    bench.do("whole sheet")
    assert "x||0|0" not in bench.shown()
    bench.page.keyboard.press("Control+Z")
    bench.settled()
    assert marks(bench) == {}


def test_a_hint_is_of_the_wrong_number_and_tells_more_of_it_though_the_next_one_has_the_focus(check):
    bench = check("?example=first&ask=weights&seed=3")
    bench.type("weights", 0, 0, 0, "0.99")
    expect(bench.cell("weights", 0, 1, 0)).to_be_focused()
    hint = bench.page.locator(".practice-hint")
    bench.do("hint")
    expect(hint).to_contain_text("The idea")
    bench.do("hint")
    expect(hint).to_contain_text("The formula: A[1, 1]")
    expect(bench.control("hint")).to_have_text("Hint: the numbers")


def test_what_was_missed_and_told_is_still_counted_after_a_reload(check):
    bench = check("?example=first&ask=weights&seed=3")
    page = bench.page
    bench.type("weights", 0, 0, 0, "0.99")
    bench.do("hint")
    kept = "() => new URLSearchParams(location.search).get('tally') === '0~0.1'"
    page.wait_for_function(kept, timeout=WAIT)
    page.reload()
    bench.settled()
    assert marks(bench) == {"weights|0|0|0": "own"}
    for head in (0, 1):
        paste(
            bench,
            "weights",
            head,
            str(rounded(trace(_example(bench)).matrix("weights", head))).replace("'", ""),
        )
        if head == 0:
            bench.do("next step")
    expect(page.locator(".practice-end")).to_contain_text("17 of 18 right at the first try. One hint.")


def test_the_steps_keep_their_marks_and_the_answers_are_not_a_click_away(check):
    bench = check("?example=first&ask=weights&seed=3", viewport={"width": 640, "height": 800})
    page = bench.page
    where_not_all_heads_fit_the_steps_keep_their_marks_and_what_is_told_of_them(bench)
    page.set_viewport_size({"width": 1280, "height": 800})
    bench.settled()
    for name in ("Bench", "Walkthrough", "Conventions") if at_length() else ("Walkthrough",):
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_text("You are in the middle of an exercise")).to_be_visible()
        expect(page.locator(".bench, .walk, .conventions")).to_have_count(0)
        page.get_by_role("link", name="Back to the exercise").click()
        expect(page.locator(SUMMARY)).to_contain_text("wrong")
        assert bench.settled().shown()["weights|0|0|0"] == "0.99"
    page.get_by_role("link", name="Bench", exact=True).click()
    expect(page.get_by_text("You are in the middle of an exercise")).to_be_visible()
    expect(page.locator(".bench")).to_have_count(0)
    page.get_by_role("button", name="End the exercise and show the numbers").click()
    wait_for(page, "td[data-key='weights|0|0|0']")
    expect(page.locator(".bench td[data-key='weights|0|0|0']")).to_have_text(re.compile("[0-9]"))


def where_not_all_heads_fit_the_steps_keep_their_marks_and_what_is_told_of_them(bench):
    page = bench.page
    steps = page.locator(".practice-step")
    expect(steps.locator(".step-mark")).to_have_text(["1", "2"])
    bench.type("weights", 0, 0, 0, "0.99")
    expect(steps.locator(".step-mark")).to_have_text(["✗", "2"])
    expect(steps.first).to_have_class(re.compile(r"\bopen\b"))
    first = page.locator(".practice-steps").element_handle()
    for width in (600, 700):  # the tables stand anew where other heads fit, and in a step there are no others
        page.set_viewport_size({"width": width, "height": 800})
        bench.settled()
    assert first.is_visible()
    expect(steps.locator(".step-mark")).to_have_text(["✗", "2"])


def test_an_exercise_on_a_phone(check):
    bench = check(
        "?example=first&ask=weights.concat&seed=3&lang=zh",
        viewport={"width": 390, "height": 844},
        has_touch=True,
    )
    page = bench.page
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
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
    for _ in range(4):
        bench.do("hint")
    expect(bench.control("hint")).to_have_attribute("aria-disabled", "true")
    expect(bench.control("hint")).to_be_focused()  # though there is no more to be told
    bench.do("whole sheet")
    assert page.locator(".tables").evaluate("tables => tables.scrollWidth <= tables.clientWidth")


def test_each_student_gets_new_numbers_and_keeps_them(check):
    query = "?example=first&ask=weights&seed=own&lang=zh"
    bench = check(query)
    expect(bench.page.locator(SUMMARY)).to_contain_text("一步一步算出空着的数")
    bench.page.wait_for_function("() => !location.search.includes('seed=')", timeout=WAIT)
    drawn = bench.page.url
    bench.type("weights", 0, 0, 0, "0.25")
    bench.page.wait_for_function("before => location.href !== before", arg=drawn, timeout=WAIT)
    begun = _example(bench)
    assert begun.claimed["weights"][0][0][0] == "0.25"
    bench.page.reload()
    bench.page.locator(SUMMARY).wait_for(timeout=WAIT)
    assert bench.shown()["weights|0|0|0"] == "0.25"
    assert _example(bench) == begun
    other = check(query)
    other.page.wait_for_function("() => !location.search.includes('seed=')", timeout=WAIT)
    assert _example(other).x != begun.x


def _example(bench):
    """The example in the address, once it is there."""
    bench.page.wait_for_function("() => new URLSearchParams(location.search).has('s')", timeout=WAIT)
    return from_token(parse_qs(urlsplit(bench.page.url).query)["s"][0])


@pytest.mark.long  # in short it is asked of the published example
def test_no_serious_barrier_in_an_exercise(check):
    assert_no_barrier(check("?example=causal&ask=weights&lang=zh").page)


WORKED = sorted((Path(__file__).parents[1] / "core" / "worked").glob("*.mha.json"))


def test_a_link_for_each_student_stays_and_the_solutions_of_a_class_stand_in_one_table(check):
    page = check("?example=first").page
    the_link_for_each_student_stays_when_the_exercise_is_set(page)
    page.keyboard.press("Escape")
    the_solutions_of_a_class_stand_in_one_table_and_one_is_opened(page)


def the_link_for_each_student_stays_when_the_exercise_is_set(page):
    page.get_by_role("button", name="Exercise").click()
    page.get_by_role("button", name="scores", exact=True).click()
    expect(page.get_by_text("“scores” can be read off “scaled scores”")).to_be_visible()
    page.get_by_text("new numbers for each student").click()
    field = page.get_by_role("textbox", name="The link to hand out")
    expect(field).to_have_value(re.compile("seed=own"))
    link = field.input_value()
    page.get_by_role("button", name="Set the exercise").click()
    expect(page.locator(SUMMARY)).to_contain_text("Work out the blank numbers")
    page.get_by_role("button", name="Exercise", exact=True).click()
    expect(field).to_have_value(link)


def the_solutions_of_a_class_stand_in_one_table_and_one_is_opened(page):
    page.get_by_role("button", name="Solutions of a class").click()
    dialog = page.get_by_role("dialog", name="Solutions of a class")
    broken = {"name": "<b>broken.mha.json", "mimeType": "application/json", "buffer": b"[1"}
    files = [
        {"name": path.name, "mimeType": "application/json", "buffer": path.read_bytes()} for path in WORKED
    ]
    dialog.locator('input[type="file"]').set_input_files([broken, *files])
    counted, table = dialog.locator("table").nth(0), dialog.locator(".solutions table")
    expect(table.locator("tbody tr")).to_have_count(1 + len(WORKED))
    expect(counted).to_contain_text("No known mistake explains this.")
    refused, *rows = table.locator("tbody tr").all()
    expect(refused.locator("th")).to_have_text("<b>broken.mha.json")
    expect(refused.locator("td").first).to_contain_text("JSON")
    for path, row in zip(WORKED, rows, strict=True):
        verdict = find(parse(path.read_bytes()))
        expect(row.locator("td").first).to_have_text(summary(verdict, "en"))
    wrong = table.get_by_role("columnheader", name="wrong", exact=True)
    for order, first in (("ascending", "0"), ("descending", "36")):
        wrong.get_by_role("button").click()
        expect(wrong).to_have_attribute("aria-sort", order)
        expect(wrong.get_by_role("button")).to_be_focused()
        expect(table.locator("tbody tr").first.locator("td").nth(2)).to_have_text(first)
    expect(table.locator("tbody tr").last.locator("th")).to_have_text("<b>broken.mha.json")
    with page.expect_download() as download:
        dialog.get_by_role("button", name="Table as CSV").click()
    lines = download.value.path().read_text("utf-8-sig").split("\n")
    assert lines[0] == "file,outcome,right,wrong,blank,first wrong,cause"
    assert lines[1].startswith("<b>broken.mha.json,")
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(
        """() => {
            const host = [...document.querySelectorAll("*")].find((e) => e.shadowRoot?.querySelector(".solutions"));
            const list = host.shadowRoot.querySelector(".solutions"), { right } = list.getBoundingClientRect();
            return list.scrollWidth > list.clientWidth && right <= innerWidth;
        }"""
    )
    assert_no_barrier_either(page)
    table.get_by_role("button", name=re.compile("Open catsleeps")).click()
    expect(dialog).to_be_hidden()
    expect(page.locator(".verdict")).to_contain_text("4 of 28 numbers are wrong")
