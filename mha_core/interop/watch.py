"""Watching a module run: every attention that it computes, by what it calls in torch.

A mode of torch's (``TorchFunctionMode``) sees each function of torch that this thread calls, and no other thread's; the
module is not touched. While it stands torch's own layers take none of their fused ways, in which no function could be
seen. An attention is one of

    scaled_dot_product_attention(q, k, v, …)      as torch's and Hugging Face's models call it
    multi_head_attention_forward(…)               nn.MultiheadAttention; watched from within, it calls the former
    softmax(q @ kᵀ · factor + mask) @ v           written out, as Hugging Face's eager attention is

What is written out is followed from its product on. Factors, masks and changes of dtype keep what is known of the
scores; anything else loses it, and only the weights and V are known. A product is matmul, bmm or einsum. After softmax
a slice or a concatenation is followed too. Where another operation takes what softmax gave, its name is kept, so that
one can say why no attention was seen. Weights that multiply a parameter of the module are a gate, not attention.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from types import EllipsisType, FunctionType
from typing import Any, Final, TypeAlias, TypeVar

import torch
from torch import Tensor, nn
from torch.nn.attention.bias import CausalBias, CausalVariant
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakTensorKeyDictionary

from mha_core.errors import N_, InteropError
from mha_core.example.model import NEG_INF
from mha_core.interop.einsum import laid, letters_of, queries_at, values_order

Value = TypeVar("Value")
Fold: TypeAlias = tuple[int, int, int]
"""An axis that a reshape made of two, of ``a`` and ``b``, and where it was: samples and heads, say."""


@dataclass(frozen=True, slots=True)
class Scores:
    """What is known of scores: q·kᵀ·``factor`` + ``mask``, or a mask of truth values, True = may attend."""

    q: Tensor
    k: Tensor
    factor: float = 1.0
    mask: Tensor | None = None
    causal: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """One attention of a run, its tensors … × heads × tokens × columns as the module has them.

    ``name``: the part of the module that computed it. ``scores``: None where the way to the weights is not known.
    ``weights``: those that the module made, None where it made none. ``groups``: heads in a row that share keys and
    values, as the module says. ``folds``: what axes of V were made of, the newest first. ``layer``: torch's own layer
    computed it, whose axes are samples × heads. ``extra``: what the last keys are called that are no tokens.
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
_TIMES: Final = ("mul", "rmul", "imul", "multiply")
_OVER: Final = ("div", "truediv", "itruediv", "divide", "true_divide")
_PLUS: Final = ("add", "radd", "iadd")
_MINUS: Final = ("sub", "isub")
_SAME: Final = (
    "to",
    "type",
    "type_as",
    "float",
    "double",
    "half",
    "bfloat16",
    "contiguous",
    "clone",
    "detach",
)
_VIEWS: Final = ("view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze")
_CELL_BY_CELL: Final = ("dropout", "masked_fill", "where", "nan_to_num", "clamp", "clip")
_JOINS: Final = ("cat", "concat", "concatenate")
_PARTS: Final = ("split", "split_with_sizes", "tensor_split", "chunk")
"""Functions of torch by name, without the underscores of operators and of changes in place."""

HIDES: Final = -1000.0
"""Where a score becomes this or less its pair is hidden: e to it is 0."""


_Known: TypeAlias = MutableMapping[Tensor, Value]
"""What is known of tensors, as long as they live."""


def _known() -> Any:
    return WeakTensorKeyDictionary()


