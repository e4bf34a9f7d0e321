"""The weights of long inputs: pooled maps beside the bare products of their tiles, weights alone beside torch's layer.

In one thread, as in the app. ``python -m benchmarks.pooled 65536 1`` prints the milliseconds of one map with so many
tokens and heads, and the MiB of memory that it needed beyond its inputs.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter

import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.table import Line
from mha_core import attention_weights, backend, pooled_weights
from mha_core.compute.pooled import rows_at_once, tiles_of
from tools.memory import peak

TOKENS, HEADS, D_K, D_MODEL = 4096, 12, 64, 768
LONG = 65_536
SIDE = 512
LAYERS = {128: 1.05, 512: 1.05, 2048: 0.7}
"""Tokens of a layer, and the goal beside torch's own."""
ROUNDS = 9


def measure() -> list[Line]:
    """Every line about long inputs; on a GPU too if there is one."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    lines: list[Line] = []
    for device in dict.fromkeys(("cpu", backend().device)):
        lines += _maps(device)
        for tokens in LAYERS:
            lines += _layer(device, tokens)
    torch.set_num_threads(threads)
    return [*lines, *_in_a_process(TOKENS, HEADS, 300), *_in_a_process(LONG, 1, 300)]


def _maps(device: str) -> list[Line]:
    """A map of every head, largest and mean, all keys and causal."""
    q, k = (torch.randn(HEADS, TOKENS, D_K, device=device) for _ in "qk")
    size_name = f"{device}, {HEADS} heads × {TOKENS:,}"
    bare, half = f"{size_name}: bare Q·Kᵀ", f"{size_name}, causal: bare Q·Kᵀ"
    size = (SIDE, SIDE)
    calls: dict[str, Callable[[], object]] = {
        bare: partial(products, q, k, causal=False),
        f"{size_name}: largest of {TOKENS // SIDE} × {TOKENS // SIDE}": partial(pooled_weights, q, k, size),
        f"{size_name}: mean": partial(pooled_weights, q, k, size, by="mean"),
        half: partial(products, q, k, causal=True),
        f"{size_name}, causal: largest": partial(pooled_weights, q, k, size, mask="causal"),
    }
    goals = dict.fromkeys([*calls][1:3], (2.0, bare))
    if device != "cpu":
        batch = q.unsqueeze(0), k.unsqueeze(0)
        calls[f"{size_name}: F.scaled_dot_product_attention"] = partial(
            functional.scaled_dot_product_attention, *batch, batch[1]
        )
    return _in_turns(calls, goals)


def products(q: Tensor, k: Tensor, *, causal: bool) -> None:
    """Q·Kᵀ of the tiles of ``pooled_weights``, and nothing else."""
    n = k.shape[-2]
    rows = rows_at_once(k)
    buffer = q.new_empty(rows * n)
    for tile in tiles_of(range(0, n, n // SIDE), rows):
        visible = tile.stop if causal else n
        scores = buffer[: len(tile) * visible].view(len(tile), visible)
        for head_q, head_k in zip(q, k, strict=True):
            torch.mm(head_q[tile.start : tile.stop], head_k[:visible].T, out=scores)


def _layer(device: str, tokens: int) -> list[Line]:
    """Weights alone, from X, beside those of torch's layer."""
    layer = torch.nn.MultiheadAttention(D_MODEL, HEADS, batch_first=True, device=device).eval()
    x = torch.randn(1, tokens, D_MODEL, device=device)
    (w_q, w_k), (b_q, b_k) = (
        [part.detach().unflatten(0, (HEADS, -1)) for part in packed.chunk(3)[:2]]
        for packed in (layer.in_proj_weight, layer.in_proj_bias)
    )
    size = f"{device}, {tokens} × {D_MODEL} × {HEADS} heads"
    reference = f"{size}: nn.MultiheadAttention, need_weights"

    def torch_layer() -> object:
        with torch.inference_mode():
            return layer(x, x, x, need_weights=True, average_attn_weights=False)

    alone = f"{size}: weights alone"
    ours = partial(attention_weights, x[0], w_q.mT, w_k.mT, b_q.unsqueeze(1), b_k.unsqueeze(1))
    return _in_turns({reference: torch_layer, alone: ours}, {alone: (LAYERS[tokens], reference)})


def _in_turns(
    calls: Mapping[str, Callable[[], object]], goals: Mapping[str, tuple[float, str]]
) -> list[Line]:
    """Milliseconds of each call, round by round."""
    samples: dict[str, list[float]] = {what: [] for what in calls}
    for round_ in range(ROUNDS + 1):
        for what, call in calls.items():
            taken = _timed(call)
            if round_:
                samples[what].append(taken)
    return [Line(what, taken, goal=goals.get(what)) for what, taken in samples.items()]


def _timed(call: Callable[[], object]) -> float:
    begin = perf_counter()
    call()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return (perf_counter() - begin) * 1000


def _in_a_process(tokens: int, heads: int, limit: float) -> list[Line]:
    """Time and memory of a map in a separate process."""
    command = [sys.executable, "-m", "benchmarks.pooled", str(tokens), str(heads)]
    outputs = [
        [float(number) for number in subprocess.run(command, capture_output=True, check=True).stdout.split()]
        for _ in range(2)
    ]
    times, memory = zip(*outputs, strict=True)
    size = f"{heads} heads × {tokens:,}" if heads > 1 else f"{tokens:,} tokens"
    return [
        Line(f"{size}: pooled, alone", list(times)),
        Line(f"{size}: memory above the inputs", list(memory), "MiB", (limit, "")),
    ]


if __name__ == "__main__":
    torch.set_num_threads(1)
    tokens, heads = map(int, sys.argv[1:])
    q, k = (torch.randn(heads, tokens, D_K) for _ in "qk")
    pooled_weights(q[:1, :SIDE], k[:1, :SIDE])  # what torch sets up at the first call
    before = peak() / 2**20
    taken = _timed(lambda: pooled_weights(q, k, (SIDE, SIDE)))
    print(taken, peak() / 2**20 - before)
