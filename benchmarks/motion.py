"""Motion on the walkthrough: frames a second, and how long a key press takes while something moves."""

from __future__ import annotations

from statistics import median

from playwright.sync_api import Page, ViewportSize, sync_playwright

from benchmarks.table import Line
from benchmarks.walk import PRESS
from mha_core import to_token
from tools.drive.browser import chromium
from tools.drive.server import running
from tools.drive.walk import Walk
from tools.examples import sized

SIZES = {"3×2×2": (sized(3, 2, 2), 50), "8×8×4": (sized(8, 8, 4), 30)}
"""An example, and the least number of frames a second."""
STEPS = ("q", "scores", "scaled_scores", "weights", "head_outputs", "concat")
VIEWPORT: ViewportSize = {"width": 1280, "height": 720}
MOST = 60
"""The most key presses measured with an example."""

FRAMES = (
    PRESS
    + """
const root = () =>
  [...document.querySelectorAll("*")].map((node) => node.shadowRoot?.querySelector(".walk")).find(Boolean);
const press = (key) =>
  document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
window.framesOfMotion = async () => {
  const walk = root();
  press("m");
  const times = [];
  while (walk.dataset.motion === "plays") times.push(await new Promise((done) => requestAnimationFrame(done)));
  return (times.at(-1) - times[0]) / (times.length - 1);
};
window.pressWhileMoving = async (most) => {
  const walk = root();
  const taken = [];
  for (let before = ""; before !== walk.dataset.at && taken.length < most; ) {
    before = walk.dataset.at;
    await new Promise((done) => setTimeout(done, 450)); // each step still moves at the next press
    await painted();
    const moves = walk.dataset.motion === "plays";
    const begin = performance.now();
    press("ArrowRight");
    if (before !== walk.dataset.at) taken.push({moves, painted: (await painted()) - begin});
  }
  return taken;
};
"""
)


def measure() -> list[Line]:
    """Frames of the motion of each kind of step, whole and in its first part, and key presses during motion."""
    lines = []
    with running() as server, sync_playwright() as playwright:
        browser = chromium(playwright)
        for size, (example, least) in SIZES.items():
            page = browser.new_context(viewport=VIEWPORT).new_page()
            page.add_init_script(FRAMES)
            address = f"{server.url}walkthrough?s={to_token(example)}&view=projector"
            frames = [_frame(page, f"{address}&step={step}&sub={sub}") for step in STEPS for sub in ("", "1")]
            presses = _presses(page, address)
            lines += [
                Line(f"motion, {size}: a frame of it", frames, goal=(1000 / least, "")),
                Line(f"motion, {size}: key in its midst → next painted", presses, goal=(50, ""), by="p95"),
            ]
            page.context.close()
        browser.close()
    return lines


def _frame(page: Page, address: str) -> float:
    """Milliseconds from frame to frame, the median of three plays of one motion."""
    Walk(page).open(address)
    return median(page.evaluate("framesOfMotion()") for _ in range(3))


def _presses(page: Page, address: str) -> list[float]:
    """Milliseconds until the next place is painted and its motion has begun, while another motion plays."""
    Walk(page).open(address).press("ArrowDown", "ArrowDown")
    taken = page.evaluate("most => pressWhileMoving(most)", MOST)
    return [times["painted"] for times in taken if times["moves"]]
