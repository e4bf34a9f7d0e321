"""Attention by the names that Hugging Face's other models have: a Linear a projection, or GPT-2's one for all three.

Llama, Mistral, Qwen, OPT, CLIP, Whisper (rows are outputs):
    q_proj.weight  E × d     k_proj.weight, v_proj.weight  E_kv × d     o_proj.weight or out_proj.weight  d × E
GPT-2 (columns are outputs):
    c_attn.weight  d × 3E, W_Q, W_K and W_V side by side                c_proj.weight  E × d

Head i has rows (GPT-2: columns) i·d_k … (i + 1)·d_k, d_k = E ÷ h. Where E_kv < E, E ÷ E_kv heads in turn share one head
of keys and values (grouped-query attention: Ainslie et al. 2023). A bias may stand beside each weight.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from torch import Tensor

from mha_core.errors import N_, InteropError
from mha_core.interop.packed import Packed, named, vector, wrong_shape
from mha_core.interop.torch_layer import split_heads

SEPARATE: Final = ("q_proj", "k_proj", "v_proj")
JOINED: Final = "c_attn"
OUTPUTS: Final = ("o_proj", "out_proj")
_JOINED_OUTPUT: Final = "c_proj"


class _Projection(NamedTuple):
    """``weight``: rows are outputs."""

    name: str
    weight: Tensor
    bias: Tensor | None


def from_projections(state: Mapping[str, Tensor], num_heads: int, prefix: str = "") -> Packed:
    """The parameters of a layer whose names begin with ``prefix``; heads that share keys and values each have a copy.

    Raises ``InteropError`` for a name that is missing, and for a shape that does not fit so many heads.
    """
    is_joined = f"{prefix}{JOINED}.weight" in state
    query, *shared = _joined(state, prefix) if is_joined else _separate(state, prefix)
    embed, d_in = query.weight.shape
    if num_heads < 1 or embed % num_heads:
        raise InteropError(N_("{heads} heads do not divide {width}"), heads=num_heads, width=embed)
    d_k = embed // num_heads
    for name, weight, _ in shared:
        groups, left = divmod(len(weight), d_k)
        if weight.shape[1] != d_in or left or not groups or num_heads % groups:
            raise wrong_shape(name, f"{embed} × {d_in}", weight)
    w_q, w_k, w_v = (_by_head(projection.weight, num_heads, d_k) for projection in (query, *shared))
    b_q, b_k, b_v = (_bias_by_head(projection.bias, num_heads, d_k) for projection in (query, *shared))
    w_o, b_o = _output(state, prefix, embed, is_joined=is_joined)
    return Packed(w_q, w_k, w_v, b_q, b_k, b_v, w_o, b_o)


def _separate(state: Mapping[str, Tensor], prefix: str) -> list[_Projection]:
    projections = []
    for part in SEPARATE:
        name = f"{prefix}{part}.weight"
        weight = named(state, name)
        if weight.dim() != 2:
            raise wrong_shape(name, "E × d", weight)
        projections.append(_Projection(name, weight, vector(state, f"{prefix}{part}.bias", len(weight))))
    return projections


def _joined(state: Mapping[str, Tensor], prefix: str) -> list[_Projection]:
    name = f"{prefix}{JOINED}.weight"
    weight = named(state, name)
    if weight.dim() != 2 or weight.shape[1] % 3:
        raise wrong_shape(name, "d × 3E", weight)
    bias = vector(state, f"{prefix}{JOINED}.bias", weight.shape[1])
    biases = (None, None, None) if bias is None else bias.chunk(3)
    return [_Projection(name, part, own) for part, own in zip(weight.T.chunk(3), biases, strict=True)]


def _by_head(weight: Tensor, num_heads: int, d_k: int) -> Tensor:
    """h × d × d_k; a head that others share is repeated for each of them."""
    groups = len(weight) // d_k
    return split_heads(weight, groups).repeat_interleave(num_heads // groups, 0)


def _bias_by_head(bias: Tensor | None, num_heads: int, d_k: int) -> Tensor | None:
    if bias is None:
        return None
    by_group = bias.reshape(-1, d_k)
    return by_group.repeat_interleave(num_heads // len(by_group), 0)


def _output(
    state: Mapping[str, Tensor], prefix: str, embed: int, *, is_joined: bool
) -> tuple[Tensor | None, Tensor | None]:
    """W_O, E × d_out, and b_O; None where the file has none."""
    names = (_JOINED_OUTPUT,) if is_joined else OUTPUTS
    part = next((name for name in names if f"{prefix}{name}.weight" in state), None)
    if part is None:
        return None, None
    weight = named(state, f"{prefix}{part}.weight")
    w_o = weight if is_joined else weight.mT
    if w_o.dim() != 2 or len(w_o) != embed:
        raise wrong_shape(f"{prefix}{part}.weight", f"{embed} × d" if is_joined else f"d × {embed}", weight)
    return w_o, vector(state, f"{prefix}{part}.bias", w_o.shape[1])
