"""From an edited number of X to all numbers: our evaluators and LibreOffice Calc with the same layer, in turns.

The workbook is an .xlsx file with a formula in each computed cell. Calc leaves cells that nobody reads as they were, so
the benchmark calls its ``calculate`` after each edit. Its time includes three calls through a pipe, shown by themselves
too; ours has no such calls. After every edit all must agree on every number of the result.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.browser import EXAMPLES
from benchmarks.table import Line
from benchmarks.workbook import CALC, PYTHON, has_calc, workbook
from mha_core import Example, trace
from mha_core.edit.edit import read_edit
from mha_core.edit.edits import apply
from mha_view.tables import numbers
from tools.drive.server import ROOT

ROUNDS, WARM, EXACT = 60, 20, 1e-9
DIVISOR = 1000.0
"""Larger than √d_k: no weight is 0 or 1, so nearly every number of the result follows the edit."""
MISSING = "LibreOffice is not measured: `apt-get install libreoffice-calc python3-uno` installs it."
EVALUATOR = """
import { createInterface } from "node:readline";
import { evaluate } from "./web/kit/evaluate.js";
import { withTable } from "./web/kit/graph.js";
let model;
for await (const line of createInterface({ input: process.stdin })) {
  if (!model) { model = JSON.parse(line); continue; }
  const begin = performance.now();
  const edited = (rows) => rows.map((row, at) => (at ? row : [Number(line), ...row.slice(1)]));
  model.matrices.x = withTable(model.matrices.x, null, edited);
  evaluate(model, ["x"]);
  console.log(JSON.stringify([[performance.now() - begin], model.matrices.concat.values]));
}
"""
Answer = tuple[list[float], list[list[float]]]
"""Milliseconds, and the result."""


def measure() -> list[Line]:
    """The core, the page's evaluator in Node, and Calc where it is installed, at each size."""
    if not has_calc():
        print(MISSING)
    return [
        line for size, example in EXAMPLES.items() for line in _size(size, replace(example, scale=DIVISOR))
    ]


def _size(size: str, example: Example) -> list[Line]:
    node = ["node", "--input-type=module", "-e", EVALUATOR]
    with ExitStack() as stack:
        tools: dict[tuple[str, ...], Callable[[float], Answer]] = {
            ("core, read back",): lambda number: _core(example, number),
            ("evaluator in Node",): _asked(stack, node, numbers(trace(example), "en", 4)),
        }
        if has_calc():
            calc = [PYTHON, "-c", CALC, stack.enter_context(TemporaryDirectory())]
            tools["LibreOffice Calc", "the calls to LibreOffice alone"] = _asked(
                stack, calc, workbook(example)
            )
        samples: dict[str, list[float]] = {name: [] for names in tools for name in names}
        for round_ in range(ROUNDS + WARM):
            answers = [ask(0.11 + round_ % 7 / 100) for ask in tools.values()]
            for names, (taken, result) in zip(tools, answers, strict=True):
                assert _are_equal(result, answers[0][1]), f"{size}: {names[0]} has other numbers"
                for name, ms in zip(names, taken, strict=True):
                    samples[name] += [ms] if round_ >= WARM else []
    return [Line(f"{size}: edit → all numbers, {name}", taken) for name, taken in samples.items()]


def _core(example: Example, number: float) -> Answer:
    begin = perf_counter()
    edit = {"op": "set", "matrix": "x", "row": 0, "col": 0, "values": [[number]]}
    values = trace(apply(example, read_edit(edit))).values
    return [(perf_counter() - begin) * 1000], values["concat"]


def _asked(stack: ExitStack, command: list[str], layer: object) -> Callable[[float], Answer]:
    """A process that reads the layer, then answers one number after the other, each on a line."""
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    stack.callback(process.communicate)
    process.stdin.write(json.dumps(layer) + "\n")

    def ask(number: float) -> Answer:
        process.stdin.write(f"{number!r}\n")
        process.stdin.flush()
        return tuple(json.loads(process.stdout.readline()))

    return ask


def _are_equal(result: list[list[float]], right: list[list[float]]) -> bool:
    rows = zip(result, right, strict=True)
    return all(abs(a - b) <= EXACT for row in rows for a, b in zip(*row, strict=True))
