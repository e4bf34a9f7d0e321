"""The residual stream of a run: the terms that its last value is a sum of, and how the output follows from it.

x = embedding + Σ attention + Σ MLP,   logits = U(N(x))

The functions of torch that made each tensor say so: x is followed back through additions. Of N and U nothing needs to
be known but what they return: U is affine, and N is a norm, y = γ ∘ (x − μ) / s + β with μ = 0 or the mean.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import get_ident
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook
from torch.overrides import TorchFunctionMode

from mha_core.errors import N_, InteropError
from mha_core.interop.parameters.packed import EXACT
from mha_core.interop.running.functions import name_of
from mha_core.interop.running.scores import OVER, SAME, TIMES, VIEWS

_SUMS: Final = ("add", "radd", "iadd")
_PASSES: Final = (*SAME, *VIEWS, "dropout", "getitem")
"""Functions whose result has the numbers of their first argument, if it has as many."""
_PRODUCTS: Final = ("linear", "matmul")
_NEAR: Final = 1e-3
"""How far a norm, or a sum of all terms, may be off, beside the largest number."""


class Made(NamedTuple):
    """A tensor, and the function that returned it."""

    name: str
    func: Callable[..., Any]
    args: Sequence[Any]
    plain: bool
    result: Tensor


class Ran(NamedTuple):
    """A part of the module that ran, with its first input and its output."""

    name: str
    part: nn.Module
    given: Tensor
    result: Tensor


class Recorder(TorchFunctionMode):
    """While it is active, it records which function, and which parts of the module, returned each tensor."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self._names = {id(part): name for name, part in module.named_modules() if name}
        self._made: dict[int, Made] = {}
        self.ran: dict[int, list[Ran]] = {}

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Called by torch in place of ``func``."""
        kwargs, name = kwargs or {}, name_of(func)
        is_in_place = name in _SUMS and isinstance(args[0], Tensor)
        before = args[0].detach().clone() if is_in_place else None
        result = func(*args, **kwargs)
        if before is not None and result is args[0]:  # what was there has its own place now
            if id(result) in self._made:
                self._made[id(before)] = self._made[id(result)]._replace(result=before)
            self.ran[id(before)] = [one._replace(result=before) for one in self.ran.pop(id(result), ())]
            args = (before, *args[1:])
        is_given = name in _PASSES and any(result is part for part in args)  # such as .to() of its own dtype
        for part in result if isinstance(result, tuple | list) else (result,):
            if isinstance(part, Tensor) and not is_given:
                self._made[id(part)] = Made(name, func, args, not kwargs, part)
        return result

    @contextmanager
    def parts(self) -> Iterator[Recorder]:
        """Record the parts too, with torch's hook for all modules, so that the module is not changed."""
        thread = get_ident()

        def hook(part: nn.Module, args: Any, output: Any) -> None:
            name, given = self._names.get(id(part)), args[0] if args else None
            tensor = output[0] if isinstance(output, tuple) and output else output
            if name and get_ident() == thread and isinstance(tensor, Tensor):
                own = given if isinstance(given, Tensor) else tensor
                self.ran.setdefault(id(tensor), []).append(Ran(name, part, own, tensor))

        handle = register_module_forward_hook(hook)
        try:
            yield self
        finally:
            handle.remove()

    def made(self, tensor: Tensor) -> Made | None:
        """What returned a tensor, or another with the same numbers before it was passed on."""
        made = self._made.get(id(tensor))
        while made and made.name in _PASSES and id(made.result) not in self.ran:
            source = made.args[0] if made.args else None
            if not isinstance(source, Tensor) or source.shape != made.result.shape:
                break
            if id(source) not in self._made:
                return made._replace(name="", result=source)
            made = self._made[id(source)]
        return made

    def source(self, tensor: Tensor) -> Tensor:
        """The tensor before it was passed on."""
        made = self.made(tensor)
        return tensor if made is None else made.result

    def terms(self, tensor: Tensor, stops: Container[int]) -> Iterator[Tensor]:
        """What a tensor is the sum of, down to what is no sum, or is in ``stops``."""
        left = [tensor]
        while left:
            own = left.pop()
            made = None if id(own) in stops else self.made(own)
            if made is None or id(made.result) in stops:
                yield own if made is None else made.result
            elif made.name in _SUMS and made.plain and all(isinstance(part, Tensor) for part in made.args):
                left.extend(reversed(made.args))
            elif made.name in (*_PASSES, "") and made.args and _has_same_numbers(made):
                left.append(made.args[0] if made.name else made.result)
            else:
                yield made.result

    def name(self, tensor: Tensor) -> str:
        """The outermost part of the module that returned a tensor, or the function."""
        if own := self.ran.get(id(tensor)):
            return own[-1].name
        made = self._made.get(id(tensor))
        return made.name if made else "inputs"


