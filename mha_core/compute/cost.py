"""What attention costs: multiplications, and numbers to store while a decoder writes token by token.

All counts are read off the declared steps, so they belong to the computation that is traced. Only products of matrices
count; a softmax, a mask and a divisor cost far less.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from mha_core.compute.graph import head_graph, late_steps
from mha_core.compute.operation import axes
from mha_core.compute.operations import Step
from mha_core.example.model import Dims, Example

BYTES = 2
"""Of a number in a cache: models store keys and values with 16 bits."""


def multiplications(example: Example) -> int:
    """How many numbers are multiplied with another to compute every row of the example.

    A product of m × k and k × n takes m·k·n: ``multiplications`` of a layer with n tokens grows with n².
    """
    return _multiplications(example, example.dims)


def multiplications_with_cache(example: Example) -> int:
    """The same for the last row alone, with the keys and values of all tokens before it stored.

    For an example without a context: one query, one new key and one new value per head, and n scores and n weights
    instead of n².
    """
    return _multiplications(example, replace(example.dims, n_q=1))


def cached_numbers(example: Example) -> int:
    """How many numbers a cache holds for the example: n·(d_k + d_v) for each head with keys and values of its own."""
    steps = [step for head in example.heads for step in head_graph(example, head)]
    return sum(prod(example.dims.shape(step.name)) for step in steps if step.name in ("k", "v"))


def cache_bytes(*, layers: int, kv_heads: int, d_head: int, tokens: int) -> int:
    """The size of a model's cache: 2 · layers · kv_heads · d_head · tokens numbers of ``BYTES`` bytes.

    ``cache_bytes(layers=32, kv_heads=32, d_head=128, tokens=4096)`` is 2 147 483 648, 2 GiB.
    """
    return 2 * layers * kv_heads * d_head * tokens * BYTES


def _multiplications(example: Example, dims: Dims) -> int:
    steps = [step for head in example.heads for step in head_graph(example, head)]
    return sum(_products(step, dims) for step in (*steps, *late_steps(example)))


def _products(step: Step, dims: Dims) -> int:
    if step.op != "matmul":
        return 0
    sizes: dict[str, int] = {}
    for operand in step.operands[:2]:
        sizes |= dict(zip(axes(operand.name, operand.index), dims.shape(operand.name), strict=True))
    return prod(size for letter, size in sizes.items() if letter)
