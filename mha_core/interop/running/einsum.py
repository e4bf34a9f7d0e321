"""Recognising q · kᵀ and weights · V by the letters of an einsum, whatever the order of the axes.

letters_of("bqhd,bkhd->bhqk", (q, k))              # ("b", "q", "h", "d"), ("b", "k", "h", "d"), ("b", "h", "q", "k")
values_order(*letters_of("bhqk,bkhd->bqhd", …), "k")   # ("b", "h", "q", "k", "d")
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any, TypeAlias

from torch import Tensor

Letters: TypeAlias = tuple[str, ...]


def letters_of(equation: Any, tensors: Sequence[Tensor]) -> tuple[Letters, Letters, Letters] | None:
    """The axes of two operands and of the result as letters, those of ``...`` as capitals; None if not known."""
    if not isinstance(equation, str) or equation.count("->") != 1 or equation.count(",") != 1:
        return None
    given, result = equation.replace(" ", "").split("->")
    sides = given.split(",")
    open_axes = [
        tensor.dim() - len(side.replace("...", "")) if "..." in side else 0
        for side, tensor in zip(sides, tensors, strict=True)
    ]
    capitals = "".join(letter for letter in reversed(ascii_uppercase) if letter not in equation)

    def full(side: str, count: int) -> Letters:
        return tuple(side.replace("...", capitals[:count][::-1]))

    left, right = (full(side, count) for side, count in zip(sides, open_axes, strict=True))
    letters = left, right, full(result, max(open_axes))
    return letters if all(len(side) == len({*side}) for side in letters) else None  # twice: a diagonal


def values_order(weights: Letters, values: Letters, out: Letters, key: str) -> Letters | None:
    """Leading axes, query, key, column of weights · V; None if it is another product, as with a V for each query."""
    columns = [letter for letter in values if letter not in weights]
    queries = [letter for letter in weights if letter != key and letter in out and letter not in values]
    if key not in values or key in out or len(columns) != 1 or not queries:
        return None
    beside = weights[-1] if key == weights[-2] else weights[-2]
    if len(queries) > 1 and beside not in queries:
        return None
    query = beside if beside in queries else queries[0]
    lead = tuple(letter for letter in weights if letter not in (query, key))
    return (*lead, query, key, columns[0]) if {*lead, query, columns[0]} == {*out} else None


def queries_at(letters: tuple[Letters, Letters, Letters]) -> int | None:
    """The index of the operand with the queries, if the product is q · kᵀ and ends in queries × keys."""
    first, second, out = letters
    if len(out) < 2 or len({*first} - {*out}) != 1 or {*first} - {*out} != {*second} - {*out}:
        return None
    query, key = out[-2:]
    for position, (left, right) in enumerate(((first, second), (second, first))):
        if query in left and key in right and query not in right and key not in left:
            return position
    return None


def arranged(tensor: Tensor, letters: Letters, order: Letters) -> Tensor:
    """The tensor with its axes in this order; those that it lacks have length 1."""
    tensor = tensor.permute([letters.index(letter) for letter in order if letter in letters])
    for position, letter in enumerate(order):
        if letter not in letters:
            tensor = tensor.unsqueeze(position)
    return tensor
