"""Keras 3's ``MultiHeadAttention``: a kernel d × h × key_dim for each projection, with an axis of heads.

query/kernel  d_query × h × d_k    key/kernel  d_key × h × d_k    value/kernel  d_value × h × d_v
query/bias, key/bias  h × d_k      value/bias  h × d_v
attention_output/kernel  h × d_v × d_out                          attention_output/bias  d_out

It takes (query, value, key), in this order. If it returns its scores, it hides a pair with the score −10⁹ and, from
3.10 on, sets its weight to 0 afterwards, so that a row that may attend to nothing gets 0, as here. If it returns only
its output, that is then the mean of all values (``conventions.masks``).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from torch import Tensor

from mha_core.errors import N_, InteropError, needs
from mha_core.example.model import Example
from mha_core.interop.parameters.packed import Packed, exact, pack, wrong_shape

PARTS = ("query", "key", "value", "attention_output")


def from_keras(weights: Mapping[str, Tensor]) -> Packed:
    """The parameters in a layer's weights by name, such as ``query/kernel``.

    Raises ``InteropError`` for a name that is missing or a shape that does not fit.
    """
    kernels = {part: _kernel(weights, part) for part in PARTS}
    h, d_k = kernels["query"].shape[1:]
    _, _, d_v = kernels["value"].shape
    for part, kernel, shape in (
        ("key", kernels["key"], (kernels["key"].shape[0], h, d_k)),
        ("value", kernels["value"], (kernels["value"].shape[0], h, d_v)),
        ("attention_output", kernels["attention_output"], (h, d_v, kernels["attention_output"].shape[2])),
    ):
        if tuple(kernel.shape) != shape:
            raise wrong_shape(f"{part}/kernel", " × ".join(map(str, shape)), kernel)
    d_out = kernels["attention_output"].shape[2]
    w_q, w_k, w_v = (kernels[part].permute(1, 0, 2) for part in PARTS[:3])
    return Packed(
        w_q,
        w_k,
        w_v,
        _bias(weights, "query", (h, d_k)),
        _bias(weights, "key", (h, d_k)),
        _bias(weights, "value", (h, d_v)),
        kernels["attention_output"].flatten(0, 1),
        _bias(weights, "attention_output", (d_out,)),
    )


def to_keras(example: Example) -> tuple[dict[str, object], dict[str, Tensor]]:
    """Arguments for Keras's layer and its weights by name, in the order of ``layer.weights``, in float64.

    Without W_O the output kernel is the identity, so that the output is Concat. Raises ``InteropError`` if heads start
    later than at X or the divisor is not √d_k.
    """
    packed, dims = pack(example), example.dims
    d_out = packed.joined.shape[1]
    arguments: dict[str, object] = {"num_heads": dims.h, "key_dim": dims.d_k, "value_dim": dims.d_v}
    arguments |= {"use_bias": packed.biased, "output_shape": d_out}
    weights: dict[str, Tensor] = {}
    for part in PARTS[:3]:
        weights[f"{part}/kernel"] = getattr(packed, f"w_{part[0]}").permute(1, 0, 2).contiguous()
        if packed.biased:
            weights[f"{part}/bias"] = packed.bias(f"b_{part[0]}")
    weights["attention_output/kernel"] = packed.joined.reshape(dims.h, dims.d_v, d_out)
    if packed.biased:
        weights["attention_output/bias"] = packed.joined_bias
    return arguments, weights


def keras_layer(example: Example) -> Any:
    """A built Keras layer on the torch backend with the example's numbers, in float64.

    Raises ``InteropError`` as ``to_keras`` does, and if Keras is not installed or runs on another backend.
    """
    arguments, weights = to_keras(example)
    keras = _keras()
    layer = keras.layers.MultiHeadAttention(**arguments, dtype="float64")
    dims = example.dims
    layer.build((1, dims.n_q, dims.d_model), (1, dims.n_k, dims.d_context), (1, dims.n_k, dims.d_context))
    layer.set_weights([tensor.numpy() for tensor in weights.values()])
    return layer


def keras_weights(layer: Any) -> dict[str, Tensor]:
    """The weights of a Keras layer on the torch backend by name, without the layer's name as a prefix."""
    named = {}
    for weight in layer.weights:
        name = "/".join(str(weight.path).split("/")[-2:])
        named[name] = weight.value.detach().cpu()
    return named


def _keras() -> Any:
    os.environ.setdefault("KERAS_BACKEND", "torch")
    with needs("keras", "interop", InteropError):
        import keras  # noqa: PLC0415  # optional, and slow to import
    return keras


def _kernel(weights: Mapping[str, Tensor], part: str) -> Tensor:
    name = f"{part}/kernel"
    if name not in weights:
        raise InteropError(N_("missing"), place=name)
    kernel = exact(weights[name], name)
    if kernel.dim() != 3:
        raise wrong_shape(name, "a × b × c", kernel)
    return kernel


def _bias(weights: Mapping[str, Tensor], part: str, shape: tuple[int, ...]) -> Tensor | None:
    name = f"{part}/bias"
    if name not in weights:
        return None
    bias = exact(weights[name], name)
    if tuple(bias.shape) != shape:
        raise wrong_shape(name, " × ".join(map(str, shape)), bias)
    return bias
