"""All heads in one picture, drawn by the page Models and by other tools from the same weights, in turns.

``make peers bench ARGS=peers`` installs the other tools; without them our page is measured alone. Each tool draws its
picture of all heads: BertViz its model view, CircuitsVis its attention heads, Inspectus its attention chart, which
shows their mean. Bytes are those of the weights in each tool's format, without scripts. Time runs from these bytes, in
a page that has drawn a short sentence before, to the last frame in which anything was drawn.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import inf
from pathlib import Path
from statistics import median
from threading import Thread

import torch
from playwright.sync_api import Browser, Error, sync_playwright
from torch import Tensor

from benchmarks.table import Line
from mha_core.models import Tokens
from mha_core.models.measures import Places
from mha_ui.models.words import ui_words
from mha_view.heads.glance import Glance, header_and_arrays
from mha_view.message import packed
from mha_view.palette import css_variables
from tools.drive.browser import chromium
from tools.drive.server import ROOT

PEERS = Path(os.environ.get("MHA_PEERS", ROOT / ".peers"))
"""Where ``make peers`` puts the other tools' packages."""
OURS = "ours"
NEEDED = {
    OURS: {},
    "BertViz": {
        "bertviz.js": "bertviz/model_view.js",
        "jquery.js": "node_modules/jquery/dist/jquery.min.js",
        "d3.js": "node_modules/d3/dist/d3.min.js",
    },
    "CircuitsVis": {"circuitsvis.js": "circuitsvis/dist/cdn/iife.js"},
    "Inspectus": {"inspectus.js": "inspectus/static/js/charts.js"},
}
"""The scripts of each tool, by their paths in its package."""
SIZES = ((1, 12, 16), (1, 12, 64), (1, 12, 128), (1, 12, 256), (6, 12, 128), (1, 12, 512), (6, 12, 512))
"""Layers, heads, tokens; from few weights to many."""
SHORT = 6
"""Tokens of the sentence that is drawn first."""
ROUNDS, SLOW, TOO_SLOW, LIMIT = 15, 2_000.0, 30_000.0, 120_000.0
"""Pictures by each tool; and milliseconds above which no second picture is drawn, no larger one, or none at all."""
FLAGS = ("--disable-frame-rate-limit",)
"""Frames are painted at once: waiting up to 16 ms for the screen's next frame would be most of a short time."""
PAGE = """<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="/web/models/models.css">
<style>{variables}</style><body>"""


def measure() -> list[Line]:
    """The bytes and the time of each picture, at each size."""
    tools = [tool for tool in TOOLS if all((PEERS / path).exists() for path in NEEDED[tool].values())]
    for missing in TOOLS.keys() - tools:
        print(f"{missing} is not in {PEERS}: `make peers` puts it there.")
    lines = []
    with sync_playwright() as playwright, serving() as (url, files):
        browser = chromium(playwright, *FLAGS)
        for layers, h, n in SIZES:
            weights, tokens = drawn(layers, h, n)
            for tool in tools:
                files[f"/short/{tool}"] = TOOLS[tool](*drawn(layers, h, SHORT))
                files[f"/data/{tool}"] = TOOLS[tool](weights, tokens)
            sizes = {tool: len(files[f"/data/{tool}"]) for tool in tools}
            taken = _in_turns(browser, url, tools)
            tools = [tool for tool in tools if taken[tool][0] < TOO_SLOW]
            size = f"{layers} × {h} heads × {n} tokens" if layers > 1 else f"{h} heads × {n} tokens"
            lines += [*_bytes(size, sizes), *_times(size, taken)]
        browser.close()
    return lines


def _bytes(size: str, sizes: Mapping[str, int]) -> list[Line]:
    limit = (300_000.0, "") if size == "12 heads × 128 tokens" else None
    return [
        Line(f"{size}: bytes, {tool}", [float(count)] * 2, "bytes", limit if tool == OURS else None)
        for tool, count in sizes.items()
    ]


def _times(size: str, taken: Mapping[str, list[float]]) -> list[Line]:
    """The time of each tool, ours in comparison with the best of the others."""
    others = {tool: median(samples) for tool, samples in taken.items() if tool != OURS}
    best = min(others, key=lambda tool: others[tool], default=None)

    def name(tool: str) -> str:
        return f"{size}: drawn, {tool}" + (" (given up)" if inf in taken[tool] else "")

    return [
        Line(
            name(tool),
            [min(sample, LIMIT) for sample in (samples * 2)[: max(2, len(samples))]],
            goal=(0.5, name(best)) if tool == OURS and best else None,
        )
        for tool, samples in taken.items()
    ]


# --- the same weights ------------------------------------------------------------------------------------------------


def drawn(layers: int, h: int, n: int) -> tuple[Tensor, Tokens]:
    """Weights L × h × n × n, some of them sharp and some flat, and a sentence of n words."""
    generator = torch.Generator().manual_seed(n)
    scores = torch.randn(layers, h, n, n, generator=generator)
    sharpness = torch.linspace(0.5, 4, layers * h).view(layers, h, 1, 1)
    words = ("cat", "sat", "mat", "tired", "slept", "warm", "house", "on", "the", "and")
    texts = ("[CLS]", *(words[i % len(words)] for i in range(n - 2)), "[SEP]")
    special = tuple(text.startswith("[") for text in texts)
    numbered = tuple(None if special[i] else i - 1 for i in range(n))
    return (scores * sharpness).softmax(-1), Tokens(
        tuple(range(n)), texts, numbered, special, (0,) * n, (None,) * n
    )


