"""What a model's config.json says about its layers that the weights do not: heads, divisor, mask …"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from mha_core.errors import N_, InteropError
from mha_core.interop.attention import Attention, attention_of
from mha_core.interop.layers import OF_MODELS, Layer

NAME: Final = "config.json"
MAX_CONFIG: Final = 1_000_000
"""Longest config.json that is read, in bytes."""
_HEADS: Final = ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads")
_WIDTHS: Final = ("hidden_size", "n_embd", "d_model", "dim")


def config_beside(file: str) -> bytes | None:
    """The config.json in the folder of a weight file; None if there is none that can be read."""
    try:
        with Path(file).with_name(NAME).open("rb") as stream:
            return stream.read(MAX_CONFIG + 1)
    except (OSError, ValueError):
        return None


def with_config(layers: Iterable[Layer], config: bytes) -> tuple[Layer, ...]:
    """The layers with the config's number of heads and with what it says about their scores (``Layer.attention``).

    Heads are set if the weight file does not have them and the layer's width is the config's. Hugging Face's names are
    known: ``num_attention_heads`` and ``hidden_size``, ``n_head`` and ``n_embd``, with ``head_dim`` if heads have
    another width. Raises ``InteropError`` if the file is not a JSON object, ``ModelError`` naming a setting that has an
    impossible value.
    """
    settings = _read(config)
    return tuple(_with_settings(layer, settings) for layer in layers)


def _with_settings(layer: Layer, config: Mapping[str, Any]) -> Layer:
    width, heads = _width_and_heads(config, layer.name)
    fits = bool(heads) and layer.width == width and width % heads == 0
    if fits and layer.heads is None:
        layer = replace(layer, heads=heads)
    if layer.kind not in OF_MODELS:
        return layer
    attention = attention_of(config, layer.name, width // heads) if fits else Attention(fits=False)
    return replace(layer, attention=attention)


def _read(config: bytes) -> Mapping[str, Any]:
    try:
        settings = None if len(config) > MAX_CONFIG else json.loads(config)
    except (ValueError, RecursionError):
        settings = None
    if not isinstance(settings, Mapping):
        raise InteropError(N_("this is not a JSON object like a model's config"), place=NAME)
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
