"""What the browser's modules do to a page, in Node with a document of happy-dom's: keys, clicks, and what they show.

What needs layout, paint or a server is tried in a real browser (``tests/e2e``).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mha_core import built_in
from mha_ui import state
from mha_ui.bench.model import payload as bench_payload
from mha_ui.walkthrough.model import payload as walk_payload

HERE = Path(__file__).resolve().parent / "dom"
TESTS = sorted(HERE.glob("*.test.js"))


def work(name: str, language: str = "en") -> state.Work:
    return state.Work(state.begun(built_in(name), name), language)


@pytest.fixture(scope="session")
def payloads(tmp_path_factory) -> Path:
    """What Python sends each component, as JSON."""
    sent: dict[str, Any] = {
        "explore": bench_payload(work("first")),
        "walk": walk_payload(work("first")),
        "walk with shared keys": walk_payload(work("grouped-query")),
    }
    path = tmp_path_factory.mktemp("dom") / "payloads.json"
    path.write_text(json.dumps(sent, ensure_ascii=False), "utf-8")
    return path


@pytest.mark.parametrize("test", TESTS, ids=lambda path: path.name.removesuffix(".test.js"))
def test_in_a_document_without_a_browser(test, payloads):
    node = shutil.which("node")
    assert node, "Node runs the tests of the JavaScript, and there is none: install Node 20 or newer."
    ran = subprocess.run(
        [node, "--test", "--test-force-exit", "--test-reporter=spec", str(test)],
        env={**os.environ, "MHA_PAYLOADS": str(payloads)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
