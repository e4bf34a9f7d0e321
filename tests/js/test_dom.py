"""What the browser's modules do to a page, in Node with a document of happy-dom's: keys, clicks, and what they show.

``dom/NAME.test.js`` is run with the payloads of ``dom/NAME.py``: what Python sends the component, by name. What needs
layout, paint or a server is tried in a real browser (``tests/e2e``).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from mha_view import page_words
from mha_view.language import LANGUAGES

TESTS = sorted(
    path.name.removesuffix(".test.js") for path in (Path(__file__).parent / "dom").glob("*.test.js")
)


@cache
def words() -> dict[str, dict[str, dict[str, str]]]:
    """The words of every page, in every language."""
    return {page: {code: page_words.words_of(page, code) for code in LANGUAGES} for page in page_words.PAGES}


@pytest.mark.parametrize("name", TESTS)
def test_in_a_document_without_a_browser(name, tmp_path):
    node = shutil.which("node")
    assert node, "Node runs the tests of the JavaScript, and there is none: install Node 20 or newer."
    payloads = tmp_path / "payloads.json"
    given = {"payloads": import_module(f"tests.js.dom.{name}").payloads(), "words": words()}
    payloads.write_text(json.dumps(given), "utf-8")
    ran = subprocess.run(
        [
            node,
            "--experimental-vm-modules",  # page.js gives each page modules of its own
            "--max-semi-space-size=64",  # pages are built and thrown away: fewer, larger collections
            "--test-force-exit",
            "--test-reporter=spec",
            f"{Path(__file__).parent}/dom/{name}.test.js",
        ],
        env={**os.environ, "MHA_PAYLOADS": str(payloads)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
