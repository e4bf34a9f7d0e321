"""The parameters of any library's layer in one order of axes; each library's module only permutes them.

w_q: h × d_query × d_k   w_k: h × d_key × d_k   w_v: h × d_value × d_v   b_q, b_k: h × d_k   b_v: h × d_v
w_o: (h·d_v) × d_out     b_o: d_out
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import torch
from torch import Tensor

from mha_core.compute.graph import graph
from mha_core.errors import N_, InteropError
from mha_core.example.arrays import as_mask
from mha_core.example.model import MAX_NUMBER, Example, Head, Matrix, Row, Text, divisor, has_values
from mha_core.example.validate import validate

EXACT = torch.float64
_KNOWN_FIELDS = frozenset(
    ("title", "tokens", "heads", "x", "context_tokens", "context", "w_o", "b_o", "scale", "mask", "claimed")
) | {"source", "note"}
_KNOWN_HEAD_FIELDS = frozenset(("w_q", "w_k", "w_v", "b_q", "b_k", "b_v", "q", "k", "v", "weights"))
_KNOWN_OPERATIONS = frozenset(("matmul", "divide", "masked_fill", "add", "softmax", "concat"))


@dataclass(frozen=True, slots=True)
class Packed:
    """A layer's parameters in float64, heads first. A bias or W_O that the layer lacks is None."""

    w_q: Tensor
    w_k: Tensor
    w_v: Tensor
    b_q: Tensor | None = None
    b_k: Tensor | None = None
    b_v: Tensor | None = None
    w_o: Tensor | None = None
    b_o: Tensor | None = None

    @property
    def h(self) -> int:
        """The number of heads."""
        return self.w_q.shape[0]

    @property
    def biased(self) -> bool:
        """Whether the layer has any bias; libraries have all of them or none."""
        return any(bias is not None for bias in (self.b_q, self.b_k, self.b_v, self.b_o))

    def bias(self, name: str) -> Tensor:
        """``b_q``, ``b_k`` or ``b_v`` as h × d; zeros if the layer has none."""
        given: Tensor | None = getattr(self, name)
        weight: Tensor = getattr(self, "w" + name[1:])
        return torch.zeros(weight.shape[0], weight.shape[2], dtype=EXACT) if given is None else given

    @property
    def joined(self) -> Tensor:
        """W_O, or the identity if there is none: the output is then Concat itself."""
        width = self.h * self.w_v.shape[2]
        return torch.eye(width, dtype=EXACT) if self.w_o is None else self.w_o

    @property
    def joined_bias(self) -> Tensor:
        """b_O, or zeros."""
        return torch.zeros(self.joined.shape[1], dtype=EXACT) if self.b_o is None else self.b_o


def unknown_to_libraries(example: Example) -> str:
    """The first property of ``example`` beyond scaled dot-product attention, or "" if there is none."""
    for field in fields(example):
        if field.name not in _KNOWN_FIELDS and getattr(example, field.name) not in (field.default, None):
            return field.name
    for head in example.heads:
        for field in fields(head):
            if field.name not in _KNOWN_HEAD_FIELDS and getattr(head, field.name) is not None:
                return field.name
    return next((step.name for step in graph(example) if step.op not in _KNOWN_OPERATIONS), "")


def pack(example: Example) -> Packed:
    """The example's parameters as those of a library's layer.

    Raises ``InteropError`` if heads start later than at X or have no V, if the divisor is not √d_k, and for a scoring
    or positions that libraries' layers do not have.
    """
    unknown = unknown_to_libraries(example)
    if unknown:
        raise InteropError(N_("libraries' attention layers have no {name}"), name=unknown)
    for index, head in enumerate(example.heads):
        if any(getattr(head, name) is not None for name in ("q", "k", "v", "weights")):
            raise InteropError(
                N_(
                    "a library's layer computes Q, K, V and the weights itself, but this head starts at "
                    "a later step"
                ),
                place=f"heads[{index}]",
            )
    if not has_values(example):
        raise InteropError(
            N_("a library's layer needs a W_V, but this example stops at the attention weights")
        )
    if divisor(example) != example.dims.sqrt_dk:
        raise InteropError(N_("libraries' layers divide the scores only by √d_k"), place="scale")
    return Packed(
        _stacked(example, "w_q"),
        _stacked(example, "w_k"),
        _stacked(example, "w_v"),
        _stacked_biases(example, "b_q"),
        _stacked_biases(example, "b_k"),
        _stacked_biases(example, "b_v"),
        w_o=None if example.w_o is None else torch.tensor(example.w_o, dtype=EXACT),
        b_o=None if example.b_o is None else torch.tensor(example.b_o, dtype=EXACT),
    )


def _stacked(example: Example, name: str) -> Tensor:
    return torch.tensor([getattr(head, name) for head in example.heads], dtype=EXACT)


def _stacked_biases(example: Example, name: str) -> Tensor | None:
    """h × d, zeros for a head without a bias; None if no head has one."""
    given = [getattr(head, name) for head in example.heads]
    width = example.dims.d_v if name == "b_v" else example.dims.d_k
    if all(bias is None for bias in given):
        return None
    return torch.tensor([bias or (0.0,) * width for bias in given], dtype=EXACT)


