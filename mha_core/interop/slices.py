"""A slice of a layer that is small enough to be looked at, as an example."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import torch
from torch import Tensor

from mha_core.errors import N_, InteropError
from mha_core.example.model import (
    MAX_HEADS,
    MAX_SIZE,
    MAX_TEXT,
    AllowMask,
    Example,
    Mask,
    Pairs,
    Positions,
    alibi_slope,
)
from mha_core.example.validate import validate
from mha_core.interop.attention import Attention, Rotary
from mha_core.interop.layers import KIND_NAMES, OF_MODELS, Layer, Unused, loaded, refuse
from mha_core.interop.packed import EXACT, Packed, exact, unpack, wrong_shape
from mha_core.interop.weights import Weights
from mha_core.messages import LANGUAGE, LANGUAGES, catalogue

_PART: Final = N_("{kind}: head {heads} of {h}; {shown} of {d_query} columns of X, {of_head} of d_k = {d_k}.")
_ASSUMED: Final = N_("Nothing says how many heads this layer has: {h} of {d_k} columns each are assumed.")
_NO_CONFIG: Final = N_(
    "No config.json was read. The divisor √d_k is assumed, and a mask, positions and anything else that the model does "
    "to its scores are missing."
)
_OTHER_CONFIG: Final = N_("The config.json does not name layers of this width, so nothing of it is used.")
_TAKEN: Final = N_("From config.json: {names}.")
_UNKNOWN: Final = N_(
    "This kind of model is not known. The divisor √d_k is assumed, with no mask and no positions, so the weights may "
    "not be the model's."
)
_IGNORED: Final = N_("These settings of its config.json are not used: {names}.")
_UNUSED: Final = N_("Not used: {names}.")
_WITHOUT: Final = N_("Left out as you chose, so scores and weights are not the model's: {names}.")
_REORDERED: Final = N_(
    "Columns of Q and K are in another order than in the file, so that columns that turn together are half a head "
    "apart; the scores are the same."
)
_LEFT_OUT: Final = N_("Columns are left out, so scores and weights are not those of the whole layer.")
_Sentence: TypeAlias = tuple[str, dict[str, object]]
"""A template and its values."""
_MOST_NAMED: Final = 12
"""How many tensors a note names."""

D_MODEL, D_HEAD = 8, 4
"""How many columns of X and of each head a slice has that does not say it, where there are so many."""

SEEDS = range(-(2**63), 2**64 - 1)
"""What torch takes for a seed; its last one is left to the context, which is drawn with the seed after X's."""


@dataclass(frozen=True, slots=True)
class Slice:
    """What of a layer goes on the bench: which heads, how many columns of X and of each head, which rows.

    ``heads`` count from 0, each once, in the order wanted. ``d_model`` and ``d_head`` are 8 and 4 where they are not
    given, or all that there are. ``tokens`` rows of X (and of the context, where the layer
    needs one) are drawn at random with ``seed``, unless ``inputs`` names a matrix of the file, such as an embedding,
    and ``rows`` the rows of it.
    """

    heads: tuple[int, ...] = (0,)
    d_model: int | None = None
    d_head: int | None = None
    tokens: int = 4
    seed: int = 0
    inputs: str | None = None
    rows: tuple[int, ...] = ()


def open_layer(
    weights: Weights, layer: Layer, part: Slice, num_heads: int | None = None, *, leave_out: bool = False
) -> Example:
    """A slice of a layer as an example: the numbers of the parameters are the file's own.

    Divisor, mask and positions are those that ``layer.attention`` names. Where columns are left out, products and the
    divisor √d_k are those of what is left. Where nothing says how many heads there are, ``likely_heads`` are assumed,
    and the example's note says so; it names, too, every tensor of the layer that is not used.

    Raises ``InteropError`` where the slice is not in the layer or does not fit the bench, and where a tensor or a
    setting has no place in an example, so that its weights would not be the model's: ``leave_out`` opens it
    without them, and the note names them.
    """
    packed, unused = loaded(weights, layer, num_heads)
    attention = layer.attention or Attention()
    if not leave_out:
        refuse(layer, unused, attention.refused)
    _check_slice(packed, part)
    d_model, d_head = _sizes(packed, part)
    columns, positions = _columns(attention.rotary, packed.w_q.shape[2], d_head)
    small = _sliced(packed, part.heads, d_model, d_head, columns)
    query = _inputs(weights, layer, part, small.w_q.shape[1])
    key = value = None
    if not layer.attends_to_itself:
        random = torch.Generator().manual_seed(part.seed + 1)
        key = _random(part.tokens, small.w_k.shape[1], random)
        value = key if layer.d_key == layer.d_value else _random(part.tokens, small.w_v.shape[1], random)
    tokens = [str(row) for row in part.rows] if part.inputs else None
    assumed = num_heads is None and layer.heads is None
    note = _note(layer, packed, small, part, unused, assumed=assumed, reordered=columns != sorted(columns))
    title = f"{layer.name or KIND_NAMES[layer.kind]}"[:200]
    example = unpack(small, query, key, value, title=title, note=note, tokens=tokens)
    example = replace(example, scale=attention.scale, mask=_mask(attention, len(query)), positions=positions)
    return validate(_with_slopes(example, part.heads, packed.h) if attention.alibi else example)


