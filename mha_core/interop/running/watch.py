"""Watching a module run: every attention that it computes, recognised by the functions of torch that it calls.

A ``TorchFunctionMode`` sees each function of torch that this thread calls, and no other thread's; the module is not
changed. While the mode is active, torch's layers do not use their fused kernels, in which no function could be seen.
An attention is one of

    scaled_dot_product_attention(q, k, v, …)      as torch's and Hugging Face's models call it
    multi_head_attention_forward(…)               nn.MultiheadAttention; watched from within, it calls the former
    softmax(q @ kᵀ · factor + mask) @ v           in several calls, as in Hugging Face's eager attention

The last kind is followed from its first product on (``following.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from typing import Any, Final

from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakTensorKeyDictionary

from mha_core.interop.running.call import Call, compiled, dropped, nested
from mha_core.interop.running.columns import Columns
from mha_core.interop.running.folds import Folds
from mha_core.interop.running.following import Following, Values
from mha_core.interop.running.functions import (
    Operation,
    layer_again,
    name_of,
    running,
    with_all_defaults,
    written_out,
)
from mha_core.interop.running.origins import Locate, Origins, Writes
from mha_core.interop.running.scores import Scores
from mha_core.interop.running.sides import Inputs, Sources
from mha_core.interop.running.uses import Roots, Uses

_FUSED: Final = "scaled_dot_product_attention"


class Watch(TorchFunctionMode):
    """While it is active, it calls ``keep`` with every attention that ``module`` computes in this thread.

    ``keep`` may write other numbers into the call's outputs, with which the module then goes on; it returns True then.
    ``writes``: other numbers for what functions return. ``locate``: q, k and v of the calls are not numbers, but the
    positions of these at the places where they are computed.
    Raises ``InteropError`` for dropout of weights and for nested tensors.
    """

    def __init__(
        self,
        module: nn.Module,
        keep: Callable[[Call], bool | None],
        inputs: Iterable[Tensor] = (),
        *,
        writes: Writes | None = None,
        locate: Locate | None = None,
    ) -> None:
        super().__init__()
        self._root = type(module).__name__
        self._names = {id(part): name or self._root for name, part in module.named_modules()}
        self._keep = keep
        self._columns = Columns(module)
        self._folds = Folds()
        self._sources = Sources(inputs, self._columns.is_parameter)
        self._number = [-1]  # of the function that runs, and within torch's layer of its own
        self._origins = Origins(self._number, locate)
        self._locate = locate
        self._writes = writes or Writes()
        self._following = Following(self._columns, self._origins, self._sources, self._report, self._lose)
        self._layer: tuple[str, ...] | None = None  # inside torch's layer: its keys that are not tokens
        self._written = False  # whether ``keep`` has changed outputs inside torch's layer
        self.ends: dict[str, tuple[str, str]] = {}
        """By part of the module: the operation after which a softmax's result was not followed, and why as a word."""
        self.uses = Uses()
        self._is_known = False  # whether the function that runs is a product with V
        self._returned: MutableMapping[Tensor, Roots] = (
            WeakTensorKeyDictionary()
        )  # weights that torch's layer returns
        self._fused_count = 0
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
        self._number[-1] += 1
        name = name_of(func)
        if name == "multi_head_attention_forward":
            result = self._torch_layer(func, args, kwargs)
            self._sources.note(name, args, kwargs, result)
            self._origins.note(Operation(func, name, args, kwargs), result)
            self.uses.note(Operation(func, name, args, kwargs), result, self._roots, is_known=False)
            if result[1] is not None:
                self._returned[result[1]] = frozenset({-self._fused_count})
            return result
        number = tuple(self._number)
        if is_written := self._writes.are_at(number):
            args, kwargs = self._writes.operands(number, args, kwargs, self._origins)
            self._written = True
        result = self._fused(func, args, kwargs) if name == _FUSED else func(*args, **kwargs)
        if is_written:
            result = self._writes.result(number, args, result)
        operation = Operation(func, name, args, kwargs)
        self._sources.note(name, args, kwargs, result)
        self._origins.note(operation, result)
        self._is_known = False
        if isinstance(result, Tensor):
            self._columns.note(operation, result)
            self._folds.note(name, args, result)
            if name != _FUSED:
                self._following.follow(operation, result)
        elif isinstance(result, tuple | list) and any(isinstance(part, Tensor) for part in result):
            for part in result:
                if isinstance(part, Tensor):
                    self._columns.note(operation, part)
                    self._folds.note(name, args, part)
            self._following.split(name, args, kwargs, result)
        self.uses.note(operation, result, self._roots, is_known=self._is_known)
        return result

    def _roots(self, tensor: Tensor) -> Roots:
        """Which weights a tensor is."""
        return self._following.roots(tensor) or self._returned.get(tensor, frozenset())

    # --- torch's functions ---------------------------------------------------------------------------------------

    def _torch_layer(self, func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return the layer's result. Run it again, watched and without weights: then it calls the fused function.

        If outputs were changed then, the output is that of the second run.
        """
        bound = with_all_defaults(func, args, kwargs)
        if bound.arguments["training"] and bound.arguments["dropout_p"]:
            raise dropped(bound.arguments["dropout_p"])
        result = func(*args, **kwargs)
        bias, zero = bound.arguments["bias_k"] is not None, bound.arguments["add_zero_attn"]
        self._layer, self._written = ("bias",) * bias + ("zero",) * bool(zero), False
        self._number.append(-1)
        try:
            output = layer_again(bound, func, self)
        finally:
            self._layer = None
            self._number.pop()
        return (output, result[1]) if self._written else result

    def _fused(self, func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
        named = {**dict(zip(names, args, strict=False)), **kwargs}
        q, k, v = (named[name] for name in names[:3])
        if q.is_nested or k.is_nested or v.is_nested:
            raise nested()
        if named.get("dropout_p"):
            raise dropped(named["dropout_p"])
        result = func(*args, **kwargs)
        if -2 in self._columns.of(q) or -2 in self._columns.of(k):
            self._lose(_FUSED, "columns", scored=True)
            return result
        factor = q.shape[-1] ** -0.5 if named.get("scale") is None else float(named["scale"])
        mask = written_out(named.get("attn_mask"))
        keys = [n for n, part in enumerate(args) if isinstance(part, Tensor)]
        order = [*(names[n] for n in keys), *(name for name in kwargs if isinstance(kwargs[name], Tensor))]
        (own_q, of_q, at_q), (own_k, of_k, at_k) = (
            self._origins.of(named[part], order.index(part)) for part in names[:2]
        )
        scores = Scores(
            own_q,
            own_k,
            factor * of_q * of_k,
            mask,
            bool(named.get("is_causal")),
            places=(at_q, at_k),
            operands=(q, k),
            beside=() if mask is None else (mask,),
            shows=None if mask is None or self._sources.is_content(mask) else mask,
        )
        self._fused_count += 1
        roots = frozenset({-self._fused_count})
        values = Values(v, order.index(names[2]))
        self._report(scores, values, result, None, of=(v, k, q), result=result, roots=roots)
        return result

    def _lose(self, operation: str, why: str = "other", *, scored: bool = False) -> None:
        """``operation``: "" for a softmax of which nothing is known yet."""
        name = self._place()[0]
        if why == "rows":  # no softmax is known: what is known of another comes first
            self.lost.setdefault(name, (operation, why))
            return
        if not operation:
            self.ends.setdefault(name, ("", ""))
            return
        self.ends[name] = operation, why
        if scored:
            self.lost[name] = operation, why

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        super().__exit__(kind, error, trace)  # type: ignore[no-untyped-call]
        if error is not None and type(error).__module__.startswith("torch._dynamo"):
            raise compiled() from error

    def _report(
        self,
        scores: Scores | None,
        values: Values,
        outputs: Tensor,
        weights: Tensor | None,
        *,
        of: Sequence[Tensor],
        result: Tensor,
        after: str = "",
        roots: Roots = frozenset(),
    ) -> None:
        """Report an attention, as ``following.Report``."""
        self._is_known = True
        name, groups = self._place()
        mixed, v_at, v = (False, False), None, values.arranged(values.tensor)
        if self._locate:
            positions, factor, place = self._origins.of(values.tensor, values.operand)
            v_at = place, values.arranged(positions), factor
        if self._locate and scores:
            own = [self._sources.of(part) for part in scores.operands]
            others = Inputs().union(*map(self._sources.of, scores.beside))
            mixed = not own[0].isdisjoint(others), not own[1].isdisjoint(others)
        call = Call(
            name,
            groups,
            scores if scores and scores.complete else None,
            v,
            outputs,
            weights,
            self._folds.of(*of),
            result,
            tuple(self._number),
            layer=self._layer is not None,
            extra=self._layer or (),
            sources=(
                self._sources.of(scores.q if scores else v if weights is None else weights),
                self._sources.of(v),
            ),
            mixed=mixed,
            v_at=v_at,
            after=after,
            roots=roots,
        )
        self._written |= bool(self._keep(call))

    def _place(self) -> tuple[str, int]:
        """The innermost running part of the module, and how many of its heads share keys and values."""
        part = running(self._names)
        return (
            (self._root, 1)
            if part is None
            else (self._names[id(part)], int(getattr(part, "num_key_value_groups", 1)))
        )