class Watch(TorchFunctionMode):
    """While it stands, ``keep`` is called with every attention that ``module`` computes in this thread.

    Raises ``InteropError`` where weights are dropped out, and for nested tensors.
    """

    def __init__(self, module: nn.Module, keep: Callable[[Call], None]) -> None:
        super().__init__()
        self._names = {id(part): name for name, part in module.named_modules()}
        self._parameters = {_memory(part) for part in module.parameters()}
        self._keep = keep
        self._scores: _Known[Scores] = _known()
        self._weights: _Known[tuple[Scores | None, Tensor]] = (
            _known()
        )  # the scores behind them, and the weights
        self._factors: _Known[tuple[Tensor, float]] = _known()  # what was multiplied, and by what
        self._folds: _Known[tuple[Fold, ...]] = _known()
        self._layer: tuple[str, ...] | None = None  # within torch's layer: its keys that are no tokens
        self.ends: dict[str, tuple[str, str]] = {}
        """By the part of the module: what took a softmax's result where it was not followed, and why as a word."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """What torch calls in place of ``func``."""
        kwargs = kwargs or {}
        match name := _name(func):
            case "multi_head_attention_forward":
                return self._torchs_layer(func, args, kwargs)
            case "scaled_dot_product_attention":
                return self._function(func, args, kwargs)
        result = func(*args, **kwargs)
        if isinstance(result, Tensor):
            self._fold(name, args, result)
            self._follow(name, args, kwargs, result)
        elif isinstance(result, tuple | list) and any(isinstance(part, Tensor) for part in result):
            self._parted(name, args, kwargs, result)
        return result

    # --- torch's own ---------------------------------------------------------------------------------------------

    def _torchs_layer(self, func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The layer gives what it gives; once more, watched and without weights, it calls the function below."""
        given = inspect.signature(func).bind(*args, **kwargs)
        given.apply_defaults()
        if given.arguments["training"] and given.arguments["dropout_p"]:
            raise dropped(given.arguments["dropout_p"])
        result = func(*args, **kwargs)
        given.arguments["need_weights"] = False
        bias, zero = given.arguments["bias_k"] is not None, given.arguments["add_zero_attn"]
        self._layer = ("bias",) * bias + ("zero",) * bool(zero)
        try:
            with self:
                _seen_through(func)(*given.args, **given.kwargs)
        finally:
            self._layer = None
        return result

    def _function(self, func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
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
        self._end(scores, v, result, None, folds=self._folds_of(v, k, q))
        return result

    # --- written out ---------------------------------------------------------------------------------------------

    def _follow(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], result: Tensor) -> None:
        tensors = list(_tensors(args, kwargs))
        weighted = next((one for one in tensors if one in self._weights), None)
        if name in _PRODUCTS:
            self._product(name, tensors, kwargs, result, weighted)
        elif name == "einsum":
            self._einsum(args[0], tensors, result, weighted)
        elif name == "softmax":
            if (dim := _argument(args, kwargs, 1, "dim")) in (-1, result.dim() - 1):
                self._weights[result] = self._scores.get(tensors[0]), result
                self.ends.setdefault(self._place()[0], ("", ""))
            else:
                self._lost(f"softmax(dim={dim})")
        elif weighted is not None:
            self._after_softmax(name, args, kwargs, weighted, result)
        else:
            self._on_the_way(name, args, kwargs, result)

    def _after_softmax(
        self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], weighted: Tensor, result: Tensor
    ) -> None:
        """What keeps each weight in its row and column keeps what is known; a part of them, or more, the weights."""
        scores, _ = self._weights[weighted]
        if name == "dropout":
            _refuse_dropout(args, kwargs)
        if name in _KEPT and _is_seen_as(weighted, result):
            self._weights[result] = scores and _seen_as(scores, weighted, result), result
        elif name in (*_JOINS, "narrow") or (name == "getitem" and _keeps_rows(args[1], weighted.dim())):
            self._weights[result] = None, result
        else:
            self._lost(name)

    def _parted(
        self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], results: Sequence[Any]
    ) -> None:
        """What softmax gave, in several parts."""
        if any(one in self._weights for one in _tensors(args, kwargs)):
            if name in _PARTS:
                self._weights.update((part, (None, part)) for part in results)
            else:
                self._lost(name)

    def _lost(self, operation: str, why: str = "other") -> None:
        self.ends[self._place()[0]] = operation, why

    def _fold(self, name: str, args: Sequence[Any], result: Tensor) -> None:
        """An axis that a view makes of two is known as long as there is an axis of this length."""
        if not (args and isinstance(args[0], Tensor)):
            return
        made = _folded(args[0].shape, result.shape) if name in _VIEWS else ()
        folds = (*made, *self._folds.get(args[0], ()))
        if kept := tuple(fold for fold in folds if fold[0] * fold[1] in result.shape):
            self._folds[result] = kept

    def _folds_of(self, *parts: Tensor) -> tuple[Fold, ...]:
        return tuple(fold for part in parts for fold in self._folds.get(part, ()))

    def _on_the_way(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], result: Tensor) -> None:
        """From a product to softmax; or before a product, a factor of its left side."""
        scored = next((one for one in args if isinstance(one, Tensor) and one in self._scores), None)
        if scored is not None:
            after = _after(name, args, kwargs, scored, self._scores[scored])
            if name in _VIEWS and _is_seen_as(scored, result):
                after = _seen_as(self._scores[scored], scored, result)
            self._scores.pop(result, None)  # which is the argument itself where that is changed in place
            if after is not None:
                self._scores[result] = after
        elif name in (*_TIMES, *_OVER) and len(args) > 1 and (factor := _number(args[1])) is not None:
            self._factors[result] = args[0], factor if name in _TIMES else 1 / factor

    def _product(
        self,
        name: str,
        tensors: Sequence[Tensor],
        kwargs: Mapping[str, Any],
        result: Tensor,
        weighted: Tensor | None,
    ) -> None:
        """Weights times values end an attention; any other product may begin one."""
        if weighted is not None:
            if weighted is tensors[0] and name != "baddbmm" and tensors[1].dim() > 1:
                scores, weights = self._weights[weighted]
                self._end(scores, tensors[1], result, weights, folds=self._folds_of(tensors[1], weights))
            else:
                self._lost(name)
            return
        added, factor = None, 1.0
        if name == "baddbmm":
            added, *tensors = tensors
            beta, factor = kwargs.get("beta", 1), float(kwargs.get("alpha", 1))
            added = added * beta if beta else None  # which need not be numbers then
        left, right = tensors[:2]
        if min(left.dim(), right.dim()) > 1:
            q, before = self._factors.get(left, (left, 1.0))
            self._scores[result] = Scores(q, right.mT, before * factor, added)

    def _einsum(
        self, equation: Any, tensors: Sequence[Tensor], result: Tensor, weighted: Tensor | None
    ) -> None:
        """The same two products by their letters, whatever the order of the axes."""
        letters = letters_of(equation, tensors) if len(tensors) == 2 else None
        if weighted is not None:
            first = 0 if weighted is tensors[0] else 1
            order = letters and values_order(letters[first], letters[1 - first], letters[2])
            if not letters or not order:
                self._lost("einsum")
                return
            scores, weights = self._weights[weighted]
            *lead, query, key, column = order
            turned = letters[first] != (*lead, query, key)
            self._end(
                None if turned else scores,
                laid(tensors[1 - first], letters[1 - first], (*lead, key, column)),
                laid(result, letters[2], (*lead, query, column)),
                laid(weights, letters[first], (*lead, query, key)),
                folds=self._folds_of(weights, tensors[1 - first]),
                of=tensors[1 - first],
            )
        elif letters and (at := queries_at(letters)) is not None:
            *lead, query, key = letters[2]
            (column,) = set(letters[0]) - set(letters[2])
            left, right = tensors[at], tensors[1 - at]
            q, before = self._factors.get(left, (left, 1.0))
            self._scores[result] = Scores(
                laid(q, letters[at], (*lead, query, column)),
                laid(right, letters[1 - at], (*lead, key, column)),
                before,
            )

    def _end(
        self,
        scores: Scores | None,
        v: Tensor,
        outputs: Tensor,
        weights: Tensor | None,
        *,
        folds: tuple[Fold, ...],
        of: Tensor | None = None,
    ) -> None:
        """An attention; ``of``: the tensor that V is a view of."""
        if weights is not None and _memory(v if of is None else of) in self._parameters:
            self._lost("matmul", "gate")
            return
        own = self._layer is not None
        self._keep(
            Call(*self._place(), scores, v, outputs, weights, folds, layer=own, extra=self._layer or ())
        )

    def _place(self) -> tuple[str, int]:
        """The innermost part of the module that is running, and how many of its heads share keys and values."""
        frame = inspect.currentframe()
        while frame is not None:
            part = frame.f_locals.get("self")
            if isinstance(part, nn.Module) and id(part) in self._names:
                return self._names[id(part)], int(getattr(part, "num_key_value_groups", 1))
            frame = frame.f_back
        return "", 1


