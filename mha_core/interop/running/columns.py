"""Which axes of a tensor are columns of a projection, and not tokens.

x @ W, linear, a convolution or an embedding give each token a row of columns. They stay columns through views, other
orders of axes, and what is done to each number; a product of two tensors keeps the rows of the one and the columns of
the other. Attention is a softmax over the keys of each query. If one of the two axes has columns, it is not: a feature
map of linear attention, softmax(Q) · (softmax(K)ᵀ · V), or weights between channels, softmax(Qᵀ · K).

    linear(x, W)                 1 × 7 × 12     the last axis is columns
    .view(1, 7, 3, 4)            1 × 7 × 3 × 4  the last axis, the columns of a head
    .transpose(1, 2) @ k.mT      1 × 3 × 7 × 7  no axis is columns
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import Any, Final

from torch import Tensor, nn
from torch.utils.weak import WeakTensorKeyDictionary

from mha_core.interop.running.einsum import letters_of
from mha_core.interop.running.folds import regrouped
from mha_core.interop.running.functions import TURNS, Operation, memory_of, order_of, tensors_among
from mha_core.interop.running.scores import JOINS, VIEWS

PRODUCTS: Final = ("matmul", "rmatmul", "bmm", "mm", "baddbmm", "addmm")
_CONVOLUTIONS: Final = ("conv1d", "conv2d", "conv3d")
_LAST: Final = ("view_as_complex", "view_as_real")
_OF_PAIRS: Final = ("cdist", "tensordot", "inner", "outer", "bilinear")
"""Functions whose result has rows and columns that no argument has."""

Axes = frozenset[int]
"""Axes counted from the end: -1 is the last."""
NONE: Final[Axes] = frozenset()


class Columns:
    """The axes of tensors that are columns of a projection, as long as the tensors live."""

    def __init__(self, module: nn.Module) -> None:
        self._parameters = {memory_of(part) for part in module.parameters()}
        self._axes: MutableMapping[Tensor, Axes] = WeakTensorKeyDictionary()

    def is_parameter(self, tensor: Tensor) -> bool:
        """Whether a tensor is a parameter of the module, or a view of one."""
        return memory_of(tensor) in self._parameters

    def of(self, tensor: Tensor) -> Axes:
        """The axes of this tensor that are columns."""
        return self._axes.get(tensor, NONE)

    def note(self, operation: Operation, result: Tensor) -> None:
        """Record which axes of a function's result are columns."""
        if not result.is_floating_point() and not result.is_complex():
            return
        tensors = [part for part in tensors_among(operation.args, operation.kwargs) if part.dim()]
        axes = self._after(operation, tensors, result)
        axes = frozenset(axis for axis in axes if -axis <= result.dim() and result.shape[axis] > 1)
        if axes or result in self._axes:
            self._axes[result] = axes

    def _after(self, operation: Operation, tensors: Sequence[Tensor], result: Tensor) -> Axes:
        _, name, args, kwargs = operation
        if name == "linear":
            return _projected(self.of(tensors[0]))
        if name == "embedding":
            return frozenset({-1})
        if name in _CONVOLUTIONS:
            return frozenset({-1 - int(name[4])})
        if name in PRODUCTS and len(tensors) > 1:
            return self._of_product(*tensors[-2:])
        if name == "einsum" and len(tensors) == 2:
            return self._of_einsum(args[0], tensors)
        known = [tensor for tensor in tensors if self.of(tensor)]
        if not known or name in _OF_PAIRS:
            return NONE
        if name in JOINS:
            return frozenset(axis for tensor in known for axis in self.of(tensor))
        if name in TURNS:
            order = order_of(operation, known[0].dim())
            axes = self.of(known[0])
            return frozenset(at - len(order) for at, old in enumerate(order) if old - len(order) in axes)
        return self._of_one(name, args, kwargs, known, result)

    def _of_one(
        self, name: str, args: Sequence[Any], kwargs: Any, known: Sequence[Tensor], result: Tensor
    ) -> Axes:
        """After a view, or what is done to each number."""
        before, axes = known[0], self.of(known[0])
        if name in VIEWS:
            return _after_view(axes, before.shape, result.shape)
        if name == "stack":
            dim = kwargs.get("dim", args[1] if len(args) > 1 else 0)
            at = dim if dim < 0 else dim - result.dim()
            own = {at} if at == -1 and -1 in axes else NONE
            return frozenset(axis if axis > at else axis - 1 for axis in axes) | own
        if name in _LAST:
            return axes & {-1}
        if memory_of(before) == memory_of(result):
            return _of_same_stride(axes, before, result)
        return _of_same_size(((self.of(tensor), tensor) for tensor in known), result)

    def _of_product(self, left: Tensor, right: Tensor) -> Axes:
        if self.is_parameter(right) and right.dim() > 1:
            return _projected(self.of(left))
        if min(left.dim(), right.dim()) < 2 or self.is_parameter(left):
            return NONE
        return (self.of(left) & {-2}) | (self.of(right) & {-1})

    def _of_einsum(self, equation: Any, tensors: Sequence[Tensor]) -> Axes:
        letters = letters_of(equation, tensors)
        if not letters:
            return NONE
        out = letters[2]
        columns = {
            side[axis] for side, tensor in zip(letters, tensors, strict=False) for axis in self.of(tensor)
        }
        for own, other, tensor in ((*letters[:2], tensors[0]), (letters[1], letters[0], tensors[1])):
            if self.is_parameter(tensor) and out and out[-1] in own and out[-1] not in other:
                columns |= {letter for letter in own if letter not in other}
        return frozenset(at - len(out) for at, letter in enumerate(out) if letter in columns)


def _projected(axes: Axes) -> Axes:
    """Columns are projected to columns. If only other axes are columns, tokens are mixed, and are tokens again."""
    return axes if axes and -1 not in axes else axes | {-1}


def _after_view(axes: Axes, before: Sequence[int], after: Sequence[int]) -> Axes:
    """Of an axis that is split only the innermost part stays columns: the others are heads, or tokens."""
    kept = set[int]()
    for olds, news in regrouped(before, after):
        old = next((n for n in reversed(olds) if before[n] > 1), None)
        new = next((n for n in reversed(news) if after[n] > 1), None)
        if old is not None and new is not None and old - len(before) in axes:
            kept.add(new - len(after))
    return frozenset(kept)


def _of_same_stride(axes: Axes, before: Tensor, result: Tensor) -> Axes:
    """A view that takes a part of a tensor leaves an axis its stride."""
    strides = {before.stride(axis) for axis in axes}
    return frozenset(axis - result.dim() for axis, stride in enumerate(result.stride()) if stride in strides)


def _of_same_size(operands: Any, result: Tensor) -> Axes:
    """What is done to each number leaves axes of the same length what they are; a sum over an axis does not."""
    return frozenset(
        axis
        for axes, tensor in operands
        if tensor.dim() <= result.dim()
        for axis in axes
        if tensor.shape[axis] == result.shape[axis]
    )
