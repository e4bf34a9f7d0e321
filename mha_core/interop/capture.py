"""The attention of any model: run a module of torch, and make an example of each attention in it.

found = capture(model, ids, tokens=["I", "am", "here"])
found[0]                             # encoder.layers.0.self_attn: 12 heads, 3 queries, 3 keys
found[0].example(heads=[0, 3])       # to open, save or show in a notebook
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch import nn

from mha_core.errors import N_, InteropError
from mha_core.interop.captured import Captured
from mha_core.interop.found import Asked, found_in


def capture(
    module: nn.Module,
    inputs: Any,
    tokens: Sequence[str] | None = None,
    *,
    keywords: Mapping[str, Any] | None = None,
    context_tokens: Sequence[str] | None = None,
    sample: int = 0,
    batch: int | None = None,
) -> list[Captured]:
    """Run ``module`` and return every attention in it, in the order in which they were computed.

    ``inputs``: a tensor, a tuple of arguments or a mapping of keywords, as from a tokenizer; ``keywords``: further
    keywords. ``tokens``: names of the rows of attentions with as many queries; keys of another number are named by
    ``context_tokens`` or ``tokens``, whichever are as many. ``sample``: which one of the batch, counted from 0.

    ``nn.MultiheadAttention``, ``scaled_dot_product_attention`` and products around a softmax, as in Hugging Face's
    eager attention, are recognised. The module is not changed; other threads may use it meanwhile. No autograd graph
    is recorded.

    Tensors of four axes are samples × heads × tokens × columns. With one axis before tokens and columns, samples and
    heads are distinguished by the view that folded them and by the first axis of the first input, or by ``batch``, the
    number of samples. More than two such axes need ``batch``, unless only the last one is heads. If sizes leave the
    order open, for example because there are as many heads as samples, ``module`` runs again with one sample of an
    input changed: the axis along which only that sample's outputs change is the axis of samples. For all heads and
    samples, weights · V must equal the outputs that the module computed. If ``scale`` is 0, all scores are 0: the
    weights are returned without Q and K, since no divisor gives that.

    Raises ``InteropError`` if no attention was seen (the sentence says what happened to the result of softmax), if
    samples and heads cannot be distinguished, if weights · V differs from the outputs, for dropout of weights, for
    nested tensors, for a ``sample`` beyond the batch, and for ``tokens`` that fit no attention.
    """
    module, args, named = _arguments(module, inputs, keywords, batch)
    return list(found_in(module, args, named, Asked(sample, batch, tokens, context_tokens)).attentions)


def _arguments(
    module: nn.Module, inputs: Any, keywords: Mapping[str, Any] | None, batch: int | None
) -> tuple[nn.Module, tuple[Any, ...], dict[str, Any]]:
    """The module, its arguments and its keywords."""
    if not isinstance(module, nn.Module):
        raise InteropError(N_("expected a torch.nn.Module, got {kind}"), kind=type(module).__name__)
    if batch is not None and batch < 1:
        raise InteropError(N_("expected a whole number, 1 or more, got {got}"), place="batch", got=batch)
    module = getattr(module, "_orig_mod", module)  # the module inside that of torch.compile
    if isinstance(inputs, Mapping):
        return module, (), {**inputs, **(keywords or {})}
    return module, tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,), dict(keywords or {})
