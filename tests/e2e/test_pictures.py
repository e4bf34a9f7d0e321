"""The Plotly pictures follow the numbers; only what is open is drawn."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from mha_core import Example, built_in, trace
from mha_core.edit.edits import apply


def plots(page: Page):
    return page.locator(".js-plotly-plot")


def expect_weights(page: Page, example: Example) -> None:
    """Wait until the first picture is drawn from this example's weights."""
    page.wait_for_function(
        """(wanted) => {
            const plot = document.querySelector(".js-plotly-plot");
            const drawn = plot?.data?.filter((part) => part.z).map((part) => part.z.map((row) => Array.from(row)));
            return JSON.stringify(drawn) === JSON.stringify(wanted);
        }""",
        arg=trace(example).values["weights"],
    )


def test_the_weights_are_drawn_and_follow_an_edit(visit):
    bench = visit("?example=water")
    plots(bench.page).first.wait_for()
    expect_weights(bench.page, built_in("water"))
    bench.edit("x", None, 1, 3, 1.5)
    edit = {"op": "set", "matrix": "x", "row": 1, "col": 3, "values": [[1.5]]}
    expect_weights(bench.page, apply(built_in("water"), edit))


def test_only_open_pictures_are_drawn(visit):
    bench = visit("?example=output-projection")
    page = bench.page
    plots(page).first.wait_for()
    assert plots(page).count() == 1
    for title in ("One query, head by head", "Scores", "Head outputs and Concat", "Outputs among V's rows"):
        page.get_by_role("button", name=title, exact=True).click()
    expect(plots(page)).to_have_count(5)
    for figure in page.locator(".mha-unseen").all():
        assert len(figure.text_content() or "") > 40  # each has its words
    for title in ("Attention weights", "Scores"):
        page.get_by_role("button", name=title, exact=True).click()
    expect(plots(page)).to_have_count(3)


def test_the_chosen_query_is_drawn(visit):
    bench = visit("?example=water")
    page = bench.page
    page.get_by_role("button", name="One query, head by head").click()
    expect(page.locator(".mha-unseen", has_text="What “Water” looks at")).to_have_count(1)
    page.locator('.st-key-pictures [data-testid="stSelectbox"]').first.locator("input").click()
    page.get_by_role("option", name="3 toxic").click()
    expect(page.locator(".mha-unseen", has_text="What “toxic” looks at")).to_have_count(1)


def test_a_picture_is_downloaded_as_png_or_svg(visit):
    bench = visit("?example=water")
    page = bench.page
    for image in ("png", "svg"):
        plots(page).first.hover()
        with page.expect_download() as caught:
            page.locator(".modebar-btn").first.click()
        assert caught.value.suggested_filename.endswith(f".{image}")
        if image == "png":
            page.locator('.st-key-pictures [data-testid="stSelectbox"]').last.locator("input").click()
            page.get_by_role("option", name="SVG").click()
            page.wait_for_function(
                "() => document.querySelector('.js-plotly-plot')?._context?.toImageButtonOptions.format === 'svg'"
            )


def test_pictures_follow_the_theme(visit):
    bench = visit("?example=first", color_scheme="dark")
    plots(bench.page).first.wait_for()
    colour = bench.page.evaluate("document.querySelector('.js-plotly-plot').layout.title.font.color")
    assert colour == "#e6eaf0"
