"""An example from the queries, keys and values of a model: heads that start from Q, K and V."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mha_core.errors import N_, InteropError
from mha_core.example.arrays import from_arrays
from mha_core.example.model import MAX_HEADS, MAX_SIZE, NEG_INF, Example, Scale, Text


def from_qkv(
    q: Any,
    k: Any,
    v: Any = None,
    tokens: Iterable[str] | None = None,
    *,
    context_tokens: Iterable[str] | None = None,
    mask: Any = None,
    scale: Scale = "sqrt_dk",
    softcap: float | None = None,
    sinks: Any = None,
    title: Text = "",
    note: Text | None = None,
) -> Example:
    """The attention of these queries to these keys: softmax(Q·Kᵀ ÷ √d_k)·V in every head.

        from_qkv(q, k, v, tokens=["I", "am", "here"], mask="causal")

    ``q``: h × n_q × d_k, ``k``: h × n_k × d_k, ``v``: h × n_k × d_v, or one head without the first axis; arrays,
    tensors or nested lists. If there are fewer heads of keys and values than of queries, each serves equally many
    consecutive heads. Without ``v`` the example ends at its weights. ``tokens``: those of the queries, and of the keys
    if ``context_tokens`` are not given; by default 1, 2, 3 … ``mask``: "causal", or n_q × n_k truth values (True = may
    attend) or numbers that are added to the scores. ``scale``: as in a file, the divisor of the scores: "sqrt_dk",
    "none" or a number. ``softcap``: a number c; a divided score s becomes c·tanh(s/c). ``sinks``: h numbers, each a
    score without a key in every row of a head, −∞ for a head without.

    Raises ``InteropError`` for another number of axes and for more than an example can have, ``ExampleError`` naming
    the place for anything else that does not fit: ``heads[1].k: expected 3 × 2, got 3 × 4``.
    """
    cubes = {
        name: _matrices(value, name) for name, value in (("q", q), ("k", k), ("v", v)) if value is not None
    }
    h, kv_heads = len(cubes["q"]), len(cubes["k"])
    if len(cubes.get("v", cubes["k"])) != kv_heads:
        raise InteropError(
            N_("expected as many heads as the keys have, {expected}, got {got}"),
            place="v",
            expected=kv_heads,
            got=len(cubes["v"]),
        )
    if kv_heads > h or h % kv_heads:
        raise InteropError(
            N_("expected a number of heads that divides those of q, {heads}, got {got}"),
            place="k",
            heads=h,
            got=kv_heads,
        )
    size = h // kv_heads
    heads = [
        {
            name: cube[g if name == "q" else g // size]
            for name, cube in cubes.items()
            if name == "q" or g % size == 0
        }
        | ({} if sink == NEG_INF else {"sink": sink})
        for g, sink in enumerate(_sinks(sinks, h))
    ]
    return from_arrays(
        heads=heads,
        tokens=[str(i + 1) for i in range(len(cubes["q"][0]))] if tokens is None else tokens,
        context_tokens=context_tokens,
        mask=mask,
        scale=scale,
        softcap=softcap,
        kv_heads=kv_heads if size > 1 else None,
        title=title,
        note=note,
    )


def _sinks(value: Any, h: int) -> Sequence[Any]:
    """One number for each head, −∞ without sinks."""
    numbers = [NEG_INF] * h if value is None else value.tolist() if hasattr(value, "tolist") else list(value)
    if len(numbers) != h:
        raise InteropError(
            N_("expected as many numbers as q has heads, {expected}, got {got}"),
            place="sinks",
            expected=h,
            got=len(numbers),
        )
    return numbers


def _matrices(value: Any, name: str) -> Sequence[Any]:
    """One matrix per head, as nested lists."""
    shape = tuple(getattr(value, "shape", ()))
    largest = (MAX_HEADS, MAX_SIZE, MAX_SIZE)[-len(shape) :] if shape else ()
    if any(size > most for size, most in zip(shape, largest, strict=False)):
        raise InteropError(
            N_("expected at most {heads} heads of {most} tokens and {most} columns, got {got}"),
            place=name,
            heads=MAX_HEADS,
            most=MAX_SIZE,
            got=" × ".join(map(str, shape)),
        )
    rows = value.tolist() if hasattr(value, "tolist") else value
    axes = _axes(rows)
    if axes not in (2, 3):
        raise InteropError(
            N_("expected heads × tokens × columns, or tokens × columns of one head, got {axes} axes"),
            place=name,
            axes=axes,
        )
    return [rows] if axes == 2 else rows


def _axes(rows: Any) -> int:
    """The depth of nested lists, measured along the first item of each."""
    axes = 0
    while isinstance(rows, list | tuple) and axes <= 3:  # deeper lists are refused anyway
        axes += 1
        rows = rows[0] if rows else None
    return axes
