"""The core alone: a trace of 3 × 2 × 2 beside torch's own layer of that size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

import torch

from benchmarks.table import Line
from mha_core import backend, built_in, trace
from mha_core.compute.trace import compute, load
from mha_core.edit.edit import read_edit
from mha_core.edit.edits import apply

ROUNDS = 2000


def measure() -> list[Line]:
    """nn.MultiheadAttention and our trace, in turns."""
    example, cpu_or_gpu = built_in("first"), backend()
    inputs = load(example, cpu_or_gpu)
    layer = torch.nn.MultiheadAttention(
        4, 2, batch_first=True, dtype=torch.float64, device=cpu_or_gpu.device
    ).eval()
    x = torch.ones(1, 3, 4, dtype=torch.float64, device=cpu_or_gpu.device)
    edit = {"op": "set", "matrix": "x", "row": 0, "col": 0, "values": [[0.0]]}

    def torch_layer() -> object:
        with torch.inference_mode():
            return layer(x, x, x, need_weights=True)

    names = (
        "nn.MultiheadAttention 3×2×2",
        "core: compute, numbers on the device",
        "core: trace from an Example",
    )
    calls = (torch_layer, lambda: compute(inputs), lambda: trace(example))
    samples = in_turns([*calls, lambda: trace(apply(example, read_edit(edit))).values])
    lines = [Line(names[0], samples[0], "µs")]
    lines.append(Line(names[1], samples[1], "µs", (0.6, names[0])))
    lines.append(Line(names[2], samples[2], "µs"))
    lines.append(Line("core: edit, check, trace, read back", samples[3], "µs"))
    return lines


def in_turns(calls: Sequence[Callable[[], object]]) -> list[list[float]]:
    """Microseconds of each call, one after the other round by round, so that noise affects all alike."""
    samples: list[list[float]] = [[] for _ in calls]
    for round_ in range(ROUNDS + 200):
        for call, taken in zip(calls, samples, strict=True):
            begin = perf_counter()
            call()
            if round_ >= 200:
                taken.append((perf_counter() - begin) * 1e6)
    return samples
