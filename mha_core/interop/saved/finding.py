"""The attention layers in a weight file: which names and shapes make one."""

from __future__ import annotations

import re

from torch import Tensor

from mha_core.errors import N_, InteropError
from mha_core.interop.parameters.keras_layer import PARTS
from mha_core.interop.parameters.packed import wrong_shape
from mha_core.interop.saved.adapters import BASE, is_adapter, is_unmerged
from mha_core.interop.saved.config import Config, config_of, with_settings
from mha_core.interop.saved.fused import KINDS, NAMES
from mha_core.interop.saved.layers import Layer
from mha_core.interop.saved.projections import JOINED, rows_are_outputs, separate_names
from mha_core.interop.saved.weights import Weights
from mha_core.quoted import quoted, quoted_json


def layers(weights: Weights, config: bytes | None = None) -> tuple[Layer, ...]:
    """Every attention layer in the file, in the order of its tensors. Raises ``InteropError`` if there is none.

    ``config``: the model's config.json, which says how many heads the layers have and how their scores are computed
    (see ``with_config``), and how one matrix for queries, keys and values is arranged.
    """
    known = None if config is None else config_of(config)
    found = (_layer_at(weights, name, known) for name in weights if BASE not in name)
    in_order = tuple(dict.fromkeys(layer for layer in found if layer is not None))
    if not in_order:
        raise _nothing_found(weights, known)
    return in_order if known is None else tuple(with_settings(layer, known) for layer in in_order)


def _nothing_found(weights: Weights, config: Config | None) -> InteropError:
    fused = next((name for name in weights if _FUSED.match(name)), None)
    if fused is not None:
        return _unarranged(weights, fused, config)
    adapter = next(filter(is_adapter, weights), None)
    if adapter is not None and is_unmerged(weights):
        return InteropError(
            N_(
                "this LoRA adapter is not merged with its model; mha import merges them if the "
                "adapter_config.json is beside the file"
            ),
            place=adapter,
        )
    if adapter is not None:
        return InteropError(
            N_(
                "this is a LoRA adapter, which only has changes to the matrices of a model; import the model "
                "with it: mha import MODEL --adapter ADAPTER"
            ),
            place=adapter,
        )
    return InteropError(
        N_(
            "no attention layer was found; the names used by torch, Keras, BERT, GPT-2, Llama "
            "and T5 are known, but the first tensor here is {name}"
        ),
        name=quoted(next(iter(weights), "")),
    )


def _unarranged(weights: Weights, fused: str, config: Config | None) -> InteropError:
    """The error for one matrix for Q, K and V whose rows are not known."""
    if config is None:
        return InteropError(
            N_(
                "this is one matrix for queries, keys and values together; which rows belong to "
                "which differs between models, and the config.json beside the file would tell"
            ),
            place=fused,
        )
    if config.fused is None:
        return InteropError(
            N_(
                "this is one matrix for queries, keys and values together; which rows belong to which is known "
                "for models of type {kinds}, but not {kind}"
            ),
            place=fused,
            kind=quoted_json(config.given.get("model_type")),
            kinds=", ".join(KINDS),
        )
    rows = config.fused.blocks * config.width // config.fused.heads
    return wrong_shape(fused, f"{rows} × d", weights[fused])


_BERT_QUERY = re.compile(r"(.*?)(self\.)?query(_proj)?\.weight\Z", re.DOTALL)
_SEPARATE_QUERY = re.compile(r"(.*\.|)(q_proj|q_lin|q|wq)\.weight\Z", re.DOTALL)
_FUSED = re.compile(rf"(\A|.*\.)({'|'.join(NAMES)})\.weight\Z", re.DOTALL)


