"""The attention weights of a layer of any size, and nothing else.

The declared steps that lead to them are run on the given tensors. A tensor is freed once nothing more is computed from
it, and scores are overwritten by the weights, so that a head has only one table n_q × n_k in memory.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

from mha_core.compute.graph import weight_graph
from mha_core.compute.operation import Sized
from mha_core.compute.operations import Step
from mha_core.compute.trace import operate
from mha_core.errors import N_, ExampleError
from mha_core.example.model import NEG_INF, Dims
from mha_core.vocabulary import SETTINGS


class _Layer(NamedTuple):
    dims: Dims


@torch.inference_mode()
def attention_weights(
    x: Tensor | None = None,
    w_q: Tensor | None = None,
    w_k: Tensor | None = None,
    b_q: Tensor | None = None,
    b_k: Tensor | None = None,
    *,
    context: Tensor | None = None,
    q: Tensor | None = None,
    k: Tensor | None = None,
    mask: Literal["causal"] | Tensor | None = None,
    divisor: float | None = None,
) -> Tensor:
    """A = softmax(Q·Kᵀ ÷ divisor) with Q = X·W_Q + b_Q, K = X·W_K + b_K: h × n_q × n_k.

    x: n_q × d_model; w_q, w_k: h × d_model × d_k; b_q, b_k: h × 1 × d_k. ``context``, n_k × d_context: what K is
    computed from where it is not X. q, h × n_q × d_k, and k, h × n_k × d_k, take the place of what would compute them.
    ``mask``: "causal", query i may attend to keys 0 … i; or n_q × n_k or h × n_q × n_k, booleans, True = may attend, or
    numbers that are added to the scaled scores. ``divisor``: √d_k by default. A query that may attend to nothing has
    weights 0. ``trace`` gives the same numbers for an example with these matrices.

    Raises ``ExampleError`` where a matrix is missing, or where its shape does not fit the others.
    """
    named = {"x": x, "context": context, "w_q": w_q, "w_k": w_k, "b_q": b_q, "b_k": b_k, "q": q, "k": k}
    given: dict[str, Any] = {name: tensor for name, tensor in named.items() if tensor is not None}
    dims = _dims(given)
    if mask is not None:
        causal = isinstance(mask, str)
        given["mask"] = _causal(dims, next(iter(given.values()))) if causal else mask
    adds = mask is not None and given["mask"].is_floating_point()
    steps = weight_graph(given, "add" if adds else None if mask is None else "masked_fill")
    _require_shapes(steps, given, dims)
    given |= {name: given[name].expand(dims.h, -1, -1) for name in ("x", "context") if name in given}
    given |= {"divisor": dims.sqrt_dk if divisor is None else divisor, "fill": NEG_INF}
    return only(("weights",), steps, given, _Layer(dims))["weights"]


def _causal(dims: Dims, like: Tensor) -> Tensor:
    return like.new_ones(dims.n_q, dims.n_k, dtype=torch.bool).tril()


def _dims(given: Mapping[str, Tensor]) -> Dims:
    """The letters, each read off the first matrix that has it; 0 where none has."""

    def size(*places: tuple[str, int]) -> int:
        return next(((0, 0, 0, *given[name].shape)[axis] for name, axis in places if name in given), 0)

    return Dims(
        n_q=size(("q", -2), ("x", -2)),
        n_k=size(("k", -2), ("context", -2), ("x", -2)),
        h=size(("q", -3), ("w_q", -3)),
        d_model=size(("x", -1)),
        d_context=size(("context", -1), ("x", -1)),
        d_k=size(("q", -1), ("w_q", -1)),
        **dict.fromkeys(("d_v", "d_out", "d_a", "d_freq", "d_context_freq"), 0),
    )


def _require_shapes(steps: Sequence[Step], given: Mapping[str, Tensor], dims: Dims) -> None:
    """Raises ``ExampleError`` where a matrix that the steps read is missing or has another shape than its letters."""
    known = {*SETTINGS, *(step.name for step in steps)}
    for name in dict.fromkeys(name for step in steps for name in step.operand_names if name not in known):
        if name not in given:
            raise ExampleError(N_("missing"), place=name)
        layer_shape = dims.shape(name)
        head_shape = (dims.h, *layer_shape)
        fits = {"x": (layer_shape,), "context": (layer_shape,), "mask": (layer_shape, head_shape)}.get(
            name, (head_shape,)
        )
        if given[name].shape not in fits or 0 in head_shape:
            raise ExampleError(
                N_("expected {expected}, got {got}"),
                place=name,
                expected=" × ".join(str(max(1, size)) for size in fits[-1]),
                got=" × ".join(map(str, given[name].shape)),
            )


def only(
    wanted: Collection[str], steps: Sequence[Step], given: Mapping[str, Tensor], example: Sized
) -> dict[str, Tensor]:
    """Run only the steps that lead to the wanted ones, on numbers by name as ``operate`` does; return only these."""
    needed = _leading_to(wanted, steps)
    tensors = dict(given)
    for at, step in enumerate(needed):
        later = {name for other in needed[at + 1 :] for name in other.operand_names}
        done = {name for name in step.operand_names if name not in (*later, *wanted, *given)}
        tensors[step.name] = operate(step, tensors, example, in_place=step.operand_names[0] in done)
        for name in done:
            del tensors[name]
    return {name: tensors[name] for name in wanted}


def _leading_to(wanted: Collection[str], steps: Sequence[Step]) -> list[Step]:
    """The steps that compute the wanted ones, in order."""
    names, leading = set(wanted), []
    for step in reversed(steps):
        if step.name in names:
            names.update(step.operand_names)
            leading.append(step)
    return leading[::-1]
