"""Watching a module run: every attention that it computes, recognised by the functions of torch that it calls.

A ``TorchFunctionMode`` sees each function of torch that this thread calls, and no other thread's; the module is not
changed. While the mode is active, torch's layers do not use their fused kernels, in which no function could be seen.
An attention is one of

    scaled_dot_product_attention(q, k, v, …)      as torch's and Hugging Face's models call it
    multi_head_attention_forward(…)               nn.MultiheadAttention; watched from within, it calls the former
    softmax(q @ kᵀ · factor + mask) @ v           in several calls, as in Hugging Face's eager attention

The last kind is followed from its first product on. Through factors, masks and changes of dtype the scores stay known;
after anything else only the weights and V are known. A product is matmul, bmm or einsum. After softmax a slice or a
concatenation is followed too. If another operation takes the result of softmax, its name is recorded, so that an error
can say why no attention was seen. Weights that multiply a parameter of the module are a gate, not attention.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from types import EllipsisType, FunctionType
from typing import Any, Final, TypeAlias, TypeVar

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakTensorKeyDictionary

from mha_core.errors import N_, InteropError
from mha_core.interop.running.einsum import arranged, letters_of, queries_at, values_order
from mha_core.interop.running.scores import (
    JOINS,
    MINUS,
    OVER,
    PER_CELL,
    PLUS,
    SAME,
    TIMES,
    VIEWS,
    Scores,
    plain_number,
    same_matrices,
    scores_after,
    with_axes_of,
    without_sink,
)

Value = TypeVar("Value")
Fold: TypeAlias = tuple[int, int, int]
"""The sizes of two axes, such as samples and heads, that a reshape made into one, and the index of that axis."""


@dataclass(frozen=True, slots=True)
class Call:
    """One attention of a run, with the module's tensors … × heads × tokens × columns.

    ``name``: the part of the module that computed it. ``scores``: None if the computation of the weights is not known.
    ``weights``: the module's own, None if it did not compute any. ``groups``: how many consecutive heads share keys and
    values, from the module. ``folds``: the folds of axes of V, the newest first. ``layer``: torch's own layer computed
    it, so the axes are samples × heads. ``extra``: names of the last keys that are not tokens.
    """

    name: str
    groups: int
    scores: Scores | None
    v: Tensor
    outputs: Tensor
    weights: Tensor | None = None
    folds: tuple[Fold, ...] = ()
    layer: bool = False
    extra: tuple[str, ...] = ()


_PRODUCTS: Final = ("matmul", "bmm", "baddbmm")
_PARTS: Final = ("split", "split_with_sizes", "tensor_split", "chunk")
"""Functions of torch by name, without the underscores of operators and of in-place operations."""

_Known: TypeAlias = MutableMapping[Tensor, Value]
"""What is known about tensors, as long as they live."""


def _known() -> Any:
    return WeakTensorKeyDictionary()


class Watch(TorchFunctionMode):
    """While it is active, it calls ``keep`` with every attention that ``module`` computes in this thread.

    ``keep`` may write other numbers into the call's outputs, with which the module then goes on; it returns True then.
    Raises ``InteropError`` for dropout of weights and for nested tensors.
    """

    def __init__(self, module: nn.Module, keep: Callable[[Call], bool | None]) -> None:
        super().__init__()
        self._root = type(module).__name__
        self._names = {id(part): name or self._root for name, part in module.named_modules()}
        self._parameters = {_memory(part) for part in module.parameters()}
        self._keep = keep
        self._scores: _Known[Scores] = _known()
        self._weights: _Known[tuple[Scores | None, Tensor]] = _known()  # their scores, and the weights
        self._factors: _Known[tuple[Tensor, float]] = _known()  # the multiplied tensor, and the factor
        self._folds: _Known[tuple[Fold, ...]] = _known()
        self._layer: tuple[str, ...] | None = None  # inside torch's layer: its keys that are not tokens
        self._written = False  # whether ``keep`` has changed outputs inside torch's layer
        self.ends: dict[str, tuple[str, str]] = {}
        """By part of the module: the operation after which a softmax's result was not followed, and why as a word."""
        self.lost: dict[str, tuple[str, str]] = {}
        """The same, only where the softmax was of scores: it began as a product, as an attention does."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Called by torch in place of ``func``."""
        kwargs = kwargs or {}
        match name := _name(func):
            case "multi_head_attention_forward":
                return self._torch_layer(func, args, kwargs)
            case "scaled_dot_product_attention":
                return self._fused(func, args, kwargs)
        result = func(*args, **kwargs)
        if isinstance(result, Tensor):
            self._note_folds(name, args, result)
            self._follow(name, args, kwargs, result)
        elif isinstance(result, tuple | list) and any(isinstance(part, Tensor) for part in result):
            self._split(name, args, kwargs, result)
        return result

    # --- torch's functions ---------------------------------------------------------------------------------------

    def _torch_layer(self, func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return the layer's result. Run it again, watched and without weights: then it calls the fused function.

        If outputs were changed then, the output is that of the second run.
        """
        given = inspect.signature(func).bind(*args, **kwargs)
        given.apply_defaults()
        if given.arguments["training"] and given.arguments["dropout_p"]:
            raise dropped(given.arguments["dropout_p"])
        result = func(*args, **kwargs)
        given.arguments["need_weights"] = False
        bias, zero = given.arguments["bias_k"] is not None, given.arguments["add_zero_attn"]
        self._layer, self._written = ("bias",) * bias + ("zero",) * bool(zero), False
        try:
            with self:
                output, _ = _without_override(func)(*given.args, **given.kwargs)
        finally:
            self._layer = None
        return (output, result[1]) if self._written else result

    def _fused(self, func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        q, k, v = (given[name] for name in names[:3])
        if q.is_nested or k.is_nested or v.is_nested:
            raise nested()
        if given.get("dropout_p"):
            raise dropped(given["dropout_p"])
        result = func(*args, **kwargs)
        factor = q.shape[-1] ** -0.5 if given.get("scale") is None else float(given["scale"])
        scores = Scores(q, k, factor, _written_out(given.get("attn_mask")), bool(given.get("is_causal")))
        self._report(scores, v, result, None, folds=self._folds_of(v, k, q))
        return result

    # --- attention in several calls ------------------------------------------------------------------------------

    def _follow(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], result: Tensor) -> None:
        tensors = list(_tensors(args, kwargs))
        weighted = next((tensor for tensor in tensors if tensor in self._weights), None)
        if name in _PRODUCTS:
            self._product(name, tensors, kwargs, result, weighted)
        elif name == "einsum":
            self._einsum(args[0], tensors, result, weighted)
        elif name == "softmax":
            if (dim := _given(args, kwargs, 1, "dim")) in (-1, result.dim() - 1):
                self._weights[result] = self._scores.get(tensors[0]), result
                self.ends.setdefault(self._place()[0], ("", ""))
            else:
                self._lose(f"softmax(dim={dim})", scored=tensors[0] in self._scores)
        elif name in _SOFTMAX_LIKE and tensors[0] in self._scores:
            self._lose(name, scored=True)
        elif weighted is not None:
            self._after_softmax(name, args, kwargs, weighted, result)
        else:
            self._follow_scores(name, args, kwargs, result)

    def _after_softmax(
        self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], weighted: Tensor, result: Tensor
    ) -> None:
        """Scores stay known if each weight keeps its row and column; after a slice or a join only weights are known."""
        scores, _ = self._weights[weighted]
        if name == "dropout":
            _refuse_dropout(args, kwargs)
        if name in _CELL_WISE and same_matrices(weighted, result):
            self._weights[result] = scores and with_axes_of(scores, weighted, result), result
        elif name == "getitem" and _keeps_rows(args[1], weighted.dim()):
            self._weights[result] = scores and without_sink(scores, args[1], weighted, result), result
        elif name in (*JOINS, "narrow"):
            self._weights[result] = None, result
        else:
            self._lose(name, scored=scores is not None)

    def _split(
        self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], results: Sequence[Any]
    ) -> None:
        """Follow the result of a softmax that is split into parts."""
        if any(tensor in self._weights for tensor in _tensors(args, kwargs)):
            if name in _PARTS:
                self._weights.update((part, (None, part)) for part in results)
            else:
                self._lose(name)

    def _lose(self, operation: str, why: str = "other", *, scored: bool = False) -> None:
        name = self._place()[0]
        self.ends[name] = operation, why
        if scored:
            self.lost[name] = operation, why

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        super().__exit__(kind, error, trace)  # type: ignore[no-untyped-call]
        if error is not None and type(error).__module__.startswith("torch._dynamo"):
            raise _compiled() from error

    def _note_folds(self, name: str, args: Sequence[Any], result: Tensor) -> None:
        """Record the axes that a view folds. They stay known as long as there is an axis of this length."""
        if not (args and isinstance(args[0], Tensor)):
            return
        new_folds = _folded(args[0].shape, result.shape) if name in VIEWS else ()
        folds = (*new_folds, *self._folds.get(args[0], ()))
        if still_valid := tuple(fold for fold in folds if fold[0] * fold[1] in result.shape):
            self._folds[result] = still_valid

    def _folds_of(self, *parts: Tensor) -> tuple[Fold, ...]:
        return tuple(fold for part in parts for fold in self._folds.get(part, ()))

    def _follow_scores(
        self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], result: Tensor
    ) -> None:
        """Follow scores from a product to softmax, or a factor of the left side before a product."""
        scored = next((part for part in _tensors(args, {}) if part in self._scores), None)
        if scored is not None:
            after = scores_after(name, args, kwargs, scored, self._scores[scored])
            if name in VIEWS and same_matrices(scored, result):
                after = with_axes_of(self._scores[scored], scored, result)
            self._scores.pop(result, None)  # an in-place operation returns its argument
            if after is not None:
                self._scores[result] = after
        elif name in (*TIMES, *OVER) and len(args) > 1 and (factor := plain_number(args[1])) is not None:
            self._factors[result] = args[0], factor if name in TIMES else 1 / factor

    def _product(
        self,
        name: str,
        tensors: Sequence[Tensor],
        kwargs: Mapping[str, Any],
        result: Tensor,
        weighted: Tensor | None,
    ) -> None:
        """Weights times values complete an attention; any other product may start one."""
        if weighted is not None:
            if weighted is tensors[0] and name != "baddbmm" and tensors[1].dim() > 1:
                scores, weights = self._weights[weighted]
                self._report(scores, tensors[1], result, weights, folds=self._folds_of(tensors[1], weights))
            else:
                self._lose(name)
            return
        added, factor = None, 1.0
        if name == "baddbmm":
            added, *tensors = tensors
            beta, factor = kwargs.get("beta", 1), float(kwargs.get("alpha", 1))
            added = added * beta if beta else None  # with beta = 0 it may hold anything
        left, right = tensors[:2]
        if min(left.dim(), right.dim()) > 1:
            q, previous = self._factors.get(left, (left, 1.0))
            self._scores[result] = Scores(q, right.mT, previous * factor, added)

    def _einsum(
        self, equation: Any, tensors: Sequence[Tensor], result: Tensor, weighted: Tensor | None
    ) -> None:
        """The same two products, recognised by their letters."""
        letters = letters_of(equation, tensors) if len(tensors) == 2 else None
        if weighted is not None:
            first = 0 if weighted is tensors[0] else 1
            order = letters and values_order(letters[first], letters[1 - first], letters[2])
            if not letters or not order:
                self._lose("einsum")
                return
            scores, weights = self._weights[weighted]
            *lead, query, key, column = order
            permuted = letters[first] != (*lead, query, key)
            self._report(
                None if permuted else scores,
                arranged(tensors[1 - first], letters[1 - first], (*lead, key, column)),
                arranged(result, letters[2], (*lead, query, column)),
                arranged(weights, letters[first], (*lead, query, key)),
                folds=self._folds_of(weights, tensors[1 - first]),
                of=tensors[1 - first],
            )
        elif letters and (position := queries_at(letters)) is not None:
            *lead, query, key = letters[2]
            (column,) = set(letters[0]) - set(letters[2])
            left, right = tensors[position], tensors[1 - position]
            q, previous = self._factors.get(left, (left, 1.0))
            self._scores[result] = Scores(
                arranged(q, letters[position], (*lead, query, column)),
                arranged(right, letters[1 - position], (*lead, key, column)),
                previous,
            )

    def _report(
        self,
        scores: Scores | None,
        v: Tensor,
        outputs: Tensor,
        weights: Tensor | None,
        *,
        folds: tuple[Fold, ...],
        of: Tensor | None = None,
    ) -> None:
        """Report an attention. ``of``: the tensor that V is a view of."""
        if weights is not None and _memory(v if of is None else of) in self._parameters:
            self._lose("matmul", "gate")
            return
        scores = scores if scores and scores.complete else None
        in_layer = self._layer is not None
        call = Call(
            *self._place(), scores, v, outputs, weights, folds, layer=in_layer, extra=self._layer or ()
        )
        self._written |= bool(self._keep(call))

    def _place(self) -> tuple[str, int]:
        """The innermost running part of the module, and how many of its heads share keys and values."""
        frame = inspect.currentframe()
        while frame is not None:
            part = frame.f_locals.get("self")
            if isinstance(part, nn.Module) and id(part) in self._names:
                return self._names[id(part)], int(getattr(part, "num_key_value_groups", 1))
            frame = frame.f_back
        return self._root, 1


_SOFTMAX_LIKE: Final = ("log_softmax", "softmin")
"""Functions of scores whose result is not followed."""
_CELL_WISE: Final = (*SAME, *VIEWS, *TIMES, *OVER, *PLUS, *MINUS, *PER_CELL)


def _name(func: Callable[..., Any]) -> str:
    """A function's name without the underscores of operators and of in-place operations, or a property's name."""
    name: str = getattr(func, "__name__", "")
    if name == "__get__":
        name = getattr(getattr(func, "__self__", None), "__name__", "")
    return name.strip("_")


def _memory(tensor: Tensor) -> int:
    """The address of a tensor's memory, which its views share; a tensor without memory counts as its own."""
    try:
        return tensor.untyped_storage().data_ptr() or id(tensor)
    except (NotImplementedError, RuntimeError):
        return id(tensor)


def _tensors(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[Tensor]:
    """The tensors among a function's arguments, including those in lists."""
    for part in (*args, *kwargs.values()):
        yield from (
            item for item in (part if isinstance(part, tuple | list) else (part,)) if isinstance(item, Tensor)
        )


def _written_out(mask: Any) -> Any:
    """The mask itself, or that of torch's ``CausalBias``, which stores no numbers: True = may attend.

    Its module takes seconds to import, since it brings torch's compiler; whoever has such a mask has imported it.
    """
    if "torch.nn.attention.bias" not in sys.modules:
        return mask
    from torch.nn.attention.bias import CausalBias, CausalVariant  # noqa: PLC0415

    if not isinstance(mask, CausalBias):
        return mask
    n_q, n_k = mask.seq_len_q, mask.seq_len_kv
    corner = 0 if mask.variant == CausalVariant.UPPER_LEFT else n_k - n_q
    return torch.ones(n_q, n_k, dtype=torch.bool, device=mask.device).tril(corner)


def _keeps_rows(index: Any, axes: int) -> bool:
    """Whether an index leaves the last two axes queries and keys, because it only takes slices of them."""
    parts = index if isinstance(index, tuple) else (index,)
    if any(isinstance(part, bool) or not isinstance(part, int | slice | EllipsisType) for part in parts):
        return False
    ellipsis = next((i for i, part in enumerate(parts) if part is ...), len(parts))
    rest = parts[ellipsis + 1 :]
    whole = (*parts[:ellipsis], *(slice(None),) * (axes - ellipsis - len(rest)), *rest)
    return all(isinstance(part, slice) for part in whole[-2:])


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


def _without_override(func: Callable[..., Any]) -> Callable[..., Any]:
    """A copy of a Python function of torch that skips its check for overrides, and so runs its own code."""
    if not isinstance(func, FunctionType):
        return func
    names = {**func.__globals__, "has_torch_function": lambda _: False}
    return FunctionType(func.__code__, names, func.__name__, func.__defaults__, func.__closure__)


def _given(args: Sequence[Any], kwargs: Mapping[str, Any], n: int, name: str, default: Any = None) -> Any:
    return args[n] if len(args) > n else kwargs.get(name, default)


def _refuse_dropout(args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Refuse ``functional.dropout(input, p=0.5, training=True)``; ``torch.dropout`` has other defaults."""
    share = _given(args, kwargs, 1, "p", 0.5)
    training = _given(args, kwargs, 2, "training", kwargs.get("train", True))
    if share and training:
        raise dropped(share)


def dropped(share: float) -> InteropError:
    """The error for dropout of weights: a run's outputs do not follow from its weights."""
    return InteropError(
        N_("dropout is active on the weights (p = {share:g}); call module.eval() first"), share=share
    )


def _compiled() -> InteropError:
    """The error for a module that torch compiles while it runs: none of its functions can be seen."""
    return InteropError(
        N_(
            "this module is compiled while it runs, as with flex_attention, so its attention cannot be followed; "
            "load it with eager attention or with scaled_dot_product_attention"
        )
    )


def nested() -> InteropError:
    """The error for nested tensors, which hold sequences of several lengths."""
    return InteropError(
        N_("nested tensors cannot be captured; give one padded tensor and a mask, or a single sentence")
    )
