"""Functions of torch as a mode sees them: their names, their tensors, and what they do to axes."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from types import EllipsisType, FunctionType
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor, nn

TURNS: Final = (
    "transpose",
    "swapaxes",
    "swapdims",
    "permute",
    "movedim",
    "moveaxis",
    "mT",
    "mH",
    "T",
    "t",
    "adjoint",
)
"""Functions that put axes into another order, by name without underscores."""


class Operation(NamedTuple):
    """A function of torch as it is called; ``name``: as ``name_of`` has it."""

    func: Callable[..., Any]
    name: str
    args: Sequence[Any]
    kwargs: Mapping[str, Any]


def name_of(func: Callable[..., Any]) -> str:
    """A function's name without the underscores of operators and of in-place operations, or a property's name."""
    name: str = getattr(func, "__name__", "")
    if name == "__get__":
        name = getattr(getattr(func, "__self__", None), "__name__", "")
    return name.strip("_")


def is_like_weights(rows: Tensor) -> bool:
    """Whether all rows are ≥ 0 and sum to 1, with more than one number above 0 in some row, as softmax gives them."""
    if not rows.is_floating_point() or rows.shape[-1] < 2:
        return False
    is_sum = (rows >= 0).all() & ((rows.sum(-1) - 1).abs() < 1e-3).all()
    return bool(is_sum) and (rows.dim() == 1 or bool(((rows > 0).sum(-1) > 1).any()))


def memory_of(tensor: Tensor) -> int:
    """The address of a tensor's memory, which its views share; a tensor without memory counts as its own."""
    try:
        return tensor.untyped_storage().data_ptr() or id(tensor)
    except (NotImplementedError, RuntimeError):
        return id(tensor)


def tensors_among(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[Tensor]:
    """The tensors among a function's arguments, including those in lists."""
    for part in (*args, *kwargs.values()):
        yield from (
            item for item in (part if isinstance(part, tuple | list) else (part,)) if isinstance(item, Tensor)
        )


def given(args: Sequence[Any], kwargs: Mapping[str, Any], n: int, name: str, default: Any = None) -> Any:
    """The argument at ``n``, or the keyword."""
    return args[n] if len(args) > n else kwargs.get(name, default)


def order_of(operation: Operation, axes: int) -> tuple[int, ...]:
    """The order of axes after one of ``TURNS``: the first axis of the result was axis ``order[0]``.

    It does the same to a tensor of which each axis has another length.
    """
    marked = torch.empty(()).expand(tuple(range(2, axes + 2)))
    after = operation.func(marked, *operation.args[1:], **operation.kwargs)
    return tuple(size - 2 for size in after.shape)


def written_out(mask: Any) -> Any:
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


def keeps_rows(index: Any, axes: int) -> bool:
    """Whether an index leaves the last two axes queries and keys, because it only takes slices of them."""
    parts = index if isinstance(index, tuple) else (index,)
    if any(isinstance(part, bool) or not isinstance(part, int | slice | EllipsisType) for part in parts):
        return False
    ellipsis = next((i for i, part in enumerate(parts) if part is ...), len(parts))
    rest = parts[ellipsis + 1 :]
    whole = (*parts[:ellipsis], *(slice(None),) * (axes - ellipsis - len(rest)), *rest)
    return all(isinstance(part, slice) for part in whole[-2:])


def with_all_defaults(
    func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> inspect.BoundArguments:
    """The arguments of a function by their names, defaults included."""
    bound = inspect.signature(func).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound


def without_override(func: Callable[..., Any]) -> Callable[..., Any]:
    """A copy of a Python function of torch that skips its check for overrides, and so runs its own code."""
    if not isinstance(func, FunctionType):
        return func
    checks = ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic")
    names = {**func.__globals__, **dict.fromkeys(checks, lambda *_: False)}
    return FunctionType(func.__code__, names, func.__name__, func.__defaults__, func.__closure__)


def layer_again(
    bound: inspect.BoundArguments, func: Callable[..., Any], mode: AbstractContextManager[Any]
) -> Any:
    """The output of ``multi_head_attention_forward`` in another run without weights, seen by a mode from within."""
    bound.arguments["need_weights"] = False
    with mode:
        output, _ = without_override(func)(*bound.args, **bound.kwargs)
    return output


def as_written() -> AbstractContextManager[Any]:
    """While it lasts, what ``torch.compile`` compiled runs as it was written, so that its functions can be seen.

    Its module takes seconds to import; whoever has compiled something has imported it.
    """
    if "torch._dynamo" not in sys.modules:
        return nullcontext()
    stance: AbstractContextManager[Any] = torch.compiler.set_stance("force_eager")
    return stance


def running(parts: Container[int]) -> nn.Module | None:
    """The innermost module that runs at the moment, of those with these ids; None for none of them."""
    frame = inspect.currentframe()
    while frame is not None:
        part = frame.f_locals.get("self")
        if isinstance(part, nn.Module) and id(part) in parts:
            return part
        frame = frame.f_back
    return None
