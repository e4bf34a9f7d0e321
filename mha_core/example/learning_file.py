"""A goal in the file format: decoded JSON → ``Learning`` and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mha_core.errors import N_
from mha_core.example.learning import GOALS, RATE, HeadTargets, Learning, TargetRow
from mha_core.example.readers import (
    fail,
    number_json,
    one_of,
    read_count,
    read_float,
    read_list,
    read_numbers,
    read_object,
)

_step = one_of(GOALS)


def read_learning(value: object, place: str) -> Learning:
    """A goal and its rate from decoded JSON, before ``validate``; ``ExampleError`` where it breaks the format."""
    fields = read_object(value, place, dict.fromkeys(("step", "targets", "rate")))
    for name in ("step", "targets"):
        if fields.get(name) is None:
            raise fail(f"{place}.{name}", N_("missing"))
    step = _step(fields["step"], f"{place}.step")
    read = _heads if step == "weights" else _rows
    rate = fields.get("rate")
    return Learning(
        step,
        read(fields["targets"], f"{place}.targets"),
        RATE if rate is None else read_float(rate, f"{place}.rate"),
    )


def learning_json(learning: Learning) -> dict[str, object]:
    """A goal and its rate as plain JSON data."""
    written = _heads_json if learning.step == "weights" else _rows_json
    return {
        "step": learning.step,
        "targets": written(learning.targets),
        **({} if learning.rate == RATE else {"rate": number_json(learning.rate)}),
    }


def _each(value: object, place: str, read: Callable[[object, str], Any]) -> tuple[Any, ...]:
    """What is read of each item; None where it is null."""
    items = enumerate(read_list(value, place))
    return tuple(None if item is None else read(item, f"{place}[{i}]") for i, item in items)


def _rows(value: object, place: str) -> tuple[TargetRow, ...]:
    return _each(value, place, read_numbers)


def _heads(value: object, place: str) -> tuple[HeadTargets, ...]:
    return _each(value, place, lambda rows, here: _each(rows, here, _attention))


def _attention(value: object, place: str) -> TargetRow:
    """One key by its index, or a share for each."""
    return read_numbers(value, place) if isinstance(value, list) else read_count(value, place)


def _rows_json(rows: Any) -> list[object]:
    return [row if row is None or isinstance(row, int) else [number_json(n) for n in row] for row in rows]


def _heads_json(heads: Any) -> list[object]:
    return [None if rows is None else _rows_json(rows) for rows in heads]
