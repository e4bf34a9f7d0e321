"""An example from what a Python program holds: NumPy arrays, tensors of any device, nested lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from mha_core.example.files import FORMAT, from_json
from mha_core.example.model import Example, Head


def from_arrays(
    *, heads: Iterable[Head | Mapping[str, Any]], tokens: Iterable[str] | None = None, **rest: Any
) -> Example:
    """An example whose numbers are arrays: whatever has ``tolist()``, as NumPy's and torch's have, or nested lists.

        from_arrays(x=x, heads=[{"w_q": w_q[i], "w_k": w_k[i], "w_v": w_v[i]} for i in range(h)], mask=mask)

    ``heads``: for each a ``Head`` or a mapping of its fields. ``tokens``: 1, 2, 3 … where not given. The others are
    the fields of ``Example``; a mask may also be an n_q × n_k array, of truth values (True = may attend) or of numbers
    to be added to the scores. Shapes as in ``Example`` and ``Head``. Numbers are taken exactly, whatever their dtype.

    Raises ``ExampleError`` naming the place: ``heads[1].w_k: expected 2 × 2, got 2 × 3``.
    """
    data = {name: _plain(value) for name, value in rest.items()}
    if isinstance(data.get("mask"), list):
        data["mask"] = _mask(data["mask"])
    if tokens is None and isinstance(data.get("x"), list):
        tokens = [str(row + 1) for row in range(len(data["x"]))]
    return from_json({"format": FORMAT, **data, "tokens": _plain(tokens), "heads": _plain(heads)})


def _plain(value: Any) -> Any:
    """A value as JSON would have it."""
    if isinstance(value, Head):
        return {**_fields(value), "slope": value.slope and _plain(value.slope)[0]}
    if is_dataclass(value) and not isinstance(value, type):
        return _fields(value)
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}


def _mask(rows: list[Any]) -> dict[str, Any]:
    """Rows of truth values say who may attend, rows of numbers what is added."""
    allows = any(isinstance(cell, bool) for row in rows if isinstance(row, list) for cell in row)
    return {"allow" if allows else "add": rows}
