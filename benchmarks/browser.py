"""What a person waits for, in real Chromium: the empty app, and the bench at two sizes, in turns."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from playwright.sync_api import Page, ViewportSize, sync_playwright

from benchmarks.core import sized
from benchmarks.table import Line
from mha_core import to_token
from tests.e2e.driver import Bench, Server, chromium, running

ROUNDS = 40
STARTS = 30
EMPTY = "empty app: rerun → painted"
VIEW: ViewportSize = {"width": 1280, "height": 4200}
"""Pixels: all pictures are in view, and are drawn."""

WATCH_SOCKET = """
const Socket = WebSocket;
window.wire = [];
window.WebSocket = class extends Socket {
  constructor(...all) {
    super(...all);
    this.addEventListener("message", ({data}) =>
      window.wire.push({at: performance.now(), bytes: data.byteLength ?? data.size ?? data.length}));
  }
  send(data) {
    window.wire.push({at: performance.now(), bytes: -(data.byteLength ?? data.length)});
    super.send(data);
  }
};
const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()), 0)));
const changed = (node, seen) => new Promise((done) => {
  const look = () => seen() && (watcher.disconnect(), done());
  const watcher = new MutationObserver(look);
  watcher.observe(node, {subtree: true, childList: true, characterData: true, attributes: true});
  look();
});
window.rerunEmpty = async () => {
  const text = () => document.querySelector('[data-testid="stText"]').textContent;
  const before = text();
  const begin = performance.now();
  document.querySelector(".stButton button").click();
  await changed(document.body, () => text() !== before);
  return (await painted()) - begin;
};
window.bench = () => [...document.querySelectorAll("*")].find((e) => e.shadowRoot?.querySelector(".bench")).shadowRoot;
window.editBench = async (number) => {
  const root = window.bench().querySelector(".bench");
  const td = root.querySelector('td[data-key="x||0|0"]');
  const result = root.querySelector('td[data-key^="concat||0|0"]');
  td.dispatchEvent(new PointerEvent("pointerdown", {bubbles: true}));
  td.dispatchEvent(new MouseEvent("dblclick", {bubbles: true}));
  const input = td.querySelector("input");
  input.value = String(number);
  let drawn = 0;
  const drawing = new MutationObserver(() => (drawn = performance.now()));
  document.querySelectorAll(".js-plotly-plot").forEach((plot) =>
    drawing.observe(plot.parentElement, {subtree: true, childList: true, characterData: true, attributes: true}));
  window.wire = [];
  const begin = performance.now();
  input.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true}));
  await changed(root, () => root.getAttribute("aria-busy") === "false");
  const numbers = (await painted()) - begin;
  do await new Promise((done) => setTimeout(done, 400));
  while (performance.now() - drawn < 300);
  drawing.disconnect();
  const figured = drawn - begin;
  const sent = window.wire.findIndex(({bytes}) => bytes < 0);
  const after = window.wire.slice(sent).filter(({bytes}) => bytes > 0);
  const answer = after.find(({bytes}) => bytes > 500);
  return {
    numbers, figured,
    answered: answer.at - window.wire[sent].at,
    finished: after.at(-1).at - window.wire[sent].at,
    bytes: window.wire.reduce((sum, {bytes}) => sum + Math.abs(bytes), 0),
  };
};
window.hover = async () => {
  const cells = [...window.bench().querySelectorAll('td[data-key^="weights"], td[data-key^="q|"]')];
  const line = window.bench().querySelector(".explain .line");
  const taken = [];
  for (const td of cells.slice(0, 40)) {
    const begin = performance.now();
    td.dispatchEvent(new PointerEvent("pointerover", {bubbles: true}));
    line.getBoundingClientRect();
    const standing = performance.now() - begin;
    taken.push({standing, painted: (await painted()) - begin});
  }
  return taken;
};
"""


def measure() -> list[Line]:
    """Every line of the table that needs a browser."""
    sizes = {"3×2×2": sized(3, 2, 2), "8×8×4": sized(8, 8, 4)}
    here = Path(__file__).resolve().parent
    with running(here / "empty_app.py") as empty, running() as app, sync_playwright() as playwright:
        browser = chromium(playwright)

        def page(url: str) -> Page:
            opened = browser.new_context(viewport=VIEW).new_page()
            opened.add_init_script(WATCH_SOCKET)
            opened.goto(url)
            return opened

        blank = page(empty.url)
        blank.locator(".stButton button").wait_for()
        benches = {size: page(f"{app.url}?s={to_token(example)}") for size, example in sizes.items()}
        for opened in benches.values():
            Bench(opened).settled()
            opened.locator(".mha-plot").scroll_into_view_if_needed()  # out of view it is not drawn
            opened.locator(".js-plotly-plot .heatmaplayer").first.wait_for(state="attached")
        lines = _edits(blank, benches)
        lines += _all_figures(benches)
        lines += _hover(benches["8×8×4"])
        browser.close()
    return [*lines, _starts()]


def _edits(blank: Page, benches: dict[str, Page]) -> list[Line]:
    empty: list[float] = []
    edits: dict[str, list[dict[str, float]]] = {size: [] for size in benches}
    for round_ in range(ROUNDS + 5):
        blank.bring_to_front()
        rerun = blank.evaluate("rerunEmpty()")
        for size, page in benches.items():
            page.bring_to_front()
            edit = page.evaluate(f"editBench(0.{round_ % 7 + 11})")
            if round_ >= 5:
                edits[size].append(edit)
        if round_ >= 5:
            empty.append(rerun)
    lines = [Line(EMPTY, empty)]
    for size, factor in (("3×2×2", 1), ("8×8×4", 1.5)):
        taken = {name: [edit[name] for edit in edits[size]] for name in edits[size][0]}
        lines += [
            Line(f"{size}: edit → all numbers painted", taken["numbers"], goal=(factor, EMPTY)),
            Line(f"{size}: edit → open figure painted", taken["figured"], goal=(8, EMPTY)),
            Line(f"{size}: edit sent → numbers on the wire", taken["answered"]),
            Line(f"{size}: edit sent → run finished", taken["finished"]),
            Line(f"{size}: bytes per edit, both ways", taken["bytes"], "bytes"),
        ]
    return lines


def _all_figures(benches: dict[str, Page]) -> list[Line]:
    """The same with every picture open."""
    lines = []
    for size, page in benches.items():
        page.bring_to_front()
        buttons = page.locator(".st-key-pictures .stButtonGroup button")
        for index in range(1, buttons.count()):
            buttons.nth(index).click()
            page.locator(".mha-plot").nth(index).scroll_into_view_if_needed()
            page.locator(".js-plotly-plot").nth(index).wait_for()
        page.wait_for_load_state("networkidle")
        taken = [page.evaluate(f"editBench(0.{round_ % 7 + 11})") for round_ in range(ROUNDS + 2)][2:]
        count = buttons.count()
        lines += [
            Line(f"{size}: numbers, {count} figures open", [edit["numbers"] for edit in taken]),
            Line(
                f"{size}: all {count} figures painted", [edit["figured"] for edit in taken], goal=(8, EMPTY)
            ),
        ]
    return lines


def _hover(page: Page) -> list[Line]:
    page.bring_to_front()
    taken = page.evaluate("hover()")
    return [
        Line(
            "8×8×4: hover → arithmetic stands in the page", [one["standing"] for one in taken], goal=(16, "")
        ),
        Line("8×8×4: hover → painted, next frame included", [one["painted"] for one in taken]),
    ]


def _starts() -> Line:
    """From starting the process to the numbers on the first visitor's page."""
    taken = []
    with sync_playwright() as playwright:
        browser = chromium(playwright)
        for _ in range(STARTS):
            server = Server()
            begin = perf_counter()
            server.start()
            context = browser.new_context()
            Bench(context.new_page()).open(server.url)
            taken.append((perf_counter() - begin) * 1000)
            context.close()
            server.kill()
        browser.close()
    return Line("start of the process → first page", taken)
