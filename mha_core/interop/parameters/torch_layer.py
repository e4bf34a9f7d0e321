"""``torch.nn.MultiheadAttention``: one matrix for all heads, transposed, so that its rows are outputs.

in_proj_weight  3E × E, W_Q over W_K over W_V (one width), else q_proj_weight E × E, k_proj_weight E × kdim,
                v_proj_weight E × vdim; head i has rows i·d_k … (i + 1)·d_k of each
in_proj_bias    3E          out_proj.weight  E × E          out_proj.bias  E

It requires d_model = d_out = E = h·d_k and d_v = d_k.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from mha_core.errors import N_, InteropError
from mha_core.example.model import Example
from mha_core.interop.parameters.packed import Packed, named, pack, vector, wrong_shape

_SEPARATE = ("q_proj_weight", "k_proj_weight", "v_proj_weight")


def from_torch(state: Mapping[str, Tensor], num_heads: int) -> Packed:
    """The parameters in a layer's state dict, which does not have the number of heads.

    Raises ``InteropError`` for a name that is missing, a shape that does not fit, and ``add_bias_kv``.
    """
    if "bias_k" in state or "bias_v" in state:
        raise InteropError(
            N_("add_bias_kv appends a key and a value that are not tokens; an example cannot represent this")
        )
    if "in_proj_weight" in state:
        joined = named(state, "in_proj_weight")
        if joined.dim() != 2 or joined.shape[0] != 3 * joined.shape[1]:
            raise wrong_shape("in_proj_weight", "3E × E", joined)
        weights = joined.chunk(3)
    else:
        weights = tuple(named(state, name) for name in _SEPARATE)
    embed = weights[0].shape[0]
    for name, weight in zip(_SEPARATE, weights, strict=True):
        if weight.dim() != 2 or weight.shape[0] != embed:
            raise wrong_shape(name, f"{embed} × d", weight)
    if num_heads < 1 or embed % num_heads:
        raise InteropError(N_("{width} is not divisible by {heads} heads"), heads=num_heads, width=embed)
    out = named(state, "out_proj.weight")
    if tuple(out.shape) != (embed, embed):
        raise wrong_shape("out_proj.weight", f"{embed} × {embed}", out)
    b_q, b_k, b_v = _biases(state, embed, num_heads)
    w_q, w_k, w_v = (split_heads(weight, num_heads) for weight in weights)
    b_o = vector(state, "out_proj.bias", embed)
    return Packed(w_q, w_k, w_v, b_q, b_k, b_v, out.T, b_o)


def to_torch(example: Example, *, kdim: int | None = None) -> tuple[dict[str, object], dict[str, Tensor]]:
    """Arguments for ``nn.MultiheadAttention`` and its state dict, in float64.

    ``kdim``: if the context has the inputs of keys and of values side by side (see ``unpack``), the width of the
    first. Raises ``InteropError`` if the layer cannot have this example's shapes.
    """
    packed = pack(example)
    dims = example.dims
    embed = dims.h * dims.d_k
    wanted = {"d_v": dims.d_v == dims.d_k, "d_model": dims.d_model == embed}
    wanted["d_out"] = packed.joined.shape[1] == embed
    for name, fits in wanted.items():
        if not fits:
            raise InteropError(
                N_("nn.MultiheadAttention requires d_model = d_out = h·d_k and d_v = d_k; {name} differs"),
                name=name,
            )
    w_k, w_v = packed.w_k, packed.w_v
    if kdim is not None:
        if not 0 < kdim < dims.d_context or w_k[:, kdim:].any() or w_v[:, :kdim].any():
            raise InteropError(
                N_("keys and values do not come from separate columns of the context"), place="context"
            )
        w_k, w_v = w_k[:, :kdim], w_v[:, kdim:]
    weights = [join_heads(weight) for weight in (packed.w_q, w_k, w_v)]
    state: dict[str, Tensor] = {}
    if w_k.shape[1] == w_v.shape[1] == embed:
        state["in_proj_weight"] = torch.cat(weights)
    else:
        state |= dict(zip(_SEPARATE, weights, strict=True))
    if packed.biased:
        state["in_proj_bias"] = torch.cat([packed.bias(name).flatten() for name in ("b_q", "b_k", "b_v")])
        state["out_proj.bias"] = packed.joined_bias
    state["out_proj.weight"] = packed.joined.T.contiguous()
    arguments: dict[str, object] = {"embed_dim": embed, "num_heads": dims.h, "bias": packed.biased}
    arguments |= {"kdim": w_k.shape[1], "vdim": w_v.shape[1], "batch_first": True}
    return arguments, state


def torch_layer(example: Example, *, kdim: int | None = None) -> nn.MultiheadAttention:
    """``nn.MultiheadAttention`` with the example's numbers, in float64. Raises as ``to_torch``."""
    arguments, state = to_torch(example, kdim=kdim)
    layer = nn.MultiheadAttention(**arguments, dtype=torch.float64)
    layer.load_state_dict(state)
    return layer.eval()


def split_heads(weight: Tensor, num_heads: int) -> Tensor:
    """(h·d) × d_in, rows are outputs → h × d_in × d."""
    return weight.reshape(num_heads, -1, weight.shape[1]).mT


def join_heads(weight: Tensor) -> Tensor:
    """h × d_in × d → (h·d) × d_in."""
    return weight.mT.flatten(0, 1).contiguous()


def _biases(state: Mapping[str, Tensor], embed: int, num_heads: int) -> list[Tensor | None]:
    joined = vector(state, "in_proj_bias", 3 * embed)
    if joined is None:
        return [None, None, None]
    return [part.reshape(num_heads, -1) for part in joined.chunk(3)]
