"""What a model's config.json says about its layers that the weights do not: heads, divisor, mask …"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from mha_core.errors import N_, InteropError
from mha_core.interop.saved.attention import Attention, attention_of
from mha_core.interop.saved.fused import Fused, fused_of
from mha_core.interop.saved.layers import OF_MODELS, Layer
from mha_core.interop.saved.settings import FILE, Settings

PARAMS: Final = "params.json"
"""The config beside Llama's and Mistral's own files."""
MAX_CONFIG: Final = 1_000_000
"""Longest config.json that is read, in bytes."""
_HEADS: Final = ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads")
_WIDTHS: Final = ("hidden_size", "n_embd", "n_embed", "d_model", "dim")


@dataclass(frozen=True, slots=True)
class Config:
    """A config that has been read. ``width``: of all heads together; 0 for what is not given. ``fused``: how one matrix
    for Q, K and V is arranged, None if the kind of model is not known. ``file``: the file's name.
    """

    given: Mapping[str, Any]
    width: int
    heads: int
    fused: Fused | None
    file: str


def config_beside(file: str) -> bytes | None:
    """The config.json, or else the params.json, in a folder or beside a weight file; None if none can be read."""
    path = Path(file)
    for name in (FILE, PARAMS):
        try:
            with (path / name if path.is_dir() else path.with_name(name)).open("rb") as stream:
                return stream.read(MAX_CONFIG + 1)
        except (OSError, ValueError):
            continue
    return None


def with_config(layers: Iterable[Layer], config: bytes) -> tuple[Layer, ...]:
    """The layers with the config's number of heads and with what it says about their scores (``Layer.attention``).

    Heads are set if the weight file does not have them and the layer's width is the config's. Hugging Face's names are
    known: ``num_attention_heads`` and ``hidden_size``, ``n_head`` and ``n_embd``, with ``head_dim`` if heads have
    another width. Raises ``InteropError`` if the file is not a JSON object, ``ModelError`` naming a setting that has an
    impossible value.
    """
    known = config_of(config)
    return tuple(with_settings(layer, known) for layer in layers)


def config_of(config: bytes) -> Config:
    """What is read from a config.json or a params.json; the latter has no ``model_type``."""
    given = _read(config)
    width, heads = _width_and_heads(given, "")
    is_params = "model_type" not in given and {"dim", "n_heads"} <= given.keys()
    return Config(given, width, heads, fused_of(given, width, heads), PARAMS if is_params else FILE)


def with_settings(layer: Layer, config: Config) -> Layer:
    """The layer with the config's number of heads and with what it says about its scores."""
    width, heads = _width_and_heads(config.given, layer.name)
    fits = bool(heads) and layer.width == width and width % heads == 0
    if fits and layer.heads is None:
        layer = replace(layer, heads=heads)
    if layer.kind not in OF_MODELS:
        return layer
    attention = (
        attention_of(Settings(config.given, file=config.file), layer.name, width // heads, heads)
        if fits
        else Attention(fits=False, file=config.file)
    )
    if layer.fused is not None:
        attention = replace(attention, taken=(*attention.taken, *layer.fused.taken))
    return replace(layer, attention=attention)


def _read(config: bytes) -> Mapping[str, Any]:
    try:
        settings = None if len(config) > MAX_CONFIG else json.loads(config)
    except (ValueError, RecursionError):
        settings = None
    if not isinstance(settings, Mapping):
        raise InteropError(N_("this is not a JSON object like a model's config"), place=FILE)
    return settings


def _width_and_heads(config: Mapping[str, Any], name: str) -> tuple[int, int]:
    """The width of all heads of this layer together, and their number; 0 for what is not given."""
    heads = _first(config, ("decoder_attention_heads", *_HEADS) if "decoder" in name else _HEADS)
    head_width = _first(config, ("head_dim", "d_kv"))
    return heads * head_width if head_width else _first(config, _WIDTHS), heads


def _first(config: Mapping[str, Any], names: Iterable[str]) -> int:
    """The first of these settings that is a whole number above 0."""
    values = (config.get(name) for name in names)
    return next((n for n in values if isinstance(n, int) and not isinstance(n, bool) and n > 0), 0)
