"""A sweep over all heads of a running model, beside a plain loop with hooks written by hand."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.table import Line
from mha_core.interop import sweep

LAYERS, HEADS, WIDTH, TOKENS = 12, 12, 64, 32
ROUNDS = 3
PLAIN = "a plain loop of forward hooks, 144 heads of GPT-2's size, 32 tokens"


def measure() -> list[Line]:
    """Both in turns, so that noise affects both alike; they must give the same numbers."""
    import transformers  # noqa: PLC0415  # an extra

    torch.manual_seed(0)
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config()).eval()
    ids = torch.randint(0, model.config.vocab_size, (1, TOKENS))
    ways: dict[str, Callable[[], Tensor]] = {
        PLAIN: lambda: by_hooks(model, ids),
        "sweep, the same": lambda: sweep(model, ids, logit).values,
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        found = []
        for name, way in ways.items():
            begin = perf_counter()
            found.append(way())
            taken[name].append((perf_counter() - begin) * 1e3)
        if (found[0] - found[1]).abs().max() > 1e-5:
            raise AssertionError
    return [
        Line(name, samples, goal=None if name == PLAIN else (1.3, PLAIN)) for name, samples in taken.items()
    ]


def logit(out: Any) -> Tensor:
    """One logit of the last position."""
    return out.logits[0, -1, 42]


def by_hooks(model: nn.Module, ids: Tensor) -> Tensor:
    """The change of the logit without each head: its columns of the output projection's input are 0."""
    changes = torch.zeros(LAYERS, HEADS, dtype=torch.float64)
    with torch.no_grad():
        before = logit(model(ids))
        for layer in range(LAYERS):
            for head in range(HEADS):

                def zero(_: nn.Module, given: tuple[Tensor, ...], head: int = head) -> tuple[Tensor, ...]:
                    rows = given[0].clone()
                    rows[..., head * WIDTH : (head + 1) * WIDTH] = 0
                    return (rows, *given[1:])

                hook = model.get_submodule(f"transformer.h.{layer}.attn.c_proj").register_forward_pre_hook(
                    zero
                )
                changes[layer, head] = logit(model(ids)) - before
                hook.remove()
    return changes