def _layer_at(weights: Weights, name: str, config: Config | None) -> Layer | None:
    """The layer whose first tensor has this name."""
    fused = _FUSED.match(name)
    if fused and config is not None and config.fused is not None:
        return _fused_layer(weights[name], fused[1], config)
    for end in ("in_proj_weight", "q_proj_weight"):
        if name.endswith(end) and f"{name.removesuffix(end)}out_proj.weight" in weights:
            return _torch_layer(weights, name.removesuffix(end), joined=end == "in_proj_weight")
    if name.endswith("query/kernel"):
        prefix = name.removesuffix("query/kernel")
        if all(f"{prefix}{part}/kernel" in weights for part in PARTS):
            return _keras_layer(weights, prefix)
    separate, joined = _SEPARATE_QUERY.match(name), f"{JOINED}.weight"
    if separate:
        return _projected_layer(weights, separate[1])
    if name.endswith(joined):
        return _joined_layer(weights, name.removesuffix(joined))
    match = _BERT_QUERY.match(name)
    if match:
        inside, ending = match[1] + (match[2] or ""), match[3] or ""
        if all(f"{inside}{part}{ending}.weight" in weights for part in ("key", "value")):
            return _bert_layer(weights[name], match[1])
    return None


def _torch_layer(weights: Weights, prefix: str, *, joined: bool) -> Layer | None:
    if joined:
        weight = weights[f"{prefix}in_proj_weight"]
        if weight.dim() != 2 or weight.shape[0] != 3 * weight.shape[1]:
            return None
        width = weight.shape[1]
        return Layer("torch", prefix, width, width, width, width, None)
    shapes = [
        weights[f"{prefix}{x}_proj_weight"].shape for x in "qkv" if f"{prefix}{x}_proj_weight" in weights
    ]
    if len(shapes) != 3 or any(len(shape) != 2 for shape in shapes):
        return None
    return Layer("torch", prefix, shapes[0][1], shapes[1][1], shapes[2][1], shapes[0][0], None)


def _keras_layer(weights: Weights, prefix: str) -> Layer | None:
    shapes = [weights[f"{prefix}{part}/kernel"].shape for part in PARTS[:3]]
    if any(len(shape) != 3 for shape in shapes):
        return None
    query, key, value = shapes
    return Layer("keras", prefix, query[0], key[0], value[0], query[1] * query[2], query[1])


def _bert_layer(query: Tensor, prefix: str) -> Layer | None:
    if query.dim() != 2:
        return None
    width, d_in = query.shape
    return Layer("bert", prefix, d_in, d_in, d_in, width, None)


def _projected_layer(weights: Weights, prefix: str) -> Layer | None:
    parts = separate_names(weights, prefix)[:3]
    shapes = [weights[f"{prefix}{x}.weight"].shape for x in parts if f"{prefix}{x}.weight" in weights]
    if len(shapes) != len(parts) or any(len(shape) != 2 for shape in shapes):
        return None
    (width, d_in), (shared, _), _ = shapes
    return Layer("projections", prefix, d_in, d_in, d_in, width, None, shared if shared < width else None)


def _joined_layer(weights: Weights, prefix: str) -> Layer | None:
    is_linear = rows_are_outputs(weights, prefix)
    if is_linear is None:
        return None
    rows, columns = weights[f"{prefix}{JOINED}.weight"].shape
    d_in, joined = (columns, rows) if is_linear else (rows, columns)
    return Layer("gpt2", prefix, d_in, d_in, d_in, joined // 3, None)


def _fused_layer(weight: Tensor, prefix: str, config: Config) -> Layer | None:
    """None if the matrix has other sizes than those that the config gives."""
    if weight.dim() != 2 or config.fused is None:
        return None
    (rows, d_in), d_k = weight.shape, config.width // config.fused.heads
    if rows != config.fused.blocks * d_k:
        return None
    shared = config.fused.groups * d_k
    heads = config.fused.heads
    return Layer(
        "fused",
        prefix,
        d_in,
        d_in,
        d_in,
        config.width,
        heads,
        shared if shared < config.width else None,
        fused=config.fused,
    )
