"""The attention of any model: run a module of torch, and make an example of each attention in it.

found = capture(model, ids, tokens=["I", "am", "here"])
found[0]                             # encoder.layers.0.self_attn: 12 heads, 3 queries, 3 keys
found[0].example(heads=[0, 3])       # to open, save or show in a notebook
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

from torch import nn

from mha_core.errors import N_, InteropError
from mha_core.interop.running.attentions import Attentions
from mha_core.interop.running.changed import Changed
from mha_core.interop.running.edits import Patch, Without
from mha_core.interop.running.found import Asked, found_in
from mha_core.interop.running.intervene import changed


@overload
def capture(
    module: nn.Module,
    inputs: Any,
    tokens: Sequence[str] | None = None,
    *,
    keywords: Mapping[str, Any] | None = None,
    context_tokens: Sequence[str] | None = None,
    sample: int = 0,
    batch: int | None = None,
    without: None = None,
    patch: None = None,
) -> Attentions: ...


@overload
def capture(
    module: nn.Module,
    inputs: Any,
    tokens: Sequence[str] | None = None,
    *,
    keywords: Mapping[str, Any] | None = None,
    context_tokens: Sequence[str] | None = None,
    sample: int = 0,
    batch: int | None = None,
    without: Without | None = None,
    patch: Patch | None = None,
) -> Changed: ...


def capture(
    module: nn.Module,
    inputs: Any,
    tokens: Sequence[str] | None = None,
    *,
    keywords: Mapping[str, Any] | None = None,
    context_tokens: Sequence[str] | None = None,
    sample: int = 0,
    batch: int | None = None,
    without: Without | None = None,
    patch: Patch | None = None,
) -> Attentions | Changed:
    """Run ``module`` and return every attention in it, in the order in which they were computed.

    The result is a sequence; a notebook cell that ends in it shows all heads at a glance.

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

    With ``without`` or ``patch`` the module runs as it is, and again with heads changed; the result is then a
    ``Changed``: the attentions of the changed run, and the output before and after. An attention is named as in the
    result, by whole parts of its name ("layer.3"), or by its index in the result; heads are counted from 0.

        capture(model, ids, without=[("layer.3", 5)])             outputs = 0, before concatenation and W_O
        capture(model, ids, patch={("layer.3", 5): weights})      outputs = weights · V, n_q × n_k; rows may sum to
                                                                  other numbers than 1
        capture(model, ids, patch={("layer.3", 5, "outputs"): o}) outputs = o, n_q × d_v

    A tensor with an axis of samples before these replaces each sample's own, any other that of all samples. Weights
    that the module itself returns are not changed. The inputs are copied for each run, and buffers and torch's random
    state are restored.

    Raises ``InteropError`` if no attention was seen (the sentence says what happened to the result of softmax), if
    samples and heads cannot be distinguished, if weights · V differs from the outputs, for dropout of weights, for
    nested tensors, for a ``sample`` beyond the batch, for ``tokens`` that fit no attention, for names, heads and shapes
    in ``without`` and ``patch`` that fit none or several, for numbers in them that are not finite, and if the changed
    run computes other attentions.
    """
    module, args, named = arguments(module, inputs, keywords, batch)
    asked = Asked(sample, batch, tokens, context_tokens)
    if without is None and patch is None:
        return found_in(module, args, named, asked).attentions
    return changed(module, args, named, asked, without or (), patch or {})


def arguments(
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
