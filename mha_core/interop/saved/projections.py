"""Attention with the names of Hugging Face's other models: one Linear per projection, or one matrix for all of them.

Llama, Mistral, Qwen, OPT, CLIP, Whisper (rows are outputs):
    q_proj.weight  E × d     k_proj.weight, v_proj.weight  E_kv × d     o_proj.weight  d × E (out_proj, dense)
DistilBERT: q_lin, k_lin, v_lin, out_lin; T5: q, k, v, o; Llama's and Mistral's own files: wq, wk, wv, wo
GPT-2 (columns are outputs):
    c_attn.weight  d × 3E, W_Q, W_K and W_V side by side                c_proj.weight  E × d
nanoGPT, whose Linears have outputs as rows:
    c_attn.weight  3E × E                                               c_proj.weight  E × E
NeoX, BLOOM, Falcon, MPT, Phi-3, BigCode, ModernBERT: one matrix whose rows are arranged as ``fused`` says

Head i has rows (GPT-2: columns) i·d_k … (i + 1)·d_k, d_k = E ÷ h. If E_kv < E, E ÷ E_kv consecutive heads share one
head of keys and values (grouped-query attention: Ainslie et al. 2023). Each weight may have a bias.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from torch import Tensor

from mha_core.errors import N_, InteropError
from mha_core.interop.parameters.packed import Packed, named, vector, wrong_shape
from mha_core.interop.parameters.torch_layer import split_heads
from mha_core.interop.saved.fused import OUTPUTS, Fused, fused_name, parts

JOINED: Final = "c_attn"
_JOINED_OUTPUT: Final = "c_proj"


class Separate(NamedTuple):
    """The names of the projections to Q, K and V, and of W_O, in one kind of model."""

    query: str
    key: str
    value: str
    outputs: tuple[str, ...]


SEPARATE: Final = (
    Separate("q_proj", "k_proj", "v_proj", ("o_proj", "out_proj", "dense")),
    Separate("q_lin", "k_lin", "v_lin", ("out_lin",)),
    Separate("q", "k", "v", ("o",)),
    Separate("wq", "wk", "wv", ("wo",)),
)


class _Projection(NamedTuple):
    """``weight``: rows are outputs."""

    name: str
    weight: Tensor
    bias: Tensor | None


def from_projections(
    state: Mapping[str, Tensor], num_heads: int, prefix: str = "", fused: Fused | None = None
) -> Packed:
    """The parameters of a layer whose names begin with ``prefix``; heads that share keys and values each get a copy.

    ``fused``: the arrangement of the one matrix for Q, K and V, unless it is that of GPT-2. Raises ``InteropError`` for
    a name that is missing, and for a shape that does not fit ``num_heads``.
    """
    is_joined = fused is None and f"{prefix}{JOINED}.weight" in state
    names = separate_names(state, prefix)
    if fused is not None:
        query, *shared = _fused(state, prefix, fused)
    else:
        query, *shared = _joined(state, prefix) if is_joined else _separate(state, prefix, names)
    embed, d_in = query.weight.shape
    if num_heads < 1 or embed % num_heads:
        raise InteropError(N_("{width} is not divisible by {heads} heads"), heads=num_heads, width=embed)
    d_k = embed // num_heads
    for name, weight, _ in shared:
        groups, left = divmod(len(weight), d_k)
        if weight.shape[1] != d_in or left or not groups or num_heads % groups:
            raise wrong_shape(name, f"{embed} × {d_in}", weight)
    w_q, w_k, w_v = (_by_head(projection.weight, num_heads, d_k) for projection in (query, *shared))
    b_q, b_k, b_v = (_bias_by_head(projection.bias, num_heads, d_k) for projection in (query, *shared))
    outputs = names.outputs if fused is None else OUTPUTS
    w_o, b_o = _joined_output(state, prefix) if is_joined else _output(state, prefix, embed, outputs)
    return Packed(w_q, w_k, w_v, b_q, b_k, b_v, w_o, b_o)


def separate_names(state: Mapping[str, Tensor], prefix: str) -> Separate:
    """The names of this layer's projections; the first of ``SEPARATE`` if the file has none of them."""
    return next((names for names in SEPARATE if f"{prefix}{names.query}.weight" in state), SEPARATE[0])


