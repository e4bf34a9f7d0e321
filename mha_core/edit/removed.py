"""What was removed last comes back with its numbers, where the next head or token is added."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

from mha_core.edit.edit import AddHead, AddToken, Edit, RemoveHead, RemoveToken
from mha_core.edit.edits import apply
from mha_core.edit.fields import Which
from mha_core.edit.layer import apart, without_keys
from mha_core.edit.sizes import add_head, add_token, keep_tokens
from mha_core.errors import MhaError
from mha_core.example.model import AddMask, AllowMask, Example, Head, key_tokens, noted, same_numbers
from mha_core.example.validate import validate
from mha_core.vocabulary import AXES, STARTS


def edited(history: Sequence[Example], edit: Edit) -> Example:
    """The example after an edit, with what was removed last where that comes back.

    ``history``: the examples so far, the one at hand at its end. Raises ``ExampleError`` where the edit cannot be made.
    """
    return given_back(history, edit) or apply(history[-1], edit)


def given_back(history: Sequence[Example], edit: Edit) -> Example | None:
    """The example after an edit that adds a head or a token, with the numbers of the one that was removed last.

    ``history``: the examples so far, the one at hand at its end. None where the edit says what the new one is, nothing
    of the kind was removed, or what was removed no longer fits.
    """
    now, back = history[-1], None
    match edit:
        case AddHead(copy=None):
            counts = [len(example.heads) for example in history]
            if removed := _last_removed(history, counts, lambda i: RemoveHead(head=i)):
                back = _head(now, *removed)
        case AddToken(which=which, index=None, text=""):
            counts = [len(_tokens(example, which)) for example in history]
            if removed := _last_removed(history, counts, lambda i: RemoveToken(which=which, index=i)):
                back = _token(now, *removed, which)
    return back and noted(validate(back, now), now)


def _last_removed(
    history: Sequence[Example], counts: Sequence[int], removal: Callable[[int], Edit]
) -> tuple[Example, int] | None:
    """The example that had what was removed last, and its index there; None where none was, or it has come back."""
    at = _last_removal(counts)
    if at is None:
        return None
    earlier, later = history[at], history[at + 1]
    indices = (i for i in reversed(range(counts[at])) if _is_after(later, earlier, removal(i)))
    return next(((earlier, i) for i in indices), None)


def _last_removal(counts: Sequence[int]) -> int | None:
    """Where one was removed that none has come back for: the place before it. Several at once are no step."""
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


def _head(example: Example, earlier: Example, gone: int) -> Example | None:
    """The example with one more head: the one that ``earlier`` had there, and its rows of W_O."""
    added = add_head(example, AddHead())
    was, new = apart(earlier).heads[gone], added.heads[-1]
    if example.kv_heads:
        was = without_keys(was)
    if {name: _shape(rows) for name, rows in _given(was)} != {
        name: _shape(rows) for name, rows in _given(new)
    }:
        return None
    d_v = added.dims.d_v
    w_o = added.w_o
    if w_o is not None and earlier.w_o is not None and _fits(earlier.w_o[:1], w_o[:1]):
        w_o = (*w_o[:-d_v], *earlier.w_o[gone * d_v : (gone + 1) * d_v])
    return replace(added, heads=(*added.heads[:-1], was), w_o=w_o)


def _given(head: Head) -> Iterator[tuple[str, Any]]:
    for field in fields(head):
        rows = getattr(head, field.name)
        if rows is not None:
            yield field.name, rows


def _token(example: Example, earlier: Example, gone: int, which: Which) -> Example | None:
    """The example with one more token: the one that ``earlier`` had there, with its rows and columns."""
    others = [i for i in range(len(_tokens(earlier, which))) if i != gone]
    was = keep_tokens(earlier, which, [*others, gone])
    added = add_token(example, AddToken(which=which, text=_tokens(was, which)[-1]))
    if added.x is not None and not _fits(was.x, added.x):
        return None
    axes = [axis for axis in ("n_q", "n_k") if added.dims.size(axis) > example.dims.size(axis)]

    def last(name: str, now: Any, then: Any) -> Any:
        """What is new in a matrix, as it was."""
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

    def held(head: Head, before: Head) -> Head:
        starts = {
            name: last(name, rows, getattr(before, name)) for name, rows in _given(head) if name in STARTS
        }
        return replace(head, **starts)

    x, context = last("x", added.x, was.x), last("context", added.context, was.context)
    added = replace(added, x=x, context=context)
    if (added.tokens, key_tokens(added)) != (was.tokens, key_tokens(was)):
        return added  # weights and masks of before are of pairs of other tokens
    same = len(added.heads) == len(was.heads)
    heads = tuple(map(held, added.heads, was.heads)) if same else added.heads
    mask = added.mask
    if isinstance(mask, AllowMask) and isinstance(was.mask, AllowMask):
        mask = replace(mask, allow=last("mask", mask.allow, was.mask.allow))
    elif isinstance(mask, AddMask) and isinstance(was.mask, AddMask):
        mask = AddMask(last("mask", mask.add, was.mask.add))
    return replace(added, heads=heads, mask=mask)


def _shape(rows: Any) -> tuple[int, int]:
    return (len(rows), len(rows[0])) if isinstance(rows[0], tuple) else (1, len(rows))


def _fits(then: Any, now: Any) -> bool:
    return then is not None and _shape(then) == _shape(now)