def unpack(
    packed: Packed,
    query: Any,
    key: Any = None,
    value: Any = None,
    *,
    mask: Any = None,
    title: Text = "",
    note: Text | None = None,
    tokens: Sequence[str] | None = None,
) -> Example:
    """An example of a layer's parameters and its inputs: query n_q × d_query, key n_k × d_key, value n_k × d_value.

    The inputs are tensors, arrays or nested lists. Without ``key`` it is self-attention. Keys and values from different
    rows are put side by side in the context, and each weight has zeros for the other's columns: the sums are the same.
    ``mask``: an example's, or an array as in ``from_arrays``. Raises ``InteropError`` if shapes do not fit or an input
    is not a table of numbers, ``ExampleError`` if the example is too large for the format, a number is not finite, or
    the mask is invalid.
    """
    query, key, value = (
        table(given, name) for given, name in ((query, "query"), (key, "key"), (value, "value"))
    )
    value = key if value is None else value
    _check_inputs(packed, query, key, value)
    w_k, w_v = packed.w_k, packed.w_v
    context = key
    if key is not None and value is not None and not _same(key, value):
        context = torch.cat([key, value], 1)
        w_k = torch.cat([w_k, w_k.new_zeros(w_k.shape[0], value.shape[1], w_k.shape[2])], 1)
        w_v = torch.cat([w_v.new_zeros(w_v.shape[0], key.shape[1], w_v.shape[2]), w_v], 1)
    heads = tuple(
        Head(
            w_q=matrix(packed.w_q[g]),
            w_k=matrix(w_k[g]),
            w_v=matrix(w_v[g]),
            b_q=None if packed.b_q is None else row(packed.b_q[g]),
            b_k=None if packed.b_k is None else row(packed.b_k[g]),
            b_v=None if packed.b_v is None else row(packed.b_v[g]),
        )
        for g in range(packed.h)
    )
    return validate(
        Example(
            title=title,
            note=note,
            tokens=tuple(tokens or (str(i + 1) for i in range(len(query)))),
            heads=heads,
            x=matrix(query),
            context=None if context is None else matrix(context),
            w_o=None if packed.w_o is None else matrix(packed.w_o),
            b_o=None if packed.b_o is None or packed.w_o is None else row(packed.b_o),
            mask=as_mask(mask),
        )
    )


def table(given: Any, name: str) -> Any:
    """An input as a tensor with exactly its numbers; None if there is none."""
    if given is None or isinstance(given, Tensor):
        return given
    try:
        return torch.tensor(given.tolist() if hasattr(given, "tolist") else given, dtype=EXACT)
    except (TypeError, ValueError) as error:
        raise InteropError(N_("expected rows of numbers, all of the same length"), place=name) from error


def _same(key: Tensor, value: Tensor) -> bool:
    return key is value or torch.equal(key, value)


def _check_inputs(packed: Packed, query: Tensor, key: Tensor | None, value: Tensor | None) -> None:
    rows = {"query": query, "key": query if key is None else key, "value": query if value is None else value}
    for name, given in rows.items():
        wanted = getattr(packed, f"w_{name[0]}").shape[1]
        if given.dim() != 2 or given.shape[1] != wanted:
            raise InteropError(
                N_("expected rows × {cols}, got {shape}"), place=name, cols=wanted, shape=shown_shape(given)
            )
    if len(rows["key"]) != len(rows["value"]):
        raise InteropError(
            N_("expected as many rows as there are keys, {expected}, got {got}"),
            place="value",
            expected=len(rows["key"]),
            got=len(rows["value"]),
        )


def shown_shape(tensor: Tensor) -> str:
    """A shape as text, such as 3 × 5."""
    return " × ".join(map(str, tensor.shape)) or "1"


def exact(tensor: Tensor, name: str) -> Tensor:
    """A tensor's exact numbers, in float64 on the CPU.

    Raises ``InteropError`` for anything but real floating-point numbers that are finite and within the format's limit.
    """
    if not tensor.is_floating_point() or tensor.layout != torch.strided or tensor.is_meta:
        raise not_floating(tensor, name)
    numbers = tensor.detach().to("cpu", EXACT)
    if not torch.isfinite(numbers).all():
        raise InteropError(N_("contains NaN or an infinite number"), place=name)
    if numbers.numel() and numbers.abs().max() > MAX_NUMBER:
        raise InteropError(N_("contains a number larger than {most:g} in size"), place=name, most=MAX_NUMBER)
    return numbers


def not_floating(tensor: Tensor, place: str) -> InteropError:
    """The error for a tensor of anything but floating-point numbers."""
    kind = str(tensor.dtype).removeprefix("torch.")
    return InteropError(N_("expected floating-point numbers, got {kind}"), place=place, kind=kind)


def named(state: Mapping[str, Tensor], name: str) -> Tensor:
    """The exact tensor of this name. Raises ``InteropError`` if it is missing."""
    if name not in state:
        raise InteropError(N_("missing"), place=name)
    return exact(state[name], name)


def vector(state: Mapping[str, Tensor], name: str, width: int) -> Tensor | None:
    """A bias of this name and width; None if there is none."""
    if name not in state:
        return None
    bias = exact(state[name], name)
    if tuple(bias.shape) != (width,):
        raise wrong_shape(name, str(width), bias)
    return bias


def wrong_shape(place: str, expected: str, got: Tensor) -> InteropError:
    """The error for a tensor of the wrong shape."""
    return InteropError(
        N_("expected {expected}, got {got}"), place=place, expected=expected, got=shown_shape(got)
    )


def matrix(tensor: Tensor) -> Matrix:
    """A rows × columns tensor as a matrix of an example."""
    return tuple(tuple(numbers) for numbers in tensor.tolist())


def row(tensor: Tensor) -> Row:
    """A vector as a row of an example."""
    return tuple(tensor.tolist())
