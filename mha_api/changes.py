"""The rows that differ between two traces, which turn one into the other for a reader.

Numbers are compared and sent bit for bit, as little-endian float64.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator
from itertools import chain, groupby
from typing import NamedTuple

import torch
from torch import Tensor

from mha_core.compute.trace import Rows, Trace, input_matrix
from mha_core.example.model import Example, kv_head_of
from mha_core.vocabulary import AXES, PER_HEAD, PER_HEAD_STEPS, STEPS, WHOLE_LAYER_STEPS

BORROWED = -1
"""In place of a head that uses the keys and values of another head."""


class Block(NamedTuple):
    """Consecutive rows of one matrix: ``rows`` × ``cols`` numbers as float64, row by row, from row ``first`` on.

    ``head`` is None for a matrix of the whole layer. −∞ is sent as a number.
    """

    name: str
    head: int | None
    first: int
    rows: int
    cols: int
    numbers: bytes


def changes(before: Trace | None, after: Trace) -> Iterator[Block]:
    """The rows of ``after`` that are not the same in ``before``; all rows where ``before`` is None.

    Matrices come in the order of ``vocabulary.AXES``, inputs first. A mask of pairs is sent as 1 and 0.
    """
    known = before if before is not None and before.backend == after.backend else None
    yield from _inputs(known.example if known else None, after.example)
    yield from _steps(known, after)


def _inputs(before: Example | None, after: Example) -> Iterator[Block]:
    if before is after:
        return
    for name in AXES:
        if name in STEPS:
            continue
        for head in range(len(after.heads)) if name in PER_HEAD else [None]:
            if before and _is_same(before, after, name, head):
                continue
            rows = input_matrix(after, name, head)
            if not rows:
                continue
            numbers = _packed(rows)
            known = before and input_matrix(before, name, head)
            if not known or len(known) != len(rows) or _packed(known) != numbers:
                yield Block(name, head, 0, len(rows), len(rows[0]), numbers)


def _is_same(before: Example, after: Example, name: str, head: int | None) -> bool:
    """Whether both have the identical tuple of rows; a mask may be derived from other parts of an example."""
    if head is not None and head >= len(before.heads):
        return False
    rows_before, rows_after = (
        getattr(example if head is None else example.heads[head], name, None) for example in (before, after)
    )
    return rows_before is rows_after and isinstance(rows_before, tuple)


def _packed(rows: Rows) -> bytes:
    packed = array("d", chain.from_iterable(rows))
    if sys.byteorder != "little":
        packed.byteswap()
    return packed.tobytes()


def _steps(before: Trace | None, after: Trace) -> Iterator[Block]:
    known = dict(before.groups) if before else {}
    for members, tensors in after.groups:
        earlier = known.get(members, {})
        for name in PER_HEAD_STEPS:
            if name in tensors:
                yield from _changed_rows(
                    name, _owners(after.example, name, members), earlier.get(name), tensors[name]
                )
    for name in WHOLE_LAYER_STEPS:
        if name in after.layer:
            earlier_rows = before.layer.get(name) if before else None
            yield from _changed_rows(
                name, (None,), None if earlier_rows is None else earlier_rows[None], after.layer[name][None]
            )


def _owners(example: Example, name: str, members: tuple[int, ...]) -> tuple[int | None, ...]:
    """The heads of a group, with ``BORROWED`` for each that uses another head's matrix."""
    if example.kv_heads is None:
        return members
    return tuple(head if kv_head_of(example, name, head) == head else BORROWED for head in members)


def _changed_rows(
    name: str, heads: tuple[int | None, ...], before: Tensor | None, after: Tensor
) -> Iterator[Block]:
    """The rows of one step that differ, for some heads; tensors are g × rows × columns."""
    numbers = _bits(after)
    cols = numbers.shape[-1]
    if before is None or before.shape != after.shape:
        changed: list[list[bool]] = [[True] * numbers.shape[1]] * len(heads)
    else:
        changed = (_bits(before) != numbers).any(-1).tolist()
    for index, (head, rows) in enumerate(zip(heads, changed, strict=True)):
        if head == BORROWED:
            continue
        for differs, run in groupby(range(len(rows)), rows.__getitem__):
            if differs:
                first, *rest = run
                part = numbers[index, first : first + 1 + len(rest)].numpy()
                yield Block(name, head, first, 1 + len(rest), cols, part.astype("<i8", copy=False).tobytes())


def _bits(tensor: Tensor) -> Tensor:
    """The bits of the numbers as float64, so that 0 and −0 differ, and NaN equals itself."""
    return tensor.detach().to("cpu", torch.float64).contiguous().view(torch.int64)


def joined(blocks: list[Block]) -> tuple[list[tuple[str, int | None, int, int, int]], bytes]:
    """The header's list of blocks, ``[name, head, first, rows, cols]``, and the numbers of all blocks, end to end."""
    return [block[:-1] for block in blocks], b"".join(block.numbers for block in blocks)