def rows_are_outputs(state: Mapping[str, Tensor], prefix: str) -> bool | None:
    """Whether ``c_attn`` is a Linear, 3E × E, as in nanoGPT, or d × 3E, as in GPT-2; None: neither.

    ``c_proj`` has the same arrangement, so its width, E, is compared as well.
    """
    weight, output = state[f"{prefix}{JOINED}.weight"], state.get(f"{prefix}{_JOINED_OUTPUT}.weight")
    if weight.dim() != 2 or (output is not None and output.dim() != 2):
        return None
    rows, columns = weight.shape
    if rows == 3 * columns and (output is None or output.shape[1] == columns):
        return True
    return False if columns % 3 == 0 and (output is None or output.shape[0] == columns // 3) else None


def _separate(state: Mapping[str, Tensor], prefix: str, names: Separate) -> list[_Projection]:
    projections = []
    for part in names[:3]:
        name = f"{prefix}{part}.weight"
        weight = named(state, name)
        if weight.dim() != 2:
            raise wrong_shape(name, "E × d", weight)
        projections.append(_Projection(name, weight, vector(state, f"{prefix}{part}.bias", len(weight))))
    return projections


def _joined(state: Mapping[str, Tensor], prefix: str) -> list[_Projection]:
    name = f"{prefix}{JOINED}.weight"
    weight, is_linear = named(state, name), rows_are_outputs(state, prefix)
    if is_linear is None:
        raise wrong_shape(name, "d × 3E", weight)
    weight = weight if is_linear else weight.T
    bias = vector(state, f"{prefix}{JOINED}.bias", len(weight))
    biases = (None, None, None) if bias is None else bias.chunk(3)
    return [
        _Projection(name, part, part_bias) for part, part_bias in zip(weight.chunk(3), biases, strict=True)
    ]


def _fused(state: Mapping[str, Tensor], prefix: str, fused: Fused) -> list[_Projection]:
    name = fused_name(state, prefix)
    weight = named(state, f"{name}.weight")
    if weight.dim() != 2 or len(weight) % fused.blocks:
        raise wrong_shape(f"{name}.weight", f"{fused.blocks}·d_k × d", weight)
    bias = vector(state, f"{name}.bias", len(weight))
    biases = (None, None, None) if bias is None else parts(bias, fused)
    return [
        _Projection(f"{name}.weight", part, part_bias)
        for part, part_bias in zip(parts(weight, fused), biases, strict=True)
    ]


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
    state: Mapping[str, Tensor], prefix: str, embed: int, names: Sequence[str]
) -> tuple[Tensor | None, Tensor | None]:
    """W_O, E × d_out, and b_O; None if the file has none."""
    part = next((name for name in names if f"{prefix}{name}.weight" in state), None)
    if part is None:
        return None, None
    weight = named(state, f"{prefix}{part}.weight")
    if weight.dim() != 2 or weight.shape[1] != embed:
        raise wrong_shape(f"{prefix}{part}.weight", f"d × {embed}", weight)
    return weight.mT, vector(state, f"{prefix}{part}.bias", len(weight))


def _joined_output(state: Mapping[str, Tensor], prefix: str) -> tuple[Tensor | None, Tensor | None]:
    """The same for a layer whose projections are joined; its shape is known to fit."""
    name = f"{prefix}{_JOINED_OUTPUT}"
    if f"{name}.weight" not in state:
        return None, None
    weight = named(state, f"{name}.weight")
    w_o = weight.mT if rows_are_outputs(state, prefix) else weight
    return w_o, vector(state, f"{name}.bias", w_o.shape[1])
