"""A notebook cell with all heads of a run, and what other tools show of the same weights: 12 layers × 12 heads.

``make peers bench ARGS=notebook`` installs the other tools; without them our cell is measured alone. Each tool makes
the HTML that a notebook shows by its own function: BertViz its model view, CircuitsVis its attention heads, Inspectus
its attention chart. Measured are the seconds to make it, its bytes, and the time in Chromium from the navigation to the
last frame in which anything was drawn. There is no network: requests to the hosts that BertViz' HTML loads its scripts
from are answered with these scripts at once. A tool that draws nothing within ``LIMIT``, or whose HTML would exceed the
longest text that Chromium holds, is given up.
"""

from __future__ import annotations

import importlib.metadata
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from math import inf
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from unittest.mock import patch

import torch
from playwright.sync_api import Browser, Error, Page, Route, sync_playwright

from benchmarks.peers import PEERS
from benchmarks.table import Line
from mha_core.interop.running.attentions import Attentions
from mha_core.interop.running.captured import Captured
from mha_view.heads.cell import cell
from tools.drive.browser import chromium

OURS = "ours"
LAYERS, HEADS, WIDTH = 12, 12, 64
SIZES = (128, 1024)
ROUNDS, MADE = 5, 2
"""How often each HTML is drawn, and made."""
REST, LIMIT = 1_500.0, 60_000.0
"""Milliseconds without anything new after which a picture is finished, and after which a tool is given up."""
LONGEST = 500_000_000
"""Bytes of HTML above which Chromium, whose texts have at most 2²⁹ characters, is not asked to draw it."""
NEEDED = {
    "BertViz": ("bertviz/model_view.js", *(f"node_modules/{name}" for name in ("d3", "jquery", "requirejs"))),
    "CircuitsVis": ("circuitsvis/dist/cdn/iife.js",),
    "Inspectus": ("inspectus/static/js/charts.js",),
}
SERVED = {
    "require": "node_modules/requirejs/require.js",
    "jquery": "node_modules/jquery/dist/jquery.min.js",
    "d3": "node_modules/d3/dist/d3.min.js",
}
WATCH = """(() => {
    window.lastDrawn = 0;
    const stir = () => requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => { window.lastDrawn = performance.timeOrigin + performance.now(); };
        port2.postMessage(0);
    });
    const everything = { subtree: true, childList: true, attributes: true, characterData: true };
    new MutationObserver(stir).observe(document, everything);
    for (const { prototype } of [CanvasRenderingContext2D, WebGL2RenderingContext])
        for (const name of ["putImageData", "drawImage", "fillRect", "fill", "stroke", "drawArrays", "drawElements"]) {
            const draw = prototype[name];
            if (draw) prototype[name] = function (...given) { stir(); return draw.apply(this, given); };
        }
})()"""
"""``window.lastDrawn``: when the last frame with anything new was painted, in each frame of a page."""
RESTS = """(rest) => document.querySelector("canvas, svg") && window.lastDrawn &&
    performance.timeOrigin + performance.now() - window.lastDrawn > rest"""


def measure() -> list[Line]:
    """Bytes, seconds to make and milliseconds to draw, of each tool at each size."""
    tools = [tool for tool in TOOLS if all((PEERS / path).exists() for path in NEEDED.get(tool, ()))]
    for missing in TOOLS.keys() - tools:
        print(f"{missing} is not in {PEERS}: `make peers` puts it there.")
    lines: list[Line] = []
    with TemporaryDirectory() as folder, patch.object(sys, "path", [*sys.path, str(PEERS)]):
        sizes: dict[str, int] = {}
        for n in SIZES:
            run = drawn(n)
            longer = (n / SIZES[0]) ** 2
            able = [tool for tool in tools if tool == OURS or sizes.get(tool, 0) * longer < LONGEST]
            for tool in set(tools) - set(able):
                print(f"{tool}, {n} tokens: about {sizes[tool] * longer / 1e9:.1f} GB of HTML, given up.")
            lines += _measured(able, run, n, Path(folder), sizes)
    return lines


