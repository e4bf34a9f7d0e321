"""The command's start: ``mha --help`` beside ``import torch``, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from time import perf_counter

from benchmarks.table import Line

ROUNDS = 11
TORCH = "import torch, in a new process"
COMMANDS = {TORCH: ["-c", "import torch"], "mha --help, in a new process": ["-m", "mha_ui.command", "--help"]}
COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""An installed package is compiled. Here a first round that does not count compiles what is measured."""


def measure() -> list[Line]:
    """Both commands in turns, so that noise affects both alike."""
    samples: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for round_ in range(ROUNDS + 1):
        for name, arguments in COMMANDS.items():
            taken = _run(arguments)
            if round_:
                samples[name].append(taken)
    return [
        Line(name, taken, goal=None if name == TORCH else (0.25, TORCH)) for name, taken in samples.items()
    ]


def _run(arguments: list[str]) -> float:
    """Milliseconds from the start of the process to its end."""
    begin = perf_counter()
    subprocess.run([sys.executable, *arguments], env=COMPILED, stdout=subprocess.DEVNULL, check=True)
    return (perf_counter() - begin) * 1e3
