"""The weights of more tokens than a screen has pixels: the largest, or the mean, of each block of their map.

    cell[r, c] = max (or mean) of A[i, j] over the queries i of block r and the keys j of block c

There are never n_q × n_k numbers in memory: the map is computed a few queries at a time, each with all the keys that it
may see. So their softmax is exact, and no score is computed twice, as it would be if keys were split too and their sum
had to be known first. For a part of the map only its queries are computed. Where every block is one query and one key,
the cells are the weights themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import ceil, sqrt
from typing import Final, Literal, NamedTuple, TypeAlias

import torch
from torch import Tensor

from mha_core.errors import N_, CellError, ExampleError
from mha_core.example.model import NEG_INF

MaskBlock: TypeAlias = Callable[[Tensor, Tensor], Tensor]
"""The indices of some queries (m × 1) and of some keys (n) → their part of a mask, m × n: booleans, True = may attend,
or numbers that are added to the scaled scores.
"""
By: TypeAlias = Literal["max", "mean"]
"""What a cell is of the weights of its block."""
Reduce: TypeAlias = Callable[[Tensor, int], Tensor]

TILE, GPU_TILE = 2**20, 2**25
"""Scores at a time: as many as fit into a processor's cache, and enough to keep a GPU busy."""
FEW, LARGEST = 128, 2**23
"""Q·Kᵀ of fewer queries is slow. So many are computed even if their scores exceed a tile, up to the larger number."""


class Pooled(NamedTuple):
    """``values``: … × rows × columns. ``queries``, ``keys``: the first token of each row's and of each column's block;
    their step is a block's size, and the last block may be smaller.
    """

    values: Tensor
    queries: range
    keys: range


