"""The web kit's numbers, graph and arithmetic, in Node, against what Python derives of every cell of every example."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from functools import cache
from math import inf
from pathlib import Path
from typing import Any

import pytest

from mha_core import Cell, Trace, built_in, library, trace
from mha_core.compute.derive import Derivation, arithmetic, cells, derive, feeds
from mha_view.tables import numbers
from mha_view.tables.words import ui_words
from mha_view.walk import stages
from tests.core.new_step import output_of, with_the_step
from tests.sizes import turns

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DECIMALS = (4, 6)
NEW_STEP = f"""
import json, sys
sys.path.append({str(ROOT)!r})
from tests.js.test_kit import derived
print(json.dumps(derived("first", 4)))
"""
"""What a copy of the code with a made-up operation derives: the browser receives it, and has nothing of its own."""


def text(value: float, decimals: int, whole: bool) -> str:
    """A computed number as a table shows it."""
    if value == -inf:
        return "−∞"
    shown = f"{value:.{0 if whole else decimals}f}"
    return (shown if float(shown) else shown.removeprefix("-")).replace("-", "−")


@cache
def worked_out(name: str) -> tuple[Trace, dict[Cell, Derivation], list[dict[str, Any]]]:
    """A built-in example with each of its cells, and where each number that is read goes; whatever the decimals."""
    computed = trace(built_in(name))
    derivations = {cell: derive(computed, cell) for cell in cells(computed)}
    read = {of for one in derivations.values() for term in one.terms for of in term.cells}
    fed = [
        {"cell": cell._asdict(), "fed": [of._asdict() for of in feeds(computed, cell)]}
        for cell in sorted(read, key=str)
    ]
    return computed, derivations, fed


def derived(name: str, decimals: int) -> dict[str, Any]:
    """What the browser is sent of an example, and what it must make of it."""
    computed, derivations, fed = worked_out(name)
    found = []
    for cell, derivation in derivations.items():
        rows = computed.matrix(cell.name, cell.head)
        whole = all(value == -inf or value.is_integer() for row in rows for value in row)
        found.append(
            {
                "cell": cell._asdict(),
                "terms": [[of._asdict() for of in term.cells] for term in derivation.terms],
                "line": arithmetic(derivation, decimals),
                "text": text(derivation.value, decimals, whole),
            }
        )
    return {
        "name": name,
        "model": {
            **numbers(computed, "en", decimals),
            "words": ui_words("en"),
            "stages": stages(computed, "en"),
        },
        "cells": found,
        "feeds": fed,
        "hidden": computed.hidden,
    }


def printed() -> list[dict[str, Any]]:
    """Numbers as Python prints them: many that lie midway between two of so many decimals, and others."""
    ties = [odd / 2**n for n in range(1, 12) for odd in (1, 3, 5, 7, 9, 11, 13, 125, 1001, 99999)]
    large = [1000500000, 1001500000, 9999500000, 1.0005e15, 12345e12, 2.5e18, 1e9, 123456789012]
    others = [0.1 + 0.2, 1 / 3, 0.15, 1.005, 2.675, 1e-7, 2.5e-7, 8.5, 1e-300, 3.0]
    numbers = [sign * number for number in ties + large + others for sign in (1, -1)] + [0]
    return [
        {"number": number, "decimals": decimals, "f": f"{number:.{decimals}f}", "e": f"{number:.{decimals}e}"}
        for number in numbers
        for decimals in range(11)
    ]


def test_node_finds_the_terms_the_lines_and_the_texts_that_python_does(tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.fail("Node runs the tests of the JavaScript, and there is none: install Node 20 or newer.")
    examples = [derived(entry, decimals) for entry, decimals in turns(library(), DECIMALS)]
    examples.append(output_of(with_the_step(tmp_path), NEW_STEP) | {"name": "first with a step that is new"})
    held = tmp_path / "examples.json"
    held.write_text(json.dumps({"examples": examples, "printed": printed()}), encoding="utf-8")
    every_file = "".join(
        f'import "{file.as_uri()}";' for file in sorted(HERE.glob("*.test.js"))
    )  # in one process
    ran = subprocess.run(
        [
            node,
            "--test-reporter=spec",
            "--input-type=module",
            "--eval",
            every_file,
        ],
        env={**os.environ, "MHA_EXAMPLES": str(held)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_only_the_guarded_store_touches_the_browsers_storage():
    """A browser may forbid it, and then throws at each access (tests/js/storage.test.js)."""
    users = [
        path
        for path in (ROOT / "web").rglob("*.js")
        if re.search(r"(local|session)Storage", path.read_text("utf-8"))
    ]
    assert users == [ROOT / "web" / "kit" / "storage.js"]


ALSO = {
    "audience": {"walk"},
    "page": {"explore", "walk"},
    "cell": {"page"},
    "heads": {"models"},
}
"""What a page imports besides its own modules and the kit's: a telephone shows the walkthrough itself, a page without a
server Explore too, a notebook cell that page, or the heads of the page Models.
"""


def test_a_page_imports_its_own_modules_and_the_kits_and_the_kit_only_its_own():
    web = ROOT / "web"
    for script in web.rglob("*.js"):
        page = script.relative_to(web).parts[0]
        for module in re.findall(r'^(?:import|\}) .*from "(.*)";$', script.read_text("utf-8"), re.MULTILINE):
            other = (script.parent / module).resolve()
            assert other.is_file(), f"{script.relative_to(web)} imports {module}"
            owner = other.relative_to(web).parts[0]
            allowed = {"kit"} if page == "kit" else {page, "kit", *ALSO.get(page, ())}
            assert owner in allowed, f"{script.relative_to(web)} imports {module}"
