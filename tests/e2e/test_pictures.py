"""The Plotly pictures follow the numbers; only what is open and in view is drawn."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from mha_core import Example, built_in, trace
from mha_view.palette import palette
from tests.apply import apply
from tests.e2e.looks import recolour
from tests.e2e.test_live import X00, drag, in_step, shows, with_x
from tools.drive.browser import WAIT, at_rest, picture
from tools.drive.server import ROOT

TALL = {"width": 1280, "height": 2600}
"""Everything on the page is in view."""
DRAWN = """(name) => document.querySelector(`.st-key-picture-${name} .js-plotly-plot`)?.data
    ?.filter((part) => part.z).map((part) => part.z.map((row) => Array.from(row)))"""


def plots(page: Page):
    return page.locator(".js-plotly-plot")


def expect_weights(page: Page, example: Example) -> None:
    """Wait until the first picture is drawn from this example's weights, up to the last digits of the browser's."""
    page.wait_for_function(
        f"""([name, wanted]) => {{
            const drawn = ({DRAWN})(name)?.flat(2) ?? [];
            return drawn.length && drawn.every((number, at) => Math.abs(number - wanted.flat(2)[at]) < 1e-12);
        }}""",
        arg=["weights", trace(example).values["weights"]],
        timeout=WAIT,
    )


def over(page: Page, name: str, row: int, col: int) -> tuple[float, float]:
    """The middle of a cell in the first matrix of a picture, on the screen."""
    at = (
        picture(page, name)
        .locator(".js-plotly-plot")
        .evaluate(
            """(plot, [row, col]) => {
            const { xaxis, yaxis } = plot._fullLayout;
            const { left, top } = plot.getBoundingClientRect();
            return [left + xaxis._offset + xaxis.d2p(col), top + yaxis._offset + yaxis.d2p(row)];
        }""",
            [row, col],
        )
    )
    return at[0], at[1]


def test_a_picture_follows_a_drag_and_is_neither_mounted_nor_drawn_again(visit):
    """Its numbers change in place, and once more to those of the page's own answer."""
    bench = visit("?example=first", viewport=TALL).settled()
    page = bench.page
    picture(page, "weights")
    expect_weights(page, built_in("first"))
    words = page.locator(".st-key-picture-weights .mha-unseen")
    said = words.inner_text()
    plot = page.query_selector(".js-plotly-plot")
    page.evaluate("window.mounted = document.querySelector('.js-plotly-plot .main-svg')")
    drag(bench, 7, *X00)
    shows(bench, 8)
    expect_weights(page, with_x(8))  # before the hand lets go, and before the page knows
    assert page.url.endswith("?example=first")
    page.keyboard.press("Escape")
    expect_weights(page, built_in("first"))
    page.mouse.up()
    page.evaluate(
        """() => {
            window.drawn = [];
            document.querySelector(".js-plotly-plot").on("plotly_afterplot", () => drawn.push(1));
        }"""
    )
    drag(bench, 3, *X00)
    in_step(bench)
    expect_weights(page, with_x(4))
    page.mouse.up()
    bench.settled()
    at_rest(page)
    expect_weights(page, with_x(4))
    expect(words).not_to_have_text(said)
    assert page.evaluate("drawn.length") == 0
    assert plot is not None
    assert plot.evaluate("(plot) => plot.isConnected && window.mounted.isConnected && plot.contains(mounted)")


def test_a_change_in_place_looks_as_plotly_draws_it(visit):
    bench = visit("?example=first", viewport={"width": 1280, "height": 4000}).settled()
    page = bench.page
    titles = page.get_by_role("toolbar", name="Pictures")
    for title in ("One query, head by head", "Scores", "Head outputs and Concat"):
        titles.get_by_role("button", name=title, exact=True).click()
    for name in ("weights", "bars", "scores", "outputs"):
        picture(page, name)
    page.evaluate(COUNT)
    bench.edit("x", None, 0, 0, 1.25)
    page.wait_for_function("() => document.querySelectorAll('.mha-cells').length > 6")
    for name in ("weights", "bars", "scores", "outputs"):
        picture(page, name)
    assert page.evaluate("drawn.length") == 0
    looks = page.evaluate(LOOKS)
    assert len(looks) == 4
    for shown, wanted in looks:
        assert shown == wanted


COUNT = """() => {
    window.drawn = [];
    for (const plot of document.querySelectorAll(".js-plotly-plot"))
        plot.on("plotly_afterplot", () => drawn.push(1));
}"""

