"""Which functions of torch are linear in their tensors, by name, or by trying."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import torch
from torch import Tensor
from torch.utils._pytree import tree_map_only

from mha_core.interop.parameters.packed import EXACT
from mha_core.interop.running.functions import TURNS
from mha_core.interop.running.scores import JOINS, MINUS, OVER, PLUS, SAME, TIMES, VIEWS

PASSED: Final = ("tanh", "log_softmax")
"""Functions of logits at the end of a module, before which the logits are a sum."""
_PARTS: Final = ("getitem", "split", "chunk", "unbind", "expand", "expand_as", "repeat", "narrow", "select")
PRODUCTS: Final = ("linear", "matmul", "rmatmul", "bmm", "mm", "einsum", "addmm", "baddbmm")
WITHOUT_BIAS: Final = (*VIEWS, *SAME, *TURNS, *_PARTS, *TIMES, *OVER, *PRODUCTS[1:6], "sum", "mean", "neg")
_SUMS: Final = (*PLUS, *MINUS, *JOINS, "rsub", "subtract", "stack", "setitem", "copy", "index_add", "where")
LINEAR: Final = (*VIEWS, *SAME, *TURNS, *_PARTS, *_SUMS, "sum", "mean", "neg", "masked_fill", "roll")
"""Functions by name that are linear in all their tensors of floating-point numbers together."""
CURVED: Final = ("softmax", "gelu", "silu", "relu", "tanh", "pow", "rsqrt", "detach", "data")
"""Functions that are known not to be, so that no time is spent on trying."""
NORMS: Final = ("layer_norm", "rms_norm")
_SPARED: Final = 1e-9
"""How far a linear function may be off in float64, beside its largest number."""


def is_in_place(func: Callable[..., Any]) -> bool:
    """Whether a function writes into its first argument."""
    name: str = getattr(func, "__name__", "")
    written = name.startswith("__i") and name.strip("_") in (*PLUS, *MINUS, *TIMES, *OVER, "ipow")
    return written or name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))


def is_one_per_row(tensor: Tensor) -> bool:
    """Whether all columns of a row are the same number, as that of a norm."""
    return tensor.dim() > 0 and (tensor.shape[-1] == 1 or tensor.stride(-1) == 0)


def is_linear_here(
    func: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    is_live: Callable[[Tensor], bool],
) -> bool:
    """Whether f(x + r) − f(x) = f(r) − f(0) for the tensors x that are sums, with the others held fixed."""

    def of(with_x: float, with_r: float) -> Any:
        generator = torch.Generator().manual_seed(1)

        def argument(part: Tensor) -> Tensor:
            if not part.is_floating_point():
                return part
            x = part.detach().to(EXACT)
            if not is_live(part) or not x.numel():
                return x
            r = torch.randn(x.shape, generator=generator, dtype=EXACT).to(x.device)
            return with_x * x + with_r * r * (1 + 3 * x.abs().amax())

        with torch.no_grad():
            return func(
                *tree_map_only(Tensor, argument, tuple(args)), **tree_map_only(Tensor, argument, kwargs)
            )

    try:
        both, first, second, none = (of(*which) for which in ((1, 1), (1, 0), (0, 1), (0, 0)))
        error = (both - first - second + none).abs().amax()
        return bool(error <= _SPARED * (both.abs().amax() + first.abs().amax()))
    except (RuntimeError, TypeError, ValueError, IndexError):  # what does not take such numbers
        return False


class Zeros:
    """Zeros in the place of a tensor, which is not kept."""

    def __init__(self, tensor: Tensor) -> None:
        self._like = tensor.shape, tensor.dtype, tensor.device

    def made(self) -> Tensor:
        """The zeros."""
        shape, dtype, device = self._like
        return torch.zeros(shape, dtype=dtype, device=device)
