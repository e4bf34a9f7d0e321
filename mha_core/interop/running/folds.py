"""Views that fold two axes into one, such as samples and heads: what tells them apart later."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from math import prod
from typing import Any, TypeAlias

from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from mha_core.interop.running.scores import VIEWS

Fold: TypeAlias = tuple[int, int, int]
"""The sizes of two axes, such as samples and heads, that a reshape made into one, and the index of that axis."""


class Folds:
    """The folds of tensors, the newest first, as long as the tensors live."""

    def __init__(self) -> None:
        self._folds: MutableMapping[Tensor, tuple[Fold, ...]] = WeakTensorKeyDictionary()

    def note(self, name: str, args: Sequence[Any], result: Tensor) -> None:
        """Record the axes that a view folds. They stay known as long as there is an axis of this length."""
        if not (args and isinstance(args[0], Tensor)):
            return
        new_folds = _folded(args[0].shape, result.shape) if name in VIEWS else ()
        folds = (*new_folds, *self._folds.get(args[0], ()))
        if still_valid := tuple(fold for fold in folds if fold[0] * fold[1] in result.shape):
            self._folds[result] = still_valid

    def of(self, *parts: Tensor) -> tuple[Fold, ...]:
        """The folds of these tensors."""
        return tuple(fold for part in parts for fold in self._folds.get(part, ()))


def _folded(before: Sequence[int], after: Sequence[int]) -> tuple[Fold, ...]:
    """The first axis that a view changes, if it folds that axis with others, such as samples with heads.

    If it splits the last axis into heads and their columns, the heads count as a fold of 1 and the heads.
    """
    changed = (n for n, (old, new) in enumerate(zip(before, after, strict=False)) if old != new)
    axis = next(changed, None)
    if axis is None or not before[axis] or not after[axis]:
        return ()
    old, new = before[axis], after[axis]
    if new % old == 0:
        return ((old, new // old, axis),)
    return ((1, new, axis),) if old % new == 0 and axis == len(before) - 1 else ()


def regrouped(before: Sequence[int], after: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """The axes before and after a view that belong together, as their sizes have the same product.

    regrouped((2, 12, 5), (2, 3, 4, 5))  # [([0], [0]), ([1], [1, 2]), ([2], [3])]
    """
    groups, old, new = list[tuple[list[int], list[int]]](), 0, 0
    while old < len(before) and new < len(after):
        olds, news = [old], [new]
        old, new = old + 1, new + 1
        while (left := prod(before[n] for n in olds)) != (right := prod(after[n] for n in news)):
            if left < right and old < len(before):
                olds, old = [*olds, old], old + 1
            elif left > right and new < len(after):
                news, new = [*news, new], new + 1
            else:
                return []
        groups.append((olds, news))
    return groups
