"""Checking a student's numbers, at 3 tokens × d 4 × 2 heads with W_O: with each known mistake, and with none.

Also the largest cases: every score and weight wrong at 64 tokens × 16 heads, and the longest walk that is written out.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from itertools import cycle, islice, product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

import torch

from benchmarks.table import Line
from mha_core import Example, trace
from mha_core.check.check import check
from mha_core.edit.matrices import filled
from mha_core.example.files import dump
from mha_core.walk.markdown import as_markdown
from mha_view.handout import as_html
from tools.examples import sized
from tools.mistakes import GIVEN_STEPS, IDS, computed, planted, printed

DRAWS = 12
"""Examples of each mistake, every second one with a causal mask."""
CLASS = 200


def measure() -> list[Line]:
    """How long a check takes, in the one thread that the app gives torch."""
    torch.set_num_threads(1)
    wrong = [timed(example) for example in with_mistakes()]
    right = [timed(example) for example in without()]
    bad = [timed(nothing_right(draw)) for draw in range(40)]
    return [
        Line("check 3×4×2, wrong numbers", wrong, goal=(20, "")),
        Line("check 3×4×2, wrong numbers, 19 of 20", wrong, goal=(100, ""), by="p95"),
        Line("check 3×4×2, right numbers", right, goal=(20, "")),
        Line("check 8×8×4, every number wrong", bad, goal=(1000, ""), by="p95"),
        Line(f"mha check --table, {CLASS} solutions", [a_class() for _ in range(3)], "s", (10, "")),
        Line("check 64×64×16, 131,072 wrong cells", [timed(all_wrong()) for _ in range(3)], goal=(2000, "")),
        *largest_walk(),
    ]


def nothing_right(draw: int) -> Example:
    """8 tokens of 8 numbers and 4 heads, with a wrong number in every cell of every step."""
    example = sized(8, 8, 4, draw)
    noise = torch.Generator().manual_seed(draw)
    claims: dict[str, list[torch.Tensor]] = {}
    for (name, _), right in computed(example).items():
        wrong = right + 0.5 + 4 * torch.rand(right.shape, generator=noise, dtype=right.dtype)
        claims.setdefault(name, []).append(wrong)
    return replace(example, claimed=printed(claims, 2))


def a_class() -> float:
    """Seconds for one command that makes a table of a class's solutions, each with a known mistake."""
    solutions = list(islice(cycle(with_mistakes()), CLASS))
    with TemporaryDirectory() as folder:
        for at, example in enumerate(solutions):
            Path(folder, f"{at:03}.mha.json").write_text(dump(example), "utf-8")
        begin = perf_counter()
        command = [
            sys.executable,
            "-m",
            "mha_core",
            "check",
            *sorted(map(str, Path(folder).iterdir())),
            "--table",
        ]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        return perf_counter() - begin


def all_wrong() -> Example:
    """The largest example with every score and weight wrong."""
    matrix = tuple(("7.77",) * 64 for _ in range(64))
    return replace(sized(64, 64, 16), claimed=dict.fromkeys(("scores", "weights"), (matrix,) * 16))


def largest_walk() -> list[Line]:
    """Writing out a walk with nearly as many numbers as the limit allows."""
    computed, lines = trace(sized(24, 24, 6)), []
    for name, write in (("page", as_html), ("Markdown", as_markdown)):
        taken = []
        for _ in range(5):
            begin = perf_counter()
            write(computed)
            taken.append((perf_counter() - begin) * 1000)
        lines.append(Line(f"walk of 24×24×6 as {name}", taken, goal=(2000, "")))
    return lines


def with_mistakes() -> list[Example]:
    """Every known mistake that can be made at this size, in all steps and in weights and output alone."""
    examples = []
    for draw, given, label in product(range(DRAWS), GIVEN_STEPS, IDS):
        example = planted(label, Random(f"{label} {draw}"), given, layer(draw))
        if example is not None and not check(example.example).ok:
            examples.append(example.example)
    return examples


def without() -> list[Example]:
    """Right numbers, rounded at the end or at every step."""
    examples = []
    for draw in range(10 * DRAWS):
        example, decimals = layer(draw), 2 + draw % 3
        steps = computed(example, decimals=decimals if draw % 2 else None) or {}
        names = [step.name for step in trace(example).steps]
        claims = {name: [steps[key] for key in steps if key[0] == name] for name in names}
        examples.append(replace(example, claimed=printed(claims, decimals)))
    return examples


def layer(draw: int) -> Example:
    """3 tokens, d_model = d_k = d_v = 4, 2 heads."""
    output = filled(8, 4, "integers", 100 * draw + 98)
    return replace(sized(3, 4, 2, draw), w_o=output, mask="causal" if draw % 2 else None)


def timed(example: Example) -> float:
    """Milliseconds of one check."""
    begin = perf_counter()
    check(example)
    return (perf_counter() - begin) * 1000
