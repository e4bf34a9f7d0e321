"""A slice of a layer, small enough to look at, as an example."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import torch
from torch import Tensor

from mha_core.errors import N_, InteropError
from mha_core.example.band import BandMask, simplest
from mha_core.example.model import (
    MAX_HEADS,
    MAX_SIZE,
    Example,
    Mask,
    Pairs,
    Positions,
    Scale,
    alibi_slope,
)
from mha_core.example.validate import validate
from mha_core.interop.parameters.packed import Packed, unpack
from mha_core.interop.saved.adapters import Merged
from mha_core.interop.saved.attention import Attention, Rotary
from mha_core.interop.saved.layers import KIND_NAMES, Layer, loaded, refuse
from mha_core.interop.saved.notes import note_of
from mha_core.interop.saved.operands import operands_of, with_operands
from mha_core.interop.saved.rows import given_rows, random_rows, rows_of_file, started
from mha_core.interop.saved.weights import Weights

D_MODEL, D_HEAD = 8, 4
"""How many columns of X and of each head a slice has by default, if the layer has as many."""

SEEDS = range(-(2**63), 2**64 - 1)
"""The seeds that torch accepts, without the last: the context is drawn with the seed after X's."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Which part of a layer becomes an example: heads, columns of X and of each head, rows.

    ``heads`` count from 0, each once, in any order. ``d_model`` and ``d_head`` are by default 8 and 4, or all that the
    layer has. ``tokens`` rows of X (and of the context, if there is one) are drawn at random with ``seed``, unless
    ``inputs`` names a matrix of the file, such as an embedding, and ``rows`` its rows.
    """

    heads: tuple[int, ...] = (0,)
    d_model: int | None = None
    d_head: int | None = None
    tokens: int = 4
    seed: int = 0
    inputs: str | None = None
    rows: tuple[int, ...] = ()


def open_layer(
    weights: Weights,
    layer: Layer,
    part: Slice,
    num_heads: int | None = None,
    *,
    leave_out: bool = False,
    x: Any = None,
    context: Any = None,
) -> Example:
    """A slice of a layer as an example, with the file's own parameters.

    Divisor, mask and positions come from ``layer.attention``. If columns are left out, products and the divisor √d_k
    are those of the remaining ones. If the number of heads is unknown, ``likely_heads`` are assumed, and the example's
    note says so. The note also names every tensor of the layer that is not used.

    ``x``: the layer's real input, n_q × d_query of any width, and ``context``: n_k × d_key, if keys and values come
    from other rows. Then the heads start from Q, K and V, which are computed in float64 with all columns, so that the
    weights and head outputs are those of the whole layer; rotary positions are part of the example. W_O is left out.

        open_layer(weights, layer, Slice(heads=(0, 3)), x=hidden)  # 768 columns, heads of 64

    Raises ``InteropError`` if the slice is not in the layer or is too large for an example, and if a tensor or a
    setting has no place in an example, so that its weights would not be the model's: ``leave_out`` opens the layer
    without them, and the note names them. With ``x`` also for heads of more than 64 columns, for rows of another width,
    and for a part of the columns.
    """
    packed, unused = loaded(weights, layer, num_heads)
    attention = layer.attention or Attention()
    operands = operands_of(weights, layer, packed)
    unused = unused.without(operands.names)
    if not leave_out:
        refuse(layer, unused, attention.refused)
    _check_slice(packed, part)
    given = None if x is None else given_rows(layer, x, context)
    d_model, d_head = _sizes(packed, part) if given is None else _whole(packed, part)
    columns, positions = _columns(attention.rotary, packed.w_q.shape[2], d_head)
    small = _sliced(packed, part.heads, d_model, d_head, columns)
    example = _from_rows(weights, layer, part, small) if given is None else started(small, *given)
    mask = _mask(attention, len(example.tokens))
    assumed = num_heads is None and layer.heads is None
    note = note_of(
        layer,
        packed,
        small,
        part.heads,
        unused,
        mask,
        assumed=assumed,
        reordered=columns != sorted(columns),
        merged=isinstance(weights, Merged),
        started=given is not None,
    )
    example = replace(
        example,
        title=f"{layer.name or KIND_NAMES[layer.kind]}"[:200],
        note=note,
        scale=_scale(attention, len(columns)),
        softcap=attention.softcap,
        mask=mask,
        positions=positions,
    )
    if layer.shared_width is not None and part.heads == tuple(range(packed.h)):
        example = _sharing(example, layer.shared_width * packed.h // layer.width)
    if attention.alibi is not None:
        example = _with_slopes(example, part.heads, packed.h, attention.alibi)
    return validate(with_operands(example, operands, part.heads, columns))


def _from_rows(weights: Weights, layer: Layer, part: Slice, small: Packed) -> Example:
    """The slice with rows of the file as X, or with random ones, and with a random context if there is one."""
    width = small.w_q.shape[1]
    if part.inputs is None:
        query = random_rows(part.tokens, width, torch.Generator().manual_seed(part.seed))
    else:
        query = rows_of_file(weights, layer, part.inputs, part.rows)[:, :width]
    key = value = None
    if not layer.attends_to_itself:
        random = torch.Generator().manual_seed(part.seed + 1)
        key = random_rows(part.tokens, small.w_k.shape[1], random)
        value = key if layer.d_key == layer.d_value else random_rows(part.tokens, small.w_v.shape[1], random)
    return unpack(small, query, key, value, tokens=[str(row) for row in part.rows] if part.inputs else None)


# --- columns, mask and positions --------------------------------------------------------------------------------


def _columns(rotary: Rotary | None, d_k: int, d_head: int) -> tuple[list[int], Positions | None]:
    """The columns of a head's Q and K in the example, in its order, and how it rotates them.

    Pairs of columns stay together. Columns that are not rotated are pairs with frequency 0; if pairs are half a head
    apart, they follow the others in each half.
    """
    if rotary is None:
        return list(range(min(d_head, d_k))), None
    if d_head % 2 or d_k % 2:
        raise InteropError(
            N_("rotary positions rotate columns in pairs, but {got} is odd"),
            place="d_head",
            got=d_head if d_head % 2 else d_k,
        )
    rotated, unrotated = rotary.columns, d_k - rotary.columns
    rates = [*rotary.frequencies, *[0.0] * (unrotated // 2)][: d_head // 2]
    if rotary.pairs == "interleaved":
        return list(range(d_head)), _rotating(rates, rotary.pairs)
    firsts = [*range(rotated // 2), *range(rotated, rotated + unrotated // 2)][: d_head // 2]
    seconds = [m + (rotated // 2 if m < rotated else unrotated // 2) for m in firsts]
    return [*firsts, *seconds], _rotating(rates, rotary.pairs)


def _scale(attention: Attention, d_k: int) -> Scale:
    """The divisor of heads with this many columns; the factor of rotated queries and keys is part of it."""
    factor = 1.0 if attention.rotary is None else attention.rotary.factor
    if factor == 1:
        return attention.scale
    divisor = {"sqrt_dk": sqrt(d_k), "none": 1.0}.get(attention.scale, attention.scale)  # type: ignore[arg-type]
    return divisor / factor**2


def _rotating(rates: Sequence[float], pairs: Pairs) -> Positions:
    return Positions("rotary", frequencies=tuple(rates), pairs=pairs)


def _mask(attention: Attention, n: int) -> Mask:
    """A causal mask or none, with the window if it hides any of n keys."""
    window = attention.window
    if window is not None and window + (not attention.causal) >= n:
        window = None
    return simplest(BandMask(window, attention.causal)) if attention.causal or window is not None else None


def _sharing(example: Example, kv_heads: int) -> Example:
    """The example with keys and values in the first head of each group alone, which the others share."""
    size = len(example.heads) // kv_heads
    without = dict.fromkeys(("w_k", "b_k", "w_v", "b_v", "k", "v"))
    heads = tuple(replace(head, **without) if i % size else head for i, head in enumerate(example.heads))
    return replace(example, heads=heads, kv_heads=kv_heads)


def _with_slopes(example: Example, heads: Sequence[int], h: int, factor: float) -> Example:
    """The example with ALiBi, each head with its slope among all h, multiplied by ``factor``."""
    sloped = tuple(
        replace(head, slope=(alibi_slope(index, h) * factor,))
        for head, index in zip(example.heads, heads, strict=True)
    )
    return replace(example, heads=sloped, positions=Positions("alibi"))


# --- slicing ---------------------------------------------------------------------------------------------------


def _check_slice(packed: Packed, part: Slice) -> None:
    if not 1 <= len(part.heads) <= MAX_HEADS:
        raise InteropError(
            N_("expected 1 to {most}, got {got}"), place="heads", most=MAX_HEADS, got=len(part.heads)
        )
    for position, head in enumerate(part.heads):
        if head in part.heads[:position]:
            raise InteropError(N_("head {head} is given twice"), place="heads", head=head)
        if not 0 <= head < packed.h:
            raise InteropError(
                N_("expected heads from 0 to {last}, got {got}"), place="heads", last=packed.h - 1, got=head
            )
    if part.rows and part.inputs is None:
        raise InteropError(N_("give inputs: the matrix in the file that these rows come from"), place="rows")
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
    """How many columns of X and of each head: as many as the slice requests, or the default."""
    weights = packed.w_q, packed.w_k, packed.w_v
    d_model = max(weight.shape[1] for weight in weights)
    d_head = max(weight.shape[2] for weight in weights)
    for place, got, most, message in (
        (
            "d_model",
            part.d_model,
            d_model,
            N_("the input of this layer has {most} {most:column|columns}, got {got}"),
        ),
        (
            "d_head",
            part.d_head,
            d_head,
            N_("the heads of this layer have {most} {most:column|columns}, got {got}"),
        ),
    ):
        if got is not None:
            _check_size(place, got)
            if got > most:
                raise InteropError(message, place=place, most=most, got=got)
    return (
        min(D_MODEL, d_model) if part.d_model is None else part.d_model,
        min(D_HEAD, d_head) if part.d_head is None else part.d_head,
    )


def _whole(packed: Packed, part: Slice) -> tuple[int, int]:
    """All columns of X and of each head, of which an example holds at most 64."""
    for place in ("d_model", "d_head", "inputs"):
        if getattr(part, place) is not None:
            raise InteropError(
                N_("with x, all columns are computed from its rows; leave this out"), place=place
            )
    d_model, d_head = (
        max(weight.shape[axis] for weight in (packed.w_q, packed.w_k, packed.w_v)) for axis in (1, 2)
    )
    _check_size("d_head", d_head)
    return d_model, d_head


def _sliced(
    packed: Packed, chosen: Sequence[int], d_model: int, d_head: int, columns: Sequence[int]
) -> Packed:
    """The chosen heads, the first ``d_model`` rows and ``d_head`` columns of their matrices, and W_O to match.

    ``columns``: the columns of Q and K.
    """
    heads = list(chosen)

    def score_columns(numbers: Tensor) -> Tensor:
        return numbers[heads][..., list(columns)]

    w_o = None
    if packed.w_o is not None:
        by_head = packed.w_o.reshape(packed.h, packed.w_v.shape[2], -1)
        w_o = by_head[heads, :d_head, :d_model].flatten(0, 1)
    return Packed(
        score_columns(packed.w_q[:, :d_model]),
        score_columns(packed.w_k[:, :d_model]),
        packed.w_v[heads, :d_model, :d_head],
        None if packed.b_q is None else score_columns(packed.b_q),
        None if packed.b_k is None else score_columns(packed.b_k),
        None if packed.b_v is None else packed.b_v[heads, :d_head],
        w_o,
        None if packed.b_o is None else packed.b_o[:d_model],
    )