def _has_same_numbers(made: Made) -> bool:
    source = made.args[0]
    return isinstance(source, Tensor) and source is not made.result and source.shape == made.result.shape


class End(NamedTuple):
    """The end of a stream: its last value x, and how one row of it becomes logits, with the norm's scale frozen.

    ``scaled``: of k rows of terms their share in U's input; ``unembed``: U; ``shift``: β.
    """

    x: Tensor
    scaled: Callable[[Tensor], Tensor]
    unembed: Callable[[Tensor], Tensor]
    shift: Tensor


def end_of(recorder: Recorder, logits: Tensor, at: Callable[[Tensor], Tensor]) -> End:
    """The end of the stream behind these logits, at one row. Raises ``InteropError`` if it has another form."""
    made = recorder.made(logits)
    ran = recorder.ran.get(id(recorder.source(logits)), [])
    products = [one for one in ran if not [*one.part.children()]]
    if products:
        y, unembed = products[0].given, products[0].part.__call__
    elif made and made.name in _PRODUCTS and made.plain:
        func, (y, *more) = made.func, made.args

        def unembed(rows: Tensor) -> Tensor:
            product: Tensor = func(rows, *more)
            return product

    else:
        if "tanh" in _scaled_by(recorder, made):
            raise InteropError(
                N_(
                    "the logits are limited by a softcap, a tanh, so they are not a sum of what heads contribute"
                )
            )
        raise InteropError(
            N_("the output is not the result of a linear layer, so it is not a sum of what heads contribute")
        )
    y = recorder.source(y)
    norms = recorder.ran.get(id(y), [])
    is_sum = not norms or ((made := recorder.made(y)) is not None and made.name in _SUMS)
    if is_sum:
        return End(y, lambda rows: rows, unembed, torch.zeros_like(at(y)))
    norm, x = norms[0].part, norms[0].given
    scaled, shift = _frozen(norm, norms[0].name, at(x), at(y))
    return End(recorder.source(x), scaled, unembed, shift)


def _scaled_by(recorder: Recorder, made: Made | None) -> Iterator[str]:
    """The functions of cells that a tensor went through last."""
    while made and made.name in (*TIMES, *OVER, "tanh") and made.args and isinstance(made.args[0], Tensor):
        yield made.name
        made = recorder.made(made.args[0])


def _frozen(norm: nn.Module, name: str, x: Tensor, y: Tensor) -> tuple[Callable[[Tensor], Tensor], Tensor]:
    """γ ∘ (rows − μ) / s with the s of x, and β, from what the norm returns for other rows."""
    probe = 1000 * (torch.arange(len(x), device=x.device) % 2 * 2 - 1).to(x) + torch.linspace(
        0, 1, len(x)
    ).to(x)
    shift, own = norm(torch.zeros_like(x)), norm(probe)
    is_centered = torch.allclose(norm(probe + 500), own, atol=_NEAR)

    def centered(rows: Tensor) -> Tensor:
        rows = rows.to(EXACT)
        return rows - rows.mean(-1, keepdim=True) if is_centered else rows

    root = centered(probe).square().mean().sqrt()
    gains = (own - shift).to(EXACT) * root / centered(probe)
    direction, wanted = gains * centered(x), (y - shift).to(EXACT)
    scale = (direction @ wanted) / (direction @ direction)
    if (direction * scale - wanted).abs().max() > _NEAR * wanted.abs().max():
        raise InteropError(
            N_("the part before the linear layer is no norm, so its scale cannot be frozen"), place=name
        )
    return lambda rows: (gains * centered(rows) * scale).to(rows), shift