def _measured(tools: list[str], run: Attentions, n: int, folder: Path, sizes: dict[str, int]) -> list[Line]:
    """The lines of one size; ``sizes`` becomes the bytes of each tool's HTML."""
    made: dict[str, list[float]] = {}
    for tool in tools:
        made[tool] = []
        for _ in range(MADE):
            start = time.perf_counter()
            html = TOOLS[tool](run)
            made[tool].append(time.perf_counter() - start)
        page = f'<!doctype html><meta charset="utf-8"><body>{html}</body>'
        (folder / f"{tool}.html").write_text(page, "utf-8")
        sizes[tool] = (folder / f"{tool}.html").stat().st_size
    taken = _in_turns(tools, folder)
    able = [tool for tool in tools if tool != OURS and inf not in taken[tool]]

    def name(what: str, tool: str) -> str:
        return f"{n} tokens: {what}, {tool}" + (" (given up)" if inf in taken[tool] else "")

    def goal(what: str, tool: str, numbers: dict[str, float]) -> tuple[float, str] | None:
        return (0.5, name(what, min(able, key=lambda one: numbers[one]))) if tool == OURS and able else None

    times = {tool: median(samples) for tool, samples in taken.items()}
    bytes_of = {tool: float(sizes[tool]) for tool in tools}
    return [
        *(Line(name("made", tool), [1000 * one for one in made[tool]]) for tool in tools),
        *(
            Line(name("HTML", tool), [bytes_of[tool]] * 2, "bytes", goal("HTML", tool, bytes_of))
            for tool in tools
        ),
        *(
            Line(
                name("drawn", tool),
                [min(sample, LIMIT) for sample in (taken[tool] * 2)[: max(2, len(taken[tool]))]],
                goal=goal("drawn", tool, times),
            )
            for tool in tools
        ),
    ]


# --- the same weights ------------------------------------------------------------------------------------------------


def drawn(n: int) -> Attentions:
    """A decoder's attentions over n tokens, some of them sharp and some flat."""
    generator = torch.Generator().manual_seed(n)
    hidden = torch.ones(n, n, dtype=torch.bool).triu(1)
    tokens = tuple(f"t{at}" for at in range(n))
    found = []
    for layer in range(LAYERS):
        q, k, v = (torch.randn(HEADS, n, WIDTH, generator=generator) for _ in range(3))
        q *= torch.linspace(0.5, 4, HEADS).view(HEADS, 1, 1)
        weights = (q @ k.mT / WIDTH**0.5).masked_fill(hidden, -inf).softmax(-1)
        found.append(
            Captured(f"h.{layer}.attn", q, k, v, weights, weights @ v, None, True, "sqrt_dk", tokens, None)
        )
    return Attentions(found)


def bertviz(run: Attentions) -> str:
    """The HTML that ``model_view`` returns."""
    model_view = import_module("bertviz").model_view
    return str(model_view([one.weights[None] for one in run], list(run[0].tokens), html_action="return").data)


def circuitsvis(run: Attentions) -> str:
    """The HTML of ``attention_heads`` with its script in it, as it is without a network."""
    with patch.dict(sys.modules, {"importlib_metadata": importlib.metadata}):
        attention_heads = import_module("circuitsvis.attention").attention_heads
        weights = torch.cat([one.weights for one in run])
        return str(attention_heads(attention=weights, tokens=list(run[0].tokens)).local_src)


def inspectus(run: Attentions) -> str:
    """The HTML that ``attention`` displays, which has the script in it."""
    attention = import_module("inspectus").attention
    shown: list[str] = []
    with patch("IPython.display.display", lambda html: shown.append(html.data)):
        attention(torch.stack([one.weights for one in run]), list(run[0].tokens))
    return "".join(shown)


TOOLS: dict[str, Callable[[Attentions], str]] = {
    OURS: cell,
    "BertViz": bertviz,
    "CircuitsVis": circuitsvis,
    "Inspectus": inspectus,
}


# --- in the browser --------------------------------------------------------------------------------------------------


def _in_turns(tools: list[str], folder: Path) -> dict[str, list[float]]:
    """Milliseconds of each picture, round by round; one that was given up is not drawn again."""
    taken: dict[str, list[float]] = {tool: [] for tool in tools}
    with sync_playwright() as playwright:
        browser = chromium(playwright)
        for _ in range(ROUNDS):
            for tool, samples in taken.items():
                if inf not in samples:
                    samples.append(_picture(browser, folder / f"{tool}.html"))
        browser.close()
    return taken


def _picture(browser: Browser, file: Path) -> float:
    """Milliseconds from the navigation to the last drawing; ∞ where none comes in time."""
    with _page(browser) as page:
        try:
            page.goto(file.as_uri(), timeout=LIMIT, wait_until="commit")
            page.wait_for_load_state(timeout=LIMIT)
            frame = page.frames[-1]
            frame.wait_for_function(RESTS, arg=REST, polling=100, timeout=LIMIT)
            return float(frame.evaluate("window.lastDrawn") - page.evaluate("performance.timeOrigin"))
        except Error:  # it takes too long, or the page has crashed
            return inf


@contextmanager
def _page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.add_init_script(WATCH)
    context.route(re.compile("^https:"), _serve)
    page = context.new_page()
    page.set_default_timeout(LIMIT)
    try:
        yield page
    finally:
        context.close()


def _serve(route: Route) -> None:
    """The scripts that BertViz' HTML requests; nothing else is answered."""
    path = next((path for name, path in SERVED.items() if f"/{name}" in route.request.url), None)
    if path:
        route.fulfill(path=PEERS / path, content_type="text/javascript")
    else:
        route.abort()
