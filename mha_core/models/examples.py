"""Heads of a model as an example: the model's own numbers, to be traced, checked and exported like any others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from math import sqrt
from typing import Literal

import torch
from torch import Tensor

from mha_core.errors import N_, ModelError
from mha_core.example.model import (
    MAX_HEADS,
    MAX_SIZE,
    AllowMask,
    Example,
    Head,
    Mask,
    Matrix,
    Positions,
    Row,
    Scale,
    Text,
    text_in,
)
from mha_core.example.validate import validate
from mha_core.interop.saved.rope import frequencies
from mha_core.messages import LANGUAGES, catalogue
from mha_core.models.config import Architecture
from mha_core.models.foreign_run import ForeignRun
from mha_core.models.forward import LayerRun
from mha_core.models.heads import measured
from mha_core.models.measures import RELATIONS, Record
from mha_core.models.model import Model
from mha_core.models.parts import Block, Linear
from mha_core.models.runs import AnyModel, AnyRun, run, tokenize
from mha_core.models.tokenizer import Tokens

_MOST_NAMED = 200
"""Most characters of a note's list of heads that were switched off."""


def to_example(
    model: AnyModel,
    run: AnyRun,
    tokens: Tokens,
    layer: int,
    heads: Sequence[int],
    *,
    start: Literal["x", "q"] = "x",
) -> Example:
    """Heads of one layer on a text; weights and head outputs are those of the run, to rounding.

    Where all columns of X fit, the example starts from X and the heads' W and b. With all heads of a layer it then has
    W_O too, and ``output`` is the run's. Otherwise, or with ``start="q"``, it starts from Q, K and V, which fit into a
    link where X and W are too many numbers. Rotary positions turn Q and K in the example as in the model. A head that
    was switched off in the run is in the example as if switched on; title and note say which heads of the layers up to
    this one were off. ``layer``, ``heads`` count from 0. Heads of a model that transformers computes start from Q,
    K and V, or from their weights if an example cannot compute their scores; the note says so.

    Raises ``ModelError`` for a layer or a head that does not exist, and for more than an example can have.
    """
    _require_heads(model, tokens, layer, heads)
    off = [pair for pair in run.without if pair[0] <= layer]  # those of later layers change nothing here
    if isinstance(run, ForeignRun):
        captured = replace(run.layers[layer].captured, tokens=tokens.texts, context_tokens=run.keys)
        return replace(captured.example(heads), title=_title(model, layer, heads, off))
    assert isinstance(model, Model)  # noqa: S101  # the run is one of this model
    size = model.architecture
    fits, whole = start == "x" and size.d_model <= MAX_SIZE, list(heads) == list(range(size.heads))
    layer_run, block = run.layers[layer], model.parts.blocks[layer]
    groups = size.heads // size.kv_heads
    is_grouped = whole and groups > 1
    given = [
        (_from_x(block, size.d_head, head, groups) if fits else _from_q(layer_run, head)) for head in heads
    ]
    if is_grouped:
        given = [head if index % groups == 0 else _without_kv(head) for index, head in enumerate(given)]
    output = block.output if fits and whole else None
    return validate(
        Example(
            title=_title(model, layer, heads, off),
            note=_note(size, layer, heads, off, fits=fits),
            tokens=tokens.texts,
            heads=tuple(given),
            x=_rows(layer_run.x) if fits else None,
            w_o=None if output is None else _rows(output.weight.T),
            b_o=None if output is None or output.bias is None else _row(output.bias),
            scale=_scale(size),
            mask=_mask(layer_run),
            kv_heads=size.kv_heads if is_grouped else None,
            positions=_positions(model),
        )
    )


