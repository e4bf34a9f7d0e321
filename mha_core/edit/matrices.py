"""One matrix of an example, by its name: read, written, filled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import isfinite
from random import Random
from typing import Any

from mha_core.compute.trace import input_matrix
from mha_core.edit.targets import with_numbers
from mha_core.errors import N_, ExampleError
from mha_core.example.model import (
    NEG_INF,
    AddMask,
    AllowMask,
    Example,
    Mask,
    Matrix,
    adds_numbers,
    band_of,
    head_mask,
    mask_of,
    position_inputs,
)
from mha_core.quoted import quoted
from mha_core.vocabulary import AXES, ENTRY, HEAD_MATRICES, HEAD_ROWS, MASKS, POSITION_INPUTS, TARGETS


def filled(rows: int, cols: int, kind: str, seed: int = 0) -> Matrix:
    """A rows × cols matrix: zeros; identity; integers −2 … 3; or random, normal with 2 decimals."""
    random = Random(f"{kind} {seed}")
    cell: Callable[[int, int], float] = {
        "zeros": lambda i, j: 0.0,
        "identity": lambda i, j: float(i == j),
        "integers": lambda i, j: float(random.randint(-2, 3)),
        "random": lambda i, j: round(random.gauss(0, 1), 2) + 0.0,
    }[kind]
    return tuple(tuple(cell(i, j) for j in range(cols)) for i in range(rows))


def given_matrix(example: Example, name: str, head: int | None) -> Matrix:
    """The matrix to edit; a bias as a matrix of one row. Raises ``ExampleError`` where the example has none."""
    if head is not None:
        require_index("heads", head, len(example.heads))
    value: Any = None
    if head is None and name in POSITION_INPUTS:
        row = position_inputs(example).get(name)
        value = row and tuple((number,) for number in row) if AXES[name][0] != "1" else row
    elif head is None and name in TARGETS.values():
        value = input_matrix(example, name)
    elif name in (_LAYER_MATRICES if head is None else _HEAD_MATRICES):
        value = getattr(example if head is None else example.heads[head], name)
    if value is None:
        place = place_of(name, head) if name in AXES else str(quoted(name))
        raise ExampleError(N_("this example has no such numbers to edit"), place=place)
    return (value,) if name in _ROWS or ENTRY[name].axes[0] == "1" else value


_LAYER_MATRICES = ("x", "context", "w_o", "b_o")
_HEAD_MATRICES = (*HEAD_MATRICES, *HEAD_ROWS)


_ROWS = (*HEAD_ROWS, "b_o")


def with_matrix(example: Example, name: str, head: int | None, matrix: Any) -> Example:
    """The example with the matrix of this name replaced."""
    if name in MASKS:
        owner = None if head is None or example.heads[head].mask is None else head
        now = example.mask if owner is None else mask_of(example, owner)
        return with_mask(
            example,
            owner,
            AddMask(matrix) if adds_numbers(example) else replace(as_allow(example, now), allow=matrix),
        )
    if name in POSITION_INPUTS:
        row = matrix[0] if AXES[name][0] == "1" else tuple(number for (number,) in matrix)
        field = next(field for field, position_input in POSITION_FIELDS.items() if position_input == name)
        return replace(example, positions=replace(example.positions, **{field: row}))  # type: ignore[type-var]
    if example.learning is not None and name in TARGETS.values():
        return replace(example, learning=with_numbers(example.learning, matrix))
    value = matrix[0] if name in _ROWS else matrix
    if head is None:
        return replace(example, **{name: value})
    heads = list(example.heads)
    heads[head] = replace(heads[head], **{name: value})
    return replace(example, heads=tuple(heads))


def with_mask(example: Example, head: int | None, mask: Mask) -> Example:
    """The example with this mask, or a head with it as its own."""
    if head is None:
        return replace(example, mask=mask)
    heads = list(example.heads)
    heads[head] = replace(heads[head], mask="none" if mask is None else mask)
    return replace(example, heads=tuple(heads))


def mask_as_painted(example: Example, head: int | None = None) -> Any:
    """The numbers that a mask adds, or which pairs it allows; ``head``: of this head's matrix."""
    rows = None if head is None else head_mask(example, head)
    if rows is not None:
        return rows if adds_numbers(example) else [[bool(cell) for cell in row] for row in rows]
    return example.mask.add if isinstance(example.mask, AddMask) else as_allow(example, example.mask).allow


def as_allow(example: Example, mask: Mask) -> AllowMask:
    """A mask of this example as one to paint: which pairs it allows."""
    dims, band = example.dims, band_of(mask)
    if band is not None:
        return AllowMask(band.allow(dims.n_q, dims.n_k))
    if isinstance(mask, AddMask):
        return AllowMask(tuple(tuple(cell > NEG_INF for cell in row) for row in mask.add))
    return mask if isinstance(mask, AllowMask) else AllowMask(((True,) * dims.n_k,) * dims.n_q)


def cell_value(kind: str, value: object, place: str) -> Any:
    """A number; for a mask that allows, true or false; for one that adds, −∞ too."""
    if kind == "allow":
        if isinstance(value, bool):
            return value
        raise ExampleError(N_("expected true or false, got {got}"), place=place, got=quoted(value))
    if kind == "add" and value == "-inf":
        return NEG_INF
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
        raise ExampleError(N_("expected a number, got {got}"), place=place, got=quoted(value))
    return float(value)


def _is_finite(number: float) -> bool:
    try:
        return isfinite(number)
    except OverflowError:  # an integer beyond the largest float
        return False


def require_index(name: str, index: int, count: int) -> None:
    """Raises ``ExampleError`` where ``name``, which has so many, has none at this index."""
    if index >= count:
        raise ExampleError(N_("this no longer exists"), place=f"{name}[{index}]")


def place_of(name: str, head: int | None, row: int | None = None, col: int | None = None) -> str:
    """How a sentence names a matrix or one of its cells, such as ``heads[1].w_q[0][2]``."""
    cell = "" if row is None else f"[{row}][{col}]"
    return f"{name}{cell}" if head is None else f"heads[{head}].{name}{cell}"


POSITION_FIELDS = {
    "ids": "position_ids",
    "context_ids": "context_position_ids",
    "frequencies": "frequencies",
    "context_frequencies": "context_frequencies",
}
