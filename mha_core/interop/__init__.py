"""Layers of other libraries, to and from examples. Read in this order:

``packed`` (the parameters of any layer), ``torch_layer``, ``keras_layer``, ``bert``, ``projections`` (each library's
arrangement of them), ``masks`` (whether True hides or allows), ``weights`` (files, read so that nothing in them runs),
``adapters`` (LoRA), ``saved`` (folders and shards), ``fused`` (one matrix for Q, K and V), ``layers``, ``settings``,
``rope``, ``kinds``, ``attention``, ``config`` (what a model's config.json says about them), ``finding`` (which layers a
file has), ``slices`` (a slice of a layer as an example).

From a model's own results: ``qkv`` (an example from Q, K and V), ``einsum`` (products as einsum equations), ``scores``
(what is done to a product before softmax), ``watch`` (what a running module calls in torch), ``samples`` and
``second_run`` (which axis is samples and which is heads), ``captured`` and ``one_sample`` (one attention, verified),
``found`` (every attention of a run), ``edits``, ``changed``, ``intervene`` (heads changed while a module runs, and what
that does to its output), ``capture`` and ``sweep`` (the functions that callers use).
"""

from mha_core.interop.adapters import merge_adapter
from mha_core.interop.bert import from_bert, to_bert
from mha_core.interop.capture import capture
from mha_core.interop.captured import Captured
from mha_core.interop.changed import Changed, TokenChange
from mha_core.interop.config import config_beside, with_config
from mha_core.interop.finding import layers
from mha_core.interop.keras_layer import from_keras, keras_layer, keras_weights, to_keras
from mha_core.interop.layers import KIND_NAMES, Layer, load_layer
from mha_core.interop.masks import (
    from_bert_mask,
    from_keras_mask,
    from_torch_masks,
    to_bert_mask,
    to_keras_mask,
    to_torch_mask,
)
from mha_core.interop.packed import Packed, pack, unpack
from mha_core.interop.projections import from_projections
from mha_core.interop.qkv import from_qkv
from mha_core.interop.saved import read_adapter, read_model
from mha_core.interop.slices import Slice, input_matrices, open_layer
from mha_core.interop.sweep import HeadChange, Sweep, sweep
from mha_core.interop.torch_layer import from_torch, to_torch, torch_layer
from mha_core.interop.weights import Weights, read_weights, read_weights_file

__all__ = [
    "KIND_NAMES",
    "Captured",
    "Changed",
    "HeadChange",
    "Layer",
    "Packed",
    "Slice",
    "Sweep",
    "TokenChange",
    "Weights",
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