@torch.no_grad()
def pooled_weights(
    q: Tensor,
    k: Tensor,
    size: tuple[int, int] = (512, 512),
    *,
    by: By = "max",
    queries: range | None = None,
    keys: range | None = None,
    mask: Literal["causal"] | Tensor | MaskBlock | None = None,
    divisor: float | None = None,
) -> Pooled:
    """The map of A = softmax(Q·Kᵀ ÷ divisor), pooled to at most ``size``, rows × columns.

    q: … × h × n_q × d_k; k: … × h × n_k × d_k, or of kv_heads heads, each then the keys of h ÷ kv_heads heads in a row;
    one head needs no axis. ``queries``, ``keys``: the part of the map that is shown; all of it by default.
    ``mask``: "causal", query i may attend to keys 0 … i; a tensor that broadcasts to … × h × n_q × n_k, or a function
    of indices, both as in ``MaskBlock``. Hidden weights are 0, and so are all of a query that may attend to nothing.
    ``divisor``: √d_k by default.

    Takes the time of n_k scores for each query that is shown, half of it where the mask is causal, and the memory of a
    tile of them. Raises ``ExampleError`` where the shapes do not fit each other, ``CellError`` where there is no such
    part of the map.
    """
    shared = _sharing(q, k)
    *heads, n_q, d_k = q.shape
    rows, columns = _blocks(queries, n_q, size[0], "queries"), _blocks(keys, k.shape[-2], size[1], "keys")
    block = _mask_block(mask, (*heads, n_q, k.shape[-2]))
    reduce, join = _POOL[by]
    divisor = sqrt(d_k) if divisor is None else divisor
    values = q.new_zeros(*heads, len(rows), len(columns))
    tiles = list(tiles_of(rows, rows_at_once(k)))
    buffer = q.new_empty(max(map(len, tiles)) * k.shape[-2])
    for tile, layout in _with_layouts(tiles, columns, k, causal=isinstance(mask, str)):
        masked = None if block is None else _mask_of_tile(block, tile, layout).expand(*heads, -1, -1)
        at = (tile.start - rows.start) // rows.step
        for head in product(*map(range, heads)):
            owner = (*head[:-1], head[-1] // shared) if head else ()
            scores = buffer[: len(tile) * len(layout.order)].view(len(tile), -1)
            torch.mm(q[head][tile.start : tile.stop] / divisor, layout.keys[owner].T, out=scores)
            weights = _softmax(scores, layout.free, None if masked is None else masked[head])
            cells = _pooled(_pooled_keys(weights, layout, columns.step, reduce), rows.step, reduce)
            part = values[head][at : at + len(cells), : cells.shape[1]]
            join(part, cells, out=part)
    if by == "mean":
        values /= _lengths(rows, values).unsqueeze(-1) * _lengths(columns, values)
    return Pooled(values, rows, columns)


_POOL: Final[dict[str, tuple[Reduce, Callable[..., Tensor]]]] = {
    "max": (torch.amax, torch.maximum),
    "mean": (torch.sum, torch.add),
}
"""How a block becomes a number (a sum is divided later), and how the numbers of two parts of a block are joined."""


def pooled_map(
    weights: Tensor, size: tuple[int, int], by: By, queries: range | None = None, keys: range | None = None
) -> Pooled:
    """``pooled_weights`` of weights that are known, n_q × n_k."""
    n_q, n_k = weights.shape
    rows, columns = _blocks(queries, n_q, size[0], "queries"), _blocks(keys, n_k, size[1], "keys")
    part = weights[rows.start : rows.stop, columns.start : columns.stop]
    reduce, _ = _POOL[by]
    values = _pooled(_pooled(part, rows.step, reduce).T, columns.step, reduce).T
    if by == "mean":
        values = values / (_lengths(rows, values).unsqueeze(-1) * _lengths(columns, values))
    return Pooled(values, rows, columns)


# --- the arguments -----------------------------------------------------------------------------------------------


def _sharing(q: Tensor, k: Tensor) -> int:
    """How many heads in a row have the same keys; 1 where each has its own."""
    fits = q.dim() == k.dim() >= 2 and q.shape[-1] == k.shape[-1] and q.shape[:-3] == k.shape[:-3]
    heads, kv_heads = (t.shape[-3] if t.dim() > 2 else 1 for t in (q, k))
    if not fits or min(*q.shape, *k.shape) < 1 or heads % kv_heads:
        raise _shape_error("k", (*q.shape[:-2], "n_k", q.shape[-1]), k.shape)
    return heads // kv_heads


def _blocks(part: range | None, n: int, most: int, place: str) -> range:
    """The first token of each block: the smallest blocks of which at most ``most`` cover the part."""
    part = range(n) if part is None else part
    if most < 1:
        raise CellError(N_("expected 1 to {most}, got {got}"), place="size", most=n, got=most)
    if part.step != 1 or not 0 <= part.start < part.stop <= n:
        raise CellError(
            N_("expected a range within 0 to {most}, got {start} to {stop}"),
            place=place,
            most=n,
            start=part.start,
            stop=part.stop,
        )
    return range(part.start, part.stop, ceil(len(part) / most))


def _mask_block(
    mask: Literal["causal"] | Tensor | MaskBlock | None, shape: tuple[int, ...]
) -> MaskBlock | None:
    """Any mask as a function of indices."""
    if isinstance(mask, str):
        return lambda queries, keys: keys <= queries
    if not isinstance(mask, Tensor):
        return mask
    try:
        mask.expand(shape)
    except RuntimeError:
        raise _shape_error("mask", shape, mask.shape) from None
    whole = mask.expand(*mask.shape[:-2], *shape[-2:])
    return lambda queries, keys: whole[..., queries.squeeze(-1), :].index_select(-1, keys)


def _shape_error(place: str, expected: Sequence[object], got: Sequence[int]) -> ExampleError:
    return ExampleError(
        N_("expected {expected}, got {got}"),
        place=place,
        expected=" × ".join(map(str, expected)),
        got=" × ".join(map(str, got)),
    )


# --- tiles -------------------------------------------------------------------------------------------------------


def rows_at_once(k: Tensor) -> int:
    """How many queries have a tile of scores."""
    n_k = k.shape[-2]
    tile = TILE if k.device.type == "cpu" else GPU_TILE
    return max(1, tile // n_k, min(FEW, LARGEST // n_k))


def tiles_of(rows: range, most: int) -> Iterator[range]:
    """Queries that are computed together: whole blocks, as many as fit; or parts of one block."""
    blocks = max(1, most // rows.step) * rows.step
    for start in range(rows.start, rows.stop, blocks):
        stop = min(start + blocks, rows.stop)
        for first in range(start, stop, most):
            yield range(first, min(first + most, stop))


class _Layout(NamedTuple):
    """The keys that a tile sees, in an order in which the keys of a block are pooled as whole columns of memory.

    ``order``: their indices; ``keys``: … × n × d_k. First come ``whole`` blocks of shown keys, interleaved: the first
    key of each, then the second of each, and so on. Then the other shown keys, ``shown`` in all, and those that only
    softmax needs. A causal mask hides the first ``free`` keys from no query of the tile.
    """

    order: Tensor
    keys: Tensor
    whole: int
    shown: int
    free: int


def _with_layouts(
    tiles: Sequence[range], columns: range, k: Tensor, *, causal: bool
) -> Iterator[tuple[range, _Layout]]:
    """Each tile with its keys; without tiles whose shown keys are all beyond the diagonal."""
    n_k = k.shape[-2]
    if not causal:
        layout = _layout(columns, k, n_k, n_k)._replace(free=0)
        yield from ((tile, layout) for tile in tiles)
        return
    for tile in tiles:
        if columns.start < tile.stop:
            yield tile, _layout(columns, k, min(tile.stop, n_k), min(tile.start + 1, n_k))


def _layout(columns: range, k: Tensor, seen: int, spread: int) -> _Layout:
    """The layout of the first ``seen`` keys; blocks among the first ``spread`` of them are interleaved."""
    stop = min(columns.stop, seen)
    whole = max(0, min(stop, spread) - columns.start) // columns.step
    cut = columns.start + whole * columns.step
    places = torch.arange(seen, device=k.device)
    side_by_side = places[columns.start : cut].view(whole, columns.step).T.flatten()
    order = torch.cat((side_by_side, places[cut:stop], places[: columns.start], places[stop:]))
    return _Layout(order, k[..., order, :], whole, stop - columns.start, cut - columns.start)


def _mask_of_tile(block: MaskBlock, tile: range, layout: _Layout) -> Tensor:
    """A tile's part of the mask, … × m × n: numbers to add, or True for what is hidden."""
    places = torch.arange(tile.start, tile.stop, device=layout.order.device).unsqueeze(-1)
    part = block(places, layout.order[layout.free :])
    return ~part if part.dtype == torch.bool else part


def _softmax(scores: Tensor, free: int, mask: Tensor | None) -> Tensor:
    """The weights of a tile, in place of its scores."""
    if mask is None:
        return torch.softmax(scores, -1, out=scores)
    masked = scores[:, free:]
    masked.masked_fill_(mask, NEG_INF) if mask.dtype == torch.bool else masked.add_(mask)
    if free:
        return torch.softmax(scores, -1, out=scores)
    empty = scores.amax(-1, keepdim=True) == NEG_INF
    return torch.softmax(scores, -1, out=scores).masked_fill_(empty, 0.0)


# --- pooling -----------------------------------------------------------------------------------------------------


def _pooled_keys(weights: Tensor, layout: _Layout, step: int, reduce: Reduce) -> Tensor:
    """m × columns, of a tile's weights."""
    spread = layout.whole * step
    whole = reduce(weights[:, :spread].view(len(weights), step, layout.whole), 1)
    return torch.cat((whole, _pooled(weights[:, spread : layout.shown].T, step, reduce).T), 1)


def _pooled(values: Tensor, step: int, reduce: Reduce) -> Tensor:
    """Blocks of ``step`` rows, the last may be smaller: m × n → ⌈m ÷ step⌉ × n."""
    whole = len(values) // step
    parts = [reduce(values[: whole * step].view(whole, step, values.shape[1]), 1)]
    if rest := len(values) % step:
        parts.append(reduce(values[-rest:], 0).unsqueeze(0))
    return torch.cat(parts)


def _lengths(blocks: range, like: Tensor) -> Tensor:
    """How many tokens each block has."""
    return like.new_tensor([min(blocks.step, blocks.stop - first) for first in blocks])
