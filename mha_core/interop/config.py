"""How many heads a model has, as the config.json beside its weights says it: torch's and BERT's weights do not."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from mha_core.errors import N_, InteropError
from mha_core.interop.layers import Layer

NAME: Final = "config.json"
MAX_CONFIG: Final = 1_000_000
"""Longest config.json that is read, in bytes."""
_HEADS: Final = ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads")
_WIDTHS: Final = ("hidden_size", "n_embd", "d_model", "dim")


def config_beside(file: str) -> bytes | None:
    """The config.json in the folder of a weight file; None where there is none that can be read."""
    try:
        with Path(file).with_name(NAME).open("rb") as stream:
            return stream.read(MAX_CONFIG + 1)
    except (OSError, ValueError):
        return None


def with_config(layers: Iterable[Layer], config: bytes) -> tuple[Layer, ...]:
    """The layers with as many heads as the config says, where their file does not say it and their width is its own.

    Hugging Face's names, of BERT's, GPT-2's and Llama's kind, are known: ``num_attention_heads`` and ``hidden_size``,
    ``n_head`` and ``n_embd``, with ``head_dim`` where heads are of another width. Raises ``InteropError`` where this is
    no object of JSON.
    """
    width, heads = _width_and_heads(_read(config))
    return tuple(
        replace(layer, heads=heads)
        if layer.heads is None and heads and layer.width == width and width % heads == 0
        else layer
        for layer in layers
    )


def _read(config: bytes) -> Mapping[str, Any]:
    try:
        settings = None if len(config) > MAX_CONFIG else json.loads(config)
    except (ValueError, RecursionError):
        settings = None
    if not isinstance(settings, Mapping):
        raise InteropError(N_("this is no object of JSON as models have it"), place=NAME)
    return settings


def _width_and_heads(config: Mapping[str, Any]) -> tuple[int, int]:
    """What all heads are wide together, and how many they are; 0 for what is not given."""
    heads = _first(config, _HEADS)
    of_head = _first(config, ("head_dim",))
    return heads * of_head if of_head else _first(config, _WIDTHS), heads


def _first(config: Mapping[str, Any], names: Iterable[str]) -> int:
    """The first of these that is a number above 0."""
    values = (config.get(name) for name in names)
    return next((n for n in values if isinstance(n, int) and not isinstance(n, bool) and n > 0), 0)
