"""The letters of an einsum, by which its products are known: q · kᵀ and weights · V, whatever the order of the axes.

letters_of("bqhd,bkhd->bhqk", (q, k))              # ("b", "q", "h", "d"), ("b", "k", "h", "d"), ("b", "h", "q", "k")
values_order(*letters_of("bhqk,bkhd->bqhd", …))    # ("b", "h", "q", "k", "d")
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any, TypeAlias

from torch import Tensor

Letters: TypeAlias = tuple[str, ...]


def letters_of(equation: Any, tensors: Sequence[Tensor]) -> tuple[Letters, Letters, Letters] | None:
    """The axes of two operands and of the result, by letter; those of ``...`` by capitals. None where not known."""
    if not isinstance(equation, str) or equation.count("->") != 1 or equation.count(",") != 1:
        return None
    given, out = equation.replace(" ", "").split("->")
    sides = given.split(",")
    open_axes = [
        tensor.dim() - len(side.replace("...", "")) if "..." in side else 0
        for side, tensor in zip(sides, tensors, strict=True)
    ]
    capitals = "".join(one for one in reversed(ascii_uppercase) if one not in equation)

    def full(side: str, count: int) -> Letters:
        return tuple(side.replace("...", capitals[:count][::-1]))

    left, right = (full(side, count) for side, count in zip(sides, open_axes, strict=True))
    letters = left, right, full(out, max(open_axes))
    return letters if all(len(side) == len({*side}) for side in letters) else None  # twice: a diagonal


def values_order(weights: Letters, values: Letters, out: Letters) -> Letters | None:
    """Leading axes, query, key, column of weights · V; None where it is not that, as where V has each query's own."""
    key = weights[-1]
    columns = [one for one in values if one not in weights]
    queries = [one for one in weights[:-1] if one in out and one not in values]
    if key not in values or key in out or len(columns) != 1 or not queries:
        return None
    if len(queries) > 1 and weights[-2] not in queries:
        return None
    query = weights[-2] if weights[-2] in queries else queries[0]
    lead = tuple(one for one in weights if one not in (query, key))
    return (*lead, query, key, columns[0]) if {*lead, query, columns[0]} == {*out} else None


def queries_at(letters: tuple[Letters, Letters, Letters]) -> int | None:
    """Which operand holds the queries, where the product is q · kᵀ and ends in queries × keys."""
    one, other, out = letters
    if len(out) < 2 or len({*one} - {*out}) != 1 or {*one} - {*out} != {*other} - {*out}:
        return None
    query, key = out[-2:]
    for at, (left, right) in enumerate(((one, other), (other, one))):
        if query in left and key in right and query not in right and key not in left:
            return at
    return None


def laid(tensor: Tensor, letters: Letters, order: Letters) -> Tensor:
    """With its axes in this order, of length 1 where it has none."""
    tensor = tensor.permute([letters.index(one) for one in order if one in letters])
    for at, one in enumerate(order):
        if one not in letters:
            tensor = tensor.unsqueeze(at)
    return tensor
