"""What a layer of a known kind of model has for its scores besides projections, as operands of an example.

gpt-oss            sinks              h      one number per head, each a score without a key
Qwen3, Gemma 3     q_norm, k_norm     d_k    the gains of the norms of queries and keys, the same in all heads

In Gemma 3 a gain is 1 + w. Norms over the whole width h·d_k, as in OLMo 2, mix heads, and no example has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from torch import Tensor

from mha_core.errors import N_, InteropError
from mha_core.example.model import Example, Norm, kv_head_of
from mha_core.interop.parameters.packed import Packed, row, vector
from mha_core.interop.saved.attention import Attention
from mha_core.interop.saved.layers import Layer
from mha_core.interop.saved.weights import Weights


@dataclass(frozen=True, slots=True)
class Operands:
    """``sinks``: h numbers; ``g_q``, ``g_k``: d_k gains, with ``norm``; each None where the layer has none. ``names``:
    the tensors that these were read from.
    """

    sinks: Tensor | None = None
    g_q: Tensor | None = None
    g_k: Tensor | None = None
    norm: Norm | None = None
    names: tuple[str, ...] = ()


def operands_of(weights: Weights, layer: Layer, packed: Packed) -> Operands:
    """The operands that the layer's kind of model has. Raises ``InteropError`` for a tensor that is missing or has
    another shape.
    """
    attention = layer.attention or Attention()
    names: list[str] = []

    def tensor(name: str, width: int) -> Tensor:
        names.append(layer.name + name)
        numbers = vector(weights, names[-1], width)
        if numbers is None:
            raise InteropError(N_("missing"), place=names[-1])
        return numbers

    sinks = tensor(attention.sinks, packed.h) if attention.sinks else None
    if not attention.gains:
        return Operands(sinks, names=tuple(names))
    g_q, g_k = (tensor(f"{name}_norm.weight", packed.w_q.shape[2]) for name in "qk")
    if attention.gains == "1 + w":
        g_q, g_k = 1 + g_q, 1 + g_k
    return Operands(sinks, g_q, g_k, Norm("rms", attention.eps), tuple(names))


def with_operands(
    example: Example, operands: Operands, heads: Sequence[int], columns: Sequence[int]
) -> Example:
    """The example of these heads, and of these columns of their Q and K, with their operands."""
    own = list(example.heads)
    if operands.sinks is not None:
        sinks = row(operands.sinks[list(heads)])
        own = [replace(head, sink=(sink,)) for head, sink in zip(own, sinks, strict=True)]
    if operands.norm is not None and operands.g_q is not None and operands.g_k is not None:
        g_q, g_k = (row(gains[list(columns)]) for gains in (operands.g_q, operands.g_k))
        own = [
            replace(head, g_q=g_q, g_k=g_k if kv_head_of(example, "g_k", index) == index else None)
            for index, head in enumerate(own)
        ]
    return replace(example, heads=tuple(own), norm=operands.norm)
