"""An attention layer in a weight file: its parameters, and its tensors that an example does not use."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from torch import Tensor

from mha_core.errors import N_, InteropError
from mha_core.interop.parameters.bert import from_bert
from mha_core.interop.parameters.keras_layer import from_keras
from mha_core.interop.parameters.packed import Packed
from mha_core.interop.parameters.torch_layer import from_torch
from mha_core.interop.saved.attention import Attention, attends_elsewhere
from mha_core.interop.saved.fused import Fused
from mha_core.interop.saved.projections import from_projections
from mha_core.interop.saved.settings import FILE
from mha_core.interop.saved.weights import Weights

Kind: TypeAlias = Literal["torch", "keras", "bert", "projections", "gpt2", "fused"]

KIND_NAMES: dict[Kind, str] = {
    "torch": "torch.nn.MultiheadAttention",
    "keras": "keras.layers.MultiHeadAttention",
    "bert": "BERT self-attention",
    "projections": "q_proj, k_proj, v_proj …",
    "gpt2": "GPT-2 c_attn",
    "fused": "query_key_value, qkv_proj, Wqkv …",
}

_BY_PROJECTION: Final[frozenset[Kind]] = frozenset(("projections", "gpt2", "fused"))
OF_MODELS: Final[frozenset[Kind]] = _BY_PROJECTION | {"bert"}
"""Kinds whose scores depend on the model's config.json."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer in a weight file. ``name`` is the prefix of its tensors' names.

    d_query, d_key, d_value: the widths of its three inputs; width = h·d_k. ``heads`` is None if the number is unknown:
    only Keras's files have it, and a config.json (``config``). ``shared_width``: the width of keys that heads share,
    less than ``width``; None if each head has its own. ``attention``: what the config says about the scores; None if
    none was read. ``fused``: the arrangement of its one matrix for Q, K and V, if the config gives it.
    """

    kind: Kind
    name: str
    d_query: int
    d_key: int
    d_value: int
    width: int
    heads: int | None
    shared_width: int | None = None
    attention: Attention | None = None
    fused: Fused | None = None

    @property
    def possible_heads(self) -> tuple[int, ...]:
        """How many heads it may have: the known number, or every divisor of its width that its keys allow."""
        if self.heads is not None:
            return (self.heads,)
        return tuple(h for h in range(1, self.width + 1) if self.width % h == 0 and self._may_have(h))

    def _may_have(self, heads: int) -> bool:
        """Whether this many heads can share the keys evenly."""
        groups, left = divmod((self.shared_width or self.width) * heads, self.width)
        return not left and groups > 0 and heads % groups == 0

    @property
    def likely_heads(self) -> int:
        """The known number, or else that of heads with 64 columns, as in published models, or 1."""
        wide = self.width // 64 if self.width % 64 == 0 else 1
        return self.heads or (wide if self._may_have(wide) else self.possible_heads[0])

    @property
    def shared_heads(self) -> int | None:
        """How many heads keys and values have; None if the number of heads is unknown."""
        return None if self.heads is None else (self.shared_width or self.width) * self.heads // self.width

    @property
    def attends_to_itself(self) -> bool:
        """Whether keys and values may come from the same rows as queries."""
        return self.d_query == self.d_key == self.d_value and not attends_elsewhere(self.name)


def load_layer(
    weights: Weights, layer: Layer, num_heads: int | None = None, *, leave_out: bool = False
) -> Packed:
    """All of a layer's parameters. ``num_heads`` is needed if the file does not have it.

    Raises ``InteropError`` for shapes that do not fit, and for a tensor of the layer that is none of its parameters,
    such as the gains of a norm of Q, or a sink: ``leave_out`` loads the others without it.
    """
    packed, unused = loaded(weights, layer, num_heads)
    if not leave_out:
        refuse(layer, unused, ())
    return packed


# --- tensors that are not used ------------------------------------------------------------------------------------


class _RecordingReader(Mapping[str, Tensor]):
    """The file's tensors; it records the names of those that are read."""

    def __init__(self, weights: Weights) -> None:
        self.weights, self.names = weights, set[str]()

    def __getitem__(self, name: str) -> Tensor:
        self.names.add(name)
        return self.weights[name]

    def __contains__(self, name: object) -> bool:
        return name in self.weights

    def __iter__(self) -> Iterator[str]:
        return iter(self.weights)

    def __len__(self) -> int:
        return len(self.weights)


