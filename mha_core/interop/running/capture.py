"""The attention of any model: run a module of torch, and make an example of each attention in it.

found = capture(model, ids, tokens=["I", "am", "here"])
found[0]                             # encoder.layers.0.self_attn: 12 heads, 3 queries, 3 keys
found[0].example(heads=[0, 3])       # to open, save or show in a notebook
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict, Unpack, get_args, overload

from torch import nn

from mha_core.errors import N_, InteropError
from mha_core.interop.running.attentions import Attentions
from mha_core.interop.running.changed import Changed
from mha_core.interop.running.edits import By, Patch, Without
from mha_core.interop.running.found import Asked
from mha_core.interop.running.intervene import changed, first_run
from mha_core.interop.running.lookup import whole
from mha_core.interop.running.names import Names
from mha_core.interop.running.subject import Subject


class Options(TypedDict, total=False):
    """The keywords of ``capture`` whatever it returns."""

    keywords: Mapping[str, Any] | None
    context_tokens: Names | None
    sample: int
    batch: int | None
    real: Any
    context_real: Any


@overload
def capture(
    module: nn.Module, inputs: Any, tokens: Names | None = None, **options: Unpack[Options]
) -> Attentions: ...


@overload
def capture(
    module: nn.Module,
    inputs: Any,
    tokens: Names | None = None,
    *,
    without: Without | None = None,
    patch: Patch | None = None,
    by: By = "zero",
    **options: Unpack[Options],
) -> Changed: ...


def capture(
    module: nn.Module,
    inputs: Any,
    tokens: Names | None = None,
    *,
    keywords: Mapping[str, Any] | None = None,
    context_tokens: Names | None = None,
    sample: int = 0,
    batch: int | None = None,
    real: Any = None,
    context_real: Any = None,
    without: Without | None = None,
    patch: Patch | None = None,
    by: By = "zero",
) -> Attentions | Changed:
    """Run ``module`` and return every attention in it, in the order in which they were computed.

    The result is a sequence; a notebook cell that ends in it shows all heads at a glance.

    ``inputs``: a tensor, a tuple of arguments or a mapping of keywords, as from a tokenizer; ``keywords``: further
    keywords. ``tokens``: names of the rows of attentions with as many queries; keys of another number are named by
    ``context_tokens`` or ``tokens``, whichever are as many. They are those of one sample, or a list of them for each
    sample of the batch. ``sample``: which one of the batch, counted from 0. ``real``: samples × tokens, True or 1 for
    real tokens and False or 0 for padding, where masks do not show it or show something else. ``context_real``: the
    same of the tokens that ``context_tokens`` names, such as an encoder's.

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
        capture(model, ids, without=["layer.3", ("layer.4", [0, 2])])  all heads of one attention, two of another
        capture(model, ids, patch={("layer.3", 5): weights})      outputs = weights · V, n_q × n_k; rows may sum to
                                                                  other numbers than 1
        capture(model, ids, patch={("layer.3", 5, "outputs"): o}) outputs = o, n_q × d_v
        capture(model, ids, patch={("layer.3", 5, "k"): k})       the module goes on with these keys, n_k × d_k, in all
                                                                  that it computes from them; "q" and "v" likewise
        capture(model, ids, without=[At("layer.3", 5, rows=-1)])  outputs = 0 for the last query alone
        capture(model, ids, without=[At("layer.3.mlp")])          the output of a part of the module is 0, each time
                                                                  that it runs

    ``At`` names a place with its rows, of heads and of parts of the module, in ``without`` and in ``patch``. With
    ``by="mean"`` what is switched off is its mean over the tokens of the sample instead of 0; padding, which the mask
    hides from every other query, is not among them. A tensor with an axis of samples replaces each sample's own, any
    other that of all samples. New q, k and v that heads share, that are an input, or that are the same numbers as
    another of the three, are seen by this head's product alone. Weights that the module itself returns are not changed.
    The inputs are copied for each run, and buffers and torch's random state are restored.

    Raises ``InteropError`` if no attention was seen (the sentence says what happened to the result of softmax), if
    samples and heads cannot be distinguished, if weights · V differs from the outputs, for dropout of weights, for
    nested tensors, for a ``sample`` beyond the batch, for ``tokens`` that fit no attention, for names, heads, rows
    and shapes in ``without`` and ``patch`` that fit none or several, for numbers in them that are not finite, for q
    and k if it is not known how the weights follow from them, or where else they are used, if the changed run
    computes other attentions, for ``by="mean"`` with nothing to switch off, and for arguments of another kind.
    """
    module, args, named = arguments(module, inputs, keywords, batch)
    require_kinds(tokens, context_tokens, sample, without, patch, by)
    alone: Any = without
    without = [alone] if _is_one_head(without) else without
    asked = Asked(sample, batch, tokens, context_tokens).with_real(real, context_real)
    without = None if without is None else tuple(without)
    if by != "zero" and not without:
        raise InteropError(
            N_("there is nothing to switch off; say what is to be replaced by its mean, in without="),
            place="by",
        )
    subject = Subject(module, args, named)
    if without is None and patch is None:
        return first_run(subject, asked).attentions
    return changed(subject, asked, without or (), patch or {}, by)


def arguments(
    module: nn.Module, inputs: Any, keywords: Mapping[str, Any] | None, batch: int | None
) -> tuple[nn.Module, tuple[Any, ...], dict[str, Any]]:
    """The module, its arguments and its keywords."""
    if not isinstance(module, nn.Module):
        raise InteropError(N_("expected a torch.nn.Module, got {kind}"), kind=type(module).__name__)
    if keywords is not None and not isinstance(keywords, Mapping):
        raise _not_expected("keywords", N_("expected a mapping of keywords, got {got}"), keywords)
    if batch is not None and ((own := whole(batch)) is None or own < 1):
        raise InteropError(
            N_("expected a whole number, 1 or more, got {got}"), place="batch", got=_shown(batch)
        )
    if inputs is None or isinstance(inputs, int | float):
        sentence = N_("expected a tensor, a tuple of arguments or a mapping of keywords, got {got}")
        raise _not_expected("inputs", sentence, inputs)
    if isinstance(inputs, list) and inputs and all(isinstance(part, int | float | list) for part in inputs):
        sentence = N_(
            "a list is taken as the arguments of the module; make a tensor of its numbers, torch.tensor(…)"
        )
        raise InteropError(sentence, place="inputs")
    module = getattr(module, "_orig_mod", module)  # the module inside that of torch.compile
    if isinstance(inputs, Mapping):
        return module, (), {**inputs, **(keywords or {})}
    return module, tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,), dict(keywords or {})


def require_kinds(tokens: Any, context_tokens: Any, sample: Any, without: Any, patch: Any, by: Any) -> None:
    """Raise ``InteropError`` for an argument of another kind than ``capture`` takes."""
    for place, names in (("tokens", tokens), ("context_tokens", context_tokens)):
        if names is not None and (isinstance(names, str) or not isinstance(names, Sequence)):
            raise _not_expected(place, N_("expected a list of names, one per token, got {got}"), names)
    if whole(sample) is None:
        raise _not_expected("sample", N_("expected a whole number, got {got}"), sample)
    is_unclear = _is_one_head(without) and not isinstance(
        without[0], str
    )  # an attention's head, or two attentions
    not_listed = isinstance(without, str | Mapping) or not isinstance(without, Iterable) or is_unclear
    if without is not None and not_listed:
        sentence = N_("expected a list of heads, such as [(“layers.1”, 0)], got {got}")
        raise _not_expected("without", sentence, without)
    if patch is not None and not isinstance(patch, Mapping):
        sentence = N_("expected a mapping of places to tensors, got {got}")
        raise _not_expected("patch", sentence, patch)
    if by not in get_args(By):
        names = ", ".join(get_args(By))
        raise InteropError(N_("expected one of {names}, got {got}"), place="by", names=names, got=repr(by))


def _is_one_head(without: Any) -> bool:
    """Whether it is an attention and its head, without the brackets of a list."""
    return isinstance(without, tuple) and len(without) == 2 and whole(without[1]) is not None


def _not_expected(place: str, sentence: str, got: Any) -> InteropError:
    return InteropError(sentence, place=place, got=_shown(got))


def _shown(value: Any) -> str:
    """A plain value as Python writes it, of anything else its kind."""
    return repr(value) if isinstance(value, str | int | float | tuple) else type(value).__name__
