"""The rules for claimed numbers: steps that the example has, each in the shape of its matrix."""

from __future__ import annotations

from mha_core.errors import N_
from mha_core.example.model import Dims, Example, absent_slopes, absent_steps, kv_head_of
from mha_core.example.readers import fail
from mha_core.example.rules import either, wrong_shape
from mha_core.vocabulary import PER_HEAD


def require_claims(example: Example, dims: Dims) -> None:
    """Claims only of steps that the example has, and of shared keys and values only in the head that has them."""
    if not example.claimed:
        return
    missing = {*absent_steps(example), *absent_slopes(example)}
    for step, claim in example.claimed.items():
        if step in missing:
            raise fail(f"claimed.{step}", N_("this example has no such step"))
        if step not in PER_HEAD:
            _require_claimed_shape(f"claimed.{step}", claim, dims.shape(step))
            continue
        if len(claim) != dims.h:
            raise fail(
                f"claimed.{step}",
                N_("expected {count} {count:head|heads}, got {got}"),
                count=dims.h,
                got=len(claim),
            )
        for index, matrix in enumerate(claim):
            if matrix is not None:
                if kv_head_of(example, step, index) != index:
                    raise fail(
                        f"claimed.{step}[{index}]",
                        N_("keys and values are shared here; give them only in heads[{first}]"),
                        first=kv_head_of(example, step, index),
                    )
                _require_claimed_shape(f"claimed.{step}[{index}]", matrix, dims.shape(step))


def _require_claimed_shape(place: str, matrix: tuple, shape: tuple[int, int]) -> None:  # type: ignore[type-arg]
    widths = {len(row) for row in matrix if row is not None} or {shape[1]}
    if len(matrix) != shape[0] or widths != {shape[1]}:
        raise wrong_shape(place, shape, (len(matrix), either(widths)))
