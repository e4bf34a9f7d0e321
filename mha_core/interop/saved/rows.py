"""The rows that are a layer's tokens in an example: random ones, those of a matrix in the file, or the layer's input.

With its real input, of any width, a layer's Q, K and V are computed in full, and an example starts from them.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor

from mha_core.errors import N_, InteropError, Reason
from mha_core.example.model import MAX_SIZE, Example, Head
from mha_core.interop.parameters.packed import EXACT, Packed, exact, matrix, table, wrong_shape
from mha_core.interop.saved.layers import Layer
from mha_core.interop.saved.weights import MAX_BYTES, Weights, read_weights_file
from mha_core.quoted import quoted, similar

_DTYPES: Final = {"<f8": torch.float64, "<f4": torch.float32, "<f2": torch.float16}
"""The kinds of numbers in a .npy file: IEEE 754, the least significant byte first."""
_MAX_HEADER: Final = 10_000


def random_rows(rows: int, columns: int, random: torch.Generator) -> Tensor:
    """Normally distributed numbers with two decimals, the same for the same seed."""
    return torch.randn(rows, columns, generator=random, dtype=EXACT).mul(100).round().div(100)


def input_matrices(weights: Weights, layer: Layer) -> tuple[str, ...]:
    """Names of the file's matrices, outside the layer, whose rows could be its tokens: those with d_query columns."""
    return tuple(
        name
        for name, tensor in weights.items()
        if (not layer.name or not name.startswith(layer.name))
        and tensor.dim() == 2
        and tensor.shape[1] == layer.d_query
        and tensor.is_floating_point()
    )


def rows_of_file(weights: Weights, layer: Layer, name: str, rows: Sequence[int]) -> Tensor:
    """These rows of a matrix in the file."""
    if name not in weights:
        raise InteropError(
            N_("there is no matrix named {name}; similar names are {near}"),
            place="inputs",
            name=quoted(name),
            near=similar(name, input_matrices(weights, layer) or tuple(weights)),
        )
    matrix_of_file = weights[name]
    if matrix_of_file.dim() != 2 or matrix_of_file.shape[1] != layer.d_query:
        raise wrong_shape(name[:200], f"n × {layer.d_query}", matrix_of_file)
    _check_rows(rows, matrix_of_file.shape[0])
    return exact(matrix_of_file[list(rows)], name[:200])


def _check_rows(rows: Sequence[int], count: int) -> None:
    if not 1 <= len(rows) <= MAX_SIZE:
        raise InteropError(N_("expected 1 to {most}, got {got}"), place="rows", most=MAX_SIZE, got=len(rows))
    for row in rows:
        if not 0 <= row < count:
            raise InteropError(
                N_("expected rows from 0 to {last}, got {got}"), place="rows", last=count - 1, got=row
            )


# --- the layer's own input -------------------------------------------------------------------------------------


def read_rows(path: str) -> tuple[Tensor, Tensor | None]:
    """A layer's input from a file: x, n_q × d_query, and its context, n_k × d_key, or None.

    A .npy file has x alone. A .safetensors or .pt file has tensors called "x" and perhaps "context", or only one.
    """
    if path.endswith(".npy"):
        return _read_npy(path), None
    tensors = read_weights_file(path)
    if "x" not in tensors and len(tensors) == 1:
        return next(iter(tensors.values())), None
    if "x" not in tensors:
        raise InteropError(N_("expected a tensor called “x”, and perhaps one called “context”"), place=path)
    return tensors["x"], tensors.get("context")


def _read_npy(path: str) -> Tensor:
    """A .npy file: a magic number, two bytes of version, the length of its header, the header, the numbers.

    The header is a Python literal: {'descr': '<f4', 'fortran_order': False, 'shape': (7, 768), }
    """
    try:
        with Path(path).open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise InteropError(N_("cannot be read: {reason}"), place=path, reason=Reason(error)) from None
    if len(data) > MAX_BYTES:
        raise InteropError(N_("the file is larger than {most} MB"), place=path, most=MAX_BYTES // 1_000_000)
    wide = data[6:7] > b"\x01"  # from version 2 on, the length has four bytes
    start = 12 if wide else 10
    end = start + int.from_bytes(data[8:start], "little")
    if data[:6] != b"\x93NUMPY" or end - start > _MAX_HEADER:
        raise _no_array(path)
    try:
        header = ast.literal_eval(data[start:end].decode("latin-1").strip())
        dtype, shape = _DTYPES[header["descr"]], tuple(map(int, header["shape"]))
        numbers = torch.frombuffer(bytearray(data[end:]), dtype=dtype)
        return (
            numbers.reshape(shape[::-1]).permute(*range(len(shape))[::-1])
            if header["fortran_order"]
            else (numbers.reshape(shape))
        )
    except (ValueError, TypeError, KeyError, SyntaxError, RuntimeError, RecursionError, MemoryError):
        raise _no_array(path) from None


def _no_array(path: str) -> InteropError:
    return InteropError(N_("this is not a readable .npy file of floating-point numbers"), place=path)


def given_rows(layer: Layer, x: Any, context: Any) -> tuple[Tensor, Tensor]:
    """The rows of the queries and those of the keys. Raises ``InteropError`` if they do not fit the layer."""
    if context is None and not layer.attends_to_itself:
        raise InteropError(
            N_("keys and values of this layer come from other rows than queries; give these too"),
            place="context",
        )
    tables = []
    for place, given, width in (("x", x, layer.d_query), ("context", context, layer.d_key)):
        if given is None:
            continue
        rows = table(given, place)
        if rows.dim() != 2 or rows.shape[1] != width or (place == "context" and width != layer.d_value):
            raise wrong_shape(place, f"n × {width}", rows)
        if not 1 <= len(rows) <= MAX_SIZE:
            raise InteropError(
                N_("expected 1 to {most} rows, got {got}"), place=place, most=MAX_SIZE, got=len(rows)
            )
        tables.append(exact(rows, place))
    return tables[0], tables[-1]


def started(packed: Packed, rows: Tensor, keys: Tensor) -> Example:
    """An example of these heads that starts from Q = X·W_Q + b_Q, K and V, in float64."""
    q = rows @ packed.w_q + packed.bias("b_q").unsqueeze(1)
    k = keys @ packed.w_k + packed.bias("b_k").unsqueeze(1)
    v = keys @ packed.w_v + packed.bias("b_v").unsqueeze(1)
    names = [str(i + 1) for i in range(max(len(rows), len(keys)))]
    return Example(
        title="",
        tokens=tuple(names[: len(rows)]),
        context_tokens=None if rows is keys else tuple(names[: len(keys)]),
        heads=tuple(
            Head(q=matrix(q[head]), k=matrix(k[head]), v=matrix(v[head])) for head in range(packed.h)
        ),
    )