def example_of(model: AnyModel, text: str) -> Example:
    """A text with a model's vectors for it, and two heads of one layer: those with different relations that are
    farthest beyond chance.

    Raises ``ModelError`` as ``tokenize`` and ``to_example`` do.
    """
    tokens = tokenize(model, text)
    results = run(model, tokens)
    layers = [_strongest_heads(heads) for heads in measured(tokens, results)]
    best = max(range(len(layers)), key=lambda layer: sum(excess for excess, _ in layers[layer]))
    return to_example(model, results, tokens, best, sorted(head for _, head in layers[best]))


def _strongest_heads(heads: Sequence[Record]) -> list[tuple[float, int]]:
    """Two heads of a layer with different relations, each with how far it is beyond chance; one head where no relation
    has a place.
    """
    strongest: dict[str, tuple[float, int]] = {}
    for head, record in enumerate(heads):
        excess = {name: record.measures[name].excess for name in RELATIONS if name in record.measures}
        name = max(excess, key=excess.__getitem__, default="")
        strongest[name] = max(strongest.get(name, (0.0, 0)), (excess.get(name, 0.0), head))
    return sorted(strongest.values())[-2:]


def _require_heads(model: AnyModel, tokens: Tokens, layer: int, heads: Sequence[int]) -> None:
    size = model.architecture
    exist = 0 <= layer < size.layers and all(0 <= head < size.heads for head in heads)
    if not exist or not heads or len(set(heads)) != len(heads):
        raise ModelError(
            N_(
                "expected heads of one layer, each once: the model has {layers} {layers:layer|layers} of {heads} "
                "{heads:head|heads}"
            ),
            layers=size.layers,
            heads=size.heads,
        )
    for what, count, most in (
        (N_("{count} tokens are too many; Explore can show up to {most}"), len(tokens), MAX_SIZE),
        (N_("{count} heads are too many; Explore can show up to {most}"), len(heads), MAX_HEADS),
        (N_("{count} columns per head are too many; Explore can show up to {most}"), size.d_head, MAX_SIZE),
    ):
        if count > most:
            raise ModelError(what, count=count, most=most)


def _from_x(block: Block, d_head: int, head: int, groups: int) -> Head:
    head_rows, group = slice(head * d_head, (head + 1) * d_head), head // groups
    group_rows = slice(group * d_head, (group + 1) * d_head)
    parts = {"q": (block.query, head_rows), "k": (block.key, group_rows), "v": (block.value, group_rows)}
    weights = {f"w_{name}": _rows(part.weight[rows].T) for name, (part, rows) in parts.items()}
    biases = {f"b_{name}": _bias(part, rows) for name, (part, rows) in parts.items()}
    return Head(**weights, **biases)  # type: ignore[arg-type]  # matrices by name, and rows by name


def _bias(part: Linear, rows: slice) -> Row | None:
    return None if part.bias is None else _row(part.bias[rows])


def _from_q(layer: LayerRun, head: int) -> Head:
    return Head(q=_rows(layer.q_before[head]), k=_rows(layer.k_before[head]), v=_rows(layer.v[head]))


def _without_kv(head: Head) -> Head:
    """A head that uses the keys and values of the first of its group."""
    return replace(head, k=None, v=None, w_k=None, w_v=None, b_k=None, b_v=None)


def _mask(layer: LayerRun) -> Mask:
    if layer.seen is not None:
        return AllowMask(tuple(map(tuple, layer.seen.tolist())))
    return "causal" if layer.causal else None


def _scale(size: Architecture) -> Scale:
    """√d_head; smaller where the model multiplies rotated queries and keys by a factor."""
    factor = 1.0 if size.rope is None else size.rope.factor
    return "sqrt_dk" if factor == 1 else sqrt(size.d_head) / factor**2


def _positions(model: Model) -> Positions | None:
    size = model.architecture
    if size.rope is None:
        return None
    return Positions(
        "rotary", frequencies=_row(frequencies(size.rope, size.d_head, model.dtype)), pairs="half"
    )


def _rows(x: Tensor) -> Matrix:
    return tuple(map(_row, x))