# --- what the scores are made with ------------------------------------------------------------------------------


def _columns(rotary: Rotary | None, d_k: int, wide: int) -> tuple[list[int], Positions | None]:
    """Which columns of a head's Q and K the example has, in its order, and how it turns them.

    Pairs of columns stay whole. Columns that are not turned are pairs with frequency 0; where pairs lie half a head
    apart these follow the others in either half.
    """
    if rotary is None:
        return list(range(min(wide, d_k))), None
    if wide % 2 or d_k % 2:
        raise InteropError(
            N_("rotary positions turn pairs of columns: {got} is odd"),
            place="d_head",
            got=wide if wide % 2 else d_k,
        )
    turned, still = rotary.columns, d_k - rotary.columns
    rates = [*rotary.frequencies, *[0.0] * (still // 2)][: wide // 2]
    if rotary.pairs == "interleaved":
        return list(range(wide)), _rotating(rates, rotary.pairs)
    firsts = [*range(turned // 2), *range(turned, turned + still // 2)][: wide // 2]
    seconds = [m + (turned // 2 if m < turned else still // 2) for m in firsts]
    return [*firsts, *seconds], _rotating(rates, rotary.pairs)


def _rotating(rates: Sequence[float], pairs: Pairs) -> Positions:
    return Positions("rotary", frequencies=tuple(rates), pairs=pairs)


def _mask(attention: Attention, n: int) -> Mask:
    """Causal, and of a window the last so many keys that a query may see."""
    if not attention.causal:
        return None
    window = attention.window or n
    if window >= n:
        return "causal"
    return AllowMask(tuple(tuple(i - window < j <= i for j in range(n)) for i in range(n)))


def _with_slopes(example: Example, heads: Sequence[int], h: int) -> Example:
    """With ALiBi, each head with the slope that it has among all h."""
    sloped = tuple(
        replace(head, slope=(alibi_slope(at, h),)) for head, at in zip(example.heads, heads, strict=True)
    )
    return replace(example, heads=sloped, positions=Positions("alibi"))


# --- the note --------------------------------------------------------------------------------------------------


def _note(
    layer: Layer,
    packed: Packed,
    small: Packed,
    part: Slice,
    unused: Unused,
    *,
    assumed: bool,
    reordered: bool,
) -> Mapping[str, str]:
    heads = ", ".join(str(head + 1) for head in part.heads)
    (d_query, d_k), (shown, of_head) = packed.w_q.shape[1:], small.w_q.shape[1:]
    whole = all(
        getattr(small, name).shape[1:] == getattr(packed, name).shape[1:] for name in ("w_q", "w_k", "w_v")
    )
    sentences: list[_Sentence] = [
        (
            _PART,
            {
                "kind": KIND_NAMES[layer.kind],
                "heads": heads,
                "h": packed.h,
                "shown": shown,
                "d_query": d_query,
                "of_head": of_head,
                "d_k": d_k,
            },
        )
    ]
    if assumed:
        sentences.append((_ASSUMED, {"h": packed.h, "d_k": d_k}))
    sentences += _said_of_scores(layer, unused)
    if unused.harmless:
        sentences.append((_UNUSED, {"names": _listed(unused.harmless)}))
    if reordered:
        sentences.append((_REORDERED, {}))
    if not whole:
        sentences.append((_LEFT_OUT, {}))
    notes = {}
    for language in LANGUAGES:
        say = catalogue(language).gettext
        said = [say(template).format(**values) for template, values in sentences]
        notes[language] = LANGUAGE[language].between.join(said)[:MAX_TEXT]
    return notes


def _said_of_scores(layer: Layer, unused: Unused) -> Iterator[_Sentence]:
    """What of the config is used and what is not, and which tensors are not."""
    attention = layer.attention
    left_out = [*unused.others, *(attention.refused if attention else ())]
    if left_out:
        yield _WITHOUT, {"names": _listed(left_out)}
    if layer.kind not in OF_MODELS:
        return
    if attention is None:
        yield _NO_CONFIG, {}
    elif not attention.fits:
        yield _OTHER_CONFIG, {}
    else:
        yield from _said_of_config(attention)


def _said_of_config(attention: Attention) -> Iterator[_Sentence]:
    if attention.taken:
        yield _TAKEN, {"names": _listed(attention.taken)}
    if "model_type" not in attention.taken:
        yield _UNKNOWN, {}
        if attention.ignored:
            yield _IGNORED, {"names": _listed(attention.ignored)}


def _listed(names: Sequence[str]) -> str:
    shown = [name[:100] for name in names[:_MOST_NAMED]]
    return ", ".join([*shown, f"… (+{len(names) - _MOST_NAMED})"] if len(names) > _MOST_NAMED else shown)


# --- slicing ---------------------------------------------------------------------------------------------------


def _check_slice(packed: Packed, part: Slice) -> None:
    if not 1 <= len(part.heads) <= MAX_HEADS:
        raise InteropError(
            N_("expected 1 to {most}, got {got}"), place="heads", most=MAX_HEADS, got=len(part.heads)
        )
    for at, head in enumerate(part.heads):
        if head in part.heads[:at]:
            raise InteropError(N_("head {head} is named twice"), place="heads", head=head)
        if not 0 <= head < packed.h:
            raise InteropError(
                N_("expected heads from 0 to {last}, got {got}"), place="heads", last=packed.h - 1, got=head
            )
    if part.rows and part.inputs is None:
        raise InteropError(N_("name the matrix of the file that these are rows of, its inputs"), place="rows")
    _check_size("tokens", part.tokens)
    if part.seed not in SEEDS:
        raise InteropError(
            N_("expected a whole number from {least} to {most}, got {got}"),
            place="seed",
            least=SEEDS[0],
            most=SEEDS[-1],
            got=part.seed,
        )


def _check_size(place: str, got: int) -> None:
    if not 1 <= got <= MAX_SIZE:
        raise InteropError(N_("expected 1 to {most}, got {got}"), place=place, most=MAX_SIZE, got=got)


def _sizes(packed: Packed, part: Slice) -> tuple[int, int]:
    """How many columns of X and of each head: those asked for, which must be there, or as many as usual."""
    weights = packed.w_q, packed.w_k, packed.w_v
    d_model = max(weight.shape[1] for weight in weights)
    d_head = max(weight.shape[2] for weight in weights)
    for place, got, most, message in (
        ("d_model", part.d_model, d_model, N_("this layer takes rows of {most} columns, got {got}")),
        ("d_head", part.d_head, d_head, N_("the heads of this layer have {most} columns, got {got}")),
    ):
        if got is not None:
            _check_size(place, got)
            if got > most:
                raise InteropError(message, place=place, most=most, got=got)
    return (
        min(D_MODEL, d_model) if part.d_model is None else part.d_model,
        min(D_HEAD, d_head) if part.d_head is None else part.d_head,
    )


def _sliced(packed: Packed, chosen: Sequence[int], deep: int, wide: int, columns: Sequence[int]) -> Packed:
    """The chosen heads, the first ``deep`` rows and ``wide`` columns of their matrices, and W_O's to match.

    ``columns``: those of Q and K.
    """
    heads = list(chosen)

    def of_scores(numbers: Tensor) -> Tensor:
        return numbers[heads][..., list(columns)]

    w_o = None
    if packed.w_o is not None:
        by_head = packed.w_o.reshape(packed.h, packed.w_v.shape[2], -1)
        w_o = by_head[heads, :wide, :deep].flatten(0, 1)
    return Packed(
        of_scores(packed.w_q[:, :deep]),
        of_scores(packed.w_k[:, :deep]),
        packed.w_v[heads, :deep, :wide],
        None if packed.b_q is None else of_scores(packed.b_q),
        None if packed.b_k is None else of_scores(packed.b_k),
        None if packed.b_v is None else packed.b_v[heads, :wide],
        w_o,
        None if packed.b_o is None else packed.b_o[:deep],
    )


def input_matrices(weights: Weights, layer: Layer) -> tuple[str, ...]:
    """Names of the file's matrices whose rows could be tokens of this layer: those d_query wide, its own apart."""
    names = (name for name in weights if not name.startswith(layer.name) or not layer.name)
    return tuple(_wide(weights, names, layer.d_query))


def _wide(weights: Weights, names: Iterator[str], width: int) -> Iterator[str]:
    for name in names:
        tensor = weights[name]
        if tensor.dim() == 2 and tensor.shape[1] == width and tensor.is_floating_point():
            yield name


def _inputs(weights: Weights, layer: Layer, part: Slice, width: int) -> Tensor:
    if part.inputs is None:
        return _random(part.tokens, width, torch.Generator().manual_seed(part.seed))
    if part.inputs not in weights:
        raise InteropError(N_("is missing"), place=part.inputs[:200])
    table = weights[part.inputs]
    if table.dim() != 2 or table.shape[1] != layer.d_query:
        raise wrong_shape(part.inputs[:200], f"n × {layer.d_query}", table)
    _check_rows(part.rows, table.shape[0])
    return exact(table[list(part.rows), :width], part.inputs[:200])


def _check_rows(rows: Sequence[int], count: int) -> None:
    if not 1 <= len(rows) <= MAX_SIZE:
        raise InteropError(N_("expected 1 to {most}, got {got}"), place="rows", most=MAX_SIZE, got=len(rows))
    for row in rows:
        if not 0 <= row < count:
            raise InteropError(
                N_("expected rows from 0 to {last}, got {got}"), place="rows", last=count - 1, got=row
            )


def _random(rows: int, columns: int, random: torch.Generator) -> Tensor:
    """Normal numbers of two decimals, the same ones for the same seed."""
    return torch.randn(rows, columns, generator=random, dtype=EXACT).mul(100).round().div(100)
