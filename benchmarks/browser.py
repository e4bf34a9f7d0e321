"""What a visitor waits for, in real Chromium: the empty app and the bench at three sizes, in turns."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from playwright.sync_api import Page, ViewportSize, sync_playwright

from benchmarks.live import cpu
from benchmarks.table import Line
from mha_core import to_token
from tools.drive.browser import chromium
from tools.drive.explore import Bench
from tools.drive.server import Server, running
from tools.examples import narrow, sized

ROUNDS = 40
STARTS = 30
EMPTY = "empty app: rerun → painted"
SMALL, MIDDLE, LARGE = "3×2×2", "8×8×4", "32 tokens × 12 heads"
EXAMPLES = {SMALL: sized(3, 2, 2), MIDDLE: sized(8, 8, 4), LARGE: narrow(32, 48, 4, 12)}
GOALS = {SMALL: 0.8, MIDDLE: 1, LARGE: 2}
"""Times the empty app's rerun, from an edit to all numbers."""
HANDLER = 0.25
"""The same for the key's handler."""
LAPTOP: ViewportSize = {"width": 1280, "height": 800}
TALL: ViewportSize = {"width": 1280, "height": 9000}
"""Pixels: tall enough that all pictures are in view and drawn."""

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
const changed = (node, isSeen) => new Promise((done) => {
  const look = () => isSeen() && (watcher.disconnect(), done());
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
  // all tables are painted together; of saturated weights the concatenation does not change
  const results = root.querySelectorAll('table:is([data-matrix="concat"], [data-matrix="scores"])');
  const texts = () => [...results].map(({textContent}) => textContent).join();
  td.dispatchEvent(new PointerEvent("pointerdown", {bubbles: true}));
  td.dispatchEvent(new MouseEvent("dblclick", {bubbles: true}));
  const input = td.querySelector("input");
  input.value = String(number);
  let drawn = 0;
  const drawing = new MutationObserver(() => (drawn = performance.now()));
  document.querySelectorAll(".js-plotly-plot").forEach((plot) =>
    drawing.observe(plot, {subtree: true, childList: true, characterData: true, attributes: true}));
  window.wire = [];
  const before = texts();
  const begin = performance.now();
  input.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true}));
  const handled = performance.now() - begin;
  await changed(root, () => texts() !== before);
  const numbers = (await painted()) - begin;
  await changed(root, () => root.dataset.kept === "true");
  const confirmed = (await painted()) - begin;
  do await new Promise((done) => setTimeout(done, 400));
  while (performance.now() - drawn < 300);
  drawing.disconnect();
  const figured = drawn ? drawn - begin : NaN; // none is in view
  const sent = window.wire.findIndex(({bytes}) => bytes < 0);
  const after = window.wire.slice(sent).filter(({bytes}) => bytes > 0);
  const answer = after.find(({bytes}) => bytes > 500);
  return {
    numbers, handled, confirmed, figured,
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
    const inPage = performance.now() - begin;
    taken.push({inPage, painted: (await painted()) - begin});
  }
  return taken;
};
"""


def measure() -> list[Line]:
    """Every line of the table that needs a browser."""
    here = Path(__file__).resolve().parent
    with running(here / "empty_app.py") as empty, running() as app, sync_playwright() as playwright:
        browser = chromium(playwright)

        def page(url: str) -> Page:
            opened = browser.new_context(viewport=LAPTOP).new_page()
            opened.add_init_script(WATCH_SOCKET)
            opened.goto(url)
            return opened

        blank = page(empty.url)
        blank.locator(".stButton button").wait_for()
        benches = {size: page(f"{app.url}?s={to_token(example)}") for size, example in EXAMPLES.items()}
        for opened in benches.values():
            Bench(opened).settled()
        lines = _edits(blank, benches)
        lines += _server_time(app, benches)
        lines += _hover(benches[MIDDLE])
        benches.pop(LARGE).context.close()
        lines += _all_figures(benches)
        browser.close()
    return [*lines, _starts()]


def _edits(blank: Page, benches: dict[str, Page]) -> list[Line]:
    """From an edit to its numbers, in a laptop's window; the first picture is below the window and is not drawn."""
    empty: list[float] = []
    edits: dict[str, list[dict[str, float]]] = {size: [] for size in benches}
    for round_ in range(ROUNDS + 5):
        blank.bring_to_front()
        rerun = blank.evaluate("rerunEmpty()")
        for size, page in benches.items():
            edit = _edited(page, round_)
            if round_ >= 5:
                edits[size].append(edit)
        if round_ >= 5:
            empty.append(rerun)
    lines = [Line(EMPTY, empty)]
    for size, all_edits in edits.items():
        taken = {name: [edit[name] for edit in all_edits] for name in all_edits[0]}
        lines += [
            Line(f"{size}: edit → all numbers painted", taken["numbers"], goal=(GOALS[size], EMPTY)),
            Line(f"{size}: of it the key's handler", taken["handled"], goal=(HANDLER, EMPTY)),
            Line(f"{size}: edit → the server's numbers painted", taken["confirmed"]),
            Line(f"{size}: edit sent → numbers on the wire", taken["answered"]),
            Line(f"{size}: edit sent → run finished", taken["finished"]),
            Line(f"{size}: bytes per edit, both ways, the page's own answer too", taken["bytes"], "bytes"),
        ]
    return lines