def _row(x: Tensor) -> Row:
    """The numbers in full; for float32 the nine digits that distinguish all of them."""
    if x.dtype == torch.float64:
        return tuple(x.tolist())
    return tuple(float(f"{number:.9g}") for number in x.tolist())


def _title(model: AnyModel, layer: int, heads: Sequence[int], off: Sequence[tuple[int, int]]) -> Text:
    one, several = N_("{model}, layer {layer}, head {heads}"), N_("{model}, layer {layer}, heads {heads}")
    counted = [str(head + 1) for head in heads]
    return {
        language: _say(
            language,
            one if len(heads) == 1 else several,
            model=text_in(model.title, language),
            layer=layer + 1,
            heads=_say(language, N_(", ")).join(counted),
        )
        + (_say(language, N_(" (muted heads: {count})"), count=len(off)) if off else "")
        for language in LANGUAGES
    }


def _note(
    size: Architecture, layer: int, heads: Sequence[int], off: Sequence[tuple[int, int]], *, fits: bool
) -> Text:
    if size.d_model > MAX_SIZE:
        template = N_(
            "Q, K and V are the model's own numbers. X and the weight matrices do not fit here: "
            "X has {d_model} columns."
        )
    elif not fits:
        template = N_(
            "Q, K and V are the model's own numbers. X and the weight matrices they are computed "
            "from are left out."
        )
    elif size.causal:
        template = N_(
            "X is the input of layer {layer}'s attention, after the norm. All numbers are the model's own."
        )
    else:
        template = N_("X is the input of layer {layer}'s attention. All numbers are the model's own.")
    values = {"d_model": size.d_model, "layer": layer + 1}
    return {
        language: reduce(
            lambda note, more: _say(language, N_("{told} {more}"), told=note, more=more),
            [*_without(language, size, layer, off), *_renamed(language, layer, heads)],
            _say(language, template, **values),
        )
        for language in LANGUAGES
    }


def _without(language: str, size: Architecture, layer: int, off: Sequence[tuple[int, int]]) -> Iterator[str]:
    """Sentences on the heads that were switched off. Those of earlier layers changed the numbers, others did not."""
    for template, pairs in (
        (
            N_("The model ran with muted heads (their outputs were 0): {heads}."),
            [pair for pair in off if pair[0] < layer],
        ),
        (
            N_("Muted in the model, but shown here as if they were not: {heads}."),
            [pair for pair in off if pair[0] == layer],
        ),
    ):
        if pairs:
            yield _say(language, template, heads=_named(language, size, pairs))


def _named(language: str, size: Architecture, pairs: Sequence[tuple[int, int]]) -> str:
    """ "layer 1, all heads; layer 2, heads 1, 3"; only their number where that would be long."""
    layers = {layer: [str(head + 1) for other, head in pairs if other == layer] for layer, _ in pairs}
    by_layer = []
    for layer, heads in layers.items():
        every = N_("layer {layer}, all heads")
        one, several = N_("layer {layer}, head {heads}"), N_("layer {layer}, heads {heads}")
        template = every if len(heads) == size.heads else one if len(heads) == 1 else several
        by_layer.append(_say(language, template, layer=layer + 1, heads=_say(language, N_(", ")).join(heads)))
    named = _say(language, N_("; ")).join(by_layer)
    if len(named) <= _MOST_NAMED:
        return named
    many = N_("{count} heads of layers {first} to {last}")
    return _say(language, many, count=len(pairs), first=min(layers) + 1, last=max(layers) + 1)


def _renamed(language: str, layer: int, heads: Sequence[int]) -> Iterator[str]:
    """Sentences that name the model's head for each head of the example that has another number."""
    for at, head in enumerate(heads):
        if at != head:
            yield _say(
                language,
                N_("Head {at} on this page is the model's head {head} of layer {layer}."),
                at=at + 1,
                layer=layer + 1,
                head=head + 1,
            )


def _say(language: str, template: str, **values: object) -> str:
    return catalogue(language).gettext(template).format(**values)