LOOKS = r"""async () => {
    // what is drawn: the texts and their places, the bars, and the colour in the middle of every cell
    const texts = (plot) => [...plot.querySelectorAll(".heatmap-label text, .bartext")].map((text) =>
        [text.textContent, text.getAttribute("x"), text.getAttribute("y"),
         (text.getAttribute("transform") ?? "").replace(/[.]\d+/g, (part) => part.slice(0, 3))].join(" "));
    const bars = (plot) => [...plot.querySelectorAll(".point path")].map((path) =>
        path.getAttribute("d").replace(/[.]\d+/g, (part) => part.slice(0, 3)));
    const pixels = async (plot) => {
        const found = [];
        for (const group of plot.querySelectorAll(".hm")) {
            const image = new Image();
            image.src = group.querySelector("image").href.baseVal;
            await image.decode();
            const canvas = Object.assign(document.createElement("canvas"), image);
            [canvas.width, canvas.height] = [image.width, image.height];
            const context = canvas.getContext("2d");
            context.drawImage(image, 0, 0);
            for (const rect of group.querySelectorAll(".mha-cells rect")) {
                const { x, y, width, height } = rect;
                const [left, top] = [x, y].map(({ baseVal }) => baseVal.value);
                context.fillStyle = rect.getAttribute("fill");
                context.fillRect(left, top, width.baseVal.value, height.baseVal.value);
            }
            found.push([...context.getImageData(0, 0, canvas.width, canvas.height).data].join());
        }
        return found;
    };
    const looks = [];
    for (const plot of document.querySelectorAll(".js-plotly-plot")) {
        const fresh = document.createElement("div");
        fresh.style.cssText = `width: ${plot.clientWidth}px; height: ${plot.clientHeight}px`;
        document.body.append(fresh);
        await Plotly.newPlot(fresh, plot.data, plot.layout, {});
        const [shown, wanted] = [plot, fresh].map((one) => [texts(one), bars(one)]);
        looks.push([[...shown, await pixels(plot)], [...wanted, await pixels(fresh)]]);
        fresh.remove();
    }
    return looks;
}"""


def test_a_picture_out_of_view_waits_until_it_is_seen(visit):
    bench = visit("?example=water", viewport={"width": 1280, "height": 500}).settled()
    page = bench.page
    assert plots(page).count() == 0
    bench.edit("x", None, 0, 0, 5)
    assert plots(page).count() == 0
    picture(page, "weights")
    expect_weights(page, with_x(5, built_in("water")))
    page.evaluate("document.querySelector('.stMain').scrollTo(0, 0)")
    drag(bench, 2, *X00)
    in_step(bench)
    expect_weights(page, with_x(5, built_in("water")))
    page.mouse.up()
    picture(page, "weights")
    expect_weights(page, with_x(7, built_in("water")))


INK = {"light": palette("light").text, "dark": palette("dark").text}


def expect_colours(page: Page, name: str, scheme: str) -> None:
    """Wait until the title of a picture is drawn in this theme."""
    page.wait_for_function(
        """([name, wanted]) => document.querySelector(`.st-key-picture-${name} .js-plotly-plot`)
            ?.layout?.title?.font?.color === wanted""",
        arg=[name, INK[scheme]],
        timeout=WAIT,
    )


def test_pictures_take_the_colours_that_the_system_turns_to_while_they_stand_there(new_page, server):
    page = new_page()
    page.goto(f"{server.url}lessons?lesson=sqrt-dk")
    for name in ("scaling", "one-query"):
        picture(page, name)
        expect_colours(page, name, "light")
    recolour(page, "dark")
    for name in ("scaling", "one-query"):
        expect_colours(page, name, "dark")
    page.get_by_role("link", name="Explore", exact=True).click()
    picture(page, "weights")
    expect_colours(page, "weights", "dark")
    recolour(page, "light")
    expect_colours(page, "weights", "light")


def test_only_open_pictures_are_drawn_in_the_pages_theme(visit):
    bench = visit("?example=output-projection", color_scheme="dark")
    page = bench.page
    picture(page, "weights")
    assert plots(page).count() == 1
    expect_colours(page, "weights", "dark")
    opened = {
        "bars": "One query, head by head",
        "scores": "Scores",
        "outputs": "Head outputs and Concat",
        "hulls": "Outputs among V's rows",
    }
    titles = page.get_by_role("toolbar", name="Pictures")
    for name, title in opened.items():
        titles.get_by_role("button", name=title, exact=True).click()
        picture(page, name)
    expect(plots(page)).to_have_count(5)
    for figure in page.locator(".mha-unseen:not(:has(h1))").all():
        assert len(figure.text_content() or "") > 40  # each has its words
    for title in ("Attention weights", "Scores"):
        titles.get_by_role("button", name=title, exact=True).click()
    expect(page.locator(".mha-plot")).to_have_count(3)
    for name in ("bars", "outputs", "hulls"):
        picture(page, name)