def _server_time(app: Server, benches: dict[str, Page]) -> list[Line]:
    """The server's CPU time for an edit: the live channel's answer, and the page's own answer after a pause."""
    lines = []
    for size, page in benches.items():
        taken = []
        for round_ in range(ROUNDS):
            begin = cpu(app)
            _edited(page, round_)
            taken.append(cpu(app) - begin)
        mean = sum(taken) / len(taken)  # the clock of a process ticks every 10 ms
        lines.append(Line(f"{size}: server CPU an edit, with the page's own answer, mean", [mean, mean]))
    return lines


def _edited(page: Page, round_: int) -> dict[str, float]:
    page.bring_to_front()
    return page.evaluate(f"editBench(0.{round_ % 7 + 11})")


def _all_figures(benches: dict[str, Page]) -> list[Line]:
    """The same with one picture and with every picture open, in a window that shows all of them."""
    lines = []
    for size, page in benches.items():
        page.bring_to_front()
        page.set_viewport_size(TALL)
        buttons = page.locator(".st-key-pictures .stButtonGroup button")
        for index in range(buttons.count()):
            if index:
                buttons.nth(index).click()
            page.locator(".mha-plot").nth(index).scroll_into_view_if_needed()
            page.locator(".js-plotly-plot").nth(index).wait_for()
            if index in (0, buttons.count() - 1):
                page.wait_for_load_state("networkidle")
                lines += _with_figures(page, size, index + 1)
    return lines


def _with_figures(page: Page, size: str, count: int) -> list[Line]:
    taken = [_edited(page, round_) for round_ in range(ROUNDS + 2)][2:]
    goals = {SMALL: (GOALS[size], 5), MIDDLE: (GOALS[size], 8)}[size]
    return [
        Line(
            f"{size}: numbers, {count} pictures open",
            [edit["numbers"] for edit in taken],
            goal=(goals[0], EMPTY),
        ),
        Line(
            f"{size}: all {count} pictures painted",
            [edit["figured"] for edit in taken],
            goal=(goals[1], EMPTY),
        ),
    ]


def _hover(page: Page) -> list[Line]:
    page.bring_to_front()
    taken = page.evaluate("hover()")
    return [
        Line("8×8×4: hover → arithmetic in the page", [times["inPage"] for times in taken], goal=(16, "")),
        Line("8×8×4: hover → painted, next frame included", [times["painted"] for times in taken]),
    ]


def _starts() -> Line:
    """From the start of the process to the numbers on the first visitor's page."""
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
