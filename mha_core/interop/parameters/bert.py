"""Hugging Face BERT's self-attention, by the names of its state dict.

attention.self.query.weight   E × E, rows are outputs; head i has rows i·d_k … (i + 1)·d_k; key and value alike
attention.self.query.bias     E
attention.output.dense.weight E × E, W_O; the residual sum and LayerNorm after it are not part of attention

DeBERTa: query_proj, key_proj, value_proj; ALBERT: attention.query, attention.dense; ViT: attention.attention.query.
"""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from mha_core.errors import N_, InteropError
from mha_core.example.model import Example
from mha_core.interop.parameters.packed import Packed, named, pack, vector, wrong_shape
from mha_core.interop.parameters.torch_layer import join_heads, split_heads

SELF = "self."
OUTPUT = "output.dense."
_PARTS = ("query", "key", "value")
_ENDINGS = ("", "_proj")
"""What follows the parts' names: nothing, or DeBERTa's suffix."""


def from_bert(state: Mapping[str, Tensor], num_heads: int, prefix: str = "") -> Packed:
    """The parameters of ``BertAttention`` (``self.query.weight`` …) or, without W_O, ``BertSelfAttention``.

    ``prefix`` is the name up to ``self.``, or up to ``query`` if there is no ``self.``. Raises ``InteropError`` for a
    name that is missing or a shape that does not fit.
    """
    inside, ending = _inside(state, prefix)
    names = {part: f"{inside}{part}{ending}" for part in _PARTS}
    weights = {part: named(state, f"{name}.weight") for part, name in names.items()}
    embed = weights["query"].shape[0]
    for part, weight in weights.items():
        if weight.dim() != 2 or weight.shape[0] != embed or weight.shape[1] != weights["query"].shape[1]:
            raise wrong_shape(f"{names[part]}.weight", f"{embed} × {weights['query'].shape[-1]}", weight)
    if num_heads < 1 or embed % num_heads:
        raise InteropError(N_("{width} is not divisible by {heads} heads"), heads=num_heads, width=embed)
    biases = [vector(state, f"{name}.bias", embed) for name in names.values()]
    dense = _output(prefix, inside)
    w_o = named(state, f"{dense}weight").T if dense and f"{dense}weight" in state else None
    if w_o is not None and (w_o.dim() != 2 or w_o.shape[0] != embed):
        raise wrong_shape(f"{dense}weight", f"d × {embed}", w_o.T)
    b_q, b_k, b_v = (None if bias is None else bias.reshape(num_heads, -1) for bias in biases)
    w_q, w_k, w_v = (split_heads(weights[part], num_heads) for part in _PARTS)
    b_o = None if w_o is None else vector(state, f"{dense}bias", w_o.shape[1])
    return Packed(w_q, w_k, w_v, b_q, b_k, b_v, w_o, b_o)


def _inside(state: Mapping[str, Tensor], prefix: str) -> tuple[str, str]:
    """The prefix and the suffix of the name of the query."""
    known = ((inside, ending) for inside in (prefix + SELF, prefix) for ending in _ENDINGS)
    return next(
        ((inside, end) for inside, end in known if f"{inside}query{end}.weight" in state), (prefix, "")
    )


def _output(prefix: str, inside: str) -> str:
    """The prefix of W_O and its bias; "" if this part has none."""
    if inside != prefix:
        return prefix + OUTPUT
    if prefix.endswith("attention.attention."):  # ViT
        return prefix.removesuffix("attention.") + OUTPUT
    return f"{prefix}dense." if prefix.endswith("attention.") else ""  # ALBERT


def to_bert(example: Example, prefix: str = "attention.") -> dict[str, Tensor]:
    """The example as a state dict of ``BertAttention``, in float64; missing biases are zeros.

    Raises ``InteropError`` if it has a context, or shapes other than d_model = d_out = h·d_k, d_v = d_k.
    """
    packed, dims = pack(example), example.dims
    embed = dims.h * dims.d_k
    if example.context is not None:
        raise InteropError(N_("BERT's self-attention has no context"), place="context")
    if not dims.d_model == embed == dims.h * dims.d_v or dims.d_out not in (0, embed):
        raise InteropError(N_("BERT requires d_model = d_out = h·d_k and d_v = d_k"))
    state = {}
    for part in _PARTS:
        state[f"{prefix}{SELF}{part}.weight"] = join_heads(getattr(packed, f"w_{part[0]}"))
        state[f"{prefix}{SELF}{part}.bias"] = packed.bias(f"b_{part[0]}").flatten()
    if packed.w_o is not None:
        state[f"{prefix}{OUTPUT}weight"] = packed.w_o.T.contiguous()
        state[f"{prefix}{OUTPUT}bias"] = packed.joined_bias
    return state
