"""Edits of numbers of things: tokens, heads and the sizes of the matrices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mha_core.edit.axes import OldIndices, require_size, reshaped, to_size
from mha_core.edit.edit import AddHead, AddToken, Permute, RemoveHead, RemoveToken, RenameToken, Resize
from mha_core.edit.fields import Which
from mha_core.edit.layer import by_alibi_rule, follows_alibi_rule, grouped, ungrouped, without_keys
from mha_core.edit.matrices import filled, require_index
from mha_core.edit.targets import with_heads
from mha_core.errors import N_, ExampleError
from mha_core.example.model import (
    Example,
    Head,
    alibi_slope,
    key_tokens,
    keys_are_queries,
)
from mha_core.vocabulary import HEAD_BIASES, HEAD_GAINS, HEAD_MATRICES, HEAD_ROWS, SCORING


def rename_token(example: Example, edit: RenameToken) -> Example:
    """Replace the text of a token."""
    which, index = tokens_of(example, edit.which), edit.index
    tokens = list(getattr(example, which) or key_tokens(example))
    require_index(which, index, len(tokens))
    tokens[index] = edit.text
    return replace(example, **{which: tuple(tokens)})  # type: ignore[arg-type]  # a name of two


def add_token(example: Example, edit: AddToken) -> Example:
    """Insert a token before ``index`` (at the end where it is None): a row of zeros that every query may attend to."""
    which = tokens_of(example, edit.which)
    tokens = getattr(example, which) or key_tokens(example)
    index = len(tokens) if edit.index is None else edit.index
    require_size("n_q" if which == "tokens" else "n_k", len(tokens) + 1)
    require_index(which, index, len(tokens) + 1)
    old_indices: list[int | None] = list(range(len(tokens)))
    old_indices.insert(index, None)
    return keep_tokens(example, which, old_indices, edit.text or str(len(tokens) + 1))


def remove_token(example: Example, edit: RemoveToken) -> Example:
    """Remove a token with its rows and, where it is a key too, its columns. The last token cannot be removed."""
    which, index = tokens_of(example, edit.which), edit.index
    tokens = getattr(example, which) or key_tokens(example)
    if len(tokens) == 1:
        raise ExampleError(N_("the last one cannot be removed"), place=which)
    require_index(which, index, len(tokens))
    return keep_tokens(example, which, [i for i in range(len(tokens)) if i != index])


def permute(example: Example, edit: Permute) -> Example:
    """Put the tokens into another order: token i is the one that was token order[i].

    Its numbers and its part of a painted mask move with it. Positions and a causal mask belong to places and stay. In
    self-attention the keys are the same tokens.
    """
    order = edit.order
    if sorted(order) != list(range(len(example.tokens))):
        raise ExampleError(
            N_("expected each of the {count} tokens exactly once"), place="order", count=len(example.tokens)
        )
    moved = keep_tokens(example, "tokens", order)
    return replace(moved, positions=example.positions)


def keep_tokens(example: Example, which: str, old_indices: OldIndices, new: str = "") -> Example:
    """The example with the tokens at these old indices, each with its rows and columns; ``new``: a new token's text."""
    old = getattr(example, which) or key_tokens(example)
    tokens = tuple(new if i is None else old[i] for i in old_indices)
    shared = which == "tokens" and keys_are_queries(example)
    axes = (
        {"n_q": old_indices, "n_k": old_indices}
        if shared
        else {"n_q" if which == "tokens" else "n_k": old_indices}
    )
    labels = {which: tokens} if getattr(example, which) is not None or which == "tokens" else {}
    return replace(reshaped(example, axes), **labels)  # type: ignore[arg-type]  # a name of two


def tokens_of(example: Example, which: Which) -> Which:
    """ "tokens", or "context_tokens" where keys have labels of their own."""
    if which == "context_tokens" and keys_are_queries(example):
        raise ExampleError(N_("this example has no {name}"), name=which)
    return which


