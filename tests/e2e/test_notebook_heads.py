"""A notebook cell that shows heads, in a sandboxed frame without a network: what only a browser can show."""

from __future__ import annotations

import pytest
import torch
from playwright.sync_api import expect
from torch import nn

from mha_core.interop import capture
from mha_view.heads.cell import cell, document
from tests.e2e.looks import PAPER, barriers, rules, wider

TOKENS = ["When", "Mary", "and", "John", "went", "home", ",", "John", "slept"]


@pytest.fixture(scope="module")
def found():
    torch.manual_seed(3)
    layer = nn.TransformerEncoderLayer(32, 8, 32, batch_first=True)
    model = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False).eval()
    return capture(model, 2 * torch.randn(1, 9, 32), TOKENS)


@pytest.fixture
def opened(browser, tmp_path):
    """Opens HTML as a file in a browser without a network; it may request nothing, and says nothing in the console."""
    contexts, requested, complaints = [], set(), []

    def opened(html, **options):
        file = tmp_path / "cell.html"
        file.write_text(html, "utf-8")
        context = browser.new_context(offline=True, **{"viewport": {"width": 1100, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: requested.add(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(file.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert all(url.startswith(("file:", "about:srcdoc")) for url in requested)
    assert complaints == []


def test_in_its_frame_a_head_is_hovered_and_chosen_and_a_pair_is_read(opened, found):
    page = opened(f"<!doctype html><body>{cell(found)}")
    frame = page.frame_locator("iframe")
    expect(frame.locator(".tile")).to_have_count(32)
    assert page.frames[1].evaluate("origin") == "null"  # the sandbox lets it have none
    tile = frame.locator(".tile[data-at='19']")
    tile.hover()
    expect(frame.locator(".tip strong")).to_have_text(f"{found[2].name}, head 3")
    tile.click()
    expect(frame.locator(".one h2")).to_have_text(f"{found[2].name}, head 3")
    frame.locator(".line-token", has_text="slept").hover()
    expect(frame.locator(".line-key .line-weight").nth(1)).to_have_text(
        f"{found[2].weights[3, 8, 1].item():.2f}"
    )
    frame.locator(".line-token", has_text="slept").click()
    frame.locator("button.line-key", has_text="Mary").click()
    one = found[2]
    weight = one.weights[3, 8, 1].item()
    expect(frame.locator(".readout")).to_have_text(f"slept → Mary: {weight:.4f}".rstrip("0"))
    score = (one.q[3, 8].double() @ one.k[3, 1].double()).item()
    numbers = frame.locator(".sums strong").all_inner_texts()
    assert [float(text.replace("−", "-")) for text in (numbers[0], numbers[-1])] == pytest.approx(
        [score, weight], abs=6e-5
    )
    expect(frame.locator(".product-names")).to_be_visible()


def test_the_line_of_python_is_copied_by_its_button(opened, found):
    page = opened(f"<!doctype html><body>{cell(found)}")
    frame = page.frame_locator("iframe")
    frame.get_by_role("button", name="Copy").click()
    expect(frame.get_by_role("button", name="Copied")).to_be_visible()


@pytest.mark.parametrize(("width", "scheme"), [(1100, "light"), (700, "dark"), (390, "light")])
def test_a_cell_has_no_barrier_and_nothing_is_wider_than_it(opened, found, width, scheme):
    page = opened(document(found, "en"), viewport={"width": width, "height": 900}, color_scheme=scheme)
    expect(page.locator(".line-token").first).to_be_visible()
    assert barriers(page, **rules(scheme)) == []
    assert wider(page) == []


@pytest.mark.parametrize(("width", "scheme"), [(1100, "dark"), (390, "light")])
def test_a_changed_run_and_lines_of_a_long_text_have_no_barrier_either(opened, width, scheme):
    torch.manual_seed(3)
    model = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(8, 2, 8, batch_first=True), 2, enable_nested_tensor=False
    )
    rows = 2 * torch.randn(1, 80, 8)
    page = opened(
        document(capture(model.eval(), rows, without=[(0, 1)]), "en"),
        viewport={"width": width, "height": 900},
        color_scheme=scheme,
    )
    expect(page.locator(".big-map")).to_have_count(1)  # the head that is off: its weights did not change
    assert barriers(page, **rules(scheme)) == []
    page.locator(".tile[data-at='2']").click()
    expect(page.locator(".big-map")).to_have_count(3)
    assert barriers(page, **rules(scheme)) == []
    assert wider(page) == []
    page.get_by_role("button", name="Lines").click()
    page.locator(".line-token").nth(3).click()
    page.locator("button.line-key").nth(2).click()
    expect(page.locator(".sums")).to_have_count(2)
    assert barriers(page, **rules(scheme)) == []
    assert wider(page) == []


def test_a_map_of_changes_that_would_all_read_0_has_no_digits(opened):
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(24, 6, 24, batch_first=True)
    model = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False).eval()
    changed = capture(model, 2 * torch.randn(1, 12, 24), without=[(1, 2)])
    by = (changed.found[2].weights - changed.unchanged[2].weights).abs().amax((-2, -1))
    least, most = int(by.argmin()), int(by.argmax())
    assert 0 < by[least] < 0.005 < min(by[most], changed.found[2].weights.min())
    page = opened(document(changed, "en"), viewport={"width": 700, "height": 900})
    page.evaluate(
        """() => {
            const { prototype } = CanvasRenderingContext2D;
            window.written = [];
            prototype.fillText = (text) => window.written.push(text);
        }"""
    )
    for head, has_digits in ((least, False), (most, True)):
        page.evaluate("window.written.length = 0")
        page.locator(f".tile[data-at='{12 + head}']").click()
        expect(page.locator(".map-side")).to_have_count(3)
        expect(page.locator(".one h2")).to_have_text(f"layers.2.self_attn, head {head}")
        assert ("0.00" in page.evaluate("window.written")) == has_digits


def test_the_map_is_square_and_in_the_colours_of_the_notebook(opened, found):
    page = opened(f"<!doctype html><body style='color: white'>{cell(found)}")
    frame = page.frame_locator("iframe")
    frame.get_by_role("button", name="Heatmap").click()
    box = frame.locator(".big-map").bounding_box()
    assert box["width"] == pytest.approx(box["height"], abs=1)
    expect(frame.locator("body")).to_have_css("background-color", PAPER["dark"])
    page.evaluate("document.body.style.color = 'black'")
    expect(frame.locator("body")).to_have_css("background-color", PAPER["light"])
