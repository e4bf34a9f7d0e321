"""The web kit's numbers, graph and arithmetic, in Node, against what Python derives of every cell of every example."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mha_core import built_in, library, trace
from mha_core.derive import arithmetic, cells, derive, feeds
from mha_core.example import NEG_INF
from mha_ui.bench.model import numbers

HERE = Path(__file__).resolve().parent
DECIMALS = (4, 6)


def text(value: float, decimals: int, whole: bool) -> str:
    """A computed number as a table shows it."""
    if value == NEG_INF:
        return "−∞"
    shown = f"{value:.{0 if whole else decimals}f}"
    return (shown if float(shown) else shown.removeprefix("-")).replace("-", "−")


def derived(name: str, decimals: int) -> dict[str, Any]:
    """What the browser is sent of an example, and what it must make of it."""
    computed = trace(built_in(name))
    found = []
    for cell in cells(computed):
        derivation = derive(computed, cell)
        rows = computed.matrix(cell.name, cell.head)
        whole = all(value == NEG_INF or value.is_integer() for row in rows for value in row)
        found.append(
            {
                "cell": cell._asdict(),
                "terms": [[of._asdict() for of in term.cells] for term in derivation.terms],
                "line": arithmetic(derivation, decimals),
                "text": text(derivation.value, decimals, whole),
            }
        )
    read = {of for cell in cells(computed) for term in derive(computed, cell).terms for of in term.cells}
    return {
        "name": name,
        "model": numbers(computed, "en", decimals),
        "cells": found,
        "feeds": [
            {"cell": cell._asdict(), "fed": [of._asdict() for of in feeds(computed, cell)]}
            for cell in sorted(read, key=str)
        ],
    }


def test_node_finds_the_terms_the_lines_and_the_texts_that_python_does(tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.fail("Node runs the tests of the JavaScript, and there is none: install Node 20 or newer.")
    examples = [derived(entry, decimals) for entry in library() for decimals in DECIMALS]
    held = tmp_path / "examples.json"
    held.write_text(json.dumps(examples), encoding="utf-8")
    ran = subprocess.run(
        [node, "--test", "--test-reporter=spec", *map(str, sorted(HERE.glob("*.test.js")))],
        env={**os.environ, "MHA_EXAMPLES": str(held)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