class Unused(NamedTuple):
    """A layer's tensors that an example does not use: those that change no score, and those that may."""

    harmless: tuple[str, ...]
    others: tuple[str, ...]

    def without(self, names: Collection[str]) -> Unused:
        """The tensors that are not among these names."""
        return Unused(*(tuple(name for name in part if name not in names) for part in self))


_HARMLESS = re.compile(
    r"(\A|\.)((LayerNorm|layer_norm)\.(weight|bias|gamma|beta)|masked_bias|(original_)?inv_freq)\Z"
)
"""Parameters used after the attention, and buffers that are computed from settings."""
_HARMFUL = re.compile(
    r"(self\.)?((q|k|query|key)_?(layer)?norm|sinks?|distance_embedding|relative_attention_bias)(\.|\Z)"
)
"""Matched with the tensor's name inside the layer."""


def loaded(weights: Weights, layer: Layer, num_heads: int | None) -> tuple[Packed, Unused]:
    """All of a layer's parameters, and its other tensors."""
    if layer.heads is not None and num_heads not in (None, layer.heads):
        raise InteropError(
            N_("the file says that this layer has {heads} {heads:head|heads}, not {got}"),
            place=layer.name,
            heads=layer.heads,
            got=num_heads,
        )
    heads = layer.likely_heads if num_heads is None else num_heads
    tensors = {name: weights[name] for name in weights if name.startswith(layer.name)}
    if layer.kind in OF_MODELS:
        reader = _RecordingReader(weights)
        if layer.kind == "bert":
            packed = from_bert(reader, heads, layer.name)
        else:
            packed = from_projections(reader, heads, layer.name, layer.fused)
        return packed, _unused(tensors, layer.name, reader.names)
    reader = _RecordingReader({name.removeprefix(layer.name): tensor for name, tensor in tensors.items()})
    try:
        packed = from_torch(reader, heads) if layer.kind == "torch" else from_keras(reader)
    except InteropError as error:
        if not error.place:
            raise
        raise InteropError(error.template, place=layer.name + error.place, **error.values) from None
    return packed, _unused(tensors, layer.name, {layer.name + name for name in reader.names})


def _unused(tensors: Weights, prefix: str, read: Collection[str]) -> Unused:
    """Sort out unused tensors. In a part that is called attention any unknown tensor may change the scores; elsewhere
    only the known ones do.
    """
    left = {name: tensors[name] for name in tensors if name not in read}
    is_attention = "att" in prefix.rstrip("./").removesuffix(".self").rpartition(".")[2].lower()
    others = tuple(
        name
        for name, tensor in left.items()
        if _HARMFUL.match(name.removeprefix(prefix)) or (is_attention and not _changes_nothing(name, tensor))
    )
    return Unused(tuple(name for name in left if name not in others), others)


def _changes_nothing(name: str, tensor: Tensor) -> bool:
    is_mask = name.endswith(".bias") and tensor.dim() == 4  # in older files of GPT-2
    return is_mask or not tensor.is_floating_point() or _HARMLESS.search(name) is not None


def refuse(layer: Layer, unused: Unused, settings: Sequence[str]) -> None:
    """Raise ``InteropError`` for the first tensor or setting that an example cannot compute with."""
    if unused.others:
        raise InteropError(
            N_("the layer also has this tensor, which an example cannot represent"),
            place=unused.others[0],
        )
    if settings:
        raise InteropError(
            N_("layer {layer} uses this setting, which an example cannot represent"),
            place=f"{layer.attention.file if layer.attention else FILE}: {settings[0]}",
            layer=repr(layer.name[:100]),
        )
