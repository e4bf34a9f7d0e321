"""Watching a module run: every attention that it computes, by what it calls in torch.

A mode of torch's (``TorchFunctionMode``) sees each function of torch that this thread calls, and no other thread's; the
module is not touched. While it stands torch's own layers take none of their fused ways, in which no function could be
seen. An attention is one of

    scaled_dot_product_attention(q, k, v, …)      as torch's and Hugging Face's models call it
    multi_head_attention_forward(…)               nn.MultiheadAttention; watched from within, it calls the former
    softmax(q @ kᵀ · factor + mask) @ v           written out, as Hugging Face's eager attention is

What is written out is followed from its product on. Factors, masks and changes of dtype keep what is known of the
scores; anything else loses it, and only the weights and V are known.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from types import FunctionType
from typing import Any, Final, TypeAlias, TypeVar

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakTensorKeyDictionary

from mha_core.errors import N_, InteropError
from mha_core.example.model import NEG_INF

Value = TypeVar("Value")


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
    values, as the module says.
    """

    name: str
    groups: int
    scores: Scores | None
    v: Tensor
    outputs: Tensor
    weights: Tensor | None = None


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
        self._keep = keep
        self._scores: _Known[Scores] = _known()
        self._weights: _Known[tuple[Scores | None, Tensor]] = (
            _known()
        )  # the scores behind them, and the weights
        self._factors: _Known[tuple[Tensor, float]] = _known()  # what was multiplied, and by what

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """What torch calls in place of ``func``."""
        kwargs = kwargs or {}
        match name := getattr(func, "__name__", "").strip("_"):
            case "multi_head_attention_forward":
                return self._layer(func, args, kwargs)
            case "scaled_dot_product_attention":
                return self._function(func, args, kwargs)
        result = func(*args, **kwargs)
        if isinstance(result, Tensor):
            self._follow(name, args, kwargs, result)
        return result

    # --- torch's own ---------------------------------------------------------------------------------------------

    def _layer(self, func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The layer gives what it gives; once more, watched and without weights, it calls the function below."""
        given = inspect.signature(func).bind(*args, **kwargs)
        given.apply_defaults()
        if given.arguments["training"] and given.arguments["dropout_p"]:
            raise dropped(given.arguments["dropout_p"])
        result = func(*args, **kwargs)
        given.arguments["need_weights"] = False
        with self:
            _seen_through(func)(*given.args, **given.kwargs)
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
        scores = Scores(q, k, factor, given.get("attn_mask"), bool(given.get("is_causal")))
        self._keep(Call(*self._place(), scores, v, result))
        return result

    # --- written out ---------------------------------------------------------------------------------------------

    def _follow(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], result: Tensor) -> None:
        tensors = [part for part in (*args, *kwargs.values()) if isinstance(part, Tensor)]
        weights = self._weights.get(tensors[0]) if tensors else None
        if name in _PRODUCTS:
            self._product(name, tensors, kwargs, result, weights)
        elif name == "softmax":
            if _argument(args, kwargs, 1, "dim") in (-1, result.dim() - 1):
                self._weights[result] = self._scores.get(tensors[0]), result
        elif weights:
            if name == "dropout":
                _refuse_dropout(args, kwargs)
            if _is_seen_as(tensors[0], result):
                scores = weights[0] and _seen_as(weights[0], tensors[0], result)
                self._weights[result] = scores, result
        else:
            self._on_the_way(name, args, kwargs, result)

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
        self, name: str, tensors: Sequence[Tensor], kwargs: Mapping[str, Any], result: Tensor, weights: Any
    ) -> None:
        """Weights times values end an attention; any other product may begin one."""
        if weights:
            self._keep(Call(*self._place(), weights[0], tensors[1], result, weights[1]))
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

    def _place(self) -> tuple[str, int]:
        """The innermost part of the module that is running, and how many of its heads share keys and values."""
        frame = inspect.currentframe()
        while frame is not None:
            part = frame.f_locals.get("self")
            if isinstance(part, nn.Module) and id(part) in self._names:
                return self._names[id(part)], int(getattr(part, "num_key_value_groups", 1))
            frame = frame.f_back
        return "", 1


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
