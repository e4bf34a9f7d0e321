"""Layers of other libraries, to and from examples.

``parameters``: a layer's parameters, and each library's arrangement of them. ``saved``: the layers that a file holds.
``running``: the heads of a module while it runs.
"""

from mha_core.errors import InteropError
from mha_core.interop.parameters.bert import from_bert, to_bert
from mha_core.interop.parameters.keras_layer import from_keras, keras_layer, keras_weights, to_keras
from mha_core.interop.parameters.masks import (
    from_bert_mask,
    from_keras_mask,
    from_torch_masks,
    to_bert_mask,
    to_keras_mask,
    to_torch_mask,
)
from mha_core.interop.parameters.packed import Packed, pack, unpack
from mha_core.interop.parameters.torch_layer import from_torch, to_torch, torch_layer
from mha_core.interop.running.attentions import Attentions
from mha_core.interop.running.attribution import Attribution, attribute
from mha_core.interop.running.capture import capture
from mha_core.interop.running.captured import Captured
from mha_core.interop.running.changed import Changed, TokenChange
from mha_core.interop.running.edits import At
from mha_core.interop.running.qkv import from_qkv
from mha_core.interop.running.sweep import HeadChange, Sweep, sweep
from mha_core.interop.saved.adapters import merge_adapter
from mha_core.interop.saved.config import config_beside, with_config
from mha_core.interop.saved.finding import layers
from mha_core.interop.saved.folder import read_adapter, read_model
from mha_core.interop.saved.layers import KIND_NAMES, Layer, load_layer
from mha_core.interop.saved.projections import from_projections
from mha_core.interop.saved.rows import input_matrices, read_rows
from mha_core.interop.saved.slices import Slice, open_layer
from mha_core.interop.saved.weights import Weights, read_weights, read_weights_file

__all__ = [
    "KIND_NAMES",
    "At",
    "Attentions",
    "Attribution",
    "Captured",
    "Changed",
    "HeadChange",
    "InteropError",
    "Layer",
    "Packed",
    "Slice",
    "Sweep",
    "TokenChange",
    "Weights",
    "attribute",
    "capture",
    "config_beside",
    "from_bert",
    "from_bert_mask",
    "from_keras",
    "from_keras_mask",
    "from_projections",
    "from_qkv",
    "from_torch",
    "from_torch_masks",
    "input_matrices",
    "keras_layer",
    "keras_weights",
    "layers",
    "load_layer",
    "merge_adapter",
    "open_layer",
    "pack",
    "read_adapter",
    "read_model",
    "read_rows",
    "read_weights",
    "read_weights_file",
    "sweep",
    "to_bert",
    "to_bert_mask",
    "to_keras",
    "to_keras_mask",
    "to_torch",
    "to_torch_mask",
    "torch_layer",
    "unpack",
    "with_config",
]
