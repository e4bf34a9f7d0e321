"""What a lecturer waits for: from a key press on the walkthrough to the next sub-step painted, in Chromium."""

from __future__ import annotations

from playwright.sync_api import sync_playwright

from benchmarks.table import Line
from mha_core import to_token
from tools.drive.browser import chromium
from tools.drive.server import running
from tools.drive.walk import Walk
from tools.examples import sized

MOST = 250
"""The most key presses measured at each depth."""

PRESS = """
const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()), 0)));
window.walkThrough = async (most) => {
  const host = [...document.querySelectorAll("*")].find((node) => node.shadowRoot?.querySelector(".walk"));
  const walk = host.shadowRoot.querySelector(".walk");
  const taken = [];
  for (let before = ""; before !== walk.dataset.at && taken.length < most; ) {
    before = walk.dataset.at;
    await painted();
    const begin = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true, cancelable: true}));
    const inPage = performance.now() - begin;
    if (before !== walk.dataset.at) taken.push({inPage, painted: (await painted()) - begin});
  }
  return taken;
};
"""


def measure() -> list[Line]:
    """Whole walks at each depth, of the first example and of 8×8×4, on the page and on a projector."""
    walks = {
        "first example, projector": "?example=first&view=projector",
        "8×8×4": f"?s={to_token(sized(8, 8, 4))}",
    }
    lines = []
    with running() as server, sync_playwright() as playwright:
        browser = chromium(playwright)
        for name, query in walks.items():
            page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
            page.add_init_script(PRESS)
            walk = Walk(page).open(f"{server.url}walkthrough{query}")
            taken = []
            for _ in range(3):
                walk.press("Home")
                taken += page.evaluate("most => walkThrough(most)", MOST)
                walk.press("Home", "ArrowDown")
            painted = [times["painted"] for times in taken]
            lines += [
                Line(f"walk, {name}: key → painted", painted, goal=(50, "")),
                Line(f"walk, {name}: key → painted, 19 of 20", painted, goal=(100, ""), by="p95"),
                Line(f"walk, {name}: key → in the page", [times["inPage"] for times in taken]),
            ]
        browser.close()
    return lines