def ours(weights: Tensor, tokens: Tokens) -> bytes:
    """The data of the page Models, with a pixel for each pair."""
    layers, h, n, _ = weights.shape
    places = Places.of(tokens, causal=False)
    described, arrays = header_and_arrays([tokens], [[Glance.of(layer, places, n) for layer in weights]], n)
    return packed({"model": "own", "layers": layers, "heads": h, "aligned": [], **described}, arrays)


def bertviz(weights: Tensor, tokens: Tokens) -> bytes:
    """The parameters that ``model_view`` writes into its script."""
    layers, h, *_ = weights.shape
    attention = {
        "name": None,
        "attn": weights.tolist(),
        "left_text": tokens.texts,
        "right_text": tokens.texts,
    }
    return json.dumps(
        {
            "attention": [attention],
            "default_filter": "0",
            "display_mode": "light",
            "root_div_id": "bertviz",
            "include_layers": [*range(layers)],
            "include_heads": [*range(h)],
            "total_heads": h,
        }
    ).encode()


def circuitsvis(weights: Tensor, tokens: Tokens) -> bytes:
    """The properties that ``attention_heads`` gives its component: heads × n × n, of all layers."""
    return json.dumps({"attention": weights.flatten(0, 1).tolist(), "tokens": tokens.texts}).encode()


def inspectus(weights: Tensor, tokens: Tokens) -> bytes:
    """What ``attention`` writes into the page."""
    n = len(tokens.texts)
    maps = [
        {
            "values": base64.b64encode(head_map.numpy().tobytes()).decode(),
            "info": {"layer": layer, "head": head},
            "shape": (n, n),
        }
        for layer, layer_maps in enumerate(weights)
        for head, head_map in enumerate(layer_maps)
    ]
    charts = ["attention_matrix", "query_token_heatmap", "key_token_heatmap", "dimension_heatmap"]
    return json.dumps(
        {
            "attention": maps,
            "src_tokens": tokens.texts,
            "tgt_tokens": tokens.texts,
            "chart_types": charts,
            "dimensions": [{"name": "layer"}, {"name": "head"}],
        }
    ).encode()


TOOLS: dict[str, Callable[[Tensor, Tokens], bytes]] = {
    OURS: ours,
    "BertViz": bertviz,
    "CircuitsVis": circuitsvis,
    "Inspectus": inspectus,
}


# --- in the browser --------------------------------------------------------------------------------------------------


def _in_turns(browser: Browser, url: str, tools: list[str]) -> dict[str, list[float]]:
    """Milliseconds of each picture, round by round."""
    taken: dict[str, list[float]] = {tool: [] for tool in tools}
    for _ in range(ROUNDS):
        for tool, samples in taken.items():
            if not samples or samples[0] < SLOW:
                samples.append(_picture(browser, url, tool))
    return taken


def _picture(browser: Browser, url: str, tool: str) -> float:
    """Milliseconds to a picture in a new page; ∞ where it takes too long."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(url)
    page.evaluate(
        "async (tool) => { window.draw = await (await import('/drawing.js')).prepared(tool); }", tool
    )
    page.evaluate("() => { setTimeout(async () => { window.ms = await draw(); }); }")
    try:
        page.wait_for_function("() => window.ms", timeout=LIMIT, polling=100)
        return float(page.evaluate("ms"))
    except Error:  # it takes too long, or the page has crashed
        return inf
    finally:
        page.close()


# --- serving ---------------------------------------------------------------------------------------------------------


@contextmanager
def serving() -> Iterator[tuple[str, dict[str, bytes]]]:
    """A server of our page's modules, the other tools' scripts, and whatever is put into the returned dictionary."""
    files = {
        "/": PAGE.format(variables=css_variables()).encode(),
        "/words": json.dumps(ui_words("en")).encode(),
        "/drawing.js": (ROOT / "benchmarks/drawing.js").read_bytes(),
        **{
            f"/peers/{name}": (PEERS / path).read_bytes()
            for scripts in NEEDED.values()
            for name, path in scripts.items()
            if (PEERS / path).exists()
        },
    }
    files |= {
        f"/{path.relative_to(ROOT).as_posix()}": path.read_bytes() for path in (ROOT / "web").rglob("*.*")
    }
    files["/web/mha.explore/explore.css"] = (
        ROOT / "web/explore/explore.css"
    ).read_bytes()  # as Streamlit serves it
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, files))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", files
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, files: Mapping[str, bytes], *arguments: object) -> None:
        self._files = files
        super().__init__(*arguments)  # type: ignore[arg-type]  # a request, an address and the server

    def do_GET(self) -> None:
        """Serve one of the files."""
        body = self._files.get(self.path)
        self.send_response(200 if body is not None else 404)
        kinds = {".js": "text/javascript", ".css": "text/css"}
        self.send_header("Content-Type", kinds.get(Path(self.path).suffix, "text/html"))
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_: object) -> None:
        """Log nothing."""
