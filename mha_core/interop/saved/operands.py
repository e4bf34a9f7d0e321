"""What a layer of a known kind of model has for its scores besides projections, as operands of an example.

gpt-oss    sinks    h      one number per head, each a score without a key
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from torch import Tensor

from mha_core.example.model import Example
from mha_core.interop.parameters.packed import Packed, row, vector
from mha_core.interop.saved.attention import Attention
from mha_core.interop.saved.layers import Layer
from mha_core.interop.saved.weights import Weights


@dataclass(frozen=True, slots=True)
class Operands:
    """``sinks``: h numbers, None without sinks. ``names``: the tensors that these were read from."""

    sinks: Tensor | None = None
    names: tuple[str, ...] = ()


def operands_of(weights: Weights, layer: Layer, packed: Packed) -> Operands:
    """The operands that the layer's kind of model has. Raises ``InteropError`` for a tensor of another shape."""
    attention = layer.attention or Attention()
    name = f"{layer.name}{attention.sinks}"
    sinks = vector(weights, name, packed.h) if attention.sinks else None
    return Operands(sinks, () if sinks is None else (name,))


def with_operands(example: Example, operands: Operands, heads: Sequence[int]) -> Example:
    """The example of these heads with their operands."""
    if operands.sinks is None:
        return example
    sinks = row(operands.sinks[list(heads)])
    own = (replace(head, sink=(sink,)) for head, sink in zip(example.heads, sinks, strict=True))
    return replace(example, heads=tuple(own))