def test_the_weights_are_drawn_follow_an_edit_and_are_downloaded_as_png_or_svg(visit):
    bench = visit("?example=water")
    page = bench.page
    picture(page, "weights")
    expect_weights(page, built_in("water"))
    bench.edit("x", None, 1, 3, 1.5)
    picture(page, "weights")
    edit = {"op": "set", "matrix": "x", "row": 1, "col": 3, "values": [[1.5]]}
    expect_weights(page, apply(built_in("water"), edit))
    for image in ("png", "svg"):
        picture(page, "weights")
        plots(page).first.hover()
        with page.expect_download() as caught:
            page.locator(".modebar-btn").first.click()
        assert caught.value.suggested_filename == f"attention-weights.{image}"
        if image == "png":
            page.locator('.st-key-pictures [data-testid="stSelectbox"]').last.locator("input").click()
            page.get_by_role("option", name="SVG").click()
            page.wait_for_function(
                "() => document.querySelector('.js-plotly-plot')?._context?.toImageButtonOptions.format === 'svg'"
            )


# --- one cell, in a picture and on the bench -------------------------------------------------------------------------


def test_a_cell_pointed_at_here_is_lit_there_and_a_click_in_a_picture_holds_it_on_the_bench(visit):
    bench = visit("?example=water", viewport=TALL)
    page = bench.page
    page.mouse.move(*over(page, "weights", 1, 2))
    expect(bench.cell("weights", 0, 1, 2)).to_contain_class("current")
    expect(page.locator(".explain .line")).to_contain_text("A[2, 3]")
    page.mouse.move(0, 0)
    expect(page.locator(".bench td.current")).to_have_count(0)

    x, y = over(page, "weights", 2, 1)
    mark = page.locator(".st-key-picture-weights .mark")
    expect(mark).to_be_hidden()
    bench.cell("weights", 0, 2, 1).hover()
    expect(mark).to_be_visible()
    box = mark.bounding_box()
    assert abs(box["x"] + box["width"] / 2 - x) < 2
    assert abs(box["y"] + box["height"] / 2 - y) < 2
    bench.cell("x", None, 0, 0).hover()
    expect(mark).to_be_hidden()

    page.get_by_role("button", name="One query, head by head").click()
    expect(page.locator(".mha-unseen", has_text="What “Water” looks at")).to_have_count(1)
    page.mouse.move(*over(page, "weights", 1, 2))
    page.mouse.click(*over(page, "weights", 1, 2))
    expect(bench.cell("weights", 0, 1, 2)).to_contain_class("pinned")
    expect(bench.cell("weights", 0, 1, 2)).to_be_focused()
    bench.settled()
    page.wait_for_function("() => location.search.includes('cell=weights.0.1.2')")
    bar = picture(page, "bars").locator(".point").nth(1).bounding_box()
    page.mouse.move(bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] - 5)  # its number stands above it
    expect(bench.cell("weights", 0, 0, 1)).to_contain_class("current")

    page.locator('.st-key-pictures [data-testid="stSelectbox"]').first.locator("input").click()
    page.get_by_role("option", name="3 toxic").click()  # the query that is drawn
    expect(page.locator(".mha-unseen", has_text="What “toxic” looks at")).to_have_count(1)


# --- what is fetched -----------------------------------------------------------------------------------------------


def test_plotly_comes_from_here_once_a_figure_is_near_and_streamlits_never(new_page, server):
    page = new_page(viewport={"width": 1280, "height": 300})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{server.url}?example=water")
    expect(page.locator(".mha-unseen", has_text="Attention weights of every head")).to_have_count(1)
    at_rest(page)
    assert not [url for url in asked if "plotly" in url.lower()]
    picture(page, "weights")
    page.goto(f"{server.url}lessons?lesson=many-heads")
    picture(page, "readers")
    fetched = {url for url in asked if "plotly" in url.lower()}
    assert len(fetched) == 1
    assert fetched.pop().startswith(f"{server.url}api/plotly/")


def test_st_plotly_chart_is_used_nowhere():
    sources = [
        path for folder in ("mha_view", "mha_ui", "pages") for path in Path(ROOT / folder).rglob("*.py")
    ]
    assert sources
    assert not [path for path in sources if "plotly_chart" in path.read_text("utf-8")]
