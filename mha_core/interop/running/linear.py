"""A run of a module that stays linear: what is not is held fixed, and starts a new term of the sum.

Every tensor of the run is a sum of terms, each multiplied by constants. A term is what a function that is not linear
returned, an embedding, or a bias. A logit is then the sum of its gradient · term over all terms, exactly:

    x + y, x @ W, x · constant, x[…]      linear: the gradient goes through
    gelu(x), weights @ V                  a new term; the outputs of heads are such
    norm(x), x · (a number per row)       linear with the scale of this run, which is held fixed
    heads · gate                          linear with the gate of this run

A function that is not listed is linear if f(x + r) − f(x) = f(r) − f(0) for random r, in float64. That the terms add up
to the logit, which the caller checks, holds only if all of this was right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map_only
from torch.utils.weak import WeakTensorKeyDictionary

from mha_core.interop.running.found import Site
from mha_core.interop.running.functions import (
    layer_again,
    name_of,
    running,
    tensors_among,
    with_all_defaults,
    without_override,
)
from mha_core.interop.running.linearity import (
    CURVED,
    LINEAR,
    NORMS,
    PASSED,
    PRODUCTS,
    WITHOUT_BIAS,
    Zeros,
    is_in_place,
    is_linear_here,
    is_one_per_row,
)
from mha_core.interop.running.scores import OVER, TIMES


class Kind(NamedTuple):
    """What is known of a tensor that inputs have a part in.

    ``of_heads``: heads have a part in it; ``carries``: they add to it; ``alone``: nothing else but biases does.
    """

    of_heads: bool = False
    carries: bool = False
    alone: bool = False


class Term(NamedTuple):
    """A term of the sum: the function and the part of the module that it is from, and its values.

    ``site``: the attention whose heads' outputs it is, or −1; ``bias``: whether it is what a linear function adds;
    ``before``: the argument of one of ``PASSED``; ``stops``: whether heads add to what the function was called with.
    """

    function: str
    part: str
    values: Tensor
    site: int = -1
    bias: bool = False
    before: Tensor | None = None
    stops: bool = False


class Linear(TorchFunctionMode):
    """While it is active, the module's tensors are linear in the terms, and torch records their gradients.

    ``take`` is called with every term that a gradient reaches, and its gradient; ``froze`` with the part of the module
    whose norm or gate was held fixed on the way.
    """

    def __init__(self, module: nn.Module, sites: Sequence[Site], inputs: Iterable[Tensor]) -> None:
        super().__init__()
        self._module = module
        self._names = {id(part): name or type(module).__name__ for name, part in module.named_modules()}
        self._buffers = {id(buffer) for buffer in module.buffers()}
        self._sites = {site.number: index for index, site in enumerate(sites)}
        self._number = [-1]
        self._within = False  # a function of several, which counts once
        self._kinds: Any = WeakTensorKeyDictionary()
        for tensor in inputs:
            self._kinds[tensor] = Kind()
        self.seen = 0
        """How many of the sites were computed."""
        self.rounding = 0.0
        """The rounding of the dtype with the fewest digits in which a sum was computed."""
        self.take: Callable[[Term, Tensor], None] = lambda term, gradient: None
        self.froze: Callable[[str], None] = lambda part: None

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Called by torch in place of ``func``."""
        kwargs, name = kwargs or {}, name_of(func)
        if not self._within:
            self._number[-1] += 1
        with torch.enable_grad():
            if name == "multi_head_attention_forward":
                return self._torch_layer(func, args, kwargs)
            index = -1 if self._within else self._sites.get(tuple(self._number), -1)
            return self._result(func, name, args, kwargs, index)

    def _result(
        self, func: Callable[..., Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any], site: int
    ) -> Any:
        if site >= 0:
            self.seen += 1
            return self._new_term(func, name, args, kwargs, site)
        live = [part for part in tensors_among(args, kwargs) if self._is_live(part)]
        if not live or (is_in_place(func) and id(args[0]) in self._buffers):
            return self._without_terms(func, name, args, kwargs)
        if name in NORMS:
            return self._norm(name, args, kwargs)
        if (at := self._scale_at(func, name, args)) is not None:
            args = [part.detach() if own == at else part for own, part in enumerate(args)]
            live = [part for part in live if part is args[1 - at]]
        if self._is_listed(name, args, kwargs, live):
            result = self._run(func, name, args, kwargs)
            return result if at is None else self._with_scale(result)
        if isinstance(func, FunctionType) and func.__module__ == functional.__name__:
            with self._inside(), self:
                return without_override(func)(*args, **kwargs)
        is_known = name in (*CURVED, *PRODUCTS, *TIMES, *OVER) or is_in_place(func)
        if not is_known and self._is_linear_here(func, args, kwargs):
            return self._run(func, name, args, kwargs)
        return self._new_term(func, name, args, kwargs)

    # --- what is linear -------------------------------------------------------------------------------------------

    def _is_live(self, tensor: Tensor) -> bool:
        """Whether a tensor is a sum of terms; parameters require a gradient too, but are constants here."""
        return tensor.requires_grad and not tensor.is_leaf and tensor in self._kinds

    def _constant(self, tensor: Tensor) -> Tensor:
        """The same without the gradient of a parameter."""
        return tensor.detach() if tensor.requires_grad and not self._is_live(tensor) else tensor

    def _fixed(self, args: Any) -> Any:
        """The same without terms."""
        return tree_map_only(Tensor, lambda part: part.detach() if part.requires_grad else part, args)

    def _is_listed(
        self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], live: Sequence[Tensor]
    ) -> bool:
        """Whether a function is known to be linear in these tensors."""
        if name in CURVED or self._chooses(args, kwargs):
            return False
        if name in (*PRODUCTS, *TIMES):
            return len(live) == 1
        if name in OVER:
            return len(live) == 1 and live[0] is args[0]
        return name in LINEAR

    def _chooses(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Whether a function chooses by numbers that heads have a part in, as in where(x > 0, x, 0)."""
        numbers = (part for part in tensors_among(args, kwargs) if not part.is_floating_point())
        return self._kind_of(numbers).of_heads

    def _is_linear_here(
        self, func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> bool:
        """Whether trying shows that a function is linear here."""
        if self._chooses(args, kwargs):
            return False
        plain_args, plain_kwargs = self._fixed((tuple(args), dict(kwargs)))
        plain = func(*plain_args, **plain_kwargs)
        is_floating = isinstance(plain, Tensor) and plain.is_floating_point()
        return is_floating and is_linear_here(func, args, kwargs, self._is_live)

    def _scale_at(self, func: Callable[..., Any], name: str, args: Sequence[Any]) -> int | None:
        """Which factor of a product or quotient of two sums is held fixed, since it is a scale or a gate."""
        if name not in (*TIMES, *OVER) or len(args) < 2:
            return None
        if not all(isinstance(part, Tensor) and self._is_live(part) for part in args[:2]):
            return None
        for at in (1, 0) if name in TIMES and not is_in_place(func) else (1,):
            own, other = self._kinds[args[at]], self._kinds[args[1 - at]]
            is_scale = is_one_per_row(args[at]) and not is_one_per_row(args[1 - at])
            if is_scale or (other.alone and not own.alone) or (other.of_heads and not own.of_heads):
                return at
        return None

    def _with_scale(self, result: Tensor) -> Tensor:
        """The result of a function that holds a scale fixed."""
        part = self._part()
        _on_gradient(result, lambda _: self.froze(part))
        return result

    def _run(
        self, func: Callable[..., Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        """The result of a linear function. What it adds is a term."""
        kind = self._kind_of(part for part in tensors_among(args, kwargs) if self._is_live(part))
        own_args, own_kwargs = tree_map_only(Tensor, self._constant, (tuple(args), dict(kwargs)))
        if name in WITHOUT_BIAS:
            return self._known(func(*own_args, **own_kwargs), kind)
        writes = is_in_place(func)
        zeros = tree_map_only(Tensor, lambda part: Zeros(part) if self._is_live(part) else part, own_args)
        named = tree_map_only(Tensor, lambda part: Zeros(part) if self._is_live(part) else part, own_kwargs)
        if writes and isinstance(zeros[0], Tensor):
            zeros = (zeros[0].clone(), *zeros[1:])
        result = func(*own_args, **own_kwargs)

        def added() -> Tensor:
            given = tree_map_only(Zeros, Zeros.made, (zeros, named))
            own: Any = func(*given[0], **given[1])
            return own if isinstance(own, Tensor) else given[0][0]

        is_given = any(
            part in self._kinds and not self._is_live(part) for part in tensors_among(args, kwargs)
        )
        self._adds(args[0] if result is None else result, name, added, is_given=is_given)
        self._known(args[0] if result is None else result, kind)
        return result

    def _adds(self, result: Any, name: str, added: Callable[[], Tensor], *, is_given: bool = False) -> None:
        """Take what a function adds as a term, where a gradient reaches its result."""
        if not isinstance(result, Tensor) or not result.requires_grad:
            return
        part = "inputs" if is_given else self._part()

        def hook(gradient: Tensor) -> None:
            with torch.no_grad():
                self.take(Term(name, part, added(), bias=not is_given), gradient)

        _on_gradient(result, hook)

    def _norm(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Tensor:
        """A norm with its scale fixed."""
        names = ("input", "normalized_shape", "weight", *(("bias",) if name == "layer_norm" else ()), "eps")
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        x, over = given["input"], tuple(range(-len(given["normalized_shape"]), 0))
        weight, bias = (self._fixed(given.get(which)) for which in ("weight", "bias"))
        wide = torch.promote_types(x.dtype, torch.float32)
        eps = given.get("eps", 1e-5 if name == "layer_norm" else None)

        def centered(rows: Tensor) -> Tensor:
            rows = rows.to(wide)
            return rows - rows.mean(over, keepdim=True) if name == "layer_norm" else rows

        square = centered(x.detach()).square().mean(over, keepdim=True)
        scale = (square + (torch.finfo(x.dtype).eps if eps is None else eps)).rsqrt()
        y = centered(x) * scale
        y = y if weight is None else y * weight
        y = (y if bias is None else y + bias).to(x.dtype)
        if bias is not None:
            self._adds(y, name, lambda: bias.expand(y.shape))
        self._known(y, self._kinds[x])
        return self._with_scale(y)

    # --- terms -----------------------------------------------------------------------------------------------------

    def _new_term(
        self,
        func: Callable[..., Any],
        name: str,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        site: int = -1,
    ) -> Any:
        """The result of a function that is not linear, as new terms."""
        tensors = [*tensors_among(args, kwargs)]
        kind, writes = self._kind_of(tensors), is_in_place(func)
        own_args, own_kwargs = self._fixed((tuple(args), dict(kwargs)))
        if writes:
            own_args = (own_args[0].clone(), *own_args[1:])
        result = func(*own_args, **own_kwargs)
        if writes:
            result = own_args[0]
        before = tensors[0] if name in PASSED and tensors and self._is_live(tensors[0]) else None
        part = self._part()

        def term(values: Any) -> Any:
            if not isinstance(values, Tensor):
                return values
            if not values.is_floating_point():
                self._kinds[values] = Kind(kind.of_heads)
                return values
            own = Term(name, part, values.detach(), site, before=before, stops=kind.carries)
            there = own.values.requires_grad_().clone()
            _on_gradient(there, lambda gradient: self.take(own, gradient))
            self._kinds[there] = Kind(True, True, True) if site >= 0 else Kind(kind.of_heads)
            return there

        terms = tree_map_only(Tensor, term, result)
        if not writes:
            return terms
        args[0].copy_(terms)
        self._known(args[0], self._kinds[terms])
        return None if name == "setitem" else args[0]

    def _without_terms(
        self, func: Callable[..., Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        """The result of a function of constants, or of inputs: then it is a term, as an embedding is."""
        known = [part for part in tensors_among(args, kwargs) if part in self._kinds]
        if name == "embedding" or (known and not is_in_place(func)):
            return self._new_term(func, name, args, kwargs)
        own_args, own_kwargs = self._fixed((tuple(args), dict(kwargs)))
        return func(*own_args, **own_kwargs)

    def _known(self, result: Any, kind: Kind) -> Any:
        """The result, of which this is known from now on. What has no gradient, such as zeros_like, is a constant."""
        for part in result if isinstance(result, tuple | list) else (result,):
            if isinstance(part, Tensor) and (part.requires_grad or not part.is_floating_point()):
                self._kinds[part] = kind
                if part.is_floating_point():
                    self.rounding = max(self.rounding, torch.finfo(part.dtype).eps)
        return result

    def _kind_of(self, tensors: Any) -> Kind:
        kinds = [self._kinds[part] for part in tensors if part in self._kinds]
        if not kinds:
            return Kind()
        return Kind(
            any(one.of_heads for one in kinds),
            any(one.carries for one in kinds),
            all(one.alone for one in kinds),
        )

    def _part(self) -> str:
        part = running(self._names)
        return self._names[id(self._module)] if part is None else self._names[id(part)]

    @contextmanager
    def _inside(self) -> Iterator[None]:
        before, self._within = self._within, True
        try:
            yield
        finally:
            self._within = before

    def _torch_layer(self, func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Torch's own layer, seen from within, and the weights that it returns."""
        _, weights = func(*self._fixed(tuple(args)), **self._fixed(dict(kwargs)))
        self._number.append(-1)
        try:
            return layer_again(with_all_defaults(func, args, kwargs), func, self), weights
        finally:
            self._number.pop()


@contextmanager
def plain_afterwards(module: nn.Module) -> Iterator[None]:
    """After it, tensors that parts of a module have kept of a run, such as weights to look at, have no gradients."""
    try:
        yield
    finally:
        for part in module.modules():
            for name, kept in [*vars(part).items()]:
                if isinstance(kept, Tensor) and not kept.is_leaf:
                    vars(part)[name] = kept.detach()


def _on_gradient(tensor: Tensor, call: Callable[[Tensor], None]) -> None:
    tensor.register_hook(call)  # type: ignore[no-untyped-call]