def add_head(example: Example, edit: AddHead) -> Example:
    """A new head after the last: small integers, or a copy of head ``copy``.

    Where all heads share keys and values, so does the new one. Other groups would become unequal, so each head then
    gets a copy of what it shared. ALiBi's slopes depend on the number of heads: where all follow the rule, they still
    do afterwards, unless the new head is a copy.
    """
    example = example if example.kv_heads == 1 else ungrouped(example)
    dims = example.dims
    copied = edit.copy
    if copied is not None:
        require_index("heads", copied, dims.h)
    head = _new_head(example) if copied is None else example.heads[copied]
    if example.kv_heads:
        head = without_keys(head)
    old_indices = [*range(dims.h * dims.d_v), *[None] * dims.d_v]
    larger = replace(reshaped(example, {"h·d_v": old_indices}), heads=(*example.heads, head))
    larger = _with_targets(larger, [*range(dims.h), None])
    return by_alibi_rule(larger) if copied is None and follows_alibi_rule(example) else larger


_ZEROS = (*HEAD_BIASES, "sink")


def _new_head(example: Example) -> Head:
    """A head that is given the same matrices as the first, with other numbers."""
    dims, pattern, seed = example.dims, example.heads[0], len(example.heads)
    fields: dict[str, Any] = {}
    for name in (*HEAD_MATRICES, *HEAD_ROWS):
        if name == "slope" and pattern.slope is not None:
            fields[name] = (alibi_slope(seed, seed + 1),)
        elif name in HEAD_GAINS and getattr(pattern, name) is not None:
            fields[name] = (1.0,) * dims.d_k
        elif getattr(pattern, name) is not None:
            rows = filled(
                *dims.shape(name), "zeros" if name in _ZEROS else "integers", seed * 16 + len(fields)
            )
            fields[name] = rows[0] if name in HEAD_ROWS else rows
    return Head(**fields)


def remove_head(example: Example, edit: RemoveHead) -> Example:
    """Remove a head, the last one where none is named; what others share with it stays.

    ALiBi's slopes follow the rule for the remaining heads where all followed it before.
    """
    dims = example.dims
    index = dims.h - 1 if edit.head is None else edit.head
    if dims.h == 1:
        raise ExampleError(N_("the last one cannot be removed"), place="heads")
    require_index("heads", index, dims.h)
    groups, by_rule = example.kv_heads, follows_alibi_rule(example)
    example = ungrouped(example)
    old_indices = [row for row in range(dims.h * dims.d_v) if row // dims.d_v != index]
    heads = example.heads[:index] + example.heads[index + 1 :]
    smaller = replace(reshaped(example, {"h·d_v": old_indices}), heads=heads)
    smaller = _with_targets(smaller, [at for at in range(dims.h) if at != index])
    smaller = by_alibi_rule(smaller) if by_rule else smaller
    return grouped(smaller, 1) if groups == 1 else smaller


def _with_targets(example: Example, old_heads: OldIndices) -> Example:
    """The example with its goal's targets of these heads."""
    learning = example.learning
    return example if learning is None else replace(example, learning=with_heads(learning, old_heads))


def resize(example: Example, edit: Resize) -> Example:
    """Set d_model, d_context, d_k, d_v, d_out or d_a, or change it by ``by``. In self-attention d_context follows
    d_model, with bilinear scoring d_a follows d_k. With rotary positions d_k changes in steps of two.
    """
    axis: str = edit.axis
    dims = example.dims
    if dims.size(axis) == 0:
        raise ExampleError(N_("this example has no {name}"), name=axis)
    if axis == "d_a" and SCORING[example.scoring].square:
        axis = "d_k"
    rotary = example.positions is not None and example.positions.kind == "rotary"
    step = 2 if axis == "d_k" and rotary else 1
    new = dims.size(axis) + step * edit.by if edit.by is not None else edit.size or 0
    require_size(axis, new)
    old_indices = to_size(dims.size(axis), new)
    axes: dict[str, OldIndices] = {axis: old_indices}
    if axis == "d_model" and example.context is None:
        axes["d_context"] = old_indices
    if axis == "d_k" and SCORING[example.scoring].square:
        axes["d_a"] = old_indices
    if axis == "d_v":
        axes["h·d_v"] = [
            None if i is None else head * dims.d_v + i for head in range(dims.h) for i in old_indices
        ]
    return reshaped(example, axes)