_KEPT: Final = (*_SAME, *_VIEWS, *_TIMES, *_OVER, *_PLUS, *_MINUS, *_CELL_BY_CELL)


def _name(func: Callable[..., Any]) -> str:
    """A function's name without the underscores of operators and of changes in place; a property's own."""
    name: str = getattr(func, "__name__", "")
    if name == "__get__":
        name = getattr(getattr(func, "__self__", None), "__name__", "")
    return name.strip("_")


def _memory(tensor: Tensor) -> int:
    """Where its numbers lie, those of its views too; a tensor that has no memory of its own is alone."""
    try:
        return tensor.untyped_storage().data_ptr() or id(tensor)
    except (NotImplementedError, RuntimeError):
        return id(tensor)


def _tensors(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[Tensor]:
    """The tensors that a function is given, those in lists too."""
    for part in (*args, *kwargs.values()):
        yield from (
            one for one in (part if isinstance(part, tuple | list) else (part,)) if isinstance(one, Tensor)
        )


def _written_out(mask: Any) -> Any:
    """torch's ``CausalBias`` holds no numbers of its own: here they are, True = may attend."""
    if not isinstance(mask, CausalBias):
        return mask
    n_q, n_k = mask.seq_len_q, mask.seq_len_kv
    corner = 0 if mask.variant == CausalVariant.UPPER_LEFT else n_k - n_q
    return torch.ones(n_q, n_k, dtype=torch.bool, device=mask.device).tril(corner)


def _keeps_rows(index: Any, axes: int) -> bool:
    """Whether the last two axes are still queries and keys: of them it takes slices alone."""
    parts = index if isinstance(index, tuple) else (index,)
    if any(isinstance(part, bool) or not isinstance(part, int | slice | EllipsisType) for part in parts):
        return False
    at = next((i for i, part in enumerate(parts) if part is ...), len(parts))
    rest = parts[at + 1 :]
    whole = (*parts[:at], *(slice(None),) * (axes - at - len(rest)), *rest)
    return all(isinstance(part, slice) for part in whole[-2:])


def _folded(before: Sequence[int], after: Sequence[int]) -> tuple[Fold, ...]:
    """The first axis that a view changes, where it made it of itself and others: of samples and heads.

    Where it splits the last axis, into heads and their columns, the first part is made of 1 and of the heads.
    """
    at = next((at for at, (old, new) in enumerate(zip(before, after, strict=False)) if old != new), None)
    if at is None or not before[at] or not after[at]:
        return ()
    old, new = before[at], after[at]
    if new % old == 0:
        return ((old, new // old, at),)
    return ((1, new, at),) if old % new == 0 and at == len(before) - 1 else ()


# --- what is known of scores -------------------------------------------------------------------------------------


def _seen_through(func: Callable[..., Any]) -> Callable[..., Any]:
    """A function of torch's that is written in Python, but for its first question, whether somebody watches."""
    if not isinstance(func, FunctionType):
        return func
    names = {**func.__globals__, "has_torch_function": lambda _: False}
    return FunctionType(func.__code__, names, func.__name__, func.__defaults__, func.__closure__)


def _after(
    name: str, args: Sequence[Any], kwargs: Mapping[str, Any], scored: Tensor | None, scores: Scores
) -> Scores | None:
    """What is known of scores once this was done to them; None where that is not followed."""
    others = [part for part in (*args, *kwargs.values()) if part is not scored]
    other = others[0] if others else None
    first = bool(args) and args[0] is scored
    if name in _SAME:
        return scores
    if name in (*_TIMES, *_OVER) and (first or name in _TIMES):
        return _times(scores, _number(other), over=name in _OVER)
    if name in (*_PLUS, *_MINUS) and (first or name in _PLUS) and "alpha" not in kwargs:
        return _plus(scores, other, minus=name in _MINUS)
    if name == "masked_fill" and first and len(others) > 1:
        return _masked_fill(scores, others[0], _number(others[1]))
    if name == "where" and len(others) > 1:  # torch.where(allow, scores, fill)
        return _masked_fill(scores, ~others[0], _number(others[1])) if others[0].dtype == torch.bool else None
    return None


def _is_seen_as(matrices: Tensor, result: Tensor) -> bool:
    """Whether these are the same matrices, of as many rows and columns, under whatever axes."""
    return result.shape[-2:] == matrices.shape[-2:] and result.numel() == matrices.numel()


def _seen_as(scores: Scores, scored: Tensor, result: Tensor) -> Scores:
    """With the axes before rows and columns that the result has: samples and heads in one or apart."""
    if result.shape == scored.shape:
        return scores

    def seen(part: Tensor, *last: int) -> Tensor:
        return part.expand(*scored.shape[:-2], *last).reshape(*result.shape[:-2], *last)

    mask = None if scores.mask is None else seen(scores.mask, *scored.shape[-2:])
    return replace(
        scores, q=seen(scores.q, *scores.q.shape[-2:]), k=seen(scores.k, *scores.k.shape[-2:]), mask=mask
    )


def _times(scores: Scores, factor: float | None, *, over: bool) -> Scores | None:
    if factor is None:
        return None
    factor = 1 / factor if over else factor
    return replace(
        scores, factor=scores.factor * factor, mask=None if scores.mask is None else scores.mask * factor
    )


def _plus(scores: Scores, added: Any, *, minus: bool) -> Scores | None:
    if isinstance(added, Real) or not isinstance(added, Tensor):
        return scores if isinstance(added, Real) else None  # one number for all pairs moves no weight
    added = (
        added if added.is_floating_point() else added.to(scores.q.dtype)
    )  # numbers are added, also whole ones
    added = -added if minus else added
    return replace(scores, mask=added if scores.mask is None else scores.mask + added)


def _masked_fill(scores: Scores, hidden: Tensor, fill: float | None) -> Scores | None:
    if fill is None or fill > HIDES:
        return None
    added = torch.zeros_like(hidden, dtype=scores.q.dtype).masked_fill(hidden.bool(), NEG_INF)
    return _plus(scores, added, minus=False)


def _number(value: Any) -> float | None:
    """A plain number, or a tensor of one; None for anything else, 0 and NaN."""
    if isinstance(value, Tensor) and value.numel() != 1:
        return None
    if isinstance(value, bool) or not isinstance(value, Real | Tensor):
        return None
    number = float(value)
    return number if number and number == number else None  # NaN alone differs from itself


def _argument(args: Sequence[Any], kwargs: Mapping[str, Any], at: int, name: str, default: Any = None) -> Any:
    return args[at] if len(args) > at else kwargs.get(name, default)


def _refuse_dropout(args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """``functional.dropout(input, p=0.5, training=True)``; that of torch itself has other defaults."""
    share = _argument(args, kwargs, 1, "p", 0.5)
    training = _argument(args, kwargs, 2, "training", kwargs.get("train", True))
    if share and training:
        raise dropped(share)


def dropped(share: float) -> InteropError:
    """Weights are dropped at random, so a run's outputs are not those of its weights."""
    return InteropError(
        N_("dropout is at work on the weights (p = {share:g}): call module.eval() before"), share=share
    )


def nested() -> InteropError:
    """Sentences of several lengths in one tensor."""
    return InteropError(
        N_("nested tensors are not captured: give one padded tensor and a mask, or one sentence")
    )
