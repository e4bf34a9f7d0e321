"""Restores what was removed last, with its numbers, where the next head or token is added."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

from mha_core.edit.edit import AddHead, AddToken, Edit, RemoveHead, RemoveToken
from mha_core.edit.edits import apply
from mha_core.edit.fields import Which
from mha_core.edit.layer import ungrouped, without_keys
from mha_core.edit.sizes import add_head, add_token, keep_tokens
from mha_core.errors import MhaError
from mha_core.example.model import (
    AddMask,
    AllowMask,
    Example,
    Head,
    key_tokens,
    same_numbers,
    without_stale_note,
)
from mha_core.example.validate import validate
from mha_core.vocabulary import AXES, STARTS


def edited(history: Sequence[Example], edit: Edit) -> Example:
    """The example after an edit, with what was removed last where the edit restores it.

    ``history``: the examples so far, the current one last. Raises ``ExampleError`` where the edit cannot be made.
    """
    return restored(history, edit) or apply(history[-1], edit)


def restored(history: Sequence[Example], edit: Edit) -> Example | None:
    """The example after an edit that adds a head or a token, with the numbers of the one that was removed last.

    ``history``: the examples so far, the current one last. None where the edit says what the new one is, none was
    removed, or the removed one no longer fits.
    """
    current, result = history[-1], None
    match edit:
        case AddHead(copy=None):
            counts = [len(example.heads) for example in history]
            if removed := _last_removed(history, counts, lambda i: RemoveHead(head=i)):
                result = _with_head(current, *removed)
        case AddToken(which=which, index=None, text=""):
            counts = [len(_tokens(example, which)) for example in history]
            if removed := _last_removed(history, counts, lambda i: RemoveToken(which=which, index=i)):
                result = _with_token(current, *removed, which)
    return result and validate(without_stale_note(result, current), current)


def _last_removed(
    history: Sequence[Example], counts: Sequence[int], removal: Callable[[int], Edit]
) -> tuple[Example, int] | None:
    """The example before the last removal, and the index that was removed; None where there is none to restore."""
    at = _last_removal(counts)
    if at is None:
        return None
    earlier, later = history[at], history[at + 1]
    indices = (i for i in reversed(range(counts[at])) if _is_after(later, earlier, removal(i)))
    return next(((earlier, i) for i in indices), None)


def _last_removal(counts: Sequence[int]) -> int | None:
    """The index in the history before the last removal that was not undone by adding. A change of several at once ends
    the search.
    """
    returned = 0
    steps = [after - before for before, after in pairwise(counts)]
    for at, by in reversed([*enumerate(steps)]):
        if abs(by) > 1:
            return None
        if by < 0 and not returned:
            return at
        returned += by
    return None


def _is_after(later: Example, earlier: Example, removal: Edit) -> bool:
    try:
        return same_numbers(apply(earlier, removal), later)
    except MhaError:
        return False


def _tokens(example: Example, which: str) -> Sequence[str]:
    return example.tokens if which == "tokens" else key_tokens(example)


def _with_head(example: Example, earlier: Example, index: int) -> Example | None:
    """The example with one more head, the one that ``earlier`` has at this index, and its rows of W_O."""
    added = add_head(example, AddHead())
    head, new = ungrouped(earlier).heads[index], added.heads[-1]
    if example.kv_heads:
        head = without_keys(head)
    if {name: _shape(rows) for name, rows in _given(head)} != {
        name: _shape(rows) for name, rows in _given(new)
    }:
        return None
    d_v = added.dims.d_v
    w_o = added.w_o
    if w_o is not None and earlier.w_o is not None and _fits(earlier.w_o[:1], w_o[:1]):
        w_o = (*w_o[:-d_v], *earlier.w_o[index * d_v : (index + 1) * d_v])
    return replace(added, heads=(*added.heads[:-1], head), w_o=w_o)


def _given(head: Head) -> Iterator[tuple[str, Any]]:
    for field in fields(head):
        rows = getattr(head, field.name)
        if rows is not None and field.name != "mask":
            yield field.name, rows


def _with_token(example: Example, earlier: Example, index: int, which: Which) -> Example | None:
    """The example with one more token, the one that ``earlier`` has at this index, with its rows and columns."""
    others = [i for i in range(len(_tokens(earlier, which))) if i != index]
    before = keep_tokens(earlier, which, [*others, index])
    added = add_token(example, AddToken(which=which, text=_tokens(before, which)[-1]))
    if added.x is not None and not _fits(before.x, added.x):
        return None
    axes = [axis for axis in ("n_q", "n_k") if added.dims.size(axis) > example.dims.size(axis)]

    def with_last(name: str, now: Any, then: Any) -> Any:
        """A matrix with its new row and column from before."""
        if now is None or not _fits(then, now):
            return now
        new = [axis in axes for axis in AXES[name]]
        rows, cols = _shape(now)
        return tuple(
            tuple(
                then[i][j] if (new[0] and i == rows - 1) or (new[1] and j == cols - 1) else now[i][j]
                for j in range(cols)
            )
            for i in range(rows)
        )

    def with_starts(head: Head, then: Head) -> Head:
        starts = {
            name: with_last(name, rows, getattr(then, name)) for name, rows in _given(head) if name in STARTS
        }
        return replace(head, **starts)

    x, context = with_last("x", added.x, before.x), with_last("context", added.context, before.context)
    added = replace(added, x=x, context=context)
    if (added.tokens, key_tokens(added)) != (before.tokens, key_tokens(before)):
        return added  # the earlier weights and masks belong to pairs of other tokens
    same = len(added.heads) == len(before.heads)
    heads = tuple(map(with_starts, added.heads, before.heads)) if same else added.heads
    mask = added.mask
    if isinstance(mask, AllowMask) and isinstance(before.mask, AllowMask):
        mask = replace(mask, allow=with_last("mask", mask.allow, before.mask.allow))
    elif isinstance(mask, AddMask) and isinstance(before.mask, AddMask):
        mask = AddMask(with_last("mask", mask.add, before.mask.add))
    return replace(added, heads=heads, mask=mask)


def _shape(rows: Any) -> tuple[int, int]:
    return (len(rows), len(rows[0])) if isinstance(rows[0], tuple) else (1, len(rows))


def _fits(then: Any, now: Any) -> bool:
    return then is not None and _shape(then) == _shape(now)
