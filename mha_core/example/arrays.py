"""An example from the data of a Python program: NumPy arrays, tensors of any device, nested lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from mha_core.errors import N_, ExampleError
from mha_core.example.files import FORMAT, from_json
from mha_core.example.mask_file import mask_from_json
from mha_core.example.model import Example, Head, Mask
from mha_core.vocabulary import HEAD_NUMBERS

MASK_OF_INTEGERS = N_(
    "contains integers, which could be truth values or numbers to add; convert them to bool or to floating point"
)
MASK_OF_ZEROS_AND_ONES = N_(
    "contains only the numbers 0 and 1; convert them to bool if they are truth values, "
    "or use an AddMask if they are to be added to the scores"
)
MASK_PER_HEAD = N_("got {shape}, one mask per head; give each head its own mask instead")


def from_arrays(
    *, heads: Iterable[Head | Mapping[str, Any]], tokens: Iterable[str] | None = None, **rest: Any
) -> Example:
    """An example whose numbers are arrays: anything with ``tolist()``, as in NumPy and torch, or nested lists.

        from_arrays(x=x, heads=[{"w_q": w_q[i], "w_k": w_k[i], "w_v": w_v[i]} for i in range(h)], mask=mask)

    ``heads``: each a ``Head`` or a mapping of its fields. ``tokens``: 1, 2, 3 … where not given. The others are the
    fields of ``Example``; a mask may also be an n_q × n_k array, as for ``as_mask``. Shapes as in ``Example`` and
    ``Head``. Numbers are converted exactly, whatever their dtype.

    Raises ``ExampleError`` naming the place: ``heads[1].w_k: expected 2 × 2, got 2 × 3``.
    """
    data = {name: _mask(value) if name == "mask" else _as_json(value) for name, value in rest.items()}
    if tokens is None and isinstance(data.get("x"), list):
        tokens = [str(row + 1) for row in range(len(data["x"]))]
    return from_json({"format": FORMAT, **data, "tokens": _as_json(tokens), "heads": _as_json(heads)})


def _as_json(value: Any) -> Any:
    """A value as plain data for JSON."""
    if isinstance(value, Head):
        numbers = {name: row and row[0] for name in HEAD_NUMBERS for row in [getattr(value, name)]}
        return {**_fields(value), **{name: _as_json(number) for name, number in numbers.items()}}
    if is_dataclass(value) and not isinstance(value, type):
        return _fields(value)
    if isinstance(value, Mapping):
        return {name: _as_json(item) for name, item in value.items()}
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_as_json(item) for item in value]
    return value


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: _as_json(getattr(value, field.name)) for field in fields(value)}


def as_mask(mask: Any) -> Mask:
    """The mask of an example, from such a mask or from an n_q × n_k array.

    An array has truth values (True = may attend) or floating-point numbers that are added to the scores. Raises
    ``ExampleError`` for integers, for numbers that are only 0 and 1, since they are ambiguous, and for a mask for each
    head.
    """
    data = _mask(mask)
    return None if data is None else mask_from_json(data, "mask")


def _mask(mask: Any) -> Any:
    """A mask as plain data: rows of truth values say which pairs may attend, rows of numbers are added."""
    rows = _as_json(mask)
    if not isinstance(rows, list):
        return rows
    shape = _shape(rows)
    while len(shape) > 2 and shape[0] == 1:
        rows, shape = rows[0], shape[1:]
    if len(shape) > 2:
        raise ExampleError(MASK_PER_HEAD, place="mask", shape=" × ".join(map(str, shape)))
    cells = [cell for row in rows if isinstance(row, list) for cell in row]
    if any(isinstance(cell, bool) for cell in cells):
        return {"allow": rows}
    if cells and all(isinstance(cell, int) for cell in cells):
        raise ExampleError(MASK_OF_INTEGERS, place="mask")
    if 1 in cells and all(cell in (0, 1) for cell in cells):
        raise ExampleError(MASK_OF_ZEROS_AND_ONES, place="mask")
    return {"add": rows}


def _shape(rows: Any) -> list[int]:
    """The lengths of nested lists, by the first list of each level."""
    shape: list[int] = []
    while isinstance(rows, list) and len(shape) < 5:  # deeper lists are refused anyway
        shape.append(len(rows))
        rows = rows[0] if rows else None
    return shape
